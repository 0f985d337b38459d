"""How large things are: to be read on a screen, at half the size of a small picture, and from the back row."""

import numpy as np
import pytest
from PIL import Image

from boidsgen.drawing import Renderer
from boidsgen.drawing.look import BODY, CROWDED, LECTURE, Style
from boidsgen.drawing.text import letter_height
from boidsgen.drawing.themes import THEMES, contrast
from tests.drawing.drawables import drawable

FLAT = [name for name, theme in THEMES.items() if not theme.light]


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (3840, 2160), (1080, 1920)])
def test_text_and_boids_are_parts_of_the_picture(size):
    """Text takes 0.030 of the smaller side and a boid 0.026, in pictures of all usual sizes."""
    assert letter_height(size) == round(0.030 * min(size))
    assert Style().length(size, 10) == pytest.approx(BODY * min(size))


@pytest.mark.parametrize("count", [2000, 8000])
def test_boids_have_room(count):
    """A boid is not longer than a part of the room that there is for each."""
    assert Style().length((1280, 720), count) == pytest.approx(CROWDED * np.sqrt(1280 * 720 / count))


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


@pytest.mark.parametrize(
    ("look", "boids"), [({"title": "Flock"}, []), ({}, [(30, 30)]), ({"overlay": {"axes": True}}, [])]
)
def test_lecture_shows_more_of_everything(setup, picture, look, boids):
    """More pixels of text, of boids and of lines."""
    one, more = (
        np.count_nonzero(picture(setup(), boids, look | {"style": {"scale": scale}}, (640, 360)))
        for scale in ("screen", "lecture")
    )

    assert more > 1.4 * one


@pytest.mark.parametrize("theme", FLAT)
def test_words_can_be_read_at_half_the_size(setup, state, theme):
    """Of a picture of 640 by 360, shown at half its size, the strokes of title, caption and numbers stand out."""
    look = {"title": "Illness", "style": {"theme": theme}, "overlay": {"caption": "Illness", "hud": True}}
    tables = setup(world={"size": (640.0, 360.0)})
    draw = Renderer(drawable(tables, look), (640, 360))
    frame = draw(state(tables, []))
    half = np.asarray(Image.fromarray(frame.palette[frame.index]).reduce(2))

    for part in (half[:18, :60], half[130:166, 120:200], half[166:, 20:60]):
        pixels = {tuple(color) for color in part.reshape(-1, 3).tolist()}
        strongest = max(contrast("#" + bytes(color).hex(), THEMES[theme].background) for color in pixels)
        assert strongest >= 4.0
