"""Drawing compiled by numba: the few loops that lead the profile of large flocks, equal to numpy to the bit.

Everything is compiled, or loaded from numba's cache, when this module is imported; only `painter.compiled_for` imports
it. Numbers are integers that are added or compared in any order. Arrays are those of `Sprites`, `Trace` and canvases.
"""

# numba derives the types inside these functions from their signatures.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from typing import Any

import numpy as np
from numba import njit, types

from boidsgen.drawing.accumulation import COVERED, HUES, SHIFT, SIDE

OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
"""Threads may run at the same time; division by zero gives what numpy gives."""


def _given(kind, dimensions=1):
    return types.Array(kind, dimensions, "A", readonly=True)


TILE = 6
"""A flat buffer has tiles of two to this power of pixels; most stay empty, and are neither looked at nor cleared."""

PLANE, CODES, BOX = types.uint8[:, ::1], types.uint16[:, ::1], types.UniTuple(types.int64, 4)
BYTES, NUMBERS, WORDS = types.uint8[::1], types.int64[::1], types.uint16[::1]
TRACE = (NUMBERS, NUMBERS, BYTES)
SPRITES = (NUMBERS, NUMBERS, types.int32[::1], BYTES, _given(types.int64), _given(types.int64))
BUFFER = (types.uint64[::1], WORDS, BYTES)
EACH = (_given(types.uint16), _given(types.uint16))


@njit(types.void(BYTES, *map(_given, (types.int64, types.int64, types.uint8, types.int64)), BYTES), **OPTIONS)
def draw(codes, line, flat, coverage, tone, ladder):
    """Put pixels of lines or sprites on a flat canvas, by `max`, as `Canvas.draw`."""
    for i in range(len(flat)):
        pixel = np.uint64(flat[i])
        codes[pixel] = max(codes[pixel], ladder[np.uint64(tone[np.uint64(line[i])] + coverage[i])])


@njit(**OPTIONS)
def _add(sums, fronts, touched, place, coverage, strength, front):
    thickness = np.uint64((np.uint32(coverage) * np.uint32(strength)) >> np.uint32(SHIFT))
    sums[place] += thickness * ((np.uint64(1) << np.uint64(SIDE)) + np.uint64(front & np.uint16(HUES - 1)))
    touched[place >> np.uint64(TILE)] = 1
    if len(fronts):
        seen = front | np.uint16(COVERED) if coverage >= 128 else front
        fronts[place] = max(fronts[place], np.uint16(seen))


@njit(types.void(*BUFFER, *SPRITES, *EACH), **OPTIONS)
def add_sprites(sums, fronts, touched, first, count, offset, coverage, number, pixel, strength, front):
    """Add a sprite at each pixel to an accumulation buffer."""
    for i in range(len(number)):
        begin = first[number[i]]
        for entry in range(np.uint64(begin), np.uint64(begin + count[number[i]])):
            place = np.uint64(pixel[i] + offset[entry])
            _add(sums, fronts, touched, place, coverage[entry], strength[i], front[i])


@njit(types.void(*BUFFER, *TRACE, *EACH), **OPTIONS)
def add_trace(sums, fronts, touched, line, flat, coverage, strength, front):
    """Add the pixels of lines to an accumulation buffer."""
    for i in range(len(flat)):
        animal = np.uint64(line[i])
        _add(sums, fronts, touched, np.uint64(flat[i]), coverage[i], strength[animal], front[animal])


@njit(types.void(*BUFFER), **OPTIONS)
def clear(sums, fronts, touched):
    """Empty the tiles of an accumulation buffer in which there may be anything."""
    for tile in range(len(touched)):
        if touched[tile]:
            sums[tile << TILE : (tile + 1) << TILE] = 0
            fronts[tile << TILE : (tile + 1) << TILE] = 0
            touched[tile] = 0


@njit(
    types.void(CODES, PLANE, *BUFFER, _given(types.uint8), PLANE, BOX, *[types.int64] * 4),
    **OPTIONS,
)
def add_levels(codes, levels, sums, fronts, touched, curve, grain, box, margin, stride, hues, step):
    """Add animals to the codes of a box of the picture, as `AccumulationBuffer.add_to`."""
    top, bottom, left, right = box
    thickest, nearest = np.uint64(len(curve) - 1), len(fronts) > 0
    for row in range(top, bottom):
        begin = (row + margin) * stride + left + margin
        end = begin + right - left
        for tile in range(begin >> TILE, ((end - 1) >> TILE) + 1):
            if not touched[tile]:
                continue
            for place in range(max(tile << TILE, begin), min((tile + 1) << TILE, end)):
                both, hue = sums[place], fronts[place] & np.uint16(HUES - 1) if nearest else np.uint16(0)
                if both == 0 and hue == 0:
                    continue
                column = left + place - begin
                thickness, dither = both >> np.uint64(SIDE), grain[row, column]
                level = np.uint8((curve[min(thickness, thickest)] + dither) >> 3)
                if hues > 1 and not nearest:
                    mean = np.float32(both & np.uint64((1 << SIDE) - 1)) / np.float32(thickness)
                    hue = np.uint16(np.int64(mean + (np.float32(dither) * np.float32(0.0625) + np.float32(0.25))))
                levels[row, column] = level
                codes[row, column] += np.uint16((level * hues + hue) * step)
