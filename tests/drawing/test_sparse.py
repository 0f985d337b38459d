import numpy as np
import pytest

from boidsgen.drawing.canvas import Canvas, SparseCanvas
from boidsgen.drawing.frame import Inks
from boidsgen.drawing.text import shaded

SIZE, MARGIN = (60, 40), 12


class Plain(Canvas):
    """Any canvas, with letters as they are on grounds of many colors."""

    letters = staticmethod(shaded)


def pair():
    inks = Inks("#000000", {"predator": "#ffffff"})
    return inks, Plain(SIZE, MARGIN, inks), SparseCanvas(SIZE, MARGIN, inks)


def draw(canvas, inks, shift):
    """A line that crosses the edge, one that stays, an area, a word."""
    tone = inks.tone(0, 0.7)
    canvas.lines(np.array([(-5.0, 3.0), (10.0, 10.0)]), np.array([(20.0 + shift, 30.0), (50.0, 12.0)]), tone)
    canvas.lines(np.array([(2.0, 38.0)]), np.array([(58.0, 2.0)]), inks.tone(0), 2.0)
    canvas.fill(np.array([(30.0, 20.0), (40.0 + shift, 22.0), (33.0, 31.0)]), tone)
    canvas.write("boids", (5.0 + shift, 20.0), tone, 9)


@pytest.mark.parametrize("settled", [False, True])
def test_pictures_are_those_of_any_canvas(settled):
    """Frame by frame, over a ground or without one, a sparse canvas shows the same, and knows where it is."""
    inks, plain, sparse = pair()
    for frame in range(5):
        for canvas in (plain, sparse):
            if settled and frame % 2 == 0:
                canvas.wipe()
                canvas.lines(np.array([(1.0, 1.0 + frame)]), np.array([(55.0, 35.0)]), inks.tone(0, 0.4))
                canvas.settle()
            canvas.begin()
            draw(canvas, inks, frame)
        place, code = sparse.drawn()
        drawn = np.zeros(SIZE[0] * SIZE[1], np.uint8)
        drawn[place] = code

        assert plain.picture().any()
        np.testing.assert_array_equal(sparse.picture(), plain.picture())
        np.testing.assert_array_equal(drawn, plain.picture().reshape(-1))
