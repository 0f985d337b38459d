"""Measures: one number about some boids at one instant, or about a run so far; and observations of single boids.

`value(population)` is the number, or None where it is not defined; it is never nan. All distances are minimum-image
distances. The definitions, each with its source, use r for the position of a boid, v for its velocity, N for the number
of boids, and sums over all boids. `measure(state)` computes the default measures of all boids, without undefined ones.

Besides the measures of one instant (`MEASURES`) there are those of a run so far (`RUN_MEASURES`): each run creates an
object of their class, which receives every frame from the first measured one on. `Measuring` is the table `[measure]`
of a scenario, `Measurement` the measurement of one run, without undefined values.

Observations (neighbors, contributions and strengths of rules) are read off a state without computing the next one. They
take no number from the random streams of a run, so watching a flock does not change its flight.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator
from typing_extensions import override

from boidsgen.plugins import Family, made_of, maker
from boidsgen.simulation.geometry import (
    Array,
    Randomness,
    across,
    angle,
    checked_measure,
    dot,
    length,
    magnitude,
    read_only,
    sum_of_rows,
    unit,
)
from boidsgen.simulation.motion import Group
from boidsgen.simulation.neighbors import (
    Indices,
    NeighborSearch,
    Pairs,
    Request,
    half_angle_cosine,
    nearest_others,
    neighbor_sums,
    pairs_within,
)
from boidsgen.simulation.profiles import PROFILES, Population, Profile, everybody, kernel_members, kernel_values, only
from boidsgen.simulation.rules.rule import Neighborhood, NeighborRule, listed, rules_in
from boidsgen.simulation.world import Clock, Open
from boidsgen.tables import NotNegative, Table, by_name

if TYPE_CHECKING:  # at run time they would bring the rules of packages, which may just be loading
    from boidsgen.simulation.setup import Setup, State


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
    return np.array([part.sum() for part in across(arm, velocity).T])


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
        return float(nearest_others(population.position, population.world)[1].mean())


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
        join_groups(first, near.boid, near.source)
    return first


def join_groups(first: Indices, one: Indices, other: Indices) -> None:
    """Join the groups of two boids each, (p,), in the numbers of the first boid of each one's group, shape (n,)."""
    # Each round hangs the first of one group below the first of another, until no two are apart.
    while len(apart := np.flatnonzero(first[one] != first[other])):
        one, other = one[apart], other[apart]
        first[np.maximum(first[one], first[other])] = np.minimum(first[one], first[other])
        while (first[first] != first).any():
            first[:] = first[first]


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
    (values,) = values_of(tuple(names), [everybody(state) if flock is None else only(state, flock)])
    return {name: value for name, value in values.items() if value is not None}


def values_of(names: tuple[str, ...], populations: Sequence[Population]) -> Iterator[dict[str, float | None]]:
    """The measures with these names of each population, or None where one is not defined.

    By the kernel, several populations of one setup together, or as `value_of`.
    """
    for population, known in zip(populations, kernel_values(populations, names), strict=True):
        if len(known) == len(names):
            yield known
        else:
            yield {name: known[name] if name in known else value_of(name, population) for name in names}


def value_of(name: str, population: Population) -> float | None:
    """The measure of this name, or None where it is not defined.

    Raises:
        KeyError: when there is no measure of such a name.
        PackageError: when one of a package gives what is no number.
    """
    value = MEASURES[name]().value(population)
    return value if name in _OWN else checked_measure(value, f"{maker(MEASURES[name])}: {name}:")


StateMeasure: TypeAlias = Callable[["State"], float | None]
"""A measure as a function: the number of a state, or None where it is not defined."""


class RunMeasure(ABC):
    """One number about a run up to now; a new object for each run.

    Args:
        interval: simulated time from each frame to the next.
    """

    unit: ClassVar[str] = ""
    """Unit of the value; empty for a plain number."""
    since_first: ClassVar[bool] = True
    """True if frames are compared with the first measured one, so that it ends when a boid of that is not there."""

    def __init__(self, interval: float) -> None:
        self.interval = interval

    @abstractmethod
    def value(self, population: Population) -> float | None:
        """The number at this frame, or None where it is not defined; asked once at every frame, in their order."""


class MeanSquaredDisplacement(RunMeasure):
    """Mean over all boids of |r(t) - r(0)|², counted from the first measured frame on, without wrapping at the edges.

    On a torus, and where edges wrap or teleport, steps from frame to frame are minimum-image offsets, so no boid may
    fly half of the world between two frames. Not defined without boids, nor after boids appear or disappear. Source:
    A. Einstein, Annalen der Physik 322, 1905; for flocks A. Cavagna et al., Diffusion of individual birds in starling
    flocks, Proceedings of the Royal Society B 280, 2013.
    """

    unit: ClassVar[str] = "world units squared"

    def __init__(self, interval: float) -> None:
        super().__init__(interval)
        self._last: Array | None = None
        self._way: Array | None = None
        self._numbers = np.arange(0)

    @override
    def value(self, population: Population) -> float | None:
        position = population.position
        if self._last is None:
            self._last, self._way, self._numbers = position, 0.0 * position, population.numbers
        if self._way is None or not np.array_equal(population.numbers, self._numbers) or not len(position):
            self._way = None
            return None
        self._way = self._way + population.world.displacement(position - self._last)
        self._last = position
        return float(dot(self._way, self._way).mean())


class VelocityAutocorrelation(RunMeasure):
    """Sum of v(t) · v(0) over that of v(0) · v(0), from the first measured frame on: how long directions persist.

    Not defined without boids, where none moves at first, nor after boids appear or disappear. Source:
    B. J. Alder and T. E. Wainwright, Decay of the velocity autocorrelation function, Physical Review A 1, 1970.
    """

    def __init__(self, interval: float) -> None:
        super().__init__(interval)
        self._first: Population | None = None

    @override
    def value(self, population: Population) -> float | None:
        first = self._first = self._first or population
        squared = float(dot(first.velocity, first.velocity).sum())
        if not squared or not np.array_equal(population.numbers, first.numbers):
            return None
        return float(dot(population.velocity, first.velocity).sum()) / squared


class MeanTurning(RunMeasure):
    """Mean over boids of the angle from v one frame earlier to v, without sign, over the time between.

    Boids count that are there and move in both frames, so that it goes on where some come and go. Angles at random add
    up with the root of time: where boids turn so, it is larger the more frames there are. Not defined in the first
    measured frame, nor where no boid counts. Source: S. Garnier, swaRm: Processing Collective Movement Data, an R
    package, 2023 (there the angular speed).
    """

    unit: ClassVar[str] = "degrees per unit of time"
    since_first: ClassVar[bool] = False

    def __init__(self, interval: float) -> None:
        super().__init__(interval)
        self._before: tuple[Group, ...] = ()

    @override
    def value(self, population: Population) -> float | None:
        turns = [np.empty(0)]
        for before, now in zip(self._before, population.flocks, strict=False):
            _, one, other = np.intersect1d(before.numbers, now.numbers, assume_unique=True, return_indices=True)
            turns.append(np.abs(angle(before.velocity[one], now.velocity[other])))
        self._before = population.flocks
        turned = np.concatenate(turns)
        known = turned[~np.isnan(turned)]
        return float(known.mean()) / self.interval if len(known) else None


RUN_MEASURES = by_name(MeanSquaredDisplacement, MeanTurning, VelocityAutocorrelation)
"""Every measure of a run by its name."""

MEASURES.refuse((*RUN_MEASURES, *PROFILES), "already exists")

KNOWN = (*MEASURES, *RUN_MEASURES, *PROFILES)  # The names of everything that may be measured


def unit_of(name: str) -> str:
    """Unit of a measure or a profile; empty for a plain number."""
    return measure_class(name).unit


def measure_class(name: str) -> type[Measure | RunMeasure | Profile]:
    """The class of a measure or a profile, which defines it."""
    families: tuple[Mapping[str, type[Measure | RunMeasure | Profile]], ...] = (MEASURES, RUN_MEASURES, PROFILES)
    return next(family[name] for family in families if name in family)


if TYPE_CHECKING:
    MeasureName = str
    ProfileName = str
else:
    MeasureName = Literal[(*MEASURES, *RUN_MEASURES)]
    ProfileName = Literal[tuple(PROFILES)]


class Measuring(Table):
    """Measures that `measure` and `sweep` compute, and the frames at which they do."""

    names: Annotated[tuple[MeasureName, ...], Field(min_length=1)] = USUAL_MEASURES
    """Measures to compute. Default: all that are fast."""
    profiles: tuple[ProfileName, ...] = ()
    """Profiles by distance that a sweep also stores, as means over the measured frames in its manifest."""
    from_: Annotated[int, Field(ge=0, alias="from")] = 0
    """First measured frame; the run settles before it."""
    after: NotNegative | None = None
    """The same as simulated time: frames before it are not measured."""
    every: Annotated[int, Field(ge=1)] | None = None
    """Interval in frames, counted back from the last one, which is always measured. Default: 1; in a sweep, such that
    at most 64 frames of a run are measured."""

    @field_validator("names", "profiles")
    @classmethod
    def _each_once(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if len(set(value)) < len(value):
            twice = next(name for name in value if value.count(name) > 1)
            raise ValueError(f"{info.field_name} has {twice!r} twice")
        return value

    def first(self, clock: Clock) -> int:
        """The first frame that may be measured; it may lie beyond the last one."""
        if self.after is None:
            return self.from_
        steps = self.after / clock.dt - clock.warmup
        return max(self.from_, ceil(steps / clock.steps_per_frame - 1e-9))

    def frames(self, clock: Clock, most: int | None = None) -> range:
        """The frames that are measured, the last one first.

        Args:
            clock: of the run.
            most: how many there are at most where the table does not say every how many.
        """
        last, first = clock.frames - 1, self.first(clock)
        usual = 1 if most is None else max(1, -(-(last - first + 1) // most))
        return range(last, first - 1, -(self.every or usual))


class Measurement:
    """Measurement of one run; every frame must be passed to it, in order.

    Attributes:
        names: of the measures, in the order of the table.
        frames: those that are measured, the last one first.

    Args:
        measuring: what is measured.
        clock: of the run.
        most: frames measured at most, where the table does not say every how many.
        own: further measures, of a program, by their names.
    """

    def __init__(
        self,
        measuring: Measuring,
        clock: Clock,
        most: int | None = None,
        *,
        own: Mapping[str, StateMeasure],
    ) -> None:
        self.names = (*measuring.names, *own)
        self._table, self._own = measuring.names, own
        self.frames = measuring.frames(clock, most)
        self._first = self.frames[-1] if self.frames else clock.frames
        self._instant = tuple([name for name in self._table if name not in RUN_MEASURES])
        self._running = {
            name: RUN_MEASURES[name](clock.dt * clock.steps_per_frame) for name in self._table if name in RUN_MEASURES
        }

    def of(self, state: "State") -> dict[str, float] | None:
        """The measures of this frame that are defined, by name; None for a frame that is not measured."""
        return next((values for _, values in self.each([state])), None)

    def each(self, states: Iterable["State"]) -> Iterator[tuple["State", dict[str, float]]]:
        """The measured ones of some frames, each with its measures that are defined, by name."""
        since = [state for state in states if state.frame >= self._first]
        watched = [state for state in since if self._running or state.frame in self.frames]
        populations = [everybody(state) for state in watched]
        running = [{name: measure.value(one) for name, measure in self._running.items()} for one in populations]
        measured = [known for known in zip(watched, populations, running, strict=True) if known[0].frame in self.frames]
        found = values_of(self._instant, [population for _, population, _ in measured])
        for (state, _, known), instant in zip(measured, found, strict=True):
            values = {name: (known if name in known else instant)[name] for name in self._table} if known else instant
            for name, function in self._own.items():
                values[name] = checked_measure(function(state), f"measures: {name}")
            yield state, {name: value for name, value in values.items() if value is not None}


def neighbor_count(state: "State", flock: int) -> NDArray[np.int64]:
    """Number of boids of its own kind that each boid of a flock perceives, shape (n,)."""
    group, request = state.flocks[flock], _everybody_in_view(state.setup.flock[flock].perception)
    neighbors = NeighborSearch(neighbor_sums, state.setup.world.periods)
    sums = neighbors.sums(group.position, group.velocity, group.position, group.velocity, [request])
    return sums[request].count.astype(np.int64)


def _everybody_in_view(perception: Neighborhood) -> Request:
    """The request about whom a boid perceives."""
    radius, angle = perception.radius, perception.field_of_view
    return Request(radius, angle, "offset", perception.neighbors, perception.coincident)


def neighbors_of(state: "State", flock: int, boid: int) -> NDArray[np.intp]:
    """The numbers of the boids of its own kind that one boid perceives, the nearest first, shape (k,)."""
    group, request = state.flocks[flock], _everybody_in_view(state.setup.flock[flock].perception)
    offset = state.setup.world.shortest(group.position - group.position[boid])
    distance, flight = length(offset), group.velocity[boid]
    speed = magnitude(flight)
    nearest_to_ahead = distance * speed * half_angle_cosine(request.field_of_view)
    ahead = (dot(offset, flight[None]) > nearest_to_ahead) | (speed == 0) | (request.field_of_view == 360)
    near = (distance >= request.least) & (distance < request.radius) & ahead
    near[boid] = False
    found = np.flatnonzero(near)
    return found[distance[found].argsort(kind="stable")][: request.nearest]


def influences(setup: "Setup", flock: int) -> tuple[str, ...]:
    """The names of all that may steer a flock in a setup, switched on or not, as in `contributions`."""
    table = setup.flock[flock]
    present = {name: getattr(table, name) for name in listed(rules_in(type(table)))}
    steering = {name: rule for name, rule in present.items() if rule is not None and rule.acts_on == "velocity"}
    known = {name: rule for name, rule in steering.items() if rule.chance != "fresh"}
    rules = [name for name, rule in known.items() if setup.predators or not rule.predator_requests()]
    around = {
        "obstacles": bool(setup.obstacles),
        "attractors": bool(setup.attractors),
        "edges": setup.world.boundary.push(np.zeros((1, setup.world.dimension)), setup.world.extent) is not None,
        "fields": any(field.on != "predators" and field.acts == "force" for field in setup.fields),
    }
    return (*rules, *(name for name, there in around.items() if there))


def contributions(state: "State", flock: int, boid: int) -> dict[str, Array]:
    """Contribution of each influence to the velocity of one boid in the next step, weight included, shape (d,) each.

    Keys are the rules that are switched on, but for those by chance, and obstacles, attractors, edges and fields where
    there are any. All together are what the step adds, before max_acceleration has its say, and before what is left of
    earlier steps where a group accumulates it.
    """
    from boidsgen.simulation.run import NUMPY, Stepper  # noqa: PLC0415  only who asks for contributions makes steps

    setup, world, table = state.setup, state.setup.world, state.setup.flock[flock]
    stepper = Stepper(NUMPY, world.periods, Randomness(setup.seed))
    # Predators move first, and boids see them where they have come to.
    predators = stepper.next(state).predators if state.predators else ()
    view = stepper.flock_view(state, flock, predators)
    rules = [name for name in table.awake(view, "velocity") if table.rules[name].chance != "fresh"]
    position = view.position[boid : boid + 1]
    inward = world.boundary.push(position, world.extent)
    around = {
        "obstacles": [obstacle.push(position, world)[0] for obstacle in setup.obstacles],
        "attractors": [attractor.pull(view)[boid] for attractor in setup.attractors],
        "edges": [] if inward is None else [inward[0]],
        "fields": [force[boid] for force in view.flows("force")],
    }
    given = {name: table.contribution(name, view)[boid] for name in rules}
    given |= {name: np.sum(vectors, axis=0) for name, vectors in around.items() if vectors}
    return {name: given[name] for name in influences(setup, flock) if name in given}


def strengths(setup: "Setup", flock: int, distances: Array) -> dict[str, Array]:
    """Strength of each neighbor rule on a boid with a single neighbor, at these distances.

    The boid is at rest, so that nothing of its own flight counts, and its neighbor flies past at the highest speed.
    Asked are the rules themselves, weights included, in a world without edges and without anybody else.

    Returns:
        for each rule that is on, lengths of what it adds to the velocity in a step, shape (k,).
    """
    from boidsgen.simulation.setup import State  # noqa: PLC0415  see above

    table = setup.flock[flock]
    known = {name: rule for name, rule in listed(table.rules).items() if isinstance(rule, NeighborRule)}
    alone = {"flock": (table,), "predators": (), "obstacles": (), "attractors": (), "fields": (), "events": ()}
    nowhere = setup.world.model_copy(update={"boundary": Open()})
    lonely = setup.model_copy(update={**alone, "world": nowhere})
    given = []
    for distance in distances:
        position, velocity = np.zeros((2, 2, setup.world.dimension))
        position[1, 0], velocity[1, 1] = distance, table.max_speed
        group = Group(table.name, read_only(position), read_only(velocity))
        given.append(contributions(State(0, 0.0, 0, (group,), (), lonely), 0, 0))
    steering = [name for name, rule in known.items() if rule.acts_on == "velocity"]
    return {name: np.array([magnitude(each[name]) for each in given]) for name in steering}
