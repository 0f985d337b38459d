import numpy as np
import pytest

from boidsgen.drawing import Renderer
from boidsgen.drawing.camera import Tracker
from tests.drawing.drawables import drawable

OPEN = {"size": (120.0, 80.0), "boundary": {"kind": "open"}}
DEEP = {"size": (60.0, 40.0, 40.0), "boundary": {"kind": "open"}}
FAR = np.array([1000.0, 0.0])
CLOUD = np.random.default_rng(3).normal(0, 10, (200, 2))
FOLLOWING = {"camera": {"follow": "flock"}}


@pytest.fixture
def boxes(setup, state):
    """What a tracker shows when boids are where it is told, state by state."""

    def made(places, world=OPEN):
        tables = setup(world=world)
        tracker = Tracker(tables.world)
        found = []
        for place in places:
            tracker.note(state(tables, place))
            found.append(tracker.box)
        return found

    return made


def test_first_box_holds_the_flock(boxes):
    """The first state is framed at once, with at least four in five boids and with little room to spare."""
    (box,) = boxes([CLOUD + FAR])
    half = box.size * np.array((120, 80)) / 2
    inside = (abs(CLOUD + FAR - box.center) < half).all(axis=1)

    assert 0.8 < inside.mean() <= 1
    assert (np.ptp(CLOUD, axis=0) > half).any()


def test_steady_flight_is_followed_without_lag(boxes):
    """A flock that flies straight on, however fast, is soon in the middle and stays there."""
    flight = np.arange(80)[:, None] * np.array((25.0, -10.0))
    found = boxes([CLOUD + way for way in flight])
    (still,) = boxes([CLOUD])

    off = [box.center - way - still.center for box, way in zip(found, flight, strict=True)]
    assert np.abs(off[-1]).max() < 0.1
    assert max(np.hypot(*one) for one in off) < 8 * np.hypot(25, 10)


@pytest.mark.parametrize("world", [OPEN, DEEP])
def test_flock_that_flies_away_stays_in_the_picture(setup, state, world):
    """Far outside the world there are as many boids to be seen as at the start; without following there are none."""
    tables = setup(world=world, time={"frames": 100})
    cloud = np.random.default_rng(4).uniform(0.2, 0.8, (60, len(world["size"]))) * world["size"]
    for look, few in ((FOLLOWING, 100), ({}, 0)):
        renderer = Renderer(drawable(tables, {**look, "overlay": {"axes": False}}), (240, 160))
        seen = [
            np.count_nonzero(renderer(state(tables, cloud + 9.0 * frame, frame=frame)).index) for frame in range(100)
        ]

        assert seen[0] > 100
        assert seen[-1] > few if few else seen[-1] == 0
