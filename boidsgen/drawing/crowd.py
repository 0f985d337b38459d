"""Crowd: how much animal lies on every pixel, and whose color it has.

Every animal adds its coverage times its strength to the pixels that it touches; a tone curve makes levels of the sums.
All are whole numbers, and sums do not depend on the order. Where animals have different colors, a pixel shows the color
of the one that covers at least half of it and is nearest to the viewer; this is a maximum, and does not depend on the
order either. Places are pixels of a canvas with a margin, as in `canvas`.
"""

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.canvas import expanded
from boidsgen.drawing.dither import grain
from boidsgen.drawing.light import FINE, FULL, THICKEST
from boidsgen.drawing.sprites import Sprites
from boidsgen.drawing.strokes import Trace
from boidsgen.simulation.geometry import Array

STRENGTHS = 255
"""Strength of what is not faded, as a whole number."""
HUES = 16
"""Colors that can be told apart."""
NEAREST = 2047
"""What is nearest, as a whole number; 0 is farthest."""
COVERED = 1 << 15
"""Added where at least half of a pixel is covered."""
_SHARE = STRENGTHS * 255 // (FULL - 1)

Integers = NDArray[np.intp]
Front = NDArray[np.uint16]
"""What is seen in front: COVERED, nearness and hue together."""


def front(depth: Array, hue: Integers) -> Front:
    """Nearness and hue of animals at depths from 0, near, to 1, shape (n,)."""
    nearness = np.rint((1.0 - np.minimum(np.maximum(depth, 0.0), 1.0)) * NEAREST).astype(np.uint16)
    return nearness * np.uint16(HUES) + hue.astype(np.uint16)


def whole(strength: Array) -> NDArray[np.uint16]:
    """Strengths from 0 to 1 as whole numbers."""
    return np.rint(strength * STRENGTHS).astype(np.uint16)


class Crowd:
    """The animals of one picture."""

    def __init__(self, size: tuple[int, int], margin: int, curve: NDArray[np.uint8], hues: int) -> None:
        self._size, self._margin, self._curve = size, margin, curve
        columns, rows = size[0] + 2 * margin, size[1] + 2 * margin
        self._thickness = np.zeros((rows, columns), np.uint32)
        self._front = np.zeros((rows, columns) if hues > 1 else (1, 1), np.uint16)
        self._many = hues > 1
        self._levels = np.zeros((size[1], size[0]), np.uint8)
        self._grain = grain(size, FINE)
        self._used = slice(0, 0)

    def begin(self) -> None:
        """Start over with nobody."""
        self._thickness[self._used] = 0
        if self._many:
            self._front[self._used] = 0
        self._used = slice(0, 0)

    def stamp(
        self, sprites: Sprites, number: Integers, pixel: Integers, strength: NDArray[np.uint16], front: Front
    ) -> None:
        """Add a sprite at each flat pixel, with a strength and a front for each, shape (n,)."""
        boid, entry = expanded(sprites, number)
        flat = pixel[boid] + sprites.offset[entry]
        self._add(flat, sprites.coverage[entry], strength[boid])
        if self._many:
            covered = (sprites.coverage[entry] >= 128) * np.uint16(COVERED)
            np.maximum.at(self._front.reshape(-1), flat, front[boid] | covered)

    def trace(self, trace: Trace, strength: NDArray[np.uint16], front: Front) -> None:
        """Add lines whose pixels are known, with a strength and a front for each."""
        self._add(trace.flat, trace.coverage.astype(np.uint8), strength[trace.line])
        if self._many:
            np.maximum.at(self._front.reshape(-1), trace.flat, front[trace.line])

    def crop(self, window: Array) -> None:
        """Take away what lies outside a window: left and top, right and bottom, shape (2, 2)."""
        left, top, right, bottom = (round(side) + self._margin for side in window.ravel().tolist())
        for outside in (np.s_[:top], np.s_[bottom:], np.s_[:, :left], np.s_[:, right:]):
            self._thickness[outside] = 0

    @property
    def rows(self) -> slice:
        """The rows of the picture in which there may be somebody."""
        begin, end = (min(max(row - self._margin, 0), self._size[1]) for row in (self._used.start, self._used.stop))
        return slice(begin, end)

    def levels(self) -> NDArray[np.uint8]:
        """The level of every pixel, (height, width)."""
        rows, margin = self.rows, self._margin
        self._levels.fill(0)
        thick = self._thickness[rows.start + margin : rows.stop + margin, margin:-margin]
        fine = self._curve.take(thick, mode="clip")
        fine += self._grain[rows]
        np.floor_divide(fine, FINE, out=self._levels[rows])
        return self._levels

    def hues(self, rows: slice) -> NDArray[np.uint16]:
        """The hue of every pixel of some rows; any hue where nobody is."""
        margin = self._margin
        return self._front[rows.start + margin : rows.stop + margin, margin:-margin] & np.uint16(HUES - 1)

    def _add(self, flat: Integers, coverage: NDArray[np.uint8], strength: NDArray[np.uint16]) -> None:
        if not len(flat):
            return
        np.add.at(self._thickness.reshape(-1), flat, (coverage * strength // np.uint16(_SHARE)).astype(np.uint32))
        stride = self._thickness.shape[1]
        begin, end = int(flat.min()) // stride, int(flat.max()) // stride + 1
        empty = self._used.start == self._used.stop
        self._used = slice(begin, end) if empty else slice(min(begin, self._used.start), max(end, self._used.stop))
