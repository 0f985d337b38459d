"""Separation: keep clear of neighbors that are too close."""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors import Falloff, Request
from boidsgen.simulation.perception import Perception
from boidsgen.simulation.rules.rule import NeighborRule, View
from boidsgen.tables import Finite, PositiveOrInfinite


class Separation(NeighborRule):
    """Move away from neighbors nearer than the radius, of the own kind and of every other (Reynolds 1987)."""

    present: ClassVar[bool] = True

    weight: Finite = 1.5
    """Factor on the steering away; 0 switches separation off."""
    radius: PositiveOrInfinite | None = 25.0
    """Distance in world units below which neighbors are too close; inf = everyone."""
    falloff: Falloff = "inverse"
    """Size of one neighbor's push at distance r: constant 1, inverse 1/r, inverse_square 1/r², linear r."""

    @override
    def request(self, perception: Perception) -> Request:
        return Request(*self.reach(perception), self.falloff)

    @override
    def other_requests(self, perception: Perception) -> Sequence[Request]:
        return (self.request(perception),)

    @override
    def desired(self, view: View) -> Array:
        """Minus the sum of the offsets to close neighbors, each brought to the length that the falloff gives."""
        request = self.request(view.perception)
        total = view.own[request].total
        if request in view.others:
            total = total + view.others[request].total
        return -total
