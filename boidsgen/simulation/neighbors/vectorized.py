"""Neighbor sums in plain numpy: no loop over boids, only over blocks of them.

The pairs of a block are laid out boid by boid, and within a boid in the order of the grid. Whoever adds them up in that
order fixes every rounding error: another engine that visits the same pairs in the same order gives equal bits.

Two coordinates at a time are kept as the parts of complex numbers (`planes`): picking one of these takes as long as
picking a plain number. They are added and subtracted as what they are, part by part; nothing else is done with them as
a whole. `bincount` and `add.at` add the pairs of a block one after the other, in the order in which they are laid out.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.simulation.geometry import Array, by_column, columns, dot, length, zeros
from boidsgen.simulation.neighbors.grid import CellGrid, Indices, make_grid
from boidsgen.simulation.neighbors.sums import COINCIDENT, Quantity, Request, Sum
from boidsgen.simulation.world import World

PAIRS_PER_BLOCK = 1 << 15
"""Candidate pairs looked at together: their arrays of 256 KiB each stay in the second-level cache."""

BOIDS_PER_BLOCK = 1 << 16
"""Boids looked at together: their numbers within the block have 16 bits, which sort by counting."""


Planes: TypeAlias = Sequence[NDArray[Any]]
"""Vectors as complex numbers of two coordinates each, and plain ones for the last of three."""


def planes(columns: Sequence[Array]) -> Planes:
    """Vectors given by their coordinates, d arrays (n,)."""
    first = np.empty(len(columns[0]), dtype=np.complex128)
    first.real, first.imag = columns[0], columns[1]
    return (first, *columns[2:])


def coordinates(vectors: Planes) -> Sequence[Array]:
    """The coordinates of vectors, d arrays (n,) that are no copies."""
    return (vectors[0].real, vectors[0].imag, *vectors[1:])


ENOUGH, BOX, WORTHWHILE = 1.4, 1.6, 0.8
"""The nearest so many are looked for first where this many times their number should be, by the candidates in the cells
around: these are a box 1.6 times as wide as a ball of their volume. It pays where that is a small enough part of the
radius: `murmuration` takes half the time."""

SAMPLE = 64  # Animals whose nearest neighbors are looked for among all, to learn how dense the group is

FURTHER = 1e-9  # Part of radius and period by which pairs are looked for further away: the grid's numbers are rounded

MANY = 64  # Candidates for each boid with which it pays to look more closely at which are near enough


class Pairs(NamedTuple):
    """Pairs of a boid and a neighbor, in the order in which they are added up."""

    boid: Indices  # (p,) number of the boid, within its block where there are blocks
    source: Indices  # (p,) number of the neighbor among the sources
    offset: Planes  # (p,) neighbor minus boid, in planes
    squared: Array  # (p,) squared distances

    def only(self, chosen: Indices) -> "Pairs":
        """The chosen pairs, in their order."""
        return Pairs(
            self.boid.take(chosen),
            self.source.take(chosen),
            [along.take(chosen) for along in self.offset],
            self.squared.take(chosen),
        )


class Askers(NamedTuple):
    """Boids that ask for their neighbors, in the order of the grid where they are in it."""

    number: Indices  # (n,) which boid each of them is
    position: Array  # (n, d)
    velocity: Array  # d arrays (n,)
    cells: Indices  # (n,) the cell of each

    def only(self, chosen: Indices) -> "Askers":
        """The chosen ones, in their order."""
        one, of_all = self.position.T.take(chosen, axis=1).T, self.velocity.take(chosen, axis=1)
        return Askers(self.number.take(chosen), one, of_all, self.cells.take(chosen))


def blocks(
    grid: CellGrid, position: Array, cells: Indices, reach: Array, least: float = COINCIDENT
) -> Iterator[tuple[slice, Pairs]]:
    """Boids at `position`, shape (n, d), in these cells, in blocks, each with all its pairs nearer than its reach.

    `reach` has the shape (n,), or (1,) where it is the same for all; `least` is the smallest distance of a pair.
    """
    begin, end = grid.ranges(cells)
    if len(reach) > 1 or (end - begin).sum() > MANY * len(position):
        begin, end = grid.narrow_ranges(position, cells, reach)
    lengths = end - begin
    candidates = lengths.sum(axis=1)
    until = candidates.cumsum()
    sources, places = planes(grid.coordinate), planes(list(position.T))
    first = 0
    while first < len(position):
        done = until[first - 1] if first else 0
        fitting = int(until.searchsorted(done + PAIRS_PER_BLOCK, side="right"))
        last = max(first + 1, min(first + BOIDS_PER_BLOCK, fitting))
        block = slice(first, last)
        entry = _expanded(begin[block].ravel(), lengths[block].ravel())
        within = reach[block] if len(reach) > 1 else reach
        many = candidates[block]
        offset = [there.take(entry) - here[block].repeat(many) for there, here in zip(sources, places, strict=True)]
        squared = _shortened(offset, [axis.period for axis in grid.axes])
        limit = np.repeat(within * within, many) if len(within) > 1 else within * within
        chosen = ((squared < limit) & (squared >= least * least)).nonzero()[0]
        own, source = np.arange(len(many)).repeat(many), grid.source.take(entry.take(chosen))
        yield block, Pairs(own.take(chosen), source, [a.take(chosen) for a in offset], squared.take(chosen))
        first = last


def _shortened(offset: Planes, periods: Sequence[float]) -> Array:
    """Take the periods out of offsets, in place; returns their squared lengths."""
    for along, period in zip(coordinates(offset), periods, strict=True):
        if period:
            np.subtract(along, period * np.rint(along / period), out=along)
    squared: Array = np.square(offset[0].real)
    squared += np.square(offset[0].imag)
    for along in offset[1:]:
        squared += along * along
    return squared


def all_pairs(position: Array, world: World) -> Pairs:
    """Every two of the animals at `position`, shape (n, d), once each; for few, whom no grid helps."""
    return _pairs(*_every_two(len(position)), position, world)


def _pairs(boid: Indices, source: Indices, position: Array, world: World) -> Pairs:
    """Pairs with their minimum-image offsets, whichever grid has found them: its copies are shifted, and so rounded."""
    offset = [along.take(source) - along.take(boid) for along in planes(list(position.T))]
    return Pairs(boid, source, offset, _shortened(offset, world.periods.tolist()))


@lru_cache(maxsize=16)
def _every_two(count: int) -> tuple[Indices, Indices]:
    return np.triu_indices(count, 1)


def visible(pairs: Pairs, field_of_view: float, velocity: Sequence[Array], speed: Array) -> Pairs:
    """The pairs in which the boid has its neighbor within its field of view, in degrees; at rest it sees all round.

    Velocities, d arrays (n,), and speeds, (n,), are those of the boids of the block.
    """
    if field_of_view >= 360:
        return pairs
    offset = coordinates(pairs.offset)
    ahead = velocity[0].take(pairs.boid) * offset[0]
    for one, along in zip(velocity[1:], offset[1:], strict=True):
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
    radius = max(request.radius for request in requests)
    grid = make_grid(source_position, radius, periods)
    own = position is source_position
    order = grid.originals if own else np.arange(len(position))
    cells = grid.cells if own else grid.cell(position)
    askers = Askers(order, position.T.take(order, axis=1).T, velocity.T.take(order, axis=1), cells)
    seen_velocity = planes(list(source_velocity.T))
    reach = _first_reach(grid, askers, requests, radius)
    short = _answer(grid, askers, reach, requests, seen_velocity, sums)
    if len(short) and reach.min() < radius:
        _answer(grid, askers.only(short), np.array([radius]), requests, seen_velocity, sums)
    return sums


def _first_reach(grid: CellGrid, askers: Askers, requests: Sequence[Request], radius: float) -> Array:
    """Radius of the first search, shape (n,): as far as the nearest few should be, if all others wanted are as near.

    Shape (1,), and the radius of all requests, where that would hardly be less. A boid with enough neighbors within a
    part of the radius needs no others, whatever the guess; so it is no matter that it goes by the candidates in a box.
    """
    most = max([request.nearest or 0 for request in requests])
    plain = max([0.0, *(request.radius for request in requests if request.nearest is None)])
    if not most or plain > WORTHWHILE * radius:
        return np.array([radius])
    begin, end = grid.ranges(askers.cells)
    candidates = np.maximum((end - begin).sum(axis=1), 1)
    share = BOX * (ENOUGH * most / candidates) ** (1 / len(grid.axes))
    if np.median(share) > WORTHWHILE:
        return np.array([radius])
    return np.maximum(np.where(share < WORTHWHILE, share, 1.0) * radius, plain)


def _answer(
    grid: CellGrid, askers: Askers, reach: Array, requests: Sequence[Request], velocity: Planes, sums: Sequence[Sum]
) -> Indices:
    """Write the answers to what boids ask about neighbors within reach; gives which ones have found too few of them."""
    speed, known = length(askers.velocity.T), reach[0] if len(reach) == 1 else reach.max()
    short: list[Indices] = []
    for block, pairs in blocks(grid, askers.position, askers.cells, reach):
        boids = askers.number[block]
        flight = [along[block] for along in askers.velocity], speed[block]
        narrowed: dict[object, tuple[Pairs, Array]] = {}
        for request, found in zip(requests, sums, strict=True):
            if request.whom not in narrowed:
                chosen = pairs
                if request.radius < known:
                    chosen = chosen.only((chosen.squared < request.radius * request.radius).nonzero()[0])
                chosen = visible(chosen, request.field_of_view, *flight)
                if request.nearest:
                    chosen = nearest_pairs(chosen, request.nearest)
                counts = np.bincount(chosen.boid, minlength=len(boids)).astype(np.float64)
                narrowed[request.whom] = chosen, counts
                if request.nearest:
                    short.append(block.start + (counts < request.nearest).nonzero()[0])
            chosen, found.count[boids] = narrowed[request.whom]
            _add_up(chosen, request.quantity, velocity, boids, found.total)
    return np.unique(np.concatenate(short)) if short else np.arange(0)


def _add_up(pairs: Pairs, quantity: Quantity, velocity: Planes, boids: Indices, total: Array) -> None:
    """Write the sums over these pairs to the rows of `total` that belong to the block's boids."""
    if quantity in DIVISORS:
        divisor = DIVISORS[quantity](pairs.squared)
        for axis, along in enumerate(coordinates(pairs.offset)):
            total[boids, axis] = np.bincount(pairs.boid, along / divisor, minlength=len(boids))
        return
    added = [plane.take(pairs.source) for plane in velocity] if quantity == "velocity" else pairs.offset
    sums = [np.zeros(len(boids), dtype=plane.dtype) for plane in added]
    for plane, whole in zip(added, sums, strict=True):
        np.add.at(whole, pairs.boid, plane)
    for axis, along in enumerate(coordinates(sums)):
        total[boids, axis] = along


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


def nearest_distance(position: Array, world: World, met: Iterable[Pairs] = ()) -> Array:
    """For each of at least two animals the distance from the nearest other, shape (n,).

    `met` may have all pairs nearer than some radius.
    """
    squared = np.full(len(position), np.inf)
    for pairs in met:
        np.minimum.at(squared, pairs.boid, pairs.squared)
        np.minimum.at(squared, pairs.source, pairs.squared)
    distance: Array = np.sqrt(squared)
    sampled, alone = list[float](), np.flatnonzero(np.isinf(squared))
    for number in alone[np.linspace(0, len(alone) - 1, min(SAMPLE, len(alone))).astype(np.intp)]:
        away = length(world.shortest(position - position[number]))
        away[number] = np.inf
        sampled.append(float(away.min()))
    radius = 2 * float(np.median(sampled or [0.0])) or 1e-3 * min(world.size)
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
    for block, met in blocks(grid, query, grid.cell(query), np.array([wide]), least=0.0):
        pairs = _pairs(chosen[block][met.boid], met.source, position, world)
        yield pairs.only(((pairs.boid != pairs.source) & (pairs.squared < radius * radius)).nonzero()[0])
