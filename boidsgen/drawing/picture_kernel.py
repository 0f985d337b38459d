"""The kernel of pictures: what `pixels` and `crowd` do with whole pictures, for numba to compile.

All are whole numbers, and each operation is the one of numpy; hence equal bits. A box is first and last row, first and
last column, without these. Planes of a crowd have a margin on all sides, and TILES of which most stay empty: `touched`
says in which there may be anything, so that the others are neither looked at nor cleared. Every row is done in short
loops: most of them the compiler turns into operations on many pixels.
"""

# numba finds the types of all functions below from the signatures in `signatures`. It keeps machine code by the time of
# this file alone, so all parts of it stand here: a change in another file would go unnoticed.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from typing import Any

import numpy as np
from numba import njit

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
"""Threads may run at the same time; division by zero gives what numpy gives."""

FINE = 8
"""As `pixels.FINE`."""

HUE = 15
"""The bits of a front that are its hue."""

SIDE = 32
"""As `crowd.SIDE`."""

TILE = 6
"""A tile of a flat plane has as many pixels as this power of two."""

OVERLAYS = 256
"""As `light.OVERLAYS`."""

part = njit(**OPTIONS)
"""Marks a part of the compiled functions, or one of them."""


@part
def row_of(plane, row, box, margin):
    """A row of a box of the picture, in a plane with a margin."""
    return plane[row + margin, box[2] + margin : box[3] + margin]


@part
def copy_row(target, source):
    """Write one row over another; several times as fast as an assignment to all of it."""
    for column in range(len(target)):
        target[column] = source[column]


@part
def spread_row(target, plane, row, top, left):
    """Write a row of a plane that begins at `top` and `left` over a row of the picture, and nothing beside it."""
    for column in range(len(target)):
        target[column] = 0
    if 0 <= row - top < len(plane):
        copy_row(target[left : left + plane.shape[1]], plane[row - top])


@part
def clear_alike(sums, touched):
    """Empty the tiles of flat sums in which there may be anything."""
    for tile in range(len(touched)):
        if touched[tile]:
            sums[tile << TILE : (tile + 1) << TILE] = 0
            touched[tile] = 0


@part
def clear_fronts(sums, fronts, touched):
    """The same with the plane of who is in front."""
    for tile in range(len(touched)):
        if touched[tile]:
            sums[tile << TILE : (tile + 1) << TILE] = 0
            fronts[tile << TILE : (tile + 1) << TILE] = 0
            touched[tile] = 0


@part
def clear_mixed(sums, touched):
    """The same with hues that are mixed, whose sums are of another type."""
    clear_alike(sums, touched)


@part
def tiles_of(stride, row, box, margin):
    """Where a row of a box begins in a flat plane with a margin, its first tile, and the one behind its last."""
    begin = (row + margin) * stride + box[2] + margin
    return begin, begin >> TILE, ((begin + box[3] - box[2] - 1) >> TILE) + 1


@part
def columns_of(tile, begin, columns):
    """The columns of a row that lie in a tile: the first, and the one behind the last."""
    return max((tile << TILE) - begin, 0), min(((tile + 1) << TILE) - begin, columns)


@part
def level_of(thickness, curve, dither):
    """The level of so much thickness, which is more than none."""
    return np.uint8((curve[min(np.uint64(thickness), np.uint64(len(curve) - 1))] + dither) >> 3)


@part
def hue_of(weighed, thickness, dither):
    """The mean hue of so much thickness, each by what it adds."""
    mean = np.float32(weighed) / np.float32(thickness)
    return np.uint16(np.int64(mean + (np.float32(dither) * np.float32(0.5 / FINE) + np.float32(0.25))))


@part
def levels_alike(sums, touched, margin, curve, grain, levels, box):
    """As `Crowd.levels`, where all have one hue."""
    for row in range(box[0], box[1]):
        begin, first, last = tiles_of(sums.shape[1], row, box, margin)
        thickness, dither = row_of(sums, row, box, margin), row_of(grain, row, box, 0)
        level = row_of(levels, row, box, 0)
        level[:] = 0
        for tile in range(first, last):
            if touched[tile]:
                low, high = columns_of(tile, begin, len(level))
                for column in range(low, high):
                    if thickness[column]:
                        level[column] = level_of(thickness[column], curve, dither[column])


@part
def levels_mixed(sums, touched, margin, curve, grain, levels, box, hues):
    """The same with hues that are mixed."""
    for row in range(box[0], box[1]):
        begin, first, last = tiles_of(sums.shape[1], row, box, margin)
        both, dither = row_of(sums, row, box, margin), row_of(grain, row, box, 0)
        level, hue = row_of(levels, row, box, 0), hues[row - box[0]]
        level[:], hue[:] = 0, 0
        for tile in range(first, last):
            if touched[tile]:
                low, high = columns_of(tile, begin, len(level))
                for column in range(low, high):
                    if both[column]:
                        thickness = both[column] >> np.uint64(SIDE)
                        level[column] = level_of(thickness, curve, dither[column])
                        hue[column] = hue_of(both[column] & np.uint64((1 << SIDE) - 1), thickness, dither[column])


@part
def add_alike(codes, sums, touched, margin, curve, grain, box, step):
    """As `Hues.add_to`, where all have one hue."""
    for row in range(box[0], box[1]):
        begin, first, last = tiles_of(sums.shape[1], row, box, margin)
        thickness, dither = row_of(sums, row, box, margin), row_of(grain, row, box, 0)
        code = row_of(codes, row, box, 0)
        for tile in range(first, last):
            if touched[tile]:
                low, high = columns_of(tile, begin, len(code))
                for column in range(low, high):
                    if thickness[column]:
                        level = level_of(thickness[column], curve, dither[column])
                        code[column] += np.uint16(np.uint16(level) * np.uint16(step))


@part
def add_fronts(codes, sums, touched, fronts, margin, curve, grain, box, hues, step):
    """The same with the plane of who is in front."""
    for row in range(box[0], box[1]):
        begin, first, last = tiles_of(sums.shape[1], row, box, margin)
        thickness, dither = row_of(sums, row, box, margin), row_of(grain, row, box, 0)
        code, front = row_of(codes, row, box, 0), row_of(fronts, row, box, margin)
        for tile in range(first, last):
            if touched[tile]:
                low, high = columns_of(tile, begin, len(code))
                for column in range(low, high):
                    body = front[column] & np.uint16(HUE)
                    if thickness[column]:
                        body += np.uint16(level_of(thickness[column], curve, dither[column])) * np.uint16(hues)
                    code[column] += np.uint16(body * np.uint16(step))


@part
def add_mixed(codes, sums, touched, margin, curve, grain, box, hues, step):
    """The same with hues that are mixed."""
    for row in range(box[0], box[1]):
        begin, first, last = tiles_of(sums.shape[1], row, box, margin)
        both, dither = row_of(sums, row, box, margin), row_of(grain, row, box, 0)
        code = row_of(codes, row, box, 0)
        for tile in range(first, last):
            if touched[tile]:
                low, high = columns_of(tile, begin, len(code))
                for column in range(low, high):
                    if both[column]:
                        thickness = both[column] >> np.uint64(SIDE)
                        level = np.uint16(level_of(thickness, curve, dither[column]))
                        hue = hue_of(both[column] & np.uint64((1 << SIDE) - 1), thickness, dither[column])
                        code[column] += np.uint16((level * np.uint16(hues) + hue) * np.uint16(step))


@part
def add_levels(codes, level, box, step):
    """As `Pixels.add_levels`."""
    for row in range(box[0], box[1]):
        code, here = row_of(codes, row, box, 0), row_of(level, row, box, 0)
        for column in range(len(code)):
            code[column] += np.uint16(here[column]) * np.uint16(step)


@part
def add_hues(codes, level, box, hue, hues, step):
    """As `Pixels.add_hues`."""
    for row in range(box[0], box[1]):
        code, here, own = row_of(codes, row, box, 0), row_of(level, row, box, 0), hue[row - box[0]]
        for column in range(len(code)):
            code[column] += np.uint16((np.uint16(here[column]) * np.uint16(hues) + own[column]) * np.uint16(step))


@part
def add_embers(codes, drawn, margin, cloud, top, left, most, grain, box):
    """As `Pixels.add_embers`, in a box of the picture; the cloud begins at `top` and `left`."""
    bright = np.zeros(codes.shape[1], np.uint8)
    fine, full = bright[box[2] : box[3]], np.uint8(most)
    for row in range(box[0], box[1]):
        spread_row(bright, cloud, row, top, left)
        code, dither, ink = row_of(codes, row, box, 0), row_of(grain, row, box, 0), row_of(drawn, row, box, margin)
        for column in range(len(code)):
            light = min(np.uint8(fine[column] + ink[column]), full)
            code[column] += np.uint16(np.uint8(light + dither[column]) >> np.uint8(3))


@part
def lay_over(codes, drawn, margin, noted, step, overlays, coarse):
    """As `Pixels.lay_over`; who is noted twice is written once: codes of overlays come after all others."""
    rows, columns = codes.shape
    stride, flat = drawn.shape[1], drawn.reshape(-1)
    for i in range(len(noted)):
        ink = flat[noted[i]]
        if ink:
            row = np.int64(np.uint32(noted[i]) // np.uint32(stride))
            column = noted[i] - row * stride - margin
            row -= margin
            if 0 <= row < rows and 0 <= column < columns and codes[row, column] < overlays:
                tone = coarse[codes[row, column] // np.uint16(step)]
                codes[row, column] = np.uint16(overlays + tone * OVERLAYS + ink)


@part
def clear(codes, ground, rim, cleared):
    """As `Pixels.clear`."""
    for row in range(codes.shape[0]):
        for column in range(codes.shape[1]):
            if rim[row, column]:
                codes[row, column] = max(ground[row, column], np.uint8(cleared))


@part
def cover(codes, coverage, ladder):
    """As `Pixels.cover`."""
    for row in range(codes.shape[0]):
        for column in range(codes.shape[1]):
            if coverage[row, column]:
                codes[row, column] = max(codes[row, column], ladder[coverage[row, column]])


@part
def restore(codes, ground, flat):
    """As `Pixels.restore`."""
    for i in range(len(flat)):
        codes[np.uint64(flat[i])] = ground[np.uint64(flat[i])]


@part
def shade(codes, bare, still, glow, glow_at, shadow, shadow_at, grain, brightest, step, box):
    """As `Pixels.shade`; the glow and the shadow begin at these rows and columns."""
    glowing, dark = np.zeros(still.shape[1], np.uint8), np.zeros(still.shape[1], np.uint8)
    most, scale, apart = np.uint16(255), np.uint16(brightest), np.uint16(step)
    for row in range(len(codes)):
        if not box[0] <= row < box[1]:
            copy_row(codes[row], bare[row])
            continue
        copy_row(codes[row, : box[2]], bare[row, : box[2]])
        copy_row(codes[row, box[3] :], bare[row, box[3] :])
        spread_row(glowing, glow, row, *glow_at)
        spread_row(dark, shadow, row, *shadow_at)
        code, ground, dither = row_of(codes, row, box, 0), row_of(still, row, box, 0), row_of(grain, row, box, 0)
        light, shade = glowing[box[2] : box[3]], dark[box[2] : box[3]]
        for column in range(len(code)):
            # Short numbers all the way: eight times as many are done at once.
            bright = np.uint16(ground[column])
            taken = np.uint16(np.uint16(bright * np.uint16(shade[column])) >> np.uint16(8))
            bright = min(np.uint16(np.uint16(bright - taken) + np.uint16(light[column])), most)
            fine = np.uint16(np.uint16(bright * scale) + np.uint16(dither[column]))
            code[column] = np.uint16(np.uint16(fine // most) * apart)
