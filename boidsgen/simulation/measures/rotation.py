"""Rotation: how much all turn about their center."""

from itertools import combinations

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import unit
from boidsgen.simulation.measures.measure import Measure
from boidsgen.simulation.measures.population import Population


class Rotation(Measure):
    """|sum of unit(r - c) cross unit(v)| / N, c their center: 1 when all mill round it the same way.

    Vectors are added before the length is taken, so that opposite turns cancel out, in 3D too. Not defined without
    boids. Source: I. D. Couzin et al., Collective memory and spatial sorting in animal groups, Journal of Theoretical
    Biology 218, 2002 (there the group angular momentum).
    """

    @override
    def value(self, population: Population) -> float | None:
        if not len(population):
            return None
        arm, heading = unit(population.from_center), population.heading
        # The components of the cross product: one in 2D, three in 3D.
        turns = [
            float((arm[:, a] * heading[:, b] - arm[:, b] * heading[:, a]).sum())
            for a, b in combinations(range(arm.shape[1]), 2)
        ]
        return min(1.0, float(np.hypot.reduce(turns)) / len(population))
