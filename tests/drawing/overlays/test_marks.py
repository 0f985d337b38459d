"""Marks in the world."""

import numpy as np

from boidsgen.drawing.overlays.marks import middle


def test_middle_of_a_flock_across_the_edge(setup):
    """On a torus the middle of two boids on either side of an edge is on the edge, not in the middle of the world."""
    world = setup().world
    place = middle(np.array([(118.0, 40.0), (4.0, 40.0)]), world)

    np.testing.assert_allclose(place, (1.0, 40.0))


def test_attracting_and_repelling_look_different(film):
    """Where boids are drawn near, the arrowheads point inward; where they are driven away, outward."""
    near, away = (film(attractors=({"point": (60.0, 40.0), "weight": weight},))[0] for weight in (1.0, -1.0))
    reach = [np.ptp(np.argwhere(drawn)[:, 1]) for drawn in (near, away)]
    at_the_end = [np.count_nonzero(drawn[:, np.argwhere(drawn)[:, 1].max() - 1]) for drawn in (near, away)]

    assert abs(reach[0] - reach[1]) <= 2
    assert at_the_end[0] > at_the_end[1]
