"""Layout: what stands where in the picture.

The picture is the stage and, to its right, the panel, which is as wide as PANEL heights of the picture. On the stage
the world has all the room, unless something needs a border round it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

PANEL = 2 / 3
"""Width of the panel in heights of the picture, as in a play area of 768 by 480 pixels with a bar of 320 beside it."""

MAX_TEXT_SHARE = 0.75
"""Part of the height of a picture that lines of text may take: beyond it they are made smaller, as far as they can."""


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
    """Space at the edges of the picture, in heights of a letter."""

    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0


class Layout(NamedTuple):
    """The layout of a picture.

    Attributes:
        stage: (width, height) of the picture without the panel, in pixels.
        panel: the panel, of no width if there is none.
        viewport: the part of the stage that shows the world.
        room: where lines of text stand at the edges of the stage.
        text: height of the letters, in pixels.
        titled_below: whether the title stands at the bottom, where the ground is dark.
    """

    stage: tuple[int, int]
    panel: Viewport
    viewport: Viewport
    room: Room
    text: int
    titled_below: bool = False

    @property
    def wordy(self) -> bool:
        """True if lines of text leave too little of the stage, or overlap."""
        return self.text * (self.room.top + self.room.bottom) > MAX_TEXT_SHARE * self.stage[1]


def widened(world: tuple[int, int]) -> tuple[int, int]:
    """(width, height) of a picture with a panel, in which the world has the room given."""
    width, height = world
    return width + _panel(height), height


def stage_size(size: tuple[int, int]) -> tuple[int, int]:
    """(width, height) of the stage of a picture of this size with a panel; at least half of it."""
    width, height = size
    return width - min(_panel(height), width // 2), height


def arrange_layout(
    size: tuple[int, int],
    stage: tuple[int, int],
    text: int,
    borders: Sequence[Room],
    rooms: Sequence[Room],
    below: float,
) -> Layout:
    """The layout of a picture of `size` with this stage and such letters.

    Things need borders round the world and rooms at the edges, and so much height between the world and its texts.
    """
    room, border = (Room(*np.array([Room(), *needed]).max(axis=0).tolist()) for needed in (rooms, borders))
    border = border._replace(bottom=border.bottom + below)
    viewport = Viewport(0, 0, *stage)
    if any(border):
        # Lines of text stand above and below the border; at the sides they may share it.
        left, right = text * max(border.left, room.left), text * max(border.right, room.right)
        top, bottom = text * (border.top + room.top), text * (border.bottom + room.bottom)
        viewport = Viewport(left, top, max(stage[0] - left - right, 8), max(stage[1] - top - bottom, 8))
    return Layout(stage, Viewport(stage[0], 0, size[0] - stage[0], size[1]), viewport, room, text)


def _panel(height: int) -> int:
    # An even number of pixels, as some formats want it.
    return 2 * round(PANEL * height / 2)
