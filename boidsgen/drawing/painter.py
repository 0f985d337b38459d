"""Painter: what a look answers. The renderer knows when to draw what, a painter how.

canvas              where overlays draw
palette             (colors, 3) uint8, of all frames
body                length of a boid in the middle of the world, in pixels
note(state)         remember a state for the pictures to come
settle()            what overlays have drawn so far is the ground of the pictures to come
draw(state, scene)  begin a new picture, and draw the animals
surface(layer, scene)   where a layer draws that shows something in the world, and the scene as it is seen there
crop(window)        take away what animals and layers have drawn outside a window
picture()           the codes of the finished picture
"""

import sys
from abc import ABC, abstractmethod
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import Codes, Inks
from boidsgen.drawing.overlays.layer import Layer
from boidsgen.drawing.scene import Scene
from boidsgen.drawing.trails import Trails
from boidsgen.simulation.compiling import may_be_kept
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors import unusable
from boidsgen.simulation.neighbors.engines import INSTALLED, WORTHWHILE
from boidsgen.simulation.state import State

if TYPE_CHECKING:
    from boidsgen.drawing.look import Drawable


class Painter(ABC):
    """Draws animals in one look."""

    canvas: Canvas
    inks: Inks
    palette: NDArray[np.uint8]
    body: float

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


SAVED_PER_FRAME = 0.3e-3
"""Seconds that compiled drawing saves in one frame, whatever is in it."""
SAVED_PER_BOID = 0.3e-6
"""Seconds that it saves for one boid in one frame."""
SAVED_PER_PIECE = 0.06e-6
"""Seconds that it saves for one piece of a trail in one frame."""
COMPILING = 3.0
"""Seconds that compiling takes where nothing is cached."""
LOADED = 0.2
"""Part of numba's start-up time that is left when the simulation has imported it."""


def compiled_for(scenario: "Drawable") -> ModuleType | None:
    """The module of compiled drawing, if a run gains at least twice what it costs; None = numpy."""
    boids = sum(scenario.most_boids)
    pieces = boids * scenario.style.trails
    gain = scenario.time.frames * (SAVED_PER_FRAME + SAVED_PER_BOID * boids + SAVED_PER_PIECE * pieces)
    if not INSTALLED or gain < WORTHWHILE * (LOADED if "numba" in sys.modules else 1.0) or unusable.given_up():
        return None
    if gain < 2 * COMPILING and not may_be_kept(__file__, "compiled.add_levels"):
        return None
    try:
        from boidsgen.drawing import compiled  # noqa: PLC0415  numba takes long to import
    except Exception as error:  # noqa: BLE001  a damaged cache raises what it likes
        unusable.give_up(unusable.UnusableEngineError(f"{type(error).__name__} {error}".partition("\n")[0]))
        return None
    return compiled
