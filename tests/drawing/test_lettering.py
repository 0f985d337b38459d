import numpy as np
import pytest

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import Inks
from boidsgen.drawing.lettering import height, lettering, lines, width


@pytest.mark.parametrize("size", [10, 13, 24])
def test_nothing_of_a_letter_is_cut_off(size):
    """The rim round a text is empty: all letters, with all that hangs below, lie within."""
    coverage, _ = lettering("Åjgpy|§(Q", size)

    assert coverage.any()
    assert not coverage[0].any()
    assert not coverage[-1].any()
    assert not coverage[:, 0].any()
    assert not coverage[:, -1].any()


def test_digits_are_equally_wide():
    """A number keeps its width whatever its digits are."""
    assert len({width(digit * 4, 13) for digit in "0123456789"}) == 1


def test_long_text_is_broken_between_words():
    """No line is wider than the room, and no word is lost."""
    text = "every boid keeps its distance, matches velocity and stays close"
    broken = lines(text, 12, 120)

    assert len(broken) > 1
    assert " ".join(broken) == text
    assert max(width(line, 12) for line in broken) <= 120


@pytest.mark.parametrize("xy", [(-50, -50), (200, 200), (0, 0), (99, 5), (50, 49)])
@pytest.mark.parametrize("anchor", [(0, 0), (0.5, 0.5), (1, 1)])
def test_text_is_kept_inside_the_picture(xy, anchor):
    """A text that would be cut off at an edge is moved inside."""
    inks = Inks("#000000", {"text": "#ffffff"})
    canvas = Canvas((100, 50), 10, inks)
    canvas.write("word", xy, inks.tone(0), 12, anchor)
    coverage, _ = lettering("word", 12)

    assert np.count_nonzero(canvas.picture()) == np.count_nonzero(inks.codes[inks.tone(0) + coverage])
    assert height(12) < 50
