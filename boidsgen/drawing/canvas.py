"""Canvas: where codes of ink are put together.

Places are pixels from the top left, y downward. The canvas is larger than the picture by a margin on each side, so
that what crosses an edge needs no clipping; whoever stamps or writes keeps within the margin. Everything but text lays
codes over each other by `max`, so the order of drawing does not matter. Text and predators first clear a rim around
themselves down to the ground: what has to be read is never lost in a crowd.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, floor
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.frame import Inks, Tone
from boidsgen.drawing.sprites import SUBPIXELS, Sprites, quarters
from boidsgen.drawing.strokes import Integers, Trace, clipped, strokes
from boidsgen.drawing.text import halo, height, lettering, shaded, width
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.obstacles import Obstacle

Plane = NDArray[np.uint8]  # Palette indices or coverages, (rows, columns)
PixelBox = tuple[slice, slice]  # Rows and columns

Hidden = NDArray[np.bool_]
"""Which bodies hide an animal: a row for each, (n, bodies + 1), false in the first column, which stands for no body."""
NOTHING = slice(0, 0), slice(0, 0)  # An empty box

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


def within(box: PixelBox, rows: slice, columns: slice) -> PixelBox:
    """A box relative to the first of these rows and columns; empty where it is."""
    high, wide = box
    if high.start == high.stop:
        return NOTHING
    return (
        slice(high.start - rows.start, high.stop - rows.start),
        slice(wide.start - columns.start, wide.stop - columns.start),
    )


class Canvas:
    """A picture in the making."""

    def __init__(self, size: tuple[int, int], margin: int, inks: Inks, compiled: ModuleType | None = None) -> None:
        self._compiled = compiled
        self._size = size
        self._margin = self.margin = margin
        self._inks = inks
        self._codes = np.zeros((size[1] + 2 * margin, size[0] + 2 * margin), np.uint8)
        self._flat = self._codes.reshape(-1)
        self._ground = self._codes.copy()
        # The number of the body in front at every flat pixel, from 1 on.
        self._cover = np.zeros(0, np.uint16)
        self.bodies: list[Obstacle] = []
        # Lines of this picture and of the one before, by where they are: many stay where they were.
        self._traced: dict[tuple[bytes, bytes, float], Trace] = {}
        self._earlier: dict[tuple[bytes, bytes, float], Trace] = {}

    @property
    def stride(self) -> int:
        """Flat distance from one row to the next."""
        return self._codes.shape[1]

    def wipe(self) -> None:
        """Start over with nothing but background."""
        self._codes.fill(0)
        self._ground.fill(0)
        self._cover, self.bodies = self._cover[:0], []

    def settle(self) -> None:
        """Make what is drawn so far the ground of the pictures to come."""
        np.copyto(self._ground, self._codes)

    def begin(self) -> None:
        """Start a new picture on the ground."""
        np.copyto(self._codes, self._ground)
        self._earlier, self._traced = self._traced, {}

    def picture(self) -> Plane:
        """The finished picture, (height, width), without the margin."""
        margin = self._margin
        columns, rows = self._size
        return np.ascontiguousarray(self._codes[margin : margin + rows, margin : margin + columns])

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
        near = np.clip(xy, -self._margin, np.array(self._size) + (self._margin - 1))
        return Trace(np.arange(len(xy)), self.pixel(near), np.full(len(xy), 255, np.uint8))

    def sprites(self, sprites: Sprites, number: NDArray[np.intp], xy: Array, hidden: Hidden) -> Trace:
        """The visible pixels of a sprite on each place; n numbers, places (n, 2) and rows."""
        which, entry = sprites.pixels(number)
        flat = self.pixel(xy).take(which) + sprites.offset.take(entry)
        return self.visible(Trace(which, flat, sprites.coverage.take(entry)), hidden)

    def clear(self, trace: Trace) -> None:
        """Bring back the ground under sprites whose pixels are known."""
        self._flat[trace.flat] = self._ground.reshape(-1)[trace.flat]

    def trace(self, start: Array, end: Array, thickness: float | Array = 1.0) -> Trace:
        """The pixels of straight lines in the flat canvas; starts and ends (n, 2), one thickness or one for each."""
        room = self._margin - float(np.max(thickness, initial=0.0)) - 2
        start, end, inside = clipped(start, end, np.full(2, -room), np.array(self._size) + room)
        everything = bool(inside.all())
        if not everything:
            start, end = start[inside], end[inside]
        thickness = thickness[inside] if isinstance(thickness, np.ndarray) else thickness
        trace = strokes(start, end, thickness, self.stride, self._margin * (self.stride + 1))
        return trace if everything else trace._replace(line=np.flatnonzero(inside).take(trace.line))

    def draw(self, trace: Trace, tone: Tone) -> None:
        """Draw lines whose pixels are known; one tone per line."""
        if self._compiled:
            self._compiled.draw(self._flat, *trace, tone, self._inks.codes)
        else:
            np.maximum.at(self._flat, trace.flat, self._inks.codes.take(tone.take(trace.line) + trace.coverage))

    def erase(self, trace: Trace) -> None:
        """Bring back the ground under lines whose pixels are known."""
        pixel = trace.flat[trace.coverage > 127]
        self._flat[pixel] = self._ground.reshape(-1)[pixel]

    def blank(self, low: tuple[float, float], high: tuple[float, float]) -> None:
        """Leave nothing but background in a rectangle from (left, top) to (right, bottom)."""
        left, top, right, bottom = (max(round(side) + self._margin, 0) for side in (*low, *high))
        self._codes[top:bottom, left:right] = 0

    def crop(self, window: Array) -> None:
        """Bring back the ground outside a window: left and top, right and bottom, shape (2, 2)."""
        sides = [round(side) for side in window.ravel().tolist()]
        if sides == [0, 0, *self._size]:
            return
        left, top, right, bottom = (side + self._margin for side in sides)
        for outside in (np.s_[:top], np.s_[bottom:], np.s_[:, :left], np.s_[:, right:]):
            self._codes[outside] = self._ground[outside]

    def lines(self, start: Array, end: Array, tone: Tone, thickness: float = 1.0) -> None:
        """Draw straight lines; starts and ends (n, 2), tones (n,) or one for all."""
        where = start.tobytes(), end.tobytes(), thickness
        trace = self._traced.get(where) or self._earlier.get(where) or self.trace(start, end, thickness)
        self._traced[where] = trace
        self.draw(trace, np.broadcast_to(tone, len(start)))

    def path(self, point: Array, tone: Tone, thickness: float = 1.0) -> None:
        """Draw lines from point to point, shape (n, 2); repeat the first point at the end to close the path."""
        self.lines(point[:-1], point[1:], tone, thickness)

    def fill(self, corner: Array, tone: Tone) -> None:
        """Fill a polygon with corners (n, 2)."""
        left, top, coverage = self._covered(corner)
        region = self._region(left, top, *coverage.shape[::-1])
        np.maximum(region, self._ladder(tone).take(coverage), out=region)

    def area(self, corner: Array) -> Trace:
        """The pixels of a polygon with corners (n, 2), as of one line."""
        left, top, coverage = self._covered(corner)
        row, column = coverage.nonzero()
        flat = (row + (top + self._margin)) * self.stride + column + (left + self._margin)
        return Trace(np.zeros_like(flat), flat, coverage[row, column])

    def _covered(self, corner: Array) -> tuple[int, int, Plane]:
        """Left and top of a polygon, as far as the canvas reaches, and its coverage from there on."""
        reach = self._margin
        # Plain numbers: what takes the time for a few corners is to call numpy.
        (left, right), (top, bottom) = (
            (min(max(floor(min(along)), -reach), side + reach), min(max(ceil(max(along)), -reach), side + reach))
            for along, side in zip(corner.T.tolist(), self._size, strict=True)
        )
        if left == right or top == bottom:
            return left, top, np.zeros((0, 0), np.uint8)
        return left, top, _filled(right - left, bottom - top, (corner - (left, top)).tobytes())

    @staticmethod
    def letters(text: str, size: int) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Coverage of a line of text, and the rim that is cleared below it."""
        return lettering(text, size)

    def write(
        self, text: str, xy: tuple[float, float], tone: Tone, size: int, anchor: tuple[float, float] = (0, 0)
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
        pixel = quarters(xy) // SUBPIXELS + self._margin
        flat: NDArray[np.intp] = pixel[:, 1] * self.stride + pixel[:, 0]
        return flat

    def _ladder(self, tone: Tone) -> Plane:
        """The codes of a tone by coverage."""
        return self._inks.codes[int(tone) : int(tone) + 256]

    def _region(self, left: int, top: int, columns: int, rows: int, of: Plane | None = None) -> Plane:
        codes = self._codes if of is None else of
        return codes[
            top + self._margin : top + self._margin + rows, left + self._margin : left + self._margin + columns
        ]


class GlassCanvas(Canvas):
    """A canvas of the lit look, over a scene: letters have soft rims, and only what is drawn covers the scene."""

    def drawn(self, animals: Plane) -> tuple[Integers, Plane]:
        """The flat pixels of the picture, without its margin, that are not background, and their codes.

        Of the ground only where it is no body and there are no animals, by their levels, (height, width).
        """
        place, flat = self._pictured(self._drawn)
        code, below = self._flat[flat], animals.reshape(-1)[place] > FAINT
        if self.bodies:
            below |= self._cover[flat] > 0
        shown = ~below | (code != self._ground.reshape(-1)[flat])
        return place[shown], code[shown]

    def solid(self) -> tuple[Integers, Plane]:
        """The flat pixels of the picture that are within bodies, and their codes on the ground."""
        place, flat = self._pictured(self._cover.nonzero()[0])
        return place, self._ground.reshape(-1)[flat]

    def _pictured(self, flat: Integers) -> tuple[Integers, Integers]:
        """Those pixels that are in the picture: where there, and where on the canvas."""
        row = flat // self.stride
        column = flat - row * self.stride - self._margin
        row -= self._margin
        columns, rows = self._size
        inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        return (row * columns + column)[inside], flat[inside]

    @property
    def plane(self) -> tuple[Plane, int]:
        """The codes as they are now, with the margin, and how wide that is."""
        return self._codes, self._margin

    def box(self) -> PixelBox:
        """Rows of the picture, outside which it is background; with all columns, since to find the rows is quick."""
        if not len(flat := self._drawn):
            return NOTHING
        top, bottom = (int(end) // self.stride - self._margin for end in (flat[0], flat[-1]))
        columns, rows = self._size
        return slice(max(top, 0), min(max(bottom + 1, 0), rows)), slice(0, columns)

    @staticmethod
    @override
    def letters(text: str, size: int) -> tuple[Plane, NDArray[np.bool_]]:
        return shaded(text, size)

    @property
    def _drawn(self) -> Integers:
        """The flat pixels that are not background, with the margin, in their order."""
        drawn: Integers = np.asarray(self._flat != 0).nonzero()[0]
        return drawn


@lru_cache(maxsize=256)
def _filled(columns: int, rows: int, corner: bytes) -> Plane:
    """Coverage of a polygon; many of those that overlays draw are the same in every picture."""
    from PIL import Image, ImageDraw  # noqa: PLC0415  who only checks a scenario must not wait for it

    image = Image.new("L", (columns * SMOOTH, rows * SMOOTH))
    cells = np.frombuffer(corner).reshape(-1, 2) * SMOOTH
    ImageDraw.Draw(image).polygon([(x, y) for x, y in cells.tolist()], fill=255)
    return np.asarray(image.reduce(SMOOTH))
