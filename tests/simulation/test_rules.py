"""Rules against their formulas in plain loops, and what every rule must leave alone."""

import numpy as np
import pytest

from boidsgen.simulation.geometry import Randomness
from boidsgen.simulation.motion import Group
from boidsgen.simulation.rules.rule import NeighborRule, rules_in
from boidsgen.simulation.run import NUMPY, Stepper
from boidsgen.simulation.setup import RULES, Flock, Predators, Setup, State
from tests.simulation import plain
from tests.simulation.stages import given, scattered

FALLOFFS = list(plain.FALLOFF)
SIZE = (100.0, 100.0)

GROUPS = {"flock": Flock, "predators": Predators}  # The groups of animals that rules steer

CASES = [(kind, name) for kind, table in GROUPS.items() for name in rules_in(table)]
"""Every rule in every group that may have it."""

NEIGHBOR_RULES = [(kind, name) for kind, name in CASES if issubclass(RULES[name], NeighborRule)]
TURNING = [(kind, name) for kind, name in CASES if RULES[name].chance is None]
UNNUMBERED = [(kind, name) for kind, name in TURNING if not RULES[name].by_number]


def steered(kind, name, keys, own, around, *, boundary="open", size=(100.0, 100.0), **document):
    """Contribution of one rule to the animals of a group, their place and flight in `own`.

    Those in `around` are a flock called `others` as well as predators of another table.
    """
    keys = {**RULES[name].example, **keys}
    off = {"flock": ("separation", "alignment", "cohesion", "flee"), "predators": ("hunt",)}[kind]
    table = {"count": 0, "perception": {"field_of_view": 250.0}, **{rule: {"weight": 0.0} for rule in off}, name: keys}
    others = Group("others", *(np.array(part, float) for part in around))
    group = Group(kind, *(np.array(part, float) for part in own))
    flock, predators = ((table,), ()) if kind == "flock" else ((), (table,))
    scenario = Setup.model_validate(
        {
            "world": {"size": size, "boundary": boundary},
            "flock": (*flock, {"name": "others", "count": 0}),
            "predators": (*predators, {"name": "rivals", "count": 0}),
            **document,
        }
    )
    flocks, hunters = ((group, others), (others,)) if kind == "flock" else ((others,), (group, others))
    stepper = Stepper(NUMPY, scenario.world.periods, Randomness(scenario.seed))
    state = State(0, 0.0, 0, flocks, hunters, scenario)
    view = stepper.flock_view(state, 0, hunters) if kind == "flock" else stepper.predator_view(state, 0)
    return getattr(scenario, kind)[0].contributions(view)


def moved(value, motion):
    """Keys of a table with all places in it moved."""
    if isinstance(value, dict):
        return {key: moved(inner, motion) for key, inner in value.items()}
    if isinstance(value, tuple) and value and isinstance(value[0], float):
        return tuple(float(coordinate) for coordinate in motion(np.array(value)))
    return tuple(moved(inner, motion) for inner in value) if isinstance(value, tuple) else value


def in_dimension(name, size):
    """The example of a rule in a world of this size."""
    return moved(dict(RULES[name].example), lambda place: np.append(place, [50.0] * (len(size) - 2)))


@pytest.mark.parametrize("boundary", ["open", "torus"])
@pytest.mark.parametrize("size", [(100.0, 100.0), (60.0, 50.0, 40.0)])
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
@pytest.mark.parametrize("falloff", FALLOFFS)
def test_separation(boundary, size, steering, falloff):
    """Separation is minus the sum of unit offsets to close neighbors, each times the falloff."""
    position, velocity = scattered(40, size)
    rule = {"weight": 1.7, "radius": 22.0, "falloff": falloff, "steering": steering}
    periods = size if boundary == "torus" else (0.0,) * len(size)

    found = given([({"separation": rule}, position, velocity)], size=size, boundary=boundary)["separation"]

    for i in range(len(position)):
        near = plain.neighbors(position[i], velocity[i], position, 22.0, 360, periods)
        raw = [-c for c in plain.total(near, falloff, velocity, len(size))]
        expected = plain.reynolds(raw, velocity[i], 4.0, 0.2) if steering == "reynolds" else raw
        np.testing.assert_allclose(found[i], 1.7 * np.array(expected), atol=1e-12, rtol=1e-9)


@pytest.mark.parametrize("boundary", ["open", "torus"])
@pytest.mark.parametrize("field_of_view", [360.0, 200.0])
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
@pytest.mark.parametrize("name", ["alignment", "cohesion"])
def test_alignment_and_cohesion(boundary, field_of_view, steering, name):
    """Alignment goes by the neighbors' mean velocity, cohesion by their mean offset; both are zero alone."""
    position, velocity = scattered(40, SIZE)
    keys = {"perception": {"radius": 15.0, "field_of_view": field_of_view}, "max_force": 0.7}
    flock = keys | {name: {"weight": 0.6, "steering": steering}}

    found = given([(flock, position, velocity)], boundary=boundary)[name]

    for i in range(len(position)):
        near = plain.neighbors(
            position[i], velocity[i], position, 15.0, field_of_view, SIZE if boundary == "torus" else (0, 0)
        )
        raw = plain.total(near, "velocity" if name == "alignment" else "offset", velocity, 2)
        raw = np.array(raw) / max(len(near), 1)
        if steering == "reynolds":
            expected = plain.reynolds(raw, velocity[i], 4.0, 0.7)
        else:
            expected = raw - velocity[i] if name == "alignment" and near else raw
        np.testing.assert_allclose(found[i], 0.6 * np.array(expected), atol=1e-12, rtol=1e-9)


@pytest.mark.parametrize("falloff", FALLOFFS)
def test_flee(falloff):
    """Flee is minus the sum of unit offsets to predators in range, each times the falloff, all round."""
    position, velocity = scattered(40, SIZE)
    predators = np.array([[50.0, 50.0], [10.0, 90.0]])
    flock = {"flee": {"weight": 2.0, "radius": 40.0, "falloff": falloff}}

    found = given([(flock, position, velocity)], predators=(predators, 0 * predators))["flee"]

    for i in range(len(position)):
        near = plain.neighbors(position[i], velocity[i], predators, 40.0, 360, (0, 0))
        expected = plain.total(near, falloff, predators, 2)
        np.testing.assert_allclose(found[i], -2.0 * np.array(expected), atol=1e-12, rtol=1e-9)


def test_home_pulls_from_beyond():
    """Home pulls by the offset to its point, the middle without one, but only those further away than `beyond`."""
    home = {"weight": 0.5, "point": (10.0, 10.0), "beyond": 5.0}

    found = given([({"home": home}, [[13.0, 10.0], [20.0, 10.0]], np.zeros((2, 2)))])["home"]
    middle = given([({"home": {}}, [[40.0, 50.0]], [[1.0, 0.0]])], boundary="torus")["home"]

    np.testing.assert_array_equal(found, [[0.0, 0.0], [-5.0, 0.0]])
    np.testing.assert_array_equal(middle, [[10.0, 0.0]])


def test_noise_is_fresh_and_bounded():
    """Noise lies within [-1, 1] per component and differs from boid to boid."""
    found = given([({"noise": {"weight": 1.0}}, *scattered(500, SIZE))])["noise"]

    assert np.abs(found).max() <= 1
    assert abs(found.mean()) < 0.1
    assert len(np.unique(found)) == found.size


def test_wander_is_smooth_and_its_own():
    """Wandering changes little in a short time, a lot in a long one, and has mean square length 1."""
    flock = [({"wander": {"weight": 1.0, "rate": 0.02}}, *scattered(400, SIZE))]
    now, soon, later = (given(flock, time=time)["wander"] for time in (0.0, 0.5, 400.0))

    assert np.abs(now - soon).max() < 0.25
    assert abs(np.corrcoef(now.ravel(), later.ravel())[0, 1]) < 0.2
    assert (now**2).sum(axis=1).mean() == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize(("kind", "name"), CASES)
@pytest.mark.parametrize("steering", [{"steering": "direct"}, {"steering": "reynolds"}, {}])
@pytest.mark.parametrize("size", [(100.0, 100.0), (100.0, 100.0, 100.0)])
def test_every_rule_is_finite_when_all_coincide(kind, name, steering, size):
    """Animals, other groups and an obstacle in one place, at rest or not, give finite steering."""
    position, velocity = np.full((6, len(size)), 50.0), np.zeros((6, len(size)))
    velocity[3:] = 1.0
    obstacle = {"kind": "circle", "center": (50.0,) * len(size), "radius": 5.0}
    keys = {**in_dimension(name, size), **steering}

    found = steered(kind, name, keys, (position, velocity), (position, velocity), size=size, obstacles=obstacle)

    assert np.isfinite(found[name]).all()


@pytest.mark.parametrize(("kind", "name"), CASES)
@pytest.mark.parametrize("size", [(100.0, 100.0), (100.0, 100.0, 100.0)])
def test_rules_of_nobody(kind, name, size):
    """A group without animals is steered like any other: by nothing, without complaint."""
    nobody = np.empty((0, len(size)))

    found = steered(kind, name, in_dimension(name, size), (nobody, nobody), (nobody, nobody), size=size)

    assert found.get(name, nobody).shape == nobody.shape  # nobody to flee from is not told


@pytest.mark.parametrize(("kind", "name"), NEIGHBOR_RULES)
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
def test_neighbor_rules_are_zero_alone(kind, name, steering):
    """An animal without neighbors is not steered by any rule about neighbors."""
    nobody = np.empty((0, 2))

    found = steered(kind, name, {"steering": steering}, ([[50.0, 50.0]], [[1.0, 2.0]]), (nobody, nobody))[name]

    np.testing.assert_array_equal(found, 0.0)


def surrounded(seed=5):
    """A group, and a few others among it."""
    position, velocity = scattered(40, SIZE)
    return (position, velocity), (position[:2] + 3, np.random.default_rng(seed).normal(size=(2, 2)))


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_rules_do_not_depend_on_the_place(kind, name):
    """Shifting all that is there on a torus, the places that a rule names included, changes nothing."""
    own, around = surrounded()
    shift = np.array([37.25, 81.5])
    shifted = [((place + shift) % 100, flight) for place, flight in (own, around)]
    keys = moved(dict(RULES[name].example), lambda place: place + shift)

    here = steered(kind, name, {}, own, around, boundary="torus")[name]
    there = steered(kind, name, keys, *shifted, boundary="torus")[name]

    np.testing.assert_allclose(there, here, atol=1e-9)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_rules_that_lead_to_places_say_so(kind, name):
    """Shifting the animals on a torus, but not the places that a rule names, changes `placed` rules alone."""
    own, around = surrounded()
    shifted = [((place + np.array([37.25, 81.5])) % 100, flight) for place, flight in (own, around)]

    here = steered(kind, name, {}, own, around, boundary="torus")[name]
    there = steered(kind, name, {}, *shifted, boundary="torus")[name]

    on_a_curve = name == "path"  # which puts predators at their places, whatever it contributes
    assert (not np.allclose(there, here, atol=1e-9) or on_a_curve) == RULES[name].placed


@pytest.mark.parametrize(("kind", "name"), TURNING)
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
def test_rules_turn_with_the_flock(kind, name, steering):
    """Turning all that is there in an open world turns what every rule gives."""
    own, around = surrounded()
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turned = [(place @ turn.T, flight @ turn.T) for place, flight in (own, around)]
    keys = moved(dict(RULES[name].example), lambda place: turn @ place)

    straight = steered(kind, name, {"steering": steering}, own, around)[name]
    after = steered(kind, name, {**keys, "steering": steering}, *turned)[name]

    np.testing.assert_allclose(after, straight @ turn.T, atol=1e-9)


@pytest.mark.parametrize(("kind", "name"), UNNUMBERED)
def test_rules_do_not_depend_on_the_order(kind, name):
    """Numbering the animals differently gives each the same steering."""
    (position, velocity), around = surrounded()
    order = np.random.default_rng(1).permutation(len(position))

    found = steered(kind, name, {}, (position, velocity), around)[name]
    reordered = steered(kind, name, {}, (position[order], velocity[order]), around)[name]

    np.testing.assert_allclose(reordered, found[order], atol=1e-12)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_weight_is_a_factor(kind, name):
    """Doubling a rule's weight doubles its contribution; weight zero takes the rule out."""
    once, twice, never = (steered(kind, name, {"weight": weight}, *surrounded()) for weight in (1.0, 2.0, 0.0))

    np.testing.assert_allclose(twice[name], 2 * once[name])
    assert name not in never


@pytest.mark.parametrize(("kind", "name"), CASES)
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
def test_a_rule_may_have_its_own_bound(kind, name, steering):
    """A rule's own max_force bounds what it gives in either form, before its weight, and changes nothing else."""
    rule = {"steering": steering, "weight": 2.0}
    free, bound = (
        steered(kind, name, {**rule, "max_force": max_force}, *surrounded())[name] for max_force in (np.inf, 0.1)
    )

    size = np.linalg.norm(free, axis=1)[:, None]
    expected = np.where(size > 0.2, free * 0.2 / np.where(size > 0, size, 1), free)
    np.testing.assert_allclose(bound, expected, atol=1e-12)
