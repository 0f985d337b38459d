"""Boids of one cell answered together, one in each lane; the part of the kernel for dense crowds.

They look at the same entries in the same order as each of them alone would, and each adds up what it sees itself; who
does not see an entry adds zero. A sum begins with zero and is never minus zero, so that this changes no bit of it.

What a few entries are to all lanes stands in `near`, one slot an entry, with a row of lanes each for
  X, Y, Z   the offsets
  SQUARED   the squared distances, infinite where an entry is no neighbor at any distance
  SEEN      the same, infinite also where an entry is not within the field of view of a group of requests
An entry that is near enough to no lane leaves its slot to the next one. When all slots are full they are added up.
"""

# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-overload, call-arg, arg-type, var-annotated"

import numpy as np

from boidsgen.simulation.neighbors.kernel_grid import frugal, inlined, strides_of
from boidsgen.simulation.neighbors.lanes import WIDTH, any_less, loaded, rooted, rounded, spread, store, where_less
from boidsgen.simulation.neighbors.request import Quantity

QUANTITIES: tuple[Quantity, ...] = ("offset", "linear", "velocity", "constant", "inverse", "inverse_square")
"""Quantities by their numbers."""

VELOCITY, CONSTANT, INVERSE = 2, 3, 4

ALL_ROUND = -2.0
"""In place of a cosine: no bound on the field of view."""

ONE, ROW = np.uint64(1), np.uint64(WIDTH)
X, Y, Z, SQUARED, SEEN, SLOT = ROW * np.uint64(0), ROW, 2 * ROW, 3 * ROW, 4 * ROW, 5 * ROW
"""Where rows of lanes begin in a slot, and where the next one does."""

SLOTS = np.uint64(64)
"""Entries that are looked at before they are added up: 20 KiB of the first-level cache."""


@inlined
def placed_in_lanes(crowd, first, last, here):
    """Coordinates and velocities of those who ask, a row of lanes each; lanes that are left over are nowhere."""
    for axis in range(6):
        for lane in range(WIDTH):
            here[axis * WIDTH + lane] = crowd[axis, first + lane] if first + lane < last else np.nan


@inlined
def shortest_ways(along, period):
    """As `shortest`."""
    return along - period * rounded(along / period)


@inlined
def gathered(flat, crowd, entry, end, slot, here, lengths, max_squared, min_squared, near, who):
    """Look at entries until the last one, or until slots are full: the next entry, and the next slot."""
    here_x, here_y, here_z = loaded(here, X), loaded(here, Y), loaded(here, Z)
    period_x, period_y, period_z = spread(lengths[3, 0]), spread(lengths[3, 1]), spread(lengths[3, 2])
    repeats_x, repeats_y, repeats_z = lengths[3, 0] != 0, lengths[3, 1] != 0, lengths[3, 2] != 0
    bound, least, infinite = spread(max_squared), spread(min_squared), spread(np.inf)
    while entry < end and slot < SLOTS:
        y = spread(crowd[1, entry]) - here_y
        z = spread(crowd[2, entry]) - here_z
        if repeats_y:
            y = shortest_ways(y, period_y)
        if repeats_z:
            z = shortest_ways(z, period_z)
        place = slot * SLOT
        if flat:
            squared = y * y + z * z
        else:
            x = spread(crowd[0, entry]) - here_x
            if repeats_x:
                x = shortest_ways(x, period_x)
            squared = x * x + y * y + z * z
            store(near, place + X, x)
        squared = where_less(squared, least, infinite, squared)
        store(near, place + Y, y)
        store(near, place + Z, z)
        store(near, place + SQUARED, squared)
        who[slot] = entry
        slot += any_less(squared, bound)
        entry += ONE
    return entry, slot


@inlined
def look(flat, near, slots, here, cosine):
    """Leave in the rows `SEEN` what is within the field of view; who is at rest sees all round."""
    speed_x, speed_y, speed_z = loaded(here, 3 * ROW), loaded(here, 4 * ROW), loaded(here, 5 * ROW)
    squares = speed_y * speed_y + speed_z * speed_z
    if not flat:
        squares = speed_x * speed_x + speed_y * speed_y + speed_z * speed_z
    speed, bound, infinite = rooted(squares), spread(cosine), spread(np.inf)
    zero, nothing = spread(0.0), spread(-np.inf)
    for slot in range(slots):
        place = slot * SLOT
        squared = loaded(near, place + SQUARED)
        ahead = speed_y * loaded(near, place + Y) + speed_z * loaded(near, place + Z)
        if not flat:
            ahead = (
                speed_x * loaded(near, place + X)
                + speed_y * loaded(near, place + Y)
                + speed_z * loaded(near, place + Z)
            )
        needed = where_less(zero, speed, speed * rooted(squared) * bound, nothing)
        store(near, place + SEEN, where_less(needed, ahead, squared, infinite))


@inlined
def counted(near, slots, row, within, choice, sums, at):
    """Add to how many neighbors each lane has; which slots are of interest to any is left in `choice`."""
    count, bound, one, zero = loaded(sums, at), spread(within), spread(1.0), spread(0.0)
    kept = np.uint64(0)
    for slot in range(slots):
        squared = loaded(near, slot * SLOT + row)
        count = count + where_less(squared, bound, one, zero)
        choice[kept] = slot
        kept += any_less(squared, bound)
    store(sums, at, count)
    return kept


@inlined
def velocities_added(flat, crowd, near, who, choice, kept, row, bound, x, y, z):
    """Sums to which each lane has added the velocities that it sees."""
    zero = spread(0.0)
    for i in range(kept):
        squared = loaded(near, choice[i] * SLOT + row)
        entry = who[choice[i]]
        if not flat:
            x = x + where_less(squared, bound, spread(crowd[3, entry]), zero)
        y = y + where_less(squared, bound, spread(crowd[4, entry]), zero)
        z = z + where_less(squared, bound, spread(crowd[5, entry]), zero)
    return x, y, z


@inlined
def offsets_added(flat, near, choice, kept, row, bound, x, y, z):
    """Sums to which each lane has added the offsets that it sees."""
    zero = spread(0.0)
    for i in range(kept):
        place = choice[i] * SLOT
        squared = loaded(near, place + row)
        if not flat:
            x = x + where_less(squared, bound, loaded(near, place + X), zero)
        y = y + where_less(squared, bound, loaded(near, place + Y), zero)
        z = z + where_less(squared, bound, loaded(near, place + Z), zero)
    return x, y, z


@inlined
def quotients_added(flat, near, choice, kept, row, bound, quantity, x, y, z):
    """Sums to which each lane has added the offsets that it sees, divided as their quantity says."""
    zero = spread(0.0)
    for i in range(kept):
        place = choice[i] * SLOT
        squared = loaded(near, place + row)
        if quantity == INVERSE:
            divisor = squared
        elif quantity == CONSTANT:
            divisor = rooted(squared)
        else:
            divisor = squared * rooted(squared)
        if not flat:
            x = x + where_less(squared, bound, loaded(near, place + X) / divisor, zero)
        y = y + where_less(squared, bound, loaded(near, place + Y) / divisor, zero)
        z = z + where_less(squared, bound, loaded(near, place + Z) / divisor, zero)
    return x, y, z


@inlined
def add(flat, crowd, near, who, choice, kept, row, within, quantity, sums, at):
    """Add what is in some slots to the sums of those lanes that see it."""
    x, y, z = loaded(sums, at + X), loaded(sums, at + Y), loaded(sums, at + Z)
    bound = spread(within)
    if quantity == VELOCITY:
        x, y, z = velocities_added(flat, crowd, near, who, choice, kept, row, bound, x, y, z)
    elif quantity < VELOCITY:
        x, y, z = offsets_added(flat, near, choice, kept, row, bound, x, y, z)
    else:
        x, y, z = quotients_added(flat, near, choice, kept, row, bound, quantity, x, y, z)
    store(sums, at + X, x)
    store(sums, at + Y, y)
    store(sums, at + Z, z)


@frugal
def add_to_all(flat, crowd, near, who, slots, here, asked, choice, sums):
    """Add what is in the slots to all sums: three rows of lanes a request, and one of counts a group."""
    bounds, wanted = asked[2], asked[4]
    counts = np.uint64(len(wanted)) * 3 * ROW
    for group in range(len(bounds)):
        within, row = bounds[group, 0], SQUARED
        if bounds[group, 1] != ALL_ROUND:
            look(flat, near, slots, here, bounds[group, 1])
            row = SEEN
        kept = counted(near, slots, row, within, choice, sums, counts + np.uint64(group) * ROW)
        for request in range(len(wanted)):
            if wanted[request, 0] == group:
                at = np.uint64(request) * 3 * ROW
                add(flat, crowd, near, who, choice, kept, row, within, wanted[request, 1], sums, at)


@inlined
def answered_together(flat, crowd, starts, block, number, lengths, cells, asked, memory, count, total):
    """Write the answers for a block: first entry, end, and the cell that all of them are in."""
    near, who, choice, here, sums = memory
    first, last, middle = block
    placed_in_lanes(crowd, first, last, here)
    sums[:] = 0.0
    strides = strides_of(cells)
    layers, rows, reach = cells[1, 0], cells[1, 1], cells[1, 2]
    slots = np.uint64(0)
    for layer in range(-layers, layers + 1):
        for row in range(-rows, rows + 1):
            cell = middle + layer * strides[0] + row * strides[1]
            entry, end = np.uint64(starts[cell - reach]), np.uint64(starts[cell + reach + 1])
            while entry < end:
                entry, slots = gathered(flat, crowd, entry, end, slots, here, lengths, asked[0], asked[1], near, who)
                if slots == SLOTS:
                    add_to_all(flat, crowd, near, who, slots, here, asked, choice, sums)
                    slots = np.uint64(0)
    add_to_all(flat, crowd, near, who, slots, here, asked, choice, sums)
    written(flat, sums, asked, first, last, number, count, total)


@inlined
def written(flat, sums, asked, first, last, number, count, total):
    """Write the sums of each lane to where the answers for its boid belong."""
    groups, requests = len(asked[3]), len(asked[4])
    skipped = 1 if flat else 0
    for lane in range(last - first):
        own = number[first + lane]
        for request in range(requests):
            for axis in range(skipped, 3):
                total[request, axis - skipped, own] = sums[(3 * request + axis) * WIDTH + lane]
        for group in range(groups):
            count[group, own] = sums[(3 * requests + group) * WIDTH + lane]
