"""The kernel of drawing: what `strokes`, `canvas`, `crowd` and `embers` do pixel by pixel, for numba to compile.

Pixels are whole numbers that are added up or compared, in any order. Lines are worked out in numbers of 32 bits, each
operation the one that `strokes` does, in its order, and the compiler may not rearrange any; hence equal bits. Canvases
are flat, with a margin, as in `canvas`. A stamp is a sprite on a pixel; `first`, `count`, `offset` and `coverage` are
those of `Sprites`.
"""

# numba finds the types of all functions below from the signatures in `compiled`. It keeps machine code by the time of
# this file alone, so all parts of it stand here: a change in another file would go unnoticed.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from typing import Any

import numpy as np
from numba import njit

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
"""Threads may run at the same time; division by zero gives what numpy gives."""

SHIFT = 10
"""As `crowd.SHIFT`; a test holds the two together."""

FINE = 8
"""As `light.FINE`."""

HUE = 15
"""The bits of a front that are its hue."""

SIDE = 32
"""As `crowd.SIDE`."""

part = njit(**OPTIONS)
"""Marks a part of the compiled functions, or one of them."""


@part
def walked(start, end, half, steep):
    """For every line the first pixel along its longer direction and how many there are; and how many in all."""
    low, count = np.empty(len(start), np.int64), np.empty(len(start), np.int64)
    total = 0
    for i in range(len(start)):
        steep[i] = abs(end[i, 1] - start[i, 1]) > abs(end[i, 0] - start[i, 0])
        axis = 1 if steep[i] else 0
        begin, stop = np.float32(start[i, axis]), np.float32(end[i, axis])
        low[i] = np.int64(np.floor(min(begin, stop) - half))
        count[i] = np.int64(np.floor(max(begin, stop) + half)) - low[i] + 1
        total += count[i]
    return low, count, total


@part
def traced(start, end, half, edge, beside, stride, corner):
    """Line, pixel and coverage of all that lines cover, as `strokes`: each from `start` to `end`, shape (n, 2).

    The widest has the half width `half`; `edge` is how far from its middle each ends to cover, shape (n,), `beside` how
    many pixels to either side are looked at, and `corner` the pixel at (0, 0).
    """
    steep = np.empty(len(start), np.bool_)
    low, count, total = walked(start, end, half, steep)
    line, flat = np.empty(total * (2 * beside + 1), np.int64), np.empty(total * (2 * beside + 1), np.int64)
    coverage = np.empty(len(line), np.uint8)
    zero, middle, full = np.float32(0.0), np.float32(0.5), np.float32(255.0)
    found = 0
    for i in range(len(start)):
        longer, shorter = (1, 0) if steep[i] else (0, 1)
        one_on, one_aside = (stride, 1) if steep[i] else (1, stride)
        from_x, from_y = np.float32(start[i, longer]), np.float32(start[i, shorter])
        way_x, way_y = np.float32(end[i, longer]) - from_x, np.float32(end[i, shorter]) - from_y
        size = np.sqrt(way_x * way_x + way_y * way_y)
        slope = way_y / way_x if way_x != zero else zero
        ahead, aside = (way_x / size, way_y / size) if size > zero else (np.float32(1.0), zero)
        for place in range(low[i], low[i] + count[i]):
            x = np.float32(place) + middle - from_x
            across = np.floor(from_y + x * slope)
            y = across + middle - from_y
            begin = corner + place * one_on + np.int64(across) * one_aside
            here_along, here_off = x * ahead + y * aside, x * aside - y * ahead
            for side in range(-beside, beside + 1):
                shift = np.float32(side)
                along, off = here_along + shift * aside, here_off - shift * ahead
                beyond = max(-along, along - size, zero)
                covered = (edge[i] - np.sqrt(off * off + beyond * beyond)) * full
                cover = np.uint8(np.int64(min(max(covered, zero), full)))
                line[found], flat[found], coverage[found] = i, begin + side * one_aside, cover
                found += cover != 0
    return line[:found].copy(), flat[:found].copy(), coverage[:found].copy()


@part
def draw_lines(codes, line, flat, coverage, tone, ladder):
    """As `Canvas.draw`: put the pixels of lines on a canvas, by `max`."""
    for i in range(len(flat)):
        pixel = np.uint64(flat[i])
        code = ladder[np.uint64(tone[np.uint64(line[i])] + coverage[i])]
        codes[pixel] = max(codes[pixel], code)


@part
def stamp_inks(codes, first, count, offset, coverage, number, pixel, tone, ladder):
    """As `Canvas.stamp`: put a sprite on each pixel of a canvas, by `max`."""
    for i in range(len(number)):
        begin = first[number[i]]
        for entry in range(np.uint64(begin), np.uint64(begin + count[number[i]])):
            place = np.uint64(pixel[i] + offset[entry])
            codes[place] = max(codes[place], ladder[np.uint64(tone[i] + coverage[entry])])


@part
def stamp_alike(sums, first, count, offset, coverage, number, pixel, strength):
    """As `Crowd.stamp`, where all have one hue."""
    for i in range(len(number)):
        begin, strong = first[number[i]], np.uint32(strength[i])
        for entry in range(np.uint64(begin), np.uint64(begin + count[number[i]])):
            sums[np.uint64(pixel[i] + offset[entry])] += (np.uint32(coverage[entry]) * strong) >> np.uint32(SHIFT)


@part
def stamp_fronts(sums, fronts, first, count, offset, coverage, number, pixel, strength, front):
    """The same with the plane of who is in front."""
    for i in range(len(number)):
        begin, strong = first[number[i]], np.uint32(strength[i])
        for entry in range(np.uint64(begin), np.uint64(begin + count[number[i]])):
            place = np.uint64(pixel[i] + offset[entry])
            sums[place] += (np.uint32(coverage[entry]) * strong) >> np.uint32(SHIFT)
            # The highest bit says that at least half of the pixel is covered.
            seen = front[i] | ((np.uint16(coverage[entry]) >> np.uint16(7)) << np.uint16(15))
            fronts[place] = max(fronts[place], np.uint16(seen))


@part
def stamp_mixed(sums, first, count, offset, coverage, number, pixel, strength, front):
    """The same with hues that are mixed."""
    for i in range(len(number)):
        begin, strong = first[number[i]], np.uint32(strength[i])
        weight = (np.uint64(1) << np.uint64(SIDE)) + np.uint64(front[i] & np.uint16(HUE))
        for entry in range(np.uint64(begin), np.uint64(begin + count[number[i]])):
            thickness = (np.uint32(coverage[entry]) * strong) >> np.uint32(SHIFT)
            sums[np.uint64(pixel[i] + offset[entry])] += np.uint64(thickness) * weight


@part
def trace_alike(sums, line, flat, coverage, strength):
    """As `Crowd.trace`, where all have one hue."""
    for i in range(len(flat)):
        strong = np.uint32(strength[np.uint64(line[i])])
        sums[np.uint64(flat[i])] += (np.uint32(coverage[i]) * strong) >> np.uint32(SHIFT)


@part
def trace_fronts(sums, fronts, line, flat, coverage, strength, front):
    """The same with the plane of who is in front."""
    for i in range(len(flat)):
        place, one = np.uint64(flat[i]), np.uint64(line[i])
        sums[place] += (np.uint32(coverage[i]) * np.uint32(strength[one])) >> np.uint32(SHIFT)
        seen = front[one] | ((np.uint16(coverage[i]) >> np.uint16(7)) << np.uint16(15))
        fronts[place] = max(fronts[place], np.uint16(seen))


@part
def trace_mixed(sums, line, flat, coverage, strength, front):
    """The same with hues that are mixed."""
    for i in range(len(flat)):
        one = np.uint64(line[i])
        weight = (np.uint64(1) << np.uint64(SIDE)) + np.uint64(front[one] & np.uint16(HUE))
        thickness = (np.uint32(coverage[i]) * np.uint32(strength[one])) >> np.uint32(SHIFT)
        sums[np.uint64(flat[i])] += np.uint64(thickness) * weight


@part
def levels_alike(sums, curve, grain, levels):
    """As `Crowd.levels` for sums, grain and levels of one part of the picture, where all have one hue."""
    most = np.uint32(len(curve) - 1)
    for row in range(len(sums)):
        for column in range(sums.shape[1]):
            thickness = sums[row, column]
            fine = curve[min(thickness, most)] + grain[row, column]
            levels[row, column] = np.uint8(fine >> 3) if thickness else np.uint8(0)


@part
def levels_mixed(sums, curve, grain, levels, hues):
    """The same with hues that are mixed."""
    most = np.uint64(len(curve) - 1)
    share, least = np.float32(0.5 / FINE), np.float32(0.25)
    for row in range(len(sums)):
        for column in range(sums.shape[1]):
            both = sums[row, column]
            if both == 0:
                levels[row, column], hues[row, column] = 0, 0
                continue
            thickness, weighed = both >> np.uint64(SIDE), both & np.uint64((1 << SIDE) - 1)
            levels[row, column] = (curve[min(thickness, most)] + grain[row, column]) >> 3
            mean = np.float32(weighed) / np.float32(thickness)
            hues[row, column] = np.uint16(np.int64(mean + (np.float32(grain[row, column]) * share + least)))
