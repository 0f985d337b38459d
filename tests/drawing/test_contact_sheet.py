"""Contact sheets: their layout and colors, and the arrangement of the runs of a sweep."""

import numpy as np
import pytest

from boidsgen.drawing.contact_sheet import Headings, automatic_columns, lay_out, page_inks, shared_palette
from boidsgen.drawing.text import letter_height
from boidsgen.drawing.themes import MIN_CONTRAST, THEMES, contrast


@pytest.mark.parametrize(
    ("count", "cell", "columns"),
    [(1, (400, 400), 1), (3, (400, 400), 3), (4, (400, 400), 2), (6, (400, 400), 3), (4, (640, 360), 2)],
)
def test_grids_suit_a_screen(count, cell, columns):
    """A grid has few holes and is about as wide as a screen."""
    assert automatic_columns(count, cell) == columns


def test_nothing_overlaps_and_nothing_is_cut_off():
    """Tiles do not touch each other, all lie within the picture, and so does all writing."""
    headings = Headings("A title", columns=("short", "a heading of more than one line"), rows=("first", "second row"))
    layout = lay_out([(80, 60), (70, 50), (80, 60)], headings, columns=2, sides=2)
    covered = np.zeros(layout.size[::-1], int)

    for (left, top), (width, height) in zip(layout.corners, layout.tiles, strict=True):
        assert min(left, top) >= 1
        covered[top - 1 : top + height + 1, left - 1 : left + width + 1] += 1
    assert covered.max() == 1
    assert covered.sum() == sum((width + 2) * (height + 2) for width, height in layout.tiles)
    for text in layout.texts:
        assert 0 <= text.xy[0] <= layout.size[0]
        assert 0 <= text.xy[1] <= layout.size[1]


@pytest.mark.parametrize("tile", [(400, 400), (1280, 720), (720, 1280)])
def test_labels_are_about_as_large_as_the_letters_of_their_tiles(tile):
    """What stands above a tile, wide or tall, is no more than half as large again as what is written in it."""
    layout = lay_out([tile] * 3, Headings(labels=["frame 0", "frame 100", "frame 240"]), columns=3, sides=2)

    assert max(text.size for text in layout.texts) <= 1.5 * letter_height(tile)


@pytest.mark.parametrize("theme", THEMES)
def test_the_ground_round_tiles_is_that_of_their_pictures(theme):
    """Texts are easy to read on it, also where the letters of the pictures have a plate of their own."""
    inks = page_inks(THEMES[theme])
    ground, text = ("#" + color.tobytes().hex() for color in (inks.colors[0], inks.colors[-1]))

    assert ground == THEMES[theme].background
    assert contrast(text, ground) >= MIN_CONTRAST["text"]


def test_few_colors_are_all_kept():
    """As long as there is room, no color changes."""
    random = np.random.default_rng(1)
    palettes = [random.integers(0, 256, (number, 3)).astype(np.uint8) for number in (100, 80, 60)]

    palette, entries = shared_palette(palettes)

    assert len(palette) <= 255
    for before, entry in zip(palettes, entries, strict=True):
        assert np.array_equal(palette[entry], before)


def test_many_colors_move_little():
    """Beyond 255 colors backgrounds stay exact, and no step of a ramp moves by more than about one step."""
    inks = np.random.default_rng(2).integers(0, 256, (5, 12, 3))
    levels = np.linspace(0, 1, 22)[:, None, None]
    palettes = [
        (levels * ink + (1 - levels) * 10 * number).round().reshape(-1, 3).astype(np.uint8)[11:]
        for number, ink in enumerate(inks)
    ]

    palette, entries = shared_palette(palettes)

    assert len(palette) == 255
    for before, entry in zip(palettes, entries, strict=True):
        assert np.array_equal(palette[entry[0]], before[0])
        assert np.abs(palette[entry].astype(int) - before).max() < 32
