"""The kernel of the compiled engine: the pairs of `vectorized`, visited one after the other in the same order.

Every operation on floating-point numbers is the one that `grid`, `pairs` and `vectorized` do, in their order, and the
compiler may not rearrange any; hence equal bits. A flat world is a deep one of a single layer: its first axis has one
cell, and its zeros change no sum. Where it pays, a function is told that the world is `flat` by a constant, and is put
in the place of its call (`inlined`): the compiler then makes a loop without the first axis, a third faster.

Arrays here have one row per coordinate, and an axis is described by a column of
  lengths  (4, 3) where it begins, cells per world unit, shift of the copies, period to be taken out of offsets
  cells    (2, 3) number of cells, cells to look at on either side
as in `grid.Axis`. What is asked is described by
  max_squared, min_squared  squares of the largest radius and of the smallest distance
  bounds                    (groups, 2) square of the radius, and cosine of half the field of view or ALL_ROUND
  most                      (groups,) how many of the nearest, 0 for all
  wanted                    (requests, 2) group and quantity, those of one group together or not
"""

# numba finds the types of all functions below from the signatures in `compiled`. It keeps machine code by the time of
# this file alone, so all parts of it stand here: a change in another file would go unnoticed.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-overload"

from typing import Any

import numpy as np
from numba import njit

from boidsgen.simulation.neighbors.request import Quantity

QUANTITIES: tuple[Quantity, ...] = ("offset", "linear", "velocity", "constant", "inverse", "inverse_square")
"""Quantities by their numbers."""

VELOCITY, CONSTANT, INVERSE = 2, 3, 4

FLAT_WORLD, DEEP_WORLD = True, False
"""What `flat` is in two dimensions and in three: constants to the compiler."""

ALL_ROUND = -2.0
"""In place of a cosine: no bound on the field of view."""

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
"""Threads may run at the same time; division by zero gives what numpy gives."""

part = njit(**OPTIONS)
"""Marks a part of the compiled functions; it is compiled and kept with those that call it."""

frugal = njit(**OPTIONS, _nrt=False)
"""Marks a part that neither makes arrays nor counts references to them, which costs more than looking at a neighbor."""

inlined = njit(**OPTIONS, _nrt=False, forceinline=True)
"""Marks such a part of which there shall be one copy for each call, made for the constants in it."""


@frugal
def cell_along(axis, coordinate, lengths, cells):
    """The cell of a coordinate, the first or last if it is outside; as `Axis.cell`."""
    last = cells[0, axis] - 1
    if last == 0:
        return 0
    return int(min(max((coordinate - lengths[0, axis]) * lengths[1, axis], 0.0), float(last)))


@frugal
def strides_of(cells):
    """Distance from one cell to the next along each axis; as `grid._strides`."""
    rows = cells[0, 2] + 2 * cells[1, 2]
    return rows * (cells[0, 1] + 2 * cells[1, 1]), rows, 1


@part
def numbered(position, lengths, cells, number, count):
    """Number the cells that the sources are in, without copies, and count how many each holds."""
    flat = 3 - len(position)
    for i in range(position.shape[1]):
        cell = 0
        for axis in range(flat, 3):
            cell = cell * cells[0, axis] + cell_along(axis, position[axis - flat, i], lengths, cells)
        number[i] = cell
        count[cell] += 1


@frugal
def original_of(axis, place, lengths, cells):
    """Which cell along an axis the one at a place of the grid is a copy of, or is; -1 where nobody can be."""
    cell = place - cells[1, axis]
    if 0 <= cell < cells[0, axis]:
        return cell
    if lengths[2, axis] == 0:
        return -1
    return cell + cells[0, axis] if cell < 0 else cell - cells[0, axis]


@frugal
def started_cells(starts, here, held, cell, many, entries):
    """Where so many cells start that follow each other, the first after so many entries; how many there are then."""
    for i in range(np.uint64(many)):
        starts[np.uint64(here) + i] = entries
        entries += held[np.uint64(cell) + i]
    return entries


@part
def started(count, lengths, cells):
    """Where each cell of the grid starts, copies included.

    `count`, (parts, cells), how many sources each part of them has in each cell, becomes where the first of these goes:
    those of one cell keep their order, however many parts there are.
    """
    layers, rows, long = cells[0] + 2 * cells[1]
    own, reach = cells[0, 2], cells[1, 2]
    held = count.sum(axis=0)
    nobody = np.zeros(long, np.int64)
    starts = np.empty(layers * rows * long + 1, np.int64)
    entries = 0
    for number in range(layers * rows):
        here = number * long
        layer, row = original_of(0, number // rows, lengths, cells), original_of(1, number % rows, lengths, cells)
        if min(layer, row) < 0:
            entries = started_cells(starts, here, nobody, 0, long, entries)
            continue
        first = (layer * cells[0, 1] + row) * own
        copies = lengths[2, 2] != 0
        low, high = (first + own - reach, first) if copies else (0, 0)
        entries = started_cells(starts, here, held if copies else nobody, low, reach, entries)
        entries = started_cells(starts, here + reach, held, first, own, entries)
        entries = started_cells(starts, here + reach + own, held if copies else nobody, high, reach, entries)
    starts[-1] = entries
    for layer in range(cells[0, 0]):
        for row in range(cells[0, 1]):
            first = ((layer + cells[1, 0]) * rows + row + cells[1, 1]) * long + reach
            cell = (layer * cells[0, 1] + row) * own
            for place in range(own):
                following = starts[first + place]
                for one in range(len(count)):
                    here = following
                    following += count[one, cell + place]
                    count[one, cell + place] = here
    return starts


@part
def placed(position, velocity, first, number, free, crowd, source):
    """Put sources, the first of which has this number, into their cells: coordinates and velocities, and numbers."""
    flat = 3 - len(position)
    for i in range(position.shape[1]):
        entry = free[number[i]]
        free[number[i]] += 1
        for axis in range(flat, 3):
            crowd[axis, entry] = position[axis - flat, i]
            crowd[3 + axis, entry] = velocity[axis - flat, i]
        source[entry] = first + i


@frugal
def copied_cells(crowd, source, begin, end, to, shift):
    """Copy a range of entries, shifted."""
    for i in range(end - begin):
        for axis in range(6):
            crowd[axis, to + i] = crowd[axis, begin + i] + (shift[axis] if axis < 3 else 0.0)
        source[to + i] = source[begin + i]


@frugal
def shift_of(axis, place, lengths, cells):
    """By how much what is at a place of the grid is shifted along an axis: copies beyond the high end go up."""
    if place < cells[1, axis]:
        return -lengths[2, axis]
    return lengths[2, axis] if place >= cells[1, axis] + cells[0, axis] else 0.0


@part
def copied(starts, lengths, cells, first, last, crowd, source):
    """Fill the cells of some rows of the grid that are copies of others; rows are counted through all layers."""
    rows, reach, own = cells[0, 1] + 2 * cells[1, 1], cells[1, 2], cells[0, 2]
    long = own + 2 * reach
    for number in range(first, last):
        layer, row = number // rows, number % rows
        layer_of, row_of = original_of(0, layer, lengths, cells), original_of(1, row, lengths, cells)
        if min(layer_of, row_of) < 0:
            continue
        here = number * long
        middle = ((layer_of + cells[1, 0]) * rows + row_of + cells[1, 1]) * long + reach
        x, y, z = shift_of(0, layer, lengths, cells), shift_of(1, row, lengths, cells), lengths[2, 2]
        end = starts[middle + own]
        if z != 0:
            copied_cells(crowd, source, starts[middle + own - reach], end, starts[here], (x, y, -z))
            high = starts[here + reach + own]
            copied_cells(crowd, source, starts[middle], starts[middle + reach], high, (x, y, z))
        if here + reach != middle:
            copied_cells(crowd, source, starts[middle], end, starts[here + reach], (x, y, 0.0))


@part
def spans(starts, cells):
    """The ranges of entries that are no copies, one for each row, shape (rows, 2)."""
    strides = strides_of(cells)
    ranges = np.empty((cells[0, 0] * cells[0, 1], 2), np.int64)
    for layer in range(cells[0, 0]):
        for row in range(cells[0, 1]):
            first = (layer + cells[1, 0]) * strides[0] + (row + cells[1, 1]) * strides[1] + cells[1, 2]
            ranges[layer * cells[0, 1] + row] = starts[first], starts[first + cells[0, 2]]
    return ranges


@part
def arranged(position, velocity, lengths, cells):
    """The sources sorted by cell: coordinates and velocities (6, m), numbers (m,), and where each cell starts.

    As `grid.make_grid`: those of one cell stay as they were, and copies stand as what they are copies of.
    """
    sources = position.shape[1]
    number = np.empty(sources, np.int64)
    count = np.zeros((1, cells[0, 0] * cells[0, 1] * cells[0, 2]), np.int64)
    numbered(position, lengths, cells, number, count[0])
    starts = started(count, lengths, cells)
    crowd, source = np.zeros((6, starts[-1])), np.empty(starts[-1], np.int64)
    placed(position, velocity, 0, number, count[0], crowd, source)
    rows = (cells[0, 0] + 2 * cells[1, 0]) * (cells[0, 1] + 2 * cells[1, 1])
    copied(starts, lengths, cells, 0, rows, crowd, source)
    return crowd, source, starts


@frugal
def shortest(along, period):
    """The offset along one axis, by the shortest way if there is a period."""
    return along - period * np.rint(along / period) if period != 0 else along


@inlined
def nearby(flat, crowd, starts, place, lengths, cells, max_squared, min_squared, near, entries):
    """How many entries of the grid have squared distances from a place below `max_squared` and not below `min_squared`.

    Their offsets and squared distances are left in `near`, which entries they are in `entries`. In a flat world offsets
    along the first axis are left as they are, zero.
    """
    # Copied to local names: the compiler cannot know that writing to `near` leaves the arrays they are from alone.
    here_x, here_y, here_z = place
    period_x, period_y, period_z = lengths[3, 0], lengths[3, 1], lengths[3, 2]
    repeats = period_x != 0 or period_y != 0 or period_z != 0
    layers, rows, reach = cells[1, 0], cells[1, 1], cells[1, 2]
    strides = strides_of(cells)
    middle = 0
    for axis in range(3):
        middle += (cell_along(axis, place[axis], lengths, cells) + cells[1, axis]) * strides[axis]
    found = np.uint64(0)  # cannot be negative: indices that might be are looked at twice
    for layer in range(-layers, layers + 1):
        for row in range(-rows, rows + 1):
            cell = middle + layer * strides[0] + row * strides[1]
            for entry in range(np.uint64(starts[cell - reach]), np.uint64(starts[cell + reach + 1])):
                x = 0.0 if flat else crowd[0, entry] - here_x
                y = crowd[1, entry] - here_y
                z = crowd[2, entry] - here_z
                if repeats:
                    x = x if flat else shortest(x, period_x)
                    y = shortest(y, period_y)
                    z = shortest(z, period_z)
                squared = x * x + y * y + z * z
                # Written always, kept by counting on: no branch that cannot be foreseen.
                if not flat:
                    near[0, found] = x
                near[1, found] = y
                near[2, found] = z
                near[3, found] = squared
                entries[found] = entry
                found += np.uint64((squared < max_squared) & (squared >= min_squared))
    return found


@frugal
def nearest(near, candidates, most, choice, ranked):
    """Keep the `most` nearest in `choice`, in their order; among equally near ones the first found."""
    ranks = 0
    for i in range(candidates):
        squared = near[3, choice[i]]
        if ranks == most and squared >= ranked[most - 1]:
            continue
        ranks = min(ranks + 1, most)
        slot = ranks - 1
        while slot > 0 and ranked[slot - 1] > squared:
            ranked[slot] = ranked[slot - 1]
            slot -= 1
        ranked[slot] = squared
    furthest = ranked[most - 1]
    places = 0
    for rank in range(most):
        places += ranked[rank] == furthest
    kept = np.uint64(0)
    for i in range(candidates):
        squared = near[3, choice[i]]
        if squared < furthest or (squared == furthest and places > 0):
            places -= squared == furthest
            choice[kept] = choice[i]
            kept += np.uint64(1)
    return kept


@frugal
def chosen(near, found, velocity, within, cosine, most, choice, ranked):
    """How many of those nearby a group of requests is about; which ones is left in `choice`, in their order."""
    kept = np.uint64(0)
    speed = np.sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2])
    if cosine == ALL_ROUND or speed == 0:
        for i in range(found):
            choice[kept] = i
            kept += np.uint64(near[3, i] < within)
    else:
        for i in range(found):
            ahead = velocity[0] * near[0, i] + velocity[1] * near[1, i] + velocity[2] * near[2, i]
            choice[kept] = i
            kept += np.uint64((near[3, i] < within) & (ahead > speed * np.sqrt(near[3, i]) * cosine))
    if 0 < most < np.int64(kept):
        kept = nearest(near, kept, most, choice, ranked)
    return kept


@inlined
def summed(flat, crowd, near, entries, choice, kept, quantity):
    """The sum over the chosen ones; in a flat world zero along the first axis."""
    x = y = z = 0.0
    if quantity == VELOCITY:
        for i in range(kept):
            entry = entries[choice[i]]
            x += 0.0 if flat else crowd[3, entry]
            y += crowd[4, entry]
            z += crowd[5, entry]
    elif quantity < VELOCITY:
        for i in range(kept):
            one = choice[i]
            x += 0.0 if flat else near[0, one]
            y += near[1, one]
            z += near[2, one]
    else:
        for i in range(kept):
            one = choice[i]
            squared = near[3, one]
            if quantity == INVERSE:
                divisor = squared
            elif quantity == CONSTANT:
                divisor = np.sqrt(squared)
            else:
                divisor = squared * np.sqrt(squared)
            x += 0.0 if flat else near[0, one] / divisor
            y += near[1, one] / divisor
            z += near[2, one] / divisor
    return x, y, z


@inlined
def answered(flat, crowd, starts, asking, entry, own, lengths, cells, asked, memory, count, total):
    """Write the answers for one who asks, an entry of `asking`, to row `own` of `count` and `total`."""
    max_squared, min_squared, bounds, most, wanted = asked
    near, entries, everyone, choice, ranked = memory
    first = 0 if flat else 1
    place = (0.0 if flat else asking[0, entry], asking[1, entry], asking[2, entry])
    flight = (0.0 if flat else asking[3, entry], asking[4, entry], asking[5, entry])
    found = nearby(flat, crowd, starts, place, lengths, cells, max_squared, min_squared, near, entries)
    kept = found
    group = -1
    whom = everyone
    for request in range(len(wanted)):
        if wanted[request, 0] != group:
            group = wanted[request, 0]
            within, cosine = bounds[group, 0], bounds[group, 1]
            if within == max_squared and cosine == ALL_ROUND and most[group] == 0:
                kept, whom = found, everyone
            else:
                kept, whom = chosen(near, found, flight, within, cosine, most[group], choice, ranked), choice
            count[group, own] = kept
        x, y, z = summed(flat, crowd, near, entries, whom, kept, wanted[request, 1])
        if not flat:
            total[request, 0, own] = x
        total[request, first, own] = y
        total[request, first + 1, own] = z


@inlined
def visited(flat, crowd, starts, asking, number, ranges, begin, end, lengths, cells, asked, memory, count, total):
    """Write the answers for those from number `begin` to `end` in the given ranges of entries of `asking`."""
    passed = 0
    for one in range(len(ranges)):
        first = ranges[one, 0] + max(begin - passed, 0)
        last = min(ranges[one, 1], ranges[one, 0] + end - passed)
        for entry in range(first, last):
            own = number[entry]
            answered(flat, crowd, starts, asking, entry, own, lengths, cells, asked, memory, count, total)
        passed += ranges[one, 1] - ranges[one, 0]


@part
def add_up(
    crowd, starts, asking, number, ranges, begin, end, lengths, cells,
    max_squared, min_squared, bounds, most, wanted, count, total,
):  # fmt: skip
    """Write the answers for some of those who ask to `count` (groups, n) and `total` (requests or more, d, n).

    Who asks are `asking`, (6, k) coordinates and velocities, the crowd itself where they are the sources; of these the
    given `ranges` (r, 2) of entries, and of these, counted through, those from `begin` to `end`. The answers to an
    entry are those of the boid `number` (k,).
    """
    most_found = crowd.shape[1] + 1
    near = np.zeros((4, most_found))
    entries = np.empty(most_found, np.uint64)
    everyone = np.arange(most_found).astype(np.uint64)
    choice = np.empty(most_found, np.uint64)
    ranked = np.empty(most.max())
    asked = max_squared, min_squared, bounds, most, wanted
    memory = near, entries, everyone, choice, ranked
    who = crowd, starts, asking, number, ranges, begin, end
    if total.shape[1] == 2:
        visited(FLAT_WORLD, *who, lengths, cells, asked, memory, count, total)
    else:
        visited(DEEP_WORLD, *who, lengths, cells, asked, memory, count, total)


@part
def add_up_all(
    position, velocity, lengths, cells, max_squared, min_squared, bounds, most, wanted, count, total,
):  # fmt: skip
    """Everything about a group among itself in one call: for a small one, calls are what costs."""
    crowd, number, starts = arranged(position, velocity, lengths, cells)
    ranges = spans(starts, cells)
    add_up(
        crowd, starts, crowd, number, ranges, 0, position.shape[1], lengths, cells,
        max_squared, min_squared, bounds, most, wanted, count, total,
    )  # fmt: skip
