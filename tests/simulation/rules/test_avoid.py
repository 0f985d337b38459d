"""Looking ahead for obstacles."""

import numpy as np
import pytest

from boidsgen.simulation.obstacles import OBSTACLES
from boidsgen.simulation.world import World
from tests.obstacles import EXAMPLES
from tests.simulation import plain
from tests.simulation.stages import given, scattered

OBSTACLE = EXAMPLES | {"segment": {"start": (50.0, 10.0), "end": (50.0, 55.0), "radius": 0.5}}


@pytest.mark.parametrize("kind", OBSTACLES)
@pytest.mark.parametrize("edges", ["open", "torus"])
def test_avoid_looks_ahead(kind, edges):
    """Avoid is zero on a free course, and on a collision course it is sideways, outward, and 1 - t/lead long."""
    size = (100.0, 60.0)
    obstacle = OBSTACLES[kind].model_validate(OBSTACLE[kind])
    world = World.model_validate({"size": size, "boundary": edges})
    position, velocity = scattered(60, size)
    outside = obstacle.surface(position, world)[0] > 3
    position, velocity = position[outside], velocity[outside]
    flock = {"avoid": {"lead": 30.0, "clearance": 3.0}}
    document = {"obstacles": {"kind": kind, **OBSTACLE[kind]}}

    avoid = given([(flock, position, velocity)], size=size, boundary=edges, **document)["avoid"]

    early, late = (
        [first_meeting(obstacle, world, p, v, distance) for p, v in zip(position, velocity, strict=True)]
        for distance in (3.0 + NEAR, 3.0)
    )
    assert sum(time < np.inf for time in late) > 5
    assert sum(time == np.inf for time in early) > 5
    for i in range(len(position)):
        urgency = plain.norm(avoid[i])
        assert abs(avoid[i] @ velocity[i]) < 1e-9
        if early[i] == np.inf:
            assert urgency == 0
        elif late[i] < np.inf:
            assert 1 - late[i] / 30 - 0.001 <= urgency <= 1 - early[i] / 30 + 0.001
            _, outward = obstacle.surface((position[i] + velocity[i] * early[i])[None], world)
            assert avoid[i] @ outward[0] > -1e-9


NEAR = 0.061


def first_meeting(obstacle, world, position, velocity, distance):
    """When within 30 a boid first comes as near as this, found in small steps; inf when it does not."""
    times = np.linspace(0, 30, 30001)
    gap, _ = obstacle.surface(position + velocity * times[:, None], world)
    return times[(gap <= distance).argmax()] if (gap <= distance).any() else np.inf


def test_thin_walls_are_not_overlooked():
    """However fast a boid and thin a wall, it is seen ahead; so is one met head-on, where any side will do."""
    wall = {"kind": "segment", "start": (50.0, 10.0), "end": (50.0, 90.0), "radius": 0.0}
    flock = {"avoid": {"lead": 1000.0, "clearance": 0.0}}

    avoid = given([(flock, [[5.0, 50.0], [95.0, 50.0]], [[40.0, 0.0], [-40.0, 0.0]])], obstacles=wall)["avoid"]

    np.testing.assert_allclose(np.abs(avoid), [[0, 1], [0, 1]], atol=2e-3)


def test_avoid_takes_the_first_obstacle():
    """Of two obstacles ahead the nearer one counts; one that lies behind does not, nor does any for a boid at rest."""
    circles = [
        {"kind": "circle", "center": (x, y), "radius": 5.0} for x, y in ((60.0, 52.0), (80.0, 48.0), (20.0, 50.0))
    ]
    flock = {"avoid": {"lead": 40.0, "clearance": 2.0}}

    avoid = given([(flock, [[40.0, 50.0], [40.0, 50.0]], [[1.0, 0.0], [0.0, 0.0]])], obstacles=tuple(circles))["avoid"]

    way = 20 - np.sqrt(7**2 - 2**2)
    np.testing.assert_allclose(avoid, [[0, -(1 - way / 40)], [0, 0]], atol=0.005)
