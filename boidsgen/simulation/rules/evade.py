"""Evade: away from where predators will be."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array, length, unit
from boidsgen.simulation.rules.prediction import ahead
from boidsgen.simulation.rules.rule import Rule, View
from boidsgen.simulation.steering import Steering
from boidsgen.tables import NotNegative, PositiveOrInfinite


class Evade(Rule):
    """Move away from where every predator within the radius will soon be, whichever way the boid looks.

    A predator at q with velocity w is expected at q + w·T, where T = min(lead, r/(|v| + |w|)) and r is its distance:
    about the time the two would need to meet. Each gives the unit vector away from there. Source: C. Reynolds,
    Steering Behaviors for Autonomous Characters, GDC 1999 (evasion).
    """

    usual_steering: ClassVar[Steering | None] = "reynolds"

    radius: PositiveOrInfinite = 100.0
    """Predators nearer than this are evaded, in world units; inf = all of them."""
    lead: NotNegative = 10.0
    """How far ahead a predator's flight is predicted at most, in units of time; 0 = evade where it is now."""

    @override
    def desired(self, view: View) -> Array:
        """The sum of the unit vectors away from where predators in range are expected."""
        away = np.zeros_like(view.position)
        for hunters in view.hunters:
            for position, velocity in zip(hunters.position, hunters.velocity, strict=True):
                away -= self._toward(position[None], velocity[None], view)
        return away

    def _toward(self, position: Array, velocity: Array, view: View) -> Array:
        """Unit vectors to where one predator, rows of shape (1, d), is expected; zero for boids out of its range."""
        offset = view.world.shortest(position - view.position)
        expected = view.world.shortest(ahead(offset, view.velocity, velocity, self.lead))
        return unit(expected) * (length(offset) < self.radius)[:, None]
