"""The contract of every obstacle.

`surface(position, world)` says how far each position is from the obstacle's surface (negative inside), shape (n,),
and which way is straight out, shape (n, d), length 1. From these two follow the push that steers boids round it and
the rule that none ends a step inside.
"""

from abc import ABC, abstractmethod

import numpy as np

from boidsgen.simulation.geometry import Array, dot, scaled
from boidsgen.simulation.lasting import Lasting
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, Positive

STRONGEST_PUSH = 20.0
"""Bound on the push at and below the surface, where the formula has no finite value."""


class Obstacle(Lasting, ABC):
    """Something that boids and hunting predators fly round."""

    margin: Positive | None = None
    """How far beyond the surface the obstacle is felt, in world units. Default: half its radius, or a tenth of the
    world."""
    weight: Finite = 2.5
    """Factor on the push away from the surface."""
    solid: bool = True
    """Whether a boid may never end a step inside: it is put back on the surface and loses its velocity into it."""

    @abstractmethod
    def surface(self, position: Array, world: World) -> tuple[Array, Array]:
        """Distance from the surface, negative inside, shape (n,), and the outward direction there, shape (n, d)."""

    def reach(self, world: World) -> float:
        """How far beyond the surface the obstacle is felt, in world units."""
        return 0.1 * min(world.size) if self.margin is None else self.margin

    def strength(self, gap: Array, margin: float) -> Array:
        """Push at this distance from the surface: (margin - gap)/gap within the margin, bounded near the surface."""
        ratio = np.divide(margin - gap, gap, out=np.full_like(gap, STRONGEST_PUSH), where=gap > 0)
        return np.where(gap < margin, np.minimum(ratio, STRONGEST_PUSH), 0.0)

    def push(self, position: Array, world: World) -> Array:
        """The steering away from the obstacle, weight included, shape (n, d)."""
        gap, outward = self.surface(position, world)
        return outward * (self.weight * self.strength(gap, self.reach(world)))[:, None]

    def keep_out(self, position: Array, velocity: Array, world: World) -> tuple[Array, Array]:
        """Positions and velocities after a solid obstacle has had its say, shape (n, d) each."""
        if not self.solid:
            return position, velocity
        gap, outward = self.surface(position, world)
        if not (gap < 0).any():
            return position, velocity
        depth = np.maximum(-gap, 0.0)
        inward = np.minimum(dot(velocity, outward), 0.0) * (gap < 0)
        return position + outward * depth[:, None], velocity - outward * inward[:, None]


def outward_from(offset: Array, distance: Array) -> Array:
    """Directions away from a center; who is exactly there leaves along the first axis."""
    direction = scaled(offset, distance, 1.0)
    direction[distance == 0, 0] = 1.0
    return direction
