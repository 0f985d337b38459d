"""Lit pictures of pages against those of clips, pixel by pixel."""

from base64 import b64decode

import numpy as np
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.themes import THEMES
from boidsgen.webpage.writer import page_data
from tests.page.browsers import node

SHOWN = (0, 1, 12)  # Frames
WORDS = {"Axes", "Border", "Caption", "Hud", "Legend", "Roads", "Scale", "Title", "WorldEdges"}
"""Layers that a page draws as shapes over its picture."""
LIT = [name for name, theme in THEMES.items() if theme.light]
TURNING = {"camera.orbit": 2.0, "camera.follow": "flock", "world.boundary": {"kind": "soft"}}
DRAWN = [
    *((preset, {"style.theme": theme}) for theme in LIT for preset in ("hunt", "quickstart", "trefoil")),
    ("quickstart", {"style.theme": "deep", "style.shape": "fish", "style.color_by": "heading"}),
    ("couzin-torus", {}),
    ("hunt", {"style.theme": "deep", "camera.follow": "flock", "world.boundary": {"kind": "soft"}}),
    ("couzin-torus", {}),
    ("trefoil", {"style.shape": "bird", "style.trails": 5, **TURNING}),
]
LARGE = [("hunt", {"style.theme": "deep", "style.shape": "fish", "style.predator_shape": "hawk", "style.size": 40})]
"""At the rims of their details a pixel may be one step off."""
LAND = [("murmuration", {"time.warmup": warmup}) for warmup in (0, 9)]
"""Land moves by parts of a pixel."""
BODIES = {
    "obstacles": [
        {"kind": "circle", "center": [60, 60, 40], "radius": 18},
        {"kind": "box", "center": [30, 40, 60], "size": [16, 16, 50]},
    ]
}
OBSTACLES = [
    (preset, {"style.theme": theme, **keys})
    for theme in LIT
    for preset, keys in (("obstacles", {}), ("trefoil", BODIES))
]


@pytest.fixture(scope="module")
def painted():
    """A function that gives pictures of a page."""
    with node("lit") as answer:
        yield answer


def pictures(painted, name, keys):
    """Pictures of the page, and those of the film in full color."""
    scenario = load_scenario(name, keys | {"time.frames": 13})
    data, _ = page_data(scenario)
    layers = [layer for layer in scenario.layers if type(layer).__name__ not in WORDS]
    draw = Renderer(scenario, scenario.picture_size, layers=layers)
    found = painted(**{part: data[part] for part in ("document", "look")}, shown=SHOWN)
    for state in simulate(scenario):
        frame = draw(state)
        if state.frame in SHOWN:
            pixels = np.frombuffer(b64decode(found.pop(0)), np.uint8)
            yield pixels.reshape(*frame.index.shape, 4), frame.full().astype(int)


def differ(pictures, away, part, mean):
    """Parts of the pixels of pictures differ by more than a few of 255, and a channel by so much in the mean."""
    for found, wanted in pictures:
        differences = np.abs(found[..., :3] - wanted)
        assert (found[..., 3] == 255).all()
        assert (differences.max(axis=2) > away).mean() < part
        assert differences.mean() < mean


@pytest.mark.parametrize(
    ("name", "keys", "away", "part", "mean"),
    [
        *((*one, 4, 0.01, 0.2) for one in DRAWN),
        *((*one, 4, 0.03, 0.5) for one in LARGE),
        *((*one, 0, 0.01, 0.2) for one in LAND),
        *((*one, 16, 0.05, 2) for one in OBSTACLES),
    ],
)
def test_a_lit_picture_is_that_of_the_film(painted, name, keys, away, part, mean):
    """In full color, too, parts of the pixels differ by more than a few of 255; more at obstacles."""
    differ(pictures(painted, name, keys), away, part, mean)
