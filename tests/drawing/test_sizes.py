"""How large things are: to be read on a screen, at half the size of a small picture, and from the back row."""

import pytest

from boidsgen.drawing.look import BODY, LECTURE, Style
from boidsgen.drawing.text import letter_height


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (3840, 2160), (1080, 1920)])
def test_text_and_boids_are_parts_of_the_picture(size):
    """Text takes 0.030 of the smaller side and a boid 0.026, in pictures of all usual sizes."""
    assert letter_height(size) == round(0.030 * min(size))
    assert Style().length(size, 10) == pytest.approx(BODY * min(size))


def test_small_pictures_have_larger_letters():
    """At 360 lines letters are as high as can be read at half the size, and never lower than ten pixels."""
    assert letter_height((640, 360)) == 13
    assert letter_height((96, 64)) == 10


def test_lecture_is_larger_in_all_that_must_be_seen():
    """Text, boids, whatever their size, and lines."""
    usual, lecture = Style(), Style(scale="lecture")

    assert letter_height((1280, 720), lecture.enlarged) >= 0.045 * 720
    assert lecture.length((1280, 720), 100) == pytest.approx(LECTURE * usual.length((1280, 720), 100))
    assert Style(scale="lecture", size=9.0).length((1280, 720), 100) == pytest.approx(LECTURE * 9.0)
    assert lecture.pen((1280, 720)) == pytest.approx(LECTURE * usual.pen((1280, 720)))
