"""Neighbor sums in plain numpy: no loop over boids, only over blocks of them that fit the cache.

The pairs of a block are laid out boid by boid, and within a boid in the order of the grid, and `bincount` adds them
in that order. That fixes every rounding error: another engine that visits the same pairs in the same order gives
equal bits.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from boidsgen.simulation.geometry import Array, by_column, length, zeros
from boidsgen.simulation.neighbors.grid import Grid, Indices, make_grid
from boidsgen.simulation.neighbors.request import COINCIDENT, Quantity, Request, Sum

PAIRS_PER_BLOCK = 1 << 16
"""Candidate pairs looked at together: their arrays of 512 KiB each stay in the second-level cache."""


class _Pairs(NamedTuple):
    """Pairs of a boid and a neighbor-to-be, in the order in which they are added up.

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

    def only(self, chosen: Indices) -> "_Pairs":
        return _Pairs(
            self.boid.take(chosen),
            self.source.take(chosen),
            [o.take(chosen) for o in self.offset],
            self.squared.take(chosen),
        )


class _Flight(NamedTuple):
    """Velocities (d arrays) and speeds of the boids of a block, for the field of view."""

    velocity: Sequence[Array]
    speed: Array


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
    among the
    sources: nobody is a neighbor of itself.
    """
    sums = [Sum(np.zeros(len(position)), zeros(*position.shape)) for _ in requests]
    if not len(position) or not len(source_position) or not requests:
        return sums
    radius = max(request.radius for request in requests)
    grid = make_grid(source_position, radius, periods)
    order = grid.originals if position is source_position else np.arange(len(position))
    sorted_position = by_column(position[order])
    sorted_velocity = by_column(velocity[order])
    speed = length(sorted_velocity)
    for block, pairs in _blocks(grid, sorted_position, radius):
        boids = order[block]
        flight = _Flight([sorted_velocity[block, a] for a in range(position.shape[1])], speed[block])
        for request, found in zip(requests, sums, strict=True):
            chosen = _visible(_near(pairs, request.radius, radius), request.field_of_view, flight)
            found.count[boids] = np.bincount(chosen.boid, minlength=len(boids))
            for axis, weights in enumerate(_weights(chosen, request.quantity, source_velocity)):
                found.total[boids, axis] = np.bincount(chosen.boid, weights, minlength=len(boids))
    return sums


def _blocks(grid: Grid, position: Array, radius: float) -> Iterator[tuple[slice, _Pairs]]:
    """Boids in blocks, each with all its pairs nearer than `radius`."""
    begin, end = grid.ranges(grid.cell(position))
    lengths = end - begin
    until = np.cumsum(lengths.sum(axis=1))
    first = 0
    while first < len(position):
        done = until[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(until, done + PAIRS_PER_BLOCK, side="right")))
        block = slice(first, last)
        yield block, _pairs(grid, position[block], begin[block].ravel(), lengths[block], radius)
        first = last


def _pairs(grid: Grid, position: Array, begin: Indices, lengths: Indices, radius: float) -> _Pairs:
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
    return _Pairs(
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


def _near(pairs: _Pairs, radius: float, known: float) -> _Pairs:
    """The pairs nearer than `radius`; all are known to be nearer than `known`."""
    if radius >= known:
        return pairs
    return pairs.only((pairs.squared < radius * radius).nonzero()[0])


def _visible(pairs: _Pairs, field_of_view: float, flight: _Flight) -> _Pairs:
    """The pairs in which the boid has its neighbor in view."""
    if field_of_view >= 360:
        return pairs
    ahead = flight.velocity[0].take(pairs.boid) * pairs.offset[0]
    for velocity, along in zip(flight.velocity[1:], pairs.offset[1:], strict=True):
        ahead = ahead + velocity.take(pairs.boid) * along
    speed = flight.speed.take(pairs.boid)
    least = speed * np.sqrt(pairs.squared) * half_angle_cosine(field_of_view)
    return pairs.only(((ahead > least) | (speed == 0)).nonzero()[0])


def half_angle_cosine(field_of_view: float) -> float:
    """Cosine of half the field of view, given in degrees: what lies nearer to straight ahead is seen."""
    return float(np.cos(np.radians(field_of_view / 2)))


def _weights(pairs: _Pairs, quantity: Quantity, source_velocity: Array) -> list[Array]:
    """What each pair adds to the sum, one array (p,) per axis."""
    if quantity == "velocity":
        return [source_velocity[:, a].take(pairs.source) for a in range(len(pairs.offset))]
    if quantity in ("offset", "linear"):
        return list(pairs.offset)
    divisor = {"constant": _once, "inverse": _twice, "inverse_square": _thrice}[quantity](pairs.squared)
    return [along / divisor for along in pairs.offset]


def _once(squared: Array) -> Array:
    return np.sqrt(squared)


def _twice(squared: Array) -> Array:
    return squared


def _thrice(squared: Array) -> Array:
    return squared * np.sqrt(squared)
