"""What the colors mean."""

import numpy as np
import pytest

from boidsgen.drawing import Renderer
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.colorings import COLORINGS
from tests.drawing.drawables import drawable

SIZE = (400, 300)
NAMED = {"depth": "depth", "heading": "heading", "neighbors": "neighbors", "speed": "speed"}


@pytest.fixture
def words(monkeypatch):
    """Everything that is written."""
    found = []
    plain = Canvas.write

    def write(self, text, xy, tone, size, anchor=(0, 0)):
        found.append(text)
        plain(self, text, xy, tone, size, anchor)

    monkeypatch.setattr(Canvas, "write", write)
    return found


@pytest.mark.parametrize("color_by", COLORINGS)
def test_legend_says_what_is_colored(setup, state, words, color_by):
    """A legend has the name of what it is about; flocks and groups are named by their words."""
    tables = setup(world={"size": (90.0, 80.0, 60.0)})
    look = {"style": {"color_by": color_by}, "overlay": {"legend": True, "axes": False}}
    Renderer(drawable(tables, look), SIZE)(state(tables, [(60, 40, 30)]))

    assert words[0] == NAMED.get(color_by, words[0])
    assert len(words) > 1 or color_by == "flock"


def test_wheel_points_where_boids_fly(setup, state):
    """In a flat world the color of a direction is found on the wheel in that direction."""
    tables, look = setup(), {"style": {"color_by": "heading"}, "overlay": {"legend": True}}
    draw = Renderer(drawable(tables, look), SIZE)
    empty = draw(state(tables, [])).index
    colored = np.argwhere(draw.palette[empty].max(axis=2).astype(int) - draw.palette[empty].min(axis=2) > 60)
    middle = (colored.min(axis=0) + colored.max(axis=0)) / 2
    radius = 0.7 * (colored.max(axis=0) - colored.min(axis=0))[0] / 2

    for number, angle in enumerate(np.radians(np.arange(0, 360, 30))):
        row, column = np.rint(middle + radius * np.array([-np.sin(angle), np.cos(angle)])).astype(int)
        wanted = draw.painter.inks.codes[draw.painter.inks.tone(draw.painter.inks.ink(f"boid {number}")) + 255]
        assert empty[row, column] == wanted


def test_no_two_arrows_have_one_letter(setup, state, words):
    """Each force that steers the boid in focus has a letter of its own, at its arrow as in the key."""
    tables = setup(flock={"count": 2, "perception": {"radius": 60.0}, "home": {"weight": 1.0}})
    look = {"overlay": {"forces": "boid"}}
    Renderer(drawable(tables, look), (640, 360))(state(tables, [(40, 40), (52, 40)], [(1, 0), (0, 1)]))
    key = [word.partition(":")[0] for word in words if ":" in word]

    assert len(key) == len(set(key)) >= 4
    assert {word for word in words if len(word) == 1} <= set(key)
    assert any(len(word) == 1 for word in words)
