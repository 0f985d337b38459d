"""Hunt: what a predator is after."""

from typing import Literal

import numpy as np

from boidsgen.simulation.geometry import Array, columns, dot
from boidsgen.simulation.neighbors import Neighbors, Request
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, PositiveOrInfinite, Table

PAIRS_AT_ONCE = 1 << 20
"""Pairs of predator and boid looked at together; bounds the memory of a large hunt."""


class Hunt(Table):
    """Steering toward boids."""

    weight: Finite = 1.0
    """Factor on the steering toward the target."""
    radius: PositiveOrInfinite = 150.0
    """How far a predator sees, in world units; inf = everywhere."""
    target: Literal["nearest", "all", "center"] = "nearest"
    """nearest: the nearest boid in range. all: the sum of the directions to all in range. center: the center of all
    boids."""

    def desired(self, position: Array, velocity: Array, prey: Array, world: World, neighbors: Neighbors) -> Array:
        """The direction in which each predator should go, shape (n, d); zero with nobody in range."""
        if not len(prey):
            return np.zeros_like(position)
        if self.target == "nearest":
            return self._to_nearest(position, prey, world)
        request = Request(self.radius, 360.0, "constant")
        if self.target == "center":
            request = Request(np.inf, 360.0, "offset")
        return neighbors.sums(position, velocity, prey, np.zeros_like(prey), [request])[request].total

    def _to_nearest(self, position: Array, prey: Array, world: World) -> Array:
        found = columns(*position.shape)
        block = max(1, PAIRS_AT_ONCE // len(prey))
        for first in range(0, len(position), block):
            some = slice(first, first + block)
            offset = world.shortest(prey[None, :, :] - position[some, None, :])
            squared = dot(offset, offset)
            nearest = squared.argmin(axis=1)
            own = np.arange(len(nearest))
            in_range = squared[own, nearest] < self.radius**2
            found[some] = offset[own, nearest] * in_range[:, None]
        return found
