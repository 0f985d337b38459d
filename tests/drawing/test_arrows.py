"""Arrows as they come to lie on the canvas."""

import numpy as np
import pytest

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import Inks
from boidsgen.drawing.overlays.focus import draw_arrow, draw_arrow_within

START = np.array([40.0, 30.0])


@pytest.fixture
def arrow():
    """Rows and columns of what an arrow from START covers, shape (k, 2)."""

    def made(draw, way, *room):
        inks = Inks("#000000", {"text": "#ffffff"})
        canvas = Canvas((80, 60), 10, inks)
        draw(canvas, START, np.array(way, dtype=float), inks.tone(inks.ink("text")), 2.0, *room)
        return np.argwhere(canvas.picture())

    return made


@pytest.mark.parametrize("way", [(25, 0), (-25, 0), (0, 25), (15, -20)])
def test_arrow_lies_between_its_ends(arrow, way):
    """An arrow covers what is between its start and its tip, and is wider near the tip."""
    covered = arrow(draw_arrow, way)[:, ::-1] + 0.5 - START
    ahead = np.array(way) / np.hypot(*way)
    along, aside = covered @ ahead, np.abs(covered @ (-ahead[1], ahead[0]))

    assert -2.5 < along.min() < 1
    assert 23 < along.max() < 27
    assert aside[along > 17].max() > aside[along < 15].max() + 1


def test_arrow_ends_where_the_room_does(arrow):
    """A longer arrow ends at the room's edge and shows by a second head that it goes on; a shorter one is as it is."""
    long, fitting, plain = (
        arrow(draw_arrow_within, (500, 0), 25.0),
        arrow(draw_arrow_within, (25, 0), 25.0),
        arrow(draw_arrow, (25, 0)),
    )

    assert long[:, 1].max() == fitting[:, 1].max() == plain[:, 1].max()
    assert len(long) > len(fitting) == len(plain)
