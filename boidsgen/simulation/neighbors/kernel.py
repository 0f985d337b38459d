"""The kernel of the compiled engine: the pairs of `grid`, visited one after the other in the same order.

Boids are sorted by `kernel_grid`. Where several share a cell they are answered together, by `kernel_together`; others
here, one after the other.

Every operation on floating-point numbers is the one that `grid` and `vectorized` do, in their order, and the
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

# numba finds the types of all functions below from the signatures in `compiled`.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-overload"

import numpy as np

from boidsgen.simulation.neighbors.kernel_grid import arranged, cell_along, frugal, inlined, part, spans, strides_of
from boidsgen.simulation.neighbors.kernel_together import (
    ALL_ROUND,
    CONSTANT,
    INVERSE,
    ONE,
    SLOT,
    SLOTS,
    VELOCITY,
    answered_together,
)
from boidsgen.simulation.neighbors.lanes import WIDTH

FLAT_WORLD, DEEP_WORLD = True, False
"""What `flat` is in two dimensions and in three: constants to the compiler."""

SHARE = 0.3
"""Part of those who ask that has to be answered together: processors that are slowed down by wide registers take longer
for all others then, an eighth where it was measured."""


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


@frugal
def part_of(ranges, one, passed, begin, end):
    """Which entries of a range have the numbers from `begin` to `end`, if so many entries have passed before it."""
    first, last = ranges[one, 0], ranges[one, 1]
    return first + max(begin - passed, 0), min(last, first + end - passed)


@frugal
def noted(first, last, alone, many):
    """Note a range of entries, unless it is empty; how many are noted then."""
    if first >= last:
        return many
    alone[many, 0], alone[many, 1] = first, last
    return many + 1


@frugal
def cut(ranges, begin, end, alone):
    """Note the entries from number `begin` to `end` of the given ranges; in how many ranges these are."""
    passed, many = 0, 0
    for one in range(len(ranges)):
        first, last = part_of(ranges, one, passed, begin, end)
        many = noted(first, last, alone, many)
        passed += ranges[one, 1] - ranges[one, 0]
    return many


@frugal
def divided(starts, ranges, begin, end, fewest, cells, alone, together):
    """Note which of the crowd are answered alone, as ranges of entries, and which together; how many of either.

    Together are up to so many of one cell as there are lanes: first entry, end, and cell. Where too few of all would
    be, everyone is answered alone.
    """
    strides = strides_of(cells)
    passed, many, blocks, shared = 0, 0, 0, 0
    for one in range(len(ranges)):
        first, last = part_of(ranges, one, passed, begin, end)
        layer, row = one // cells[0, 1] + cells[1, 0], one % cells[0, 1] + cells[1, 1]
        cell = layer * strides[0] + row * strides[1] + cells[1, 2]
        entry = first
        for middle in range(cell, cell + cells[0, 2] if first < last else cell):
            until = min(max(starts[middle + 1], entry), last)
            if until - entry >= fewest:
                many = noted(first, entry, alone, many)
                while until - entry >= fewest:
                    first = min(entry + WIDTH, until)
                    together[blocks, 0], together[blocks, 1], together[blocks, 2] = entry, first, middle
                    blocks += 1
                    shared += first - entry
                    entry = first
            entry = until
        many = noted(first, last, alone, many)
        passed += ranges[one, 1] - ranges[one, 0]
    if shared < SHARE * (end - begin):
        return cut(ranges, begin, end, alone), 0
    return many, blocks


@inlined
def visited(flat, crowd, starts, asking, number, alone, many, lengths, cells, asked, memory, count, total):
    """Write the answers for those in so many ranges of entries of `asking`."""
    for one in range(many):
        for entry in range(alone[one, 0], alone[one, 1]):
            own = number[entry]
            answered(flat, crowd, starts, asking, entry, own, lengths, cells, asked, memory, count, total)


@inlined
def visited_together(flat, crowd, starts, number, together, blocks, lengths, cells, asked, memory, count, total):
    """Write the answers for so many blocks of the crowd."""
    for one in range(blocks):
        block = together[one, 0], together[one, 1], together[one, 2]
        answered_together(flat, crowd, starts, block, number, lengths, cells, asked, memory, count, total)


@part
def visited_in_blocks(crowd, starts, number, together, blocks, lengths, cells, asked, count, total):
    """Write the answers for so many blocks of the crowd, in memory of their own."""
    groups, requests = len(asked[3]), len(asked[4])
    slots = np.empty(SLOT * (SLOTS + ONE)), np.empty(SLOTS + ONE, np.uint64), np.empty(SLOTS + ONE, np.uint64)
    lanes = np.empty(6 * WIDTH), np.empty((3 * requests + groups) * WIDTH)
    flat, memory = total.shape[1] == 2, (*slots, *lanes)
    visited_together(flat, crowd, starts, number, together, blocks, lengths, cells, asked, memory, count, total)


@part
def add_up(
    position, velocity, crowd, starts, asking, number, ranges, begin, end, fewest, lengths, cells,
    max_squared, min_squared, bounds, most, wanted, count, total,
):  # fmt: skip
    """Write the answers for some of those who ask to `count` (groups, n) and `total` (requests or more, d, n).

    Who asks are `asking`, (6, k) coordinates and velocities, the crowd itself where they are the sources; of these the
    given `ranges` (r, 2) of entries, and of these, counted through, those from `begin` to `end`. The answers to an
    entry are those of the boid `number` (k,). Of a cell in which there are `fewest` or more, boids are answered
    together; only those of the crowd itself can be, and none who asks for the nearest few: `fewest` is beyond the
    number of lanes then.

    Without `starts` the crowd has not been arranged: it is made here of `position` and `velocity`, (d, n), and all of
    it asks. For a small one, calls are what costs.
    """
    if len(starts) == 0:
        crowd, number, starts = arranged(position, velocity, lengths, cells)
        asking, ranges = crowd, spans(starts, cells)
    alone, together = np.empty((end - begin, 2), np.int64), np.empty(((end - begin) // fewest, 3), np.int64)
    if fewest > WIDTH:
        many, blocks = cut(ranges, begin, end, alone), 0
    else:
        many, blocks = divided(starts, ranges, begin, end, fewest, cells, alone, together)
    most_found = crowd.shape[1] + 1
    near = np.zeros((4, most_found))
    entries = np.empty(most_found, np.uint64)
    everyone = np.arange(most_found).astype(np.uint64)
    choice = np.empty(most_found, np.uint64)
    ranked = np.empty(most.max())
    asked, memory = (max_squared, min_squared, bounds, most, wanted), (near, entries, everyone, choice, ranked)
    if total.shape[1] == 2:
        visited(FLAT_WORLD, crowd, starts, asking, number, alone, many, lengths, cells, asked, memory, count, total)
    else:
        visited(DEEP_WORLD, crowd, starts, asking, number, alone, many, lengths, cells, asked, memory, count, total)
    if blocks:
        visited_in_blocks(crowd, starts, number, together, blocks, lengths, cells, asked, count, total)
