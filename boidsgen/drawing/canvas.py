"""Surface, canvas, scene and layers: what is drawn on, and the base of all overlays.

A `Surface` is all that painters of the flat look, overlays and contact sheets know of a picture: `Canvas` composites
palette indices of pixels, `vector.VectorCanvas` keeps shapes. Nobody who draws asks which one it is. Places are pixels
from the top left, y downward. The surface is larger than the picture by a margin on each side, so that a shape across
an edge needs no clipping; callers that stamp or write keep within the margin. Of two things in one place the fuller
tone shows, so the drawing order does not matter. Text and predators first clear a rim around themselves down to the
background, so that they stay legible in a crowd.

The picture consists of the stage and, to its right, the panel, which is as wide as PANEL heights of the picture. On the
stage, texts stand beside the world, in rows above and below it or in a column; `renderer.arrange` decides which.

An overlay is a table whose keys appear in [overlay], and draws one thing besides the animals. It is one class, and its
name in `OVERLAYS`, with these methods:
  wanted(setup)                whether to draw it at all; `setup` is the scenario as written, before any event
  draw(surface, scene)         a Backdrop: below the animals, drawn once and again only when the camera or its content
                               has changed
  draw(surface, scene, state)  a Foreground: drawn above the animals with every frame
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import ceil, floor
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.camera import Projection, Viewport
from boidsgen.drawing.colorings import Coloring
from boidsgen.drawing.frame import SIDE, Palette, PaletteIndex, thresholds
from boidsgen.drawing.shapes import (
    SUBPIXELS,
    Hidden,
    Integers,
    Part,
    Placed,
    Sprites,
    SpriteTable,
    Trace,
    clipped,
    quarters,
    strokes,
)
from boidsgen.drawing.text import halo, height, lettering, shaded, width
from boidsgen.drawing.themes import Theme
from boidsgen.kernel.library import accelerated
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.obstacles import Obstacle
from boidsgen.simulation.setup import Setup, State
from boidsgen.tables import Table, attributes

Plane = NDArray[np.uint8]  # Palette indices or coverages, (rows, columns)
Pair = tuple[float, float]  # A place in pixels, or a part of a size: across, down
PixelBox = tuple[slice, slice]  # Rows and columns
EMPTY_BOX = slice(0, 0), slice(0, 0)  # An empty box

Lines: TypeAlias = tuple[NDArray[Any], ...]
"""Straight lines as a surface keeps them: arrays with a row for each part of a line, its number in the first."""

OVERLAY_CODES = 256  # Codes of overlays in the lit look
FAINT = 1  # Level of animals that lines behind them show through, in the lit look
FILL_CELLS = 4  # Cells per pixel along each axis when an area is filled


def joined(boxes: Sequence[PixelBox]) -> PixelBox:
    """The smallest box round those that are not empty."""
    filled = [box for box in boxes if box[0].stop > box[0].start and box[1].stop > box[1].start]
    if not filled:
        return EMPTY_BOX
    rows, columns = (
        slice(min(part.start for part in parts), max(part.stop for part in parts))
        for parts in zip(*filled, strict=True)
    )
    return rows, columns


def beyond(window: Array, size: tuple[int, int], margin: int) -> list[PixelBox]:
    """The parts outside a window, left and top, right and bottom, shape (2, 2), of a picture with a margin."""
    sides = [round(side) for side in window.ravel().tolist()]
    if sides == [0, 0, *size]:
        return []
    left, top, right, bottom = (side + margin for side in sides)
    return [np.s_[:top, :], np.s_[bottom:, :], np.s_[:, :left], np.s_[:, right:]]


class Surface(ABC):
    """A picture in the making.

    Tones say in which ink, and how strong; without a tone a method takes away what is there, down to the ground, which
    is what was drawn before `settle`. `hidden` says of each line or animal which bodies hide it.
    """

    layers: ClassVar[int] = 1
    """Into how many layers discs with depth are sorted, each outlined against those behind it."""

    def __init__(self, size: tuple[int, int], margin: int, inks: Palette) -> None:
        self.size, self.margin, self.inks = size, margin, inks
        self.stride = size[0] + 2 * margin  # flat distance from one row of pixels to the next
        self.bodies: list[Obstacle] = []  # that hide what is behind them

    @classmethod
    def above(cls, picture: "Surface", plate: str) -> "Surface":
        """The surface of text and marks above a lit picture, which are darkened by a plate of this color."""
        del plate
        return picture

    @abstractmethod
    def wipe(self) -> None:
        """Start over with nothing but background."""

    @abstractmethod
    def settle(self) -> None:
        """Make what is drawn so far the ground of the pictures to come."""

    @abstractmethod
    def begin(self) -> None:
        """Start a new picture on the ground."""

    @abstractmethod
    def picture(self) -> Any:  # noqa: ANN401  pixels or shapes
        """The finished picture."""

    @abstractmethod
    def trace(self, start: Array, end: Array, width: float | Array = 1.0) -> Lines:
        """Straight lines that may be drawn several times; starts and ends (n, 2), widths (n,) or one for all."""

    @abstractmethod
    def draw(self, lines: Lines, tone: PaletteIndex | None, hidden: Hidden | None = None) -> None:
        """Draw lines that were traced on this surface; a tone and a row for each."""

    def stroke(self, start: Array, end: Array, tone: PaletteIndex | None, width: float | Array = 1.0) -> None:
        """Draw straight lines; starts and ends (n, 2), tones and widths (n,) or one for all."""
        self.draw(self.trace(start, end, width), tone if tone is None else np.broadcast_to(tone, len(start)))

    def dot(self, middle: Array, tone: PaletteIndex) -> None:
        """Draw single pixels, by their middles (n, 2), each in a tone."""
        self.stroke(middle, middle, tone)

    @abstractmethod
    def fill(self, corner: Array, tone: PaletteIndex, hidden: Hidden | None = None) -> None:
        """Fill a polygon with corners (n, 2); `hidden` is its one row, (bodies + 1,)."""

    def veil(self, corner: Array, tone: PaletteIndex) -> None:
        """Fill a polygon below the animals."""
        self.fill(corner, tone)

    def shade(self, corner: Array, ink: int, strength: float) -> None:
        """Fill a polygon with a part of a smooth shade."""
        self.fill(corner, self.inks.tone(ink, strength))

    @abstractmethod
    def stamp(self, sprites: Sprites, each: Placed, size: float, tone: PaletteIndex | None) -> None:
        """Draw animals so many times as long as usual; tones for all of their group."""

    @abstractmethod
    def write(self, text: str, xy: Pair, tone: PaletteIndex, size: int, anchor: Pair = (0, 0)) -> None:
        """Write one line of text, kept inside the picture.

        Args:
            text: what to write.
            xy: where.
            tone: in what ink.
            size: of the letters, in pixels.
            anchor: which part of the text stands at `xy`: (0, 0) its top left corner, (0.5, 0.5) its middle, (1, 1) ….
        """

    @abstractmethod
    def hide(self, corner: Array, body: Obstacle) -> None:
        """Clear a polygon for a body before those that are there; it hides what is behind it."""

    @abstractmethod
    def blank(self, low: Pair, high: Pair) -> None:
        """Leave nothing but background in a rectangle from (left, top) to (right, bottom)."""

    @abstractmethod
    def crop(self, window: Array) -> None:
        """Bring back the ground outside a window: left and top, right and bottom, shape (2, 2)."""

    def corner(self, text: str, xy: Pair, size: int, anchor: Pair) -> tuple[int, int]:
        """The top left corner of a line of text with its rim; arguments as for `write`."""
        left, top = (
            min(max(round(place - side * part), 1), max(whole - side - 1, 1)) - halo(size)
            for place, side, part, whole in zip(xy, (width(text, size), height(size)), anchor, self.size, strict=True)
        )
        return left, top

    def within(self, start: Array, end: Array, width: float) -> tuple[Array, Array, Integers]:
        """The parts of lines within the margin, and the numbers of the lines that have one."""
        room = self.margin - width - 2
        start, end, inside = clipped(start, end, np.full(2, -room), np.array(self.size) + room)
        kept = inside.nonzero()[0]
        return start[kept], end[kept], kept


class Canvas(Surface):
    """A picture of pixels: palette indices, composited by `max`."""

    layers: ClassVar[int] = 24
    letters = staticmethod(lettering)
    """Coverage of a line of text, and the rim that is cleared below it."""

    def __init__(self, size: tuple[int, int], margin: int, inks: Palette) -> None:
        super().__init__(size, margin, inks)
        self.codes = np.zeros((size[1] + 2 * margin, self.stride), np.uint8)  # of all pixels, with the margin
        self._flat = self.codes.reshape(-1)
        self._ground = self.codes.copy()
        # The number of the body in front at every flat pixel, from 1 on.
        self._cover = np.zeros(0, np.uint16)

    @override
    def wipe(self) -> None:
        self.codes.fill(0)
        self._ground.fill(0)
        self._cover, self.bodies = self._cover[:0], []

    @override
    def settle(self) -> None:
        np.copyto(self._ground, self.codes)

    @override
    def begin(self) -> None:
        np.copyto(self.codes, self._ground)

    @override
    def picture(self) -> Plane:
        """The codes of the finished picture, (height, width), without the margin."""
        margin = self.margin
        columns, rows = self.size
        return np.ascontiguousarray(self.codes[margin : margin + rows, margin : margin + columns])

    @override
    def hide(self, corner: Array, body: Obstacle) -> None:
        area = self._area(corner)
        inside = area.flat[area.coverage > 127]
        self._flat[inside] = 0
        self.bodies.append(body)
        if not len(self._cover):
            self._cover = np.zeros(self._flat.shape, np.uint16)
        self._cover[inside] = len(self.bodies)

    def visible(self, trace: Trace, hidden: Hidden | None) -> Trace:
        """The pixels of lines, or of animals, that no body hides, given a row for each."""
        if hidden is None or not self.bodies:
            return trace
        return trace.of(~hidden[trace.line, self._cover[trace.flat]])

    def points(self, xy: Array) -> Trace:
        """A pixel for each place, (n, 2), or the one next to it on the canvas."""
        near = np.clip(xy, -self.margin, np.array(self.size) + (self.margin - 1))
        return Trace(np.arange(len(xy)), self.pixel(near), np.full(len(xy), 255, np.uint8))

    def sprites(self, sprites: Sprites, number: NDArray[np.intp], xy: Array, hidden: Hidden) -> Trace:
        """The visible pixels of a sprite on each place; n numbers, places (n, 2) and rows."""
        return self.visible(sprites.table.trace(number, self.pixel(xy)), hidden)

    @override
    def trace(self, start: Array, end: Array, width: float | Array = 1.0) -> Trace:
        """The pixels of straight lines in the flat canvas."""
        start, end, kept = self.within(start, end, float(np.max(width, initial=0.0)))
        width = width[kept] if isinstance(width, np.ndarray) else width
        trace = strokes(start, end, width, self.stride, self.margin * (self.stride + 1))
        return trace._replace(line=kept.take(trace.line))

    @override
    def draw(self, lines: Lines, tone: PaletteIndex | None, hidden: Hidden | None = None) -> None:
        trace = self.visible(Trace(*lines), hidden)
        if tone is None:
            self._clear(trace.flat[trace.coverage > 127])
        else:
            draw_trace(self._flat, trace, tone, self.inks.codes)

    @override
    def dot(self, middle: Array, tone: PaletteIndex) -> None:
        inside = ((middle > -self.margin) & (middle < np.array(self.size) + self.margin)).all(axis=1)
        points = self.points(middle[inside] - 0.5)
        draw_trace(self._flat, points, tone[inside], self.inks.codes)

    @override
    def stamp(self, sprites: Sprites, each: Placed, size: float, tone: PaletteIndex | None) -> None:
        number = each.sprites(sprites, size)
        if tone is None:
            self._clear(self.sprites(sprites, number, each.xy, each.hidden).flat)
        elif self.bodies:
            self.draw(self.sprites(sprites, number, each.xy, each.hidden), tone[each.animal])
        else:
            draw_sprites(self._flat, sprites.table, number, self.pixel(each.xy), tone[each.animal], self.inks.codes)

    def _clear(self, flat: Integers) -> None:
        """Bring back the ground at flat pixels."""
        self._flat[flat] = self._ground.reshape(-1)[flat]

    @override
    def blank(self, low: Pair, high: Pair) -> None:
        left, top, right, bottom = (max(round(side) + self.margin, 0) for side in (*low, *high))
        self.codes[top:bottom, left:right] = self.inks.cleared

    @override
    def crop(self, window: Array) -> None:
        for outside in beyond(window, self.size, self.margin):
            self.codes[outside] = self._ground[outside]

    @override
    def fill(self, corner: Array, tone: PaletteIndex, hidden: Hidden | None = None, *details: Part) -> None:
        """Fill a polygon with corners (n, 2), and on it what lies within it, each over those before it."""
        if hidden is not None and self.bodies:
            self.draw(self._area(corner, *details), tone[None], hidden[None])
            return
        left, top, coverage = self._covered(corner, *details)
        region = self._region(left, top, *coverage.shape[::-1])
        np.maximum(region, self._ladder(tone).take(coverage), out=region)

    def _area(self, corner: Array, *details: Part) -> Trace:
        """The pixels of a polygon with corners (n, 2), as of one line."""
        left, top, coverage = self._covered(corner, *details)
        row, column = coverage.nonzero()
        flat = (row + (top + self.margin)) * self.stride + column + (left + self.margin)
        return Trace(np.zeros_like(flat), flat, coverage[row, column])

    def _covered(self, corner: Array, *details: Part) -> tuple[int, int, Plane]:
        """Left and top of a polygon, as far as the canvas reaches, and its coverage from there on."""
        reach = self.margin
        # Plain numbers: what takes the time for a few corners is to call numpy.
        (left, right), (top, bottom) = (
            (min(max(floor(min(along)), -reach), side + reach), min(max(ceil(max(along)), -reach), side + reach))
            for along, side in zip(corner.T.tolist(), self.size, strict=True)
        )
        if left == right or top == bottom:
            return left, top, np.zeros((0, 0), np.uint8)
        parts = (255, corner), *((round(255 * strength), within) for strength, within in details)
        placed = tuple((tone, (part - (left, top)).tobytes()) for tone, part in parts)
        return left, top, _filled(right - left, bottom - top, placed)

    @override
    def write(self, text: str, xy: Pair, tone: PaletteIndex, size: int, anchor: Pair = (0, 0)) -> None:
        coverage, rim = self.letters(text, size)
        left, top = self.corner(text, xy, size, anchor)
        rows, columns = coverage.shape
        region = self._region(left, top, columns, rows)
        ground = self._region(left, top, columns, rows, of=self._ground)
        rim, coverage = rim[: region.shape[0], : region.shape[1]], coverage[: region.shape[0], : region.shape[1]]
        np.copyto(region, np.maximum(ground, np.uint8(self.inks.cleared)), where=rim)
        np.maximum(region, self._ladder(tone).take(coverage), out=region)

    def pixel(self, xy: Array) -> NDArray[np.intp]:
        """The flat pixels of places, shape (n,)."""
        pixel = quarters(xy) // SUBPIXELS + self.margin
        return pixel[:, 1] * self.stride + pixel[:, 0]

    def _ladder(self, tone: PaletteIndex) -> Plane:
        """The codes of a tone by coverage."""
        return self.inks.codes[int(tone) : int(tone) + 256]

    def _region(self, left: int, top: int, columns: int, rows: int, of: Plane | None = None) -> Plane:
        codes = self.codes if of is None else of
        return codes[top + self.margin : top + self.margin + rows, left + self.margin : left + self.margin + columns]


class GlassCanvas(Canvas):
    """A canvas of the lit look, over a scene: letters have soft rims, and only what is drawn covers the scene."""

    letters = staticmethod(shaded)

    def __init__(self, size: tuple[int, int], margin: int, inks: Palette) -> None:
        super().__init__(size, margin, inks)
        self._below = self._ground  # what covers no animals: the ground, and in a picture with veils these

    @override
    def begin(self) -> None:
        super().begin()
        self._below = self._ground

    @override
    def veil(self, corner: Array, tone: PaletteIndex) -> None:
        before = self.codes.copy()
        self.fill(corner, tone)
        self._below = np.where(self.codes == before, self._below, self.codes)

    @override
    def shade(self, corner: Array, ink: int, strength: float) -> None:
        left, top, coverage = self._covered(corner)
        region = self._region(left, top, *coverage.shape[::-1])
        row, column = (np.arange(side) + start for side, start in zip(coverage.shape, (top, left), strict=True))
        # Dithered between levels: the strength of half a level more, less up to a level.
        level = 1 / self.inks.levels
        part = level / (strength + level / 2) * thresholds((SIDE, SIDE))[np.ix_(row % SIDE, column % SIDE)]
        ladder = self._ladder(self.inks.tone(ink, strength + level / 2))
        np.maximum(region, ladder.take((coverage * (1.0 - part)).astype(np.intp)), out=region)

    def planes(self) -> tuple[Plane, Plane, NDArray[np.uint16]]:
        """The codes of all pixels, those that cover no animals, and the body in front: flat, for `add_overlays`."""
        return self._flat, self._below.reshape(-1), self._cover

    def solid(self) -> tuple[Integers, Plane]:
        """The flat pixels of the picture that are within bodies, and their codes on the ground."""
        flat = self._cover.nonzero()[0]
        place = _pictured(flat, self.size[0], self.margin, self.size[1])
        return place[place >= 0], self._ground.reshape(-1)[flat[place >= 0]]


@accelerated("=u1 i8 i8 u1 i8 u1")
def draw_trace(codes: Plane, trace: Trace, tone: PaletteIndex, ladder: Plane) -> None:
    """Put pixels of lines on a flat canvas by `max`: a tone for each line, the code for tone and coverage."""
    np.maximum.at(codes, trace.flat, ladder.take(tone.take(trace.line) + trace.coverage))


@accelerated("=u1 i8 i8 i4 u1 i8 i8 i8 u1")
def draw_sprites(
    codes: Plane, table: SpriteTable, number: Integers, pixel: Integers, tone: PaletteIndex, ladder: Plane
) -> None:
    """Put sprites of a table on a flat canvas by `max`: numbers, flat pixels and tones, shape (n,)."""
    draw_trace(codes, table.trace(number, pixel), tone, ladder)


@accelerated("=u2 u1 u1 u1 u2 i8 int int int int")
def add_overlays(
    codes: NDArray[np.uint16],
    levels: Plane,
    drawn: Plane,
    ground: Plane,
    cover: NDArray[np.uint16],
    coarse: Integers,
    columns: int,
    margin: int,
    step: int,
    first: int,
) -> None:
    """Replace the codes of a picture, (height, columns), where there is more than background on a flat canvas.

    What is on the ground, or a veil, covers no bodies and no animals, whose levels have the same shape. The new code is
    `first` plus OVERLAY_CODES times the coarse tone below plus that of the ink; `step` codes are a tone, `coarse` one
    for each.
    """
    flat = np.asarray(drawn != 0).nonzero()[0]
    place = _pictured(flat, columns, margin, len(codes))
    flat, place = flat[place >= 0], place[place >= 0]
    code, below = drawn[flat], levels.reshape(-1)[place] > FAINT
    if len(cover):
        below |= cover[flat] > 0
    shown = ~below | (code != ground[flat])
    flat_codes, place = codes.reshape(-1), place[shown]
    flat_codes[place] = first + coarse[flat_codes[place] // step] * OVERLAY_CODES + code[shown]


def _pictured(flat: Integers, columns: int, margin: int, rows: int) -> Integers:
    """Flat pixels of a picture without the margin, -1 for what is in the margin."""
    row, column = np.divmod(flat, columns + 2 * margin)
    row -= margin
    column -= margin
    inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
    return np.where(inside, row * columns + column, -1)


@lru_cache(maxsize=256)
def _filled(columns: int, rows: int, parts: tuple[tuple[int, bytes], ...]) -> Plane:
    """Coverage of polygons over each other; many of those that overlays draw are the same in every picture."""
    from PIL import Image, ImageDraw  # noqa: PLC0415  who only checks a scenario must not wait for it

    image = Image.new("L", (columns * FILL_CELLS, rows * FILL_CELLS))
    pen = ImageDraw.Draw(image)
    for tone, corner in parts:
        cells = np.frombuffer(corner).reshape(-1, 2) * FILL_CELLS
        pen.polygon([(x, y) for x, y in cells.tolist()], fill=tone)
    return np.asarray(image.reduce(FILL_CELLS))


PANEL = 2 / 3
"""Width of the panel in heights of the picture, as in a play area of 768 by 480 pixels with a bar of 320 beside it."""

Slot: TypeAlias = Literal["words", "key", "scale", "chart", "numbers"]
"""Place of a text: words at the top left, a key at the top right, a chart below the world, numbers at the bottom
left, a scale at the bottom right; in a column words and key at its top, the others at its bottom."""


class Rectangle(NamedTuple):
    """A rectangle in the picture: its edges, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Rectangle") -> bool:
        """True if the two overlap."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class Room(NamedTuple):
    """Space at the edges of the picture."""

    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0


def flow(sizes: Iterable[tuple[float, float]], wide: float, gap: float) -> list[Rectangle]:
    """Places of things of these sizes from left to right, `gap` apart, in as many rows as a width asks for."""
    places: list[Rectangle] = []
    left = top = bottom = 0.0
    for across, down in sizes:
        if left and left + across > wide:
            left, top = 0.0, bottom
        places.append(Rectangle(left, top, left + across, top + down))
        left, bottom = left + across + gap, max(bottom, top + down)
    return places


class Layout(NamedTuple):
    """The layout of a picture."""

    stage: tuple[int, int]  # (width, height) of the picture without the panel, in pixels
    panel: Rectangle  # the panel below its title, of no width if there is none
    viewport: Viewport  # the part of the stage that shows the world
    text: int  # height of the letters, in pixels
    places: Mapping[str, Rectangle]  # where texts stand, by the names of their layers
    flush: tuple[str, ...] = ()  # those whose lines end at the right of their places
    shore: float = 0.0  # the row where dark water begins in a lit picture that has some, else its height


def widened(stage: tuple[int, int]) -> tuple[int, int]:
    """(width, height) of a picture with this stage and a panel."""
    width, height = stage
    return width + _panel(height), height


def stage_size(size: tuple[int, int]) -> tuple[int, int]:
    """(width, height) of the stage of a picture of this size with a panel; at least half of it."""
    width, height = size
    return width - min(_panel(height), width // 2), height


def _panel(height: int) -> int:
    # An even number of pixels, as some formats want it.
    return 2 * round(PANEL * height / 2)


MIN_STRENGTH = 0.66  # Strength of what is farthest away: so much that it can still be seen, by a test of the themes


class Scene(NamedTuple):
    """The picture at hand."""

    setup: Setup  # the simulation's tables in force
    time: float  # simulated time
    beginning: Setup  # the simulation's tables as the scenario has them, before any event
    projection: Projection  # from world to picture
    part: Array  # (2, d) the lowest and the highest corner of the part of the world that is seen, in world units
    # (2, 2) left and top, right and bottom of the part of the picture outside which nothing in the world is seen, in
    # pixels
    window: Array
    layout: Layout  # what stands where in the picture
    inks: Palette  # the colors of this run
    coloring: Coloring  # what the colors of boids mean
    # By role, what those look like who have a color of their own, in lengths of a body, (k, 2)
    outlines: Mapping[str, Array]
    history: Mapping[str, Array]  # the values of measures that overlays show, (frames,), nan where there is none
    body: float  # length of a boid in the center of the world, in pixels
    pen: float = 1.0  # how much wider thin lines are than usual
    strength: float = 1.0  # of what is drawn, from 0 to 1, while it fades in

    @property
    def text(self) -> int:
        """Height of the letters, in pixels; margins and marks are measured by it too."""
        return self.layout.text

    def place(self, layer: "OverlayLayer") -> Rectangle:
        """Place of the text of a layer."""
        return self.layout.places[type(layer).__name__]

    def tone(self, role: str, strength: Array | float = 1.0) -> PaletteIndex:
        """The ink of a role at a strength from 0 to 1."""
        return self.inks.tone(self.inks.ink(role), strength if self.strength == 1.0 else strength * self.strength)


def strength_at(depth: Array) -> Array:
    """Strength of what is seen at a depth from 0 to 1."""
    return 1.0 - (1.0 - MIN_STRENGTH) * np.asarray(depth)


class OverlayLayer(Table, ABC):
    """One thing drawn besides the animals."""

    roles: ClassVar[tuple[str, ...]] = ()
    """The theme's inks that it draws with."""
    slot: ClassVar[Slot | None] = None
    """Place of its text beside the world; None without such a text."""
    letters: ClassVar[float] = 1.0
    """Height of its letters, in heights of a letter."""
    border: ClassVar[Room] = Room()
    """Space between the world and all else, in heights of a letter."""
    panel: ClassVar[bool] = False
    """True if it needs a panel beside the world."""
    around: ClassVar[bool] = False
    """True if it shows something round the world."""
    glows: ClassVar[bool] = False
    """True if it glows like a trail of predators in the lit look."""

    @property
    def in_world(self) -> bool:
        """True if it shows something in the world, and so is clipped to the world's part of the picture."""
        return not (self.around or self.panel or self.slot)

    def wanted(self, setup: Setup) -> bool:
        """True if it is to be drawn: by default if its own key is set."""
        return getattr(self, next(reversed(attributes(type(self)).values()))) not in {False, None, ""}

    def extent(self, setup: Setup, coloring: Coloring, wide: float, text: int) -> tuple[float, float]:
        """Width and height of that text where it has so much width, with letters of a height; all in pixels."""
        return 0.0, 0.0

    def inks(self, theme: Theme, setup: Setup) -> Mapping[str, str]:
        """Further inks, by roles of its own."""
        return {}

    def measures(self) -> tuple[str, ...]:
        """The measures whose values, frame by frame, it shows."""
        return ()


class Backdrop(OverlayLayer):
    """A layer below the animals that seldom changes."""

    def shows(self, state: State) -> object:
        """The part of the state that it shows: nothing that changes. It is redrawn when this is no longer equal."""
        return None

    @abstractmethod
    def draw(self, surface: Surface, scene: Scene) -> None:
        """Draw it."""


class Foreground(OverlayLayer):
    """A layer above the animals that may change with every frame."""

    def strength(self, frame: float) -> float:
        """Strength from 0 to 1 in a frame: less than 1 while it fades in."""
        return 1.0

    @abstractmethod
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        """Draw it."""
