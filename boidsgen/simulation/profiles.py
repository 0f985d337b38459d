"""Profiles: how something changes with the distance, in shells of equal width.

`values(population)` has one number for each of `SHELLS` shells, nan where it is not defined; shell i reaches from
i · width to (i + 1) · width, with width = `reach(world)` / SHELLS, in world units.
"""

from abc import ABC, abstractmethod
from math import pi
from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.simulation.correlation import by_distance
from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.population import Population
from boidsgen.simulation.world import World
from boidsgen.tables import by_name

SHELLS = 25


class Profile(ABC):
    """Some quantity, shell by shell."""

    unit: ClassVar[str] = ""
    """Of the quantity; empty for a plain number."""

    @abstractmethod
    def values(self, population: Population) -> Array:
        """The quantity in each shell, shape (SHELLS,)."""


class DensityProfile(Profile):
    """Boids per area in 2D, per volume in 3D, by the distance from their center, which counts round a torus too.

    In a shell from r to s: their number / (pi (s² - r²)), or / (4/3 pi (s³ - r³)). Where the shell reaches beyond an
    edge, what lies behind it counts as empty.
    """

    unit: ClassVar[str] = "boids per unit of area or volume"

    @override
    def values(self, population: Population) -> Array:
        if not len(population):
            return np.zeros(SHELLS)
        rims = np.linspace(0.0, reach(population.world), SHELLS + 1)
        count, _ = np.histogram(length(population.from_center), rims)
        return count / np.diff(pi * rims**2 if population.world.dimension == 2 else 4 / 3 * pi * rims**3)


class VelocityCorrelation(Profile):
    """Mean of u · u' over all two boids a distance apart, divided by that at distance 0; u is v minus the mean of v.

    Source: A. Cavagna et al., Scale-free correlations in starling flocks, PNAS 107, 2010.
    """

    @override
    def values(self, population: Population) -> Array:
        if len(population) < 2:
            return np.full(SHELLS, np.nan)
        world = population.world
        return by_distance(population.position, population.velocity, world, reach(world), SHELLS)


def reach(world: World) -> float:
    """Half of the shortest side: as far as every direction of a torus leads without coming round."""
    return min(world.size) / 2


def distances(world: World) -> Array:
    """The middles of the shells, shape (SHELLS,), in world units."""
    return (np.arange(SHELLS) + 0.5) * reach(world) / SHELLS


PROFILES = by_name(DensityProfile, VelocityCorrelation)
"""Every profile by its name."""
