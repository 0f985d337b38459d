"""Leaders and formations, against plain definitions."""

import numpy as np
import pytest

from tests.simulation import plain
from tests.simulation.stages import WORLDS, arrival, given, offset, scattered


@pytest.mark.parametrize("world", WORLDS)
def test_follow_leader(world):
    """Followers arrive behind the leader at its pace; those close in front make way to the side."""
    position, velocity = scattered(60, world[1])
    position[1] = position[0] + velocity[0] * 4 + 0.5
    flock = {"follow_leader": {"behind": 15.0, "slowing": 20.0}}

    follow = given([(flock, position, velocity)], size=world[1], boundary=world[0])["follow_leader"]

    np.testing.assert_allclose(follow[0], 0, atol=1e-12)
    made_way = 0
    for i in range(1, 60):
        expected, aside = follower(position[i], velocity[i], position[0], velocity[0], world)
        made_way += aside
        np.testing.assert_allclose(follow[i], expected, atol=1e-9)
    assert made_way


def follower(position, velocity, leader, pace, world):
    """The steering of a follower, and whether it was in the leader's way."""
    way = offset(position, leader, world)
    heading = pace / plain.norm(pace)
    ahead = -sum(heading * way)
    across = -way - heading * ahead
    in_the_way = ahead > plain.norm(across) and plain.norm(way) < 15
    place = across / plain.norm(across) * 15 if in_the_way else offset(position, position + way - 15 * heading, world)
    return arrival(place, pace, velocity, 20.0), in_the_way


def test_follow_another_flock():
    """Each boid follows the nearest member of the leading flock, whichever other flocks there are."""
    rule = {"follow_leader": {"flock": "kings", "behind": 10.0, "steering": "direct"}, "max_force": np.inf}
    rule["follow_leader"]["slowing"] = 50.0
    me = (rule, [[50, 50], [10, 80]], [[0, 0], [0, 0]])
    kings = ({"name": "kings"}, [[70, 50], [10, 90]], [[1, 0], [0, 1]])
    others = ({"name": "others"}, [[51, 50]], [[3, 0]])

    follow = given([me, others, kings])["follow_leader"]

    np.testing.assert_allclose(follow, [[1 + 4 * 10 / 50, 0], [0, 1]], atol=1e-12)


def test_nobody_to_follow():
    """Without a leader a boid goes on as it is."""
    rule = {"follow_leader": {"flock": "kings"}}

    alone = given([(rule, [[50, 50]], [[1, 2]])])["follow_leader"]
    extinct = given([(rule, [[50, 50]], [[1, 2]]), ({"name": "kings"}, np.empty((0, 2)), np.empty((0, 2)))])
    nobody = given([({"follow_leader": {}}, np.empty((0, 2)), np.empty((0, 2)))])["follow_leader"]

    np.testing.assert_allclose(alone, 0, atol=1e-12)
    np.testing.assert_allclose(extinct["follow_leader"], 0, atol=1e-12)
    assert nobody.shape == (0, 2)


@pytest.mark.parametrize("shape", ["v", "line"])
@pytest.mark.parametrize("angle", [None, 0.0, 90.0, 180.0])
def test_formation_slots(shape, angle):
    """Boids that sit in their slots and fly as the leader does are not steered; the slots are where they should be."""
    heading = np.array([3.0, 4.0]) / 5
    left = np.array([-4.0, 3.0]) / 5
    usual = np.radians({"v": 70.0, "line": 0.0}[shape] if angle is None else angle)
    slots = [np.zeros(2)]
    for i in range(1, 6):
        if shape == "line":
            slots.append(10 * i * (-np.cos(usual) * heading + np.sin(usual) * left))
        else:
            side = 1 if i % 2 else -1
            slots.append(10 * ((i + 1) // 2) * (-np.cos(usual / 2) * heading + side * np.sin(usual / 2) * left))
    rule = {"shape": shape, "spacing": 10.0, **({} if angle is None else {"angle": angle})}
    position, velocity = 95.0 + np.array(slots), np.tile(2 * heading, (6, 1))

    formed = given([({"formation": rule}, position % 100, velocity)], boundary="torus")["formation"]

    np.testing.assert_allclose(formed, 0, atol=1e-9)


def test_formation_in_depth_lies_in_the_plane_of_heading_and_horizontal():
    """In 3D the arms of a V stretch back along the heading and out horizontally; straight up it is along y."""
    size = (100.0, 100.0, 100.0)
    rule = {"formation": {"spacing": 10.0, "angle": 90.0}}
    for pace, back, left in (
        ((1.0, 0.0, 1.0), np.array([-1, 0, -1]) / 2, np.array([0, 1, 0]) / np.sqrt(2)),
        ((0.0, 0.0, 2.0), np.array([0, 0, -1]) / np.sqrt(2), np.array([0, 1, 0]) / np.sqrt(2)),
    ):
        position = 50 + 10 * np.array([np.zeros(3), back + left, back - left])

        formed = given([(rule, position, [pace] * 3)], size=size)["formation"]

        np.testing.assert_allclose(formed, 0, atol=1e-9)
