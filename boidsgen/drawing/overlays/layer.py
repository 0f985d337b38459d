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
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State
from boidsgen.tables import Table


class Layer(Table, ABC):
    """One thing drawn besides the animals."""

    roles: ClassVar[tuple[str, ...]] = ()
    """The theme's inks that it draws with."""
    border: ClassVar[Room] = Room()
    """What it needs between the world and the edges, and by that sets the world apart."""
    panel: ClassVar[bool] = False
    """Whether it needs a panel beside the world."""
    in_world: ClassVar[bool] = True
    """Whether it shows something in the world, and so is cut off where the world's part of the picture ends."""

    glows: ClassVar[bool] = False
    """Whether it shines like a trail of predators where the look has light."""

    @abstractmethod
    def wanted(self, setup: Setup) -> bool:
        """Whether it is to be drawn."""

    def below(self, rows: int, text: int) -> float:
        """How much it needs between the world and the lines of text below it, in heights of a letter: nothing."""
        del rows, text
        return 0.0

    def room(self, setup: Setup, columns: int, text: int) -> Room:
        """Where it writes at the edges of a picture so many pixels wide, with letters so many pixels high: nowhere."""
        del setup, columns, text
        return Room()

    def inks(self, theme: Theme, setup: Setup) -> Mapping[str, str]:
        """Further inks, by roles of its own."""
        del theme, setup
        return {}

    def measures(self) -> tuple[str, ...]:
        """The measures whose values, frame by frame, it shows."""
        return ()


class Backdrop(Layer):
    """A layer below the animals that seldom changes."""

    def shows(self, setup: Setup) -> object:
        """What of the setup in force it shows: nothing that changes. It is drawn anew when this is no longer equal."""
        del setup
        return None

    @abstractmethod
    def draw(self, canvas: Canvas, scene: Scene) -> None:
        """Draw it."""


class Foreground(Layer):
    """A layer above the animals that may change with every frame."""

    @abstractmethod
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        """Draw it."""
