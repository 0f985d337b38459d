"""Starts: where boids are before the first step, and which way they fly.

What a layout is `layouts` says, those with places from outside are in `given_layouts`. Several groups of one flock,
each in a layout of its own, are a layout too.

A start may be written shorter: `"ring"` is the table with only that layout, a list is that of groups, and a key that
only one layout has stands for the layout (`word`, `image`, `csv` and others).
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field, ValidationInfo, field_validator
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.geometry import Array, by_column, unit
from boidsgen.simulation.given_layouts import Image, Points, Word
from boidsgen.simulation.layouts import Start
from boidsgen.simulation.world import World
from boidsgen.tables import OfWorldDimension, Positive, Vector, by_name, short_form


def in_ball(count: int, dimension: int, generator: "np.random.Generator") -> Array:
    """Points spread evenly over the disc or ball of radius 1 around the origin, shape (count, dimension)."""
    direction = unit(exact.normal(generator, (count, dimension)))
    return direction * _root(generator.random((count, 1)), dimension)


def _root(number: ArrayLike, dimension: int) -> Array:
    """The square root in a plane, the cube root in space."""
    return np.sqrt(number) if dimension == 2 else exact.cube_root(number)


class Box(Start):
    """Spread evenly over a rectangle with sides along the axes; in 3D a box."""

    layout: Literal["box"] = "box"
    center: Vector | None = None
    """Middle of the box, in world units. Default: the middle of the world."""
    size: Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3), OfWorldDimension()] | None = None
    """Full extent along each axis, in world units. Default: half of the world's."""

    @override
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        center = world.extent / 2 if self.center is None else np.array(self.center)
        size = world.extent / 2 if self.size is None else np.array(self.size)
        return center + size * (generator.random((count, world.dimension)) - 0.5)


class Center(Start):
    """Everyone in the middle of the world, flying apart in random directions."""

    layout: Literal["center"] = "center"

    @override
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
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
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        center = world.extent / 2 if self.center is None else np.array(self.center)
        radius = min(world.size) / 4 if self.radius is None else self.radius
        return center + radius * in_ball(count, world.dimension, generator)


class Grid(Start):
    """Evenly spaced over the world, row by row."""

    layout: Literal["grid"] = "grid"

    @override
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
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
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        outer = min(world.size) / 3 if self.radius is None else self.radius
        angle = exact.uniform(generator, 0.0, 2 * np.pi, (count,))
        # Even over the area: the square of the radius is uniform.
        radius = outer * np.sqrt(exact.uniform(generator, (1 - self.width) ** 2, 1.0, (count,)))
        height = exact.uniform(generator, -0.5, 0.5, (count,)) * outer * self.width
        around = np.stack((radius * exact.cosine(angle), radius * exact.sine(angle), height), axis=1)
        return self._middle(world) + around[:, : world.dimension]

    @override
    def direction(self, position: Array, world: World, generator: "np.random.Generator") -> Array:
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
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        return generator.random((count, world.dimension)) * world.extent


OneGroup = Annotated[
    Box | Center | Disc | Grid | Image | Points | Ring | Uniform | Word,
    Field(discriminator="layout"),
    short_form("layout", Image, Points, Word),
]
"""Any layout of one group, told apart by `layout`."""


class Groups(Start):
    """Several groups of one flock, each with its own layout, headings and speeds: the first boids are in the first."""

    example: ClassVar[Mapping[str, Any]] = {"groups": ({"layout": "center"}, {"layout": "uniform"})}

    telling: ClassVar[tuple[str, ...]] = ("groups",)
    layout: Literal["groups"] = "groups"
    groups: Annotated[tuple[OneGroup, ...], Field(min_length=1)]
    """The starts of the groups, each with all keys of its layout. Speed, heading or velocity beside this key is that of
    every group that says nothing about its own."""
    counts: tuple[Annotated[int, Field(ge=0)], ...] | None = None
    """How many boids each group has; together as many as the flock. Default: shares as equal as can be, the first ones
    larger; a group of points has as many as there are."""

    @field_validator("counts")
    @classmethod
    def _one_for_each(cls, counts: tuple[int, ...] | None, info: ValidationInfo) -> tuple[int, ...] | None:
        groups = info.data.get("groups")
        if counts is not None and groups is not None and len(counts) != len(groups):
            raise ValueError(f"must have an entry for each of the {len(groups)} groups, not {len(counts)}")
        for number, (group, share) in enumerate(zip(groups or (), counts or (), strict=False)):
            if group.room(share) != share:
                raise ValueError(f"entry {number} must be {group.room(share)}, as many as group {number} has points")
        return counts

    @override
    def room(self, count: int) -> int:
        return sum(self.shares(count))

    def shares(self, count: int) -> tuple[int, ...]:
        """How many boids of a flock of this size are in each group."""
        if self.counts is not None:
            return self.counts
        own = [None if group.room(0) == 0 else group.room(0) for group in self.groups]
        equal = _equal_shares(max(0, count - sum(filter(None, own))), own.count(None))
        return tuple(next(equal) if share is None else share for share in own)

    @override
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        shares = zip(self.groups, self.shares(count), strict=True)
        return np.concatenate([group.position(share, world, generator) for group, share in shares])

    @override
    def place(
        self, count: int, world: World, speeds: tuple[float, float], generator: "np.random.Generator"
    ) -> tuple[Array, Array]:
        shares = zip(self.groups, self.shares(count), strict=True)
        placed = [self._completed(group).place(share, world, speeds, generator) for group, share in shares]
        positions, velocities = zip(*placed, strict=True)
        return by_column(np.concatenate(positions)), by_column(np.concatenate(velocities))

    def _completed(self, group: Start) -> Start:
        """The start of a group, with speed, heading and velocity of all where it says nothing about its own."""
        own = {key: getattr(group, key) for key in ("speed", "heading", "velocity")}
        flight = {key: getattr(self, key) if value is None else value for key, value in own.items()}
        if own["speed"] is not None or own["heading"] is not None:
            flight["velocity"] = own["velocity"]
        return group.model_copy(update=flight)


def _equal_shares(count: int, groups: int) -> Iterator[int]:
    """So many boids, split as equally as can be, the first shares larger."""
    ends = [-(-count * number // groups) for number in range(groups + 1)] if groups else []
    return (end - begin for begin, end in pairwise(ends))


def points_of(start: object) -> int:
    """How many points a start gives as the user wrote it, not yet checked; 0 unless all of its groups are points."""
    if isinstance(start, Mapping):
        groups = start.get("groups")
        return points_of(groups) if groups else _length(start.get("points"))
    numbers = [points_of(group) for group in start] if isinstance(start, tuple) else []
    return sum(numbers) if all(numbers) else 0


def _length(value: object) -> int:
    return len(value) if isinstance(value, tuple) else 0


STARTS = by_name(Box, Center, Disc, Grid, Groups, Image, Points, Ring, Uniform, Word, tag="layout")
"""What there is, by the name that a scenario writes."""

AnyStart = Annotated[
    Box | Center | Disc | Grid | Groups | Image | Points | Ring | Uniform | Word,
    Field(discriminator="layout"),
    short_form("layout", Groups, Image, Points, Word, several="groups"),
]
"""Any of them, told apart by `layout`."""
