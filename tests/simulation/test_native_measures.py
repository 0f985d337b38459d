"""Measures by the kernel against numpy's, which define them: equal to the last bit, in presets and at every edge."""

from itertools import islice, product

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.kernel import library
from boidsgen.scenario.sources import presets
from boidsgen.simulation import measures
from boidsgen.simulation.measures import MEASURES, USUAL_MEASURES, members, value_of, values_of
from boidsgen.simulation.motion import Group
from boidsgen.simulation.profiles import KERNEL_MEASURES, everybody, kernel_members, kernel_values, only
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup, State

pytestmark = pytest.mark.skipif(library.missing() is not None, reason="there is no kernel")

FRAMES = 3
COUNTS = (0, 1, 2, 3, 7, 8, 9, 50, 64, 65, 130, 700)
SIZES = {"flat": (100.0, 80.0), "tiny": (3.0, 2.0), "deep": (60.0, 50.0, 40.0), "wide": (900.0, 700.0)}
PERCEPTION, SEPARATION = (0.5, 9.0, 500.0, np.inf), (0.3, 5.0, np.inf)


def assert_equal(population):
    """The kernel gives the measures of numpy, together and one by one, and the same groups."""
    expected = {name: value_of(name, population) for name in KERNEL_MEASURES}

    assert [*kernel_values([population] * 2, KERNEL_MEASURES)] == [expected] * 2
    for name in KERNEL_MEASURES:
        assert [*kernel_values([population], (name,))] == [{name: expected[name]}]
    np.testing.assert_array_equal(kernel_members(population), measures._members(population))


def placed(position, velocity, flocks, boundary, size, predators=None):
    """A state of boids placed by hand, shared out over flocks with these radii, one after the other."""
    tables = [{"count": 0, "perception": {"radius": far}, "separation": {"radius": near}} for far, near in flocks]
    setup = Setup.model_validate({"world": {"size": size, "boundary": boundary}, "flock": tuple(tables)})
    parts = zip(np.array_split(position, len(flocks)), np.array_split(velocity, len(flocks)), strict=True)
    hunters = () if predators is None else (Group("hunters", predators, 0 * predators),)
    return State(0, 0.0, 0, tuple(Group("boids", *part) for part in parts), hunters, setup)


def test_every_usual_measure_is_known():
    """The kernel knows all measures that are computed by default."""
    assert {*USUAL_MEASURES} <= {*KERNEL_MEASURES} <= {*MEASURES}


@pytest.mark.parametrize(
    "name",
    [pytest.param(one.name, marks=() if n % 4 == 1 else pytest.mark.slow) for n, one in enumerate(presets())],
)
def test_a_preset(name):
    """The first frames of every preset, all flocks together and each alone."""
    scenario = load_scenario(name, {"time.warmup": 0})

    for state in islice(simulate(scenario), FRAMES):
        assert_equal(everybody(state))
    if len(state.flocks) > 1:
        for flock in range(len(state.flocks)):
            assert_equal(only(state, flock))


@pytest.mark.turns(3)  # every boundary, every size
@pytest.mark.parametrize("world", SIZES)
@pytest.mark.parametrize("boundary", ["torus", "open", "reflect"])
def test_hostile_states(world, boundary):
    """Nobody, one, two or many; in a knot, on a lattice, at rest or outside; radii beyond the world, and infinite."""
    size, generator = np.array(SIZES[world]), np.random.default_rng(5)
    for count, far, near in product(COUNTS, PERCEPTION, SEPARATION):
        spread = generator.choice([1.0, 0.05])
        position = generator.random((count, len(size))) * size * spread
        if boundary == "open":
            position = 3 * position - size
        if generator.random() < 0.3:
            position = np.round(position / 5) * 5
        velocity = generator.normal(size=position.shape) * (
            generator.random((count, 1)) < generator.choice([0, 0.5, 1])
        )
        flocks = [(far * part, near * part) for part in (0.5, 1.0, 1.5)[: generator.integers(1, 4)]]
        predators = generator.random((2, len(size))) * size if generator.random() < 0.5 else None
        assert_equal(everybody(placed(position, velocity, flocks, boundary, SIZES[world], predators)))


def test_all_in_one_place_and_far_apart():
    """Boids in one place, half a period and its neighbors apart, and a few very far from a crowd."""
    still, half = np.zeros((200, 2)), 50.0
    apart = [[0.0, 0.0], [np.nextafter(half, 0), 0.0], [half, 0.0], [np.nextafter(half, 99), 0.0], [100.0, 80.0]]
    lost = np.concatenate((np.random.default_rng(1).random((200, 2)), [[1e6, 0.0], [1e6, 7e5], [-1e9, 3.0]]))
    beyond = np.concatenate((lost[:200], [[-250.0, 40.0], [430.0, 1.0]]))

    assert_equal(everybody(placed(still, still, [(9.0, 5.0)], "torus", (100.0, 80.0))))
    assert_equal(everybody(placed(np.array(apart), still[:5], [(60.0, 70.0)], "torus", (100.0, 80.0))))
    assert_equal(everybody(placed(lost, 0 * lost, [(9.0, 5.0)], "open", (100.0, 80.0))))
    assert_equal(everybody(placed(beyond, 0 * beyond, [(900.0, 5.0)], "torus", (100.0, 80.0))))


def test_without_the_kernel(monkeypatch):
    """Numpy computes everything where the kernel is missing."""
    population = everybody(placed(np.eye(2) * 9, np.eye(2), [(20.0, 5.0)], "torus", (100.0, 80.0)))
    expected = [*values_of(KERNEL_MEASURES, [population])], members(population).tolist()
    monkeypatch.setattr("boidsgen.simulation.profiles.entry", {"measure": None}.get)

    assert [*kernel_values([population], KERNEL_MEASURES)] == [{}]
    assert kernel_members(population) is None
    assert ([*values_of(KERNEL_MEASURES, [population])], members(population).tolist()) == expected
