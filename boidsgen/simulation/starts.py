"""Starts: the layouts of positions before the first step, and shapes made of cells that boids are spread over.

`position(count, world, generator)` places boids inside the world, shape (n, d). Speeds and headings, or velocities from
a box, are drawn here for all layouts alike; a layout with its own headings overrides `direction`, one with its own
velocities overrides `place`.

A start can be abbreviated: `"ring"` is the table with only that layout, a list is that of groups, and a key that only
one layout has implies the layout. Points and images may come from files, but nothing here reads a file: loading a
scenario replaces the name of a file by its content, so that a loaded scenario is complete.

Shapes are made by integer arithmetic, so that equal shapes give equal positions on every system. Letters come from the
font of all captions, Source Sans Pro (Adobe, SIL Open Font License 1.1), rasterized once; `letters.txt` has a line for
each: the letter, its advance in columns, its first column and row, the numbers of its rows and columns, and its cells,
row by row, eight to a byte.
"""

from abc import ABC, abstractmethod
from base64 import b64decode
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import isqrt
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, ValidationInfo, field_validator, model_validator
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.geometry import Array, by_column, unit
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, InWorld, NamesFile, NotNegative, Positive, Table, Vector, by_name, tagged

CellMask = NDArray[np.bool_]

INSIDE, OUTSIDE = "#", "."  # Characters of cells in lines of text
MIN_CELLS = 8  # Cells that there are at least for each point; a coarser shape is cut into finer cells
FLIGHT = ("speed", "heading", "velocity")  # Keys of every start about velocities
FAR_SQUARED = 2**31 - 1  # More than the square of any distance in cells
MAX_SIDE = 32_000  # Rows and columns of the finest shape: squares of distances stay below FAR_SQUARED


class Letter(NamedTuple):
    """One letter of the font."""

    advance: int  # columns from its origin to that of the next letter
    left: int  # column of its leftmost cell, seen from its origin; below zero where it reaches back
    top: int  # row of its topmost cell, below the highest that any letter reaches
    cells: CellMask  # what is inked, shape (rows, columns)


@cache
def letters() -> Mapping[str, Letter]:
    """Every letter that can be written."""
    found = {}
    for line in (files("boidsgen.simulation") / "letters.txt").read_text("utf-8").splitlines():
        *numbers, packed = line[2:].split(" ")
        advance, left, top, rows, columns = map(int, numbers)
        cells = np.unpackbits(np.frombuffer(b64decode(packed), np.uint8), count=rows * columns)
        found[line[0]] = Letter(advance, left, top, cells.astype(bool).reshape(rows, columns))
    return found


def unknown_letters(text: str) -> str:
    """The characters of a text that cannot be written, each once, in their order."""
    return "".join(letter for letter in dict.fromkeys(text) if letter not in letters())


def lettered(text: str) -> CellMask:
    """The shape of a line of text, cropped to its ink; no cells at all where there is none."""
    at, inked = 0, []
    for one in map(letters().__getitem__, text):
        if one.cells.size:
            inked.append((at + one.left, one))
        at += one.advance
    if not inked:
        return np.zeros((0, 0), dtype=bool)
    left, top = min(column for column, _ in inked), min(one.top for _, one in inked)
    height = max(one.top + len(one.cells) for _, one in inked) - top
    shape = np.zeros((height, max(column + one.cells.shape[1] for column, one in inked) - left), dtype=bool)
    for column, one in inked:
        rows, columns = one.cells.shape
        shape[one.top - top : one.top - top + rows, column - left : column - left + columns] |= one.cells
    return shape


def from_rows(rows: Sequence[str]) -> CellMask:
    """The shape that lines of # and . show."""
    return np.array([[cell == INSIDE for cell in row] for row in rows], dtype=bool).reshape(len(rows), -1)


def rows_of(shape: CellMask) -> tuple[str, ...]:
    """Lines of # and . that show a shape."""
    return tuple("".join(INSIDE if cell else OUTSIDE for cell in row) for row in shape.tolist())


def spread(shape: CellMask, count: int, first: int = 0) -> Array:
    """Each point in the cell that is furthest from all points before it, the first in cell number `first`.

    Furthest-point sampling (Eldar et al., The Farthest Point Strategy for Progressive Image Sampling, 1997): the edges
    are lined with points, the inside is filled as evenly as cells allow, and so is every part of the sequence.
    """
    inside = int(np.count_nonzero(shape))
    wanted = isqrt(max(0, MIN_CELLS * count - 1) // inside) + 1 if inside else 1
    finer = max(1, min(wanted, MAX_SIDE // int(max(shape.shape))))
    cells = np.repeat(np.repeat(shape, finer, axis=0), finer, axis=1)
    return (_furthest(cells, count, first * finer * finer) + 0.5) / finer


def _furthest(shape: CellMask, count: int, first: int) -> NDArray[np.int64]:
    """Row and column of the cells that are taken, shape (count, 2)."""
    # The square of the distance from the nearest point; -1 outside
    free = np.where(shape, np.int32(FAR_SQUARED), np.int32(-1))
    best = free.max(axis=1)  # of each row, so that the furthest cell is found without looking at all of them
    taken = np.empty((count, 2), dtype=np.int64)
    row, column = map(int, np.argwhere(shape)[first]) if count else (0, 0)
    for number in range(count):
        taken[number] = row, column
        reach = isqrt(int(free[row, column])) + 1  # no cell is further from all points, so nothing changes beyond
        rows = slice(max(0, row - reach), row + reach + 1)
        columns = slice(max(0, column - reach), column + reach + 1)
        part = free[rows, columns]
        down = np.arange(rows.start, rows.start + part.shape[0], dtype=np.int32) - row
        across = np.arange(columns.start, columns.start + part.shape[1], dtype=np.int32) - column
        np.minimum(part, (down * down)[:, None] + across * across, out=part)
        best[rows] = free[rows].max(axis=1)
        row = int(best.argmax())
        column = int(free[row].argmax())
    return taken


class Start(Table, ABC):
    """Initial positions and velocities of a flock."""

    example: ClassVar[Mapping[str, Any]] = {}
    """Keys that have no default, for trying it out."""

    speed: Annotated[tuple[NotNegative, ...], Field(min_length=2, max_length=2)] | None = None
    """Lowest and highest speed at the start, in world units per unit of time. Default: from min_speed to
    max_speed."""
    heading: Finite | None = None
    """Direction of flight in degrees, counterclockwise from the x axis in the x-y plane. Default: random, another
    for each boid."""
    velocity: Annotated[tuple[Finite, ...], Field(min_length=2, max_length=2)] | None = None
    """Lowest and highest value of each component of the velocity, in world units per unit of time; replaces speed and
    heading. With [-2, 2] velocities fill a square, or in 3D a cube, so that some are faster than 2."""

    @property
    @override
    def idle(self) -> Collection[str]:
        if self.velocity is not None:
            return ("speed", "heading")
        return ("heading",) if self.speed == (0.0, 0.0) else ()

    @field_validator("speed", "velocity")
    @classmethod
    def _in_order(cls, bounds: tuple[float, float] | None, info: ValidationInfo) -> tuple[float, float] | None:
        if bounds is not None and bounds[0] > bounds[1]:
            what = "speed" if info.field_name == "speed" else "value"
            raise ValueError(f"must be the lowest and the highest {what}, not {bounds[0]:g} and {bounds[1]:g}")
        return bounds

    def room(self, count: int) -> int:
        """Number of boids that it has places for, in a flock of this many: all, unless the layout lists the places."""
        return count

    @abstractmethod
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        """Positions of the boids, shape (count, d), world units."""

    def direction(self, position: Array, world: World, generator: "np.random.Generator") -> Array:
        """Which way the boids fly: random directions of length 1, shape (n, d)."""
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
            angle = np.radians(self.heading)
            ahead = np.array([exact.cosine(angle), exact.sine(angle), 0.0][: world.dimension])
            direction = np.broadcast_to(ahead, position.shape)
        low, high = self.speed or speeds
        return position, by_column(direction * exact.uniform(generator, low, high, (count, 1)))


def _root(number: ArrayLike, dimension: int) -> Array:
    """The square root in a plane, the cube root in space."""
    return np.sqrt(number) if dimension == 2 else exact.cube_root(number)


class BoxLayout(Start):
    """Spread evenly over a rectangle with sides along the axes; in 3D a box."""

    layout: Literal["box"] = "box"
    center: Vector | None = None
    """Middle of the box, in world units. Default: the center of the world."""
    size: Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3), InWorld] | None = None
    """Full extent along each axis, in world units. Default: half of the world's."""

    @override
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        center = world.extent / 2 if self.center is None else np.array(self.center)
        size = world.extent / 2 if self.size is None else np.array(self.size)
        return center + size * (generator.random((count, world.dimension)) - 0.5)


class Center(Start):
    """All boids in the center of the world, flying apart in random directions."""

    layout: Literal["center"] = "center"

    @override
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        return np.broadcast_to(world.extent / 2, (count, world.dimension))


class Disc(Start):
    """Spread evenly over a disc, in 3D over a ball."""

    layout: Literal["disc"] = "disc"
    center: Vector | None = None
    """Middle of the disc, in world units. Default: the center of the world."""
    radius: Positive | None = None
    """Radius of the disc, in world units. Default: a quarter of the world's smallest side."""
    spread: Literal["area", "radius"] = "area"
    """Quantity over which boids are evenly spread: the area, in 3D the volume; or the radius, so that the middle is
    dense."""

    @override
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
        center = world.extent / 2 if self.center is None else np.array(self.center)
        radius = min(world.size) / 4 if self.radius is None else self.radius
        direction = unit(exact.normal(generator, (count, world.dimension)))
        share = generator.random((count, 1))
        return center + radius * (direction * (share if self.spread == "radius" else _root(share, world.dimension)))


class Grid(Start):
    """Evenly spaced over the world, row by row."""

    layout: Literal["grid"] = "grid"

    @override
    def position(self, count: int, world: World, generator: "np.random.Generator") -> Array:
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
    """Middle of the ring, in world units. Default: the center of the world."""
    radius: Positive | None = None
    """Outer radius, in world units. Default: a third of the world's smallest side."""
    width: Annotated[float, Field(gt=0, le=1)] = 0.4
    """Width of the ring as a fraction of its radius."""
    heading: Finite | None = None
    """Direction of flight in degrees, counterclockwise from the x axis in the x-y plane. Default: along the ring,
    counterclockwise."""

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
        if self.velocities is None:
            return super().place(count, world, speeds, generator)
        unset = self.model_copy(update={"velocity": None})  # has no effect, and must draw no other random numbers
        position, _ = super(Points, unset).place(count, world, speeds, generator)
        return position, by_column(np.resize(np.array(self.velocities), position.shape))


class FilledShape(Start, ABC):
    """Spread evenly over a flat shape that stands upright in the x-y plane."""

    seeded: ClassVar[bool] = False
    """True if the seed chooses the cell with which to begin; all others follow from it."""

    center: Vector | None = None
    """Middle of the shape, in world units. Default: the center of the world."""
    width: Positive | None = None
    """Width of the shape, in world units. Default: as wide as fits into four fifths of the world."""

    @abstractmethod
    def shape(self) -> CellMask:
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
    def shape(self) -> CellMask:
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
    def shape(self) -> CellMask:
        return lettered(self.word)


OneGroup = Annotated[
    BoxLayout | Center | Disc | Grid | Image | Points | Ring | Uniform | Word,
    tagged("layout", Image, Points, Word),
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
        """Keys that apply to no group, and those of each group that stand beside the groups or are replaced by it."""
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
    tagged("layout", GroupsLayout, Image, Points, Word, several="groups"),
]
"""Any of them, told apart by `layout`."""
