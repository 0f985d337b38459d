"""Loops without a jump."""

import tracemalloc

import numpy as np
import pytest

from boidsgen.drawing.frame import Frame, Inks
from boidsgen.drawing.quantization import Fading, dissolved, seamless

PALETTE = np.zeros((40, 3), np.uint8)


def plain(number, size=(64, 64)):
    """A picture that holds its number everywhere."""
    return Frame(np.full(size[::-1], number, np.uint8), PALETTE)


def shares(frames, seam):
    """For each picture of the loop, how much of it comes from which picture of the run."""
    loop = seamless((plain(number) for number in range(frames)), frames, seam, dissolved)
    return [dict(enumerate(np.bincount(one.index.reshape(-1), minlength=frames) / one.index.size)) for one in loop]


def test_first_pictures_come_in_evenly():
    """Each of the last pictures has a larger share of one of the first, and the next in the run follows the end."""
    *whole, one, two, three = shares(10, 3)

    assert [max(share, key=share.get) for share in whole] == [3, 4, 5, 6]
    assert all(max(share.values()) == 1 for share in whole)
    for place, share in enumerate((one, two, three)):
        assert share[place] == pytest.approx((place + 1) / 4, abs=0.01)
        assert share[7 + place] == pytest.approx(1 - (place + 1) / 4, abs=0.01)


def test_pixels_never_go_back():
    """Once a pixel has gone over to the beginning it stays there: nothing flickers."""
    loop = list(seamless((plain(number) for number in range(20)), 20, 8, dissolved))
    taken = np.array([one.index < 8 for one in loop[-8:]])

    assert (taken[1:] >= taken[:-1]).all()


def test_inks_fade_and_what_stays_stays():
    """Of two pictures each is seen at its share; where both are alike nothing changes; none of either leaves no ink."""
    inks = Inks("#000000", {"one": "#ffffff"})
    full = int(inks.codes[inks.tone(0) + 255])
    there, empty = (Frame(np.full((1, 1), code, np.uint8), inks.colors) for code in (full, 0))
    blend = Fading(inks)

    assert [int(inks.colors[blend(there, empty, share).index][0, 0, 0]) for share in (0.0, 0.5, 1.0)] == [255, 128, 0]
    assert [int(inks.colors[blend(empty, there, share).index][0, 0, 0]) for share in (0.0, 0.5, 1.0)] == [0, 128, 255]
    assert all(blend(there, there, share).index[0, 0] == full for share in (0.0, 0.3, 1.0))


def test_memory_is_that_of_the_seam():
    """However long the run, no more pictures are kept than the seam has."""
    size = (200, 100)
    list(seamless((plain(number, size) for number in range(4)), 4, 1, dissolved))  # the pattern is made once
    tracemalloc.start()
    for _ in seamless((plain(number % 40, size) for number in range(400)), 400, 5, dissolved):
        pass
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 15 * size[0] * size[1]
