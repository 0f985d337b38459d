"""Marks in the world."""

import numpy as np

from boidsgen.simulation.profiles import only


def test_middle_of_a_flock_across_the_edge(setup, state):
    """On a torus the middle of two boids on either side of an edge is on the edge, not in the middle of the world."""
    place = only(state(setup(), [(118.0, 40.0), (4.0, 40.0)]), 0).center

    np.testing.assert_allclose(place, (1.0, 40.0))
