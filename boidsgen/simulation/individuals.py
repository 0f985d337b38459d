"""Measures of each animal: numbers for every one of the boids in every frame.

A stretch is successive measured frames of a run, in arrays with all animals that there are in the run: nan stands where
one is absent. `values(stretch)` is a number for each frame and animal, nan where it is not defined. Animals are counted
through all flocks; distances are minimum-image distances; angles are in degrees, in 2D counterclockwise (to the left
where the second coordinate points up), in 3D without sign. The group of the center and of the mean heading is all boids
that are present, as in `rotation` and `dispersion`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.geometry import Array, angle, by_column, dot, length, unit
from boidsgen.simulation.measures import members
from boidsgen.simulation.neighbors import PAIRS_PER_BLOCK, nearest_others
from boidsgen.simulation.profiles import everybody
from boidsgen.simulation.run import flock_tracks
from boidsgen.simulation.setup import Setup, State
from boidsgen.simulation.world import World
from boidsgen.tables import by_name

TOGETHER = 4096  # Animals times frames of a stretch, about as many as numpy needs to be fast
MOST_LOOKED_AT = 400  # Animals up to which looking at every pair is faster than a grid
CANCELED = 1e-9  # Length of the mean heading, up to which it is rounding


@dataclass(frozen=True, eq=False)
class Stretch:
    """Successive measured frames in one world."""

    states: tuple[State, ...]  # of the frames
    position: Array  # (frames, animals, d), nan for the absent
    velocity: Array  # likewise
    before: Array  # velocities one frame earlier, measured or not; likewise
    elapsed: Array  # (frames, 1) time since then

    @property
    def world(self) -> World:
        """The world of all of its frames."""
        return self.states[0].setup.world

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """True for whoever is there, shape (frames, animals)."""
        return np.isfinite(self.position[..., 0])

    def mean(self, values: Array) -> Array:
        """The mean of values, (frames, animals, ...), over those who are present, shape (frames, 1, ...)."""
        # Added one after the other, so that no bit depends on the number of frames.
        total = np.add.accumulate(np.nan_to_num(values), axis=1)[:, -1:]
        count = np.maximum(self.present.sum(axis=1), 1)
        return np.asarray(total / count.reshape(-1, *(1 for _ in total.shape[1:])))

    @cached_property
    def from_center(self) -> Array:
        """Offsets from the center, which is that of `Population`, shape (frames, animals, d)."""
        center, axes = self.mean(self.position), np.flatnonzero(self.world.periods)
        period = self.world.periods[axes]
        angle = 2 * np.pi / period * (np.nan_to_num(self.position[..., axes]) % period)
        sine, cosine = (
            self.mean(np.where(self.present[..., None], wave(angle), 0.0)) for wave in (exact.sine, exact.cosine)
        )
        center[..., axes] = period / (2 * np.pi) * exact.heading(sine, cosine) % period
        return self.world.shortest(self.position - center)

    @cached_property
    def nearest(self) -> NDArray[np.intp]:
        """For each animal the number of the nearest other, of equally near ones the first, -1 where there is none."""
        frames, count, dimension = self.position.shape
        found = np.full((frames, count), -1)
        if count > MOST_LOOKED_AT:
            for frame, present in enumerate(self.present):
                if len(here := np.flatnonzero(present)) > 1:
                    others, _ = nearest_others(by_column(self.position[frame, here]), self.world)
                    found[frame, here] = here[others]
            return found
        places, own = np.moveaxis(self.position, -1, 0).copy(), np.arange(count)
        block = max(1, PAIRS_PER_BLOCK // max(1, dimension * count**2))
        for first in range(0, frames if count else 0, block):
            some = slice(first, first + block)
            offset = np.moveaxis(places[:, some, None, :] - places[:, some, :, None], 0, -1)
            offset = self.world.shortest(offset)
            squared = dot(offset, offset)
            squared[:, own, own] = np.inf
            if not self.present[some].all():
                squared[np.isnan(squared)] = np.inf
            best = squared.argmin(axis=2)
            near = np.take_along_axis(squared, best[..., None], axis=2)[..., 0]
            found[some] = np.where(near < np.inf, best, -1)
        return found

    @cached_property
    def group(self) -> NDArray[np.intp]:
        """For each animal the number of the first one of its group, -1 for the absent, shape (frames, animals)."""
        found = np.full(self.present.shape, -1)
        for frame, (state, present) in enumerate(zip(self.states, self.present, strict=True)):
            here = np.flatnonzero(present)
            found[frame, here] = here[members(everybody(state))]
        return found

    @cached_property
    def to_nearest(self) -> Array:
        """Offsets to these nearest others, nan where there is none, shape (frames, animals, d)."""
        other = np.take_along_axis(self.position, self.nearest[..., None], axis=1)
        return np.where(self.nearest[..., None] < 0, np.nan, self.world.shortest(other - self.position))


class AnimalMeasure(ABC):
    """One number for each animal in each frame."""

    unit: ClassVar[str] = ""
    """Unit of the values; empty for a plain number."""
    numbers: ClassVar[type[np.number]] = np.float64
    """Type of the values; integers only where they are always defined."""

    @abstractmethod
    def values(self, stretch: Stretch) -> NDArray[Any]:
        """The numbers of those who are present, nan where one is not defined, shape (frames, animals)."""


class Speed(AnimalMeasure):
    """|v|."""

    unit: ClassVar[str] = "world units per unit of time"

    @override
    def values(self, stretch: Stretch) -> Array:
        return length(stretch.velocity)


class TurningRate(AnimalMeasure):
    """Angle from v one frame earlier to v, over the time between: positive to the left in 2D, without sign in 3D.

    Not defined in the first frame, after a gap, and at rest. Source: S. Garnier, swaRm: Processing Collective Movement
    Data, an R package, 2023 (there the angular speed).
    """

    unit: ClassVar[str] = "degrees per unit of time"

    @override
    def values(self, stretch: Stretch) -> Array:
        return angle(stretch.before, stretch.velocity) / stretch.elapsed


class Neighbor(AnimalMeasure):
    """Number of the nearest other boid of any flock, of equally near ones the first. Not defined for a boid alone."""

    unit: ClassVar[str] = "number of an animal"

    @override
    def values(self, stretch: Stretch) -> Array:
        return np.where(stretch.nearest < 0, np.nan, stretch.nearest)


class NeighborDistance(AnimalMeasure):
    """Distance from this nearest other boid; its mean over all is `nearest_neighbor_distance`, and so is its source."""

    unit: ClassVar[str] = "world units"

    @override
    def values(self, stretch: Stretch) -> Array:
        return length(stretch.to_nearest)


class NeighborBearing(AnimalMeasure):
    """Angle from v to the direction of this nearest other boid: 0 straight ahead, 180 straight behind.

    In 2D it is positive to the left, negative to the right. Not defined at rest, nor for two in the same place. Source:
    M. Papadopoulou and S. Garnier, swaRmverse, an R package, 2024 (there in radians).
    """

    unit: ClassVar[str] = "degrees"

    @override
    def values(self, stretch: Stretch) -> Array:
        return angle(stretch.velocity, stretch.to_nearest)


class FrontBack(AnimalMeasure):
    """(r - c) · unit(sum of unit(v)), c the center of the boids: above 0 before the center, below 0 behind it.

    Not defined where headings cancel. About front and rear: J. Krause, Positioning behaviour in fish shoals: a
    cost-benefit analysis, Journal of Fish Biology 43, 1993.
    """

    unit: ClassVar[str] = "world units"

    @override
    def values(self, stretch: Stretch) -> Array:
        mean = stretch.mean(unit(stretch.velocity))
        along = np.broadcast_to(unit(mean), stretch.from_center.shape)
        return np.where(length(mean) > CANCELED, dot(stretch.from_center, along), np.nan)


class InsideOutside(AnimalMeasure):
    """|r - c| over its mean, c the center of the boids: below 1 in the inner part of the group, above 1 in the outer.

    Not defined where all are at the center. Source: F. J. H. Heras, trajectorytools, a Python package (there the
    distance to the center of the group, and its mean).
    """

    @override
    def values(self, stretch: Stretch) -> Array:
        away = length(stretch.from_center)
        mean = stretch.mean(away)
        return np.where(mean > 0, away / np.where(mean > 0, mean, 1.0), np.nan)


class GroupNumber(AnimalMeasure):
    """Number of the first animal of the same group, a group being what `groups` counts.

    Two animals with one number are in one group; a change tells that some have joined or left.
    """

    unit: ClassVar[str] = "number of an animal"
    numbers: ClassVar[type[np.number]] = np.intp

    @override
    def values(self, stretch: Stretch) -> NDArray[np.intp]:
        return stretch.group


class Leads(AnimalMeasure):
    """1 for the front-most of its group along the sum of unit(v) of the group, else 0: its mean is the time as leader.

    The place along this direction is that of r - c, c the center of the group, as in `front_back`. Several in the same
    place lead together. Not defined for an animal alone, nor where headings cancel. Source: `leader_direction_group` of
    the R package spatsoc (A. L. Robitaille et al., Methods in Ecology and Evolution 10, 2019).
    """

    @override
    def values(self, stretch: Stretch) -> Array:
        frames, animals = stretch.group.shape
        here, world = stretch.present, stretch.world
        code = (stretch.group + animals * np.arange(frames)[:, None])[here]  # of groups through all frames

        def mean(values: Array) -> Array:
            sums = np.stack([np.bincount(code, one) for one in values.T], axis=-1)
            return np.asarray(sums[code] / size[:, None])

        size = np.bincount(code)[code]
        position, heading = stretch.position[here], mean(unit(stretch.velocity[here]))
        center = mean(position)
        if len(axes := np.flatnonzero(world.periods)):
            period = world.periods[axes]
            turn = 2 * np.pi / period * (position[:, axes] % period)
            center[:, axes] = period / (2 * np.pi) * exact.heading(mean(exact.sine(turn)), mean(exact.cosine(turn)))
        ahead = dot(world.shortest(position - center), unit(heading))
        front = np.full(frames * animals, -np.inf)
        np.maximum.at(front, code, ahead)
        found = np.full(here.shape, np.nan)
        found[here] = np.where((size > 1) & (length(heading) > CANCELED), ahead >= front[code], np.nan)
        return found


ANIMAL_MEASURES = by_name(
    Speed, TurningRate, Neighbor, NeighborDistance, NeighborBearing, FrontBack, InsideOutside, GroupNumber, Leads
)
"""Every measure of an animal by its name, in the order of the columns."""


def stretches(states: Iterable[State], setup: Setup, measured: range) -> Iterator[Stretch]:
    """The measured frames of a run in stretches of up to 4,096 rows, or of one frame; only one is in memory at a time.

    Args:
        states: of all frames of the run, in their order.
        setup: the tables of the run.
        measured: the numbers of the frames that are measured.
    """
    flocks = flock_tracks(setup)
    most = max(1, TOGETHER // max(1, sum(track.animals for track in flocks)))
    kept, last = list[tuple[State, Array, Array, Array, float]](), None

    def together() -> Stretch:
        found, *vectors, elapsed = zip(*kept, strict=True)
        position, velocity, before = (by_column(np.stack(one)) for one in vectors)
        kept.clear()
        return Stretch(found, position, velocity, before, np.array(elapsed)[:, None])

    for state in states:
        position, velocity = (
            np.concatenate([track.full(state, quantity) for track in flocks]) for quantity in ("position", "velocity")
        )
        if state.frame in measured:
            if kept and (len(kept) == most or kept[0][0].setup is not state.setup):
                yield together()
            before, since = last or (np.full_like(velocity, np.nan), state.time - 1.0)
            kept.append((state, position, velocity, before, state.time - since))
        last = velocity, state.time
    if kept:
        yield together()
