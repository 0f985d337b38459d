"""Correlation: how alike boids fly that are so far apart, after the motion of the whole flock is taken away.

With u the velocity of a boid minus the mean velocity of all, C(r) is the mean of u · u' over all two boids a distance
r apart, divided by its value at r = 0. It begins positive and falls below zero; where it does, the fluctuations stop
being alike. Source: A. Cavagna et al., Scale-free correlations in starling flocks, PNAS 107, 2010.

  zero_crossing(position, velocity, world)    the distance at which C(r) falls below zero; None where it never is above
  by_distance(position, velocity, world, reach, shells)    C(r) in shells of equal width
Both look at all pairs, in blocks that bound the memory.
"""

from collections.abc import Iterator

import numpy as np

from boidsgen.simulation.geometry import Array, dot, length, magnitude, mean_of_rows
from boidsgen.simulation.world import World

PAIRS_PER_BLOCK = 1 << 18
FINE = 4096
"""Shells in which pairs are sorted by their distance."""

_Pairs = tuple[Array, Array]
"""Distance of some pairs, and their product u · u', shape (p,) each."""


def zero_crossing(position: Array, velocity: Array, world: World) -> float | None:
    """The distance at which the correlation of velocity fluctuations falls below zero, in world units.

    It is found without choosing a width of shells: while C(r) is positive, the sum of u · u' over all pairs nearer
    than r grows, and it is largest at the zero (A. Attanasi et al., Collective behaviour without collective order in
    wild swarms of midges, PLoS Computational Biology 10, 2014).
    """
    if len(position) < 2:
        return None
    reach = _farthest(position, world)
    total, farthest = np.zeros(FINE), np.zeros(FINE)
    for distance, product in _pairs(position, velocity, world):
        shell = _shells(distance, reach, FINE)
        total += np.bincount(shell, product, minlength=FINE)
        np.maximum.at(farthest, shell, distance)
    running = total.cumsum()
    best = int(running.argmax())
    # Rounding leaves a trace of a fluctuation when all fly alike.
    trace = 1e-12 * float(dot(velocity, velocity).sum())
    return float(farthest[best]) if running[best] > trace else None


def by_distance(position: Array, velocity: Array, world: World, reach: float, shells: int) -> Array:
    """C(r) in shells of equal width up to `reach`, nan where no two boids are so far apart, shape (shells,)."""
    total, count = np.zeros(shells), np.zeros(shells)
    for distance, product in _pairs(position, velocity, world):
        within = distance < reach
        shell = _shells(distance[within], reach, shells)
        total += np.bincount(shell, product[within], minlength=shells)
        count += np.bincount(shell, minlength=shells)
    fluctuation = velocity - mean_of_rows(velocity)
    start = float(dot(fluctuation, fluctuation).mean())
    known = (count > 0) & (start > 0)
    correlation: Array = np.divide(total, count * start, out=np.full(shells, np.nan), where=known)
    return correlation


def _pairs(position: Array, velocity: Array, world: World) -> Iterator[_Pairs]:
    """Every two boids once, in blocks."""
    fluctuation = velocity - mean_of_rows(velocity)
    first = 0
    while first < len(position) - 1:
        rows = max(1, PAIRS_PER_BLOCK // len(position))
        last = min(first + rows, len(position) - 1)
        one, other = np.triu_indices(last - first, 1 + first, len(position))
        one += first
        yield (
            length(world.shortest(position[other] - position[one])),
            dot(fluctuation[one], fluctuation[other]),
        )
        first = last


def _farthest(position: Array, world: World) -> float:
    """No two boids are farther apart than this."""
    sides = np.ptp(position, axis=0)
    return magnitude(np.where(world.periods > 0, world.periods / 2, sides))


def _shells(distance: Array, reach: float, shells: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The shell of each distance, shape (p,)."""
    scale = shells / reach if reach else 0.0
    return np.minimum((distance * scale).astype(np.intp), shells - 1)
