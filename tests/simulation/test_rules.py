"""Rules against their formulas in plain loops, and what every rule must leave alone."""

import numpy as np
import pytest

from boidsgen.simulation import Setup
from boidsgen.simulation.neighbors.engines import ENGINES, Neighbors
from boidsgen.simulation.randomness import Randomness
from boidsgen.simulation.rules import RULES
from boidsgen.simulation.state import Group, State
from boidsgen.simulation.stepping import Stepper
from tests.simulation import plain

FALLOFFS = list(plain.FALLOFF)

NEEDED = {"follow_path": {"points": ((20.0, 20.0), (80.0, 30.0))}}
"""Keys without which a rule's table is not complete."""

BOUND_TO_A_POINT = {"arrive", "home", "seek"}
BOUND_TO_A_PLACE = {*BOUND_TO_A_POINT, "follow_path"}
BOUND_TO_A_NUMBER = {"follow_leader", "formation"}
RANDOM = {"noise", "wander"}


def setup(*, boundary="open", size=(100.0, 100.0), predators=False, **flock):
    off = {name: {"weight": 0.0} for name in ("separation", "alignment", "cohesion", "flee") if name not in flock}
    document = {"world": {"size": size, "boundary": boundary}, "flock": {"count": 0, **off, **flock}}
    if predators:
        document["predators"] = {"count": 0}
    return Setup.model_validate(document)


def contributions(scenario, position, velocity, predators=None, time=0.0):
    """What each rule of the first flock gives, for boids placed by hand."""
    stepper = Stepper(Neighbors(ENGINES["numpy"], scenario.world.periods), Randomness(scenario.seed))
    group = Group("boids", np.array(position, float), np.array(velocity, float))
    hunters = () if predators is None else (Group("predators", np.array(predators, float), np.zeros_like(predators)),)
    state = State(0, time, 0, (group,), hunters, scenario)
    return scenario.flock[0].contributions(stepper.view(state, 0, hunters))


def random_flock(count=40, size=(100.0, 100.0), seed=3):
    generator = np.random.default_rng(seed)
    return generator.random((count, len(size))) * size, generator.normal(size=(count, len(size)))


def every_rule(**more):
    return {name: {"weight": 1.3, **more.get(name, {})} for name in RULES}


@pytest.mark.parametrize("boundary", ["open", "torus"])
@pytest.mark.parametrize("size", [(100.0, 100.0), (60.0, 50.0, 40.0)])
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
@pytest.mark.parametrize("falloff", FALLOFFS)
def test_separation(boundary, size, steering, falloff):
    """Separation is minus the sum of unit offsets to close neighbors, each times the falloff."""
    position, velocity = random_flock(size=size)
    rule = {"weight": 1.7, "radius": 22.0, "falloff": falloff, "steering": steering}
    scenario = setup(boundary=boundary, size=size, separation=rule)
    periods = scenario.world.periods

    given = contributions(scenario, position, velocity)["separation"]

    for i in range(len(position)):
        near = plain.neighbors(position[i], velocity[i], position, 22.0, 360, periods)
        raw = [-c for c in plain.total(near, falloff, velocity, len(size))]
        expected = plain.reynolds(raw, velocity[i], 4.0, 0.2) if steering == "reynolds" else raw
        np.testing.assert_allclose(given[i], 1.7 * np.array(expected), atol=1e-12, rtol=1e-9)


@pytest.mark.parametrize("boundary", ["open", "torus"])
@pytest.mark.parametrize("field_of_view", [360.0, 200.0])
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
@pytest.mark.parametrize("name", ["alignment", "cohesion"])
def test_alignment_and_cohesion(boundary, field_of_view, steering, name):
    """Alignment goes by the neighbors' mean velocity, cohesion by their mean offset; both are zero alone."""
    position, velocity = random_flock()
    scenario = setup(
        boundary=boundary,
        perception={"radius": 15.0, "field_of_view": field_of_view},
        max_force=0.7,
        **{name: {"weight": 0.6, "steering": steering}},
    )

    given = contributions(scenario, position, velocity)[name]

    for i in range(len(position)):
        near = plain.neighbors(position[i], velocity[i], position, 15.0, field_of_view, scenario.world.periods)
        raw = plain.total(near, "velocity" if name == "alignment" else "offset", velocity, 2)
        raw = np.array(raw) / max(len(near), 1)
        if steering == "reynolds":
            expected = plain.reynolds(raw, velocity[i], 4.0, 0.7)
        else:
            expected = raw - velocity[i] if name == "alignment" and near else raw
        np.testing.assert_allclose(given[i], 0.6 * np.array(expected), atol=1e-12, rtol=1e-9)


@pytest.mark.parametrize("falloff", FALLOFFS)
def test_flee(falloff):
    """Flee is minus the sum of unit offsets to predators in range, each times the falloff, all round."""
    position, velocity = random_flock()
    predators = np.array([[50.0, 50.0], [10.0, 90.0]])
    scenario = setup(predators=True, flee={"weight": 2.0, "radius": 40.0, "falloff": falloff})

    given = contributions(scenario, position, velocity, predators)["flee"]

    for i in range(len(position)):
        near = plain.neighbors(position[i], velocity[i], predators, 40.0, 360, (0, 0))
        expected = plain.total(near, falloff, predators, 2)
        np.testing.assert_allclose(given[i], -2.0 * np.array(expected), atol=1e-12, rtol=1e-9)


def test_home_pulls_from_beyond():
    """Home pulls by the offset to its point, but only those further away than `beyond`."""
    scenario = setup(home={"weight": 0.5, "point": (10.0, 10.0), "beyond": 5.0})

    given = contributions(scenario, [[13.0, 10.0], [20.0, 10.0]], [[0.0, 0.0], [0.0, 0.0]])["home"]

    np.testing.assert_array_equal(given, [[0.0, 0.0], [-5.0, 0.0]])


def test_home_is_the_middle_by_the_shortest_way():
    """Without a point home is the middle of the world."""
    given = contributions(setup(boundary="torus", home={}), [[40.0, 50.0]], [[1.0, 0.0]])["home"]

    np.testing.assert_array_equal(given, [[10.0, 0.0]])


def test_noise_is_fresh_and_bounded():
    """Noise lies within [-1, 1] per component and differs from boid to boid."""
    given = contributions(setup(noise={"weight": 1.0}), *random_flock(500))["noise"]

    assert np.abs(given).max() <= 1
    assert abs(given.mean()) < 0.1
    assert len(np.unique(given)) == given.size


def test_wander_is_smooth_and_its_own():
    """Wandering changes little in a short time, a lot in a long one, and has mean square length 1."""
    scenario = setup(wander={"weight": 1.0, "rate": 0.02})
    flock = random_flock(400)
    now, soon, later = (contributions(scenario, *flock, time=t)["wander"] for t in (0.0, 0.5, 400.0))

    assert np.abs(now - soon).max() < 0.25
    assert abs(np.corrcoef(now.ravel(), later.ravel())[0, 1]) < 0.2
    assert (now**2).sum(axis=1).mean() == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
def test_every_rule_is_finite_when_boids_coincide(name, steering):
    """Boids in one place, at rest or not, get a finite push from every rule."""
    position = np.full((6, 2), 50.0)
    velocity = np.zeros((6, 2))
    velocity[3:] = 1.0

    rule = {"steering": steering, **NEEDED.get(name, {})}
    given = contributions(setup(predators=True, **{name: rule}), position, velocity, position[:1])

    assert np.isfinite(given[name]).all()


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.usual_steering is None])
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
def test_neighbor_rules_are_zero_alone(name, steering):
    """A boid without neighbors is not steered by any rule about neighbors."""
    given = contributions(setup(**{name: {"steering": steering}}), [[50.0, 50.0]], [[1.0, 2.0]])[name]

    np.testing.assert_array_equal(given, 0.0)


@pytest.mark.parametrize("name", sorted(set(RULES) - BOUND_TO_A_PLACE))
def test_rules_do_not_depend_on_the_place(name):
    """Shifting a flock on a torus, predators included, changes nothing."""
    position, velocity = random_flock()
    shift = np.array([37.25, 81.5])
    scenario = setup(boundary="torus", predators=True, **{name: {}})

    here = contributions(scenario, position, velocity, position[:2] + 3)[name]
    there = contributions(scenario, (position + shift) % 100, velocity, (position[:2] + 3 + shift) % 100)[name]

    np.testing.assert_allclose(there, here, atol=1e-9)


@pytest.mark.parametrize("name", sorted(set(RULES) - RANDOM - {"follow_path"}))
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
def test_rules_turn_with_the_flock(name, steering):
    """Turning a flock in an open world turns what every rule gives."""
    position, velocity = random_flock()
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    rule = {"steering": steering, **({"point": (0.0, 0.0)} if name in BOUND_TO_A_POINT else {})}
    scenario = setup(predators=True, perception={"field_of_view": 250.0}, **{name: rule})

    straight = contributions(scenario, position, velocity, position[:2] + 3)[name]
    turned = contributions(scenario, position @ turn.T, velocity @ turn.T, (position[:2] + 3) @ turn.T)[name]

    np.testing.assert_allclose(turned, straight @ turn.T, atol=1e-9)


@pytest.mark.parametrize("name", sorted(set(RULES) - RANDOM - BOUND_TO_A_NUMBER))
def test_rules_do_not_depend_on_the_order(name):
    """Numbering the boids differently gives each boid the same steering."""
    position, velocity = random_flock()
    order = np.random.default_rng(1).permutation(len(position))
    scenario = setup(predators=True, **{name: NEEDED.get(name, {})})

    given = contributions(scenario, position, velocity, position[:2] + 3)[name]
    reordered = contributions(scenario, position[order], velocity[order], position[:2] + 3)[name]

    np.testing.assert_allclose(reordered, given[order], atol=1e-12)


@pytest.mark.parametrize("name", RULES)
def test_weight_is_a_factor(name):
    """Doubling a rule's weight doubles its contribution; weight zero takes the rule out."""
    flock, needed = random_flock(), NEEDED.get(name, {})
    once, twice, never = (
        contributions(setup(predators=True, **{name: {"weight": w, **needed}}), *flock, flock[0][:2] + 3)
        for w in (1.0, 2.0, 0.0)
    )

    np.testing.assert_allclose(twice[name], 2 * once[name])
    assert name not in never


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
def test_a_rule_may_have_its_own_bound(name, steering):
    """A rule's own max_force bounds what it gives in either form, before its weight, and changes nothing else."""
    flock = random_flock()
    rule = {"steering": steering, "weight": 2.0, **NEEDED.get(name, {})}
    free, bound = (
        contributions(setup(predators=True, **{name: {**rule, "max_force": most}}), *flock, flock[0][:2] + 3)[name]
        for most in (np.inf, 0.1)
    )

    size = np.linalg.norm(free, axis=1)[:, None]
    expected = np.where(size > 0.2, free * 0.2 / np.where(size > 0, size, 1), free)
    np.testing.assert_allclose(bound, expected, atol=1e-12)
