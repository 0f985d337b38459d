"""Formation: a V or a line behind the first boid."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen.simulation.geometry import Array, length, unit
from boidsgen.simulation.rules.arriving import ArrivingRule, Places
from boidsgen.simulation.rules.rule import View
from boidsgen.tables import Finite, Positive

ARMS = {"v": 2, "line": 1}
"""How many arms a shape has."""

USUAL_ANGLE = {"v": 70.0, "line": 0.0}
"""The angle of each shape, in degrees."""


class Formation(ArrivingRule):
    """Arrive at one's own slot behind the first boid of the flock, which goes where the other rules lead it.

    In a V the boids alternate between a left and a right arm: number i (counted from 0, the leader) is ceil(i/2) slots
    out. In a line it is i slots out. In 3D the slots lie in the plane of the leader's heading and the horizontal.
    """

    shape: Literal["v", "line"] = "v"
    """v: two arms behind the leader. line: one."""
    spacing: Positive = 20.0
    """Distance between one slot and the next of the same arm, in world units."""
    angle: Annotated[Finite, Field(ge=0, le=180)] | None = None
    """In degrees. v: between the arms, default 70; 180 = abreast. line: between the line and straight behind the
    leader, default 0, in file; 90 = abreast on its left."""

    @override
    def places(self, view: View) -> Places:
        leader = view.world.shortest(view.position[:1] - view.position)
        slot = self._slots(view.velocity[:1], len(leader))
        pace = np.broadcast_to(view.velocity[:1], slot.shape)
        return Places(view.world.shortest(leader + slot), pace)

    def _slots(self, velocity: Array, count: int) -> Array:
        """Offsets of the slots of `count` boids from a leader with this velocity, shape (1, d), at number 0."""
        number, arms = np.arange(count), ARMS[self.shape]
        out, side = (number + arms - 1) // arms, 1.0 - 2.0 * ((number + 1) % arms)
        angle = np.radians(USUAL_ANGLE[self.shape] if self.angle is None else self.angle) / arms
        heading = _heading(velocity)
        arm = -np.cos(angle) * heading + np.sin(angle) * side[:, None] * _left(heading)
        slots: Array = self.spacing * out[:, None] * arm
        return slots


def _heading(velocity: Array) -> Array:
    """The direction of flight, along the first axis at rest."""
    ahead = np.zeros_like(velocity)
    ahead[:, 0] = 1.0
    return np.where(length(velocity)[:, None] > 0, unit(velocity), ahead)


def _left(heading: Array) -> Array:
    """The horizontal direction to the left of a heading, along the second axis for who flies straight up or down."""
    left = np.zeros_like(heading)
    left[:, 0], left[:, 1] = -heading[:, 1], heading[:, 0]
    left[length(left) == 0, 1] = 1.0
    return unit(left)
