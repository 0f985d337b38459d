"""Backgrounds of the lit look: what lies behind the animals, and what they do to it.

Data of a theme say what it is; laid out for the pictures of a run it is a `LaidBackground`. All of it is painted
once, and dithered once, except what depends on the animals: a glow of the crowd and its shadow on a floor here, and
their mirror image in `marsh`.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.camera import Projection, Seen
from boidsgen.drawing.canvas import Canvas, PixelBox, joined
from boidsgen.drawing.frame import FINE_LEVELS, Inks, Stop, blended
from boidsgen.drawing.glow import NO_CLOUD, Cloud, clouds, enlarged, square
from boidsgen.drawing.quantization import grain, thresholds
from boidsgen.drawing.scene import Scene
from boidsgen.kernel.acceleration import accelerated
from boidsgen.simulation.geometry import Array

Tones = NDArray[np.uint16]
Levels = NDArray[np.uint8]

BRIGHTEST = 255  # Maximum brightness of a background


class LaidBackground(ABC):
    """A ground laid out for the pictures of one run."""

    tones: Array  # (n, 3) the light of every tone
    mirror: slice = slice(0, 0)  # the rows in which the animals of others are seen a second time

    def begin(self, scene: Scene, place: Array, seen: Seen) -> None:  # noqa: B027  little moves
        """Get ready for a frame with animals at these places of the world, shape (n, d), which are seen so."""

    @abstractmethod
    def codes(self) -> Tones:
        """The tone of every pixel times the step between tones; the caller may write there."""

    @abstractmethod
    def light(self, rows: slice) -> Array:
        """The light of some rows of pixels before it is put into tones, (rows, width, 3)."""

    def reflect(self, levels: Levels, box: PixelBox) -> None:  # noqa: B027  few mirror
        """Show the animals a second time."""


class Depths(NamedTuple):
    """Darkness round a dim middle; in worlds with depth a floor below them, with a grid and the animals' shadows."""

    ramp: tuple[Stop, ...]
    """Its colors from dark to bright."""
    middle: float
    """Brightness of the middle of the picture, as a part of the ramp."""
    floor: float
    """By how much the floor is brighter below the middle of the world."""
    grid: float
    """By how much its lines are brighter."""
    crowd: float
    """By how much a dense crowd brightens what is behind it."""


DARKEST = 0.38  # Part of the floor's light that a dense crowd takes
FLOOR = 0.08  # Height of the floor above the bottom of the world, as a part of its height
REACH = 0.7  # Extent of the floor from the middle of the world, in lengths of its longer side
LIT = 0.44  # Extent of its light
CELLS = 10  # Cells of the grid along the longer side of the world
PIECES = 24  # Into how many pieces a line of the grid is cut


class LaidDepths(LaidBackground):
    """The depths in one size."""

    def __init__(self, depths: Depths, size: tuple[int, int], tones: int, step: int) -> None:
        self._step = step
        self._depths = depths
        self._size = size
        self.tones = blended(depths.ramp, np.arange(tones) / (tones - 1))
        self._vignette = _vignette(depths, size)
        self._inks = Inks("#000000", {"grid": "#ffffff"}, FINE_LEVELS)
        self._lines = Canvas(size, 4, self._inks)
        self._shown: Projection | None = None
        self._clouds: tuple[Cloud, Cloud] | None = None
        self._brightest = tones - 1
        self._grain = grain(size, BRIGHTEST)
        self._keep(self._vignette)

    @override
    def begin(self, scene: Scene, place: Array, seen: Seen) -> None:
        projection = scene.projection
        if self._shown is not projection:
            self._keep(self._vignette if place.shape[1] < 3 else self._floor(scene))
            self._shown = projection
        glow = self._cloud(seen, 2.3, self._depths.crowd * BRIGHTEST)
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
            planes = self._still, self._grain, glow.plane, shadow.plane
            tone(codes, *planes, sides, self._size[0], self._brightest, self._step)
        return codes

    @override
    def light(self, rows: slice) -> Array:
        bright = (_clouded(self._still, *self._clouds) if self._clouds else self._still)[rows]
        return blended(self._depths.ramp, np.arange(BRIGHTEST + 1) / BRIGHTEST)[bright]

    def _keep(self, still: Levels) -> None:
        """Remember what there is without animals."""
        self._still, self._numbers = still, _toned(still, self._grain, self._brightest, self._step)

    def _cloud(self, seen: Seen, gain: float, most: float) -> Cloud:
        """A soft cloud of animals, as a share of all, so that a large flock does not outshine a small one."""
        place = seen.xy[seen.shown]
        weight = np.full(len(place), 2000 / max(len(place), 200))
        return clouds(place, weight, self._size, reach=2, gain=gain, most=most)

    def _floor(self, scene: Scene) -> Levels:
        """The vignette and the floor with its light and its grid."""
        disc = np.rint(self._depths.floor * BRIGHTEST * _disc(scene, self._size)).astype(np.uint8)
        floor = enlarged(disc, self._size, square(self._size))
        self._lines.wipe()
        start, end, strength = _grid(scene)
        self._lines.lines(start, end, self._inks.tone(0, strength), max(self._size[1] / 600, 0.8))
        lines = self._lines.picture().astype(np.uint16) * round(self._depths.grid * BRIGHTEST * 8 / FINE_LEVELS) // 8
        total = self._vignette + floor.astype(np.uint16) + lines
        bright: Levels = np.minimum(total, BRIGHTEST).astype(np.uint8)
        return bright


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


def _clouded(still: Levels, glow: Cloud, shadow: Cloud) -> Tones:
    """The brightness under a glow and a shadow, (height, width)."""
    bright = still.astype(np.uint16)
    bright[shadow.box] -= (bright[shadow.box] * shadow.plane) >> 8
    bright[glow.box] += glow.plane
    return np.minimum(bright, BRIGHTEST, out=bright)


def _toned(bright: Tones | Levels, grain: Levels, brightest: int, step: int) -> Tones:
    """The tones of a part of the picture by its brightness, times a step."""
    return (bright * np.uint16(brightest) + grain) // np.uint16(BRIGHTEST) * np.uint16(step)


def _vignette(depths: Depths, size: tuple[int, int]) -> Levels:
    columns, rows = size
    x, y = (np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows
    away = ((x - 0.5) * 1.45) ** 2 + (((y - 0.46) * 1.15) ** 2)[:, None]
    bright = depths.middle * BRIGHTEST * exact.exponential(-away / 0.22)
    low = np.floor(bright)
    levels: Levels = (low + (bright - low > thresholds(size))).astype(np.uint8)
    return levels


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
    lit: Array = np.where(seen, exact.exponential(-np.minimum(away, 50.0)), 0.0)
    return lit


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
