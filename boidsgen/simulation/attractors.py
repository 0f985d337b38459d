"""Attractors: points that boids seek or flee, at rest or on their way.

A point that moves is where its path leads at the time at which a step begins, which is where it is drawn. A path is a
closed curve, as predators have, or a list of waypoints with times.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, ValidationInfo, field_validator, model_validator

from boidsgen.simulation.curves import CircleCurve, TrefoilCurve
from boidsgen.simulation.dynamics import reynolds
from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.motion import Motion
from boidsgen.simulation.world import Lifetime, World
from boidsgen.tables import Finite, NotNegative, PositiveOrInfinite, Table, Vector, short_form


class Waypoints(Table):
    """Straight from point to point, to be at each at its time; before the first time at the first point."""

    telling: ClassVar[tuple[str, ...]] = ("points", "times")
    example: ClassVar[Mapping[str, Any]] = {"points": ((20.0, 20.0), (80.0, 30.0)), "times": (0.0, 50.0)}

    kind: Literal["waypoints"] = "waypoints"
    points: Annotated[tuple[Vector, ...], Field(min_length=2)]
    """Where to be, in world units; the way between them is straight as on paper, never across an edge."""
    times: Annotated[tuple[NotNegative, ...], Field(min_length=2)]
    """When to be at each, in units of time, each later than the one before."""
    repeat: bool = False
    """Whether all of it begins anew after the last time; else the point stays where it has come to."""

    @field_validator("times")
    @classmethod
    def _one_after_the_other(cls, times: tuple[float, ...], info: ValidationInfo) -> tuple[float, ...]:
        points = info.data.get("points")
        if points is not None and len(points) != len(times):
            raise ValueError(f"must have an entry for each of the {len(points)} points, not {len(times)}")
        for before, after in pairwise(times):
            if after <= before:
                raise ValueError(f"each must be later than the one before, but {after:g} comes after {before:g}")
        return times

    def position(self, time: float, count: int, world: World) -> Array:
        """Where the point is at this time, shape (count, d)."""
        del world
        last = self.times[-1]
        time = time % last if self.repeat else min(time, last)
        leg = min(max(1, int(np.searchsorted(self.times, time, side="right"))), len(self.times) - 1)
        begin, end = self.times[leg - 1 : leg + 1]
        here, there = np.array(self.points[leg - 1]), np.array(self.points[leg])
        return np.tile(here + (there - here) * (max(time - begin, 0.0) / (end - begin)), (count, 1))


AttractorPath = Annotated[
    CircleCurve | TrefoilCurve | Waypoints, Field(discriminator="kind"), short_form("kind", Waypoints)
]
"""Any way of an attractor, told apart by `kind`."""


class Attractor(Lifetime):
    """A point that all boids in range seek (Reynolds 1999); with a negative weight they flee it."""

    point: Vector | None = None
    """Where it is, in world units, unless it has a path. Default: the middle of the world."""
    path: AttractorPath | None = None
    """The way on which it moves: a closed curve, or waypoints."""
    weight: Finite = 1.0
    """Factor on the steering toward the point; negative = away from it."""
    radius: PositiveOrInfinite = float("inf")
    """How far it is felt, in world units; inf = everywhere."""

    @field_validator("path")
    @classmethod
    def _carried(cls, path: Table | None) -> Table | None:
        if getattr(path, "mode", "position") != "position":
            raise ValueError('moves a point by position only; mode = "velocity" is for predators')
        return path

    @model_validator(mode="after")
    def _in_one_place(self) -> Self:
        if self.point is not None and self.path is not None:
            raise ValueError("must have either a point or a path, not both")
        return self

    def place(self, time: float, world: World) -> Array:
        """Where it is at this time, in world units, shape (d,)."""
        if self.path is not None:
            place: Array = self.path.position(time, 1, world)[0]
            return place
        return world.extent / 2 if self.point is None else np.array(self.point)

    def pull(self, motion: Motion, position: Array, velocity: Array, time: float, world: World) -> Array:
        """Weight times lim(max_speed · unit(±offset) - v, max_force) for boids in range, shape (n, d)."""
        offset = world.shortest(self.place(time, world) - position)
        desired = offset * (length(offset) < self.radius)[:, None]
        return abs(self.weight) * reynolds(desired * np.sign(self.weight), velocity, motion.max_speed, motion.max_force)
