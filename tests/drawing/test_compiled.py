"""Drawing by numpy and compiled: to the last bit the same."""

import sys

import numpy as np
import pytest

from boidsgen.drawing import Renderer, lit, painter
from boidsgen.simulation import backend
from boidsgen.simulation.engines import ENGINES
from boidsgen.simulation.run import simulate
from tests.drawing.drawables import drawable

pytestmark = pytest.mark.skipif(len(ENGINES) < 2, reason="numba is not installed")

DEEP = {"world": {"size": (100.0, 80.0, 60.0)}}
BALL = {"kind": "circle", "center": (50.0, 40.0, 30.0), "radius": 22.0, "solid": False}
BODIES = DEEP | {"obstacles": (BALL,)}
LOOKS = {
    "flat": ({}, {"style": {"trails": 6}}),
    "flat, camera turning": (DEEP, {"style": {"trails": 6}, "camera": {"orbit": 3.0}}),
    "flat, among bodies": (BODIES, {"style": {"trails": 6}}),
    "deep, among bodies": (BODIES, {"style": {"theme": "deep", "color_by": "heading", "trails": 5}}),
    "deep, among bodies, camera turning": (BODIES, {"style": {"theme": "deep", "trails": 5}, "camera": {"orbit": 3.0}}),
    "dusk": (DEEP, {"style": {"theme": "dusk", "shape": "bird"}, "camera": {"follow": "flock"}}),
    "dusk, nearest hue": (DEEP, {"style": {"theme": "dusk", "color_by": "heading"}}),
    "deep, one hue": (DEEP, {"style": {"theme": "deep", "trails": 5}}),
    "deep, hues mixed": (DEEP, {"style": {"theme": "deep", "color_by": "speed", "trails": 5}}),
    "deep, nearest hue": (DEEP, {"style": {"theme": "deep", "color_by": "heading", "trails": 5}}),
    "deep, camera turning": (DEEP, {"style": {"theme": "deep", "trails": 5}, "camera": {"orbit": 3.0}}),
}
KNOT = {"kind": "trefoil", "mode": "position", "scale": 30.0, "period": 40.0, "phase": 120.0}


@pytest.fixture(scope="module")
def compiled():
    """The compiled code of this process."""
    from boidsgen.drawing import compiled

    return compiled


@pytest.mark.parametrize("look", LOOKS)
def test_pictures_are_the_same(monkeypatch, compiled, setup, look):
    """Every kind of picture, frame by frame."""
    tables, style = LOOKS[look]
    made = setup(**tables, flock=({"count": 90},), predators=({"count": 3, "path": KNOT},), time={"frames": 9})
    pictures = []
    for chosen in (None, compiled):
        for module in (painter, lit):
            monkeypatch.setattr(module, "compiled_for", lambda _, chosen=chosen: chosen)
        draw = Renderer(drawable(made, {**style, "overlay": {"paths": True}}), (160, 90))
        pictures.append([draw(state).index.copy() for state in simulate(made, "numpy")])

    np.testing.assert_array_equal(*pictures)


@pytest.mark.parametrize(("frames", "cached", "chosen"), [(6, True, False), (2000, False, False), (2000, True, True)])
def test_compiled_only_where_it_gains_twice_its_cost(monkeypatch, compiled, setup, frames, cached, chosen):
    """Short runs are drawn by numpy, as are those that would gain less than twice what compiling takes."""
    monkeypatch.setattr(backend, "is_cached", lambda *_: cached)
    found = painter.compiled_for(drawable(setup(flock=({"count": 600},), time={"frames": frames})))

    assert found is (compiled if chosen else None)


def test_what_cannot_be_loaded_is_left(monkeypatch, setup):
    """Damaged code is no reason to stop: numpy draws, and the reason is kept to be told."""
    monkeypatch.setattr(backend, "_reasons", {})
    monkeypatch.setitem(sys.modules, "boidsgen.drawing.compiled", None)
    monkeypatch.delattr("boidsgen.drawing.compiled")

    assert painter.compiled_for(drawable(setup(flock=({"count": 5000},), time={"frames": 90_000}))) is None
    assert not backend.usable()
