"""The compiled grid: sources sorted by cell as `grid` has them, every operation the same; the first part of the kernel.

A flat world is a deep one of a single layer: its first axis has one cell, and its zeros change no sum. Arrays have one
row per coordinate, and an axis is described by a column of
  lengths  (4, 3) where it begins, cells per world unit, shift of the copies, period to be taken out of offsets
  cells    (2, 3) number of cells, cells to look at on either side
as in `grid.Axis`.
"""

# numba finds the types of all functions below from the signatures in `compiled`.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-overload"

from typing import Any

import numpy as np
from numba import njit

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
