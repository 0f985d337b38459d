"""Measures: one number about some boids at one instant.

`value(population)` is the number, or None where it is not defined; it is never nan. All distances are minimum-image
distances. With r the position of a boid, v its velocity, N the number of boids, and sums over all boids, each measure
states its definition and source. `measure(state)` computes the usual ones of all boids, without those not defined.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.plugins import Family, made_of, maker
from boidsgen.simulation.geometry import Array, dot, length, magnitude, sum_of_rows, unit
from boidsgen.simulation.native_measures import kernel_members, kernel_values
from boidsgen.simulation.neighbors.grid import Indices
from boidsgen.simulation.neighbors.vectorized import Pairs, nearest_distance, pairs_within
from boidsgen.simulation.profiles import Population, everybody, only
from boidsgen.simulation.validation import measured
from boidsgen.tables import by_name

if TYPE_CHECKING:
    from boidsgen.simulation.setup import (
        State,  # at run time it would bring the rules of packages, which may be loading
    )


class Measure(ABC):
    """One number about some boids at one instant, zero or above."""

    unit: ClassVar[str] = ""
    """Unit of the value; empty for a plain number."""
    is_fraction: ClassVar[bool] = False
    """True if the value is at most 1; charts then reach up to 1."""
    by_default: ClassVar[bool] = True
    """True if it is computed where no measures are named."""

    @abstractmethod
    def value(self, population: Population) -> float | None:
        """The number, or None where it is not defined."""


class Polarization(Measure):
    """|sum of unit(v)| / N: 1 when all fly the same way, near 0 when headings cancel.

    A boid at rest adds nothing. Not defined without boids. Source: T. Vicsek et al., Novel type of phase
    transition in a system of self-driven particles, Physical Review Letters 75, 1995 (there the order parameter).
    """

    is_fraction: ClassVar[bool] = True

    @override
    def value(self, population: Population) -> float | None:
        if not len(population):
            return None
        return min(1.0, magnitude(sum_of_rows(population.heading)) / len(population))


class Rotation(Measure):
    """|sum of unit(r - c) cross unit(v)| / N, c their center: 1 when all mill around it the same way.

    Vectors are added before the length is taken, so that opposite turns cancel out, in 3D too. Not defined without
    boids. Source: I. D. Couzin et al., Collective memory and spatial sorting in animal groups, Journal of Theoretical
    Biology 218, 2002 (there the group angular momentum).
    """

    is_fraction: ClassVar[bool] = True

    @override
    def value(self, population: Population) -> float | None:
        if not len(population):
            return None
        arm, heading = unit(population.from_center), population.heading
        return min(1.0, magnitude(_turning(arm, heading)) / len(population))


class AngularMomentum(Measure):
    """|sum of (r - c) cross v| / sum of |r - c| |v|, c their center: 1 when all circle it the same way.

    Unlike in `rotation`, boids that fly fast or far out count more. Not defined without boids, or when none moves or is
    off the center. Source: M. R. D'Orsogna et al., Self-propelled particles with soft-core interactions, Physical
    Review Letters 96, 2006.
    """

    is_fraction: ClassVar[bool] = True

    by_default: ClassVar[bool] = False

    @override
    def value(self, population: Population) -> float | None:
        if not len(population):
            return None
        arm, velocity = population.from_center, population.velocity
        most = float((length(arm) * length(velocity)).sum())
        return min(1.0, magnitude(_turning(arm, velocity)) / most) if most else None


def _turning(arm: Array, velocity: Array) -> Array:
    """The sum of the cross products, shape (1,) in 2D and (3,) in 3D."""
    pairs = combinations(range(arm.shape[1]), 2)
    return np.array([float((arm[:, a] * velocity[:, b] - arm[:, b] * velocity[:, a]).sum()) for a, b in pairs])


class NematicOrder(Measure):
    """Largest eigenvalue of the mean of (d u uᵀ - 1) / (d - 1), u = unit(v), in d dimensions.

    1 if all fly along one line, either way; near 0 for random headings. Boids at rest are ignored. Not defined
    if all are at rest. Source: F. Ginelli et al., Large-scale collective properties of self-propelled rods, Physical
    Review Letters 104, 2010.
    """

    is_fraction: ClassVar[bool] = True

    by_default: ClassVar[bool] = False

    @override
    def value(self, population: Population) -> float | None:
        heading = population.heading[population.speed > 0]
        if not len(heading):
            return None
        dimension = heading.shape[1]
        tensor = (dimension * (heading.T @ heading) / len(heading) - np.eye(dimension)) / (dimension - 1)
        return float(np.clip(np.linalg.eigvalsh(tensor)[-1], 0.0, 1.0))


class Dispersion(Measure):
    """Mean distance from the center, which is the circular mean where the world repeats. Not defined without boids."""

    unit: ClassVar[str] = "world units"

    @override
    def value(self, population: Population) -> float | None:
        return float(length(population.from_center).mean()) if len(population) else None


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


class PredatorDistance(Measure):
    """Smallest distance between any boid and any predator. Not defined without boids or without predators."""

    unit: ClassVar[str] = "world units"

    @override
    def value(self, population: Population) -> float | None:
        if not len(population):
            return None
        away = (population.world.shortest(population.position - place) for place in population.predators)
        return min((float(length(offset).min()) for offset in away), default=None)


class CorrelationLength(Measure):
    """Distance at which the correlation C(r) of velocity fluctuations first falls to zero.

    C(r) is the mean of u · u' over all pairs at distance r, divided by the mean of u · u, with u = v minus the mean v;
    among more than some 2,900 boids a sample of the pairs is used. Not defined for fewer than two boids, nor
    where nearby boids are no more aligned than in the same state with shuffled velocities (three standard deviations).
    Source: A. Cavagna et al., Scale-free correlations in starling flocks, PNAS 107, 2010.
    """

    unit: ClassVar[str] = "world units"
    by_default: ClassVar[bool] = False

    @override
    def value(self, population: Population) -> float | None:
        found = population.correlation
        return None if found is None else found.first_zero


class IntegralLength(Measure):
    """The integral of the correlation C(r) of velocity fluctuations from 0 to its first zero.

    C(r) as in `correlation_length`, and defined where that is. It depends less on the size of the group and on noise
    near the zero. Source: G. I. Taylor, Statistical theory of turbulence, Proceedings of the Royal Society A 151, 1935.
    """

    unit: ClassVar[str] = "world units"
    by_default: ClassVar[bool] = False

    @override
    def value(self, population: Population) -> float | None:
        found = population.correlation
        return None if found is None else found.integral


class MeanSpeed(Measure):
    """Sum of |v| / N. Not defined without boids."""

    unit: ClassVar[str] = "world units per unit of time"

    @override
    def value(self, population: Population) -> float | None:
        return float(population.speed.mean()) if len(population) else None


class SpeedSpread(Measure):
    """Standard deviation of |v|, over N: 0 when all are equally fast. Not defined without boids."""

    unit: ClassVar[str] = "world units per unit of time"

    @override
    def value(self, population: Population) -> float | None:
        return float(population.speed.std()) if len(population) else None


class Groups(Measure):
    """Number of groups: two boids are in the same one when a chain of boids, each near the next, joins them.

    Two are near when one is within the other's perception radius, whatever its field of view. A lone boid is a group;
    an empty flock has none. It is the counter "groups formed" of many demonstrations, as connected components.
    """

    unit: ClassVar[str] = "groups"

    @override
    def value(self, population: Population) -> float | None:
        return float(len(np.unique(_members(population))))


def members(population: Population) -> Indices:
    """For each boid the number of the first boid of its group, shape (n,); by the kernel, or as `_members`."""
    found = kernel_members(population)
    return _members(population) if found is None else found


def _members(population: Population) -> Indices:
    first = np.arange(len(population))
    far, _ = population.radii
    radius = float(far.max(initial=0.0))
    if radius == np.inf:
        return np.zeros_like(first)
    for met in pairs_within(population.position, radius, population.world):
        farther = np.maximum(far[met.boid], far[met.source])
        near = met.only((np.sqrt(met.squared) < farther).nonzero()[0])
        one, other = near.boid, near.source
        # Each round hangs the first of one group below the first of another, until no two are apart.
        while len(apart := np.flatnonzero(first[one] != first[other])):
            one, other = one[apart], other[apart]
            first[np.maximum(first[one], first[other])] = np.minimum(first[one], first[other])
            while (first[first] != first).any():
                first = first[first]
    return first


class LargestGroup(Measure):
    """Share of the boids that are in the largest group, a group being what `groups` counts. Not defined without boids.

    Source: C. Huepe and M. Aldana, Intermittency and clustering in a system of self-driven particles, Physical Review
    Letters 92, 2004.
    """

    is_fraction: ClassVar[bool] = True

    by_default: ClassVar[bool] = False

    @override
    def value(self, population: Population) -> float | None:
        if not len(population):
            return None
        return float(np.bincount(_members(population)).max()) / len(population)


class CloseEncounters(Measure):
    """Number of pairs of boids nearer to each other than half the separation radius, the larger of the two counting.

    The radius counts whether separation is switched on or not. Not defined where a separation radius is infinite.
    """

    unit: ClassVar[str] = "pairs"

    @override
    def value(self, population: Population) -> float | None:
        _, rooms = population.radii
        if not np.isfinite(rooms).all():
            return None
        pairs = pairs_within(population.position, float(rooms.max(initial=0.0)), population.world)
        return float(sum(self.count(met, np.maximum(rooms[met.boid], rooms[met.source]), population) for met in pairs))

    def count(self, met: Pairs, room: Array, population: Population) -> int:
        """The number of these pairs that count, given the larger separation radius of each, shape (p,)."""
        return int((np.sqrt(met.squared) < room / 2).sum())


class CollisionsAvoided(CloseEncounters):
    """Number of pairs of boids on a collision course within reach of separation: the collisions it is there to avoid.

    A pair counts when it is nearer than the separation radius but not a close encounter yet, and would become one if
    both flew straight on. Published demonstrations show such a counter without defining it; this definition needs one
    instant only. The larger radius of the two counts, whether separation is switched on or not. Not defined where a
    separation radius is infinite.
    """

    @override
    def count(self, met: Pairs, room: Array, population: Population) -> int:
        drift = population.velocity[met.source] - population.velocity[met.boid]
        offset, distance = np.stack(met.offset, axis=1), np.sqrt(met.squared)
        closing, squared = -dot(offset, drift), dot(drift, drift)
        nearing = (distance < room) & (distance >= room / 2) & (closing > 0)
        # The way left at the closest approach is what remains of the offset across the drift.
        gained = np.divide(closing**2, squared, out=np.zeros_like(closing), where=nearing)
        return int((nearing & (met.squared - gained < room**2 / 4)).sum())


__all__ = ["INSTANT", "MEASURES", "USUAL_MEASURES", "Measure", "Population", "is_fraction", "measure", "values_of"]


def _fault(name: str, kind: object) -> str:
    if not made_of(kind, Measure):
        return "is not a class made of Measure with a method `value`"
    kind()  # it must not ask for keys
    return ""


_OWN = by_name(
    AngularMomentum,
    CloseEncounters,
    CollisionsAvoided,
    CorrelationLength,
    Dispersion,
    Groups,
    IntegralLength,
    LargestGroup,
    MeanSpeed,
    NearestNeighborDistance,
    NematicOrder,
    Polarization,
    PredatorDistance,
    Rotation,
    SpeedSpread,
)

MEASURES: Family[type[Measure]] = Family("measures", _OWN, _fault)
"""Every measure by its name, those of installed packages last."""

INSTANT = ("seed", "frame", "time")  # Columns that identify a row of measures; no measure may have such a name
MEASURES.refuse(INSTANT, "is a column of every table of measures already")

USUAL_MEASURES = tuple(name for name, kind in _OWN.items() if kind.by_default)
"""Measures computed by default: those of boidsgen itself that are fast."""


def is_fraction(name: str) -> bool:
    """True for a measure with values from 0 to 1; false for measures of a whole run."""
    return name in MEASURES and MEASURES[name].is_fraction


def measure(state: "State", names: Iterable[str] = USUAL_MEASURES, flock: int | None = None) -> dict[str, float]:
    """The measures with these names that are defined, of all boids or of one flock; KeyError for unknown names."""
    values = values_of(tuple(names), everybody(state) if flock is None else only(state, flock))
    return {name: value for name, value in values.items() if value is not None}


def values_of(names: tuple[str, ...], population: Population) -> dict[str, float | None]:
    """The measures with these names, or None where they are not defined: by the kernel, or as `value_of`."""
    known = kernel_values(population, names)
    return {name: known[name] if name in known else value_of(name, population) for name in names}


def value_of(name: str, population: Population) -> float | None:
    """The measure of this name, or None where it is not defined.

    Raises:
        KeyError: when there is no measure of such a name.
        PackageError: when one of a package gives what is no number.
    """
    value = MEASURES[name]().value(population)
    return value if name in _OWN else measured(value, f"{maker(MEASURES[name])}: {name}:")
