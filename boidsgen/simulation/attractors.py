"""Attractors: points that draw boids near or, with a negative weight, drive them away."""

import numpy as np

from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.lasting import Lasting
from boidsgen.simulation.motion import Motion
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, PositiveOrInfinite, Vector


class Attractor(Lasting):
    """A point that all boids in range seek (Reynolds 1999); with a negative weight they flee it."""

    point: Vector
    """Where it is, in world units."""
    weight: Finite = 1.0
    """Factor on the steering toward the point; negative = away from it."""
    radius: PositiveOrInfinite = float("inf")
    """How far it is felt, in world units; inf = everywhere."""

    def pull(self, motion: Motion, position: Array, velocity: Array, world: World) -> Array:
        """Weight times lim(max_speed · unit(±offset) - v, max_force) for boids in range, shape (n, d)."""
        offset = world.shortest(np.array(self.point) - position)
        wish = offset * (length(offset) < self.radius)[:, None]
        return abs(self.weight) * motion.reynolds(wish * np.sign(self.weight), velocity)
