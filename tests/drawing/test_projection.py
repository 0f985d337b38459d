"""Where points of the world are seen, and which way those fly that are there."""

import numpy as np
import pytest

from tests.drawing.aiming import seen, view


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
