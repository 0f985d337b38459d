"""The contract of every overlay.

An overlay is a table with its own keys, all of which appear in [overlay], and it draws one thing besides the animals:
  wanted(setup)               whether it is to be drawn at all
  draw(canvas, scene)         a Backdrop: what does not move, drawn once and again only when the camera moves
  draw(canvas, scene, state)  a Foreground: what changes with every frame, drawn above the animals
"""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State
from boidsgen.tables import Table


class Room(NamedTuple):
    """Space at the edges of the picture, in heights of a letter."""

    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0


class Layer(Table, ABC):
    """One thing drawn besides the animals."""

    roles: ClassVar[tuple[str, ...]] = ()
    """The theme's inks that it draws with."""
    room: ClassVar[Room] = Room()
    """Where it writes at the edges of the picture, in case something sets the world apart from the edges."""
    border: ClassVar[Room] = Room()
    """What it needs between the world and the edges, and by that sets the world apart."""

    @abstractmethod
    def wanted(self, setup: Setup) -> bool:
        """Whether it is to be drawn."""


class Backdrop(Layer):
    """A layer below the animals that moves only with the camera."""

    @abstractmethod
    def draw(self, canvas: Canvas, scene: Scene) -> None:
        """Draw it."""


class Foreground(Layer):
    """A layer above the animals that may change with every frame."""

    @abstractmethod
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        """Draw it."""
