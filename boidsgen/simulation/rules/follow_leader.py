"""Follow a leader: behind it, and out of its way."""

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array, dot, length, scaled, unit
from boidsgen.simulation.neighbors.encounters import nearest
from boidsgen.simulation.rules.arriving import ArrivingRule, Places
from boidsgen.simulation.rules.rule import FlockName, View
from boidsgen.simulation.world import World
from boidsgen.tables import Positive


class FollowLeader(ArrivingRule):
    """Arrive at a point behind the leader, and get out of the way when in front of it.

    The leader is the first boid of the own flock, which goes where the other rules lead it, or the nearest boid of
    another flock. Who is nearer to the leader than `behind`, and in front of it within 45° of its heading, makes way
    straight to the side. Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999.
    """

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
        others = [
            flock for number, flock in enumerate(view.flocks) if number != view.flock and flock.name == self.flock
        ]
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
