"""Accumulation buffer of the lit look: how much animal covers every pixel, and in which hue.

Every animal adds coverage times strength to the pixels it touches; a tone curve turns the sums into levels. All numbers
are integers, so the order of drawing does not matter. Hues that form a ramp are averaged, weighted by what each animal
adds; of hues that cannot be mixed, a pixel shows that of the nearest animal which covers at least half of it, which is
a maximum. Places are pixels of a canvas with a margin, as in `canvas`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.canvas import beyond
from boidsgen.drawing.quantization import SUBLEVELS
from boidsgen.drawing.shapes import Sprites, SpriteTable
from boidsgen.drawing.strokes import Coverage, Integers, Trace
from boidsgen.kernel.library import accelerated
from boidsgen.simulation.geometry import Array

STRENGTHS = 255  # Strength of what is not faded, as an integer
HUES = 16  # Maximum number of hues
NEAREST = 2047  # Largest nearness, as an integer; 0 is farthest
COVERED = 1 << 15  # Flag of a front that covers at least half of a pixel
SIDE = 32  # A sum holds the thickness above this many bits, and hue times thickness below
SHIFT = 10  # Right shift applied to coverage times strength
TILE = 6
"""A buffer has tiles of two to this power of pixels. The kernel neither looks at nor clears those that stay empty."""

Sums = NDArray[np.uint64]
Front = NDArray[np.uint16]  # COVERED, nearness and hue in one number, so that the maximum is what is seen in front


class FlatBuffer(NamedTuple):
    """Sums and fronts of the pixels of a flat buffer."""

    sums: Sums
    fronts: Front  # empty where hues are averaged
    touched: Coverage  # of each tile whether anything is in it


def front(depth: Array, hue: Integers) -> Front:
    """Nearness and hue of animals at depths from 0, near, to 1, shape (n,)."""
    nearness = np.rint((1.0 - np.minimum(np.maximum(depth, 0.0), 1.0)) * NEAREST).astype(np.uint16)
    return nearness * np.uint16(HUES) + hue.astype(np.uint16)


def whole(strength: Array) -> NDArray[np.uint16]:
    """Strengths from 0 to 1 as integers."""
    return np.rint(strength * STRENGTHS).astype(np.uint16)


class AccumulationBuffer:
    """The animals of one picture.

    Args:
        size: (width, height) of the picture.
        margin: of the buffer round the picture, in pixels.
        curve: fine level by thickness.
        nearest: show the hue of the nearest animal instead of the mean.
    """

    def __init__(
        self,
        size: tuple[int, int],
        margin: int,
        curve: NDArray[np.uint8],
        *,
        nearest: bool = False,
    ) -> None:
        self._size, self._margin, self._curve = size, margin, curve
        shape = size[1] + 2 * margin, size[0] + 2 * margin
        self._sums = np.zeros(shape, np.uint64)
        self._front = np.zeros(shape if nearest else (0, 0), np.uint16)
        touched = np.zeros((self._sums.size >> TILE) + 1, np.uint8)
        self._flat = FlatBuffer(self._sums.reshape(-1), self._front.reshape(-1), touched)
        self.levels = np.zeros((size[1], size[0]), np.uint8)
        """The level of every pixel, (height, width), where `add_to` has been."""

    def begin(self) -> None:
        """Start over with nobody."""
        self.levels.fill(0)
        clear_sums(self._flat)

    def stamp(
        self, sprites: Sprites, number: Integers, pixel: Integers, strength: NDArray[np.uint16], front: Front
    ) -> None:
        """Add a sprite at each flat pixel, with a strength and a front for each, shape (n,)."""
        add_sprites(self._flat, sprites.table, number, pixel, strength, front)

    def trace(self, trace: Trace, strength: NDArray[np.uint16], front: Front) -> None:
        """Add lines whose pixels are known, with a strength and a front for each."""
        add_trace(self._flat, trace, strength, front)

    def crop(self, window: Array) -> None:
        """Take away what lies outside a window: left and top, right and bottom, shape (2, 2)."""
        for outside in beyond(window, self._size, self._margin):
            self._sums[outside] = 0

    def add_to(self, codes: NDArray[np.uint16], grain: Coverage, hues: int, step: int, rows: int) -> None:
        """Add the animals in the first rows of the picture to its codes, dithered by a grain, (height, width) each.

        Levels are `hues` times `step` codes apart, hues `step` codes.
        """
        columns, margin, box = self._size[0], self._margin, (0, rows, 0, self._size[0])
        add_levels(codes, self.levels, self._flat, self._curve, grain, box, columns, margin, hues, step)


@accelerated("=u8 =u2 =u1")
def clear_sums(buffer: FlatBuffer) -> None:
    """Empty a flat buffer."""
    for plane in buffer:
        plane.fill(0)


@accelerated("=u8 =u2 =u1 i8 i8 i4 u1 i8 i8 u2 u2")
def add_sprites(
    buffer: FlatBuffer,
    table: SpriteTable,
    number: Integers,
    pixel: Integers,
    strength: NDArray[np.uint16],
    front: Front,
) -> None:
    """Add sprites of a table to a flat buffer: numbers, flat pixels, strengths and fronts, shape (n,)."""
    add_trace(buffer, table.trace(number, pixel), strength, front)


@accelerated("=u8 =u2 =u1 i8 i8 u1 u2 u2")
def add_trace(buffer: FlatBuffer, trace: Trace, strength: NDArray[np.uint16], front: Front) -> None:
    """Add the pixels of lines to a flat buffer, with a strength and a front for each line."""
    before = front[trace.line]
    thickness = (trace.coverage * strength[trace.line] >> np.uint16(SHIFT)).astype(np.uint64)
    weight = (before & np.uint16(HUES - 1)) + np.uint64(1 << SIDE)
    np.add.at(buffer.sums, trace.flat, thickness * weight)
    if len(buffer.fronts):
        np.maximum.at(buffer.fronts, trace.flat, before | (trace.coverage >= 128) * np.uint16(COVERED))


@accelerated("=u2 =u1 u8 u2 u1 u1 u1 int int int int int int int int")
def add_levels(
    codes: NDArray[np.uint16],
    levels: Coverage,
    buffer: FlatBuffer,
    curve: Coverage,
    grain: Coverage,
    box: tuple[int, int, int, int],
    columns: int,
    margin: int,
    hues: int,
    step: int,
) -> None:
    """Add the animals in a box of the picture to its codes, and note their levels; see `AccumulationBuffer.add_to`.

    The box is top, bottom, left and right. Codes, levels and grain have the shape (height, columns), the flat buffer
    has a margin round that.
    """
    (top, bottom, left, right), stride = box, columns + 2 * margin
    shifted = slice(top + margin, bottom + margin), slice(left + margin, right + margin)
    found = np.ascontiguousarray(buffer.sums.reshape(-1, stride)[shifted]).reshape(-1)
    hue = np.ascontiguousarray(buffer.fronts.reshape(-1, stride)[shifted]).reshape(-1) & np.uint16(HUES - 1)
    somebody = np.flatnonzero(found | hue if len(hue) else found)
    row, column = np.divmod(somebody, right - left)
    place = (row + top) * columns + column + left
    found, dither = found.take(somebody), grain.reshape(-1).take(place)
    thickness = found >> np.uint64(SIDE)
    level = curve.take(thickness.astype(np.intp), mode="clip")
    level += dither
    level //= np.uint8(SUBLEVELS)
    body = level * np.uint16(hues)
    if len(hue):
        body += hue.take(somebody)
    elif hues > 1:
        mean = (found & np.uint64((1 << SIDE) - 1)).astype(np.float32)
        mean /= thickness.astype(np.float32)
        mean += dither * np.float32(0.5 / SUBLEVELS) + np.float32(0.25)
        body += mean.astype(np.uint16)
    body *= np.uint16(step)
    codes.reshape(-1)[place] += body
    levels.reshape(-1)[place] = level
