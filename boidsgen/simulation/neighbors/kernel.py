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


@frugal
def end_of(axis, cell, lengths, cells):
    """Beyond which end of its axis a cell is copied: 1 for the high one, -1 for the low one, 0 for neither."""
    if lengths[2, axis] == 0:
        return 0
    if cell < cells[1, axis]:
        return 1
    return -1 if cell >= cells[0, axis] - cells[1, axis] else 0


@frugal
def entries_of(position, lengths, cells):
    """How many sources and copies there are."""
    flat = 3 - len(position)
    entries = 0
    for i in range(position.shape[1]):
        here = 1
        for axis in range(flat, 3):
            here *= 1 + abs(end_of(axis, cell_along(axis, position[axis - flat, i], lengths, cells), lengths, cells))
        entries += here
    return entries


@part
def extended(position, lengths, cells):
    """Coordinates (3, m), cells (3, m) and numbers (m,) of the sources and, behind them, of their copies.

    As `grid._with_copies`, in the same order.
    """
    dimension, sources = position.shape
    flat = 3 - dimension
    entries = entries_of(position, lengths, cells)
    place = np.zeros((3, entries))
    within = np.zeros((3, entries), np.int64)
    source = np.empty(entries, np.int64)
    for i in range(sources):
        source[i] = i
        for axis in range(flat, 3):
            place[axis, i] = position[axis - flat, i]
            within[axis, i] = cell_along(axis, place[axis, i], lengths, cells)
    last = sources
    for axis in range(flat, 3):
        present = last
        for end in (1, -1):
            for i in range(present):
                if end_of(axis, within[axis, i], lengths, cells) == end:
                    place[:, last] = place[:, i]
                    within[:, last] = within[:, i]
                    source[last] = source[i]
                    place[axis, last] += end * lengths[2, axis]
                    within[axis, last] += end * cells[0, axis]
                    last += 1
    return place, within, source


@part
def arranged(position, velocity, lengths, cells):
    """The sources sorted by cell: coordinates and velocities (6, m), where each cell starts, and the order (n,).

    As `grid.make_grid`: sorting by counting leaves those of one cell as they were.
    """
    dimension, sources = position.shape
    place, within, source = extended(position, lengths, cells)
    entries = len(source)
    strides = strides_of(cells)
    starts = np.zeros(strides[0] * (cells[0, 0] + 2 * cells[1, 0]) + 1, np.int64)
    flat = np.empty(entries, np.int64)
    for i in range(entries):
        flat[i] = 0
        for axis in range(3):
            flat[i] += (within[axis, i] + cells[1, axis]) * strides[axis]
        starts[flat[i] + 1] += 1
    for cell in range(1, len(starts)):
        starts[cell] += starts[cell - 1]
    order = np.empty(entries, np.int64)
    free = starts.copy()
    for i in range(entries):
        order[free[flat[i]]] = i
        free[flat[i]] += 1
    crowd = np.zeros((6, entries))
    originals = np.empty(sources, np.int64)
    seen = 0
    for i in range(entries):
        entry = order[i]
        for axis in range(3 - dimension, 3):
            crowd[axis, i] = place[axis, entry]
            crowd[3 + axis, i] = velocity[axis - 3 + dimension, source[entry]]
        if entry < sources:
            originals[seen] = entry
            seen += 1
    return crowd, starts, originals


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
            for entry in range(starts[cell - reach], starts[cell + reach + 1]):
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
    return np.int64(found)


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
    kept = 0
    for i in range(candidates):
        squared = near[3, choice[i]]
        if squared < furthest or (squared == furthest and places > 0):
            places -= squared == furthest
            choice[kept] = choice[i]
            kept += 1
    return kept


@frugal
def chosen(near, found, velocity, within, cosine, most, choice, ranked):
    """How many of those nearby a group of requests is about; which ones is left in `choice`, in their order."""
    kept = 0
    speed = np.sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2])
    if cosine == ALL_ROUND or speed == 0:
        for i in range(found):
            choice[kept] = i
            kept += near[3, i] < within
    else:
        for i in range(found):
            ahead = velocity[0] * near[0, i] + velocity[1] * near[1, i] + velocity[2] * near[2, i]
            choice[kept] = i
            kept += (near[3, i] < within) & (ahead > speed * np.sqrt(near[3, i]) * cosine)
    if 0 < most < kept:
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
def visited(
    flat,
    crowd,
    starts,
    visits,
    position,
    velocity,
    lengths,
    cells,
    max_squared,
    min_squared,
    bounds,
    most,
    wanted,
    near,
    entries,
    everyone,
    choice,
    ranked,
    count,
    total,
):
    """Write the answers for the visited boids to `count` (groups, n) and `total` (requests, d, n)."""
    first = 0 if flat else 1
    whom = everyone
    for boid in visits:
        place = (0.0 if flat else position[0, boid], position[first, boid], position[first + 1, boid])
        flight = (0.0 if flat else velocity[0, boid], velocity[first, boid], velocity[first + 1, boid])
        found = nearby(flat, crowd, starts, place, lengths, cells, max_squared, min_squared, near, entries)
        kept = 0
        group = -1
        for request in range(len(wanted)):
            if wanted[request, 0] != group:
                group = wanted[request, 0]
                within, cosine = bounds[group, 0], bounds[group, 1]
                if within == max_squared and cosine == ALL_ROUND and most[group] == 0:
                    kept, whom = found, everyone
                else:
                    kept, whom = chosen(near, found, flight, within, cosine, most[group], choice, ranked), choice
                count[group, boid] = kept
            x, y, z = summed(flat, crowd, near, entries, whom, kept, wanted[request, 1])
            if not flat:
                total[request, 0, boid] = x
            total[request, first, boid] = y
            total[request, first + 1, boid] = z


@part
def add_up(
    crowd, starts, visits, position, velocity, lengths, cells,
    max_squared, min_squared, bounds, most, wanted, count, total,
):  # fmt: skip
    """Write the answers for the visited boids to `count` (groups, n) and `total` (requests, d, n)."""
    most_found = crowd.shape[1] + 1
    near = np.zeros((4, most_found))
    entries = np.empty(most_found, np.int64)
    everyone = np.arange(most_found)
    choice = np.empty(most_found, np.int64)
    ranked = np.empty(most.max())
    world = crowd, starts, visits, position, velocity, lengths, cells
    asked = max_squared, min_squared, bounds, most, wanted
    memory = near, entries, everyone, choice, ranked
    if len(position) == 2:
        visited(FLAT_WORLD, *world, *asked, *memory, count, total)
    else:
        visited(DEEP_WORLD, *world, *asked, *memory, count, total)


@part
def add_up_all(
    source_position, source_velocity, own, position, velocity, lengths, cells,
    max_squared, min_squared, bounds, most, wanted, count, total,
):  # fmt: skip
    """Everything in one call: for a small flock, calls are what costs."""
    crowd, starts, originals = arranged(source_position, source_velocity, lengths, cells)
    visits = originals if own else np.arange(position.shape[1])
    add_up(
        crowd, starts, visits, position, velocity, lengths, cells,
        max_squared, min_squared, bounds, most, wanted, count, total,
    )  # fmt: skip
