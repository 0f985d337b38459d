"""Scene: what everything that draws needs to know about the picture at hand."""

from dataclasses import dataclass

import numpy as np

from boidsgen.drawing.camera import Viewport
from boidsgen.drawing.inks import Inks, Tone
from boidsgen.drawing.projection import Projection
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import Setup

FAINTEST = 0.3
"""Strength of what is farthest away."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The picture at hand.

    Attributes:
        setup: the simulation's tables.
        projection: from world to picture.
        viewport: the part of the picture that shows the world.
        size: (width, height) of the picture, in pixels.
        inks: the colors of this run.
        text: height of the letters, in pixels; margins and marks are measured by it too.
        key: what the colors of boids mean: a label, empty within a ramp, and a role for each.
    """

    setup: Setup
    projection: Projection
    viewport: Viewport
    size: tuple[int, int]
    inks: Inks
    text: int
    key: tuple[tuple[str, str], ...]

    def tone(self, role: str, strength: Array | float = 1.0) -> Tone:
        """The ink of a role at a strength from 0 to 1."""
        return self.inks.tone(self.inks.ink(role), strength)


def faded(depth: Array) -> Array:
    """Strength of what is seen at a depth from 0 to 1."""
    return 1.0 - (1.0 - FAINTEST) * np.asarray(depth)
