"""Follow a path: along a line of straight legs."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import FailFast, Field
from typing_extensions import override

from boidsgen.caps import MAX_POINTS
from boidsgen.simulation.dynamics import Steering
from boidsgen.simulation.geometry import Array, dot, length, scaled
from boidsgen.simulation.rules.rule import Rule, View
from boidsgen.simulation.world import World
from boidsgen.tables import NotNegative, Positive, Table, Vector


class FollowPath(Rule):
    """Stay in the corridor around a path, and fly along it from its first point to its last.

    Who will be inside the corridor after `lead`, flying along the path, goes on as it is. Everybody else seeks the
    point that lies one corridor radius further along than the one nearest to where it will be. An open path ends: boids
    stay about its last point. Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999.
    """

    formula: ClassVar[str] = (
        "0 for who will be inside the corridor after lead and flies along; else the offset to the point one "
        "corridor radius beyond the nearest"
    )
    source: ClassVar[str] = "Reynolds 1999"
    usual_steering: ClassVar[Steering | None] = "reynolds"
    example: ClassVar[Mapping[str, Any]] = {"points": ((20.0, 20.0), (80.0, 30.0))}

    points: Annotated[tuple[Vector, ...], FailFast(), Field(min_length=2, max_length=MAX_POINTS)]
    """The corners of the path in order, in world units; its legs are straight as on paper, never across an edge."""
    closed: bool = False
    """Whether the last point is joined to the first."""
    radius: Positive = 20.0
    """Radius of the corridor around the path, in world units."""
    lead: NotNegative = 10.0
    """How far ahead a boid looks at where it will be, in units of time."""

    @override
    def desired(self, view: View) -> Array:
        """The offset to a point a little further along the path, zero for boids that are on their way."""
        course = self._course()
        expected = view.position + self.lead * view.velocity
        there = course.nearest(expected, view.world)
        astray = there.distance >= self.radius
        backward = dot(view.velocity, course.direction[there.leg]) <= 0
        target = course.at(there.along + self.radius)
        return view.world.shortest(target - view.position) * (astray | backward)[:, None]

    def _course(self) -> "_Course":
        corner = np.array((*self.points, self.points[0]) if self.closed else self.points)
        legs = np.diff(corner, axis=0)
        lengths = length(legs)
        return _Course(corner, scaled(legs, lengths, 1.0), np.concatenate(([0.0], lengths.cumsum())), self.closed)


class _Nearest(NamedTuple):
    """The points of a path nearest to given positions.

    Attributes:
        leg: (n,) number of the leg.
        along: (n,) distance from the start, along the path.
        distance: (n,) how far the positions are from the path.
    """

    leg: NDArray[np.intp]
    along: Array
    distance: Array


class _Course(NamedTuple):
    """A path.

    Attributes:
        corner: (legs + 1, d) from the first to the last.
        direction: (legs, d) of length 1.
        until: (legs + 1,) distance of each corner from the start, along the path.
        closed: whether it ends where it begins.
    """

    corner: Array
    direction: Array
    until: Array
    closed: bool

    def nearest(self, position: Array, world: World) -> _Nearest:
        """The point of the path nearest to each position, shape (n, d)."""
        half = np.diff(self.until) / 2
        # Seen from the middle of a leg, the nearest image of a boid is nearest to the leg as well.
        middle = (self.corner[1:] + self.corner[:-1]) / 2
        offset = world.shortest(position[:, None, :] - middle)
        part = np.clip(dot(offset, np.broadcast_to(self.direction, offset.shape)), -half, half)
        distance = length(offset - part[..., None] * self.direction)
        leg = distance.argmin(axis=1)
        own = np.arange(len(position))
        return _Nearest(leg, self.until[leg] + half[leg] + part[own, leg], distance[own, leg])

    def at(self, along: Array) -> Array:
        """The points at these distances along the path; beyond the end of an open one its end, shape (n, d)."""
        whole = self.until[-1]
        within = np.mod(along, whole) if self.closed and whole else np.minimum(along, whole)
        leg = np.clip(np.searchsorted(self.until, within, side="right") - 1, 0, len(self.direction) - 1)
        place: Array = self.corner[leg] + self.direction[leg] * (within - self.until[leg])[:, None]
        return place


class PathRules(Table):
    """The rule about a path, by the name of its table."""

    follow_path: FollowPath | None = None
    """Stay in the corridor around a path, and fly along it from its first point to its last."""
