"""Where ink comes to lie on the canvas."""

import numpy as np
import pytest

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import Inks
from boidsgen.drawing.text import height, lettering


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
