"""Axes: the world as a wireframe, with ticks, numbers and names."""

from typing import ClassVar, NamedTuple

import numpy as np
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import Tone
from boidsgen.drawing.scene import Backdrop, Rectangle, Room, Scene, strength_at
from boidsgen.drawing.solids import views
from boidsgen.drawing.text import height, width
from boidsgen.simulation.geometry import Array, dot, edges, magnitude
from boidsgen.simulation.setup import Setup

TICKS = 5  # About how many ticks the longest side gets
MIN_SIDE = 3.5  # Sides that look shorter than this many heights of a letter get no ticks

PIECES = 32  # Into how many pieces an edge of the world is cut


class Axes(Backdrop):
    """The edges of what is seen of the world, nearer ones brighter, with ticks and the names x, y, z."""

    roles: ClassVar[tuple[str, ...]] = ("muted",)
    in_world: ClassVar[bool] = False
    border: ClassVar[Room] = Room(left=4.4, top=1.2, right=4.4, bottom=3.6)

    axes: bool | None = None
    """Show the edges of the world with ticks and names of the axes. Default: in 3D."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return setup.world.dimension == 3 if self.axes is None else self.axes

    @override
    def draw(self, canvas: Canvas, scene: Scene) -> None:
        low, high = scene.part
        start, end = edges(low, high - low)
        near, far = scene.projection(start), scene.projection(end)
        strength = 0.8 * strength_at((near.depth + far.depth) / 2)
        groups = np.split(np.arange(len(start)), len(low))
        scales = [_scale(scene, axis, start[group], end[group]) for axis, group in enumerate(groups)]
        shown = [scale for scale in scales if scale]
        plain = scene.tone("muted")
        tips = [scale.place + 0.35 * scene.text * scale.outward for scale in shown]
        begin, stop = [near.xy, *(scale.place for scale in shown)], [far.xy, *tips]
        tone = np.full(sum(map(len, begin)), plain)
        tone[: len(start)] = scene.tone("muted", strength)
        trace = canvas.trace(np.concatenate(begin), np.concatenate(stop), 1.2 * scene.pen)
        if canvas.bodies:  # edges that are seen through the world lie behind all that is in it
            middle = (start + end) / 2
            ahead = middle + 1e-6 * views(middle, scene.projection)
            hidden = np.zeros((len(tone), len(canvas.bodies) + 1), np.bool_)
            hidden[: len(start), 1:] = ((ahead > low) & (ahead < high)).all(axis=1)[:, None]
            trace = canvas.visible(trace, hidden)
        canvas.draw(trace, tone)
        boxes: list[Rectangle] = []
        for scale in shown:
            scale.write(canvas, scene, plain, boxes)


class WorldEdges(Backdrop):
    """The edges of the world, faint, for a camera that may show more of it or less."""

    roles: ClassVar[tuple[str, ...]] = ("muted",)

    @override
    def wanted(self, setup: Setup) -> bool:
        return True

    @override
    def draw(self, canvas: Canvas, scene: Scene) -> None:
        world = scene.setup.world
        start, end = edges(np.zeros(world.dimension), world.extent)
        # In pieces, of which those behind the camera are left out.
        part = np.linspace(0.0, 1.0, PIECES + 1)[:, None, None]
        point = (start + part * (end - start)).reshape(-1, world.dimension)
        seen = scene.projection(point)
        ahead = np.flatnonzero(seen.shown[: -len(start)] & seen.shown[len(start) :])
        here, there = seen.of(ahead), seen.of(ahead + len(start))
        strength = 0.5 * strength_at((here.depth + there.depth) / 2)
        canvas.lines(here.xy, there.xy, scene.tone("muted", strength), 1.0 * scene.pen)


class Border(Backdrop):
    """A faint line round what is seen of a flat world, where the picture goes on beyond it."""

    in_world: ClassVar[bool] = False

    @override
    def wanted(self, setup: Setup) -> bool:
        return setup.world.dimension == 2

    @override
    def draw(self, canvas: Canvas, scene: Scene) -> None:
        # Decoration, of which nobody asks a contrast: it has no ink of its own.
        (left, top), (right, bottom) = np.rint(scene.window) + 0.5 * scene.pen * np.array([[-1], [1]])
        corner = np.array([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])
        canvas.path(corner, scene.tone("text" if scene.inks.has("text") else "boid 0", 0.35), scene.pen)


class Scale(NamedTuple):
    """Ticks and texts along one edge."""

    name: str  # of the axis
    middle: Array  # (2,) of the edge, pixels
    outward: Array  # (2,) direction across the edge, away from the world
    value: Array  # (k,) what the ticks stand for
    place: Array  # (k, 2) where they begin, pixels

    def write(self, canvas: Canvas, scene: Scene, tone: Tone, written: list[Rectangle]) -> None:
        """Write numbers and name, but no number that would run into one that is written already."""
        size = scene.text
        right, down = self.outward.tolist()
        anchor = 0.5 - 0.5 * right, 0.5 - 0.5 * down  # a text touches its place with the side that faces the edge
        labels = [f"{number:g}" for number in self.value]
        for label, xy in zip(labels, (self.place + 0.7 * size * self.outward).tolist(), strict=True):
            box = Rectangle.around(xy, anchor, (width(label, size) + 0.4 * size, 0.9 * height(size)))
            if not any(box.overlaps(other) for other in written):
                written.append(box)
                canvas.write(label, xy, tone, size, anchor)
        beyond = size + abs(right) * max(width(label, size) for label in labels) + abs(down) * height(size)
        canvas.write(self.name, (self.middle + beyond * self.outward).tolist(), tone, size, anchor)


def _scale(scene: Scene, axis: int, start: Array, end: Array) -> Scale | None:
    """The scale along the outermost of the parallel edges of an axis; none where it looks too short."""
    near, far = scene.projection(start).xy, scene.projection(end).xy
    # The lowest of edges that run across the picture, the leftmost of edges that run up.
    extent = np.abs(far - near).sum(axis=0)
    order = np.array([0.0, 1.0] if extent[0] >= extent[1] else [-1.0, 0.2])
    chosen = int(np.argmax(dot((near + far) / 2, order)))
    way = far[chosen] - near[chosen]
    if magnitude(way) < MIN_SIDE * scene.text:
        return None
    low, high = scene.part
    value = ticks(low[axis], high[axis], (high - low).max())
    along = np.repeat(start[chosen][None], len(value) + 1, axis=0)
    along[:-1, axis] += value - low[axis]
    along[-1] = (start[chosen] + end[chosen]) / 2
    place = scene.projection(along).xy
    outward = np.array([way[1], -way[0]]) / magnitude(way)
    if dot(outward, (near + far)[chosen] / 2 - (near + far).mean(axis=0) / 2) < 0:
        outward = -outward
    return Scale("xyz"[axis], place[-1], outward, value, place[:-1])


def ticks(low: float, high: float, longest: float) -> Array:
    """Round numbers from `low` to `high`, as far apart as suits the longest side, shape (k,)."""
    rough = longest / TICKS
    power = exact.tens(rough)
    step = power * min((1.0, 2.0, 5.0, 10.0), key=lambda number: max(rough / (number * power), number * power / rough))
    number = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1)
    # Adding zero makes a zero of the negative zero that rounding up may leave.
    return step * number + 0.0
