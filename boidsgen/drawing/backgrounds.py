"""Backgrounds of the lit look: what lies behind the animals, and what they do to it.

Data of a theme say what it is; laid out for the pictures of a run it is a `LaidBackground`. All of it is painted
once, and dithered once, except what depends on the animals: in the depths a glow of the crowd and its shadow on a
floor, over the marsh their mirror image in still water. The marsh is measured by the height of the picture, so that it
looks alike at every size; its reeds grow from a fixed seed.
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
    Palette,
    Stop,
    WholeLight,
    blended,
    dithered,
    fine_numbers,
    grain,
    light,
    light_of,
    numbers_of,
    representatives,
    thresholds,
    whole_light,
)
from boidsgen.drawing.glow import NO_CLOUD, Cloud, clouds, enlarged, square
from boidsgen.drawing.reef import LEVEL, Reef, seen_aside, seen_from_above
from boidsgen.drawing.themes import Light
from boidsgen.kernel.library import accelerated
from boidsgen.simulation.geometry import Array

Tones = NDArray[np.uint16]
Levels = NDArray[np.uint8]

BRIGHTEST = 255  # Maximum brightness of a background


class LaidBackground(ABC):
    """A ground laid out for the pictures of one run."""

    tones: Array  # (n, 3) the light of every tone
    mirror: slice = slice(0, 0)  # the rows in which the animals of others are seen a second time

    def begin(self, scene: Scene, place: Array) -> None:  # noqa: B027  little moves
        """Get ready for a frame with animals at these places of the world, shape (n, d)."""

    @abstractmethod
    def codes(self) -> Tones:
        """The tone of every pixel times the step between tones; the caller may write there."""

    @abstractmethod
    def light(self) -> WholeLight:
        """The light of every pixel before it is put into tones, (height, width, 3); the caller may write there."""

    def shadows(self, scene: Scene, place: Array, size: tuple[int, int]) -> Cloud:
        """The light that animals at these places of the world take away, in parts of a level."""
        del scene, place, size
        return NO_CLOUD

    def reflect(self, levels: Levels) -> None:  # noqa: B027  few mirror
        """Show the animals a second time."""


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
        # Brightest a little above the middle, and darker toward the edges.
        columns, rows = size
        x, y = (np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows
        away = ((x - 0.5) * 1.45) ** 2 + (((y - 0.46) * 1.15) ** 2)[:, None]
        bright = depths.middle * BRIGHTEST * exact.exponential(-away / 0.22)
        low = np.floor(bright)
        self.vignette: Levels = (low + (bright - low > thresholds(size))).astype(np.uint8)
        self._inks = Palette("#000000", {"grid": "#ffffff"}, FINE_LEVELS)
        self._lines = Canvas(size, 4, self._inks)
        self._shown: Projection | None = None
        self._clouds: tuple[Cloud, Cloud] | None = None
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
        codes = self._numbers.copy()
        if self._clouds is not None:
            glow, shadow = self._clouds
            boxes = joined([glow.box, shadow.box]), glow.box, shadow.box
            sides = np.array([(high.start, high.stop, wide.start, wide.stop) for high, wide in boxes], np.int32)
            planes = self._still, self.grain, glow.plane, shadow.plane
            tone(codes, *planes, sides, self._size[0], self._brightest, self._step)
        return codes

    @override
    def light(self) -> WholeLight:
        bright = self._still
        if self._clouds is not None:
            glow, shadow = self._clouds
            box, bright = joined([glow.box, shadow.box]), bright.copy()
            bright[box] = _clouded(self._still, glow, shadow)[box]
        light = np.empty((*bright.shape, 3), np.uint16)
        lighten(light, bright, self.ramp)
        return light

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


@accelerated("=u2 u1 u1 u1 u1 i4 int int int")
def tone(
    codes: Tones,
    still: Levels,
    grain: Levels,
    glow: Levels,
    shadow: Levels,
    boxes: NDArray[np.int32],
    columns: int,
    brightest: int,
    step: int,
) -> None:
    """Put tones, times a step, into the codes of a box: of what stands still, (height, columns), under two clouds.

    Boxes are top, bottom, left and right of that box, of the glow and of the shadow, shape (3, 4).
    """
    box, lit, dark = (np.s_[top:bottom, left:right] for top, bottom, left, right in boxes.tolist())
    codes[box] = _toned(_clouded(still, Cloud(lit, glow), Cloud(dark, shadow))[box], grain[box], brightest, step)


@accelerated("=u2 u1 u2")
def lighten(light: WholeLight, bright: Levels, table: WholeLight) -> None:
    """Fill (height, width, 3) with the light of every brightness, by a table, (BRIGHTEST + 1, 3)."""
    np.take(table, bright, axis=0, out=light)


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
HORIZON = 0.865  # Lower end of the sky by default, as a part of the height


class Marsh(NamedTuple):
    """A sky with a low sun over a bank of reeds, and still water that mirrors all of it."""

    stops: tuple[Stop, ...]
    """The sky from its top to the horizon."""
    sun: tuple[float, float]
    """Position of the sun, in parts of width and height."""
    glow: str
    """The color of its light."""
    ink: str
    """The color of the bank."""
    horizon: float = HORIZON
    """Lower end of the sky, as a part of the height."""


BELOW_EDGE, ABOVE_REEDS = 0.04, 0.06
"""Distances of the world from the upper edge and from the horizon, as parts of the height."""
HALOS = ((0.42, 0.035), (0.20, 0.30))  # Strength and width of the glow round the sun, near and far
SUN_ACROSS, SUN_DOWN = 1.78, 1.35  # Lengths in which it falls off, by widths and heights of the picture
VIGNETTE, VIGNETTE_ROW = (
    0.10,
    0.45,
)  # By how much the sky is darker away from the middle, and where that is, by its height
SQUEEZE = 2.6  # Rows of the sky that one row of water mirrors
WATER = (0.27, 0.25, 0.32)  # Reflectance of the water at the horizon: red, green, blue
FOREGROUND, STEEPER = (0.48, 0.46, 0.66), 2.2
"""Part of it that is left near the lower edge, and its slope: the steeper the view, the less water mirrors. Words stand
there, so that it must be dark; it keeps its violet."""
DEEPEST = 5  # Over how many rows of the sky the water blurs
RIPPLED = 0.87  # Reflectance of the animals
LAND, OPAQUE = 0.7, 0.97  # Light of the bank, of that of its ink, and what it hides of the sky
MIRRORED_REEDS = (0.8, 0.3)  # Reflectance of the reeds, at the horizon and at the lower edge


DRIFT = 600.0  # Degrees that the camera turns while sun and land go by by the width of a picture: they are far away


class Turn(NamedTuple):
    """The way of a camera round the world in a run."""

    azimuth: float  # where it begins, in degrees
    degrees: float  # how far it turns


class Scenery(NamedTuple):
    """The parts of which the light of a marsh is made."""

    gradient: Array
    """Light of the sky by row, (rows, 3)."""
    land: Levels
    """The part of each pixel that the bank and its reeds cover, of 255, (rows, columns)."""
    water: Array
    """Reflectance by row below the shore, (rows, 3)."""
    reeds: Array
    """Reflectance of the reeds there, (rows,)."""


class LaidMarsh(LaidBackground):
    """The marsh in one size; it is painted as wide as it is seen while the camera turns."""

    def __init__(self, marsh: Marsh, size: tuple[int, int], tones: int, step: int, turn: Turn) -> None:
        (columns, rows), self._turn = size, turn
        self._columns = columns
        self.room = round(columns * min(abs(turn.degrees), 360.0) / DRIFT)
        self.start = self.room if turn.degrees > 0 else 0
        self._left, self._part = self.start, 0  # the column at the left edge, and how much of it is out of sight
        size = columns + self.room, rows
        across = (np.arange(-self.start, size[0] - self.start) + 0.5) / columns
        self._shore = int(marsh.horizon * rows)
        above = (self._shore - (np.arange(rows - self._shore) * SQUEEZE)).astype(np.intp)
        self.above = np.minimum(np.maximum(above, 0), max(self._shore - 1, 0))
        self.mirror = slice(self._shore, rows)
        self.rippled = np.rint(np.arange(256) * (RIPPLED / 9)).astype(np.uint8)
        gradient = _gradient(marsh, rows)
        painted = _sky(marsh, across, gradient)
        land, ink = bank(size, marsh.horizon, columns, self.start), LAND * light(marsh.ink)
        depth = np.arange(len(above)) / max(len(above), 1)
        left = np.array(FOREGROUND)
        dim = np.maximum(1.0 - STEEPER * depth, 0.0)[:, None] * (1.0 - left) + left
        reflectance = np.array(WATER) * dim
        water = painted[self.above] * reflectance[:, None]
        mirror = np.maximum(2 * self._shore - np.arange(self._shore, len(land)), 0)
        strength = MIRRORED_REEDS[0] + (MIRRORED_REEDS[1] - MIRRORED_REEDS[0]) * depth
        reeds = np.where(mirror < self._shore, 1.0, 0.0)[:, None] * land[np.minimum(mirror, self._shore - 1)]
        painted[self._shore :] = water + (reeds * strength[:, None])[..., None] * (light(marsh.ink) - water)
        painted += (OPAQUE * land)[..., None] * (ink - painted)
        self.marsh, self.scenery = marsh, Scenery(gradient, np.rint(255 * land).astype(np.uint8), reflectance, strength)
        self.tones, numbers = _in_tones(painted, tones)
        self.numbers = numbers * np.uint16(step)
        self._painted = whole_light(painted)
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
    def light(self) -> WholeLight:
        if not self._part:
            return self._painted[:, self._left : self._left + self._columns].copy()
        light = np.empty((len(self._painted), self._columns, 3), np.uint16)
        pan(light, self._painted, self._left, self._part, self._columns, self._columns + self.room)
        return light

    @override
    def reflect(self, levels: Levels) -> None:
        """The animals in the sky appear in the water, too."""
        # Sums of nine levels; a byte holds them.
        seen = [levels[np.maximum(self.above - back, 0)] for back in (0, 2, DEEPEST)]
        total = seen[0] + seen[1] + seen[2]
        total[:, 1:-1] += total[:, :-2] + total[:, 2:]
        levels[self._shore :] = self.rippled.take(total)


STRIPS = 32  # Steps from one column of pixels to the next
SKY_STEP = 8  # Columns by which a sky moves at once in a palette
CELLS_AT_ONCE = 256  # Cells of colors whose distances to all tones are worked out at once
EDGE = 32  # From this difference of neighbors on, in numbers from 0 to 255, a land is seen to move by whole pixels


@accelerated("=u2 u2 int int int int")
def pan(light: WholeLight, painted: WholeLight, left: int, part: int, columns: int, wide: int) -> None:
    """Fill (height, columns, 3) with what is painted, (height, wide, 3), from a part of a column on, in STRIPS."""
    pair = painted.reshape(-1, wide, 3)[:, left : left + columns + 1].astype(np.uint32)
    light[:] = (pair[:, :-1] * np.uint32(STRIPS - part) + pair[:, 1:] * np.uint32(part)) // np.uint32(STRIPS)


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


def _gradient(marsh: Marsh, rows: int) -> Array:
    """The light of the sky without a sun, (rows, 3)."""
    gradient, reach = blended(marsh.stops, (np.arange(rows) + 0.5) / rows / marsh.horizon), rows // 10
    for _ in range(2):  # the mean of the rows within reach, twice: no kinks at the stops
        before, after = np.repeat(gradient[:1], reach, axis=0), np.repeat(gradient[-1:], reach, axis=0)
        total = np.cumsum(np.concatenate((np.zeros((1, 3)), before, gradient, after)), axis=0)
        gradient = (total[2 * reach + 1 :] - total[: -2 * reach - 1]) / (2 * reach + 1)
    return gradient


def _sky(marsh: Marsh, x: Array, gradient: Array) -> Array:
    """The sky and its light at places, as parts of the width of a picture; what is beyond its sides is no darker."""
    y = (np.arange(len(gradient)) + 0.5) / len(gradient)
    wide = ((x - marsh.sun[0]) * SUN_ACROSS) ** 2
    away = wide + ((y - marsh.sun[1]) * SUN_DOWN)[:, None] ** 2
    glow = np.zeros(away.shape)
    for strength, spread in HALOS:
        glow += strength * exact.exponential(-away / spread)
    corner = 1.0 - VIGNETTE * (np.minimum(np.abs(x - 0.5) * 2, 1.0) ** 2 + (((y - VIGNETTE_ROW) * 2) ** 2)[:, None])
    return (gradient[:, None] + glow[..., None] * light(marsh.glow)) * corner[..., None]


def _in_tones(painted: Array, count: int) -> tuple[Array, Tones]:
    """The light of at most so many tones, and the tone of every pixel, dithered."""
    rows, columns, _ = painted.shape
    number = dithered(painted, thresholds((columns, rows))[..., None]).astype(np.int64)
    packed, place, weight = np.unique(
        (number[..., 0] << 16) | (number[..., 1] << 8) | number[..., 2], return_inverse=True, return_counts=True
    )
    color = np.stack((packed >> 16, (packed >> 8) & 255, packed & 255), axis=1).astype(np.uint8)
    few, member = representatives(color, weight, count)
    return light_of(few), member.astype(np.uint16)[place].reshape(rows, columns)


SMOOTH = 3  # Cells per pixel along each axis
REED_SEED = 1
CLUMPS = ((0.055, 0.047, 120), (0.164, 0.023, 40), (0.54, 0.016, 16), (0.79, 0.07, 150), (0.93, 0.047, 130))
"""Middle and spread of each clump of reeds as parts of the width, and how many stems it has in a wide picture."""
SHORTEST_STEM, LONGEST_STEM = 0.01, 0.08  # Lengths of stems as parts of the height of the picture
HEADED = 0.024  # Stems longer than this carry a head
HILLS = ((0.0030, 0.9, 0.4), (0.0022, 2.3, 1.7), (0.0013, 6.1, 2.2))
"""Waves of the bank: height as a part of the picture's, number in its width, and phase."""
BANK_HEIGHT = 0.0055  # Height of the bank without its waves, as a part of the picture's


def bank(size: tuple[int, int], horizon: float, width: int, start: int) -> Array:
    """The bank and its reeds, for pictures of a width, of which the first begins at a column; they repeat beside it."""
    from PIL import Image, ImageDraw  # noqa: PLC0415  who only checks a scenario must not wait for it

    columns, rows = size
    image = Image.new("L", (columns * SMOOTH, rows * SMOOTH))
    pen = ImageDraw.Draw(image)
    ground = horizon * rows
    along = (np.arange(0, columns * SMOOTH + 3, 3) / SMOOTH - start) / width
    waves = sum(high * exact.sine(2 * np.pi * count * along + phase) for high, count, phase in HILLS)
    high = np.maximum(BANK_HEIGHT + waves, 0.0012) * rows
    line = [((float(x) * width + start) * SMOOTH, float(ground - y) * SMOOTH) for x, y in zip(along, high, strict=True)]
    floor = (ground + 1) * SMOOTH
    pen.polygon([(0.0, floor), *line, (float(columns * SMOOTH), floor)], fill=255)
    up, height = ground * SMOOTH, rows * SMOOTH
    stems = [
        (start + around + across, *stem) for around in (0, -width, width) for across, *stem in _stems((width, rows))
    ]
    for stem in stems:  # they lean as they grow, and the tall ones have a head
        across, length, bend = (side * SMOOTH for side in stem)
        tall = length > HEADED * height
        knee, tip = (across + 0.35 * bend, up - 0.6 * length), (across + bend, up - length)
        pen.line([(across, up), knee, tip], fill=255, width=max(round(height / (540 if tall else 720)), 1))
        if tall:
            pen.line([(across + 0.72 * bend, up - 0.8 * length), tip], fill=255, width=max(round(height / 260), 2))
    covered = np.asarray(image.reduce(SMOOTH)).astype(float) / 255
    covered[int(np.ceil(ground)) :] = 0.0
    return covered


def _stems(size: tuple[int, int]) -> list[tuple[float, float, float]]:
    """Place, length and bend of every reed, in pixels."""
    generator = np.random.default_rng(REED_SEED)
    columns, rows = size
    stems: list[tuple[float, float, float]] = []
    for middle, spread, count in CLUMPS:
        number = max(round(count * columns / rows / 1.78), 1)
        place = (middle + spread * exact.normal(generator, (number,))) * columns
        # The product of two numbers from 0 to 1: most stems are short, a few are long.
        share = exact.uniform(generator, 0.0, 1.0, (2, number)).prod(axis=0)
        bend = (0.003 + 0.0045 * exact.normal(generator, (number,))) * rows
        length = (SHORTEST_STEM + (LONGEST_STEM - SHORTEST_STEM) * share) * rows
        stems += zip(place.tolist(), length.tolist(), bend.tolist(), strict=True)
    return stems


class LaidReef(LaidBackground):
    """The reef in one size; it stands still, also while the camera turns, for it looks alike from all sides."""

    def __init__(self, reef: Reef, size: tuple[int, int], tones: int, step: int, viewpoint: Viewpoint) -> None:
        deep = viewpoint.world.dimension == 3
        self.reef, self.projection = reef, viewpoint.projection(0)
        self.half = float(viewpoint.box.size * viewpoint.world.extent[:2].max() / 2)  # of a side of the world
        painted = seen_aside(reef, size, self.projection, self.half) if deep else seen_from_above(reef, size)
        self.tones, numbers = _in_tones(painted, tones)
        self.numbers = numbers * np.uint16(step)
        self._painted = whole_light(painted)

    @override
    def codes(self) -> Tones:
        return self.numbers.copy()

    @override
    def light(self) -> WholeLight:
        return self._painted.copy()

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
