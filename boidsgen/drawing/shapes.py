"""Strokes, the shapes of boids, and the sprites made of them.

Places are pixels from the top left, y downward; the middle of the first pixel is at (0.5, 0.5). A stroke is a straight
line with round ends, so that the segments of a path join without gaps. It covers a pixel as far as the pixel's middle
lies within its width; all lines of a frame are rasterized in one pass.

`outline()` of a shape is one closed polygon, shape (k, 2), of a body that flies along +x: x forward, y to its left. Its
unit is the body length that the user sets. Its origin is arbitrary: sprites place the middle of the area at the boid's
position. `posed()` moves its wings, or bends it: body, legs and tail of an animal that swims or runs. From DETAILED
pixels on an animal has `parts()`: a curved outline, then fins, ears and eyes in other strengths of its ink.

Sprites are one shape in every size, heading and sub-pixel place, drawn once and then stamped. Each is a list of pixels
with offsets in a flat canvas and coverages from 0 to 255. All of them are concatenated in two long arrays, so that a
whole flock is expanded without a loop; `number` selects a sprite per boid. A kind is a size together with its
foreshortenings; each of its sprites is drawn when the first boid needs it.
"""

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate, groupby, pairwise
from math import ceil
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import override

from boidsgen import exact
from boidsgen.kernel.library import accelerated
from boidsgen.plugins import Family, made_of
from boidsgen.simulation.geometry import Array, circle, length, misfit

Coverage = NDArray[np.uint8]
Integers = NDArray[np.intp]
Hidden = NDArray[np.bool_]
"""Which bodies hide an animal: a row for each, (n, bodies + 1), false in the first column, which stands for no body."""
Short = NDArray[np.float32]  # Half as long as other numbers and twice as fast; good for a thousandth of a pixel


AHEAD = np.array([[1.0, 0.0]], np.float32)  # The way of a line that has none


class Trace(NamedTuple):
    """The pixels of lines."""

    line: Integers  # which line, shape (k,)
    flat: Integers  # which pixel, row times stride plus column, shape (k,)
    coverage: Coverage  # 1 to 255, shape (k,)

    def of(self, which: Integers | NDArray[np.bool_] | slice) -> "Trace":
        """Some of them."""
        return Trace(self.line[which], self.flat[which], self.coverage[which])


def strokes(start: Array, end: Array, thickness: float | Array, stride: int, corner: int) -> Trace:
    """The pixels of straight lines from `start` to `end`, shape (n, 2) each.

    Rows follow each other after `stride` pixels; `corner` is the pixel at (0, 0).
    """
    # Half the thickness of the thickest, and how far from its middle each line, or all of them, ends to cover.
    if isinstance(thickness, np.ndarray):
        each = (thickness / 2).astype(np.float32)
        half, edge = float(each.max(initial=0.0)), each + np.float32(0.5)
    else:
        half, edge = thickness / 2, np.array([thickness / 2 + 0.5], np.float32)
    beside = ceil(1.42 * (half + 0.5) - 0.5)
    # At either end of a line half a pixel of rounding, and one that it only touches.
    steps = int(np.abs(end - start).max(axis=1, initial=0.0).sum()) + len(start) * (ceil(2 * half) + 3)
    room = steps * (2 * beside + 1)
    trace = Trace(np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.uint8))
    return trace.of(slice(cover(trace, start, end, edge, np.array([half], np.float32), beside, stride, corner)))


@accelerated("=i8 =i8 =u1 f8 f8 f4 f4 int int int")
def cover(
    trace: Trace, start: Array, end: Array, edge: Short, half: Short, beside: int, stride: int, corner: int
) -> int:
    """Write the pixels of lines to a trace, in any order, and return their number.

    Args:
        trace: it has room for all pixels.
        start: as for `strokes`.
        end: as for `strokes`.
        edge: (n,) how far from its middle each line ends to cover, or (1,) all of them.
        half: (1,) half the thickness of the thickest.
        beside: pixels to either side to look at.
        stride: as for `strokes`.
        corner: as for `strokes`.
    """
    edge, steep = np.broadcast_to(edge, len(start)), np.abs(end[:, 1] - start[:, 1]) > np.abs(end[:, 0] - start[:, 0])
    # Walk each line along its longer direction: one step a pixel, and a few pixels to either side.
    begin, stop = (np.where(steep[:, None], xy[:, ::-1], xy).astype(np.float32) for xy in (start, end))
    low = np.floor(np.minimum(begin[:, 0], stop[:, 0]) - half).astype(np.intp)
    count = np.floor(np.maximum(begin[:, 0], stop[:, 0]) + half).astype(np.intp) - low + 1
    line = np.arange(len(low)).repeat(count)
    step = np.arange(len(line)) + (low - count.cumsum() + count).repeat(count)
    way = stop - begin
    size = np.sqrt((way * way).sum(axis=1))
    slope = np.divide(way[:, 1], way[:, 0], out=np.zeros(len(way), np.float32), where=way[:, 0] != 0)[line]
    ahead, aside = np.divide(way, size[:, None], out=AHEAD.repeat(len(way), 0), where=size[:, None] > 0)[line].T
    from_x, from_y = begin[line].T
    # The pixel that the line crosses at each step, and how far those beside it lie from the line, (sides, steps).
    x = step.astype(np.float32) + np.float32(0.5) - from_x
    across = np.floor(from_y + x * slope)
    y = across + np.float32(0.5) - from_y
    shift = np.arange(-beside, beside + 1, dtype=np.float32)[:, None]
    along, off = shift * aside + (x * ahead + y * aside), x * aside - y * ahead - shift * ahead
    beyond = np.maximum(np.maximum(-along, along - size[line]), np.float32(0.0))
    full = (edge[line] - np.sqrt(off * off + beyond * beyond)) * 255
    side, covered = (full >= 1).nonzero()
    here, there, line = step[covered], across.astype(np.intp)[covered] + side - beside, line[covered]
    found = slice(len(line))
    trace.line[found], trace.coverage[found] = line, np.minimum(full[side, covered], 255)
    trace.flat[found] = corner + np.where(steep[line], here * stride + there, here + there * stride)
    return len(line)


def clipped(start: Array, end: Array, low: Array, high: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """The parts of the lines within a rectangle, and which lines have such a part (after Liang and Barsky)."""
    if all(((point >= low) & (point <= high)).all() for point in (start, end)):
        return start, end, np.ones(len(start), np.bool_)
    way = end - start
    moving = np.abs(way) > 1e-9
    safe = np.where(moving, way, 1.0)
    enter, leave = (low - start) / safe, (high - start) / safe
    early = np.where(moving, np.minimum(enter, leave), -np.inf).max(axis=1, initial=0.0)
    late = np.where(moving, np.maximum(enter, leave), np.inf).min(axis=1, initial=1.0)
    inside = (moving | ((start >= low) & (start <= high))).all(axis=1) & (early <= late)
    return start + early[:, None] * way, start + late[:, None] * way, inside


FARTHEST = 10.0  # Body lengths that a shape may reach from its middle: what is wider needs pictures of its own


class Shape(ABC):
    """The look of a boid."""

    alike_all_round: ClassVar[bool] = False
    """True if it looks the same from every side, so that flying at the viewer does not shorten it."""
    winged: ClassVar[bool] = False
    """True if it beats its wings, and in the lit look leans into turns."""
    beat: ClassVar[float] = 0.0
    """Beats of its wings or tail in a frame; 0 = a stiff body. One without wings bends into its turns."""
    glides: ClassVar[bool] = False
    """True if its wings rest spread for half of a beat, and go up and down three times in the other half."""
    hunter: ClassVar[str] = "barb"
    """The shape of its predators in the lit look."""

    @abstractmethod
    def outline(self) -> Array:
        """The corners in order, shape (k, 2), body flying along +x, unit: body length."""

    def parts(self) -> Sequence["Part"]:
        """The whole animal where it is large, then what is drawn on it, each over those before it.

        It reaches no further from its middle than the outline. All parts turn the same way round, and each lies within
        the last of those before it that its first corner is in.
        """
        return [Part(1.0, outline_of(self))]

    def posed(self, outline: Array, pose: Array | float) -> Array:
        """An outline, (k, 2), in a pose: a number, or (n, 1) for (n, k, 2).

        With wings the part of the span that is seen; else the bend, from 0, tail to the right, to 1, tail to the left.
        Wings that are not spread are bent: what lies beyond the wrist is swept back.
        """
        x, y = outline.T
        if self.winged or not self.beat:
            swept = SWEEP * self.winged * np.maximum(np.abs(y) - WRIST, 0.0)
            return np.stack((x - swept * (1.0 - pose), y * pose), axis=-1)
        behind = np.maximum(STIFF - x, 0.0)
        # The spine is a parabola, shortened by what goes sideways; across it stands the body.
        slope = 2.0 * MAX_BEND * (2.0 * np.asarray(pose) - 1.0) * behind
        across = y / np.sqrt(1.0 + slope * slope)
        return np.stack((x + slope * slope * behind / 6.0 + slope * across, slope * behind / 2.0 + across), axis=-1)


class Part(NamedTuple):
    """A part of a body that has one strength of its ink."""

    strength: float  # from 0 to 1
    corners: Array  # in order, (k, 2)


DETAILED = (
    24.0  # Pixels that an animal is long or wide, from which on it is curved; long, from which on details are seen
)
WRIST, SWEEP = 0.3, 0.5  # Where wings bend, in body lengths, and how far what is beyond sweeps back, folded
STIFF = 0.15  # Position of the first point that bends, in body lengths ahead of the centroid
MAX_BEND = 0.62
"""Offset of the spine of the most bent body, by the squared length behind its stiff part: half its curvature."""


def body_of(shape: Shape) -> Array:
    """The corners of a shape about the middle of its area, (k, 2)."""
    return centered(outline_of(shape))


def outline_of(shape: Shape) -> Array:
    """The corners of a shape; a package may give them as a list."""
    return np.asarray(shape.outline(), np.float64)


def centered(outline: Array) -> Array:
    """The outline with the middle of its area at the origin, shape (k, 2)."""
    return outline - middle_of(outline)


def middle_of(outline: Array) -> Array:
    """The middle of the area of an outline, (2,)."""
    following = np.roll(outline, -1, axis=0)
    cross = outline[:, 0] * following[:, 1] - following[:, 0] * outline[:, 1]
    middle: Array = ((outline + following) * cross[:, None]).sum(axis=0) / (3 * cross.sum())
    return middle


def detailed_from(shape: Shape) -> tuple[float, ...]:
    """Pixels of a length of a body from which on a shape is curved, and has details; nothing where it has no parts."""
    if type(shape).parts is Shape.parts:
        return ()
    long, wide = np.ptp(outline_of(shape), axis=0).tolist()
    return DETAILED / max(long, wide), DETAILED / long


def parts_of(shape: Shape, pixels: float) -> list[Part]:
    """The parts drawn of a shape where the length of a body is so many pixels, about the middle of the area."""
    seen = sum(pixels >= least for least in detailed_from(shape))
    if not seen:
        return [Part(1.0, body_of(shape))]
    parts = shape.parts()
    middle = middle_of(parts[0].corners)
    return [Part(strength, corners - middle) for strength, corners in parts[: 1 if seen == 1 else None]]


def contours(parts: Sequence[Part]) -> list[tuple[float, list[tuple[int, int]]]]:
    """Each strength of the parts, the faintest first, and the numbers of those that bound what is at least as strong.

    With each number comes the way round, -1 for a hole, so that the outlines fill a path by the nonzero rule, those of
    several animals too.
    """
    lies_in = [
        next((below for below in reversed(parts[:number]) if encloses(below.corners, part.corners[0])), None)
        for number, part in enumerate(parts)
    ]
    return [
        (
            strength,
            [
                (number, 1 if part.strength >= strength else -1)
                for number, (part, below) in enumerate(zip(parts, lies_in, strict=True))
                if (part.strength >= strength) != (below is not None and below.strength >= strength)
            ],
        )
        for strength in sorted({part.strength for part in parts})
    ]


def encloses(outline: Array, point: Array) -> bool:
    """True if a point lies within an outline: a ray from it crosses an odd number of sides."""
    (x, y), (u, v) = outline.T, np.roll(outline, -1, axis=0).T
    level = (y > point[1]) != (v > point[1])
    across = x[level] + (point[1] - y[level]) * (u[level] - x[level]) / (v[level] - y[level])
    return bool(np.count_nonzero(across > point[0]) % 2)


CURVED = 4  # Sides between two points of a curve


def curved(points: Sequence[Sequence[float]]) -> Array:
    """The closed curve through points (x, y), sharp at (x, y, 1), as corners, (CURVED * k, 2).

    After E. Catmull and R. Rom, A class of local interpolating splines, 1974, with the square roots of distances as
    its parameter, so that it makes no loops.
    """
    start, sharp = np.array([point[:2] for point in points]), np.array([len(point) == 3 for point in points])
    end, ends_sharp = np.roll(start, -1, axis=0), np.roll(sharp, -1)
    step = np.sqrt(length(end - start))[:, None]
    speed = (end - start) / step
    before, step_before = np.roll(speed, 1, axis=0), np.roll(step, 1, axis=0)
    slope = (before * step + speed * step_before) / (step + step_before)
    leaving = step * np.where(sharp[:, None], speed, slope)
    arriving = step * np.where(ends_sharp[:, None], speed, np.roll(slope, -1, axis=0))
    t = (np.arange(CURVED) / CURVED)[:, None]
    rest, way = 1.0 - t, (end - start)[:, None]
    own = start[:, None] + t * t * (3.0 - 2.0 * t) * way
    return (own + t * rest * (rest * leaving[:, None] - t * arriving[:, None])).reshape(-1, 2)


class Dot(Shape):
    """A disc, as wide as half a body length: it shows where a boid is, not which way it flies."""

    alike_all_round: ClassVar[bool] = True

    @override
    def outline(self) -> Array:
        return 0.25 * circle(48)


def _shape(table: dict[str, Any]) -> type[Shape]:
    """A shape of `shapes.toml`."""
    scale, parts = table.pop("scale", 1.0), table.pop("parts", [])
    left = scale * np.array(table.pop("left", [(0.0, 0.0)]))
    corners = np.array(table.pop("outline", None) or np.vstack((left, left[::-1] * np.array([1.0, -1.0]))))
    large = {
        "parts": cache(
            lambda _: [Part(each.strength, scale * each.corners) for part in parts for each in _parts(**part)]
        )
    }
    return type("Outlined", (Shape,), {"outline": lambda _: corners, **(large if parts else {}), **table})


def _parts(
    strength: float = 1.0,
    left: Sequence[Sequence[float]] = (),
    pair: Sequence[Sequence[float]] = (),
    discs: Sequence[float] = (),
) -> list[Part]:
    """The parts of a table of `shapes.toml`: one whose left side is given, or one on the left and its mirror image."""
    if left:
        right = [[x, -y, *sharp] for x, y, *sharp in reversed(left) if y]
        return [Part(strength, curved([*left, *right]))]
    own = discs[2] * circle(16) + np.array(discs[:2]) if discs else curved(pair)
    return [Part(strength, own), Part(strength, own[::-1] * np.array([1.0, -1.0]))]


_TABLES = tomllib.loads(files("boidsgen.drawing").joinpath("shapes.toml").read_text(encoding="utf-8"))
_OWN = {name: Dot if name == "dot" else _shape(_TABLES[name]) for name in sorted([*_TABLES, "dot"])}


def _fault(name: str, kind: object) -> str:
    if not made_of(kind, Shape):
        return "is not a class made of Shape with a method `outline`"
    if kind.hunter not in {name, *_OWN}:
        return f"has the hunter {kind.hunter!r}, which is no shape; use one of {', '.join(_OWN)}, or {name}"
    given = kind().outline()
    if (wrong := misfit(given, (None, 2))) or len(given) < 3:
        return f"has no outline of at least three corners, shape (k, 2), but {wrong or len(given)}"
    with np.errstate(all="ignore"):  # an outline that encloses nothing has no middle
        farthest = float(np.nan_to_num(length(centered(np.asarray(given, np.float64))), nan=np.inf).max())
    return "" if farthest <= FARTHEST else f"has an outline that encloses nothing, or reaches over {FARTHEST:g} lengths"


SHAPES: Mapping[str, type[Shape]] = Family("shapes", _OWN, _fault)
"""All members by the names that scenarios use, those of installed packages last."""


HEADINGS = 64
QUARTER = HEADINGS // 4
SUBPIXELS = 4  # Places per pixel along each axis
OVERSAMPLED = 16  # Cells per pixel along each axis; a multiple of SUBPIXELS
PARTS = 2048  # Steps of tables by which sizes and foreshortenings are found
PER_KIND = HEADINGS * SUBPIXELS * SUBPIXELS
SINE, COSINE = (of(2 * np.pi * np.arange(QUARTER) / HEADINGS) for of in (exact.sine, exact.cosine))
"""Of the headings of the first quarter."""


class Variety(NamedTuple):
    """The sizes and forms in which a shape is drawn."""

    growth: float  # ratio between neighboring sizes
    shrinking: int  # how many sizes there are below the plain one
    lengths: tuple[float, ...]  # apparent lengths of a body seen more and more from the side
    poses: tuple[float, ...] = (1.0,)  # of wings or tails, as in `Shape.posed`

    @property
    def forms(self) -> int:
        """Number of sprites of each size, heading and place."""
        return len(self.lengths) * len(self.poses)

    def growing(self, largest: float) -> int:
        """Number of sizes above the plain one, given the largest relative length."""
        step = 0
        while self.grown(step) < largest:
            step += 1
        return step

    def grown(self, step: ArrayLike) -> Array:
        """Relative length of a size that lies some steps above the plain one."""
        power = exact.whole_power(self.growth, np.abs(step))
        return np.where(np.less(step, 0), 1.0 / power, power)


FEW = Variety(1.15, 12, (0.45, 0.7, 1.0))  # For the flat look
FLAPPING = FEW._replace(poses=(0.4, 0.6, 0.76, 0.88, 1.0))  # For birds in the flat look
BENDING = FEW._replace(poses=tuple(part / 6 for part in range(7)))  # For bodies that bend in the flat look
MANY = Variety(1.06, 30, (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0))  # For the lit look: no step is seen
WINGED = Variety(1.12, 16, (0.2, 0.36, 0.52, 0.68, 0.84, 1.0), (0.2, 0.36, 0.52, 0.68, 0.84, 1.0))
"""For birds in the lit look, of which one sees all sides."""
SWIMMING = WINGED._replace(poses=BENDING.poses)  # For bodies that bend in the lit look


def variety_of(shape: Shape, *, lit: bool = False) -> Variety:
    """The sizes and forms of a shape in a look."""
    if shape.winged:
        return WINGED if lit else FLAPPING
    if shape.beat:
        return SWIMMING if lit else BENDING
    return MANY if lit else FEW


class SpriteTable(NamedTuple):
    """The pixels of all sprites of one shape, one sprite behind the other."""

    first: Integers  # (sprites,) where the pixels of each begin
    counts: Integers  # (sprites,) how many they are
    offset: NDArray[np.int32]  # (pixels,) places from the boid's own pixel in a flat canvas
    coverage: Coverage  # (pixels,) 1 to 255

    def trace(self, number: Integers, pixel: Integers) -> Trace:
        """The pixels of sprites, (n,), each on a flat pixel of a canvas, (n,), and each like a line."""
        size = self.counts[number]
        which = np.repeat(np.arange(len(number)), size)
        ahead = self.first[number] - (np.cumsum(size) - size)
        entry = np.arange(len(which)) + ahead.repeat(size)
        return Trace(which, pixel.take(which) + self.offset.take(entry), self.coverage.take(entry))


class Sprites:
    """The sprites of one shape for canvases of one width."""

    faintest: ClassVar[int] = 1
    """The least coverage that is drawn."""

    def __init__(self, shape: Shape, plain: float, largest: float, stride: int, variety: Variety = FEW) -> None:
        self._shape, self.plain = shape, plain
        self._stride = stride
        self.variety = variety
        self.between = variety.grown(np.arange(-variety.shrinking, variety.growing(largest))) * np.sqrt(variety.growth)
        # The borders between lengths, and between poses.
        self.longer, self.higher = (
            np.array([(low + high) / 2 for low, high in pairwise(steps)]) for steps in (variety.lengths, variety.poses)
        )
        self.always_long = shape.alike_all_round
        kinds = (len(self.between) + 1) * variety.forms
        self.drawn = np.zeros(kinds * PER_KIND, bool)  # (sprites,) which there are already
        first, counts = (np.zeros(kinds * PER_KIND, np.intp) for _ in range(2))
        self._bodies: dict[int, list[Part]] = {}  # by kinds
        self._squares: dict[int, Coverage] = {}  # these at headings of the first quarter, as by `first_quarter`
        self._room = np.empty(0, np.int32), np.empty(0, np.uint8)  # Of the pixels, with more behind them
        self.table = SpriteTable(first, counts, *self._room)

    def number(self, xy: Array, heading: Array, size: Array, apparent: Array, pose: Array | float = 1.0) -> Integers:
        """The sprite for each boid, shape (n,).

        Args:
            xy: (n, 2) pixels.
            heading: (n,) radians on the screen, counterclockwise from the right.
            size: (n,) relative to the plain length.
            apparent: (n,) 0 to 1, how much of its length a boid shows.
            pose: (n,) 0 to 1, of its wings or tail.
        """
        kind, fine = self._kind(size, apparent, pose), quarters(xy) % SUBPIXELS
        turn = np.rint(heading * (HEADINGS / (2 * np.pi))).astype(np.intp) % HEADINGS
        number: Integers = ((kind * HEADINGS + turn) * SUBPIXELS + fine[:, 1]) * SUBPIXELS + fine[:, 0]
        if len(new := number[~self.drawn.take(number)]):
            self.draw(np.unique(new))
        return number

    def outlines(self, each: "Placed", size: float) -> Iterator[tuple[Integers, list[Part]]]:
        """The rows of animals that have the same parts, so many times as large as usual, and these, (n, k, 2) each."""
        levels = 0.0, *detailed_from(self._shape)
        reached = np.searchsorted(levels, self.plain * size * each.scale, side="right") - 1
        for level, pixels in enumerate(levels):
            if len(rows := np.flatnonzero(reached == level)):
                wide, heading = size * each.scale[rows, None], each.heading[rows, None]
                long = wide if self.always_long else wide * each.apparent[rows, None]
                pose = np.broadcast_to(each.pose, reached.shape)[rows, None]
                cosine, sine = exact.cosine(heading), exact.sine(heading)
                parts = []
                for strength, corners in parts_of(self._shape, pixels):
                    body = self.plain * self._shape.posed(corners, pose)
                    ahead, aside = body[..., 0] * long, body[..., 1] * wide
                    turned = np.stack((ahead * cosine - aside * sine, -ahead * sine - aside * cosine), axis=-1)
                    parts.append(Part(strength, each.xy[rows, None] + turned))
                yield rows, parts

    def _kind(self, size: Array, apparent: Array, pose: Array | float) -> Integers:
        slimness = self.longer.searchsorted(apparent, side="right") if not self.always_long else len(self.longer)
        raised = self.higher.searchsorted(pose, side="right")
        number = self.between.searchsorted(size)
        return (number * len(self.variety.lengths) + slimness) * len(self.variety.poses) + raised

    def draw(self, new: Integers) -> None:
        """Append sprites that there are none of yet."""
        heading = new // SUBPIXELS**2
        numbers, which = np.unique(heading // HEADINGS * QUARTER + heading % QUARTER, return_inverse=True)
        lacking = [number for number in numbers.tolist() if number not in self._squares]
        for kind, several in groupby(lacking, lambda number: number // QUARTER):
            here = [*several]
            drawn = first_quarter(self._body(kind), [number % QUARTER for number in here])
            self._squares |= dict(zip(here, drawn, strict=True))
        squares = [self._squares[number] for number in numbers.tolist()]
        side = np.array([len(each) for each in squares])
        begin, used = np.cumsum(side * side) - side * side, len(self.table.offset)
        most = used + int(((side // SUBPIXELS - 1) ** 2)[which].sum())
        if most > len(self._room[1]):
            self._room = np.empty(2 * most, np.int32), np.empty(2 * most, np.uint8)
            self._room[0][:used], self._room[1][:used] = self.table.offset, self.table.coverage
        places = np.concatenate([each.reshape(-1) for each in squares]), begin[which], side[which]
        room = SpriteTable(self.table.first, self.table.counts, *self._room)
        used = cut(room, new, *places, used, self._stride, self.faintest)
        self.table = room._replace(offset=room.offset[:used], coverage=room.coverage[:used])
        self.drawn[new] = True

    def _body(self, kind: int) -> list[Part]:
        """The parts of a kind."""
        if kind not in self._bodies:
            (size, form), variety = divmod(kind, self.variety.forms), self.variety
            slimness, raised = divmod(form, len(variety.poses))
            long = self.plain * float(variety.grown(size - variety.shrinking))
            size_of, pose = long * np.array([variety.lengths[slimness], 1.0]), variety.poses[raised]
            self._bodies[kind] = [
                part._replace(corners=self._shape.posed(part.corners, pose) * size_of)
                for part in parts_of(self._shape, long)
            ]
        return self._bodies[kind]


class Placed(NamedTuple):
    """Animals in the picture, copies beyond the edges included."""

    animal: Integers  # (k,) whose it is
    xy: Array  # (k, 2) where
    heading: Array  # (k,) radians, counterclockwise from the right
    scale: Array  # (k,) how large it is seen, 1 in the center of the world
    apparent: Array  # (k,) the part of its length that is seen
    pose: Array | float = 1.0  # (k,) of its wings or tail, 0 to 1, as in `Shape.posed`
    hidden: Hidden = np.zeros((0, 1), np.bool_)  # (k, bodies + 1) which bodies hide it

    def of(self, rows: Integers) -> "Placed":
        """Some of them."""
        pose = self.pose if isinstance(self.pose, float) else self.pose[rows]
        place = self.xy[rows], self.heading[rows], self.scale[rows], self.apparent[rows]
        return Placed(self.animal[rows], *place, pose, self.hidden[rows])

    def sprites(self, table: Sprites, size: float = 1.0) -> Integers:
        """The sprite of each, for bodies so many times as long as usual."""
        return table.number(self.xy, self.heading, size * self.scale, self.apparent, self.pose)


class QuickSprites(Sprites):
    """Sprites that are found by tables, in steps whose borders nobody sees; their faintest pixels are left out."""

    faintest: ClassVar[int] = 12

    def __init__(self, shape: Shape, plain: float, largest: float, stride: int, variety: Variety = FEW) -> None:
        super().__init__(shape, plain, largest, stride, variety)
        part = np.arange(PARTS + 1) / PARTS
        self._slim = np.digitize(part, self.longer) * len(variety.poses)
        self._raised = np.digitize(part, self.higher)
        if self.always_long:
            self._slim[:] = (len(variety.lengths) - 1) * len(variety.poses)
        largest_size = float(variety.grown(len(self.between) - variety.shrinking))
        self._per_size = PARTS / largest_size
        self._sized = np.searchsorted(self.between, np.arange(PARTS + 1) / self._per_size) * variety.forms

    @override
    def _kind(self, size: Array, apparent: Array, pose: Array | float) -> Integers:
        kind: Integers = self._sized.take((size * self._per_size).astype(np.intp), mode="clip")
        kind += self._slim.take((apparent * PARTS).astype(np.intp), mode="clip")
        kind += self._raised.take((np.asarray(pose) * PARTS).astype(np.intp), mode="clip")
        return kind


def reach(shape: Shape, plain: float, largest: float, variety: Variety = FEW) -> int:
    """No sprite of this shape and plain length reaches further from its boid, in pixels."""
    body = body_of(shape)
    farthest = max(float(length(shape.posed(body, pose)).max()) for pose in variety.poses)
    return int(np.ceil(farthest * plain * variety.grown(variety.growing(largest)))) + 2


def quarters(xy: Array) -> Integers:
    """Places in whole fractions 1/SUBPIXELS of a pixel, shape (n, 2)."""
    return np.rint(xy * SUBPIXELS).astype(np.intp)


def first_quarter(parts: Sequence[Part], headings: Sequence[int] = range(QUARTER)) -> Coverage:
    """Coverage of squares SUBPIXELS to the pixel, 0 to 255, by parts of a body at headings of the first quarter.

    Shape (headings, squares, squares), the boid in the middle, with one more pixel on each axis, so that the body can
    be shifted.
    """
    from PIL import Image, ImageDraw  # noqa: PLC0415  who only checks a scenario must not wait for it

    corners, here = np.concatenate([part.corners for part in parts]), [*headings]
    half = int(np.ceil(length(corners).max())) + 1
    side, (ahead, aside) = (2 * half + 2) * OVERSAMPLED, corners.T
    sine, cosine = SINE[here, None], COSINE[here, None]
    # y downward as on the screen, (headings, k, 2).
    turned = np.stack((ahead * cosine - aside * sine, -ahead * sine - aside * cosine), axis=-1)
    ends = [0, *accumulate(part.corners.size for part in parts)]
    image, squares = Image.new("L", (side, side)), []
    pen = ImageDraw.Draw(image)
    for outline in ((turned + half + 1) * OVERSAMPLED).reshape(len(here), -1).tolist():
        image.paste(0, (0, 0, side, side))
        for part, (begin, end) in zip(parts, pairwise(ends), strict=True):
            pen.polygon(outline[begin:end], fill=round(255 * part.strength))
        squares.append(np.frombuffer(image.reduce(OVERSAMPLED // SUBPIXELS).tobytes(), np.uint8))
    return np.stack(squares).reshape(len(here), (2 * half + 2) * SUBPIXELS, -1)


@accelerated("=i8 =i8 =i4 =u1 i8 u1 i8 i8 int int int")
def cut(
    table: SpriteTable,
    sprite: Integers,
    squares: Coverage,
    begin: Integers,
    side: Integers,
    used: int,
    stride: int,
    faintest: int,
) -> int:
    """Write the pixels of sprites behind those that there are, and return their number with these.

    Args:
        table: with room for all of them.
        sprite: the numbers, (n,).
        squares: bodies at headings of the first quarter, as by `first_quarter`, flat, one behind the other.
        begin: where among the squares the body of each sprite begins, (n,).
        side: squares along its side, (n,).
        used: how many pixels there are.
        stride: from one row of the canvas to the next.
        faintest: the least coverage.
    """
    for number, first, wide in zip(sprite.tolist(), begin.tolist(), side.tolist(), strict=True):
        heading, place = divmod(number, SUBPIXELS**2)
        body = squares[first : first + wide * wide].reshape(wide, wide)
        coverage = mask(np.rot90(body, heading % HEADINGS // QUARTER), place)
        row, column = np.nonzero(coverage >= faintest)
        here, middle = slice(used, used + len(row)), len(coverage) // 2
        table.offset[here], table.coverage[here] = (row - middle) * stride + column - middle, coverage[row, column]
        table.first[number], table.counts[number] = used, len(row)
        used += len(row)
    return used


def mask(squares: Coverage, place: int) -> Coverage:
    """Coverage of the pixels of a body at a sub-pixel place, by that of squares; the boid in the middle of both."""
    down, across = (SUBPIXELS - ahead for ahead in divmod(place, SUBPIXELS))
    side = len(squares) - SUBPIXELS
    cells = squares[down : down + side, across : across + side].reshape(2 * [side // SUBPIXELS, SUBPIXELS])
    return (cells.sum(axis=(1, 3)) // SUBPIXELS**2).astype(np.uint8)
