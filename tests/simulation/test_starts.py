"""Starts: boxes of places and of velocities, and several groups of one flock."""

import numpy as np
import pytest

from boidsgen import ScenarioError, load_scenario
from boidsgen.simulation import simulate
from boidsgen.simulation.starts import STARTS
from tests.simulation.stages import SIZE, world


def begun(tmp_path, start, count=100, size="[400, 400]"):
    """The flock before the first step."""
    path = tmp_path / "start.toml"
    path.write_text(f"[world]\nsize = {size}\n[flock]\ncount = {count}\n{start}\n", "utf-8")
    return next(iter(simulate(load_scenario(str(path), overrides={"time.frames": 1})))).flocks[0]


def test_velocities_fill_a_box(tmp_path):
    """Each component is evenly spread between the two numbers, so that the corners are faster than the sides."""
    velocity = begun(tmp_path, 'start = { layout = "uniform", velocity = [-2, 2] }', count=4000).velocity

    assert -2 <= velocity.min() < -1.99
    assert 1.99 < velocity.max() <= 2
    np.testing.assert_allclose(velocity.std(axis=0), 4 / np.sqrt(12), rtol=0.03)
    assert np.hypot(*velocity.T).max() > 2.5


def test_box_is_where_it_is_said_to_be(tmp_path):
    """Places fill a box about its center."""
    start = 'start = { layout = "box", center = [50, 50, 50], size = [10, 20, 30] }'
    position = begun(tmp_path, start, count=4000, size="[100, 100, 100]").position

    np.testing.assert_allclose(position.min(axis=0), [45, 40, 35], atol=0.1)
    np.testing.assert_allclose(position.max(axis=0), [55, 60, 65], atol=0.1)


TWO = """
[flock.start]
layout = "groups"
speed = [1.0, 1.0]
COUNTS
[[flock.start.groups]]
layout = "disc"
center = [100, 100]
radius = 10
heading = 90
[[flock.start.groups]]
layout = "box"
center = [300, 300]
size = [10, 10]
velocity = [2.0, 2.0]
"""


def test_groups_of_one_flock(tmp_path):
    """The first boids are in the first group; the first group has its own heading and the speed of all."""
    flock = begun(tmp_path, TWO.replace("COUNTS", "counts = [3, 2]"), count=5)

    assert (np.hypot(*(flock.position[:3] - 100).T) <= 10).all()
    assert (np.abs(flock.position[3:] - 300) <= 5).all()
    np.testing.assert_allclose(flock.velocity[:3], [[0, 1]] * 3, atol=1e-12)
    np.testing.assert_array_equal(flock.velocity[3:], 2.0)


def test_groups_share_evenly(tmp_path):
    """Without counts groups are as equal as can be, the first one larger."""
    flock = begun(tmp_path, TWO.replace("COUNTS", ""), count=7)

    assert (flock.position[:, 0] < 200).sum() == 4


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ("counts = [3, 3]", "start: has groups of 6 boids together, but count is 5"),
        ("counts = [5]", "start.counts: must have an entry for each of the 2 groups, not 1"),
    ],
)
def test_counts_must_fit(tmp_path, counts, said):
    """Counts that do not add up are refused, in words."""
    with pytest.raises(ScenarioError, match=said):
        begun(tmp_path, TWO.replace("COUNTS", counts), count=5)


def example(layout, dimension):
    """The example of a layout, its points with as many components as the world has."""
    keys = dict(STARTS[layout].example)
    if "points" in keys:
        keys["points"] = tuple((*point, 50.0)[:dimension] for point in keys["points"])
    return keys


@pytest.mark.parametrize("layout", STARTS)
@pytest.mark.parametrize("size", [SIZE, (100.0, 60.0, 80.0)])
@pytest.mark.parametrize("count", [0, 1, 7, 500])
def test_starts_lie_inside(layout, size, count):
    """Every layout places all boids inside the world, with speeds within the given ones."""
    start = STARTS[layout].model_validate({**example(layout, len(size)), "speed": (2.0, 3.0)})

    position, velocity = start.place(count, world("open", size), (0.0, 1.0), np.random.default_rng(0))

    assert position.shape == velocity.shape == (count, len(size))
    assert (position >= 0).all()
    assert (position <= size).all()
    speed = np.linalg.norm(velocity, axis=1)
    assert ((speed >= 2 - 1e-9) & (speed <= 3 + 1e-9)).all()


@pytest.mark.parametrize("layout", STARTS)
def test_starts_take_a_heading(layout):
    """With a heading everyone flies that way."""
    start = STARTS[layout].model_validate({**STARTS[layout].example, "heading": 90.0})

    _, velocity = start.place(9, world("open"), (2.0, 2.0), np.random.default_rng(0))

    np.testing.assert_allclose(velocity, np.tile([0.0, 2.0], (9, 1)), atol=1e-12)


def test_ring_turns_together():
    """The ring turns counterclockwise: everyone flies at a right angle to the way from the center."""
    position, velocity = STARTS["ring"]().place(50, world("open"), (1.0, 1.0), np.random.default_rng(0))
    across = position - np.array(SIZE) / 2

    np.testing.assert_allclose((across * velocity).sum(axis=1), 0, atol=1e-9)
    assert (across[:, 0] * velocity[:, 1] - across[:, 1] * velocity[:, 0] > 0).all()
