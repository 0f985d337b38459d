"""Backgrounds of the lit look: what lies behind the animals, and what they do to it.

Data of a theme say what it is; laid out for the pictures of a run it is a `LaidBackground`. All of it is painted
once, and dithered once, except what depends on the animals: in the depths a glow of the crowd and its shadow on a
floor, over the marsh their mirror image in still water.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.camera import Projection, Seen, Viewpoint, Viewport
from boidsgen.drawing.canvas import Canvas, Scene, joined
from boidsgen.drawing.frame import (
    FINE_LEVELS,
    Numbers,
    Palette,
    Stop,
    WholeLight,
    blended,
    fine_numbers,
    grain,
    light_of,
    lit_stops,
    numbers_of,
    representatives,
    thresholds,
    whole_light,
)
from boidsgen.drawing.glow import NO_CLOUD, Cloud, clouds, enlarged, square
from boidsgen.drawing.marsh import HORIZON, Marsh, paint_marsh
from boidsgen.drawing.reef import LEVEL, Reef, paint_above, paint_aside, specks
from boidsgen.drawing.themes import Light
from boidsgen.kernel.library import accelerated
from boidsgen.simulation.geometry import Array

Tones = NDArray[np.uint16]
Levels = NDArray[np.uint8]

BRIGHTEST = 255  # Maximum brightness of a background


class Ground(NamedTuple):
    """The light of a ground: that of its brightness, or as it is painted."""

    bright: Levels  # (height, width), or none
    light: WholeLight  # (BRIGHTEST + 1, 3) by brightness, or (height, wide, 3)
    left: int = 0  # the column that is seen at the left edge
    part: int = 0  # and how much of it is out of sight, in STRIPS
    wide: int = 0  # how many columns are painted

    def seen(self, columns: int) -> WholeLight:
        """The light of every pixel of a picture, (height, columns, 3); the caller may write there."""
        if self.bright.size:
            return self.light[self.bright]
        here = self.light[:, self.left : self.left + columns]
        if not self.part:
            return here.copy()
        after = self.light[:, self.left + 1 : self.left + 1 + columns] * np.uint32(self.part)
        return ((here * np.uint32(STRIPS - self.part) + after) // np.uint32(STRIPS)).astype(np.uint16)


NO_PLANE = np.zeros((0, 0), np.uint8)


class LaidBackground(ABC):
    """A ground laid out for the pictures of one run."""

    tones: Array  # (n, 3) the light of every tone
    still = False  # whether its light is the same in all frames
    mirror: slice = slice(0, 0)  # the rows in which the animals of others are seen a second time

    def begin(self, scene: Scene, place: Array) -> None:  # noqa: B027  little moves
        """Get ready for a frame with animals at these places of the world, shape (n, d)."""

    @abstractmethod
    def codes(self) -> Tones:
        """The tone of every pixel times the step between tones; the caller may write there."""

    @abstractmethod
    def ground(self) -> Ground:
        """Its light before it is put into tones, once these are there."""

    def shadows(self, scene: Scene, place: Array, size: tuple[int, int]) -> Cloud:
        """The light that animals at these places of the world take away, in parts of a level."""
        del scene, place, size
        return NO_CLOUD

    def water(self) -> tuple[NDArray[np.int32], Levels]:
        """The row that each one of `mirror` shows, and the level of an animal there, by the sum of nine; or nothing."""
        return np.zeros(0, np.int32), np.zeros(0, np.uint8)


class Depths(NamedTuple):
    """Darkness round a dim middle; in worlds with depth a floor below them, with a grid and the animals' shadows."""

    ramp: tuple[Stop, ...]
    """Its colors from dark to bright."""
    middle: float
    """Brightness of the middle of the picture, as a part of the ramp."""
    floor: float
    """By how much the floor is brighter below the center of the world."""
    grid: float
    """By how much its lines are brighter."""
    crowd: float
    """By how much a dense crowd brightens what is behind it."""


MIDDLE, SLOPES, FADING = (0.5, 0.46), (1.45, 1.15), 0.22
"""Brightest place, a little above the middle, and how soon it is darker: by slopes across and down, and a distance."""
DARKEST = 0.38  # Part of the floor's light that a dense crowd takes
FLOOR = 0.08  # Height of the floor above the bottom of the world, as a part of its height
REACH = 0.7  # Extent of the floor from the center of the world, in lengths of its longer side
LIT = 0.44  # Extent of its light
CELLS = 10  # Cells of the grid along the longer side of the world
PIECES = 24  # Into how many pieces a line of the grid is cut


class LaidDepths(LaidBackground):
    """The depths in one size."""

    def __init__(self, depths: Depths, size: tuple[int, int], tones: int, step: int) -> None:
        self._step = step
        self.depths = depths
        self._size = size
        self.tones = blended(depths.ramp, np.arange(tones) / (tones - 1))
        self.ramp = whole_light(blended(depths.ramp, np.arange(BRIGHTEST + 1) / BRIGHTEST))  # by brightness
        across, down = (
            (((np.arange(side) + 0.5) / side - middle) * slope) ** 2
            for side, middle, slope in zip(size, MIDDLE, SLOPES, strict=True)
        )
        bright = depths.middle * BRIGHTEST * exact.exponential(-(across + down[:, None]) / FADING)
        low = np.floor(bright)
        self.vignette: Levels = (low + (bright - low > thresholds(size))).astype(np.uint8)
        self._inks = Palette("#000000", {"grid": "#ffffff"}, FINE_LEVELS)
        self._lines = Canvas(size, 4, self._inks)
        self._shown: Projection | None = None
        self._clouds, self._bright = (NO_CLOUD, NO_CLOUD), self.vignette.copy()
        self._brightest = tones - 1
        self.grain = grain(size, BRIGHTEST)
        self._keep(self.vignette)

    @override
    def begin(self, scene: Scene, place: Array) -> None:
        projection = scene.projection
        if self._shown is not projection:
            self._keep(self.vignette if place.shape[1] < 3 else self._floor(scene))
            self._shown = projection
        glow = self._cloud(projection(place), 2.3, self.depths.crowd * BRIGHTEST)
        shadow = NO_CLOUD
        if place.shape[1] == 3:
            below = place.copy()
            below[:, 2] = _level(scene)
            shadow = self._cloud(projection(below), 2.0, DARKEST * 256)
        self._clouds = glow, shadow

    @override
    def codes(self) -> Tones:
        (glow, shadow), codes = self._clouds, self._numbers.copy()
        np.copyto(self._bright, self._still)
        boxes = joined([glow.box, shadow.box]), glow.box, shadow.box
        sides = np.array([(high.start, high.stop, wide.start, wide.stop) for high, wide in boxes], np.int32)
        planes = self._bright, self._still, self.grain, glow.plane, shadow.plane
        tone(codes, *planes, sides, self._size[0], self._brightest, self._step)
        return codes

    @override
    def ground(self) -> Ground:
        return Ground(self._bright, self.ramp)

    def _keep(self, still: Levels) -> None:
        """Remember what there is without animals."""
        self._still, self._numbers = still, _toned(still, self.grain, self._brightest, self._step)

    def _cloud(self, seen: Seen, gain: float, most: float) -> Cloud:
        """A soft cloud of animals, as a share of all, so that a large flock does not outshine a small one."""
        place = seen.xy[seen.shown]
        weight = np.full(len(place), 2000 / max(len(place), 200))
        return clouds(place, weight, self._size, reach=2, gain=gain, most=most)

    def _floor(self, scene: Scene) -> Levels:
        """The vignette and the floor with its light and its grid."""
        disc = np.rint(self.depths.floor * BRIGHTEST * _disc(scene, self._size)).astype(np.uint8)
        floor = enlarged(disc, self._size, square(self._size))
        self._lines.wipe()
        start, end, strength = _grid(scene)
        self._lines.stroke(start, end, self._inks.tone(0, strength), max(self._size[1] / 600, 0.8))
        lines = self._lines.picture().astype(np.uint16) * round(self.depths.grid * BRIGHTEST * 8 / FINE_LEVELS) // 8
        total = self.vignette + floor.astype(np.uint16) + lines
        return np.minimum(total, BRIGHTEST).astype(np.uint8)


@accelerated("=u2 =u1 u1 u1 u1 u1 i4 int int int")
def tone(
    codes: Tones,
    bright: Levels,
    still: Levels,
    grain: Levels,
    glow: Levels,
    shadow: Levels,
    boxes: NDArray[np.int32],
    columns: int,
    brightest: int,
    step: int,
) -> None:
    """Put brightness, and tones times a step, into a box: of what stands still, (height, columns), under two clouds.

    Boxes are top, bottom, left and right of that box, of the glow and of the shadow, shape (3, 4).
    """
    box, lit, dark = (np.s_[top:bottom, left:right] for top, bottom, left, right in boxes.tolist())
    bright[box] = _clouded(still, Cloud(lit, glow), Cloud(dark, shadow))[box]
    codes[box] = _toned(bright[box], grain[box], brightest, step)


def _clouded(still: Levels, glow: Cloud, shadow: Cloud) -> Tones:
    """The brightness under a glow and a shadow, (height, width)."""
    bright = still.astype(np.uint16)
    bright[shadow.box] -= (bright[shadow.box] * shadow.plane) >> 8
    bright[glow.box] += glow.plane
    return np.minimum(bright, BRIGHTEST, out=bright)


def _toned(bright: Tones | Levels, grain: Levels, brightest: int, step: int) -> Tones:
    """The tones of a part of the picture by its brightness, times a step."""
    return (bright * np.uint16(brightest) + grain) // np.uint16(BRIGHTEST) * np.uint16(step)


def _level(scene: Scene) -> float:
    low, high = scene.part[:, 2].tolist()
    return float(low + FLOOR * (high - low))


def _disc(scene: Scene, size: tuple[int, int]) -> Array:
    """The light on the floor, one value per square, 0 to 1."""
    projection, middle = scene.projection, scene.part.mean(axis=0)
    one = square(size)
    columns, rows = (-(-side // one) for side in size)
    x = ((np.arange(columns) + 0.5) * one - projection.origin[0]) / projection.scale
    y = -((np.arange(rows) + 0.5) * one - projection.origin[1]) / projection.scale
    right, up, toward = projection.axes
    # A point of the picture at depth 0, and how far from there toward the eye, or away from it, the floor is met.
    point = projection.center + x[None, :, None] * right + y[:, None, None] * up
    ray = toward - (point - projection.center) / projection.distance
    steep = np.where(np.abs(ray[..., 2]) < 0.02, 0.02, ray[..., 2])
    way = (_level(scene) - point[..., 2]) / steep
    met = point + way[..., None] * ray - middle
    side = float((scene.part[1] - scene.part[0])[:2].max())
    away = (met[..., 0] * met[..., 0] + met[..., 1] * met[..., 1]) / (LIT * side) ** 2
    seen = (way < projection.distance) & (ray[..., 2] > 0.02)
    return np.where(seen, exact.exponential(-np.minimum(away, 50.0)), 0.0)


def _grid(scene: Scene) -> tuple[Array, Array, Array]:
    """The lines of the floor: starts and ends, pixels, and strengths."""
    middle, side = scene.part.mean(axis=0)[:2], float((scene.part[1] - scene.part[0])[:2].max())
    reach = round(REACH * CELLS)
    across = np.repeat(np.arange(-reach, reach + 1) / CELLS, PIECES + 1)
    along = np.tile(REACH * np.linspace(-1.0, 1.0, PIECES + 1), 2 * reach + 1)
    points = np.concatenate((np.stack((across, along), axis=1), np.stack((along, across), axis=1)))
    strength = np.maximum(1.0 - (points * points).sum(axis=1) / REACH**2, 0.0)
    placed = np.column_stack((middle + side * points, np.full(len(points), _level(scene))))
    seen = scene.projection(placed)
    joined = np.flatnonzero((np.arange(len(points)) % (PIECES + 1) < PIECES) & seen.shown & np.roll(seen.shown, -1))
    faded = (strength[joined] + strength[joined + 1]) / 2 * (1.0 - 0.6 * seen.depth[joined])
    return seen.xy[joined], seen.xy[joined + 1], faded


DEEP_WATER = 0.8  # From here on, as a part of the height, the reef is dark enough for words
BELOW_EDGE, ABOVE_REEDS = 0.04, 0.06
"""Distances of the world from the upper edge and from the horizon, as parts of the height."""
RIPPLED = 0.87  # Reflectance of the animals
DRIFT = 600.0  # Degrees that the camera turns while sun and land go by by the width of a picture: they are far away


class Turn(NamedTuple):
    """The way of a camera round the world in a run."""

    azimuth: float  # where it begins, in degrees
    degrees: float  # how far it turns


class LaidMarsh(LaidBackground):
    """The marsh in one size; it is painted as wide as it is seen while the camera turns."""

    def __init__(self, marsh: Marsh, size: tuple[int, int], tones: int, step: int, turn: Turn) -> None:
        (columns, rows), self._turn = size, turn
        self._columns = columns
        self.room = round(columns * min(abs(turn.degrees), 360.0) / DRIFT)
        self.start = self.room if turn.degrees > 0 else 0
        self.still = not self.room
        self._left, self._part = self.start, 0  # the column at the left edge, and how much of it is out of sight
        size = columns + self.room, rows
        self.scenery = marsh.scenery(size, columns, self.start)
        self.above, self._shore = self.scenery.above, rows - len(self.scenery.above)
        self.mirror = slice(self._shore, rows)
        self.rippled = np.rint(np.arange(256) * (RIPPLED / 9)).astype(np.uint8)
        self._painted, number = np.empty((rows, size[0], 3), np.uint16), np.empty((rows, size[0], 3), np.uint8)
        paint_marsh(self._painted, number, thresholds(size), self.scenery, size[0], size[0], self.start)
        self.tones, numbers = _in_tones(number, tones)
        self.numbers = numbers * np.uint16(step)
        self.sky = self._shore  # rows above all edges
        if self.room:
            row, column, between = _between(self._painted, self.tones)
            self.sky = int(row.min(initial=self._shore))
            self._edges = row, column, np.vstack((numbers[row, column], between)) * np.uint16(step)

    @override
    def begin(self, scene: Scene, place: Array) -> None:
        if self.room:
            x, y = scene.projection.axes[0, :2].tolist()
            turned = np.degrees(exact.heading(np.array([-x]), np.array([y]))[0]) - self._turn.azimuth
            way = 1.0 if self._turn.degrees > 0 else -1.0
            shift = min(float(way * turned % 360.0) * self._columns / DRIFT, self.room)
            self._left, self._part = divmod(round(STRIPS * (self.room - shift if way > 0 else shift)), STRIPS)

    @override
    def codes(self) -> Tones:
        """The part that is seen; only edges move by parts of a pixel, and the sky above all of them in larger steps.

        So the dither of the sky, which has no edges, mostly stands still.
        """
        nearest = self._left + (2 * self._part >= STRIPS)
        codes = self.numbers[:, nearest : nearest + self._columns].copy()
        if self.room:
            row, column, between = self._edges
            slow = self._left - self._left % SKY_STEP
            codes[: self.sky] = self.numbers[: self.sky, slow : slow + self._columns]
            seen = ((column >= self._left) & (column < self._left + self._columns)).nonzero()[0]
            codes[row[seen], column[seen] - self._left] = between[self._part, seen]
        return codes

    @override
    def ground(self) -> Ground:
        return Ground(NO_PLANE, self._painted, self._left, self._part, self._columns + self.room)

    @override
    def water(self) -> tuple[NDArray[np.int32], Levels]:
        return self.above, self.rippled


STRIPS = 32  # Steps from one column of pixels to the next
SKY_STEP = 8  # Columns by which a sky moves at once in a palette
CELLS_AT_ONCE = 256  # Cells of colors whose distances to all tones are worked out at once
EDGE = 32  # From this difference of neighbors on, in numbers from 0 to 255, a land is seen to move by whole pixels


def _between(painted: WholeLight, tones: Array) -> tuple[NDArray[np.intp], NDArray[np.intp], Tones]:
    """Rows and columns of pixels unlike the next, (n,), and for each part of the way the tone, (STRIPS - 1, n)."""
    table = (fine_numbers() >> np.uint16(8)).astype(np.int32)
    apart = np.abs(np.diff(table[painted], axis=1)).max(axis=2)
    row, column = (apart > EDGE).nonzero()
    first, second = painted[row, column].astype(np.uint32), painted[row, column + 1].astype(np.uint32)
    parts = np.arange(1, STRIPS, dtype=np.uint32)[:, None, None]
    # Colors that differ little, in cells of eight numbers, become the same tone.
    cell = table[(first * (STRIPS - parts) + second * parts) // STRIPS] >> 3
    packed, place = np.unique((cell[..., 0] << 10) | (cell[..., 1] << 5) | cell[..., 2], return_inverse=True)
    wanted = 8 * np.stack((packed >> 10, (packed >> 5) & 31, packed & 31), axis=1) + 4
    known, nearest = numbers_of(tones).astype(np.int32), np.zeros(len(packed), np.uint16)
    for start in range(0, len(wanted), CELLS_AT_ONCE):
        offset = wanted[start : start + CELLS_AT_ONCE, None] - known
        nearest[start : start + CELLS_AT_ONCE] = (offset * offset).sum(axis=2).argmin(axis=1)
    return row, column, nearest[place].reshape(STRIPS - 1, -1)


def _in_tones(number: Numbers, count: int) -> tuple[Array, Tones]:
    """The light of at most so many tones, and the tone of every pixel, by numbers (height, width, 3)."""
    low, high = number.min(axis=(0, 1)).astype(np.intp), number.max(axis=(0, 1)).astype(np.intp)
    parts = number.reshape(-1, 3).astype(np.intp).T - low[:, None]
    packed = np.ravel_multi_index((*parts,), (*(high - low + 1),))
    often = np.bincount(packed)
    found = np.flatnonzero(often)
    color = np.stack(np.unravel_index(found, (*(high - low + 1),)), axis=1) + low
    few, member = representatives(color.astype(np.uint8), often[found], count)
    tone = np.zeros(len(often), np.uint16)
    tone[found] = member
    return light_of(few), tone[packed].reshape(number.shape[:2])


class LaidReef(LaidBackground):
    """The reef in one size; it stands still, also while the camera turns, for it looks alike from all sides."""

    still = True

    def __init__(self, reef: Reef, size: tuple[int, int], tones: int, step: int, viewpoint: Viewpoint) -> None:
        deep = viewpoint.world.dimension == 3
        half = float(viewpoint.box.size * viewpoint.world.extent[:2].max() / 2)  # of a side of the world
        self.reef, self.record, (columns, rows) = reef, reef.record(viewpoint.projection(0), half, size), size
        self._painted, number = np.empty((rows, columns, 3), np.uint16), np.empty((rows, columns, 3), np.uint8)
        if deep:
            stops, floating = lit_stops(reef.stops), specks(size)
            paint_aside(self._painted, number, thresholds(size), stops, floating, self.record, columns)
        else:
            paint_above(self._painted, number, thresholds(size), lit_stops(reef.shallow), self.record, columns)
        self.tones, numbers = _in_tones(number, tones)
        self.numbers = numbers * np.uint16(step)

    @override
    def codes(self) -> Tones:
        return self.numbers.copy()

    @override
    def ground(self) -> Ground:
        return Ground(NO_PLANE, self._painted, wide=self._painted.shape[1])

    @override
    def shadows(self, scene: Scene, place: Array, size: tuple[int, int]) -> Cloud:
        if place.shape[1] == 2:  # a shadow beside everybody would change most of each picture
            return NO_CLOUD
        (low, high), below = scene.part[:, 2].tolist(), place.copy()
        below[:, 2] = (low + high) / 2 + LEVEL * float((scene.part[1] - scene.part[0])[:2].max()) / 2
        seen = scene.projection(below)
        xy = seen.xy[seen.shown]
        return clouds(xy, np.ones(len(xy)), size, reach=1, gain=SHADE_GAIN, most=SHADE)


SHADE_GAIN, SHADE = 14.0, 110  # How soon shadows are dark, and how dark they are, in parts of a level


def lay_background(
    light: Light, size: tuple[int, int], tones: int, step: int, turn: Turn, shore: float, viewpoint: Viewpoint
) -> LaidBackground:
    """The background of a lit theme for pictures of this size, in so many tones, whose codes are a step apart.

    Water, if there is some, begins at the shore, a row.
    """
    fields = dict(light.background)
    kind = fields.pop("kind")
    if kind == "reef":
        return LaidReef(Reef(**fields), size, tones, step, viewpoint)
    if kind == "marsh":
        return LaidMarsh(Marsh(**fields | {"horizon": shore / size[1]}), size, tones, step, turn)
    return LaidDepths(Depths(**fields), size, tones, step)


def shore_of(light: Light, rows: int, dimension: int) -> float:
    """The row where dark water begins, in a picture of so many; the last one where there is none."""
    horizons = {"marsh": light.background.get("horizon", HORIZON), "reef": DEEP_WATER if dimension == 3 else 1.0}
    return horizons.get(light.background["kind"], 1.0) * rows


def sky(light: Light, viewport: Viewport, rows: int, shore: float) -> Viewport:
    """The part of a viewport that shows the world, in a picture of so many rows with water from a shore on."""
    if light.background["kind"] != "marsh":
        return viewport
    left, top, width, height = viewport
    low, high = min(top + height, shore - ABOVE_REEDS * rows), max(top, BELOW_EDGE * rows)
    return Viewport(left, high, width, max(low - high, 8.0))
