"""Sparse: a canvas on which little is drawn, and which knows where.

The lit look paints animals elsewhere; what overlays draw is a few thousand pixels of a million. To begin, to wipe and
to look for what is drawn takes as long as there is of it, and not as long as the picture is large.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import Inks, Tone
from boidsgen.drawing.lettering import shaded
from boidsgen.drawing.pixels import Box, Codes, Pixels, expanded
from boidsgen.drawing.sprites import Sprites
from boidsgen.drawing.strokes import Trace
from boidsgen.simulation.geometry import Array

Integers = NDArray[np.intp]


class SparseCanvas(Canvas):
    """A canvas that notes which pixels may differ from the background: some twice, some for nothing."""

    def __init__(self, size: tuple[int, int], margin: int, inks: Inks, pixels: Pixels | None = None) -> None:
        super().__init__(size, margin, inks, pixels)
        self._settled: list[Integers] = []
        self._noted: list[Integers] = []
        # Lines of this picture and of the one before, by where they are: many stay where they were.
        self._traced: dict[tuple[bytes, bytes, float], Trace] = {}
        self._before: dict[tuple[bytes, bytes, float], Trace] = {}

    def drawn(self) -> tuple[Integers, Codes]:
        """The flat pixels of the picture, without its margin, that are not background, and their codes; some twice."""
        flat = self.noted
        flat = flat[self._flat[flat] != 0]
        row = flat // self.stride
        column = flat - row * self.stride - self._margin
        row -= self._margin
        columns, rows = self._size
        inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        place: Integers = (row * columns + column)[inside]
        return place, self._flat[flat[inside]]

    @property
    def plane(self) -> tuple[Codes, int]:
        """The codes as they are now, with the margin, and how wide that is."""
        return self._codes, self._margin

    def box(self) -> Box:
        """Rows of the picture, outside which it is background; with all columns, since to find the rows is quick."""
        flat = self.noted
        if not len(flat):
            return slice(0, 0), slice(0, 0)
        top, bottom = (int(end) // self.stride - self._margin for end in (flat.min(), flat.max()))
        columns, rows = self._size
        return slice(max(top, 0), min(max(bottom + 1, 0), rows)), slice(0, columns)

    @staticmethod
    @override
    def letters(text: str, size: int) -> tuple[Codes, NDArray[np.bool_]]:
        return shaded(text, size)

    @override
    def wipe(self) -> None:
        flat = self.noted
        self._flat[flat] = 0
        self._ground.reshape(-1)[flat] = 0
        self._settled, self._noted = [], []

    @override
    def settle(self) -> None:
        flat = self.noted
        self._ground.reshape(-1)[flat] = self._flat[flat]
        self._settled, self._noted = [flat], []

    @override
    def begin(self) -> None:
        self._pixels.restore(self._flat, self._ground.reshape(-1), self.noted)
        self._noted = []
        self._before, self._traced = self._traced, {}

    @override
    def lines(self, start: Array, end: Array, tone: Tone, thickness: float = 1.0) -> None:
        where = start.tobytes(), end.tobytes(), thickness
        trace = self._before.get(where) or self.trace(start, end, thickness)
        self._traced[where] = trace
        self.draw(trace, np.broadcast_to(tone, len(start)))

    @override
    def stamp(self, sprites: Sprites, number: Integers, xy: Array, tone: Tone) -> None:
        super().stamp(sprites, number, xy, tone)
        boid, pixel = expanded(sprites, number)
        self._noted.append(self.pixel(xy)[boid] + sprites.offset[pixel])

    @override
    def draw(self, trace: Trace, tone: Tone) -> None:
        super().draw(trace, tone)
        self._noted.append(trace.flat)

    @override
    def _region(self, left: int, top: int, columns: int, rows: int, of: Codes | None = None) -> Codes:
        region = super()._region(left, top, columns, rows, of)
        if of is None:
            first = (top + self._margin) * self.stride + left + self._margin
            self._noted.append(_pixels(int(first), self.stride, *region.shape))
        return region

    @property
    def noted(self) -> Integers:
        """The flat pixels that may differ from the background, with the margin; some twice."""
        return np.concatenate([np.zeros(0, np.intp), *self._settled, *self._noted])


@lru_cache(maxsize=256)
def _pixels(first: int, stride: int, rows: int, columns: int) -> Integers:
    """The flat pixels of a rectangle; many are the same in every picture."""
    return (first + np.arange(rows)[:, None] * stride + np.arange(columns)).reshape(-1)
