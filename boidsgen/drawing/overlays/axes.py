"""Axes: the world as a wireframe, with ticks, numbers and names."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layer import Backdrop
from boidsgen.drawing.layout import Room
from boidsgen.drawing.lettering import height, width
from boidsgen.drawing.outlines import edges
from boidsgen.drawing.scene import Scene, faded
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import Setup

TICKS = 5
"""About how many ticks the longest side gets."""
SHORTEST = 3.5
"""Sides that look shorter than this many heights of a letter get no ticks."""


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
        strength = 0.8 * faded((near.depth + far.depth) / 2)
        canvas.lines(near.xy, far.xy, scene.tone("muted", strength), 1.2)
        written: list[Array] = []
        for axis, group in enumerate(np.split(np.arange(len(start)), len(low))):
            _scale(canvas, scene, axis, (start[group], end[group]), written)


def _scale(canvas: Canvas, scene: Scene, axis: int, edge: tuple[Array, Array], written: list[Array]) -> None:
    """Ticks, numbers and name along one of the parallel edges of an axis: the one that looks outermost."""
    near, far = scene.projection(edge[0]).xy, scene.projection(edge[1]).xy
    chosen = _outermost(near, far)
    way = far[chosen] - near[chosen]
    if float(np.hypot(*way)) < SHORTEST * scene.text:
        return
    outward = _outward(way, (near + far)[chosen] / 2 - (near + far).mean(axis=0) / 2)
    start, end = edge[0][chosen], edge[1][chosen]
    size, (low, high) = scene.text, scene.part
    value = ticks(low[axis], high[axis], (high - low).max())
    place = scene.projection(start + (value - low[axis])[:, None] * np.eye(len(low))[axis]).xy
    canvas.lines(place, place + 0.35 * size * outward, scene.tone("muted"), 1.2)
    labels = [f"{number:g}" for number in value]
    for label, xy in zip(labels, place + 0.7 * size * outward, strict=True):
        _write(canvas, scene, label, xy, outward, written)
    beyond = size + abs(outward) @ [max(width(label, size) for label in labels), height(size)]
    middle = scene.projection((start + end)[None] / 2).xy[0]
    _write(canvas, scene, "xyz"[axis], middle + beyond * outward, outward, [])


def _write(canvas: Canvas, scene: Scene, text: str, xy: Array, outward: Array, written: list[Array]) -> None:
    """Write a text beyond a place, unless it would run into what is written already."""
    # The text touches the place with the side that faces the edge it belongs to.
    anchor = 0.5 - 0.5 * outward
    box = np.array([width(text, scene.text) + 0.4 * scene.text, 0.9 * height(scene.text)])
    corners = np.stack((xy - anchor * box, xy - anchor * box + box))
    if any((corners[0] < other[1]).all() and (other[0] < corners[1]).all() for other in written):
        return
    written.append(corners)
    canvas.write(text, (xy[0], xy[1]), scene.tone("muted"), scene.text, (anchor[0], anchor[1]))


def ticks(low: float, high: float, longest: float) -> Array:
    """Round numbers from `low` to `high`, as far apart as suits the longest side, shape (k,)."""
    rough = longest / TICKS
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * min((1.0, 2.0, 5.0, 10.0), key=lambda round_number: abs(np.log(rough / (round_number * power))))
    number = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1)
    # Adding zero makes a zero of the negative zero that rounding up may leave.
    value: Array = step * number + 0.0
    return value


def _outermost(near: Array, far: Array) -> int:
    """The lowest of edges that run across the picture, the leftmost of edges that run up."""
    way, middle = np.abs(far - near).sum(axis=0), (near + far) / 2
    return int(np.argmax(middle @ (np.array([0.0, 1.0]) if way[0] >= way[1] else np.array([-1.0, 0.2]))))


def _outward(way: Array, aside: Array) -> Array:
    """Direction across an edge, away from the middle of the world, shape (2,)."""
    across: Array = np.array([way[1], -way[0]]) / np.hypot(*way)
    return across if across @ aside >= 0 else -across
