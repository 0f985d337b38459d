"""A box with sides along the axes."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.obstacles.obstacle import Obstacle, outward_from
from boidsgen.simulation.world import World
from boidsgen.tables import OfWorldDimension, Positive, Vector


class Box(Obstacle):
    """A rectangle with sides along the axes; in 3D a box."""

    kind: Literal["box"] = "box"
    center: Vector
    """Middle of the box, in world units."""
    size: Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3), OfWorldDimension()]
    """Full extent along each axis, in world units."""

    @override
    def surface(self, position: Array, world: World) -> tuple[Array, Array]:
        offset = world.shortest(position - np.array(self.center))
        beyond = np.abs(offset) - np.array(self.size) / 2
        side = np.where(offset < 0, -1.0, 1.0)
        outside = np.maximum(beyond, 0.0)
        distance = length(outside)
        inside = distance == 0
        outward = outward_from(outside * side, distance)
        # Inside, the way out leads through the nearest face.
        nearest = np.eye(world.dimension)[beyond.argmax(axis=1)] * side
        outward[inside] = nearest[inside]
        return np.where(inside, beyond.max(axis=1), distance), outward
