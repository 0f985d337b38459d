"""Starts: layouts given point by point, as the dark parts of an image or as a word; several groups; and the registry.

Points and images may come from files. Nothing here reads one: whoever loads a scenario replaces the name of a file by
its content, so that a loaded scenario is complete. A start may be written shorter: `"ring"` is the table
with only that layout, a list is that of groups, and a key that only one layout has stands for the layout.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, ValidationInfo, field_validator, model_validator
from typing_extensions import override

from boidsgen.simulation.geometry import Array, by_column
from boidsgen.simulation.layouts import (
    FLIGHT,
    INSIDE,
    OUTSIDE,
    BoxLayout,
    Center,
    Disc,
    Grid,
    Ring,
    Shape,
    Start,
    Uniform,
    from_rows,
    lettered,
    spread,
    unknown_letters,
)
from boidsgen.simulation.world import World
from boidsgen.tables import NamesFile, Positive, Vector, by_name, short_form


class Points(Start):
    """At given points, which set the number of boids; also with given velocities, or from a file."""

    telling: ClassVar[tuple[str, ...]] = ("csv", "points", "velocities")
    example: ClassVar[Mapping[str, Any]] = {"points": ((20.0, 30.0), (40.0, 20.0), (70.0, 45.0))}

    layout: Literal["points"] = "points"
    csv: Annotated[str, NamesFile()] | None = None
    """A file with a line for each boid, with a path relative to the scenario: x, y, in 3D z, and optionally vx, vy, in
    3D vz; a first line may name the columns. Outputs embed the content instead of this key."""
    points: Annotated[tuple[Vector, ...], Field(min_length=1)] | None = None
    """Position of each boid, in world units."""
    velocities: Annotated[tuple[Vector, ...], Field(min_length=1)] | None = None
    """Velocity of each boid, in world units per unit of time. Default: from speed, heading or velocity."""

    @property
    @override
    def idle(self) -> Collection[str]:
        return super().idle if self.velocities is None else FLIGHT

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.csv is not None:
            raise ValueError("the file has not been read; load_scenario does that")
        if self.points is None:
            raise ValueError("needs points, or csv with the name of a file of points")
        if self.velocities is not None and len(self.velocities) != len(self.points):
            raise ValueError(f"must have a velocity for each point: {len(self.points)}, not {len(self.velocities)}")
        return self

    @override
    def room(self, count: int) -> int:
        return len(self.points or ())

    @override
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        """The points; from the first one again, should there be more boids."""
        return np.resize(np.array(self.points), (count, world.dimension))

    @override
    def place(
        self, count: int, world: World, speeds: tuple[float, float], generator: "np.random.Generator"
    ) -> tuple[Array, Array]:
        position, velocity = super().place(count, world, speeds, generator)
        if self.velocities is not None:
            velocity = by_column(np.resize(np.array(self.velocities), position.shape))
        return position, velocity


class FilledShape(Start, ABC):
    """Spread evenly over a flat shape that stands upright in the x-y plane."""

    seeded: ClassVar[bool] = False
    """True if the seed chooses the cell with which to begin; all others follow from it."""

    center: Vector | None = None
    """Middle of the shape, in world units. Default: the center of the world."""
    width: Positive | None = None
    """Width of the shape, in world units. Default: as wide as fits into four fifths of the world."""

    @abstractmethod
    def shape(self) -> Shape:
        """The shape to fill, with at least one cell inside."""

    @override
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        shape = self.shape()
        extent = np.array(shape.shape[::-1], dtype=float)
        cell = float((0.8 * world.extent[:2] / extent).min()) if self.width is None else self.width / float(extent[0])
        first = int(generator.random() * np.count_nonzero(shape)) if self.seeded else 0
        down, right = spread(shape, count, first).T
        middle = world.extent / 2 if self.center is None else np.array(self.center)
        position: Array = np.tile(middle, (count, 1))
        position[:, 0] += (right - extent[0] / 2) * cell
        position[:, 1] += (extent[1] / 2 - down) * cell
        return position


class Image(FilledShape):
    """Spread evenly over the dark parts of an image."""

    seeded: ClassVar[bool] = True
    telling: ClassVar[tuple[str, ...]] = ("image", "rows")
    example: ClassVar[Mapping[str, Any]] = {"rows": ("#..#", ".##.", "#..#")}

    layout: Literal["image"] = "image"
    image: Annotated[str, NamesFile()] | None = None
    """A PNG, JPEG, GIF or BMP file, with a path relative to the scenario; pixels less than half as bright as white
    count as dark, transparent ones as white. Outputs embed the content instead of this key."""
    rows: Annotated[tuple[str, ...], Field(min_length=1, max_length=1024)] | None = None
    """The image as lines of text, equally long, the first one on top: # where it is dark, a dot elsewhere."""

    @field_validator("rows")
    @classmethod
    def _drawn(cls, rows: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if rows is None:
            return rows
        if len(set(map(len, rows))) > 1 or not 1 <= len(rows[0]) <= 1024:
            raise ValueError("must be equally long, 1 to 1024 characters each")
        if strange := set("".join(rows)) - {INSIDE, OUTSIDE}:
            raise ValueError(f"must consist of {INSIDE} and {OUTSIDE}, not {min(strange)!r}")
        if not any(INSIDE in row for row in rows):
            raise ValueError("must be dark somewhere")
        return rows

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.image is not None:
            raise ValueError("the file has not been read; load_scenario does that")
        if self.rows is None:
            raise ValueError("needs image with the name of a file, or rows")
        return self

    @override
    def shape(self) -> Shape:
        return from_rows(self.rows or ())


class Word(FilledShape):
    """Spelling a word: spread evenly over its letters, whatever the seed."""

    telling: ClassVar[tuple[str, ...]] = ("word",)
    example: ClassVar[Mapping[str, Any]] = {"word": "BOIDS"}

    layout: Literal["word"] = "word"
    word: Annotated[str, Field(min_length=1, max_length=40)]
    """Text to spell, on one line: Latin, Greek and Russian letters, digits and signs."""

    @field_validator("word")
    @classmethod
    def _legible(cls, word: str) -> str:
        if unknown := unknown_letters(word):
            raise ValueError(f"no letter shapes for {unknown!r}")
        if not lettered(word).size:
            raise ValueError("must have a visible letter")
        return word

    @override
    def shape(self) -> Shape:
        return lettered(self.word)


OneGroup = Annotated[
    BoxLayout | Center | Disc | Grid | Image | Points | Ring | Uniform | Word,
    Field(discriminator="layout"),
    short_form("layout", Image, Points, Word),
]
"""Any layout of one group, told apart by `layout`."""


class GroupsLayout(Start):
    """Several groups of one flock, each with its own layout, headings and speeds: the first boids are in the first."""

    example: ClassVar[Mapping[str, Any]] = {"groups": ({"layout": "center"}, {"layout": "uniform"})}

    telling: ClassVar[tuple[str, ...]] = ("groups",)
    layout: Literal["groups"] = "groups"
    groups: Annotated[tuple[OneGroup, ...], Field(min_length=1)]
    """The starts of the groups, each with all keys of its layout. Speed, heading or velocity beside this key applies to
    every group that sets none."""
    counts: tuple[Annotated[int, Field(ge=0)], ...] | None = None
    """Number of boids in each group; together as many as the flock. Default: shares as equal as can be, the first ones
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

    @property
    def in_flight(self) -> tuple[Start, ...]:
        """The groups, each with the speed, heading or velocity beside them where it sets none."""
        found = []
        for group in self.groups:
            own = {key: getattr(group, key) for key in FLIGHT}
            flight = {key: getattr(self, key) if value is None else value for key, value in own.items()}
            if own["speed"] is not None or own["heading"] is not None:
                flight["velocity"] = own["velocity"]
            found.append(group.model_copy(update=flight))
        return tuple(found)

    @property
    @override
    def idle(self) -> Collection[str]:
        """What applies to no group, and in each group what stands beside the groups or is replaced by it."""
        idle, used = set[str](), set[str]()
        for number, (own, one) in enumerate(zip(self.groups, self.in_flight, strict=True)):
            from_here = {key for key in FLIGHT if getattr(own, key) != getattr(one, key)}
            idle |= {f"groups.{number}.{key}" for key in from_here.union(one.idle)}
            used |= from_here.difference(one.idle)
        return idle.union(FLIGHT) - used

    @override
    def room(self, count: int) -> int:
        return sum(self.shares(count))

    def shares(self, count: int) -> tuple[int, ...]:
        """Numbers of boids in each group, for a flock of this size."""
        if self.counts is not None:
            return self.counts
        own = [None if group.room(0) == 0 else group.room(0) for group in self.groups]
        others, groups = max(0, count - sum(filter(None, own))), own.count(None)
        # As equal as can be, the first shares larger.
        ends = [-(-others * number // groups) for number in range(groups + 1)] if groups else []
        equal = (end - begin for begin, end in pairwise(ends))
        return tuple(next(equal) if share is None else share for share in own)

    @override
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        shares = zip(self.groups, self.shares(count), strict=True)
        return np.concatenate([group.position(share, world, generator) for group, share in shares])

    @override
    def place(
        self, count: int, world: World, speeds: tuple[float, float], generator: "np.random.Generator"
    ) -> tuple[Array, Array]:
        positions, velocities = [], []
        for group, share in zip(self.in_flight, self.shares(count), strict=True):
            position, velocity = group.place(share, world, speeds, generator)
            positions.append(position)
            velocities.append(velocity)
        return by_column(np.concatenate(positions)), by_column(np.concatenate(velocities))


def points_of(start: object) -> int:
    """Number of points that a start, as written and not yet validated, gives; 0 unless all of its groups are points."""
    if isinstance(start, Mapping):
        groups, points = start.get("groups"), start.get("points")
        return points_of(groups) if groups else len(points) if isinstance(points, tuple) else 0
    numbers = [points_of(group) for group in start] if isinstance(start, tuple) else []
    return sum(numbers) if all(numbers) else 0


STARTS = by_name(BoxLayout, Center, Disc, Grid, GroupsLayout, Image, Points, Ring, Uniform, Word, tag="layout")
"""Starts by the name of their layout in a scenario."""

AnyStart = Annotated[
    BoxLayout | Center | Disc | Grid | GroupsLayout | Image | Points | Ring | Uniform | Word,
    Field(discriminator="layout"),
    short_form("layout", GroupsLayout, Image, Points, Word, several="groups"),
]
"""Any of them, told apart by `layout`."""
