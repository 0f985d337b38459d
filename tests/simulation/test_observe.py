"""Observation of a state: exactly what the next step will do, and nothing changed by looking."""

import numpy as np
import pytest

from boidsgen.simulation.engines import NUMPY
from boidsgen.simulation.motion import move
from boidsgen.simulation.observe import contributions, influences, neighbor_count, neighbors_of
from boidsgen.simulation.randomness import Randomness
from boidsgen.simulation.rules.rule import rules_in
from boidsgen.simulation.run import Stepper, simulate
from boidsgen.simulation.setup import CommonRules, Setup

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

    np.testing.assert_allclose(
        move(group.position, group.velocity, drive, table.limits(1.0))[1], after.flocks[0].velocity, atol=1e-12
    )


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
