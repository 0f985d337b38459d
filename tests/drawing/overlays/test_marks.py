"""Marks in the world."""

import numpy as np
import pytest

from boidsgen.simulation.population import only

OPEN = {"size": (120.0, 80.0), "boundary": {"kind": "open"}}


def test_middle_of_a_flock_across_the_edge(setup, state):
    """On a torus the middle of two boids on either side of an edge is on the edge, not in the middle of the world."""
    place = only(state(setup(), [(118.0, 40.0), (4.0, 40.0)]), 0).center

    np.testing.assert_allclose(place, (1.0, 40.0))


@pytest.mark.parametrize("size", [8.0, 20.0, 60.0])
def test_dot_in_the_middle_is_as_large_as_a_boid(setup, picture, size):
    """The dot covers as many pixels as a boid of shape dot in the same place, in the color of its own."""
    look = {"style": {"shape": "dot", "size": size}}
    boid = picture(setup(world=OPEN), [(60, 40)], look)
    dot = picture(setup(world=OPEN), [(10, 40), (110, 40)], look | {"overlay": {"center_of_mass": "dot"}})[:, 45:75]

    assert np.count_nonzero(dot) == pytest.approx(np.count_nonzero(boid), rel=0.15, abs=4)
