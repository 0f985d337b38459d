"""Pairs of animals that are near each other, for those who need the two themselves and not sums over them.

Unlike for the rules, two animals in the same place are a pair at distance zero. Pairs come in blocks: memory grows with
the number of animals, not with that of pairs.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from boidsgen.simulation.geometry import Array, by_column, columns, dot, length
from boidsgen.simulation.neighbors.grid import CellGrid, Indices, make_grid
from boidsgen.simulation.world import World

CANDIDATES_PER_BLOCK = 1 << 18
"""Candidate pairs examined together; bounds the memory."""

SAMPLE = 64
"""Animals whose nearest neighbors are looked for among all, to learn how dense the group is."""


class Pairs(NamedTuple):
    """Some pairs of animals.

    Attributes:
        first: (p,) number of the one.
        second: (p,) number of the other.
        offset: (p, d) from the one to the other, the shortest way.
        distance: (p,) between them.
    """

    first: Indices
    second: Indices
    offset: Array
    distance: Array

    def only(self, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> "Pairs":
        """The pairs for which `chosen`, shape (p,), is true."""
        return Pairs(self.first[chosen], self.second[chosen], self.offset[chosen], self.distance[chosen])


def pairs_within(position: Array, radius: float, world: World) -> Iterator[Pairs]:
    """Every two of the animals at `position`, shape (n, d), that are nearer than `radius`, once each, in blocks."""
    for met in _pairs_of(position, np.arange(len(position)), radius, world):
        yield met.only(met.first < met.second)


def nearest(position: Array, source: Array, world: World) -> tuple[Indices, Array]:
    """For each position, shape (n, d), the number of the nearest source, at least one, and the offset to it, (n, d)."""
    found, offset = np.zeros(len(position), dtype=np.intp), columns(*position.shape)
    block = max(1, CANDIDATES_PER_BLOCK // len(source))
    for first in range(0, len(position), block):
        some = slice(first, first + block)
        ways = world.shortest(source[None, :, :] - position[some, None, :])
        found[some] = dot(ways, ways).argmin(axis=1)
        offset[some] = ways[np.arange(len(ways)), found[some]]
    return found, offset


def nearest_distance(position: Array, world: World) -> Array:
    """For each of at least two animals the distance from the nearest other, shape (n,)."""
    distance = np.full(len(position), np.inf)
    radius = _usual_distance(position, world)
    while len(alone := np.flatnonzero(np.isinf(distance))) and np.isfinite(radius):
        for met in _pairs_of(position, alone, radius, world):
            np.minimum.at(distance, met.first, met.distance)
        radius *= 2
    return distance


def _usual_distance(position: Array, world: World) -> float:
    """Typical nearest-neighbor distance, from a sample."""
    sample = np.linspace(0, len(position) - 1, min(SAMPLE, len(position))).astype(np.intp)
    distance = [_distance_of(number, position, world) for number in sample]
    return 2 * float(np.median(distance)) or 1e-3 * min(world.size)


def _distance_of(number: int, position: Array, world: World) -> float:
    """The distance of one animal from the nearest other."""
    away = length(world.shortest(position - position[number]))
    away[number] = np.inf
    return float(away.min())


def _pairs_of(position: Array, chosen: Indices, radius: float, world: World) -> Iterator[Pairs]:
    """The chosen animals with all others nearer than `radius`, in blocks."""
    if not len(chosen):
        return
    grid = make_grid(position, radius, world.periods)
    query = by_column(position[chosen])
    begin, end = grid.ranges(grid.cell(query))
    until = (end - begin).sum(axis=1).cumsum()
    first = 0
    while first < len(chosen):
        done = until[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(until, done + CANDIDATES_PER_BLOCK, side="right")))
        some = slice(first, last)
        met = _block(grid, query[some], begin[some], end[some])
        first = last
        met = met._replace(first=chosen[some][met.first])
        yield met.only((met.distance < radius) & (met.first != met.second))


def _block(grid: CellGrid, query: Array, begin: Indices, end: Indices) -> Pairs:
    """All candidates of a block of animals, numbered within the block."""
    lengths = (end - begin).ravel()
    entry = np.arange(lengths.sum()) + np.repeat(begin.ravel() - lengths.cumsum() + lengths, lengths)
    own = np.repeat(np.arange(len(query)), (end - begin).sum(axis=1))
    offset = columns(len(entry), len(grid.axes))
    for number, axis in enumerate(grid.axes):
        along = grid.coordinate[number].take(entry) - query[:, number].take(own)
        offset[:, number] = along - axis.period * np.rint(along / axis.period) if axis.period else along
    return Pairs(own, grid.source.take(entry), offset, length(offset))
