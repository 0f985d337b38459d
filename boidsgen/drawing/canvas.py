"""Canvas: where codes of ink are put together.

Places are pixels from the top left, y downward. The canvas is larger than the picture by a margin on each side, so
that what crosses an edge needs no clipping; whoever stamps or writes keeps within the margin. Everything but text lays
codes over each other by `max`, so the order of drawing does not matter. Text and predators first clear a rim around
themselves down to the ground: what has to be read is never lost in a crowd.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.frame import Palette, PaletteIndex
from boidsgen.drawing.quantization import SIDE, thresholds
from boidsgen.drawing.shapes import SUBPIXELS, Sprites, SpriteTable, quarters
from boidsgen.drawing.strokes import Integers, Trace, clipped, strokes
from boidsgen.drawing.text import halo, height, lettering, shaded, width
from boidsgen.kernel.library import accelerated
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.world import Obstacle

Plane = NDArray[np.uint8]  # Palette indices or coverages, (rows, columns)
PixelBox = tuple[slice, slice]  # Rows and columns

Hidden = NDArray[np.bool_]
"""Which bodies hide an animal: a row for each, (n, bodies + 1), false in the first column, which stands for no body."""
NOTHING = slice(0, 0), slice(0, 0)  # An empty box

OVERLAYS = 256  # Codes of overlays in the lit look
FAINT = 1  # Level of animals that lines behind them show through, in the lit look
SMOOTH = 4  # Cells per pixel along each axis when an area is filled


def joined(boxes: Sequence[PixelBox]) -> PixelBox:
    """The smallest box round those that are not empty."""
    filled = [box for box in boxes if box[0].stop > box[0].start and box[1].stop > box[1].start]
    if not filled:
        return NOTHING
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


class Canvas:
    """A picture in the making."""

    letters = staticmethod(lettering)
    """Coverage of a line of text, and the rim that is cleared below it."""

    def __init__(self, size: tuple[int, int], margin: int, inks: Palette) -> None:
        self._size = size
        self.margin = margin
        self._inks = inks
        self.stride = size[0] + 2 * margin  # flat distance from one row to the next
        self.codes = np.zeros((size[1] + 2 * margin, self.stride), np.uint8)  # of all pixels, with the margin
        self._flat = self.codes.reshape(-1)
        self._ground = self.codes.copy()
        # The number of the body in front at every flat pixel, from 1 on.
        self._cover = np.zeros(0, np.uint16)
        self.bodies: list[Obstacle] = []

    def wipe(self) -> None:
        """Start over with nothing but background."""
        self.codes.fill(0)
        self._ground.fill(0)
        self._cover, self.bodies = self._cover[:0], []

    def settle(self) -> None:
        """Make what is drawn so far the ground of the pictures to come."""
        np.copyto(self._ground, self.codes)

    def begin(self) -> None:
        """Start a new picture on the ground."""
        np.copyto(self.codes, self._ground)

    def picture(self) -> Plane:
        """The finished picture, (height, width), without the margin."""
        margin = self.margin
        columns, rows = self._size
        return np.ascontiguousarray(self.codes[margin : margin + rows, margin : margin + columns])

    def cover(self, corner: Array, body: Obstacle) -> None:
        """Clear a polygon for a body before those that are there; it hides what is behind it."""
        area = self.area(corner)
        inside = area.flat[area.coverage > 127]
        self._flat[inside] = 0
        self.bodies.append(body)
        if not len(self._cover):
            self._cover = np.zeros(self._flat.shape, np.uint16)
        self._cover[inside] = len(self.bodies)

    def visible(self, trace: Trace, hidden: Hidden) -> Trace:
        """The pixels of lines, or of animals, that no body hides, given a row for each."""
        return trace.of(~hidden[trace.line, self._cover[trace.flat]]) if self.bodies else trace

    def points(self, xy: Array) -> Trace:
        """A pixel for each place, (n, 2), or the one next to it on the canvas."""
        near = np.clip(xy, -self.margin, np.array(self._size) + (self.margin - 1))
        return Trace(np.arange(len(xy)), self.pixel(near), np.full(len(xy), 255, np.uint8))

    def sprites(self, sprites: Sprites, number: NDArray[np.intp], xy: Array, hidden: Hidden) -> Trace:
        """The visible pixels of a sprite on each place; n numbers, places (n, 2) and rows."""
        return self.visible(sprites.table.trace(number, self.pixel(xy)), hidden)

    def clear(self, trace: Trace) -> None:
        """Bring back the ground under sprites whose pixels are known."""
        self._flat[trace.flat] = self._ground.reshape(-1)[trace.flat]

    def trace(self, start: Array, end: Array, thickness: float | Array = 1.0) -> Trace:
        """The pixels of straight lines in the flat canvas; starts and ends (n, 2), one thickness or one for each."""
        room = self.margin - float(np.max(thickness, initial=0.0)) - 2
        start, end, inside = clipped(start, end, np.full(2, -room), np.array(self._size) + room)
        kept = inside.nonzero()[0]
        thickness = thickness[kept] if isinstance(thickness, np.ndarray) else thickness
        trace = strokes(start[kept], end[kept], thickness, self.stride, self.margin * (self.stride + 1))
        return trace._replace(line=kept.take(trace.line))

    def draw(self, trace: Trace, tone: PaletteIndex) -> None:
        """Draw lines whose pixels are known; one tone per line."""
        draw_trace(self._flat, trace, tone, self._inks.codes)

    def stamp(self, sprites: Sprites, number: Integers, xy: Array, hidden: Hidden, tone: PaletteIndex) -> None:
        """Draw the visible pixels of a sprite on each place; n numbers, places (n, 2), rows and tones."""
        if self.bodies:
            self.draw(self.sprites(sprites, number, xy, hidden), tone)
        else:
            draw_sprites(self._flat, sprites.table, number, self.pixel(xy), tone, self._inks.codes)

    def erase(self, trace: Trace) -> None:
        """Bring back the ground under lines whose pixels are known."""
        self.clear(trace.of(trace.coverage > 127))

    def blank(self, low: tuple[float, float], high: tuple[float, float]) -> None:
        """Leave nothing but background in a rectangle from (left, top) to (right, bottom)."""
        left, top, right, bottom = (max(round(side) + self.margin, 0) for side in (*low, *high))
        self.codes[top:bottom, left:right] = self._inks.cleared

    def crop(self, window: Array) -> None:
        """Bring back the ground outside a window: left and top, right and bottom, shape (2, 2)."""
        for outside in beyond(window, self._size, self.margin):
            self.codes[outside] = self._ground[outside]

    def lines(self, start: Array, end: Array, tone: PaletteIndex, thickness: float = 1.0) -> None:
        """Draw straight lines; starts and ends (n, 2), tones (n,) or one for all."""
        self.draw(self.trace(start, end, thickness), np.broadcast_to(tone, len(start)))

    def path(self, point: Array, tone: PaletteIndex, thickness: float = 1.0) -> None:
        """Draw lines from point to point, shape (n, 2); repeat the first point at the end to close the path."""
        self.lines(point[:-1], point[1:], tone, thickness)

    def fill(self, corner: Array, tone: PaletteIndex) -> None:
        """Fill a polygon with corners (n, 2)."""
        left, top, coverage = self._covered(corner)
        region = self._region(left, top, *coverage.shape[::-1])
        np.maximum(region, self._ladder(tone).take(coverage), out=region)

    def shade(self, corner: Array, ink: int, strength: float) -> None:
        """Fill a polygon with a part of a smooth shade."""
        self.fill(corner, self._inks.tone(ink, strength))

    def area(self, corner: Array) -> Trace:
        """The pixels of a polygon with corners (n, 2), as of one line."""
        left, top, coverage = self._covered(corner)
        row, column = coverage.nonzero()
        flat = (row + (top + self.margin)) * self.stride + column + (left + self.margin)
        return Trace(np.zeros_like(flat), flat, coverage[row, column])

    def _covered(self, corner: Array) -> tuple[int, int, Plane]:
        """Left and top of a polygon, as far as the canvas reaches, and its coverage from there on."""
        reach = self.margin
        # Plain numbers: what takes the time for a few corners is to call numpy.
        (left, right), (top, bottom) = (
            (min(max(floor(min(along)), -reach), side + reach), min(max(ceil(max(along)), -reach), side + reach))
            for along, side in zip(corner.T.tolist(), self._size, strict=True)
        )
        if left == right or top == bottom:
            return left, top, np.zeros((0, 0), np.uint8)
        return left, top, _filled(right - left, bottom - top, (corner - (left, top)).tobytes())

    def write(
        self, text: str, xy: tuple[float, float], tone: PaletteIndex, size: int, anchor: tuple[float, float] = (0, 0)
    ) -> None:
        """Write one line of text, kept inside the picture.

        Args:
            text: what to write.
            xy: where.
            tone: in what ink.
            size: of the letters, in pixels.
            anchor: which part of the text stands at `xy`: (0, 0) its top left corner, (0.5, 0.5) its middle, (1, 1) ….
        """
        coverage, rim = self.letters(text, size)
        left, top = self.corner(text, xy, size, anchor)
        rows, columns = coverage.shape
        region = self._region(left, top, columns, rows)
        ground = self._region(left, top, columns, rows, of=self._ground)
        rim, coverage = rim[: region.shape[0], : region.shape[1]], coverage[: region.shape[0], : region.shape[1]]
        np.copyto(region, np.maximum(ground, np.uint8(self._inks.cleared)), where=rim)
        np.maximum(region, self._ladder(tone).take(coverage), out=region)

    def corner(self, text: str, xy: tuple[float, float], size: int, anchor: tuple[float, float]) -> tuple[int, int]:
        """The top left corner of a line of text with its rim; arguments as for `write`."""
        left, top = (
            min(max(round(place - side * part), 1), max(whole - side - 1, 1)) - halo(size)
            for place, side, part, whole in zip(xy, (width(text, size), height(size)), anchor, self._size, strict=True)
        )
        return left, top

    def pixel(self, xy: Array) -> NDArray[np.intp]:
        """The flat pixels of places, shape (n,)."""
        pixel = quarters(xy) // SUBPIXELS + self.margin
        return pixel[:, 1] * self.stride + pixel[:, 0]

    def _ladder(self, tone: PaletteIndex) -> Plane:
        """The codes of a tone by coverage."""
        return self._inks.codes[int(tone) : int(tone) + 256]

    def _region(self, left: int, top: int, columns: int, rows: int, of: Plane | None = None) -> Plane:
        codes = self.codes if of is None else of
        return codes[top + self.margin : top + self.margin + rows, left + self.margin : left + self.margin + columns]


class GlassCanvas(Canvas):
    """A canvas of the lit look, over a scene: letters have soft rims, and only what is drawn covers the scene."""

    letters = staticmethod(shaded)

    @override
    def shade(self, corner: Array, ink: int, strength: float) -> None:
        left, top, coverage = self._covered(corner)
        region = self._region(left, top, *coverage.shape[::-1])
        row, column = (np.arange(side) + start for side, start in zip(coverage.shape, (top, left), strict=True))
        # Dithered between levels: the strength of half a level more, less up to a level.
        level = 1 / self._inks.levels
        part = level / (strength + level / 2) * thresholds((SIDE, SIDE))[np.ix_(row % SIDE, column % SIDE)]
        ladder = self._ladder(self._inks.tone(ink, strength + level / 2))
        np.maximum(region, ladder.take((coverage * (1.0 - part)).astype(np.intp)), out=region)

    def add_to(self, codes: NDArray[np.uint16], animals: Plane, coarse: Integers, step: int, first: int) -> None:
        """Replace the codes of a picture, (height, width), where there is more than background.

        What is on the ground covers no bodies and no animals, whose levels have the same shape. The new code is `first`
        plus OVERLAYS times the coarse tone below plus that of the ink; `step` codes are a tone, `coarse` one for each.
        """
        planes = animals, self._flat, self._ground.reshape(-1), self._cover
        add_overlays(codes, *planes, coarse, self._size[0], self.margin, step, first)

    def solid(self) -> tuple[Integers, Plane]:
        """The flat pixels of the picture that are within bodies, and their codes on the ground."""
        flat = self._cover.nonzero()[0]
        place = _pictured(flat, self._size[0], self.margin, self._size[1])
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
    """Replace codes where a flat canvas with a margin is not background; see `GlassCanvas.add_to`."""
    flat = np.asarray(drawn != 0).nonzero()[0]
    place = _pictured(flat, columns, margin, len(codes))
    flat, place = flat[place >= 0], place[place >= 0]
    code, below = drawn[flat], levels.reshape(-1)[place] > FAINT
    if len(cover):
        below |= cover[flat] > 0
    shown = ~below | (code != ground[flat])
    flat_codes, place = codes.reshape(-1), place[shown]
    flat_codes[place] = first + coarse[flat_codes[place] // step] * OVERLAYS + code[shown]


def _pictured(flat: Integers, columns: int, margin: int, rows: int) -> Integers:
    """Flat pixels of a picture without the margin, -1 for what is in the margin."""
    row, column = np.divmod(flat, columns + 2 * margin)
    row -= margin
    column -= margin
    inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
    return np.where(inside, row * columns + column, -1)


@lru_cache(maxsize=256)
def _filled(columns: int, rows: int, corner: bytes) -> Plane:
    """Coverage of a polygon; many of those that overlays draw are the same in every picture."""
    from PIL import Image, ImageDraw  # noqa: PLC0415  who only checks a scenario must not wait for it

    image = Image.new("L", (columns * SMOOTH, rows * SMOOTH))
    cells = np.frombuffer(corner).reshape(-1, 2) * SMOOTH
    ImageDraw.Draw(image).polygon([(x, y) for x, y in cells.tolist()], fill=255)
    return np.asarray(image.reduce(SMOOTH))
