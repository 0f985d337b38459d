"""Dispersion: how far apart the whole population is."""

from typing import ClassVar

from typing_extensions import override

from boidsgen.simulation.geometry import length
from boidsgen.simulation.measures.measure import Measure
from boidsgen.simulation.measures.population import Population


class Dispersion(Measure):
    """Mean distance from the center, which is the circular mean where the world repeats. Not defined without boids."""

    unit: ClassVar[str] = "world units"

    @override
    def value(self, population: Population) -> float | None:
        return float(length(population.from_center).mean()) if len(population) else None
