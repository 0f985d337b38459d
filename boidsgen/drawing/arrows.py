"""Arrows: vectors that have to be read, drawn over whatever is there."""

import numpy as np

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.inks import Tone
from boidsgen.simulation.geometry import Array

SHORTEST = 1.5
"""Shorter arrows, in pixels, are not drawn."""
RIM = 2.0
"""By how many pixels the clear rim is wider than the arrow, both sides together."""


def arrow(canvas: Canvas, start: Array, way: Array, tone: Tone, thickness: float) -> None:
    """Draw an arrow from `start` along `way`, shape (2,) pixels each, with a clear rim round it."""
    size = float(np.hypot(*way))
    if size < SHORTEST:
        return
    head = min(4.0 * thickness, 0.75 * size)
    ahead, neck = way / size, start + way * (1 - 0.8 * head / size)
    canvas.erase(canvas.trace(start[None], (start + way)[None], thickness + RIM))
    canvas.erase(canvas.trace((neck - 0.1 * head * ahead)[None], (neck + 0.4 * head * ahead)[None], 0.6 * head + RIM))
    canvas.lines(start[None], neck[None], tone, thickness)
    head_at(canvas, start + way, ahead * head, tone)


def head_at(canvas: Canvas, tip: Array, ahead: Array, tone: Tone) -> None:
    """Draw the head of an arrow that ends at `tip` and is as long as `ahead`, shape (2,) pixels each."""
    aside = 0.42 * np.array([-ahead[1], ahead[0]])
    canvas.fill(np.stack((tip, tip - ahead + aside, tip - ahead - aside)), tone)
