"""Alignment: fly as the neighbors fly."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors import Request
from boidsgen.simulation.perception import Perception
from boidsgen.simulation.rules.rule import NeighborRule, View


class Alignment(NeighborRule):
    """Match the mean velocity of the neighbors (Reynolds 1987)."""

    present: ClassVar[bool] = True

    @override
    def request(self, perception: Perception) -> Request:
        return Request(*self.reach(perception), "velocity", perception.neighbors)

    @override
    def desired(self, view: View) -> Array:
        """The mean velocity of the neighbors, zero without neighbors."""
        near = view.own[self.request(view.perception)]
        return near.total / np.maximum(near.count, 1.0)[:, None]

    @override
    def direct(self, view: View) -> Array:
        """The mean velocity of the neighbors minus the boid's own, zero without neighbors."""
        count = view.own[self.request(view.perception)].count
        return self.desired(view) - view.velocity * (count > 0)[:, None]
