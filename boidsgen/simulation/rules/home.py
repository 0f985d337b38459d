"""Home: a place that pulls."""

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.rules.rule import Rule, View
from boidsgen.tables import NotNegative, Vector


class Home(Rule):
    """Pull toward a point, proportional to the distance from it."""

    point: Vector | None = None
    """Where home is, in world units. Default: the middle of the world."""
    beyond: NotNegative = 0.0
    """Only boids further away than this are pulled, in world units."""

    @override
    def desired(self, view: View) -> Array:
        """The offset to the point, zero within `beyond` of it."""
        point = view.world.extent / 2 if self.point is None else np.array(self.point)
        offset = view.world.shortest(point - view.position)
        return offset * (length(offset) > self.beyond)[:, None]
