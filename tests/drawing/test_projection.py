import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.drawing.camera import Camera, Viewport
from boidsgen.simulation.figures import corners
from boidsgen.simulation.world import World

SIDE = st.floats(1, 1000)
ANGLE = st.floats(-360, 360)
TILT = st.floats(-90, 90)
KIND = st.sampled_from(["perspective", "orthographic"])
PICTURE = Viewport(20, 10, 600, 340)


def view(size, viewport=PICTURE, boundary="open", **camera):
    return Camera.model_validate(camera).aim(World(size=size, boundary={"kind": boundary}), viewport)


def seen(size, points, frame=0, **camera):
    return view(size, **camera).projection(frame)(np.array(points, dtype=float))


def within(xy, viewport=PICTURE):
    low = np.array(viewport[:2])
    return bool(((xy >= low - 0.1) & (xy <= low + np.array(viewport[2:]) + 0.1)).all())


@given(st.tuples(SIDE, SIDE, SIDE), ANGLE, TILT, KIND)
def test_whole_world_is_in_the_picture(size, azimuth, elevation, kind):
    """From every side and height every corner of the world is seen."""
    shown = seen(size, corners(np.zeros(3), np.array(size)), azimuth=azimuth, elevation=elevation, projection=kind)

    assert within(shown.xy)
    assert shown.shown.all()


@given(st.tuples(SIDE, SIDE, SIDE), ANGLE, TILT, KIND, st.integers(0, 1000))
def test_whole_world_is_in_the_picture_all_round(size, azimuth, elevation, kind, frame):
    """A camera that goes round cuts nothing off in any frame."""
    camera = {"azimuth": azimuth, "elevation": elevation, "projection": kind, "orbit": 1.7}
    shown = seen(size, corners(np.zeros(3), np.array(size)), frame, **camera)

    assert within(shown.xy)


@given(st.tuples(SIDE, SIDE), st.booleans())
def test_whole_flat_world_is_in_the_picture(size, looking):
    """A flat world fills the picture in one direction, and the camera's angles do not matter to it."""
    camera = {"azimuth": 33.0, "elevation": 80.0, "orbit": 5.0} if looking else {}
    xy = seen(size, corners(np.zeros(2), np.array(size)), 3, **camera).xy

    assert within(xy)
    assert np.isclose((np.ptp(xy, axis=0) / PICTURE[2:]).max(), 1)


def test_camera_does_not_jump_while_going_round():
    """The scale and the place of the world's middle are the same in all frames."""
    going = view((100.0, 50.0, 30.0), orbit=3.0)
    middle = np.array([[50.0, 25.0, 15.0]])
    places = [going.projection(frame)(middle) for frame in range(0, 120, 7)]

    assert np.ptp([place.xy for place in places], axis=0).max() < 1e-9
    assert np.ptp([place.scale for place in places]) < 1e-12


def test_up_is_up():
    """Along y in a flat world, and along z in a deep one, places move up in the picture."""
    assert np.diff(seen((100.0, 100.0), [(50, 10), (50, 20)]).xy[:, 1]) < 0
    assert np.diff(seen((100.0, 100.0, 100.0), [(50, 50, 10), (50, 50, 20)]).xy[:, 1]) < 0


def test_nearer_looks_larger():
    """In perspective the nearer of two points has the larger scale and the lesser depth."""
    shown = seen((100.0, 100.0, 100.0), [(50, 0, 50), (50, 50, 50), (50, 100, 50)], azimuth=-90.0, elevation=0.0)

    assert (np.diff(shown.scale) < 0).all()
    assert (np.diff(shown.depth) > 0).all()


def test_parallel_rays_make_everything_equally_large():
    """In an orthographic view near and far have one scale, but still different depths."""
    points = [(50, 0, 50), (50, 100, 50)]
    shown = seen((100.0, 100.0, 100.0), points, azimuth=-90.0, elevation=0.0, projection="orthographic")

    assert shown.scale[0] == shown.scale[1]
    assert shown.depth[0] < shown.depth[1]


def test_zoom_magnifies_about_the_middle():
    """Twice the zoom is twice the distance from the middle of the picture."""
    plain = seen((100.0, 100.0), [(50, 50), (60, 40)]).xy
    large = seen((100.0, 100.0), [(50, 50), (60, 40)], zoom=2.0).xy

    np.testing.assert_allclose(large[0], plain[0])
    np.testing.assert_allclose(large[1] - large[0], 2 * (plain[1] - plain[0]))


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
    """Who flies toward the camera is seen from the front; who flies across is seen at full length."""
    deep = view((100.0, 100.0, 100.0), azimuth=-90.0, elevation=0.0).projection(0)
    _, apparent = flown(deep, np.full((2, 3), 50.0), np.array([(0.0, -1.0, 0.0), (1.0, 0.0, 0.0)]))

    np.testing.assert_allclose(apparent, [0.0, 1.0], atol=1e-9)


def test_who_stands_still_has_a_heading():
    """A velocity of zero gives a number, at full length."""
    heading, apparent = flown(view((100.0, 100.0)).projection(0), np.zeros((1, 2)), np.zeros((1, 2)))

    assert np.isfinite(heading).all()
    assert apparent == 1.0


@pytest.mark.parametrize(
    ("size", "viewport", "boundary", "period"),
    [
        ((60.0, 34.0), Viewport(0, 0, 600, 340), "torus", (600, 340)),
        ((60.0, 34.0), Viewport(0, 0, 600, 340), "reflect", (0, 0)),
        ((60.0, 60.0), Viewport(0, 0, 600, 340), "torus", (0, 0)),
        ((60.0, 34.0, 20.0), Viewport(0, 0, 600, 340), "torus", (0, 0)),
    ],
)
def test_picture_repeats_where_it_is_the_world(size, viewport, boundary, period):
    """Only a flat world without edges that fills the picture exactly goes on beyond the picture's edges."""
    np.testing.assert_allclose(view(size, viewport, boundary).projection(0).period, period)
