"""Groups: into how many flocks the boids have fallen apart."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.simulation.measures.measure import Measure
from boidsgen.simulation.measures.population import Population
from boidsgen.simulation.neighbors.encounters import encounters
from boidsgen.simulation.neighbors.grid import Indices


class Groups(Measure):
    """Number of groups: two boids are in the same one when a chain of boids, each near the next, joins them.

    Two are near when one is within the other's perception radius, whatever its field of view. A lone boid is a group;
    nobody is none. It is the counter "groups formed" of many demonstrations, as connected components.
    """

    unit: ClassVar[str] = "groups"

    @override
    def value(self, population: Population) -> float | None:
        return float(len(np.unique(members(population))))


def members(population: Population) -> Indices:
    """For each boid the number of the first boid of its group, shape (n,)."""
    first = np.arange(len(population))
    radius = float(population.sight.max(initial=0.0))
    if radius == np.inf:
        return np.zeros_like(first)
    for met in encounters(population.position, radius, population.world):
        sight = np.maximum(population.sight[met.first], population.sight[met.second])
        near = met.only(met.distance < sight)
        first = _joined(first, near.first, near.second)
    return first


def _joined(first: Indices, one: Indices, other: Indices) -> Indices:
    """The groups after `one` and `other`, shape (p,) each, have come together in theirs, shape (n,).

    Each round hangs the first of one group below the first of another, until no two are apart.
    """
    while len(apart := np.flatnonzero(first[one] != first[other])):
        one, other = one[apart], other[apart]
        first[np.maximum(first[one], first[other])] = np.minimum(first[one], first[other])
        while (first[first] != first).any():
            first = first[first]
    return first
