"""Trails at edges that lead to the opposite side."""

import numpy as np
import pytest

from boidsgen.drawing.trails import _Piece
from boidsgen.simulation.boundaries import BOUNDARIES
from boidsgen.simulation.world import World


@pytest.mark.parametrize("kind", BOUNDARIES)
def test_no_trail_right_across_the_picture(kind):
    """Where an edge leads to the opposite one, a boid that goes round leaves no line across."""
    world = World.model_validate({"size": (100.0, 100.0), "boundary": kind})
    start, end = np.array([[99.0, 50.0], [10.0, 10.0]]), np.array([[1.0, 50.0], [14.0, 12.0]])

    flown = _Piece(start, end, world).flown

    assert list(flown) == [not world.boundary.leads_round, True]
