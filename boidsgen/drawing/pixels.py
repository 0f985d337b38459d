"""Pixels: what is done pixel by pixel, for very many of them.

`Pixels` does it with numpy and defines it; `compiled.CompiledPixels` does the same, to the last bit, several times as
fast. Canvases, crowds and embers are given one of them, and do not know which. Canvases are flat, as in `canvas`.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.frame import Tone
from boidsgen.drawing.sprites import Integers, Sprites
from boidsgen.drawing.strokes import Pens, Trace, strokes
from boidsgen.simulation.geometry import Array

if TYPE_CHECKING:
    from boidsgen.drawing.crowd import Hues

Codes = NDArray[np.uint8]
Box = tuple[slice, slice]
"""Rows and columns."""


class Pixels:
    """What is done pixel by pixel, as numpy does it."""

    def strokes(self, start: Array, end: Array, pens: Pens, stride: int, corner: int) -> Trace:
        """The pixels of lines, as `strokes.strokes`."""
        return strokes(start, end, pens, stride, corner)

    def draw(self, codes: Codes, trace: Trace, tone: Tone, ladder: Codes) -> None:
        """Put lines on a flat canvas, by `max`; one tone per line, codes by tone and coverage."""
        np.maximum.at(codes, trace.flat, ladder[tone[trace.line] + trace.coverage])

    def stamp(
        self, codes: Codes, sprites: Sprites, number: Integers, pixel: Integers, tone: Tone, ladder: Codes
    ) -> None:
        """Put a sprite on each pixel of a flat canvas, by `max`; one tone per sprite."""
        boid, entry = expanded(sprites, number)
        flat = pixel[boid] + sprites.offset[entry]
        np.maximum.at(codes, flat, ladder[tone[boid] + sprites.coverage[entry]])

    def crowding(self, hues: "Hues") -> "Hues":
        """What adds up animals with these hues."""
        return hues


def expanded(sprites: Sprites, number: Integers) -> tuple[Integers, Integers]:
    """For every pixel of every stamp: the boid it belongs to and its place in the arrays of the sprites."""
    count = sprites.count[number]
    boid = np.repeat(np.arange(len(number)), count)
    ahead = sprites.first[number] - (np.cumsum(count) - count)
    return boid, np.arange(len(boid)) + ahead[boid]
