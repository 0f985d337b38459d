"""Painter: what a look answers. The renderer knows when to draw what, a painter how.

canvas              where overlays draw
palette             (colors, 3) uint8, of all frames
body                length of a boid in the middle of the world, in pixels
pixels              what does the work pixel by pixel
note(state)         remember a state for the pictures to come
settle()            what overlays have drawn so far is the ground of the pictures to come
draw(state, scene)  begin a new picture, and draw the animals
surface(layer, scene)   where a layer draws that shows something in the world, and the scene as it is seen there
crop(window)        take away what animals and layers have drawn outside a window
picture()           the codes of the finished picture
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import Codes, Inks
from boidsgen.drawing.overlays.layer import Layer
from boidsgen.drawing.pixels import Pixels
from boidsgen.drawing.scene import Scene
from boidsgen.drawing.trails import Trails
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.state import State

if TYPE_CHECKING:
    from boidsgen.drawing.look import Drawable


class Painter(ABC):
    """Draws animals in one look."""

    canvas: Canvas
    inks: Inks
    palette: NDArray[np.uint8]
    body: float
    pixels: Pixels

    def __init__(self, scenario: "Drawable") -> None:
        style = scenario.style
        frames = [style.trails] * len(scenario.flock) + [style.hunters_trails] * len(scenario.predators)
        self._trails = [Trails(count, style.enlarged * style.trail_width) if count else None for count in frames]

    def note(self, state: State) -> None:
        """Remember a state."""
        for trails, group in zip(self._trails, (*state.flocks, *state.predators), strict=True):
            if trails:
                trails.follow(group.position, state.setup.world)

    def settle(self) -> None:
        """Make what is drawn so far the ground."""
        self.canvas.settle()

    @abstractmethod
    def draw(self, state: State, scene: Scene) -> None:
        """Begin a new picture with its animals."""

    def surface(self, layer: Layer, scene: Scene) -> tuple[Canvas, Scene]:
        """Where a layer draws, and the scene as it is seen there."""
        del layer
        return self.canvas, scene

    def crop(self, window: Array) -> None:
        """Take away what was drawn outside a window."""
        self.canvas.crop(window)

    @abstractmethod
    def picture(self) -> Codes:
        """The finished picture."""
