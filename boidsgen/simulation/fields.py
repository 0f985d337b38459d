"""Fields: wind, vortices, curl noise and maps, which move animals by their place and the time.

`value(position, time, world)` returns a vector for each position, shape (n, d). The weight times it is added to the
drive, after obstacles and edges, or moves the animals themselves in every step. The kernel gets the waves of curl noise
and the vectors of maps as numbers.

A map is a lattice of cells that fill the world, the first row on top. Values are those of the centers of cells, and
bilinear between them: on a torus the map repeats, elsewhere it goes on beyond the outermost centers as it is there. The
files of maps are read when a scenario is loaded, which replaces their names by their content.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection
from functools import cached_property, lru_cache
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.geometry import Array, by_column, dot, unit, zeros
from boidsgen.simulation.world import Lifetime, World, wrapped
from boidsgen.tables import Finite, InWords, NamesFile, NotNegative, Positive, Vector, by_name, tagged

SINE_WAVES = 24  # Number of sine waves of curl noise
MAX_MAP_CELLS = 160  # Rows and columns of a map
SAME_SIDES = 0.02  # Difference between the sides of a square cell, relative to them
MAP_ROWS = Field(min_length=1, max_length=MAX_MAP_CELLS)
ROW_OF_NUMBERS = InWords("a row of numbers", "rows of numbers", example=(0.0, 1.0))
ROW_OF_VECTORS = InWords("a row of vectors", "rows of vectors", example=((0.0, 1.0),))


class VectorField(Lifetime, ABC):
    """Something that moves animals by their place and the time."""

    weight: Finite = 1.0
    """Factor on the vectors of the field; a negative one reverses it."""
    acts: Literal["force", "drift"] = "force"
    """force: the vectors steer, added to the sum of all rules. drift: they move the animals themselves in every step,
    whatever dt is, and leave velocities as they are."""
    on: Literal["all", "flock", "predators"] = "all"
    """Who is moved: everybody, the boids, or the predators that no path carries."""

    @property
    def moments(self) -> tuple[float, ...]:
        """Quarters of its period, or no time at all if it is always the same."""
        period = vars(self).get("period")
        return () if period is None else tuple(period * part / 4 for part in range(4))

    def misfit(self, world: World) -> str:
        """The way in which the world changes it; empty if it does not."""
        return ""

    def cells(self, world: World) -> Array:
        """The values that the kernel gets besides its keys, (rows, columns, 2) or (rows, columns)."""
        return np.zeros((0, 0))

    @abstractmethod
    def value(self, position: Array, time: float, world: World) -> Array:
        """The vectors at these positions, before the weight, shape (n, d)."""


class CurlNoise(VectorField):
    """Eddies without sources or sinks: the curl of a random potential, here the sum of 24 sine waves.

    The root mean square of its length is about 1 before the weight, and it repeats with the size of the world, so that
    it has no seam on a torus. Sources: R. Bridson et al., Curl-Noise for Procedural Fluid Flow, 2007; waves as in
    R. H. Kraichnan, Diffusion by a Random Velocity Field, 1970.
    """

    kind: Literal["curl_noise"] = "curl_noise"
    scale: Positive = 150.0
    """Mean wavelength, twice the width of an eddy, in world units; no wave is longer than the world."""
    period: Positive | None = None
    """Time after which the moving eddies are again as they were, in units of time. Default: they do not change."""
    pattern: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Number of the pattern of eddies; the seed of the scenario does not change it."""

    @override
    def cells(self, world: World) -> Array:
        """Wave vector, amplitude, phase and direction of each wave, vectors with three components, (waves, 8)."""
        wave, amplitude, phase, sense = _waves(self.scale, self.pattern, world.size)
        deeper = ((0, 0), (3 - world.dimension, 0))
        return np.column_stack((np.pad(wave, deeper), np.pad(amplitude, deeper), phase, sense))

    @override
    def value(self, position: Array, time: float, world: World) -> Array:
        wave, amplitude, phase, sense = _waves(self.scale, self.pattern, world.size)
        turn = phase if self.period is None else phase + sense * (2 * np.pi * time / self.period)
        # Places that differ by the size of the world have the same bits.
        height = exact.cosine(dot(wrapped(position, world.extent)[:, None, :], wave) + turn)
        return by_column(np.column_stack([dot(height, along) for along in amplitude.T]))


@lru_cache(maxsize=64)
def _waves(scale: float, pattern: int, size: tuple[float, ...]) -> tuple[Array, Array, Array, Array]:
    """Wave vectors and amplitudes, (waves, d) each, phases and directions of travel, 1 or -1, (waves,) each."""
    generator, extent, shape = np.random.default_rng(pattern), np.array(size), (SINE_WAVES, len(size))
    wavelength = scale * exact.uniform(generator, 0.7, 1.4, (SINE_WAVES, 1))
    wanted = unit(exact.normal(generator, shape)) * extent / wavelength
    whole = np.rint(wanted)  # waves along each axis of the world
    longest = np.eye(len(size))[np.abs(wanted).argmax(axis=1)]
    wave = 2 * np.pi * np.where(whole.any(axis=1, keepdims=True), whole, longest) / extent
    # The curl of a potential along an axis: in 2D out of the plane, in 3D in any direction.
    axis = exact.normal(generator, (SINE_WAVES, 3)) if len(size) == 3 else np.array([[0.0, 0.0, 1.0]])
    across = np.cross(np.pad(unit(wave), ((0, 0), (0, 3 - len(size)))), axis)[:, : len(size)]
    phase = exact.uniform(generator, 0.0, 2 * np.pi, (SINE_WAVES,))
    sense = np.where(generator.random(SINE_WAVES) < 0.5, 1.0, -1.0)
    return wave, unit(across) * np.sqrt(2 / SINE_WAVES), phase, sense


class Map(VectorField, ABC):
    """A field that is given cell by cell, in flat worlds only."""

    dimensions: ClassVar[tuple[int, ...]] = (2,)

    content: ClassVar[str]
    """The key with its content: rows of cells."""

    csv: Annotated[str, NamesFile()] | None = None
    """A file with a line for each cell, with a path relative to the scenario: x, y, vx, vy of a flow, x, y, z of
    heights, in any order of lines; a first line may name the columns. Places must be evenly spaced in x and in y; the
    lattice fills the world, whatever their unit. Outputs embed the content instead of this key."""
    image: Annotated[str, NamesFile()] | None = None
    """A PNG, JPEG, GIF or BMP file that fills the world, with a path relative to the scenario. Of a flow red is x and
    green is y, upward: 1 is -1, 128, and transparent, is 0, 255 is 1. Of heights it is gray: black is 0, white, and
    transparent, is 1. Outputs embed the content instead of this key."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        rows = getattr(self, self.content)
        given = sum(getattr(self, key) is not None for key in ("csv", "image", self.content))
        if given > 1:
            raise ValueError(f"must have one of csv, image and {self.content}, not several")
        if not given:
            raise ValueError(f"needs csv or image with the name of a file, or {self.content}")
        if rows is None:
            raise ValueError("the file has not been read; load_scenario does that")
        if len({*map(len, rows)}) > 1 or not 1 <= len(rows[0]) <= MAX_MAP_CELLS:
            raise ValueError(f"{self.content} must be equally long rows of 1 to {MAX_MAP_CELLS} cells")
        return self

    @cached_property
    def rows(self) -> Array:
        """The content, the lowest row first, (rows, columns) or (rows, columns, 2)."""
        return np.array(getattr(self, self.content)[::-1])

    @override
    def cells(self, world: World) -> Array:
        """The vectors at the centers of the cells, the lowest row first, (rows, columns, 2)."""
        return self.rows

    @override
    def misfit(self, world: World) -> str:
        rows, columns = self.rows.shape[:2]
        wide, high = world.size[0] / columns, world.size[1] / rows
        stretched = f"its {columns}×{rows} cells are stretched to {wide:g}×{high:g} world units"
        return stretched if abs(wide / high - 1) > SAME_SIDES else ""

    @override
    def value(self, position: Array, time: float, world: World) -> Array:
        cells, repeats = self.cells(world), world.periods.any()
        sides = cells.shape[1::-1]
        place = (wrapped(position, world.extent) if repeats else position) / world.extent * sides - 0.5
        first = np.floor(place)
        part = place - first
        # Beyond a world that does not repeat both neighbors are the outermost cell.
        left, bottom, right, top = (
            (np.mod(one, many) if repeats else np.clip(one, 0, many - 1)).astype(np.intp)
            for step in (0, 1)
            for one, many in zip(first.T + step, sides, strict=True)
        )
        low = cells[bottom, left] + part[:, :1] * (cells[bottom, right] - cells[bottom, left])
        high = cells[top, left] + part[:, :1] * (cells[top, right] - cells[top, left])
        return by_column(low + part[:, 1:] * (high - low))


class FlowMap(Map):
    """A flow that is given cell by cell, such as one that was measured."""

    content: ClassVar[str] = "flow"

    kind: Literal["flow_map"] = "flow_map"
    flow: Annotated[tuple[Annotated[tuple[Vector, ...], ROW_OF_VECTORS], ...], MAP_ROWS] | None = None
    """The vectors, row by row, the first row on top."""


class HeightMap(Map):
    """Down the slopes of a landscape: -relief · gradient of the heights, by central differences between cells."""

    content: ClassVar[str] = "heights"

    kind: Literal["height_map"] = "height_map"
    heights: Annotated[tuple[Annotated[tuple[Finite, ...], ROW_OF_NUMBERS], ...], MAP_ROWS] | None = None
    """The heights, row by row, the first row on top."""
    relief: Positive = 50.0
    """Height of 1, in world units."""

    @override
    def cells(self, world: World) -> Array:
        around = np.pad(self.rows, 1, "wrap" if world.periods.any() else "edge")
        twice = 2 * world.extent / self.rows.shape[::-1]
        across, up = around[1:-1, 2:] - around[1:-1, :-2], around[2:, 1:-1] - around[:-2, 1:-1]
        slope: Array = -self.relief * np.stack((across, up), axis=2) / twice
        return slope


class Vortex(VectorField):
    """Round a center, counterclockwise; in 3D round a vertical axis through it.

    The vectors have the length 2 R r/(R² + r²) at the distance r: 1 at the radius R, less inside and outside. Source:
    W. Kaufmann, Über die Ausbreitung kreiszylindrischer Wirbel, 1962, as M. P. Scully uses it, 1975.
    """

    kind: Literal["vortex"] = "vortex"
    center: Vector | None = None
    """The middle, in world units. Default: the center of the world."""
    radius: Positive = 60.0
    """Distance at which it is strongest, in world units."""

    @override
    def value(self, position: Array, time: float, world: World) -> Array:
        center = world.extent / 2 if self.center is None else np.array(self.center)
        offset = world.shortest(position - center)[:, :2]
        factor = 2 * self.radius / (self.radius * self.radius + dot(offset, offset))
        turning = zeros(*position.shape)
        turning[:, 0], turning[:, 1] = -offset[:, 1] * factor, offset[:, 0] * factor
        return turning


class Wind(VectorField):
    """The same everywhere, steady or in gusts: vector · (1 + gusts · sin(2π t/period))."""

    kind: Literal["wind"] = "wind"
    vector: Vector
    """Direction and strength."""
    period: Positive | None = None
    """Time from one gust to the next, in units of time. Default: the wind is steady."""
    gusts: NotNegative = 0.5
    """Strength of the gusts, as a fraction of the wind; above 1 it turns round between them."""

    @property
    @override
    def idle(self) -> Collection[str]:
        return ("gusts",) if self.period is None else ()

    @override
    def value(self, position: Array, time: float, world: World) -> Array:
        gust = 0.0 if self.period is None else self.gusts * float(exact.sine(2 * np.pi * time / self.period))
        return np.zeros_like(position) + np.array(self.vector) * (1.0 + gust)


FIELDS = by_name(CurlNoise, FlowMap, HeightMap, Vortex, Wind, tag="kind")
"""All fields by the name that a scenario writes."""

AnyField = Annotated[CurlNoise | FlowMap | HeightMap | Vortex | Wind, tagged()]
"""Any of them, told apart by `kind`."""
