"""Following a path, against plain definitions."""

import numpy as np
import pytest

from boidsgen.simulation import Setup, simulate
from tests.simulation.stages import OFF, given

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


@pytest.mark.parametrize("size", [(100.0, 100.0), (100.0, 100.0, 100.0)])
def test_flocks_stay_on_their_path(size):
    """After a while all boids fly in the corridor of a ring, and all the same way round."""
    depth = (50.0,) * (len(size) - 2)
    corners = (
        (50.0, 15.0),
        (75.0, 25.0),
        (85.0, 50.0),
        (75.0, 75.0),
        (50.0, 85.0),
        (25.0, 75.0),
        (15.0, 50.0),
        (25.0, 25.0),
    )
    path = {"points": tuple((*corner, *depth) for corner in corners), "closed": True, "radius": 8.0, "lead": 5.0}
    flock = {"count": 20, **OFF, "max_speed": 1.0, "max_force": 0.1, "follow_path": path}
    states = list(simulate(Setup.model_validate({"world": {"size": size}, "flock": flock, "time": {"frames": 400}})))

    position, velocity = states[-1].flocks[0].position, states[-1].flocks[0].velocity
    arm = position - 50
    assert np.abs(np.linalg.norm(arm[:, :2], axis=1) - 34).max() < 13
    assert (arm[:, 0] * velocity[:, 1] - arm[:, 1] * velocity[:, 0] > 0).all()
