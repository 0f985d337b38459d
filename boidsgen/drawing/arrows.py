"""Arrows in the picture, each with a clear rim, so that it is seen in a crowd and over another arrow.

Places and directions are pixels, y downward, shape (2,). An arrow too short to be seen is not drawn.
"""

import numpy as np

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import Tone
from boidsgen.simulation.geometry import Array, magnitude

MIN_LENGTH = 1.5
"""Shorter arrows, in pixels, are not drawn."""
RIM = 2.0
"""By how many pixels the clear rim is wider than the arrow, both sides together."""


def draw_arrow(canvas: Canvas, start: Array, way: Array, tone: Tone, thickness: float) -> None:
    """Draw an arrow from `start` along `way`."""
    size = magnitude(way)
    if size < MIN_LENGTH:
        return
    head = _head_length(size, thickness)
    ahead, neck = way / size, start + way * (1 - 0.8 * head / size)
    canvas.erase(canvas.trace(start[None], (start + way)[None], thickness + RIM))
    canvas.erase(canvas.trace((neck - 0.1 * head * ahead)[None], (neck + 0.4 * head * ahead)[None], 0.6 * head + RIM))
    canvas.lines(start[None], neck[None], tone, thickness)
    _draw_head(canvas, start + way, ahead * head, tone)


def draw_arrow_within(canvas: Canvas, start: Array, way: Array, tone: Tone, thickness: float, room: float) -> None:
    """Draw an arrow no longer than `room` pixels; one that would be longer ends there with a second head."""
    size = magnitude(way)
    if size <= room * (1 + 1e-9):
        draw_arrow(canvas, start, way, tone, thickness)
        return
    way = way * (room / size)
    draw_arrow(canvas, start, way, tone, thickness)
    ahead = way / room * _head_length(room, thickness)
    _draw_head(canvas, start + way - 0.8 * ahead, ahead, tone)


def _head_length(size: float, thickness: float) -> float:
    return min(4.0 * thickness, 0.75 * size)


def _draw_head(canvas: Canvas, tip: Array, ahead: Array, tone: Tone) -> None:
    """Draw the head of an arrow that ends at `tip` and is as long as `ahead`."""
    aside = 0.42 * np.array([-ahead[1], ahead[0]])
    canvas.fill(np.stack((tip, tip - ahead + aside, tip - ahead - aside)), tone)
