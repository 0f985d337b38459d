"""Neighbor sums in plain numpy: no loop over boids, only over blocks of them.

The pairs of a block are laid out boid by boid, and within a boid in the order of the grid. Whoever adds them up in that
order fixes every rounding error: another engine that visits the same pairs in the same order gives equal bits.

`bincount` adds the pairs of a block one after the other, in the order in which they are laid out.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from boidsgen import exact
from boidsgen.simulation.geometry import Array, by_column, columns, dot, length, zeros
from boidsgen.simulation.neighbors.grid import CellGrid, Indices, make_grid
from boidsgen.simulation.neighbors.sums import COINCIDENT, Quantity, Request, Sum
from boidsgen.simulation.world import World

PAIRS_PER_BLOCK = 1 << 15
"""Candidate pairs looked at together: their arrays of 256 KiB each stay in the second-level cache."""

BOIDS_PER_BLOCK = 1 << 16
"""Boids looked at together: their numbers within the block have 16 bits, which sort by counting."""

SAMPLE = 64  # Animals whose nearest neighbors are looked for among all, to learn how dense the group is

FURTHER = 1e-9  # Part of radius and period by which pairs are looked for further away: the grid's numbers are rounded


class Pairs(NamedTuple):
    """Pairs of a boid and a neighbor, in the order in which they are added up."""

    boid: Indices  # (p,) number of the boid, within its block where there are blocks
    source: Indices  # (p,) number of the neighbor among the sources
    offset: Sequence[Array]  # d arrays (p,), neighbor minus boid
    squared: Array  # (p,) squared distances

    def only(self, chosen: Indices) -> "Pairs":
        """The chosen pairs, in their order."""
        return Pairs(
            self.boid.take(chosen),
            self.source.take(chosen),
            [along.take(chosen) for along in self.offset],
            self.squared.take(chosen),
        )


def blocks(
    grid: CellGrid, position: Array, cells: Indices, radius: float, least: float = COINCIDENT
) -> Iterator[tuple[slice, Pairs]]:
    """Boids at `position`, shape (n, d), in these cells, in blocks, each with all its pairs nearer than `radius`.

    `least` is the smallest distance of a pair.
    """
    begin, end = grid.ranges(cells)
    lengths = end - begin
    candidates = lengths.sum(axis=1)
    until = candidates.cumsum()
    first = 0
    while first < len(position):
        done = until[first - 1] if first else 0
        fitting = int(until.searchsorted(done + PAIRS_PER_BLOCK, side="right"))
        last = max(first + 1, min(first + BOIDS_PER_BLOCK, fitting))
        block = slice(first, last)
        entry, many = _expanded(begin[block].ravel(), lengths[block].ravel()), candidates[block]
        here = position.T[:, block]
        offset = [there.take(entry) - one.repeat(many) for there, one in zip(grid.coordinate, here, strict=True)]
        squared = _shortened(offset, [axis.period for axis in grid.axes])
        chosen = ((squared < radius * radius) & (squared >= least * least)).nonzero()[0]
        own, source = np.arange(len(many)).repeat(many), grid.source.take(entry.take(chosen))
        yield block, Pairs(own.take(chosen), source, [along.take(chosen) for along in offset], squared.take(chosen))
        first = last


def _shortened(offset: Sequence[Array], periods: Sequence[float]) -> Array:
    """Take the periods out of offsets, in place; returns their squared lengths."""
    for along, period in zip(offset, periods, strict=True):
        if period:
            np.subtract(along, period * np.rint(along / period), out=along)
    squared = np.square(offset[0])
    for along in offset[1:]:
        squared += along * along
    return squared


def _pairs(boid: Indices, source: Indices, position: Array, world: World) -> Pairs:
    """Pairs with their minimum-image offsets, whichever grid has found them: its copies are shifted, and so rounded."""
    offset = [along.take(source) - along.take(boid) for along in position.T]
    return Pairs(boid, source, offset, _shortened(offset, world.periods.tolist()))


def visible(pairs: Pairs, field_of_view: float, velocity: Array, speed: Array) -> Pairs:
    """The pairs in which the boid has its neighbor within its field of view, in degrees; at rest it sees all round.

    Velocities, d arrays (n,), and speeds, (n,), are those of the boids of the block.
    """
    if field_of_view >= 360:
        return pairs
    ahead = velocity[0].take(pairs.boid) * pairs.offset[0]
    for one, along in zip(velocity[1:], pairs.offset[1:], strict=True):
        ahead += one.take(pairs.boid) * along
    speed = speed.take(pairs.boid)
    least = speed * np.sqrt(pairs.squared) * half_angle_cosine(field_of_view)
    return pairs.only(((ahead > least) | (speed == 0)).nonzero()[0])


def nearest_pairs(pairs: Pairs, most: int) -> Pairs:
    """Of each boid the pairs with its `most` nearest neighbors; among equally near ones the first found."""
    counts = np.bincount(pairs.boid)
    crowded = np.flatnonzero(counts > most)
    if not len(crowded):
        return pairs
    # Only distances are read from this order, so that it does not matter how equals come to stand.
    order = pairs.squared.argsort()
    order = order.take(pairs.boid.take(order).astype(np.uint16).argsort(kind="stable"))
    furthest = np.full(len(counts), np.inf)
    furthest[crowded] = pairs.squared.take(order.take((counts.cumsum() - counts)[crowded] + most - 1))
    limit = furthest.take(pairs.boid)
    kept = pairs.squared < limit
    tied = np.flatnonzero(pairs.squared == limit)
    boid = pairs.boid.take(tied)
    ties = np.bincount(boid)
    rank = _expanded(np.zeros_like(ties), ties)
    room = most - np.bincount(pairs.boid, kept, minlength=len(counts))
    kept[tied[rank < room.take(boid)]] = True
    return pairs.only(np.flatnonzero(kept))


@cache  # asked for every block of every step
def half_angle_cosine(field_of_view: float) -> float:
    """Cosine of half the field of view, given in degrees: what lies nearer to straight ahead is seen."""
    return float(exact.cosine(np.radians(field_of_view / 2)))


def _expanded(begin: Indices, lengths: Indices) -> Indices:
    """All numbers of the ranges that begin at `begin` and have these lengths, one range after the other."""
    until = lengths.cumsum()
    expanded: Indices = np.arange(until[-1])
    expanded += (begin - until + lengths).repeat(lengths)
    return expanded


def neighbor_sums(
    position: Array,
    velocity: Array,
    source_position: Array,
    source_velocity: Array,
    requests: Sequence[Request],
    periods: Array,
) -> list[Sum]:
    """Answer all requests of boids at `position`, shape (n, d), about sources at `source_position`, shape (m, d).

    `periods` says after what distance each axis of the world repeats, 0 where it does not, shape (d,). Boids may be
    among the sources: nobody is a neighbor of itself.
    """
    sums = [Sum(np.zeros(len(position)), zeros(*position.shape)) for _ in requests]
    if not len(position) or not len(source_position) or not requests:
        return sums
    radius, least = max(request.radius for request in requests), min(request.least for request in requests)
    grid = make_grid(source_position, radius, periods)
    own = position is source_position
    order = grid.originals if own else np.arange(len(position))
    cells = grid.cells if own else grid.cell(position)
    position, flight = position.T.take(order, axis=1).T, velocity.T.take(order, axis=1)
    speed = length(flight.T)
    for block, pairs in blocks(grid, position, cells, radius, least):
        boids = order[block]
        if own and not least:
            pairs = pairs.only((boids.take(pairs.boid) != pairs.source).nonzero()[0])  # noqa: PLW2901
        narrowed: dict[object, tuple[Pairs, Array]] = {}
        for request, found in zip(requests, sums, strict=True):
            if request.whom not in narrowed:
                chosen = _neighbors(pairs, request, radius, least, flight[:, block], speed[block])
                narrowed[request.whom] = chosen, np.bincount(chosen.boid, minlength=len(boids)).astype(np.float64)
            chosen, found.count[boids] = narrowed[request.whom]
            for axis, added in enumerate(_added(chosen, request.quantity, source_velocity)):
                found.total[boids, axis] = np.bincount(chosen.boid, added, minlength=len(boids))
    return sums


def _neighbors(pairs: Pairs, request: Request, known: float, least: float, velocity: Array, speed: Array) -> Pairs:
    """The pairs that a request is about, among those of a block's boids from `least` to the known radius apart."""
    if request.radius < known:
        pairs = pairs.only((pairs.squared < request.radius * request.radius).nonzero()[0])
    if request.least > least:
        pairs = pairs.only((pairs.squared >= request.least * request.least).nonzero()[0])
    pairs = visible(pairs, request.field_of_view, velocity, speed)
    return nearest_pairs(pairs, request.nearest) if request.nearest else pairs


def _added(pairs: Pairs, quantity: Quantity, velocity: Array) -> Sequence[Array]:
    """The vectors that pairs add to their boids, d arrays (p,)."""
    if quantity == "velocity":
        return [along.take(pairs.source) for along in velocity.T]
    if quantity in DIVISORS:
        divisor = DIVISORS[quantity](pairs.squared)
        divisor = divisor + (divisor == 0)  # who is at the same place, or next to it, pushes nowhere
        return [along / divisor for along in pairs.offset]
    return pairs.offset


DIVISORS: dict[str, Callable[[Array], Array]] = {
    "constant": np.sqrt,
    "inverse": lambda squared: squared,
    "inverse_square": lambda squared: squared * np.sqrt(squared),
}
"""Divisor of an offset that gives it the length of a falloff, from the squared distance."""


def pairs_within(position: Array, radius: float, world: World) -> Iterator[Pairs]:
    """Every two of the animals at `position`, shape (n, d), that are nearer than `radius`, once each, in blocks.

    Unlike for the rules, two in the same place are a pair at distance zero.
    """
    for met in _pairs_of(position, np.arange(len(position)), radius, world):
        yield met.only((met.boid < met.source).nonzero()[0])


def nearest(position: Array, source: Array, world: World) -> tuple[Indices, Array]:
    """For each position, shape (n, d), the number of the nearest source, at least one, and the offset to it, (n, d)."""
    found, offset = np.zeros(len(position), dtype=np.intp), columns(*position.shape)
    block = max(1, PAIRS_PER_BLOCK // len(source))
    for first in range(0, len(position), block):
        some = slice(first, first + block)
        ways = world.shortest(source[None, :, :] - position[some, None, :])
        found[some] = dot(ways, ways).argmin(axis=1)
        offset[some] = ways[np.arange(len(ways)), found[some]]
    return found, offset


def nearest_distance(position: Array, world: World) -> Array:
    """For each of at least two animals the distance from the nearest other, shape (n,)."""
    distance = np.full(len(position), np.inf)
    sampled = list[float]()
    for number in np.linspace(0, len(position) - 1, min(SAMPLE, len(position))).astype(np.intp):
        away = length(world.shortest(position - position[number]))
        away[number] = np.inf
        sampled.append(float(away.min()))
    radius = 2 * float(np.median(sampled)) or 1e-3 * min(world.size)
    while len(alone := np.flatnonzero(np.isinf(distance))) and np.isfinite(radius):
        for pairs in _pairs_of(position, alone, radius, world):
            np.minimum.at(distance, pairs.boid, np.sqrt(pairs.squared))
        radius *= 2
    return distance


def _pairs_of(position: Array, chosen: Indices, radius: float, world: World) -> Iterator[Pairs]:
    """The chosen animals with all others nearer than `radius`, in blocks."""
    if not len(chosen):
        return
    wide = radius + FURTHER * (radius + float(world.periods.max()))
    grid, query = make_grid(position, wide, world.periods), by_column(position[chosen])
    for block, met in blocks(grid, query, grid.cell(query), wide, least=0.0):
        pairs = _pairs(chosen[block][met.boid], met.source, position, world)
        yield pairs.only(((pairs.boid != pairs.source) & (pairs.squared < radius * radius)).nonzero()[0])
