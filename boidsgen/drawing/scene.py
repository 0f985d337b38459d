"""Scene and layers: what everything that draws needs to know about the picture at hand, and the base of all overlays.

The picture is the stage and, to its right, the panel, which is as wide as PANEL heights of the picture. On the stage
texts stand beside the world: in rows above and below it, or in a column. `arrange` decides, see `arrangement`.

An overlay is a table with its own keys, all of which appear in [overlay], and it draws one thing besides the animals:
one class, and its name in `OVERLAYS`. It answers:
  wanted(setup)               whether it is to be drawn at all; `setup` is the scenario as written, before any event
  draw(canvas, scene)         a Backdrop: below the animals, drawn once and again only when the camera or what it
                              shows has changed
  draw(canvas, scene, state)  a Foreground: drawn above the animals with every frame
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from boidsgen.drawing.camera import Projection, Viewport
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.colorings import Coloring
from boidsgen.drawing.frame import Palette, PaletteIndex
from boidsgen.drawing.themes import Theme
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.measures import measure
from boidsgen.simulation.setup import Setup, State
from boidsgen.tables import Table

PANEL = 2 / 3
"""Width of the panel in heights of the picture, as in a play area of 768 by 480 pixels with a bar of 320 beside it."""

Slot: TypeAlias = Literal["words", "key", "scale", "chart", "numbers"]
"""Place of a text: words at the top left, a key at the top right, a chart below the world, numbers at the bottom
left, a scale at the bottom right; in a column words and key at its top, the others at its bottom."""


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
    panel: Rectangle  # the panel below its title, of no width if there is none
    viewport: Viewport  # the part of the stage that shows the world
    text: int  # height of the letters, in pixels
    places: Mapping[str, Rectangle]  # where texts stand, by the names of their layers
    flush: tuple[str, ...] = ()  # those whose lines end at the right of their places
    bands: tuple[Rectangle, ...] = ()  # parts of a lit picture of a flat world that are darkened for texts


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


PLATE = 0.9  # Strength of a plate; what is drawn at full strength wins over it
MIN_STRENGTH = 0.66  # Strength of what is farthest away: so much that it can still be seen, by a test of the themes


class MeasureHistory:
    """The values of some measures, frame by frame; frames that were not noted have none."""

    def __init__(self, names: Iterable[str], frames: int) -> None:
        self._values = {name: np.full(frames, np.nan) for name in names}

    def note(self, state: State) -> None:
        """Keep the values at the state's frame."""
        for name, value in measure(state, self._values).items():
            self._values[name][state.frame] = value

    def until(self, name: str, frame: int) -> Array:
        """The values of a measure up to and with this frame, nan where it is not defined, shape (frame + 1,)."""
        return self._values[name][: frame + 1]


class Scene(NamedTuple):
    """The picture at hand."""

    setup: Setup  # the simulation's tables in force
    beginning: Setup  # the simulation's tables as the scenario has them, before any event
    projection: Projection  # from world to picture
    part: Array  # (2, d) the lowest and the highest corner of the part of the world that is seen, in world units
    # (2, 2) left and top, right and bottom of the part of the picture outside which nothing in the world is seen, in
    # pixels
    window: Array
    layout: Layout  # what stands where in the picture
    inks: Palette  # the colors of this run
    coloring: Coloring  # what the colors of boids mean
    # By role, what those look like who have a color of their own, in lengths of a body, (k, 2)
    outlines: Mapping[str, Array]
    history: MeasureHistory  # the values, frame by frame, of the measures that overlays show
    body: float  # length of a boid in the center of the world, in pixels
    pen: float = 1.0  # how much wider thin lines are than usual
    strength: float = 1.0  # of what is drawn, from 0 to 1, while it fades in

    @property
    def text(self) -> int:
        """Height of the letters, in pixels; margins and marks are measured by it too."""
        return self.layout.text

    def place(self, layer: "OverlayLayer") -> Rectangle:
        """Place of the text of a layer."""
        return self.layout.places[type(layer).__name__]

    def tone(self, role: str, strength: Array | float = 1.0) -> PaletteIndex:
        """The ink of a role at a strength from 0 to 1."""
        return self.inks.tone(self.inks.ink(role), strength if self.strength == 1.0 else strength * self.strength)

    def put_under(self, canvas: Canvas, corner: Array) -> None:
        """Put a pale plate below inks that are dark, where a lit picture is darkened for texts."""
        if self.inks.cleared and self.inks.dark:
            canvas.fill(corner, self.tone("text", PLATE))


def strength_at(depth: Array) -> Array:
    """Strength of what is seen at a depth from 0 to 1."""
    return 1.0 - (1.0 - MIN_STRENGTH) * np.asarray(depth)


class OverlayLayer(Table, ABC):
    """One thing drawn besides the animals."""

    roles: ClassVar[tuple[str, ...]] = ()
    """The theme's inks that it draws with."""
    slot: ClassVar[Slot | None] = None
    """Place of its text beside the world; None without such a text."""
    letters: ClassVar[float] = 1.0
    """Height of its letters, in heights of a letter."""
    border: ClassVar[Room] = Room()
    """Space between the world and all else, in heights of a letter."""
    panel: ClassVar[bool] = False
    """True if it needs a panel beside the world."""
    around: ClassVar[bool] = False
    """True if it shows something round the world."""
    glows: ClassVar[bool] = False
    """True if it glows like a trail of predators in the lit look."""

    @property
    def in_world(self) -> bool:
        """True if it shows something in the world, and so is clipped to the world's part of the picture."""
        return not (self.around or self.panel or self.slot)

    def wanted(self, setup: Setup) -> bool:
        """True if it is to be drawn: by default if its own key is set."""
        return getattr(self, next(reversed(type(self).model_fields))) not in {False, None, ""}

    def extent(self, setup: Setup, coloring: Coloring, wide: float, text: int) -> tuple[float, float]:
        """Width and height of that text where it has so much width, with letters of a height; all in pixels."""
        return 0.0, 0.0

    def inks(self, theme: Theme, setup: Setup) -> Mapping[str, str]:
        """Further inks, by roles of its own."""
        return {}

    def measures(self) -> tuple[str, ...]:
        """The measures whose values, frame by frame, it shows."""
        return ()


class Backdrop(OverlayLayer):
    """A layer below the animals that seldom changes."""

    def shows(self, setup: Setup) -> object:
        """The part of the setup that it shows: nothing that changes. It is redrawn when this is no longer equal."""
        return None

    @abstractmethod
    def draw(self, canvas: Canvas, scene: Scene) -> None:
        """Draw it."""


class Foreground(OverlayLayer):
    """A layer above the animals that may change with every frame."""

    def strength(self, frame: float) -> float:
        """Strength from 0 to 1 in a frame: less than 1 while it fades in."""
        return 1.0

    @abstractmethod
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        """Draw it."""
