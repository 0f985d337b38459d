"""A figure: the picture of a state as shapes that can be scaled, from below to above.

`vector` draws them, and writers of figures write them. All places are in pixels of a picture of the figure's size, from
the top left, y downward.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from boidsgen.drawing.glyphs import Path


@dataclass(frozen=True, slots=True)
class Shape:
    """Something of one color.

    Attributes:
        path: its outline, or its course.
        color: such as "#0b1020", as it looks over the background.
        width: of a line with round ends, in pixels; 0 fills the path.
        ink: its color by itself, for where there is no background.
        opacity: how much of what is below it the ink covers, from 0 to 255.
    """

    path: Path
    color: str
    width: float = 0.0
    ink: str = ""
    opacity: int = 255


class Layer(NamedTuple):
    """Shapes that are seen through the same holes.

    Attributes:
        within: paths outside of each of which nothing is seen.
        shapes: from below to above.
    """

    within: tuple[Path, ...]
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A finished figure.

    Attributes:
        size: width and height.
        background: its color; None leaves it out.
        layers: from below to above.
        parts: figures that stand in it above all, and where their top left corners are.
    """

    size: tuple[int, int]
    background: str | None
    layers: tuple[Layer, ...]
    parts: tuple[tuple[tuple[int, int], "Figure"], ...] = ()

    @property
    def see_through(self) -> bool:
        """Whether something is partly transparent. Of two that overlap only the fuller is seen, as everywhere."""
        shapes = (shape for layer in self.layers for shape in layer.shapes)
        return self.background is None and any(shape.opacity < 255 for shape in shapes)

    def inked(self) -> "Figure":
        """The same with every shape in its ink alone, through which nothing is seen."""
        return self._colored(lambda shape: shape.ink)

    def shades(self) -> "Figure":
        """The same with every shape in a gray that is as bright as it is opaque."""
        return self._colored(lambda shape: f"#{shape.opacity:02x}{shape.opacity:02x}{shape.opacity:02x}")

    def _colored(self, color: Callable[[Shape], str]) -> "Figure":
        layers = (
            layer._replace(shapes=tuple(replace(shape, color=color(shape)) for shape in layer.shapes))
            for layer in self.layers
        )
        return replace(self, layers=tuple(layers))
