"""Polarization: how much all fly the same way."""

from typing_extensions import override

from boidsgen.simulation.geometry import length
from boidsgen.simulation.measures.measure import Measure
from boidsgen.simulation.measures.population import Population


class Polarization(Measure):
    """|sum of unit(v)| / N: 1 when all fly the same way, near 0 when the ways cancel out.

    A boid at rest has no way and adds nothing. Not defined without boids. Source: T. Vicsek et al., Novel type of phase
    transition in a system of self-driven particles, Physical Review Letters 75, 1995 (there the order parameter).
    """

    @override
    def value(self, population: Population) -> float | None:
        if not len(population):
            return None
        return min(1.0, float(length(population.heading.sum(axis=0)[None])[0]) / len(population))
