"""Flee: away from predators."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors import Falloff, Request
from boidsgen.simulation.rules.rule import Rule, View
from boidsgen.tables import PositiveOrInfinite


class Flee(Rule):
    """Move away from every predator within the radius, whichever way the boid looks."""

    present: ClassVar[bool] = True

    radius: PositiveOrInfinite = 100.0
    """Fear radius: predators nearer than this are fled from, in world units; inf = all of them."""
    falloff: Falloff = "constant"
    """Size of one predator's push at distance r: constant 1, inverse 1/r, inverse_square 1/r², linear r."""

    @override
    def predator_requests(self) -> Sequence[Request]:
        return (self._request(),)

    @override
    def desired(self, view: View) -> Array:
        """Minus the sum of the offsets to predators, each brought to the length that the falloff gives."""
        request = self._request()
        if request not in view.predators:
            return np.zeros_like(view.position)
        return -view.predators[request].total

    def _request(self) -> Request:
        return Request(self.radius, 360.0, self.falloff)
