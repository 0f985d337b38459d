"""Start layouts: where boids are before the first step, and which way they fly.

A layout places boids: `position(count, world, generator)`, shape (n, d), inside the world. Speeds and headings are
drawn here for all layouts alike; a layout that gives headings of its own overrides `direction`.
"""

from abc import ABC, abstractmethod
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field, field_validator
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.geometry import Array, by_column, unit
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, NotNegative, Positive, Table, Vector, by_name, short_form


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
        return unit(by_column(exact.normal(generator, position.shape)))

    def place(
        self, count: int, world: World, speeds: tuple[float, float], generator: np.random.Generator
    ) -> tuple[Array, Array]:
        """Positions and velocities of `count` boids, shape (count, d) each; `speeds` unless the table has its own."""
        position = by_column(self.position(count, world, generator))
        direction = self.direction(position, world, generator)
        if self.heading is not None:
            direction = np.broadcast_to(_toward(self.heading, world.dimension), position.shape)
        low, high = self.speed or speeds
        return position, by_column(direction * exact.uniform(generator, low, high, (count, 1)))


def _toward(heading: float, dimension: int) -> Array:
    angle = np.radians(heading)
    return np.array([exact.cosine(angle), exact.sine(angle), 0.0][:dimension])


def in_ball(count: int, dimension: int, generator: np.random.Generator) -> Array:
    """Points spread evenly over the disc or ball of radius 1 around the origin, shape (count, dimension)."""
    direction = unit(exact.normal(generator, (count, dimension)))
    return direction * _root(generator.random((count, 1)), dimension)


def _root(number: ArrayLike, dimension: int) -> Array:
    """The square root in a plane, the cube root in space."""
    return np.sqrt(number) if dimension == 2 else exact.cube_root(number)


class Center(Start):
    """Everyone in the middle of the world, flying apart in random directions."""

    layout: Literal["center"] = "center"

    @override
    def position(self, count: int, world: World, generator: np.random.Generator) -> Array:
        del generator
        return np.broadcast_to(world.extent / 2, (count, world.dimension))


class Disc(Start):
    """Spread evenly over a disc, in 3D over a ball."""

    layout: Literal["disc"] = "disc"
    center: Vector | None = None
    """Middle of the disc, in world units. Default: the middle of the world."""
    radius: Positive | None = None
    """Radius of the disc, in world units. Default: a quarter of the world's smallest side."""

    @override
    def position(self, count: int, world: World, generator: np.random.Generator) -> Array:
        center = world.extent / 2 if self.center is None else np.array(self.center)
        radius = min(world.size) / 4 if self.radius is None else self.radius
        return center + radius * in_ball(count, world.dimension, generator)


class Grid(Start):
    """Evenly spaced over the world, row by row."""

    layout: Literal["grid"] = "grid"

    @override
    def position(self, count: int, world: World, generator: np.random.Generator) -> Array:
        del generator
        spacing = _root(np.prod(world.extent) / max(count, 1), world.dimension)
        sides = np.maximum(1, np.rint(world.extent / spacing)).astype(int)
        while np.prod(sides) < count:
            sides[np.argmax(world.extent / sides)] += 1
        numbers = np.indices(sides.tolist()).reshape(world.dimension, -1).T[:count]
        centers: Array = (numbers + 0.5) * world.extent / sides
        return centers


class Ring(Start):
    """A ring in the x-y plane, turning together counterclockwise."""

    layout: Literal["ring"] = "ring"
    center: Vector | None = None
    """Middle of the ring, in world units. Default: the middle of the world."""
    radius: Positive | None = None
    """Outer radius, in world units. Default: a third of the world's smallest side."""
    width: Annotated[float, Field(gt=0, le=1)] = 0.4
    """Width of the ring as a fraction of its radius."""

    @override
    def position(self, count: int, world: World, generator: np.random.Generator) -> Array:
        outer = min(world.size) / 3 if self.radius is None else self.radius
        angle = exact.uniform(generator, 0.0, 2 * np.pi, (count,))
        # Even over the area: the square of the radius is uniform.
        radius = outer * np.sqrt(exact.uniform(generator, (1 - self.width) ** 2, 1.0, (count,)))
        height = exact.uniform(generator, -0.5, 0.5, (count,)) * outer * self.width
        around = np.stack((radius * exact.cosine(angle), radius * exact.sine(angle), height), axis=1)
        return self._middle(world) + around[:, : world.dimension]

    @override
    def direction(self, position: Array, world: World, generator: np.random.Generator) -> Array:
        """Tangential, counterclockwise seen from above."""
        del generator
        across = position - self._middle(world)
        tangent = np.zeros_like(across)
        tangent[:, 0], tangent[:, 1] = -across[:, 1], across[:, 0]
        return unit(by_column(tangent))

    def _middle(self, world: World) -> Array:
        return world.extent / 2 if self.center is None else np.array(self.center)


class Uniform(Start):
    """Anywhere in the world, every place equally likely."""

    layout: Literal["uniform"] = "uniform"

    @override
    def position(self, count: int, world: World, generator: np.random.Generator) -> Array:
        return generator.random((count, world.dimension)) * world.extent


STARTS = by_name(Center, Disc, Grid, Ring, Uniform, tag="layout")
"""What there is, by the name that a scenario writes."""

AnyStart = Annotated[Center | Disc | Grid | Ring | Uniform, Field(discriminator="layout"), short_form("layout")]
"""Any of them, told apart by `layout`."""
