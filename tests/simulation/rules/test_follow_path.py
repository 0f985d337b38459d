"""Following a path, against plain definitions."""

import numpy as np
import pytest

from tests.simulation.stages import given

CORRIDOR = {"points": ((20.0, 50.0), (80.0, 50.0), (80.0, 90.0)), "radius": 5.0, "lead": 2.0, "steering": "direct"}


@pytest.mark.parametrize(
    ("position", "velocity", "expected"),
    [
        ((40, 48), (1, 0), (0, 0)),  # in the corridor, the right way
        ((40, 48), (0, 1), (5, 2)),  # straight across is not along: turn
        ((40, 48), (-1, 0), (3, 2)),  # the wrong way: turn to 43, the nearest point to 38 and 5 along
        ((40, 48), (0, 0), (5, 2)),  # at rest: set off
        ((40, 70), (1, 0), (7, -20)),  # outside: back to the corridor
        ((76, 51), (2, 0), (4, 5)),  # will be past the corner: turn into the next leg
        ((74, 44), (2, 0), (6, 9)),  # will be outside at 78: round the corner to (80, 53)
        ((80, 92), (0, 3), (0, -2)),  # beyond the end: back to it
        ((10, 50), (1, 0), (15, 0)),  # before the start: to 5 beyond it
    ],
)
def test_follow_path(position, velocity, expected):
    """Who will be in the corridor and flies along it goes on; everyone else seeks a point a little further along."""
    follow = given([({"follow_path": CORRIDOR}, [position], [velocity])])["follow_path"]

    np.testing.assert_allclose(follow, [expected], atol=1e-9)


def test_closed_paths_have_no_end():
    """A closed path leads from its last point back to its first, and round again."""
    square = {"points": ((20, 20), (80, 20), (80, 80), (20, 80)), "closed": True, "radius": 4.0, "steering": "direct"}
    square["points"] = tuple(tuple(float(c) for c in point) for point in square["points"])

    follow = given([({"follow_path": {**square, "lead": 0.0}}, [[10.0, 22.0]], [[1.0, 0.0]])])["follow_path"]

    np.testing.assert_allclose(follow, [[12.0, -2.0]])


def test_paths_are_near_across_the_edge():
    """On a torus a boid beyond the edge is as near to the path as one on this side."""
    path = {**CORRIDOR, "points": ((5.0, 20.0), (5.0, 80.0)), "lead": 0.0}

    follow = given([({"follow_path": path}, [[90.0, 50.0]], [[1.0, 0.0]])], boundary="torus")["follow_path"]

    np.testing.assert_allclose(follow, [[15.0, 5.0]])
