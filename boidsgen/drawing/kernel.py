"""The kernel of drawing: what `strokes`, `canvas` and `crowd` do with each animal and each line, for numba to compile.

Pixels are whole numbers that are added up or compared, in any order. Lines are worked out in numbers of 32 bits, each
operation the one that `strokes` does, in its order, and the compiler may not rearrange any; hence equal bits. Canvases
are flat, with a margin, as in `canvas`. A stamp is a sprite on a pixel; `first`, `count`, `offset` and `coverage` are
those of `Sprites`. Most of a picture stays empty: `touched` says in which TILES of a flat plane there may be anything.
What is done with whole pictures stands in `picture_kernel`.
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

SHIFT = 10
"""As `crowd.SHIFT`; a test holds the two together."""

HUE = 15
"""The bits of a front that are its hue."""

SIDE = 32
"""As `crowd.SIDE`."""

TILE = 6
"""As `picture_kernel.TILE`."""

STEPS = 64
"""As `animals.STEPS`."""

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
                off = here_off - shift * ahead
                if off >= edge[i] or -off >= edge[i]:
                    continue  # too far away, whatever else
                along = here_along + shift * aside
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
def stamp_alike(sums, touched, first, count, offset, coverage, number, pixel, strength):
    """As `Crowd.stamp`, where all have one hue."""
    for i in range(len(number)):
        begin, strong = first[number[i]], np.uint32(strength[i])
        for entry in range(np.uint64(begin), np.uint64(begin + count[number[i]])):
            place = np.uint64(pixel[i] + offset[entry])
            sums[place] += (np.uint32(coverage[entry]) * strong) >> np.uint32(SHIFT)
            touched[place >> np.uint64(TILE)] = 1


@part
def stamp_fronts(sums, touched, fronts, first, count, offset, coverage, number, pixel, strength, front):
    """The same with the plane of who is in front."""
    for i in range(len(number)):
        begin, strong = first[number[i]], np.uint32(strength[i])
        for entry in range(np.uint64(begin), np.uint64(begin + count[number[i]])):
            place = np.uint64(pixel[i] + offset[entry])
            sums[place] += (np.uint32(coverage[entry]) * strong) >> np.uint32(SHIFT)
            touched[place >> np.uint64(TILE)] = 1
            # The highest bit says that at least half of the pixel is covered.
            seen = front[i] | ((np.uint16(coverage[entry]) >> np.uint16(7)) << np.uint16(15))
            fronts[place] = max(fronts[place], np.uint16(seen))


@part
def stamp_mixed(sums, touched, first, count, offset, coverage, number, pixel, strength, front):
    """The same with hues that are mixed."""
    for i in range(len(number)):
        begin, strong = first[number[i]], np.uint32(strength[i])
        weight = (np.uint64(1) << np.uint64(SIDE)) + np.uint64(front[i] & np.uint16(HUE))
        for entry in range(np.uint64(begin), np.uint64(begin + count[number[i]])):
            place = np.uint64(pixel[i] + offset[entry])
            thickness = (np.uint32(coverage[entry]) * strong) >> np.uint32(SHIFT)
            sums[place] += np.uint64(thickness) * weight
            touched[place >> np.uint64(TILE)] = 1


@part
def trace_alike(sums, touched, line, flat, coverage, strength):
    """As `Crowd.trace`, where all have one hue; gives the lowest and the highest pixel."""
    low, high = flat[0], flat[0]
    for i in range(len(flat)):
        low, high = min(low, flat[i]), max(high, flat[i])
        place, strong = np.uint64(flat[i]), np.uint32(strength[np.uint64(line[i])])
        sums[place] += (np.uint32(coverage[i]) * strong) >> np.uint32(SHIFT)
        touched[place >> np.uint64(TILE)] = 1
    return low, high


@part
def trace_fronts(sums, touched, fronts, line, flat, coverage, strength, front):
    """The same with the plane of who is in front."""
    low, high = flat[0], flat[0]
    for i in range(len(flat)):
        low, high = min(low, flat[i]), max(high, flat[i])
        place, one = np.uint64(flat[i]), np.uint64(line[i])
        sums[place] += (np.uint32(coverage[i]) * np.uint32(strength[one])) >> np.uint32(SHIFT)
        touched[place >> np.uint64(TILE)] = 1
        seen = front[one] | ((np.uint16(coverage[i]) >> np.uint16(7)) << np.uint16(15))
        fronts[place] = max(fronts[place], np.uint16(seen))
    return low, high


@part
def trace_mixed(sums, touched, line, flat, coverage, strength, front):
    """The same with hues that are mixed."""
    low, high = flat[0], flat[0]
    for i in range(len(flat)):
        low, high = min(low, flat[i]), max(high, flat[i])
        place, one = np.uint64(flat[i]), np.uint64(line[i])
        weight = (np.uint64(1) << np.uint64(SIDE)) + np.uint64(front[one] & np.uint16(HUE))
        thickness = (np.uint32(coverage[i]) * np.uint32(strength[one])) >> np.uint32(SHIFT)
        sums[place] += np.uint64(thickness) * weight
        touched[place >> np.uint64(TILE)] = 1
    return low, high


@part
def project(point, axes, center, view, xy, scale, depth, shown):
    """As `Projection.__call__`; `view` is origin, scale, distance, reach and the closest that anything is shown."""
    origin_x, origin_y, plain, distance, reach, closest = view
    dimension = point.shape[1]
    for i in range(len(point)):
        x, y = point[i, 0] - center[0], point[i, 1] - center[1]
        right, up, toward = axes[0, 0] * x, axes[1, 0] * x, axes[2, 0] * x
        right, up, toward = right + axes[0, 1] * y, up + axes[1, 1] * y, toward + axes[2, 1] * y
        if dimension > 2:
            z = point[i, 2] - center[2]
            right, up, toward = right + axes[0, 2] * z, up + axes[1, 2] * z, toward + axes[2, 2] * z
        nearness = 1.0 - toward / distance
        scale[i] = plain / max(nearness, closest)
        xy[i, 0], xy[i, 1] = origin_x + right * scale[i], origin_y + -up * scale[i]
        depth[i] = 0.0 if reach == 0.0 else min(max((reach - toward) / (2.0 * reach), 0.0), 1.0)
        shown[i] = nearness > closest


@part
def on_screen(x, y, z, axes):
    """As `animals._on_screen`."""
    return (
        x * axes[0, 0] + y * axes[0, 1] + z * axes[0, 2],
        x * axes[1, 0] + y * axes[1, 1] + z * axes[1, 2],
    )


@part
def direction(x, y):
    """As `animals._direction`."""
    wide, high = abs(x), abs(y)
    share = min(wide, high) * np.float32(STEPS) / max(wide, high, np.float32(1e-9))
    eighth = (4 if x < 0 else 0) + (2 if y < 0 else 0) + (1 if high > wide else 0)
    return eighth * (STEPS + 1) + np.int64(share + np.float32(0.5))


@part
def turn_bodies(velocity, before, axes, bank, turns, heading, apparent, width):
    """As `animals.attitudes` in three dimensions; axes in 32 bits, and the angles of all directions."""
    least, one, zero = np.float32(1e-9), np.float32(1.0), np.float32(0.0)
    for i in range(len(velocity)):
        x, y, z = np.float32(velocity[i, 0]), np.float32(velocity[i, 1]), np.float32(velocity[i, 2])
        u, v, w = x - np.float32(before[i, 0]), y - np.float32(before[i, 1]), z - np.float32(before[i, 2])
        pace = one / max(np.sqrt(x * x + y * y + z * z), least)
        x, y, z, lean = x * pace, y * pace, z * pace, bank * pace
        u, v, w = lean * u, lean * v, lean * w + one
        a, b, c = y * w - z * v, z * u - x * w, x * v - y * u
        span = np.sqrt(a * a + b * b + c * c)
        if span < np.float32(1e-6):
            a, b, c = axes[0, 0], axes[0, 1], axes[0, 2]
        else:
            a, b, c = a / span, b / span, c / span
        x, y = on_screen(x, y, z, axes)
        u, v = on_screen(a, b, c, axes)
        area = abs(x * v - y * u)
        long, wide = np.sqrt(x * x + y * y), np.sqrt(u * u + v * v)
        across = area / max(long, wide, least)
        below = -one if u * y - v * x < zero else one
        if long >= wide:
            heading[i], apparent[i], width[i] = turns[direction(x, y)], long, across
        else:
            heading[i], apparent[i], width[i] = turns[direction(-v * below, u * below)], across, wide


@part
def number_sprites(xy, heading, size, apparent, width, per_size, sized, slim, narrow, steps, drawn, number):
    """As `QuickSprites.number` for bodies with widths; gives whether all kinds are drawn.

    `steps` are the steps of tables, the headings, and the places per pixel along each axis.
    """
    parts, headings, fine = steps
    known = True
    for i in range(len(xy)):
        kind = sized[min(max(np.int64(size[i] * per_size), 0), len(sized) - 1)]
        kind += slim[min(max(np.int64(apparent[i] * np.float32(parts)), 0), len(slim) - 1)]
        kind += narrow[min(max(np.int64(width[i] * np.float32(parts)), 0), len(narrow) - 1)]
        known &= drawn[kind]
        turn = np.int64(np.rint(heading[i] * (headings / (2 * np.pi)))) % headings
        column, row = np.int64(np.rint(xy[i, 0] * fine)) % fine, np.int64(np.rint(xy[i, 1] * fine)) % fine
        number[i] = ((kind * headings + turn) * fine + row) * fine + column
    return known
