"""What a camera shows of the world."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.drawing.layout import Viewport
from boidsgen.simulation.geometry import corners
from tests.drawing.aiming import PICTURE, seen, view

SIDE = st.floats(1, 1000)


ANGLE = st.floats(-360, 360).filter(lambda angle: angle == 0 or abs(angle) > 1e-50)


TILT = st.floats(-90, 90).filter(lambda angle: angle == 0 or abs(angle) > 1e-50)


KIND = st.sampled_from(["perspective", "orthographic"])


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
