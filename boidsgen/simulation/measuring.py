"""Measuring: the table `[measure]` of a scenario, and the measurement of one run.

Beside the measures of one instant (`MEASURES`) there are those of a run up to now (`RUN_MEASURES`): an object of their
class is made for each run and receives every frame from the first measured one on. Undefined values are left out.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from math import ceil
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field, ValidationInfo, field_validator
from typing_extensions import override

from boidsgen.simulation.geometry import Array, dot
from boidsgen.simulation.measures import MEASURES, USUAL_MEASURES, Measure, values_of
from boidsgen.simulation.profiles import PROFILES, Population, Profile, everybody
from boidsgen.simulation.setup import State
from boidsgen.simulation.validation import measured
from boidsgen.simulation.world import Clock
from boidsgen.tables import NotNegative, Table, by_name

StateMeasure: TypeAlias = Callable[[State], float | None]
"""A measure as a function: the number of a state, or None where it is not defined."""


class RunMeasure(ABC):
    """One number about a run up to now; a new object for each run."""

    unit: ClassVar[str] = ""
    """Unit of the value; empty for a plain number."""

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

    def __init__(self) -> None:
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

    def __init__(self) -> None:
        self._first: Population | None = None

    @override
    def value(self, population: Population) -> float | None:
        first = self._first = self._first or population
        squared = float(dot(first.velocity, first.velocity).sum())
        if not squared or not np.array_equal(population.numbers, first.numbers):
            return None
        return float(dot(population.velocity, first.velocity).sum()) / squared


RUN_MEASURES = by_name(MeanSquaredDisplacement, VelocityAutocorrelation)  # Every measure of a run by its name

MEASURES.refuse((*RUN_MEASURES, *PROFILES), "already exists")

KNOWN = (*MEASURES, *RUN_MEASURES, *PROFILES)  # The names of everything that may be measured


def unit_of(name: str) -> str:
    """Unit of a measure or a profile; empty for a plain number."""
    return kind_of(name).unit


def kind_of(name: str) -> type[Measure | RunMeasure | Profile]:
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
        self._running = {name: RUN_MEASURES[name]() for name in self._table if name in RUN_MEASURES}

    def of(self, state: State) -> dict[str, float] | None:
        """The measures of this frame that are defined, by name; None for a frame that is not measured."""
        if state.frame < self._first or not (self._running or state.frame in self.frames):
            return None
        population = everybody(state)
        running = {name: measure.value(population) for name, measure in self._running.items()}
        if state.frame not in self.frames:
            return None
        values = values_of(self._instant, population)
        if running:
            values = {name: running[name] if name in running else values[name] for name in self._table}
        values |= {name: measured(function(state), f"measures: {name}") for name, function in self._own.items()}
        return {name: value for name, value in values.items() if value is not None}
