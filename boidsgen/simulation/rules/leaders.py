"""Rules about a leader: follow it, or fly in formation behind it."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.geometry import Array, dot, length, scaled, unit
from boidsgen.simulation.neighbors.encounters import nearest
from boidsgen.simulation.rules.places import ArrivingRule, Places
from boidsgen.simulation.rules.rule import FlockName, View
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, Positive, Table


class FollowLeader(ArrivingRule):
    """Arrive at a point behind the leader, and get out of the way when in front of it.

    The leader is the first boid of the own flock, which goes where the other rules lead it, or the nearest boid of
    another flock. Who is nearer to the leader than `behind`, and in front of it within 45° of its heading, makes way
    straight to the side. Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999.
    """

    formula: ClassVar[str] = (
        "as arrive, at the point behind the leader, u the leader's velocity; who is in front of it within "
        "45° and nearer than behind goes straight to the side"
    )
    source: ClassVar[str] = "Reynolds 1999"
    by_number: ClassVar[bool] = True

    flock: FlockName | None = None
    """The flock that leads, by its name. Default: the first boid of the own flock leads."""
    behind: Positive = 30.0
    """How far behind the leader the boids want to be, in world units."""

    @override
    def places(self, view: View) -> Places:
        position, velocity = self._leaders(view)
        if not len(position):
            return Places(np.zeros_like(view.position), view.velocity)
        leader, offset = nearest(view.position, position, view.world)
        pace = velocity[leader]
        place = self._place(offset, unit(pace), view.world)
        if self.flock is None:
            place[0] = 0.0
        return Places(place, pace)

    def _leaders(self, view: View) -> tuple[Array, Array]:
        """Positions and velocities of those who may be followed, shape (m, d) each."""
        if self.flock is None:
            return view.position[:1], view.velocity[:1]
        others = [flock for flock in view.flocks if flock.name == self.flock]
        nobody = view.position[:0]
        position = np.concatenate([nobody, *(flock.position for flock in others)])
        return position, np.concatenate([nobody, *(flock.velocity for flock in others)])

    def _place(self, offset: Array, heading: Array, world: World) -> Array:
        """The offset to where a boid should be whose leader is at `offset`, shape (n, d)."""
        ahead = -dot(heading, offset)
        aside = -offset - heading * ahead[:, None]
        beside = length(aside)
        in_the_way = (ahead > beside) & (length(offset) < self.behind)
        behind = world.shortest(offset - self.behind * heading)
        return np.where(in_the_way[:, None], scaled(aside, beside, self.behind), behind)


ARMS = {"v": 2, "line": 1}
"""How many arms a shape has."""

USUAL_ANGLE = {"v": 70.0, "line": 0.0}
"""The angle of each shape, in degrees."""


class Formation(ArrivingRule):
    """Arrive at a slot of one's own behind the first boid of the flock, which goes where the other rules lead it.

    In a V the boids alternate between a left and a right arm: number i (counted from 0, the leader) is ceil(i/2) slots
    out. In a line it is i slots out. In 3D the slots lie in the plane of the leader's heading and the horizontal.
    """

    formula: ClassVar[str] = (
        "as arrive, at one's own slot: boid i of a V is ceil(i/2) · spacing out on alternating arms, of a "
        "line i · spacing"
    )
    source: ClassVar[str] = "after Reynolds 1999, arrive"
    by_number: ClassVar[bool] = True

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
        arm = -exact.cosine(angle) * heading + exact.sine(angle) * side[:, None] * _left(heading)
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


class LeaderRules(Table):
    """The rules about a leader, by the names of their tables."""

    follow_leader: FollowLeader | None = None
    """Arrive at a point behind the leader, and get out of the way when in front of it."""
    formation: Formation | None = None
    """Arrive at a slot of one's own behind the first boid of the flock, which goes where the other rules lead it."""
