"""A figure: the picture of a state as shapes that can be scaled, from below to above.

`vector` draws them, and writers of figures write them. All places are in pixels of a picture of the figure's size, from
the top left, y downward.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.text import Command, Path
from boidsgen.simulation.geometry import Array, circle, length


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


ROUND = 16  # Corners of the two round ends of a line


def courses(ends: Sequence[tuple[Array, Array]]) -> list[Command]:
    """Lines from start to end; one that begins where the one before it ends goes on with it."""
    path: list[Command] = []
    last: Array | None = None
    for start, end in ends:
        if last is None or not np.array_equal(last, start):
            path.append(_to("M", start))
        path.append(_to("L", end))
        last = end
    return path


def capsule(start: Array, end: Array, width: float) -> Array:
    """The outline of a line with round ends, (ROUND, 2)."""
    way = end - start
    ahead = way / max(float(length(way[None])[0]), 1e-9)
    aside = np.array([-ahead[1], ahead[0]])
    arc = circle(ROUND) * width / 2
    around = arc[:, :1] * ahead + arc[:, 1:] * aside
    outline: Array = np.where(arc[:, :1] >= 0, end + around, start + around)
    return outline


def polygon(corner: Array) -> Path:
    """The closed path through some corners, (k, 2)."""
    return (_to("M", corner[0]), *(_to("L", point) for point in corner[1:]), Command("Z"))


def box_path(low: Sequence[float] | Array, high: Sequence[float] | Array) -> Path:
    """The path of a box from its low corner to its high one."""
    return polygon(np.array([low, (high[0], low[1]), high, (low[0], high[1])], float))


def _to(letter: str, point: Array) -> Command:
    return Command(letter, ((float(point[0]), float(point[1])),))
