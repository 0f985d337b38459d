"""Pairs of a boid and a neighbor: found on the grid in blocks that fit the cache, then narrowed down.

The pairs of a block are laid out boid by boid, and within a boid in the order of the grid. Whoever adds them up in that
order fixes every rounding error: another engine that visits the same pairs in the same order gives equal bits.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors.grid import Grid, Indices
from boidsgen.simulation.neighbors.request import COINCIDENT

PAIRS_PER_BLOCK = 1 << 16
"""Candidate pairs looked at together: their arrays of 512 KiB each stay in the second-level cache."""

BOIDS_PER_BLOCK = 1 << 16
"""Boids looked at together: their numbers within the block have 16 bits, which sort by counting."""


class Pairs(NamedTuple):
    """Pairs of a boid and a neighbor, in the order in which they are added up.

    Attributes:
        boid: (p,) number of the boid within its block.
        source: (p,) number of the neighbor among the sources.
        offset: d arrays (p,), neighbor minus boid.
        squared: (p,) squared distances.
    """

    boid: Indices
    source: Indices
    offset: Sequence[Array]
    squared: Array

    def only(self, chosen: Indices) -> "Pairs":
        """The chosen pairs, in their order."""
        return Pairs(
            self.boid.take(chosen),
            self.source.take(chosen),
            [along.take(chosen) for along in self.offset],
            self.squared.take(chosen),
        )


class Flight(NamedTuple):
    """Velocities, d arrays (n,), and speeds, (n,), of the boids of a block."""

    velocity: Sequence[Array]
    speed: Array


def blocks(grid: Grid, position: Array, radius: float) -> Iterator[tuple[slice, Pairs]]:
    """Boids at `position`, shape (n, d), in blocks, each with all its pairs nearer than `radius`."""
    begin, end = grid.ranges(grid.cell(position))
    lengths = end - begin
    until = np.cumsum(lengths.sum(axis=1))
    first = 0
    while first < len(position):
        done = until[first - 1] if first else 0
        fitting = int(np.searchsorted(until, done + PAIRS_PER_BLOCK, side="right"))
        last = max(first + 1, min(first + BOIDS_PER_BLOCK, fitting))
        block = slice(first, last)
        yield block, _pairs(grid, position[block], begin[block].ravel(), lengths[block], radius)
        first = last


def nearer(pairs: Pairs, radius: float) -> Pairs:
    """The pairs nearer than `radius`."""
    return pairs.only((pairs.squared < radius * radius).nonzero()[0])


def visible(pairs: Pairs, field_of_view: float, flight: Flight) -> Pairs:
    """The pairs in which the boid has its neighbor within its field of view, in degrees; at rest it sees all round."""
    ahead = flight.velocity[0].take(pairs.boid) * pairs.offset[0]
    for velocity, along in zip(flight.velocity[1:], pairs.offset[1:], strict=True):
        ahead = ahead + velocity.take(pairs.boid) * along
    speed = flight.speed.take(pairs.boid)
    least = speed * np.sqrt(pairs.squared) * half_angle_cosine(field_of_view)
    return pairs.only(((ahead > least) | (speed == 0)).nonzero()[0])


def nearest(pairs: Pairs, most: int) -> Pairs:
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


def half_angle_cosine(field_of_view: float) -> float:
    """Cosine of half the field of view, given in degrees: what lies nearer to straight ahead is seen."""
    return float(np.cos(np.radians(field_of_view / 2)))


def _pairs(grid: Grid, position: Array, begin: Indices, lengths: Indices, radius: float) -> Pairs:
    entry = _expanded(begin, lengths.ravel())
    boid = np.repeat(np.arange(len(position)), lengths.sum(axis=1))
    offset = []
    squared = np.zeros(len(entry))
    for a, axis in enumerate(grid.axes):
        along = grid.coordinate[a].take(entry)
        along -= position[:, a].take(boid)
        if axis.period:
            along -= axis.period * np.rint(along / axis.period)
        squared = along * along if a == 0 else squared + along * along
        offset.append(along)
    chosen = ((squared < radius * radius) & (squared >= COINCIDENT * COINCIDENT)).nonzero()[0]
    return Pairs(
        boid.take(chosen),
        grid.source.take(entry.take(chosen)),
        [along.take(chosen) for along in offset],
        squared.take(chosen),
    )


def _expanded(begin: Indices, lengths: Indices) -> Indices:
    """All numbers of the ranges that begin at `begin` and have these lengths, one range after the other."""
    until = lengths.cumsum()
    expanded: Indices = np.arange(until[-1]) + np.repeat(begin - until + lengths, lengths)
    return expanded
