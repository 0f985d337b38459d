"""A camera that is moved by events."""

import numpy as np
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.drawing import Renderer

GIVEN = {
    "world.size": [60, 60, 60],
    "time.frames": 41,
    "flock.count": 3,
    "camera.azimuth": 10,
    "camera.center": [30, 30, 30],
    "output.size": [200, 120],
    "overlay.axes": False,
}

MOVES = [("azimuth", 100.0), ("elevation", 80.0), ("zoom", 2.0)]


def moved(key, value, over=20):
    """A scenario whose camera goes somewhere from frame 10 on."""
    return load_scenario("quickstart", GIVEN | {"events": [{"at": 10, "over": over, "set": {f"camera.{key}": value}}]})


@pytest.mark.parametrize(("key", "value"), MOVES)
def test_camera_goes_gently_where_it_is_told(key, value):
    """Before the event the camera is where it was, after it where it was told to be; half-way it is fastest."""
    scenario = moved(key, value)
    begun = getattr(scenario.camera, key)
    way = np.array([getattr(state.setup.camera, key) for state in simulate(scenario)])
    steps = np.diff(way)

    assert set(way[:11]) == {begun}
    assert set(way[30:]) == {value}
    assert way[20] == pytest.approx((begun + value) / 2)
    assert np.abs(steps).argmax() in {19, 20}
    assert abs(steps[10]) < 0.2 * np.abs(steps).max()


@pytest.mark.parametrize(
    ("key", "value"), [("azimuth", 100.0), ("elevation", 80.0), ("zoom", 2.0), ("center", [9, 9, 9])]
)
def test_pictures_are_those_of_a_camera_that_stood_there(key, value):
    """After the move every picture is the one that a camera would have made that had been there all the time."""
    scenario = moved(key, value)
    there = load_scenario("quickstart", GIVEN | {f"camera.{key}": value})
    pictures = [_pictures(one) for one in (scenario, there)]

    assert np.array_equal(pictures[0][-1], pictures[1][-1])
    assert not np.array_equal(pictures[0][9], pictures[1][9])


def _pictures(scenario):
    draw = Renderer(scenario, (200, 120))
    return [draw(state).index for state in simulate(scenario)]
