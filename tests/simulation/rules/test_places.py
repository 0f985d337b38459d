"""Rules about places, against plain definitions."""

import numpy as np
import pytest

from tests.simulation import plain
from tests.simulation.stages import WORLDS, arrival, given, offset, scattered


@pytest.mark.parametrize("world", WORLDS)
def test_seek(world):
    """Seek steers at full speed toward its point, by the shortest way."""
    position, velocity = scattered(30, world[1])
    point = tuple(0.1 * side for side in world[1])

    seek = given([({"seek": {"weight": 1.5, "point": point}}, position, velocity)], size=world[1], boundary=world[0])

    for i in range(30):
        expected = plain.reynolds(offset(position[i], point, world), velocity[i], 4.0, 0.2)
        np.testing.assert_allclose(seek["seek"][i], 1.5 * np.array(expected), atol=1e-12)


@pytest.mark.parametrize("world", WORLDS)
def test_arrive(world):
    """Arrive wants full speed from afar and, within slowing, a speed proportional to the distance."""
    position, velocity = scattered(30, world[1])
    point = tuple(0.1 * side for side in world[1])
    flock = {"arrive": {"weight": 1.5, "point": point, "slowing": 20.0}}

    arrive = given([(flock, position, velocity)], size=world[1], boundary=world[0])["arrive"]

    for i in range(30):
        expected = arrival(offset(position[i], point, world), 0.0, velocity[i], 20.0)
        np.testing.assert_allclose(arrive[i], 1.5 * np.array(expected), atol=1e-12)


@pytest.mark.parametrize("bound", [0.05, 0.5, np.inf])
def test_arriving_rules_may_have_a_force_of_their_own(bound):
    """The largest force of the rule itself goes before that of the flock, whether smaller or larger."""
    flock = {"arrive": {"point": (90.0, 50.0), "max_force": bound}, "max_force": 0.2}

    arrive = given([(flock, [[10.0, 50.0]], [[0.0, 0.0]])])["arrive"]

    np.testing.assert_allclose(arrive, [[min(4.0, bound), 0.0]])
