"""Populations, profiles (measures as functions of distance), and the measures that the kernel computes.

A population is the animals that are measured. The kernel computes all of its measures of a state in one call, with
values equal to those of `measures`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from ctypes import c_int, c_void_p
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from math import pi
from struct import pack
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import exact
from boidsgen.kernel.library import entry
from boidsgen.simulation.geometry import Array, by_column, dot, length, mean_of_rows, scaled, zeros
from boidsgen.simulation.motion import Group
from boidsgen.simulation.records import MEMBERS, point_of
from boidsgen.simulation.world import World
from boidsgen.tables import by_name

if TYPE_CHECKING:
    from boidsgen.simulation.setup import Flock, State


@dataclass(frozen=True, eq=False)
class Population:
    """Some of the flocks of a state, taken together."""

    flocks: tuple[Group, ...]  # the boids
    tables: "tuple[Flock, ...]"  # what the scenario says about each of these flocks
    hunters: tuple[Group, ...]  # all predators
    world: World  # the world

    def __len__(self) -> int:
        return sum(len(flock.position) for flock in self.flocks)

    @cached_property
    def position(self) -> Array:
        """Positions of the boids, shape (n, d)."""
        return self._together([flock.position for flock in self.flocks])

    @property
    def numbers(self) -> NDArray[np.intp]:
        """Numbers of the boids in their flocks, which they keep from frame to frame, shape (n,)."""
        return np.concatenate([np.arange(0), *(flock.numbers for flock in self.flocks)])

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
        center, axes = mean_of_rows(self.position), np.flatnonzero(self.world.periods)
        period = self.world.periods[axes]
        angle = np.ascontiguousarray((2 * np.pi / period * (self.position[:, axes] % period)).T)
        turn = exact.heading(exact.sine(angle).mean(axis=1), exact.cosine(angle).mean(axis=1))
        center[axes] = period / (2 * np.pi) * turn % period
        return center

    @cached_property
    def from_center(self) -> Array:
        """The offsets of the boids from their center, shape (n, d)."""
        return self.world.shortest(self.position - self.center)

    @cached_property
    def correlation(self) -> "Correlation | None":
        """The correlation of velocity fluctuations up to the farthest pair; None for fewer than two boids."""
        if len(self) < 2:
            return None
        return velocity_correlation(self.position, self.velocity, self.world, FINE_SHELLS)

    @cached_property
    def predators(self) -> Array:
        """Positions of all predators, shape (m, d)."""
        return self._together([hunters.position for hunters in self.hunters])

    @cached_property
    def radii(self) -> Array:
        """Radii of perception and of separation of each boid, also where separation is off, shape (2, n)."""
        counts = [len(flock.position) for flock in self.flocks]
        return np.repeat(np.array([table.radii for table in self.tables]).T, counts, axis=1)

    def _together(self, vectors: Sequence[Array]) -> Array:
        if len(vectors) == 1:
            return vectors[0]
        return by_column(np.concatenate([zeros(0, self.world.dimension), *vectors]))


def everybody(state: "State") -> Population:
    """All boids of a state."""
    return Population(state.flocks, state.setup.flock, state.predators, state.setup.world)


def only(state: "State", flock: int) -> Population:
    """The boids of one flock."""
    return Population(
        state.flocks[flock : flock + 1], state.setup.flock[flock : flock + 1], state.predators, state.setup.world
    )


PAIRS_AT_A_TIME = 1 << 18
MOST_PAIRS = 1 << 22  # With more pairs than these, so many drawn at random stand for all
FINE_SHELLS = 50  # Shells in which the first zero of a correlation is searched
CERTAIN = 3.0  # Standard deviations by which the nearest pairs must be alike beyond shuffled velocities


@dataclass(frozen=True, slots=True, eq=False)
class Correlation:
    """C(r), the correlation of velocity fluctuations u = v - mean v at distance r: mean of u · u' over that of u · u.

    Source: A. Cavagna et al., Scale-free correlations in starling flocks, PNAS 107, 2010.

    Attributes:
        width: of the shells of equal width that begin at distance 0, in world units.
        values: C in each shell, nan where no pair is so far apart, shape (shells,).
        significance: of the nearest pairs, as many as there are boids: their mean u · u', over the standard deviation
            that it has where velocities are shuffled, tr(S²) / pairs with S the covariance of u.
    """

    width: float
    values: Array
    significance: float

    @property
    def first_zero(self) -> float | None:
        """The distance at which C(r) first falls to zero, by linear interpolation between shells.

        None where it never does, or where velocities of near boids are no more alike than shuffled ones.
        """
        known = np.flatnonzero(~np.isnan(self.values))
        fallen = np.flatnonzero(self.values[known] <= 0)
        if self.significance < CERTAIN or not len(fallen):
            return None
        after = known[fallen[0]]
        if not fallen[0]:
            return float(after + 0.5) * self.width
        before = known[fallen[0] - 1]
        share = self.values[before] / (self.values[before] - self.values[after])
        return float(before + 0.5 + share * (after - before)) * self.width

    @property
    def integral(self) -> float | None:
        """The integral of C(r) from 0 to its first zero, in world units; None where that is."""
        zero = self.first_zero
        if zero is None:
            return None
        positive = np.nan_to_num(self.values[: int(zero / self.width + 0.5)])
        return float(positive.sum()) * self.width


def velocity_correlation(
    position: Array, velocity: Array, world: World, shells: int, reach: float | None = None
) -> Correlation:
    """C(r) of at least two boids in shells of equal width up to `reach`, by default the distance of the farthest."""
    fluctuation = velocity - mean_of_rows(velocity)
    distance, product = _pairs(position, fluctuation, world)
    farthest = float(distance.max())
    width = (farthest if reach is None else reach) / shells
    shell = (distance / (width or 1.0)).astype(np.intp)
    if reach is None:
        shell = np.minimum(shell, shells - 1)  # the farthest pair belongs to the last shell
    total = np.bincount(shell, product, minlength=shells)[:shells]
    count = np.bincount(shell, minlength=shells)[:shells]
    variance = float(dot(fluctuation, fluctuation).mean())
    # Rounding leaves a trace of a fluctuation when all fly alike.
    if variance <= 1e-24 * float(dot(velocity, velocity).max()):
        return Correlation(width, np.full(shells, np.nan), 0.0)
    values = np.divide(total, count * variance, out=np.full(shells, np.nan), where=count > 0)
    nearest = int(np.searchsorted(count.cumsum(), min(len(position), count.sum()))) + 1
    pairs = max(1, int(count[:nearest].sum()))
    covariance = fluctuation.T @ fluctuation / len(fluctuation)
    spread = float(np.sqrt((covariance**2).sum() / pairs))
    return Correlation(width, values, float(total[:nearest].sum()) / pairs / spread)


def _pairs(position: Array, fluctuation: Array, world: World) -> tuple[Array, Array]:
    """Distance and product u · u' of every two boids, or of a sample of the pairs, shape (p,) each."""
    count = len(position)
    if count * (count - 1) // 2 <= MOST_PAIRS:
        one, other = np.triu_indices(count, 1)
    else:
        one, other = np.random.default_rng(0).integers(0, count, (2, MOST_PAIRS))
        one, other = one[one != other], other[one != other]
    distance, product = np.empty((2, len(one)))
    for first in range(0, len(one), PAIRS_AT_A_TIME):
        block = slice(first, first + PAIRS_AT_A_TIME)
        distance[block] = length(world.shortest(position[other[block]] - position[one[block]]))
        product[block] = dot(fluctuation[one[block]], fluctuation[other[block]])
    return distance, product


SHELLS = 25


class Profile(ABC):
    """Some quantity, shell by shell."""

    unit: ClassVar[str] = ""
    """Of the quantity; empty for a plain number."""

    @abstractmethod
    def values(self, population: Population) -> Array:
        """The quantity in each shell, shape (SHELLS,)."""


class DensityProfile(Profile):
    """Boids per area in 2D, per volume in 3D, by the distance from their center, also across the edges of a torus.

    In a shell from r to s: their number / (pi (s² - r²)), or / (4/3 pi (s³ - r³)). Where the shell reaches beyond an
    edge, what lies behind it counts as empty.
    """

    unit: ClassVar[str] = "boids per unit of area or volume"

    @override
    def values(self, population: Population) -> Array:
        if not len(population):
            return np.zeros(SHELLS)
        rims, room = _shells(population.world)
        return np.histogram(length(population.from_center), rims)[0] / room


class VelocityCorrelation(Profile):
    """Mean of u · u' over all two boids a distance apart, divided by that at distance 0; u is v minus the mean of v.

    Source: A. Cavagna et al., Scale-free correlations in starling flocks, PNAS 107, 2010.
    """

    @override
    def values(self, population: Population) -> Array:
        if len(population) < 2:
            return np.full(SHELLS, np.nan)
        world = population.world
        return velocity_correlation(population.position, population.velocity, world, SHELLS, half_side(world)).values


class PairDistribution(Profile):
    """g(r): how many boids there are at a distance from a boid, over how many there would be if all were spread evenly.

    1 everywhere for boids at random in a world that repeats; elsewhere edges lower it. Source: J.-P. Hansen and I. R.
    McDonald, Theory of Simple Liquids, 4th edition 2013.
    """

    @override
    def values(self, population: Population) -> Array:
        if len(population) < 2:
            return np.full(SHELLS, np.nan)
        world, (rims, room) = population.world, _shells(population.world)
        distance, _ = _pairs(population.position, population.velocity, world)
        return np.histogram(distance, rims)[0] / len(distance) * np.prod(world.size) / room


class StructureFactor(Profile):
    """S(k) = |sum of exp(i k · r)|² / N, mean over the axes, at the wavelength nearest to twice the distance.

    Of the waves along an axis those are taken that fit into the world a whole number of times. 1 for boids at random,
    far above 1 at a wavelength at which they gather. Source: as for the pair distribution.
    """

    @override
    def values(self, population: Population) -> Array:
        if not len(population):
            return np.full(SHELLS, np.nan)
        world, powers = population.world, []
        for position, side in zip(population.position.T, world.size, strict=True):
            waves = np.maximum(1, np.rint(side / (2 * distances(world))))
            phase = 2 * pi * waves[:, None] * (position / side)
            powers.append(exact.cosine(phase).sum(axis=1) ** 2 + exact.sine(phase).sum(axis=1) ** 2)
        return np.asarray(np.mean(powers, axis=0) / len(population))


class NumberFluctuations(Profile):
    """Variance over mean of the numbers of boids in boxes with the distance as their side, which fill the world.

    1 for boids at random; giant fluctuations grow with the box. Boids outside the boxes do not count. Source: V.
    Narayan, S. Ramaswamy and N. Menon, Long-lived giant number fluctuations in a swarming granular nematic, Science
    317, 2007 (there their standard deviation over the root of the mean).
    """

    @override
    def values(self, population: Population) -> Array:
        return np.array([self._of_boxes(population, side) for side in distances(population.world)])

    @staticmethod
    def _of_boxes(population: Population, side: float) -> float:
        boxes = np.floor(np.array(population.world.size) / side).astype(np.intp)
        place = np.floor(population.position / side).astype(np.intp)
        inside = ((place >= 0) & (place < boxes)).all(axis=1)
        count = np.bincount(np.ravel_multi_index(tuple(place[inside].T), tuple(boxes)), minlength=int(boxes.prod()))
        return float(count.var(ddof=1) / count.mean()) if inside.any() else np.nan


def half_side(world: World) -> float:
    """Half of the shortest side: as far as every direction of a torus leads without coming round."""
    return min(world.size) / 2


def _shells(world: World) -> tuple[Array, Array]:
    """The rims of the shells, shape (SHELLS + 1,), and the area or volume of each."""
    rims = np.linspace(0.0, half_side(world), SHELLS + 1)
    return rims, np.diff(pi * rims**2 if world.dimension == 2 else 4 / 3 * pi * rims**3)


def distances(world: World) -> Array:
    """The middles of the shells, shape (SHELLS,), in world units."""
    return (np.arange(SHELLS) + 0.5) * half_side(world) / SHELLS


PROFILES = by_name(DensityProfile, NumberFluctuations, PairDistribution, StructureFactor, VelocityCorrelation)
"""Every profile by its name."""


KERNEL_MEASURES = MEMBERS["measure"]
"""Measures of the kernel, in the order of its own numbers."""

UNDEFINED = -1.0  # No measure is below zero


def _compute(populations: Sequence[Population], wanted: int) -> tuple[Array, NDArray[np.intp]] | None:
    """The measures of the kernel that are wanted, of one population at several instants, shape (instants, measures).

    And at the last instant the number of the first boid of each one's group, shape (n,). None without the kernel.
    """
    call, like, memory, number = entry("measure"), populations[0], c_void_p, c_int
    if call is None:
        return None
    if call.argtypes is None:
        call.argtypes = (number, memory, number, memory, memory, memory, number, number, memory, memory, memory)
    periods = like.world.periods.tolist()
    record = [3.0 - len(periods), *point_of(periods)]
    for flock, table in zip(like.flocks, like.tables, strict=True):
        record += len(flock.position), *table.radii
    boids = [one.flocks[0] if len(one.flocks) == 1 else one for one in populations]
    predators = b"".join([one.predators.tobytes("F") for one in populations]) if like.hunters else None
    # memory: values, members, and what the kernel works with
    size, count = len(populations) * len(KERNEL_MEASURES), len(like)
    cells = np.empty(size + count + entry("measure_cells")(count, len(like.flocks)))
    at = cells.__array_interface__["data"][0]  # several times as fast as `ctypes.data`
    call(
        len(populations), pack(f"{len(record)}d", *record), len(like.flocks),
        b"".join([one.position.tobytes("F") for one in boids]), b"".join([one.velocity.tobytes("F") for one in boids]),
        predators, len(like.predators) if predators else 0, wanted,
        at, at + cells.itemsize * size, at + cells.itemsize * (size + count),
    )  # fmt: skip
    return cells[:size].reshape(len(populations), -1), cells[size : size + count].view(np.intp)


def kernel_values(populations: Iterable[Population], names: tuple[str, ...]) -> Iterator[dict[str, float | None]]:
    """Of each population those of the measures with these names that the kernel knows; None for one not defined."""
    known, wanted = _numbers(names)
    for _, alike in groupby(populations, _kind):
        some = [*alike]
        computed = _compute(some, wanted) if known else None
        if computed is None:
            yield from ({} for _ in some)
            continue
        for found in computed[0].tolist():
            yield {name: None if found[number] == UNDEFINED else found[number] for name, number in known}


def _kind(population: Population) -> tuple[object, ...]:
    """Equal for populations of one setup at several instants, while they last."""
    groups = (*population.flocks, *population.hunters)
    return id(population.tables), id(population.world), *[len(group.position) for group in groups]


@lru_cache
def _numbers(names: tuple[str, ...]) -> tuple[list[tuple[str, int]], int]:
    """Those of these names that the kernel knows, each with its number, and all numbers as bits."""
    known = [(name, KERNEL_MEASURES.index(name)) for name in names if name in KERNEL_MEASURES]
    return known, sum(1 << number for _, number in known)


def kernel_members(population: Population) -> NDArray[np.intp] | None:
    """The number of the first boid of each one's group, shape (n,); None without the kernel."""
    computed = _compute([population], 1 << KERNEL_MEASURES.index("groups"))
    return None if computed is None else computed[1]
