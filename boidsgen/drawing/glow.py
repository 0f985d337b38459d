"""Additive light: glow, ribbons and blurred clouds, and the accumulation buffer of the lit look.

Clouds (glows, shadows) are blurred on squares of a few pixels (`square`) and enlarged. The light of predators is a soft
glow around them, ribbons behind them, and the curves that they fly on. Ribbons and curves are drawn on a canvas with
one ink, where the brighter of two wins; the glow is added. Lengths are pixels.

The accumulation buffer stores how much animal covers every pixel, and in which hue. Every animal adds coverage ×
strength to the pixels that it touches; a tone curve turns the sums into levels. Hues that form a ramp are averaged,
weighted by each animal's contribution; where hues cannot be mixed, a pixel shows that of the nearest animal which
covers at least half of it, which is a maximum. Places are pixels of a canvas with a margin, as in `canvas`.

All sums are integers, so that they are the same on every system and in every drawing order.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.drawing.animals import Trail
from boidsgen.drawing.canvas import EMPTY_BOX, Canvas, GlassCanvas, PixelBox, Plane, Scene, beyond
from boidsgen.drawing.frame import FINE_LEVELS, SUBLEVELS, Palette
from boidsgen.drawing.shapes import Coverage, Hidden, Integers, Sprites, SpriteTable, Trace
from boidsgen.kernel.library import accelerated
from boidsgen.simulation.geometry import Array

SQUARES = 90  # Of those on which clouds are computed, in the smaller side of a picture
UNIT = 1024  # The weight 1, as a whole number

BLURS = 3  # Passes of the blur: after two a glow is a pyramid, after three it is as good as round
FULL_EXPONENT = 8.0  # From this exponent on a cloud becomes no denser


class Cloud(NamedTuple):
    """A soft cloud in a part of a picture; there is none of it elsewhere."""

    box: PixelBox  # the rows and columns of the part
    plane: Plane  # how dense it is there, (rows, columns)


NO_CLOUD = Cloud(EMPTY_BOX, np.zeros((0, 0), np.uint8))  # Empty cloud


def clouds(place: Array, weight: Array, size: tuple[int, int], *, reach: int, gain: float, most: float) -> Cloud:
    """A soft cloud round places (n, 2) that weigh so much, (n,), from 0 to `most`.

    Args:
        place: in pixels.
        weight: of each.
        size: (width, height) of the picture.
        reach: how far each pass blurs it, in squares.
        gain: how soon it is dense, by the weight in a square of pixels.
        most: how dense it becomes where there is no end to them; at most 255.
    """
    one = square(size)
    squares = [-(-side // one) for side in size]
    column, row = (np.floor(along / one).astype(np.intp) for along in np.ascontiguousarray(place.T))
    inside = np.flatnonzero((column >= 0) & (column < squares[0]) & (row >= 0) & (row < squares[1]))
    if not len(inside):
        return NO_CLOUD
    column, row = column[inside], row[inside]
    # Nothing comes further than this; one square more, so that the edge of the cloud is empty when enlarged.
    left, top = (max(int(each.min()) - BLURS * reach - 1, 0) for each in (column, row))
    columns, rows = (
        min(int(each.max()) + BLURS * reach + 2, side) - low
        for each, side, low in zip((column, row), squares, (left, top), strict=True)
    )
    total = np.zeros(rows * columns, np.int64)
    np.add.at(total, (row - top) * columns + column - left, np.rint(weight[inside] * UNIT).astype(np.int64))
    blur(total, np.empty_like(total), columns, reach)
    coarse = borders(gain, most).searchsorted(total, side="right").astype(np.uint8).reshape(rows, columns)
    left, top = one * left, one * top
    high, wide = min(size[1] - top, rows * one), min(size[0] - left, columns * one)
    return Cloud((slice(top, top + high), slice(left, left + wide)), enlarged(coarse, (wide, high), one))


def square(size: tuple[int, int]) -> int:
    """Side of the squares on which clouds are computed in a picture of this size: an even number of pixels."""
    return 2 * max(round(min(size) / SQUARES / 2), 1)


@cache
def borders(gain: float, most: float) -> NDArray[np.int64]:
    """The least weight in a square of pixels, in parts of UNIT, from which a cloud is as dense as 1, 2, and so on.

    How dense it is grows with the weight, so that a search finds it sooner than the formula does.
    """
    weight = np.arange(int(FULL_EXPONENT * UNIT / gain))
    dense = np.rint(most * (1.0 - exact.exponential(-weight * (gain / UNIT)))).astype(np.int64)
    return np.searchsorted(dense, np.arange(1, int(dense[-1]) + 1))


@accelerated("=i8 =i8 int int")
def blur(cells: NDArray[np.int64], scratch: NDArray[np.int64], columns: int, reach: int) -> None:
    """Blur flat rows of cells BLURS times; `scratch` is room for as many."""
    blurred = cells.reshape(-1, columns)
    for _ in range(BLURS):
        blurred = _blurred(blurred, reach)
    cells[:] = blurred.reshape(-1)


def _blurred(cells: NDArray[np.int64], reach: int) -> NDArray[np.int64]:
    """The mean over a square that reaches so far to all sides."""
    wide = 2 * reach + 1
    for _ in range(2):
        rows, columns = cells.shape
        total = np.zeros((rows + wide, columns), np.int64)
        np.cumsum(cells, axis=0, out=total[reach + 1 : reach + 1 + rows])
        total[reach + 1 + rows :] = total[reach + rows]
        cells = ((total[wide:] - total[:-wide]) // wide).T
    return cells


def enlarged(coarse: Plane, size: tuple[int, int], one: int) -> Plane:
    """Squares of one side as a smooth picture of (width, height) pixels, in which two by two pixels are alike."""
    plane = np.empty(size[::-1], np.uint8)
    columns, half = coarse.shape[1], one // 2
    enlarge(plane, np.empty(2 * columns * half, np.uint8), coarse, columns, half, size[0])
    return plane


@accelerated("=u1 =u1 u1 int int int")
def enlarge(plane: Plane, scratch: Plane, coarse: Plane, columns: int, half: int, wide: int) -> None:
    """Fill a plane, `wide` pixels wide, with a coarse one, `half` times as large and each pixel of that twice."""
    from PIL import Image  # noqa: PLC0415  who only checks a scenario must not wait for it

    size = columns * half, len(coarse) * half
    smooth = np.asarray(Image.fromarray(coarse).resize(size, Image.Resampling.BILINEAR))
    # A byte twice in a number of two bytes: the quickest way to write it twice.
    twice = (smooth.astype(np.uint16) * np.uint16(257)).view(np.uint8)
    plane[:] = np.repeat(twice, 2, axis=0)[: len(plane), :wide]


WIDTH = 0.3  # Width of a ribbon where it begins, in lengths of the predator
NARROWEST = 0.8  # Width of its end, in pixels
TAPER, FADE = 0.9, 1.6  # Powers of what is left of a ribbon by which it gets narrower, and by which it gets weaker
SOFT = tuple(((1.5 - 0.2 * layer), (layer + 1) ** 2 / 36) for layer in range(6))
"""Widths and strengths of the layers of a ribbon in a flat world, where it is seen from near: its sides are soft."""
SOFT_END = 5.0  # Over how many widths it fades at the edges of a world, beyond which it goes on at the opposite one
STRONGEST = 0.8  # Strength of a ribbon where it begins
HEAD = 6  # Glow of a predator, in glows of a piece of its ribbon
HALO, GAIN, HALO_REACH = 100, 6.0, 3
"""The most that the glow adds, in parts of levels, how soon it does, and the reach of each pass of the blur."""
PEN = 2.2  # Width of curves, in widths of thin lines


class Glow:
    """The light of all predators of one picture, among the bodies of a canvas with the same margin."""

    def __init__(self, size: tuple[int, int], bodies: Canvas, levels: int) -> None:
        self._size, self._bodies = size, bodies
        self.inks = Palette("#000000", {"predator": "#ffffff"}, FINE_LEVELS)
        steps = int(self.inks.codes[-1])
        curve = np.rint(SUBLEVELS * (levels - 1) * np.sqrt(np.arange(steps + 1) / steps)).astype(np.uint8)
        # What is drawn are fine levels: the brighter of two codes is that of the brighter level, too.
        self.inks.codes = curve[self.inks.codes]
        self.brightest = int(curve[-1])
        self.canvas = GlassCanvas(size, bodies.margin, self.inks)
        self._glowing: list[tuple[Array, Array]] = []
        self._halo, self._known = np.zeros(size[::-1], np.uint8), False

    def begin(self) -> None:
        """Start over with nothing that glows."""
        self._glowing, self._known = [], False

    def glow(self, xy: Array, strength: Array, hidden: Hidden) -> None:
        """Let light of a strength glow at these places, (n, 2), unless bodies hide it."""
        free = self._bodies.visible(self._bodies.points(xy), hidden).line
        self._glowing.append((xy[free], strength[free]))

    def ribbons(self, trails: Trail, scene: Scene, strength: Array, length: float, hidden: Hidden) -> None:
        """Draw the trails of predators of this length as ribbons, each at the strength of its animal."""
        projection, world = scene.projection, scene.setup.world
        ways = trails.pieces
        start, end, flown = (np.concatenate(parts) for parts in zip(*ways, strict=True))
        here, there = projection(end), projection(start)
        shown = np.flatnonzero(here.shown & there.shown & flown)
        taper, fade = _aging(trails.frames)
        age, animal = np.divmod(shown, len(strength))
        width = WIDTH * length * taper[age] * here.scale[shown] / projection.scale
        faded = STRONGEST * fade[age] * strength[animal]
        if world.boundary.jumps and world.dimension == 2:
            inside = np.minimum(here.xy[shown] - scene.window[0], scene.window[1] - here.xy[shown]).min(axis=1)
            faded *= np.minimum(np.maximum(inside / (SOFT_END * WIDTH * length), 0.0), 1.0)
        for part, strong in SOFT if world.dimension == 2 else ((1.0, 1.0),):
            trace = self.canvas.trace(here.xy[shown], there.xy[shown], np.maximum(part * width, NARROWEST))
            self.canvas.draw(self._bodies.visible(trace, hidden[shown]), self.inks.tone(0, strong * faded))
        self.glow(here.xy[shown], faded, hidden[shown])

    def planes(self) -> tuple[Plane, Plane]:
        """The levels of light: those of what is drawn, with a margin, and round predators, (height, width)."""
        if not self._known:
            nothing = np.zeros((0, 2)), np.zeros(0)
            place, weight = (np.concatenate(each) for each in zip(nothing, *self._glowing, strict=True))
            cloud = clouds(place, weight, self._size, reach=HALO_REACH, gain=GAIN, most=HALO)
            self._halo.fill(0)
            self._halo[cloud.box], self._known = cloud.plane, True
        return self.canvas.codes, self._halo


@accelerated("=u2 u1 u1 u1 int int int int int int")
def add_glow(
    codes: NDArray[np.uint16],
    drawn: Plane,
    cloud: Plane,
    grain: Plane,
    box: tuple[int, int, int],
    columns: int,
    margin: int,
    brightest: int,
) -> None:
    """Add levels of light to codes, (height, columns): those of a canvas with a margin, and of a cloud in a box.

    Of the box are given top, left and width.
    """
    top, left, wide = box
    bright = drawn[margin : len(drawn) - margin, margin : margin + columns].copy()
    bright[top : top + len(cloud), left : left + wide] += cloud
    np.minimum(bright, np.uint8(brightest), out=bright)
    bright += grain
    bright //= np.uint8(SUBLEVELS)
    codes += bright


@cache
def _aging(frames: int) -> tuple[Array, Array]:
    """Width and strength of a ribbon that lasts so many frames, piece by piece, from 1 for the newest on."""
    life = 1.0 - np.arange(frames) / frames
    return exact.powers(life, TAPER), exact.powers(life, FADE)


FULL_STRENGTH = 255  # Strength of what is not faded, as an integer
HUES = 16  # Maximum number of hues
NEAREST = 2047  # Largest nearness, as an integer; 0 is farthest
COVERED = 1 << 15  # Flag of a front that covers at least half of a pixel
HUE_BITS = 32  # A sum holds the thickness above this many bits, and hue times thickness below
SHIFT = 10  # Right shift applied to coverage times strength
TILE = 6
"""A buffer has tiles of two to this power of pixels. The kernel neither looks at nor clears those that stay empty."""

Sums = NDArray[np.uint64]
Front = NDArray[np.uint16]  # COVERED, nearness and hue in one number, so that the maximum is what is seen in front


class FlatBuffer(NamedTuple):
    """Sums and fronts of the pixels of a flat buffer."""

    sums: Sums
    fronts: Front  # empty where hues are averaged
    touched: Coverage  # of each tile whether anything is in it


def front(depth: Array, hue: Integers) -> Front:
    """Nearness and hue of animals at depths from 0, near, to 1, shape (n,)."""
    nearness = np.rint((1.0 - np.minimum(np.maximum(depth, 0.0), 1.0)) * NEAREST).astype(np.uint16)
    return nearness * np.uint16(HUES) + hue.astype(np.uint16)


def whole(strength: Array) -> NDArray[np.uint16]:
    """Strengths from 0 to 1 as integers."""
    return np.rint(strength * FULL_STRENGTH).astype(np.uint16)


class AccumulationBuffer:
    """The animals of one picture.

    Args:
        size: (width, height) of the picture.
        margin: of the buffer round the picture, in pixels.
        nearest: show the hue of the nearest animal instead of the mean.
    """

    def __init__(
        self,
        size: tuple[int, int],
        margin: int,
        *,
        nearest: bool = False,
    ) -> None:
        self._size, self._margin = size, margin
        shape = size[1] + 2 * margin, size[0] + 2 * margin
        self._sums = np.zeros(shape, np.uint64)
        self._front = np.zeros(shape if nearest else (0, 0), np.uint16)
        touched = np.zeros((self._sums.size >> TILE) + 1, np.uint8)
        self.flat = FlatBuffer(self._sums.reshape(-1), self._front.reshape(-1), touched)

    def begin(self) -> None:
        """Start over with nobody."""
        clear_sums(self.flat)

    def stamp(
        self, sprites: Sprites, number: Integers, pixel: Integers, strength: NDArray[np.uint16], front: Front
    ) -> None:
        """Add a sprite at each flat pixel, with a strength and a front for each, shape (n,)."""
        add_sprites(self.flat, sprites.table, number, pixel, strength, front)

    def trace(self, trace: Trace, strength: NDArray[np.uint16], front: Front) -> None:
        """Add lines whose pixels are known, with a strength and a front for each."""
        add_trace(self.flat, trace, strength, front)

    def shade(self, cloud: Cloud, grain: Plane, bodies: Integers) -> None:
        """Add a soft shadow, in parts of SUBLEVELS, below everybody but bodies at some pixels, dithered by a grain."""
        high, wide = cloud.box
        if not cloud.plane.size:
            return
        dark = (cloud.plane + grain[cloud.box]) // np.uint8(SUBLEVELS)
        margin, stride = self._margin, self._sums.shape[1]
        box = slice(high.start + margin, high.stop + margin), slice(wide.start + margin, wide.stop + margin)
        self._sums[box] += dark.astype(np.uint64) << np.uint64(HUE_BITS)
        row, column = np.divmod(bodies, self._size[0])
        self._sums[row + margin, column + margin] = 0
        self.flat.touched[box[0].start * stride >> TILE : (box[0].stop * stride >> TILE) + 1] = 1

    def crop(self, window: Array) -> None:
        """Take away what lies outside a window: left and top, right and bottom, shape (2, 2)."""
        for outside in beyond(window, self._size, self._margin):
            self._sums[outside] = 0


@accelerated("=u8 =u2 =u1")
def clear_sums(buffer: FlatBuffer) -> None:
    """Empty a flat buffer."""
    for plane in buffer:
        plane.fill(0)


@accelerated("=u8 =u2 =u1 i8 i8 i4 u1 i8 i8 u2 u2")
def add_sprites(
    buffer: FlatBuffer,
    table: SpriteTable,
    number: Integers,
    pixel: Integers,
    strength: NDArray[np.uint16],
    front: Front,
) -> None:
    """Add sprites of a table to a flat buffer: numbers, flat pixels, strengths and fronts, shape (n,)."""
    add_trace(buffer, table.trace(number, pixel), strength, front)


@accelerated("=u8 =u2 =u1 i8 i8 u1 u2 u2")
def add_trace(buffer: FlatBuffer, trace: Trace, strength: NDArray[np.uint16], front: Front) -> None:
    """Add the pixels of lines to a flat buffer, with a strength and a front for each of the first lines, or for all."""
    trace = trace.of(trace.line < len(strength))
    before = front[trace.line]
    thickness = (trace.coverage * strength[trace.line] >> np.uint16(SHIFT)).astype(np.uint64)
    weight = (before & np.uint16(HUES - 1)) + np.uint64(1 << HUE_BITS)
    np.add.at(buffer.sums, trace.flat, thickness * weight)
    if len(buffer.fronts):
        np.maximum.at(buffer.fronts, trace.flat, before | (trace.coverage >= 128) * np.uint16(COVERED))


@accelerated("=u2 =u1 u8 u2 u1 u1 u1 int int int int int int int int")
def add_levels(
    codes: NDArray[np.uint16],
    levels: Coverage,
    buffer: FlatBuffer,
    curve: Coverage,
    grain: Coverage,
    box: tuple[int, int, int, int],
    columns: int,
    margin: int,
    hues: int,
    step: int,
) -> None:
    """Add the animals in a box of the picture to its codes, dithered by a grain, and note their levels.

    Levels are `hues` times `step` codes apart, hues `step` codes. The box is top, bottom, left and right. Codes, levels
    and grain have the shape (height, columns), the flat buffer has a margin round that.
    """
    (top, bottom, left, right), stride = box, columns + 2 * margin
    shifted = slice(top + margin, bottom + margin), slice(left + margin, right + margin)
    found = np.ascontiguousarray(buffer.sums.reshape(-1, stride)[shifted]).reshape(-1)
    hue = np.ascontiguousarray(buffer.fronts.reshape(-1, stride)[shifted]).reshape(-1) & np.uint16(HUES - 1)
    somebody = np.flatnonzero(found | hue if len(hue) else found)
    row, column = np.divmod(somebody, right - left)
    place = (row + top) * columns + column + left
    found, dither = found.take(somebody), grain.reshape(-1).take(place)
    thickness = found >> np.uint64(HUE_BITS)
    level = curve.take(thickness.astype(np.intp), mode="clip")
    level += dither
    level //= np.uint8(SUBLEVELS)
    body = level * np.uint16(hues)
    if len(hue):
        body += hue.take(somebody)
    elif hues > 1:
        mean = (found & np.uint64((1 << HUE_BITS) - 1)).astype(np.float32)
        mean /= thickness.astype(np.float32)
        mean += dither * np.float32(0.5 / SUBLEVELS) + np.float32(0.25)
        body += mean.astype(np.uint16)
    body *= np.uint16(step)
    codes.reshape(-1)[place] += body
    levels.reshape(-1)[place] = level
