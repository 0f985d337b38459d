"""The contract of every measure: one number about some boids at one instant.

`value(population)` is the number, or None where it is not defined; it is never nan. All distances are the shortest in
this world. With r the place of a boid, v its velocity, N the number of boids, and sums over all boids, each measure
states its definition and source.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

from boidsgen.simulation.measures.population import Population
from boidsgen.tables import Table


class Measure(Table, ABC):
    """One number about some boids at one instant."""

    unit: ClassVar[str] = ""
    """What the number counts; empty for a plain number."""

    @abstractmethod
    def value(self, population: Population) -> float | None:
        """The number, or None where it is not defined."""
