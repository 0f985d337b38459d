"""Boundaries and obstacles: what happens at edges and surfaces, and who is seen across them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.simulation.obstacles import OBSTACLES
from boidsgen.simulation.world import BOUNDARIES
from tests.obstacles import DEEP_EXAMPLES, EXAMPLES
from tests.simulation import stages
from tests.simulation.stages import SIZE, places, world


@pytest.mark.parametrize("kind", BOUNDARIES)
def test_nothing_happens_inside(kind):
    """Away from the edges no boundary changes a position or a velocity."""
    position, velocity = places() * 0.9 + 2, np.ones((400, 2))
    if kind == "ball":  # beyond which the corners are
        position = position[np.hypot(*(position - np.array(SIZE) / 2).T) < min(SIZE) / 2]
        velocity = velocity[: len(position)]
        assert len(position) > 50

    new_position, new_velocity = world(kind).boundary.confine(position, velocity, np.array(SIZE))

    np.testing.assert_array_equal(new_position, position)
    np.testing.assert_array_equal(new_velocity, velocity)


@pytest.mark.parametrize("kind", ["torus", "reflect"])
@given(place=st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)))
def test_closed_worlds_keep_boids_inside(kind, place):
    """However far a step leads, it ends inside a torus or between walls."""
    position, _ = world(kind).boundary.confine(np.array([place]), np.ones((1, 2)), np.array(SIZE))

    assert (position >= 0).all()
    assert (position <= SIZE).all()


@given(place=st.floats(-1e-300, 0))
def test_torus_has_no_far_edge(place):
    """The far edge of a torus is the near one: no coordinate ever equals the size."""
    position, _ = world("torus").boundary.confine(np.full((1, 2), place), np.ones((1, 2)), np.array(SIZE))

    assert (position < SIZE).all()


def test_reflect_mirrors_and_turns():
    """A wall mirrors what is beyond it, turns the velocity into it and keeps the given part of it."""
    walls = world("reflect", restitution=0.5)

    position, velocity = walls.boundary.confine(np.array([[103.0, 20.0]]), np.array([[4.0, -6.0]]), np.array(SIZE))

    np.testing.assert_allclose(position, [[97.0, 20.0]])
    np.testing.assert_allclose(velocity, [[-2.0, -6.0]])


@pytest.mark.parametrize("boundary", ["teleport", "wrap"])
def test_nobody_is_seen_across_these_edges(boundary):
    """Two boids on either side of an edge are neighbors on a torus, and not here."""
    position = [[1.0, 50.0], [99.0, 50.0]]
    flock = {"separation": {"weight": 1.0, "steering": "direct", "falloff": "constant"}}

    here, torus = (
        stages.given([(flock, position, np.zeros((2, 2)))], boundary=kind)["separation"] for kind in (boundary, "torus")
    )

    np.testing.assert_array_equal(here, 0.0)
    np.testing.assert_array_equal(torus, [[1.0, 0.0], [-1.0, 0.0]])


def obstacle(kind, **keys):
    return OBSTACLES[kind].model_validate({**EXAMPLES[kind], **keys})


def test_every_obstacle_has_examples():
    """A new obstacle is tested as soon as it has its examples."""
    assert set(EXAMPLES) == set(OBSTACLES)
    assert set(DEEP_EXAMPLES) == {kind for kind, obstacle in OBSTACLES.items() if 3 in obstacle.dimensions}


@pytest.mark.parametrize("kind", OBSTACLES)
@pytest.mark.parametrize("edges", ["open", "torus"])
def test_surface_is_a_distance(kind, edges):
    """Going the gap inward from outside, or outward from inside, ends on the surface; the direction has length 1."""
    shape, here = obstacle(kind), world(edges)
    position = places()

    gap, outward = shape.surface(position, here)
    on_surface, _ = shape.surface(position - outward * gap[:, None], here)

    np.testing.assert_allclose(np.linalg.norm(outward, axis=1), 1)
    np.testing.assert_allclose(on_surface, 0, atol=1e-9)
    assert (gap < 0).any()
    assert (gap > 0).any()


def test_a_wall_that_is_longer_than_half_of_a_torus_is_there_along_all_of_it():
    """Where it fits into the world with the way to it, it is as far away as the nearest of its images."""
    wall, position = obstacle("segment", start=(4.0, 25.0), end=(92.0, 35.0)), places()

    gap, _ = wall.surface(position, world("torus"))
    images = [wall.surface(position + np.array([turn, 0.0]), world("open"))[0] for turn in (-SIZE[0], 0.0, SIZE[0])]

    near = np.min(images, axis=0) < (SIZE[0] - 88.0) / 2 - wall.radius
    np.testing.assert_allclose(gap[near], np.min(images, axis=0)[near], atol=1e-9)


@pytest.mark.parametrize("kind", OBSTACLES)
def test_solid_obstacles_keep_boids_out(kind):
    """After a solid obstacle has had its say nobody is inside it or flies into it."""
    shape, here = obstacle(kind), world("open")
    position, velocity = places(), np.random.default_rng(1).normal(size=(400, 2))

    out, slid = shape.keep_out(position, velocity, here)
    inside = shape.surface(position, here)[0] < 0

    assert (shape.surface(out, here)[0] > -1e-9).all()
    np.testing.assert_array_equal(out[~inside], position[~inside])
    np.testing.assert_array_equal(slid[~inside], velocity[~inside])
    outward = shape.surface(position, here)[1]
    assert ((slid * outward).sum(axis=1)[inside] >= -1e-9).all()


@pytest.mark.parametrize("kind", OBSTACLES)
def test_ghostly_obstacles_let_boids_through(kind):
    """An obstacle that is not solid moves nobody."""
    position, velocity = places(), np.ones((400, 2))

    out, same = obstacle(kind, solid=False).keep_out(position, velocity, world("open"))

    assert out is position
    assert same is velocity


@pytest.mark.parametrize("kind", OBSTACLES)
def test_push_is_outward_within_the_margin_only(kind):
    """Obstacles push straight out, the harder the nearer, and not at all beyond their margin."""
    shape, here = obstacle(kind, margin=8.0, weight=3.0), world("open")
    position = places()

    push = shape.push(position, here)
    gap, outward = shape.surface(position, here)
    size = (push * outward).sum(axis=1)

    np.testing.assert_allclose(push, outward * size[:, None], atol=1e-9)
    np.testing.assert_array_equal(size[gap >= 8.0], 0)
    order = np.argsort(gap)
    assert (np.diff(size[order]) <= 1e-9).all()
    assert np.isfinite(push).all()


def test_ellipse_is_as_far_as_its_nearest_point():
    """The gap of an ellipse is the distance to the nearest of many points round it, also on its axes and at its center.

    The points are a thousandth of a degree apart, which leaves an error of less than a billionth of the distance.
    """
    turn = np.radians(np.linspace(0, 360, 360_001))
    rim = np.column_stack((22 * np.cos(turn), 9 * np.sin(turn)))
    place = np.vstack((places(60), [(50, 30), (55, 30), (50, 36), (71.9, 30), (50, 50)]))
    offset = place - (50.0, 30.0)

    gap, outward = obstacle("ellipse").surface(place, world("open"))
    nearest = [np.sqrt(((rim - here) ** 2).sum(axis=1).min()) for here in offset]

    np.testing.assert_allclose(np.abs(gap), nearest, atol=1e-6)
    np.testing.assert_array_equal(gap < 0, ((offset / (22, 9)) ** 2).sum(axis=1) < 1)
    np.testing.assert_allclose(outward[-1], [0, 1], atol=1e-9)


@pytest.mark.parametrize("size", [SIZE, (100.0, 60.0, 80.0)])
def test_ellipse_with_equal_radii_is_a_circle(size):
    """An ellipse of equal radii has the surface of a circle, in any number of dimensions."""
    here, center = world("torus", size), tuple(side / 2 for side in size)
    round_one = OBSTACLES["circle"].model_validate({"center": center, "radius": 12.0})
    equal = OBSTACLES["ellipse"].model_validate({"center": center, "radii": (12.0,) * len(size)})

    for one, other in zip(
        round_one.surface(places(size=size), here), equal.surface(places(size=size), here), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_who_sits_in_the_very_middle_gets_out():
    """A boid in the exact center of a circle is put on its surface."""
    out, _ = obstacle("circle").keep_out(np.array([[50.0, 30.0]]), np.zeros((1, 2)), world("open"))

    np.testing.assert_allclose(out, [[60.0, 30.0]])
