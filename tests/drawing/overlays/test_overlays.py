from itertools import combinations

import numpy as np
import pytest

from boidsgen.drawing import Renderer
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.overlays import OVERLAYS
from boidsgen.drawing.text import height, width
from boidsgen.drawing.themes import THEMES
from tests.drawing.drawables import drawable

ON = {
    "attractors": {"attractors": True},
    "axes": {"axes": True},
    "caption": {"caption": "alignment off"},
    "center_of_mass": {"center_of_mass": True},
    "chart": {"chart": "polarization"},
    "forces_beside": {"forces": "panel"},
    "forces_chart": {"forces": "chart"},
    "forces_key": {"forces": "boid"},
    "forces_mark": {"forces": "panel"},
    "forces_on_boid": {"forces": "boid"},
    "hud": {"hud": True},
    "legend": {"legend": True},
    "moving_attractors": {"moving_attractors": True},
    "neighbors": {"neighbors": True},
    "obstacles": {"obstacles": True},
    "paths": {"paths": True},
    "perception": {"perception": True},
    "roads": {"roads": True},
}


OFF = {"attractors": False, "axes": False, "moving_attractors": False, "obstacles": False}


OBSTACLES = (
    {"kind": "circle", "center": (2.0, 2.0), "radius": 12.0},
    {"kind": "box", "center": (90.0, 40.0), "size": (20.0, 10.0)},
    {"kind": "segment", "start": (20.0, 60.0), "end": (50.0, 70.0)},
    {"kind": "polygon", "points": ((60.0, 10.0), (80.0, 10.0), (70.0, 25.0))},
)


DEEP_OBSTACLES = (
    {"kind": "circle", "center": (50.0, 40.0, 30.0), "radius": 12.0},
    {"kind": "box", "center": (80.0, 40.0, 10.0), "size": (20.0, 10.0, 20.0)},
    {"kind": "segment", "start": (20.0, 60.0, 0.0), "end": (20.0, 60.0, 60.0)},
)


FLOCK = {"perception": {"radius": 20.0, "field_of_view": 270.0}}
ROAD = FLOCK | {"follow_path": {"points": ((10.0, 10.0), (90.0, 60.0))}}
DEEP_ROAD = FLOCK | {"follow_path": {"points": ((10.0, 10.0, 10.0), (90.0, 60.0, 30.0))}}


def worlds(setup):
    flat = setup(
        obstacles=OBSTACLES,
        attractors=({"point": (30.0, 20.0)}, {"path": "circle"}),
        flock=ROAD,
        predators=({"path": "trefoil"},),
    )
    deep = setup(
        world={"size": (100.0, 80.0, 60.0)},
        obstacles=DEEP_OBSTACLES,
        attractors=({"point": (30.0, 20.0, 10.0)}, {"path": "circle"}),
        flock=DEEP_ROAD,
        predators=({"path": "trefoil"},),
    )
    return {2: (flat, [(60, 40), (70, 44)], (20, 20)), 3: (deep, [(50, 40, 30), (60, 44, 30)], (20, 20, 20))}


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("name", OVERLAYS)
def test_every_overlay_shows(setup, picture, name, dimension):
    """Switching an overlay on changes the picture, in flat and in deep worlds."""
    tables, place, predator = worlds(setup)[dimension]
    without = picture(tables, place, {"overlay": OFF}, (240, 160), predators=predator)
    drawn = picture(tables, place, {"overlay": OFF | ON[name]}, (240, 160), predators=predator)

    assert (without != drawn).any()


@pytest.mark.parametrize("size", [(16, 16), (64, 48), (400, 30), (30, 400)])
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("name", OVERLAYS)
def test_every_overlay_fits_a_tiny_picture(setup, picture, name, dimension, size):
    """However small the picture, an overlay draws what it can and breaks nothing."""
    tables, place, predator = worlds(setup)[dimension]
    look = {"overlay": ON[name], "title": "A long title"}

    assert picture(tables, place, look, size, predators=predator).shape == size[::-1]


def test_text_can_be_read_in_a_crowd(setup, picture):
    """Where the text is, no boid is."""
    tables = setup()
    look = {"title": "Starlings", "overlay": {"caption": "together"}}
    empty = picture(tables, [], look)
    crowd = np.random.default_rng(3).uniform((0, 0), (120, 80), (400, 2))
    crowded = picture(tables, crowd, look)

    np.testing.assert_array_equal(crowded[empty > 0], empty[empty > 0])


@pytest.fixture
def written(monkeypatch):
    """What is written in pictures: each text with its left and top, and its right and bottom."""
    boxes = []
    plain = Canvas.write

    def write(self, text, xy, tone, size, anchor=(0, 0)):
        box = np.array([width(text, size), 0.8 * height(size)])
        boxes.append((text, xy - box * anchor, xy - box * anchor + box))
        plain(self, text, xy, tone, size, anchor)

    monkeypatch.setattr(Canvas, "write", write)
    return boxes


def check_places(boxes, size):
    """Nothing stands over anything else, or beyond the edges of a picture of this size."""
    for (one, low, high), (other, left, right) in combinations(boxes, 2):
        assert (high <= left).any() or (right <= low).any(), (one, other)
    for text, low, high in boxes:
        assert (low >= 0).all(), text
        assert (high <= size).all(), text


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("scale", ["screen", "lecture"])
@pytest.mark.parametrize("size", [(240, 160), (200, 300), (640, 360)])
def test_sentences_do_not_overlap(setup, state, written, size, scale, theme):
    """Title, caption and numbers have places of their own in every theme and on every scale, in small pictures too."""
    look = {
        "title": "Separation, alignment, cohesion: three rules",
        "overlay": {
            "caption": "Each boid steers away from those that are close to it, and turns as others do.",
            "hud": True,
        },
        "style": {"theme": theme, "scale": scale},
    }
    tables = setup()
    Renderer(drawable(tables, look), size)(state(tables, [(60, 40), (70, 44)]))

    assert len(written) > 5
    check_places(written, size)
