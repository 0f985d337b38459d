"""Layout: what stands where in the picture.

The picture is the stage and, to its right, the panel, which is as wide as PANEL heights of the picture. On the stage
texts stand beside the world: in rows above and below it, or in a column. `arrange` decides, see `arrangement`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

PANEL = 2 / 3
"""Width of the panel in heights of the picture, as in a play area of 768 by 480 pixels with a bar of 320 beside it."""

Slot: TypeAlias = Literal["words", "key", "scale", "chart", "numbers"]
"""Where a text stands: words at the top left, a key at the top right, a chart below the world, numbers at the bottom
left, a scale at the bottom right; in a column words and key at its top, the others at its bottom."""


class Viewport(NamedTuple):
    """The part of the picture that shows the world, in pixels from the top left."""

    left: float
    top: float
    width: float
    height: float


class Rectangle(NamedTuple):
    """A rectangle in the picture: its edges, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, xy: Sequence[float], anchor: Sequence[float], size: Sequence[float]) -> "Rectangle":
        """The rectangle of this size whose part `anchor` is at `xy`."""
        left, top = (place - part * side for place, part, side in zip(xy, anchor, size, strict=True))
        return cls(left, top, left + size[0], top + size[1])

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
    panel: Viewport  # the panel below its title, of no width if there is none
    viewport: Viewport  # the part of the stage that shows the world
    text: int  # height of the letters, in pixels
    places: Mapping[str, Rectangle]  # where texts stand, by the names of their layers


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
