"""Stepping and looking: frames, randomness, and what the next step will do. The published loops have the rest."""

import numpy as np
import pytest

from boidsgen.simulation.geometry import Randomness
from boidsgen.simulation.measures import contributions, influences, neighbor_count, neighbors_of
from boidsgen.simulation.rules.rule import rules_in
from boidsgen.simulation.run import ENGINES, NUMPY, Stepper, simulate
from boidsgen.simulation.setup import CommonRules, Setup
from tests.scenario.loaded import loaded

QUIET = {name: {"weight": 0.0} for name in ("separation", "alignment", "cohesion", "flee")}


def run(engine="numpy", **document):
    return list(simulate(Setup.model_validate(document), engine))


def test_frames_steps_and_warmup():
    """The first frame comes after warm-up, every later one after the steps between frames; time is steps times dt."""
    states = run(time={"frames": 4, "steps_per_frame": 3, "warmup": 5, "dt": 0.5})

    assert [state.frame for state in states] == [0, 1, 2, 3]
    assert [state.step for state in states] == [5, 8, 11, 14]
    assert [state.time for state in states] == [2.5, 4.0, 5.5, 7.0]


@pytest.mark.parametrize("update", ["synchronous", "sequential"])
@pytest.mark.parametrize("engine", ENGINES)
def test_forces_pile_up_where_nobody_sets_them_back(update, engine):
    """A constant push of 0.1 for ten steps: the velocity grows by 0.1, 0.2, … instead of by 0.1 each time."""
    pull = {"home": {"point": (1e9, 200.0), "weight": 1.0, "max_force": 0.1}}
    still = {"max_speed": 1000.0, "min_speed": 0.0, "start": {"layout": "uniform", "speed": (0.0, 0.0)}}
    flock = {"count": 30, "update": update, **QUIET, **pull, **still}
    for accumulate, expected in ((False, 1.0), (True, 5.5)):
        world = {"boundary": "open"}
        *_, last = run(engine, world=world, flock={**flock, "accumulate": accumulate}, time={"frames": 11})
        np.testing.assert_allclose(last.flocks[0].velocity[:, 0], expected, rtol=1e-6)


def test_new_boids_have_nothing_piled_up():
    """An event doubles the flock: the new boids begin without any drive, the first keep theirs."""
    flock = {"count": 30, "update": "sequential", "accumulate": True}
    drive = run(flock=flock, time={"frames": 7}, events=({"at": 5, "set": {"flock.count": 60}},))[5].flocks[0].drive

    assert drive.shape == (60, 2)
    assert np.abs(drive[:30]).max() > 0.1
    assert not drive[30:].any()


def test_sequential_updates_cost_the_square_of_the_number():
    """The estimate knows it: a flock too large is refused before anything is allocated."""
    sequential = 'flock.update="sequential"'
    small, large = (loaded("", f"flock.count={count}", sequential) for count in (100, 200_000))

    assert not small.excess()
    assert any("neighbor visits" in line for line in large.excess())
    assert not loaded("", "flock.count=200000").excess()


@pytest.mark.parametrize("rule", ["separation", "alignment", "cohesion", "flee"])
def test_a_rule_that_acts_on_the_position_is_no_force(rule):
    """It moves boids and leaves velocities; what steers a boid does not include it. The quick start of 002 has it."""
    flock = {"count": 4, **QUIET, rule: {"weight": 0.3, "acts_on": "position"}, "min_speed": 0.0}
    states = run(time={"frames": 3}, flock=flock, predators={"count": 1})

    np.testing.assert_array_equal(states[-1].flocks[0].velocity, states[0].flocks[0].velocity)
    assert rule not in influences(states[0].setup, 0)
    assert rule not in contributions(states[0], 0, 0)


def test_states_are_read_only():
    """Nobody can change a state behind the simulation's back."""
    group = run(time={"frames": 1})[0].flocks[0]

    with pytest.raises(ValueError, match="read-only"):
        group.position[0, 0] = 1.0


def test_noise_in_one_flock_leaves_the_others_alone():
    """Random numbers of one flock change neither its own start nor anything of another flock."""
    flock = [{"name": "a", "count": 5}, {"name": "b", "count": 5, "separation": {"weight": 0.0}}]
    noisy = [{**flock[0], "noise": {"weight": 2.0}}, flock[1]]
    calm, wild = (run(flock=tuple(both), time={"frames": 5}) for both in (flock, noisy))

    np.testing.assert_array_equal(calm[0].flocks[0].position, wild[0].flocks[0].position)
    np.testing.assert_array_equal(calm[-1].flocks[1].position, wild[-1].flocks[1].position)
    assert (calm[-1].flocks[0].position != wild[-1].flocks[0].position).any()


def test_streams_are_independent_and_go_on():
    """A stream goes on where it stopped; streams of other purposes or numbers differ."""
    streams = Randomness(3)
    first, second = streams.stream("noise", 0).random(), streams.stream("noise", 0).random()

    assert first != second
    assert len({first, streams.stream("noise", 1).random(), streams.stream("start", 0).random()}) == 3
    assert Randomness(3).stream("noise", 0).random() == first


@pytest.mark.parametrize("target", ["nearest", "all", "center"])
def test_hunters_go_where_they_should(target):
    """A hunter at rest sets off toward its target, by the shortest way round; out of range it stays."""
    flock = {"count": 12, **QUIET, "start": {"layout": "disc", "center": (380.0, 200.0), "radius": 15.0}}
    hunt = {"radius": 80.0, "target": target}
    still = {"layout": "disc", "center": (20.0, 200.0), "radius": 0.001, "speed": (0.0, 0.0)}
    predators = {"count": 2, "hunt": hunt, "start": still, "min_speed": 0.0, "max_force": np.inf}

    before, after = run(flock=flock, predators=predators, time={"frames": 2})

    offset = before.flocks[0].position[None] - before.predators[0].position[:, None]
    offset -= 400 * np.rint(offset / 400)
    distance = np.linalg.norm(offset, axis=2)
    expected = {
        "nearest": offset[[0, 1], distance.argmin(axis=1)],
        "all": (offset / distance[..., None]).sum(axis=1),
        "center": offset.mean(axis=1),
    }[target]
    expected = 5 * expected / np.linalg.norm(expected, axis=1)[:, None]
    np.testing.assert_allclose(after.predators[0].velocity, expected, atol=1e-9)

    _, stayed = run(flock=flock, predators={**predators, "hunt": {"radius": 10.0}}, time={"frames": 2})
    np.testing.assert_array_equal(stayed.predators[0].velocity, 0.0)


COMMON = rules_in(CommonRules)


def first(**tables):
    """The first state of a small world, and the state one step later."""
    setup = Setup.model_validate({"world": {"size": (90.0, 60.0)}, "seed": 4, "time": {"frames": 3}, **tables})
    stepper = Stepper(NUMPY, setup.world.periods, Randomness(setup.seed))
    state = stepper.arrived(stepper.first(setup), setup, 0)
    return state, stepper.next(state)


def assert_adds_up(before, after):
    """The contributions to every boid, with what limits all of them together, make the next velocity."""
    table, group = before.setup.flock[0], before.flocks[0]
    drive = np.array([sum(contributions(before, 0, boid).values()) for boid in range(len(group.position))])

    _, velocity = table.move(group.position, group.velocity, drive, 1.0)
    np.testing.assert_allclose(velocity, after.flocks[0].velocity, atol=1e-12)


@pytest.mark.parametrize("name", sorted(name for name in COMMON if COMMON[name].chance != "fresh"))
def test_contributions_add_up_to_the_step(name):
    """Whatever the rule, what it is said to add is what the step adds."""
    flock = {"count": 12, name: {"weight": 0.7, **COMMON[name].example}}
    obstacle = {"kind": "circle", "center": (40.0, 30.0), "radius": 10.0, "solid": False}
    before, after = first(flock=flock, predators=({"hunt": {}, "count": 2},), obstacles=(obstacle,))

    assert name in contributions(before, 0, 0)
    assert_adds_up(before, after)


def test_surroundings_contribute():
    """Obstacles, attractors and soft edges are told apart, and are all that a flock without rules feels."""
    off = {name: {"weight": 0.0} for name in ("separation", "alignment", "cohesion")}
    before, after = first(
        world={"size": (90.0, 60.0), "boundary": {"kind": "soft", "margin": 30.0}},
        flock={"count": 9, **off},
        obstacles=({"kind": "circle", "center": (40.0, 30.0), "radius": 10.0, "margin": 80.0, "solid": False},),
        attractors=({"point": (5.0, 5.0)},),
    )

    assert list(contributions(before, 0, 3)) == ["obstacles", "attractors", "edges"]
    assert_adds_up(before, after)


@pytest.mark.parametrize("name", [name for name in COMMON if COMMON[name].chance == "fresh"])
def test_chance_is_left_out(name):
    """The next contribution of a rule by chance is unknown before the step, and not reported."""
    before, _ = first(flock={"count": 5, name: {"weight": 0.7}})

    assert name not in contributions(before, 0, 0)
    assert name not in influences(before.setup, 0)


def test_looking_changes_nothing():
    """A run that is watched takes the same course, chance included."""
    setup = Setup.model_validate(
        {"time": {"frames": 8}, "flock": {"count": 20, "noise": {}}, "predators": {"noise": {}, "count": 2}}
    )
    for watched, alone in zip(simulate(setup), simulate(setup), strict=True):
        contributions(watched, 0, 5)
        neighbors_of(watched, 0, 5)

        np.testing.assert_array_equal(watched.flocks[0].position, alone.flocks[0].position)


def test_influences_are_in_the_order_they_are_told():
    """The three rules of every flock come first, what is not there is not named, rules at rest are."""
    before, _ = first(flock={"home": {"point": (1.0, 1.0)}, "alignment": {"weight": 0.0}}, attractors=())

    assert influences(before.setup, 0) == ("separation", "alignment", "cohesion", "home")
    assert "alignment" not in contributions(before, 0, 0)


@pytest.mark.parametrize("boundary", ["torus", "open"])
@pytest.mark.parametrize("size", [(90.0, 60.0), (50.0, 40.0, 30.0)])
@pytest.mark.parametrize(
    "perception", [{}, {"field_of_view": 120.0}, {"neighbors": 3}, {"radius": 8.0}, {"radius": np.inf}]
)
def test_neighbors_are_those_that_are_counted(boundary, size, perception):
    """One boid's neighbors are as many as the rules count, and the nearest comes first."""
    flock = {"count": 40, "perception": {"radius": 25.0, **perception}}
    state, _ = first(world={"size": size, "boundary": boundary}, flock=flock)
    found = [neighbors_of(state, 0, boid) for boid in range(40)]
    place = state.flocks[0].position

    assert [len(numbers) for numbers in found] == neighbor_count(state, 0).tolist()
    for boid, numbers in enumerate(found):
        distance = np.linalg.norm(state.setup.world.shortest(place[numbers] - place[boid]), axis=1)

        assert boid not in numbers
        assert list(distance) == sorted(distance)
