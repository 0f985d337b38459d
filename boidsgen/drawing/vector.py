"""Vector: pictures as shapes that can be scaled, for papers; lit scenes as an image below text and marks as shapes.

`FigureRenderer(scenario, size)` draws states as `Renderer` does, on a canvas that keeps shapes instead of pixels, and
gives a `Figure`, which writers of figures write. All places are those of the picture of that size, in pixels from the
top left, y downward.

Pixels are put together by `max`: the fuller tone shows, whatever the order. So shapes are sorted by tone and painted
one over the other. What clears a rim round itself cuts holes into the shapes that were there before it; those come as
paths to clip them by, inside as by the rule of even and odd.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.canvas import Lines, Pair, Surface
from boidsgen.drawing.frame import Palette, PaletteIndex
from boidsgen.drawing.look import Drawable
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.shapes import Hidden, Placed, Sprites, contours
from boidsgen.drawing.text import Command, Path, ascent, halo, lettering, outlined, text_outlines
from boidsgen.simulation.geometry import Array, circle, length
from boidsgen.simulation.obstacles import Obstacle
from boidsgen.simulation.setup import State


@dataclass(frozen=True, slots=True)
class FigureShape:
    """Something of one color."""

    path: Path  # its outline, or its course
    color: str  # such as "#0b1020", as it looks over the background
    width: float = 0.0  # of a line with round ends, in pixels; 0 fills the path
    ink: str = ""  # its color by itself, for where there is no background
    opacity: int = 255  # how much of what is below it the ink covers, from 0 to 255


class FigureLayer(NamedTuple):
    """Shapes that are seen through the same holes."""

    within: tuple[Path, ...]  # paths outside of each of which nothing is seen
    shapes: tuple[FigureShape, ...]  # from below to above
    opacity: float = 1.0  # of each line


@dataclass(frozen=True, slots=True)
class Figure:
    """A finished figure."""

    size: tuple[int, int]  # width and height
    background: str | None  # its color; None leaves it out
    layers: tuple[FigureLayer, ...]  # from below to above
    # figures that stand in it above all, and where their top left corners are
    parts: tuple[tuple[tuple[int, int], "Figure"], ...] = ()
    # below all layers, red, green and blue, (height, width, 3); None where there is none
    picture: NDArray[np.uint8] | None = None

    @property
    def see_through(self) -> bool:
        """True if something is partly transparent. Of two that overlap only the fuller is seen, as everywhere."""
        shapes = (shape for layer in self.layers for shape in layer.shapes)
        return self.background is None and any(shape.opacity < 255 for shape in shapes)

    def inked(self) -> "Figure":
        """The same with every shape in its ink alone, through which nothing is seen."""
        return self._colored(lambda shape: shape.ink)

    def shades(self) -> "Figure":
        """The same with every shape in a gray that is as bright as it is opaque."""
        return self._colored(lambda shape: f"#{shape.opacity:02x}{shape.opacity:02x}{shape.opacity:02x}")

    def _colored(self, color: Callable[[FigureShape], str]) -> "Figure":
        layers = (
            layer._replace(shapes=tuple(replace(shape, color=color(shape)) for shape in layer.shapes))
            for layer in self.layers
        )
        return replace(self, layers=tuple(layers))


LINE_END_CORNERS = 16  # Corners of the two round ends of a line


def courses(ends: Sequence[Array]) -> list[Command]:
    """Lines from start to end; one that begins where the one before it ends goes on with it."""
    path: list[Command] = []
    last: Array | None = None
    for start, end in ends:
        if last is None or not np.array_equal(last, start):
            path.append(_to("M", start))
        path.append(_to("L", end))
        last = end
    return path


def capsule(ends: Array, width: float) -> Array:
    """The outline of a line with round ends, (LINE_END_CORNERS, 2)."""
    start, end = ends
    way = end - start
    ahead = way / max(float(length(way[None])[0]), 1e-9)
    aside = np.array([-ahead[1], ahead[0]])
    arc = circle(LINE_END_CORNERS) * width / 2
    around = arc[:, :1] * ahead + arc[:, 1:] * aside
    return np.where(arc[:, :1] >= 0, end + around, start + around)


def polygon(corner: Array) -> Path:
    """The closed path through some corners, (k, 2)."""
    return (_to("M", corner[0]), *(_to("L", point) for point in corner[1:]), Command("Z"))


def box_path(low: Sequence[float] | Array, high: Sequence[float] | Array) -> Path:
    """The path of a box from its low corner to its high one."""
    return polygon(np.array([low, (high[0], low[1]), high, (low[0], high[1])], float))


def _to(letter: str, point: Array) -> Command:
    return Command(letter, ((float(point[0]), float(point[1])),))


@dataclass(frozen=True, slots=True, eq=False)
class _Mark:
    """A shape on the canvas: its place among the tones, the holes before it, what hides it, and if it is ground."""

    order: int
    after: int
    behind: "_Bodies"
    ground: bool
    shape: FigureShape
    low: Array
    high: Array


@dataclass(frozen=True, slots=True, eq=False)
class _Hole:
    """A cleared part of the picture: what is left, what was taken, and whether the background went with it."""

    left: Path
    low: Array
    high: Array
    outside: bool
    deep: bool

    def touches(self, mark: _Mark) -> bool:
        if mark.ground and not self.deep:
            return False
        if self.outside:
            return bool((mark.low < self.low).any() or (mark.high > self.high).any())
        return bool((mark.low < self.high).all() and (mark.high > self.low).all())


_Bodies = tuple[_Hole, ...]  # Outsides of bodies


DARKENED = 160  # Opacity of what darkens an image around letters


class VectorCanvas(Surface):
    """Keeps what is drawn as shapes."""

    def __init__(self, size: tuple[int, int], margin: int, inks: Palette, plate: str = "") -> None:
        super().__init__(size, margin, inks)
        self._plate = plate
        self._marks: list[_Mark] = []
        self._holes: list[_Hole] = []
        self._settled: tuple[list[_Mark], list[_Hole]] | None = None
        self._outsides: list[_Hole] = []
        self._alone = inks.alone()

    @override
    @classmethod
    def above(cls, picture: Surface, plate: str) -> Surface:
        return cls(picture.size, 2, picture.inks, plate)

    @override
    def picture(self) -> Figure:
        marks = sorted(self._marks, key=lambda mark: mark.order)
        seen = (
            (tuple(hole for hole in (*self._holes[mark.after :], *mark.behind) if hole.touches(mark)), mark.shape)
            for mark in marks
        )
        layers = [
            FigureLayer(tuple(hole.left for hole in through), tuple(shape for _, shape in group))
            for through, group in groupby(seen, key=lambda pair: pair[0])
        ]
        return Figure(self.size, hexadecimal(self.inks.colors[0]), tuple(layers))

    @override
    def wipe(self) -> None:
        self._marks, self._holes, self._settled = [], [], None
        self._outsides, self.bodies = [], []

    @override
    def settle(self) -> None:
        self._settled = [*self._marks], [*self._holes]

    @override
    def begin(self) -> None:
        marks, holes = self._settled or ([], [])
        self._marks, self._holes = [*marks], [*holes]

    @override
    def hide(self, corner: Array, body: Obstacle) -> None:
        self.bodies.append(body)
        self._cut(polygon(corner), corner)
        self._outsides.append(self._holes[-1])

    def _before(self, row: Hidden | None) -> _Bodies:
        """The outsides of the bodies that hide something, by its row."""
        return () if row is None else tuple(self._outsides[number] for number in np.flatnonzero(row[1:]).tolist())

    @override
    def stamp(self, sprites: Sprites, each: Placed, size: float, tone: PaletteIndex | None) -> None:
        for rows, parts in sprites.outlines(each, size):
            corner, hidden = parts[0].corners, each.hidden[rows]
            if tone is None:  # a rim round animals that nothing hides
                for one, row in zip(corner, hidden, strict=True):
                    low, high = one.min(axis=0), one.max(axis=0)
                    if not any((low < body.high).all() and (high > body.low).all() for body in self._before(row)):
                        self._cut(polygon(one), one)
                continue
            own = tone[each.animal[rows]]
            outlines = contours([part._replace(corners=part.corners[0]) for part in parts])
            for number, *row in np.unique(np.column_stack((own, hidden)), axis=0).tolist():
                same = np.flatnonzero((own == number) & (hidden == row).all(axis=1))
                behind, point = self._before(np.array(row)), corner[same].reshape(-1, 2)
                for strength, rings in outlines:
                    bodies = [parts[part].corners[one, ::way] for one in same for part, way in rings]
                    path = [command for body in bodies for command in polygon(body)]
                    self._mark(path, self.inks.weaker(number, strength), point, 0.0, *behind)

    @override
    def trace(self, start: Array, end: Array, width: float | Array = 1.0) -> Lines:
        """Lines with their ends, (n, 2, 2), and how wide they are, (n,)."""
        thick = float(np.max(width))
        start, end, kept = self.within(start, end, thick)
        # A round dot covers its pixel only if it is as wide as that across.
        return kept, np.stack((start, end), axis=1), thick * np.where((start == end).all(axis=1), 2**0.5, 1.0)

    @override
    def draw(self, lines: Lines, tone: PaletteIndex | None, hidden: Hidden | None = None) -> None:
        alike: dict[tuple[int, float, _Bodies], list[Array]] = defaultdict(list)
        for line, ends, width in zip(*lines, strict=True):
            if tone is None:
                outline = capsule(ends, width)
                self._cut(polygon(outline), outline)
            else:
                behind = self._before(hidden[line] if hidden is not None else None)
                alike[int(tone[line]), float(width), behind].append(ends)
        for (own, width, behind), several in alike.items():
            self._mark(courses(several), own, np.concatenate(several), width, *behind)

    @override
    def blank(self, low: Pair, high: Pair) -> None:
        corner = np.rint(np.array([low, (high[0], low[1]), high, (low[0], high[1])]))
        self._cut(polygon(corner), corner, deep=True)
        self._darken(polygon(corner), corner, 0)

    @override
    def crop(self, window: Array) -> None:
        low, high = np.rint(window)
        if (low > 0).any() or (high < self.size).any():
            deep = self._settled is None
            self._holes.append(_Hole(box_path(low, high), low, high, outside=True, deep=deep))

    @override
    def fill(self, corner: Array, tone: PaletteIndex, hidden: Hidden | None = None) -> None:
        self._mark(polygon(corner), int(tone), corner, 0.0, *self._before(hidden))

    @override
    def write(self, text: str, xy: Pair, tone: PaletteIndex, size: int, anchor: Pair = (0, 0)) -> None:
        if xy[1] > self.size[1] + 2 * size:  # a line of a text that is too long for the picture
            return
        left, top = self.corner(text, xy, size, anchor)
        _, rim = lettering(text, size)
        corner = np.array([(left, top)])
        contours = [corner + contour for contour in outlined(rim)]
        if contours:
            path, point = [command for one in contours for command in polygon(one)], np.concatenate(contours)
            self._cut(path, point)
            self._darken(path, point, int(tone))
        place = left + halo(size), top + halo(size) + ascent(size)
        letters = [command.moved(*place) for command in text_outlines(text, size)]
        point = np.array([point for command in letters for point in command.points]).reshape(-1, 2)
        self._mark(letters, int(tone), point)

    def _darken(self, path: Sequence[Command], point: Array, tone: int) -> None:
        """Darken an image below a text of this tone, if there is one."""
        if self._plate:
            self._keep(FigureShape(tuple(path), self._plate, 0.0, self._plate, DARKENED), tone, point)

    def _mark(self, path: Sequence[Command], tone: int, point: Array, width: float = 0.0, *behind: _Hole) -> None:
        """Keep a shape with these points, unless nothing of it is seen."""
        code = self.inks.codes[tone + 255]
        if code == 0 or not len(point):
            return
        color, ink = hexadecimal(self.inks.colors[code]), self._alone[code]
        self._keep(FigureShape(tuple(path), color, width, hexadecimal(ink[:3]), int(ink[3])), tone, point, *behind)

    def _keep(self, shape: FigureShape, tone: int, point: Array, *behind: _Hole) -> None:
        low, high = point.min(axis=0) - shape.width / 2, point.max(axis=0) + shape.width / 2
        after, ground = len(self._holes), self._settled is None
        self._marks.append(_Mark(tone // 256, after, behind, ground, shape, low, high))

    def _cut(self, path: Sequence[Command], point: Array, *, deep: bool = False) -> None:
        """Take away what is within a path with these points; the ground too where it is deep, or all there is."""
        far = box_path((-1e4, -1e4), (self.size[0] + 1e4, self.size[1] + 1e4))
        low, high = point.min(axis=0), point.max(axis=0)
        deep = deep or self._settled is None
        self._holes.append(_Hole((*far, *path), low, high, outside=False, deep=deep))


class FigureRenderer:
    """Draws states of one run as figures, in order: trails remember the frames before."""

    def __init__(self, scenario: Drawable, size: tuple[int, int]) -> None:
        self._style, self._renderer = scenario.style, Renderer(scenario, size, VectorCanvas)
        self.note = self._renderer.note

    def __call__(self, state: State) -> Figure:
        """The figure of one state."""
        self._renderer.draw(state)
        painter = self._renderer.painter
        figure: Figure = painter.marks.picture()
        if self._style.colors.light:
            return replace(figure, background=None, picture=painter.full_color())
        return replace(figure, background=None) if self._style.transparent else figure


def hexadecimal(numbers: NDArray[np.integer]) -> str:
    """Red, green and blue, (3,), as in "#0b1020"."""
    return "#" + bytes(numbers.tolist()).hex()
