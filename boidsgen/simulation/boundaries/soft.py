"""Walls that boids feel before they reach them."""

from typing import Literal

import numpy as np
from typing_extensions import override

from boidsgen.simulation.boundaries.boundary import Boundary
from boidsgen.simulation.geometry import Array
from boidsgen.tables import NotNegative, Positive


class Soft(Boundary):
    """A push inward within a margin of each wall, growing linearly; boids may overshoot and are pushed back harder."""

    kind: Literal["soft"] = "soft"
    margin: Positive = 40.0
    """Distance from a wall at which the push begins, in world units."""
    strength: NotNegative = 1.0
    """Push at the wall itself, as acceleration in one step; it falls to zero at the margin."""

    @override
    def push(self, position: Array, size: Array) -> Array:
        """Inward, strength · (1 - distance/margin) within the margin of a wall; beyond the wall it keeps growing."""
        low = np.maximum(1.0 - position / self.margin, 0.0)
        high = np.maximum(1.0 - (size - position) / self.margin, 0.0)
        return self.strength * (low - high)

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        del size
        return position, velocity
