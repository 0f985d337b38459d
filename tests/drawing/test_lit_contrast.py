"""In the lit look, too, everything is seen after fog and fading: what is drawn is held against the ground below it."""

from dataclasses import replace

import numpy as np
import pytest

from boidsgen.drawing import Renderer
from boidsgen.drawing.frame import rgb
from boidsgen.drawing.themes import FLOCKS, MIN_CONTRAST, THEMES
from boidsgen.simulation import Group, Setup, State
from tests.drawing.drawables import drawable
from tests.drawing.test_color_blind import FAR

LIT = [name for name, theme in THEMES.items() if theme.light]
SIZE = (640, 360)
SEEN = 3
"""Pixels of an animal that must stand out: one alone would not be seen."""
ASIDE = 14.0
"""From one animal to the next, in units of the world."""
WORDS = {"title": "Illness", "overlay": {"caption": "Illness", "hud": True, "axes": False}}
"""Upright strokes, where letters are as strong as they are meant."""


def luminance(color):
    """Relative luminance of colors from 0 to 255, shape (…, 3) (WCAG 2.2)."""
    part = color / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)


def contrast(one, other):
    """The ratio of luminances."""
    return (np.maximum(one, other) + 0.05) / (np.minimum(one, other) + 0.05)


def picture(theme, look=None, flocks=0, hunters=0, depth=1.0):
    """The luminance of a picture of flocks of one boid each, or of predators, in a row across the view."""
    tables = Setup.model_validate(
        {
            "world": {"size": (100.0, 100.0, 100.0), "boundary": {"kind": "open"}},
            "flock": tuple({"name": f"flock {number}", "count": 1} for number in range(max(flocks, 1))),
            "predators": ({"count": max(hunters, 1)},),
        }
    )
    renderer = Renderer(drawable(tables, {"overlay": {"axes": False}, **(look or {}), "style": {"theme": theme}}), SIZE)
    projection = renderer._viewpoint.projection(0)
    right, _, toward = projection.axes
    aside = (np.arange(flocks + hunters) - (flocks + hunters - 1) / 2) * ASIDE
    row = projection.center + aside[:, None] * right + projection.reach * (1 - 2 * depth) * toward
    flight = np.tile(right, (len(row), 1))
    boids = tuple(Group(f"flock {n}", row[n : n + 1], flight[n : n + 1]) for n in range(max(flocks, 1)) if n < flocks)
    nobody = (Group("flock 0", np.zeros((0, 3)), np.zeros((0, 3))),)
    predators = (Group("predators", row[flocks:], flight[flocks:]),)
    state = State(step=0, time=0.0, frame=0, flocks=boids or nobody, predators=predators, setup=tables)
    frame = renderer(state)
    return luminance(frame.palette[frame.index].astype(float)), projection(row).xy


def standing_out(theme, **animals):
    """Of each animal in a picture the contrast to the ground of the SEEN pixels that stand out most."""
    (drawn, places), (bare, _) = picture(theme, **animals), picture(theme)
    ratio = contrast(drawn, bare)
    boxes = (ratio[round(y) - 12 : round(y) + 12, round(x) - 12 : round(x) + 12] for x, y in places)
    return [float(np.sort(box, axis=None)[-SEEN]) for box in boxes]


@pytest.mark.parametrize("role", ["flocks", "sequential", "cyclic"])
@pytest.mark.parametrize("theme", LIT)
def test_far_boids_can_be_seen(theme, role, monkeypatch):
    """The farthest boid, of any color, keeps the contrast that the flat look has there."""
    colors = getattr(THEMES[theme], role)
    for some in (colors[:FLOCKS], colors[-FLOCKS:]):
        monkeypatch.setitem(THEMES._members, theme, replace(THEMES[theme], flocks=some))
        seen = dict(zip(some, standing_out(theme, flocks=FLOCKS), strict=True))

        assert {color: ratio for color, ratio in seen.items() if ratio < FAR[role]} == {}


@pytest.mark.parametrize("theme", LIT)
def test_predators_can_be_seen(theme):
    """So does a predator in the middle, and one that is far away is seen as well as a boid there."""
    assert min(standing_out(theme, hunters=1, depth=0.5)) >= FAR["predator"]
    assert min(standing_out(theme, hunters=1, depth=1.0)) >= FAR["flocks"]


@pytest.mark.parametrize("theme", LIT)
def test_words_stand_out(theme):
    """Title, caption and numbers have the contrast that a theme owes them to what they stand on, wherever they are."""
    written, bare = picture(theme, WORDS)[0], picture(theme)[0]
    strong = written > 0.97 * luminance(rgb(THEMES[theme].text))
    rows, columns = np.nonzero(strong & (contrast(written, bare) > MIN_CONTRAST["muted"]))
    windows = [written[row - 4 : row + 5, column - 4 : column + 5] for row, column in zip(rows, columns, strict=True)]
    grounds = [np.median(window[window < 0.4]) for window in windows]

    assert {0, 1, 2} <= {3 * column // SIZE[0] + 2 * (row > 330) for row, column in zip(rows, columns, strict=True)}
    assert min(contrast(written[rows, columns], np.array(grounds))) >= MIN_CONTRAST["text"]
