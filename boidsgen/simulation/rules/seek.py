"""Seek: toward a place at full speed."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.rules.rule import Rule, View
from boidsgen.simulation.steering import Steering
from boidsgen.tables import Vector


class Seek(Rule):
    """Head for a point at full speed, and fly past it: lim(max_speed · unit(point - p) - v, max_force).

    Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999.
    """

    usual_steering: ClassVar[Steering | None] = "reynolds"

    point: Vector | None = None
    """Where to, in world units. Default: the middle of the world."""

    @override
    def desired(self, view: View) -> Array:
        """The offset to the point."""
        point = view.world.extent / 2 if self.point is None else np.array(self.point)
        return view.world.shortest(point - view.position)
