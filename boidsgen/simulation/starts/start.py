"""The contract of every start layout.

A layout places boids: `position(count, world, generator)`, shape (n, d), inside the world. Speeds and headings are
drawn here for all layouts alike; a layout that gives headings of its own overrides `direction`.
"""

from abc import ABC, abstractmethod
from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from boidsgen.simulation.geometry import Array, by_column, unit
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, NotNegative, Table


class Start(Table, ABC):
    """Where boids are at the beginning, and how they fly."""

    speed: Annotated[tuple[NotNegative, ...], Field(min_length=2, max_length=2)] | None = None
    """Lowest and highest speed at the start, in world units per unit of time. Default: min_speed and max_speed."""
    heading: Finite | None = None
    """Direction of flight in degrees, counterclockwise from the x axis in the x-y plane. Default: as the layout has
    it, mostly random."""

    @field_validator("speed")
    @classmethod
    def _in_order(cls, speed: tuple[float, float] | None) -> tuple[float, float] | None:
        if speed is not None and speed[0] > speed[1]:
            raise ValueError(f"must be the lowest and the highest speed, not {speed[0]:g} and {speed[1]:g}")
        return speed

    @abstractmethod
    def position(self, count: int, world: World, generator: np.random.Generator) -> Array:
        """Where the boids are, shape (count, d), world units."""

    def direction(self, position: Array, world: World, generator: np.random.Generator) -> Array:
        """Which way the boids fly: random directions of length 1, shape (n, d)."""
        del world
        return unit(by_column(generator.standard_normal(position.shape)))

    def place(
        self, count: int, world: World, speeds: tuple[float, float], generator: np.random.Generator
    ) -> tuple[Array, Array]:
        """Positions and velocities of `count` boids, shape (count, d) each; `speeds` unless the table has its own."""
        position = by_column(self.position(count, world, generator))
        direction = self.direction(position, world, generator)
        if self.heading is not None:
            direction = np.broadcast_to(_toward(self.heading, world.dimension), position.shape)
        low, high = self.speed or speeds
        return position, by_column(direction * generator.uniform(low, high, (count, 1)))


def _toward(heading: float, dimension: int) -> Array:
    angle = np.radians(heading)
    return np.array([np.cos(angle), np.sin(angle), 0.0][:dimension])


def in_ball(count: int, dimension: int, generator: np.random.Generator) -> Array:
    """Points spread evenly over the disc or ball of radius 1 around the origin, shape (count, dimension)."""
    direction = unit(generator.standard_normal((count, dimension)))
    return direction * generator.random((count, 1)) ** (1 / dimension)
