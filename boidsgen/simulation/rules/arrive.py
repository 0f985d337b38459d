"""Arrive: to a place, and stop there."""

import numpy as np
from typing_extensions import override

from boidsgen.simulation.rules.arriving import ArrivingRule, Places
from boidsgen.simulation.rules.rule import View
from boidsgen.tables import Vector


class Arrive(ArrivingRule):
    """Fly to a point and slow down before it: lim(max_speed · min(r/slowing, 1) · unit(point - p) - v, max_force).

    Here r is the distance to the point. Boids come to rest there only if min_speed is 0. Source: C. Reynolds,
    Steering Behaviors for Autonomous Characters, GDC 1999.
    """

    point: Vector | None = None
    """Where to, in world units. Default: the middle of the world."""

    @override
    def places(self, view: View) -> Places:
        point = view.world.extent / 2 if self.point is None else np.array(self.point)
        return Places(view.world.shortest(point - view.position), np.zeros_like(view.velocity))
