"""Hunt: what a predator is after."""

from typing import Literal

import numpy as np
from pydantic import ValidationInfo, field_validator

from boidsgen.simulation.geometry import Array, dot
from boidsgen.simulation.neighbors.encounters import nearest
from boidsgen.simulation.neighbors.engines import Neighbors
from boidsgen.simulation.neighbors.request import Request
from boidsgen.simulation.rules.pursuit import ahead
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, NotNegative, PositiveOrInfinite, Table


class Hunt(Table):
    """Steering toward boids."""

    weight: Finite = 1.0
    """Factor on the steering toward the target."""
    radius: PositiveOrInfinite = 150.0
    """How far a predator sees, in world units; inf = everywhere."""
    target: Literal["nearest", "all", "center"] = "nearest"
    """nearest: the nearest boid in range. all: the sum of the directions to all in range. center: the center of all
    boids."""

    lead: NotNegative = 0.0
    """With target nearest: how far ahead the boid's flight is predicted at most, in units of time; 0 = aim at where it
    is now."""

    @field_validator("lead")
    @classmethod
    def _only_for_the_nearest(cls, value: float, info: ValidationInfo) -> float:
        if value and info.data.get("target", "nearest") != "nearest":
            raise ValueError('has an effect with target = "nearest" only')
        return value

    def desired(
        self,
        position: Array,
        velocity: Array,
        prey: Array,
        prey_velocity: Array,
        world: World,
        neighbors: Neighbors,
    ) -> Array:
        """The direction in which each predator should go, shape (n, d); zero with nobody in range."""
        if not len(prey):
            return np.zeros_like(position)
        if self.target == "nearest":
            return self._to_nearest(position, velocity, prey, prey_velocity, world)
        request = Request(self.radius, 360.0, "constant")
        if self.target == "center":
            request = Request(np.inf, 360.0, "offset")
        return neighbors.sums(position, velocity, prey, np.zeros_like(prey), [request])[request].total

    def _to_nearest(self, position: Array, velocity: Array, prey: Array, prey_velocity: Array, world: World) -> Array:
        """The offset to where the nearest boid is expected: pursuit (Reynolds 1999)."""
        number, offset = nearest(position, prey, world)
        expected = world.shortest(ahead(offset, velocity, prey_velocity[number], self.lead))
        return expected * (dot(offset, offset) < self.radius**2)[:, None]
