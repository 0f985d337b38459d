"""Focus: the one boid that some overlays tell about."""

from abc import ABC
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layer import Foreground
from boidsgen.drawing.outlines import circle
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class OfOneBoid(Foreground, ABC):
    """A layer about the boid in focus."""

    roles: ClassVar[tuple[str, ...]] = ("focus",)

    focus: Annotated[int, Field(ge=0)] = 0
    """Number of the boid in focus, counted from 0 within the first flock."""

    def exists(self, setup: Setup) -> bool:
        """Whether there is such a boid."""
        return self.focus < setup.flock[0].count

    def place(self, state: State) -> Array:
        """Where it is, shape (d,)."""
        position: Array = state.flocks[0].position[self.focus]
        return position

    def flight(self, state: State) -> Array:
        """Its velocity, shape (d,)."""
        velocity: Array = state.flocks[0].velocity[self.focus]
        return velocity

    def ring(self, canvas: Canvas, scene: Scene, state: State) -> None:
        """Draw a ring round it."""
        seen = scene.projection(self.place(state)[None])
        if seen.shown[0]:
            rim = seen.xy + 0.75 * scene.text * circle(32)
            canvas.lines(rim, np.roll(rim, -1, axis=0), scene.tone("focus"), 1.6)
