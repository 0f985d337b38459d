"""A disc, in 3D a ball."""

from typing import Literal

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.obstacles.obstacle import STRONGEST_PUSH, Obstacle, outward_from
from boidsgen.simulation.world import World
from boidsgen.tables import Positive, Vector


class Circle(Obstacle):
    """A disc; in 3D a ball."""

    kind: Literal["circle"] = "circle"
    center: Vector
    """Middle of the disc, in world units."""
    radius: Positive
    """Radius, in world units."""

    @override
    def reach(self, world: World) -> float:
        return self.radius / 2 if self.margin is None else self.margin

    @override
    def strength(self, gap: Array, margin: float) -> Array:
        """(radius + margin - d)/d at distance d from the center, where d is less than radius + margin."""
        distance = gap + self.radius
        ratio = np.divide(margin - gap, distance, out=np.full_like(gap, STRONGEST_PUSH), where=distance > 0)
        return np.clip(ratio, 0.0, STRONGEST_PUSH)

    @override
    def surface(self, position: Array, world: World) -> tuple[Array, Array]:
        offset = world.shortest(position - np.array(self.center))
        distance = length(offset)
        return distance - self.radius, outward_from(offset, distance)
