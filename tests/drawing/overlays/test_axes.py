"""The edges of the world, their ticks, and what is cut off at them."""

import numpy as np
import pytest

from boidsgen.drawing import Renderer
from boidsgen.drawing.overlays import OVERLAYS, Overlay, layers
from boidsgen.drawing.overlays.axes import ticks
from tests.drawing.drawables import drawable


def test_axes_are_for_deep_worlds_unless_asked_for(setup):
    """Without a word about axes, deep worlds have them and flat ones do not."""
    flat, deep = setup(), setup(world={"size": (9.0, 9.0, 9.0)})

    assert not layers(Overlay(), flat)
    assert [type(layer) for layer in layers(Overlay(), deep)] == [OVERLAYS["axes"]]
    assert not layers(Overlay.model_validate({"axes": False}), deep)


@pytest.mark.parametrize(
    ("extent", "longest", "expected"), [(100, 100, 20), (400, 400, 100), (7, 7, 1), (0.3, 0.3, 0.05)]
)
def test_ticks_are_round(extent, longest, expected):
    """Ticks start at zero, end within the side and are 1, 2 or 5 times a power of ten apart."""
    value = ticks(0.0, extent, longest)

    assert value[0] == 0
    assert value[-1] <= extent * (1 + 1e-9)
    np.testing.assert_allclose(np.diff(value), expected)


@pytest.mark.parametrize("boundary", ["torus", "open"])
@pytest.mark.parametrize("zoom", [1.0, 1.7])
def test_nothing_pokes_out_of_the_frame(setup, state, boundary, zoom):
    """With axes, boids, trails and obstacles end where the axes are."""
    tables = setup(
        world={"size": (120.0, 80.0), "boundary": {"kind": boundary}},
        obstacles=({"kind": "circle", "center": (1.0, 40.0), "radius": 12.0},),
    )
    crowd = np.random.default_rng(3).uniform((-10, -10), (130, 90), (300, 2))
    axes = {"overlay": {"axes": True, "obstacles": False}, "camera": {"zoom": zoom}}
    crowded = {"overlay": {"axes": True}, "style": {"trails": 2}, "camera": {"zoom": zoom}}
    empty = Renderer(drawable(tables, axes), (400, 300))
    full = Renderer(drawable(tables, crowded), (400, 300))
    full(state(tables, crowd))
    bare, drawn = empty(state(tables, [])), full(state(tables, crowd - 3, frame=1))
    left, top, width, high = full._layout.viewport
    outside = np.ones((300, 400), bool)
    outside[int(top) : int(top + high) + 1, int(left) : int(left + width) + 1] = False

    np.testing.assert_array_equal(
        drawn.palette[drawn.index][outside].any(axis=1), bare.palette[bare.index][outside].any(axis=1)
    )
    np.testing.assert_array_equal((drawn.index > 0)[outside], (bare.index > 0)[outside])
