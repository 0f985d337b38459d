"""Cameras: the whole world in the picture, flocks that are followed, and moves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen import load_scenario, simulate
from boidsgen.drawing.camera import Camera, Tracker, Viewport
from boidsgen.drawing.renderer import Renderer
from boidsgen.simulation.geometry import corners
from boidsgen.simulation.world import World
from tests.drawing.drawables import drawable

PICTURE = Viewport(20, 10, 600, 340)  # Default viewport of the world


def view(size, viewport=PICTURE, boundary="open", **camera):
    """The viewpoint of a camera, by its keys, on a world of this size."""
    return Camera.model_validate(camera).aim(World(size=size, boundary={"kind": boundary}), viewport)


def seen(size, points, frame=0, **camera):
    """Points of a world of this size, projected in a frame."""
    return view(size, **camera).projection(frame)(np.array(points, dtype=float))


SIDE = st.floats(1, 1000)
ANGLE = st.floats(-360, 360).filter(lambda angle: angle == 0 or abs(angle) > 1e-50)
TILT = st.floats(-90, 90).filter(lambda angle: angle == 0 or abs(angle) > 1e-50)
KIND = st.sampled_from(["perspective", "orthographic"])


def within(xy, viewport=PICTURE):
    low = np.array(viewport[:2])
    return bool(((xy >= low - 0.1) & (xy <= low + np.array(viewport[2:]) + 0.1)).all())


@given(st.tuples(SIDE, SIDE, SIDE), ANGLE, TILT, KIND, st.sampled_from([0.0, 1.7]), st.integers(0, 1000))
def test_whole_world_is_in_the_picture(size, azimuth, elevation, kind, orbit, frame):
    """From every side and height, and in every frame of a camera that goes round, every corner of the world is seen."""
    camera = {"azimuth": azimuth, "elevation": elevation, "projection": kind, "orbit": orbit}
    shown = seen(size, corners(np.zeros(3), np.array(size)), frame, **camera)

    assert within(shown.xy)
    assert shown.shown.all()


@given(st.tuples(SIDE, SIDE), st.booleans())
def test_whole_flat_world_is_in_the_picture(size, looking):
    """A flat world fills the picture in one direction, and the camera's angles do not matter to it."""
    camera = {"azimuth": 33.0, "elevation": 80.0, "orbit": 5.0} if looking else {}
    xy = seen(size, corners(np.zeros(2), np.array(size)), 3, **camera).xy

    assert within(xy)
    assert np.isclose((np.ptp(xy, axis=0) / PICTURE[2:]).max(), 1)


@pytest.mark.parametrize(
    ("size", "viewport", "boundary", "period"),
    [
        ((60.0, 34.0), Viewport(0, 0, 600, 340), "torus", (600, 340)),
        ((60.0, 34.0), Viewport(0, 0, 600, 340), "reflect", (0, 0)),
        ((60.0, 60.0), Viewport(0, 0, 600, 340), "torus", (340, 340)),
        ((60.0, 34.0, 20.0), Viewport(0, 0, 600, 340), "torus", (0, 0)),
    ],
)
def test_picture_repeats_where_the_world_does(size, viewport, boundary, period):
    """Only a flat world without edges goes on beyond one edge where it goes on beyond the opposite one."""
    np.testing.assert_allclose(view(size, viewport, boundary).projection(0).period, period)


def test_behind_the_camera_nothing_is_shown():
    """A boid that left an open world past the camera is not drawn."""
    shown = seen((100.0, 100.0, 100.0), [(50, -1e4, 50), (50, 1e4, 50)], azimuth=-90.0, elevation=0.0)

    assert shown.shown.tolist() == [False, True]


def flown(projection, position, velocity):
    return projection.heading(position, velocity, projection(position))


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.0, -2.5, 3.1])
def test_heading_is_the_angle_of_flight(angle):
    """In a flat world a boid's direction on the screen is its direction in the world, at full length."""
    flat = view((100.0, 100.0)).projection(0)
    heading, apparent = flown(flat, np.array([[50.0, 50.0]]), np.array([[np.cos(angle), np.sin(angle)]]))

    np.testing.assert_allclose(heading, angle, atol=1e-9)
    np.testing.assert_allclose(apparent, 1.0)


def test_flying_at_the_viewer_has_no_length():
    """A boid that flies toward the camera is seen from the front; one that flies across is seen at full length."""
    deep = view((100.0, 100.0, 100.0), azimuth=-90.0, elevation=0.0).projection(0)
    _, apparent = flown(deep, np.full((2, 3), 50.0), np.array([(0.0, -1.0, 0.0), (1.0, 0.0, 0.0)]))

    np.testing.assert_allclose(apparent, [0.0, 1.0], atol=1e-9)


OPEN = {"size": (120.0, 80.0), "boundary": {"kind": "open"}}
DEEP = {"size": (60.0, 40.0, 40.0), "boundary": {"kind": "open"}}
FAR = np.array([1000.0, 0.0])
CLOUD = np.random.default_rng(3).normal(0, 10, (200, 2))
FOLLOWING = {"camera": {"follow": "flock"}}


@pytest.fixture
def boxes(setup, state):
    """Boxes that a tracker shows for these positions, state by state."""

    def made(places, world=OPEN):
        tables = setup(world=world)
        tracker = Tracker(tables.world)
        found = []
        for place in places:
            tracker.note(state(tables, place))
            found.append(tracker.ahead(0.0))
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
    pictures = [filmed(one) for one in (scenario, there)]

    assert np.array_equal(pictures[0][-1], pictures[1][-1])
    assert not np.array_equal(pictures[0][9], pictures[1][9])


def filmed(scenario):
    draw = Renderer(scenario, (200, 120))
    return [draw(state).index for state in simulate(scenario)]
