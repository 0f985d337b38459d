"""Boxes: upright rectangles in the picture, for whatever has to find a place there."""

from collections.abc import Sequence
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle in the picture: its edges, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, xy: Sequence[float], anchor: Sequence[float], size: Sequence[float]) -> "Box":
        """The rectangle of this size whose part `anchor` is at `xy`."""
        left, top = (place - part * side for place, part, side in zip(xy, anchor, size, strict=True))
        return cls(left, top, left + size[0], top + size[1])

    def meets(self, other: "Box") -> bool:
        """Whether both have something in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom
