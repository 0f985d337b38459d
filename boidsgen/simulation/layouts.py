"""Layouts: what every start is, wherever it puts the boids.

A layout places boids: `position(count, world, generator)`, shape (n, d), inside the world. Speeds and headings are
drawn here for all layouts alike, or velocities from a box; a layout that gives headings of its own overrides
`direction`, one that gives velocities `place`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, field_validator

from boidsgen import exact
from boidsgen.simulation.geometry import Array, by_column, unit
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, NotNegative, Table


class Start(Table, ABC):
    """Where boids are at the beginning, and how they fly."""

    example: ClassVar[Mapping[str, Any]] = {}
    """Keys that have no default, for trying it out."""

    speed: Annotated[tuple[NotNegative, ...], Field(min_length=2, max_length=2)] | None = None
    """Lowest and highest speed at the start, in world units per unit of time. Default: min_speed and max_speed."""
    heading: Finite | None = None
    """Direction of flight in degrees, counterclockwise from the x axis in the x-y plane. Default: as the layout has
    it, mostly random."""
    velocity: Annotated[tuple[Finite, ...], Field(min_length=2, max_length=2)] | None = None
    """Lowest and highest value of each component of the velocity, in world units per unit of time; takes the place of
    speed and heading. With [-2, 2] velocities fill a square, or in 3D a cube, so that some are faster than 2."""

    @field_validator("speed")
    @classmethod
    def _in_order(cls, speed: tuple[float, float] | None) -> tuple[float, float] | None:
        if speed is not None and speed[0] > speed[1]:
            raise ValueError(f"must be the lowest and the highest speed, not {speed[0]:g} and {speed[1]:g}")
        return speed

    @field_validator("velocity")
    @classmethod
    def _lowest_first(cls, velocity: tuple[float, float] | None) -> tuple[float, float] | None:
        if velocity is not None and velocity[0] > velocity[1]:
            raise ValueError(f"must be the lowest and the highest value, not {velocity[0]:g} and {velocity[1]:g}")
        return velocity

    def room(self, count: int) -> int:
        """How many boids it has places for in a flock of this many: for all of them, unless it gives the places."""
        return count

    @abstractmethod
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        """Where the boids are, shape (count, d), world units."""

    def direction(self, position: Array, world: World, generator: "np.random.Generator") -> Array:
        """Which way the boids fly: random directions of length 1, shape (n, d)."""
        del world
        return unit(by_column(exact.normal(generator, position.shape)))

    def place(
        self, count: int, world: World, speeds: tuple[float, float], generator: "np.random.Generator"
    ) -> tuple[Array, Array]:
        """Positions and velocities of `count` boids, shape (count, d) each; `speeds` unless the table has its own."""
        position = by_column(self.position(count, world, generator))
        if self.velocity is not None:
            low, high = self.velocity
            return position, by_column(exact.uniform(generator, low, high, position.shape))
        direction = self.direction(position, world, generator)
        if self.heading is not None:
            direction = np.broadcast_to(_toward(self.heading, world.dimension), position.shape)
        low, high = self.speed or speeds
        return position, by_column(direction * exact.uniform(generator, low, high, (count, 1)))


def _toward(heading: float, dimension: int) -> Array:
    angle = np.radians(heading)
    return np.array([exact.cosine(angle), exact.sine(angle), 0.0][:dimension])
