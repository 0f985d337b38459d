"""The animals that are measured, and profiles: measures as functions of distance."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.geometry import Array, by_column, dot, length, magnitude, mean_of_rows, scaled, zeros
from boidsgen.simulation.motion import Group
from boidsgen.simulation.world import World
from boidsgen.tables import by_name

if TYPE_CHECKING:  # at run time they would bring the rules of packages, which may just be loading
    from boidsgen.simulation.setup import Flock, State


@dataclass(frozen=True, eq=False)
class Population:
    """Some of the flocks of a state, taken together.

    Attributes:
        flocks: the boids.
        tables: what the scenario says about each of these flocks.
        hunters: all predators.
        world: the world.
    """

    flocks: tuple[Group, ...]
    tables: "tuple[Flock, ...]"
    hunters: tuple[Group, ...]
    world: World

    def __len__(self) -> int:
        return sum(len(flock.position) for flock in self.flocks)

    @cached_property
    def position(self) -> Array:
        """Positions of the boids, shape (n, d)."""
        return self._together([flock.position for flock in self.flocks])

    @cached_property
    def velocity(self) -> Array:
        """Velocities of the boids, shape (n, d)."""
        return self._together([flock.velocity for flock in self.flocks])

    @cached_property
    def heading(self) -> Array:
        """Directions of flight, of length 1, or zero at rest, shape (n, d)."""
        return scaled(self.velocity, self.speed, 1.0)

    @cached_property
    def speed(self) -> Array:
        """Speeds of the boids, shape (n,)."""
        return length(self.velocity)

    @cached_property
    def center(self) -> Array:
        """The center of the boids, at least one, shape (d,).

        Along an axis that repeats it is the circular mean: the direction of the mean of all positions laid on a
        circle. Source: K. V. Mardia and P. E. Jupp, Directional Statistics, 2000.
        """
        center = mean_of_rows(self.position)
        for axis, period in enumerate(self.world.periods):
            if period:
                angle = 2 * np.pi / period * (self.position[:, axis] % period)
                turn = exact.heading(exact.sine(angle).mean(), exact.cosine(angle).mean())
                center[axis] = period / (2 * np.pi) * turn % period
        return center

    @cached_property
    def from_center(self) -> Array:
        """The offsets of the boids from their center, shape (n, d)."""
        return self.world.shortest(self.position - self.center)

    @cached_property
    def predators(self) -> Array:
        """Positions of all predators, shape (m, d)."""
        return self._together([hunters.position for hunters in self.hunters])

    @cached_property
    def perception_radius(self) -> Array:
        """Perception radius of each boid, shape (n,)."""
        return self._of_each(lambda table: table.perception.radius)

    @cached_property
    def separation_radius(self) -> Array:
        """Separation radius of each boid, also where separation is off, shape (n,)."""
        return self._of_each(lambda table: table.separation.reach(table.perception)[0])

    def _together(self, vectors: Sequence[Array]) -> Array:
        if len(vectors) == 1:
            return vectors[0]
        return by_column(np.concatenate([zeros(0, self.world.dimension), *vectors]))

    def _of_each(self, value: "Callable[[Flock], float]") -> Array:
        counts = [len(flock.position) for flock in self.flocks]
        return np.repeat(np.array([value(table) for table in self.tables]), counts)


def everybody(state: "State") -> Population:
    """All boids of a state."""
    return Population(state.flocks, state.setup.flock, state.predators, state.setup.world)


def only(state: "State", flock: int) -> Population:
    """The boids of one flock."""
    return Population(
        state.flocks[flock : flock + 1], state.setup.flock[flock : flock + 1], state.predators, state.setup.world
    )


PAIRS_PER_BLOCK = 1 << 18
FINE = 4096
"""Shells in which pairs are sorted by their distance."""

SHELLS = 25
"""Shells of a profile."""


def zero_crossing(position: Array, velocity: Array, world: World) -> float | None:
    """The distance at which the correlation of velocity fluctuations falls below zero, in world units.

    It is found without choosing a width of shells: while C(r) is positive, the sum of u · u' over all pairs nearer
    than r grows, and it is largest at the zero (A. Attanasi et al., Collective behaviour without collective order in
    wild swarms of midges, PLoS Computational Biology 10, 2014).
    """
    if len(position) < 2:
        return None
    # No two boids are farther apart.
    reach = magnitude(np.where(world.periods > 0, world.periods / 2, np.ptp(position, axis=0)))
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


def _pairs(position: Array, velocity: Array, world: World) -> Iterator[tuple[Array, Array]]:
    """Distance and product u · u' of every two boids once, in blocks, shape (p,) each."""
    fluctuation = velocity - mean_of_rows(velocity)
    rows = max(1, PAIRS_PER_BLOCK // max(1, len(position)))
    for first in range(0, len(position) - 1, rows):
        last = min(first + rows, len(position) - 1)
        one, other = np.triu_indices(last - first, 1 + first, len(position))
        one += first
        away = length(world.shortest(position[other] - position[one]))
        yield away, dot(fluctuation[one], fluctuation[other])


def _shells(distance: Array, reach: float, shells: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The shell of each distance, shape (p,)."""
    return np.minimum((distance * (shells / reach if reach else 0.0)).astype(np.intp), shells - 1)


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
        farthest, fluctuation = reach(population.world), population.velocity - mean_of_rows(population.velocity)
        total, count = np.zeros(SHELLS), np.zeros(SHELLS)
        for distance, product in _pairs(population.position, population.velocity, population.world):
            within = distance < farthest
            shell = _shells(distance[within], farthest, SHELLS)
            total += np.bincount(shell, product[within], minlength=SHELLS)
            count += np.bincount(shell, minlength=SHELLS)
        start = float(dot(fluctuation, fluctuation).mean())
        known = (count > 0) & (start > 0)
        correlation: Array = np.divide(total, count * start, out=np.full(SHELLS, np.nan), where=known)
        return correlation


def reach(world: World) -> float:
    """Half of the shortest side: as far as every direction of a torus leads without coming round."""
    return min(world.size) / 2


def distances(world: World) -> Array:
    """The middles of the shells, shape (SHELLS,), in world units."""
    return (np.arange(SHELLS) + 0.5) * reach(world) / SHELLS


PROFILES = by_name(DensityProfile, VelocityCorrelation)
"""Every profile by its name."""
