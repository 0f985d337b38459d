"""The contract of every overlay.

An overlay is a table with its own keys, all of which appear in [overlay], and it draws one thing besides the animals:
one class, and its name in `OVERLAYS`. It answers:
  wanted(setup)               whether it is to be drawn at all; `setup` is the scenario as written, before any event
  draw(canvas, scene)         a Backdrop: below the animals, drawn once and again only when the camera or what it
                              shows has changed
  draw(canvas, scene, state)  a Foreground: drawn above the animals with every frame
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layout import Room
from boidsgen.drawing.scene import Scene
from boidsgen.drawing.themes import Theme
from boidsgen.simulation.setup import Setup, State
from boidsgen.tables import Table


class OverlayLayer(Table, ABC):
    """One thing drawn besides the animals."""

    roles: ClassVar[tuple[str, ...]] = ()
    """The theme's inks that it draws with."""
    border: ClassVar[Room] = Room()
    """Space between the world and the edges of the picture."""
    panel: ClassVar[bool] = False
    """True if it needs a panel beside the world."""
    in_world: ClassVar[bool] = True
    """True if it shows something in the world, and so is clipped to the world's part of the picture."""

    glows: ClassVar[bool] = False
    """True if it glows like a trail of predators in the lit look."""

    def wanted(self, setup: Setup) -> bool:
        """True if it is to be drawn: by default if its own key is set."""
        del setup
        return getattr(self, next(reversed(type(self).model_fields))) not in {False, None, ""}

    def below(self, rows: int, text: int) -> float:
        """Space between the world and the lines of text below it, in heights of a letter: none."""
        del rows, text
        return 0.0

    def room(self, setup: Setup, columns: int, text: int) -> Room:
        """Space for text at the edges of a picture of a width, with letters of a height, in pixels: none."""
        del setup, columns, text
        return Room()

    def inks(self, theme: Theme, setup: Setup) -> Mapping[str, str]:
        """Further inks, by roles of its own."""
        del theme, setup
        return {}

    def measures(self) -> tuple[str, ...]:
        """The measures whose values, frame by frame, it shows."""
        return ()


class Backdrop(OverlayLayer):
    """A layer below the animals that seldom changes."""

    def shows(self, setup: Setup) -> object:
        """The part of the setup that it shows: nothing that changes. It is redrawn when this is no longer equal."""
        del setup
        return None

    @abstractmethod
    def draw(self, canvas: Canvas, scene: Scene) -> None:
        """Draw it."""


class Foreground(OverlayLayer):
    """A layer above the animals that may change with every frame."""

    @abstractmethod
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        """Draw it."""
