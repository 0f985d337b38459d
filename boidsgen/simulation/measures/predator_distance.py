"""Predator distance: how near the danger is."""

from typing import ClassVar

from typing_extensions import override

from boidsgen.simulation.geometry import length
from boidsgen.simulation.measures.measure import Measure
from boidsgen.simulation.measures.population import Population


class PredatorDistance(Measure):
    """Smallest distance between any boid and any predator. Not defined without boids or without predators."""

    unit: ClassVar[str] = "world units"

    @override
    def value(self, population: Population) -> float | None:
        if not len(population):
            return None
        away = (population.world.shortest(population.position - place) for place in population.predators)
        return min((float(length(offset).min()) for offset in away), default=None)
