"""A wall between two points."""

from typing import Literal

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.obstacles.obstacle import Obstacle, outward_from
from boidsgen.simulation.world import World
from boidsgen.tables import NotNegative, Vector


class Segment(Obstacle):
    """A straight wall with round ends; in 3D a rod."""

    kind: Literal["segment"] = "segment"
    start: Vector
    """One end, in world units."""
    end: Vector
    """The other end, in world units."""
    radius: NotNegative = 3.0
    """Half the thickness of the wall, in world units."""

    @override
    def surface(self, position: Array, world: World) -> tuple[Array, Array]:
        offset = world.shortest(position - np.array(self.start))
        along = np.array(self.end) - np.array(self.start)
        squared = float(along @ along)
        part = np.clip(offset @ along / squared, 0.0, 1.0) if squared else np.zeros(len(position))
        across = offset - part[:, None] * along
        distance = length(across)
        return distance - self.radius, outward_from(across, distance)
