"""The compiled engine's neighbor sums.

Every operation on floating-point numbers is the one that `grid` and `vectorized` do, in their order, and the compiler
may not rearrange any; hence equal bits. The entry points are `arrange` and `add_up`; `compiled` gives them their types.

Arrays have one row per coordinate. A flat world has three axes too, the first with a single cell; `deep` is None in it
and 0 in a deep one, and numba leaves out the branches that do not apply. An axis is a column of
  lengths  (4, 3) where it begins, cells per world unit, shift of the copies, period to be taken out of offsets
  cells    (2, 3) number of cells, cells to look at on either side
as in `grid.Axis`. Requests are described by
  bounds   (groups, 3) squares of the radius and of the smallest distance, cosine of half the field of view or ALL_ROUND
  most     (groups,) how many of the nearest, 0 for all
  wanted   (requests, 2) group and quantity
"""

# numba finds the types of everything here by itself.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-overload"

from typing import Any

import numpy as np
from numba import njit

VELOCITY, CONSTANT, INVERSE = 2, 3, 4  # Some quantities by their numbers in `compiled.QUANTITIES`
ALL_ROUND = -2.0  # In place of a cosine: no bound on the field of view
NEAR, INDICES = 5, 3  # Rows of the memory that a search needs: of floating-point numbers, and of indices

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""Threads may run at the same time; division by zero gives what numpy gives."""
part = njit(**OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True)
inlined = njit(**OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


@part
def cell_along(axis, coordinate, lengths, cells):
    """The cell of a coordinate, the first or last if it is outside; as `Axis.cell`."""
    last = cells[0, axis] - 1
    if last == 0:
        return 0
    return int(min(max((coordinate - lengths[0, axis]) * lengths[1, axis], 0.0), float(last)))


def arrange(position, velocity, lengths, cells, cell, starts, crowd, number):
    """Sort sources by cell, stably: `crowd` (6, n) positions and velocities, `number` (n,) which source each is.

    `starts` (cells + 2,), all zero, receives where each cell begins; `cell` (n,) is memory.
    """
    skipped, many = 3 - len(position), position.shape[1]
    for i in range(many):
        own = 0
        for axis in range(skipped, 3):
            own = own * cells[0, axis] + cell_along(axis, position[axis - skipped, i], lengths, cells)
        cell[i] = own
        starts[own + 2] += 1
    for one in range(2, len(starts)):
        starts[one] += starts[one - 1]
    for i in range(many):
        entry = starts[cell[i] + 1]
        starts[cell[i] + 1] += 1
        number[entry] = i
        for axis in range(skipped, 3):
            crowd[axis, entry] = position[axis - skipped, i]
            crowd[3 + axis, entry] = velocity[axis - skipped, i]


@part
def repeated(axis, place, lengths, cells):
    """The cell that appears at a place along an axis, -1 for none, and by how much it is shifted there."""
    if 0 <= place < cells[0, axis]:
        return place, 0.0
    if lengths[2, axis] == 0.0:
        return -1, 0.0
    if place < 0:
        return place + cells[0, axis], -lengths[2, axis]
    return place - cells[0, axis], lengths[2, axis]


@part
def ranges_around(starts, x, y, z, lengths, cells, ranges, shifts):
    """Write the ranges of entries around a cell, in the order of the grid, with their shifts; how many there are."""
    found, row_cells, reach = 0, cells[0, 2], cells[1, 2]
    for layer in range(x - cells[1, 0], x + cells[1, 0] + 1):
        layer_of, shift_x = repeated(0, layer, lengths, cells)
        for row in range(y - cells[1, 1], y + cells[1, 1] + 1):
            row_of, shift_y = repeated(1, row, lengths, cells)
            if layer_of < 0 or row_of < 0:
                continue
            for copy in range(-1, 2):
                first = copy * row_cells
                begin, end = max(z - reach, first), min(z + reach + 1, first + row_cells)
                if begin >= end or (copy != 0 and lengths[2, 2] == 0.0):
                    continue
                base = (layer_of * cells[0, 1] + row_of) * row_cells - first
                ranges[found, 0], ranges[found, 1] = starts[base + begin], starts[base + end]
                shifts[found, 0], shifts[found, 1], shifts[found, 2] = shift_x, shift_y, copy * lengths[2, 2]
                found += 1
    return found


@part
def shortest(along, period):
    """The minimum-image offset along one axis."""
    return along - period * np.rint(along / period) if period != 0 else along


@part
def look_flat(crowd, ranges, shifts, pieces, place, lengths, max_squared, min_squared, near, who):
    """Leave in `near` the offsets and squared distances of neighbors, in `who` their entries; how many there are.

    Everything is written always and kept by counting on: a branch could not be predicted.
    """
    here_y, here_z = place[1], place[2]
    period_y, period_z = lengths[3, 1], lengths[3, 2]
    repeats = period_y != 0 or period_z != 0
    kept = np.uint64(0)  # unsigned: indices that might be negative are looked at twice
    for piece in range(pieces):
        shift_y, shift_z = shifts[piece, 1], shifts[piece, 2]
        for entry in range(ranges[piece, 0], ranges[piece, 1]):
            y, z = crowd[1, entry] + shift_y - here_y, crowd[2, entry] + shift_z - here_z
            if repeats:
                y, z = shortest(y, period_y), shortest(z, period_z)
            squared = y * y + z * z
            near[1, kept], near[2, kept], near[3, kept], who[kept] = y, z, squared, entry
            kept += np.uint64((squared < max_squared) & (squared >= min_squared))
    return kept


@part
def offsets_along(axis, crowd, begin, end, shift, here, period, near, found):
    """Write the offsets along one axis; in loops so plain that the compiler handles several at once."""
    count = end - begin
    for k in range(count):
        near[axis, found + k] = crowd[axis, begin + k] + shift - here
    if period != 0.0:
        for k in range(count):
            near[axis, found + k] -= period * np.rint(near[axis, found + k] / period)


@part
def look_deep(crowd, ranges, shifts, pieces, place, lengths, max_squared, min_squared, near, who, around):
    """As `look_flat`, for many candidates: all of them are left in `near`, and which are neighbors in `around`."""
    found = np.uint64(0)
    for piece in range(pieces):
        begin, end = ranges[piece, 0], ranges[piece, 1]
        offsets_along(0, crowd, begin, end, shifts[piece, 0], place[0], lengths[3, 0], near, found)
        offsets_along(1, crowd, begin, end, shifts[piece, 1], place[1], lengths[3, 1], near, found)
        offsets_along(2, crowd, begin, end, shifts[piece, 2], place[2], lengths[3, 2], near, found)
        for k in range(end - begin):
            who[found + k] = begin + k
        found += end - begin
    for k in range(found):
        near[3, k] = near[0, k] * near[0, k] + near[1, k] * near[1, k] + near[2, k] * near[2, k]
    kept = np.uint64(0)
    for k in range(found):
        around[kept] = k
        kept += np.uint64((near[3, k] < max_squared) & (near[3, k] >= min_squared))
    return kept


@part
def nearest(near, candidates, most, choice):
    """Keep the `most` nearest in `choice`, in their order; among equally near ones the first found."""
    ranks = 0
    for i in range(candidates):
        squared = near[3, choice[i]]
        if ranks == most and squared >= near[4, most - 1]:
            continue
        ranks = min(ranks + 1, most)
        slot = ranks - 1
        while slot > 0 and near[4, slot - 1] > squared:
            near[4, slot] = near[4, slot - 1]
            slot -= 1
        near[4, slot] = squared
    furthest = near[4, most - 1]
    places = 0
    for rank in range(most):
        places += near[4, rank] == furthest
    kept = np.uint64(0)
    for i in range(candidates):
        squared = near[3, choice[i]]
        if squared < furthest or (squared == furthest and places > 0):
            places -= squared == furthest
            choice[kept] = choice[i]
            kept += np.uint64(1)
    return kept


@part
def choose(near, around, candidates, flight, within, least, cosine, most, choice):
    """Leave in `choice` the neighbors that a group of requests is about; how many there are."""
    kept = np.uint64(0)
    speed = np.sqrt(flight[0] * flight[0] + flight[1] * flight[1] + flight[2] * flight[2])
    if cosine == ALL_ROUND or speed == 0:
        for i in range(candidates):
            k = around[i]
            choice[kept] = k
            kept += np.uint64((near[3, k] < within) & (near[3, k] >= least))
    else:
        for i in range(candidates):
            k = around[i]
            ahead = flight[0] * near[0, k] + flight[1] * near[1, k] + flight[2] * near[2, k]
            choice[kept] = k
            seen = ahead > speed * np.sqrt(near[3, k]) * cosine
            kept += np.uint64((near[3, k] < within) & (near[3, k] >= least) & seen)
    if 0 < most < np.int64(kept):
        kept = nearest(near, kept, most, choice)
    return kept


@inlined
def means(deep, crowd, near, who, choice, kept):
    """The sums of the offsets and of the velocities of the chosen neighbors, one after the other."""
    x = y = z = u = v = w = 0.0
    for i in range(kept):
        k = choice[i]
        entry = who[k]
        if deep is not None:
            x += near[0, k]
            u += crowd[3, entry]
        y += near[1, k]
        z += near[2, k]
        v += crowd[4, entry]
        w += crowd[5, entry]
    return (x, y, z), (u, v, w)


@inlined
def pushes(deep, near, choice, kept, quantity):
    """The sum of the offsets of the chosen neighbors, each brought to the length that a falloff gives."""
    x = y = z = 0.0
    for i in range(kept):
        k = choice[i]
        squared = near[3, k]
        if quantity == INVERSE:
            divisor = squared
        elif quantity == CONSTANT:
            divisor = np.sqrt(squared)
        else:
            divisor = squared * np.sqrt(squared)
        x += 0.0 if deep is None else near[0, k] / divisor
        y += near[1, k] / divisor
        z += near[2, k] / divisor
    return x, y, z


@inlined
def answer(deep, crowd, near, who, around, found, flight, requests, max_squared, choice, own, count, total):
    """Write the answers for one boid, about those `around`, to column `own` of `count` and `total`."""
    bounds, most, wanted = requests
    group, kept, chosen = -1, found, around
    offsets = velocities = (0.0, 0.0, 0.0)
    summed = False
    for request in range(len(wanted)):
        if wanted[request, 0] != group:
            group, summed = wanted[request, 0], False
            within, least, cosine = bounds[group, 0], bounds[group, 1], bounds[group, 2]
            if within == max_squared and cosine == ALL_ROUND and most[group] == 0:
                kept, chosen = found, around
            else:
                kept = choose(near, around, found, flight, within, least, cosine, most[group], choice)
                chosen = choice
            count[group, own] = kept
        quantity = wanted[request, 1]
        if quantity > VELOCITY:
            x, y, z = pushes(deep, near, chosen, kept, quantity)
        else:
            if not summed:  # both at once: each addition waits for the one before it
                offsets, velocities = means(deep, crowd, near, who, chosen, kept)
                summed = True
            x, y, z = velocities if quantity == VELOCITY else offsets
        first = 0
        if deep is not None:
            total[request, 0, own] = x
            first = 1
        total[request, first, own] = y
        total[request, first + 1, own] = z


@inlined
def look(deep, crowd, ranges, shifts, pieces, place, lengths, max_squared, min_squared, near, who, around):
    """Look at the entries of some ranges; how many of them are neighbors: those that `around` numbers."""
    if deep is None:
        return look_flat(crowd, ranges, shifts, pieces, place, lengths, max_squared, min_squared, near, who)
    return look_deep(crowd, ranges, shifts, pieces, place, lengths, max_squared, min_squared, near, who, around)


def add_up(
    deep, crowd, number, starts, asking, begin, end, lengths, cells, max_squared, min_squared, bounds, most, wanted,
    near, indices, ranges, shifts, count, total,
):  # fmt: skip
    """Write the sums for the entries `begin` to `end` of `asking`, (6, k), to `count` and `total`.

    `near`, `indices`, `ranges` and `shifts` are memory, as `compiled.search_memory` begins it.
    """
    who, around, choice = indices[0], indices[1], indices[2]
    requests = bounds, most, wanted
    last_x, last_y, last_z = -1, -1, -1
    pieces = 0
    for entry in range(begin, end):
        place = 0.0 if deep is None else asking[0, entry], asking[1, entry], asking[2, entry]
        flight = 0.0 if deep is None else asking[3, entry], asking[4, entry], asking[5, entry]
        x = 0 if deep is None else cell_along(0, place[0], lengths, cells)
        y, z = cell_along(1, place[1], lengths, cells), cell_along(2, place[2], lengths, cells)
        if x != last_x or y != last_y or z != last_z:
            pieces = ranges_around(starts, x, y, z, lengths, cells, ranges, shifts)
            last_x, last_y, last_z = x, y, z
        kept = look(deep, crowd, ranges, shifts, pieces, place, lengths, max_squared, min_squared, near, who, around)
        own = number[entry]
        answer(deep, crowd, near, who, around, kept, flight, requests, max_squared, choice, own, count, total)
