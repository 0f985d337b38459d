"""Nearest-neighbor distance: how densely the boids fly."""

from typing import ClassVar

from typing_extensions import override

from boidsgen.simulation.measures.measure import Measure
from boidsgen.simulation.measures.population import Population
from boidsgen.simulation.neighbors.encounters import nearest_distance


class NearestNeighborDistance(Measure):
    """Mean over all boids of the distance from the nearest other one, 0 for boids in the same place.

    Not defined for fewer than two boids. Source: P. J. Clark and F. C. Evans, Distance to nearest neighbor as a measure
    of spatial relationships in populations, Ecology 35, 1954.
    """

    unit: ClassVar[str] = "world units"

    @override
    def value(self, population: Population) -> float | None:
        if len(population) < 2:
            return None
        return float(nearest_distance(population.position, population.world).mean())
