"""Boundaries: what happens at the edges, and who is seen across them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.simulation.world import BOUNDARIES, World
from tests.simulation import stages
from tests.simulation.stages import SIZE, places, world


@pytest.mark.parametrize("kind", BOUNDARIES)
def test_nothing_happens_inside(kind):
    """Away from the edges no boundary changes a position or a velocity."""
    position, velocity = places() * 0.9 + 2, np.ones((400, 2))

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


def test_torus_wraps_and_takes_the_short_way():
    """On a torus one leaves right and enters left, and the way across the edge is the short one."""
    torus = world("torus")

    position, velocity = torus.boundary.confine(np.array([[103.0, -5.0]]), np.array([[4.0, -6.0]]), np.array(SIZE))

    np.testing.assert_allclose(position, [[3.0, 55.0]])
    np.testing.assert_allclose(velocity, [[4.0, -6.0]])
    np.testing.assert_allclose(torus.shortest(np.array([[97.0, -31.0]])), [[-3.0, 29.0]])


def test_reflect_mirrors_and_turns():
    """A wall mirrors what is beyond it, turns the velocity into it and keeps the given part of it."""
    walls = world("reflect", restitution=0.5)

    position, velocity = walls.boundary.confine(np.array([[103.0, 20.0]]), np.array([[4.0, -6.0]]), np.array(SIZE))

    np.testing.assert_allclose(position, [[97.0, 20.0]])
    np.testing.assert_allclose(velocity, [[-2.0, -6.0]])


def test_soft_pushes_inward_within_the_margin():
    """The soft push is zero at the margin, half at half of it, full at the wall, more beyond, and points inward."""
    soft = world("soft", margin=20.0, strength=2.0).boundary

    push = soft.push(np.array([[20.0, 30.0], [10.0, 30.0], [0.0, 30.0], [110.0, 30.0]]), np.array(SIZE))

    np.testing.assert_allclose(push, [[0, 0], [1, 0], [2, 0], [-3, 0]], atol=1e-12)


def test_teleport_puts_boids_on_the_opposite_edge():
    """Past an edge, however far, a boid is put exactly on the opposite one; on an edge it stays."""
    world = World.model_validate({"size": (100.0, 60.0), "boundary": "teleport"})

    position, velocity = world.boundary.confine(
        np.array([[-0.5, 20.0], [104.0, -300.0], [100.0, 0.0]]), np.ones((3, 2)), world.extent
    )

    np.testing.assert_array_equal(position, [[100.0, 20.0], [0.0, 60.0], [100.0, 0.0]])
    np.testing.assert_array_equal(velocity, 1.0)


def test_wrap_goes_round_as_a_torus_does():
    """Wrapped boids are where a torus would have them."""
    size = np.array([100.0, 60.0])
    wrap, torus = (World.model_validate({"size": tuple(size), "boundary": kind}) for kind in ("wrap", "torus"))
    position = np.random.default_rng(0).normal(0, 300, (200, 2))

    wrapped, _ = wrap.boundary.confine(position, position, size)

    np.testing.assert_array_equal(wrapped, torus.boundary.confine(position, position, size)[0])


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
