"""Speed: how fast the boids fly, and how differently fast."""

from typing import ClassVar

from typing_extensions import override

from boidsgen.simulation.geometry import length
from boidsgen.simulation.measures.measure import Measure
from boidsgen.simulation.measures.population import Population


class MeanSpeed(Measure):
    """Sum of |v| / N. Not defined without boids."""

    unit: ClassVar[str] = "world units per unit of time"

    @override
    def value(self, population: Population) -> float | None:
        return float(length(population.velocity).mean()) if len(population) else None


class SpeedSpread(Measure):
    """Standard deviation of |v|, over N: 0 when all are equally fast. Not defined without boids."""

    unit: ClassVar[str] = "world units per unit of time"

    @override
    def value(self, population: Population) -> float | None:
        return float(length(population.velocity).std()) if len(population) else None
