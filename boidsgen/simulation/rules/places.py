"""Rules about places: seek, home, arrive, follow a path, follow a leader, fly in formation.

With o the offset to the place and u the velocity of the place, `arrive`, `follow_leader` and `formation` want
  w = lim(u + max_speed · min(|o|/slowing, 1) · unit(o), max_speed)
and steer by lim(w - v, max_force): at full speed from far away, and within `slowing` the slower the nearer, so that a
boid comes to rest relative to the place. Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999.
"""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import FailFast, Field
from typing_extensions import override

from boidsgen import exact
from boidsgen.errors import MAX_POINTS
from boidsgen.simulation.geometry import Array, by_column, dot, length, limited, read_only, scaled, unit
from boidsgen.simulation.motion import Steering
from boidsgen.simulation.neighbors import nearest
from boidsgen.simulation.rules.rule import FlockName, Operands, Operation, Rule, View
from boidsgen.simulation.starts import FLIGHT, Points, Word
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, NotNegative, NotNegativeOrInfinite, Positive, Vector, tagged


class Places(NamedTuple):
    """Target of each boid. A boid that should go on as it is has an offset of zero and its own velocity."""

    offset: Array  # (n, d) from the boid to its place
    velocity: Array  # (n, d) of the place


class ArrivingRule(Rule):
    """A rule that knows where each boid should be."""

    steering: Steering | None = None
    """direct, the usual one: slow down near the place. reynolds: head for it at full speed all the way."""
    max_force: NotNegativeOrInfinite | None = None
    """Maximum change of velocity by this rule in one step, before its weight; inf = no limit. Default: the group's
    max_force."""
    slowing: Positive = 50.0
    """Distance from the place within which a boid slows down, in world units."""

    @abstractmethod
    def places(self, view: View) -> Places:
        """Target of each boid."""

    @override
    def desired(self, view: View) -> Array:
        """The offset to each boid's place."""
        return self.places(view).offset

    @override
    def direct(self, view: View) -> Array:
        """The wanted velocity minus the boid's own, at most max_force long."""
        places, speed = self.places(view), view.max_speed
        distance = length(places.offset)
        approach = scaled(places.offset, distance, speed * np.minimum(distance / self.slowing, 1.0))
        wanted = places.velocity + approach
        lengths = length(wanted)
        wanted = scaled(wanted, lengths, np.minimum(lengths, speed))
        return limited(wanted - view.velocity, view.motion.max_force if self.max_force is None else self.max_force)

    def approach(self, *value: float) -> Sequence[float | None]:
        """Numbers of its operation, those of the approach last."""
        return *value, *([0.0] * (6 - len(value))), self.slowing, self.max_force


class Arrive(ArrivingRule):
    """Fly to a point and slow down before it: lim(max_speed · min(r/slowing, 1) · unit(point - p) - v, max_force).

    Here r is the distance to the point. Boids come to rest there only if min_speed is 0. Source: C. Reynolds,
    Steering Behaviors for Autonomous Characters, GDC 1999.
    """

    formula: ClassVar[str] = (
        "lim(w - v, max_force) with w = lim(u + max_speed · min(r/slowing, 1) · unit(o), max_speed); o is "
        "the offset to the place, u the place's velocity (here 0)"
    )
    source: ClassVar[str] = "Reynolds 1999"
    published: ClassVar[Mapping[str, str]] = {"steering": "direct"}
    example: ClassVar[Mapping[str, Any]] = {"point": (30.0, 60.0)}
    placed: ClassVar[bool] = True

    by_number: ClassVar[bool] = True

    point: Vector | None = None
    """Target, in world units. Default: the center of the world."""
    layout: Annotated[Word | Points, tagged("layout", Word, Points)] | None = None
    """A target for each boid instead of one for all: as `start` has it, the points or the letters of a word."""

    @property
    @override
    def idle(self) -> Collection[str]:
        return () if self.layout is None else ("point", *(f"layout.{key}" for key in (*FLIGHT, "velocities")))

    @override
    def places(self, view: View) -> Places:
        point = view.world.extent / 2 if self.point is None else np.array(self.point)
        if self.layout is not None:
            point = targets(self.layout, len(view.position), view.world.size)
        return Places(view.world.shortest(point - view.position), np.zeros_like(view.velocity))

    @override
    def operation(self, operands: Operands) -> Operation:
        if self.layout is None:
            points, count = np.array(operands.point(self.point))[3 - operands.world.dimension :], 1
        else:
            points, count = targets(self.layout, operands.count, operands.world.size), operands.count
        return Operation("arrive", self.approach(), (operands.memory.put(points.T), count))


@lru_cache(maxsize=8)
def targets(layout: Points | Word, count: int, size: tuple[float, ...]) -> Array:
    """The target of each boid in a world of this size, shape (count, d)."""
    return read_only(by_column(layout.position(count, World(size=size), np.random.default_rng(0))))  # draws no number


class Home(Rule):
    """Pull toward a point, proportional to the distance from it."""

    formula: ClassVar[str] = "point - p where that is longer than beyond, else 0"
    source: ClassVar[str] = "001, the pull to the middle"
    example: ClassVar[Mapping[str, Any]] = {"point": (30.0, 60.0)}
    placed: ClassVar[bool] = True

    point: Vector | None = None
    """Position of home, in world units. Default: the center of the world."""
    beyond: NotNegative = 0.0
    """Only boids farther away than this are pulled, in world units."""

    @override
    def desired(self, view: View) -> Array:
        point = view.world.extent / 2 if self.point is None else np.array(self.point)
        offset = view.world.shortest(point - view.position)
        return offset * (length(offset) > self.beyond)[:, None]

    @override
    def operation(self, operands: Operands) -> Operation:
        return Operation("home", (*operands.point(self.point), self.beyond))


class Seek(Rule):
    """Head for a point at full speed, and fly past it: lim(max_speed · unit(point - p) - v, max_force).

    Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999.
    """

    formula: ClassVar[str] = "point - p"
    source: ClassVar[str] = "Reynolds 1999"
    published: ClassVar[Mapping[str, str]] = {"steering": "reynolds"}
    usual_steering: ClassVar[Steering | None] = "reynolds"
    example: ClassVar[Mapping[str, Any]] = {"point": (30.0, 60.0)}
    placed: ClassVar[bool] = True

    point: Vector | None = None
    """Target, in world units. Default: the center of the world."""

    @override
    def desired(self, view: View) -> Array:
        point = view.world.extent / 2 if self.point is None else np.array(self.point)
        return view.world.shortest(point - view.position)

    @override
    def operation(self, operands: Operands) -> Operation:
        return Operation("seek", operands.point(self.point))


class FollowPath(Rule):
    """Stay in the corridor around a path, and fly along it from its first point to its last.

    Who will be inside the corridor after `lead`, flying along the path, goes on as it is. Everybody else seeks the
    point that lies one corridor radius further along than the one nearest to where it will be. An open path ends: boids
    stay about its last point. Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999.
    """

    formula: ClassVar[str] = (
        "0 for boids that will be inside the corridor after lead and fly along; else the offset to the point one "
        "corridor radius beyond the nearest"
    )
    source: ClassVar[str] = "Reynolds 1999"
    published: ClassVar[Mapping[str, str]] = {"steering": "reynolds"}
    usual_steering: ClassVar[Steering | None] = "reynolds"
    example: ClassVar[Mapping[str, Any]] = {"points": ((20.0, 20.0), (80.0, 30.0))}
    placed: ClassVar[bool] = True

    points: Annotated[tuple[Vector, ...], FailFast(), Field(min_length=2, max_length=MAX_POINTS)]
    """The corners of the path in order, in world units; its legs are straight as on paper, never across an edge."""
    closed: bool = False
    """If true, the last point is joined to the first."""
    radius: Positive = 20.0
    """Radius of the corridor around the path, in world units."""
    lead: NotNegative = 10.0
    """Prediction time of a boid's own position, in units of time."""

    @override
    def desired(self, view: View) -> Array:
        """The offset to a point a little further along the path, zero for boids that are on their way."""
        path = self._path
        leg, along, distance = path.nearest(view.position + self.lead * view.velocity, view.world)
        astray = distance >= self.radius
        backward = dot(view.velocity, path.direction[leg]) <= 0
        target = path.at(along + self.radius)
        return view.world.shortest(target - view.position) * (astray | backward)[:, None]

    @property
    def _path(self) -> "_Polyline":
        corner = np.array((*self.points, self.points[0]) if self.closed else self.points)
        legs = np.diff(corner, axis=0)
        lengths = length(legs)
        return _Polyline(corner, scaled(legs, lengths, 1.0), np.concatenate(([0.0], lengths.cumsum())), self.closed)

    @override
    def operation(self, operands: Operands) -> Operation:
        path, first = self._path, 3 - operands.world.dimension
        legs = len(path.direction)
        corners, middles = np.zeros((legs + 1, 8)), np.zeros((legs, 3))
        corners[:, first:3], corners[:-1, 3 + first : 6], corners[:, 6] = path.corner, path.direction, path.until
        corners[:-1, 7], middles[:, first:] = np.diff(path.until) / 2, (path.corner[1:] + path.corner[:-1]) / 2
        value = self.radius, self.lead, float(path.until[-1])
        put = operands.memory.put
        return Operation("follow path", value, (legs, put(corners), put(middles), int(self.closed)))


class _Polyline(NamedTuple):
    """A path."""

    corner: Array  # (legs + 1, d) from the first to the last
    direction: Array  # (legs, d) of length 1
    until: Array  # (legs + 1,) distance of each corner from the start, along the path
    closed: bool  # whether it ends where it begins

    def nearest(self, position: Array, world: World) -> tuple[NDArray[np.intp], Array, Array]:
        """The leg nearest to each position, distances along the path to there and from it, shape (n,) each."""
        half = np.diff(self.until) / 2
        # Seen from the middle of a leg, the nearest image of a boid is nearest to the leg as well.
        middle = (self.corner[1:] + self.corner[:-1]) / 2
        offset = world.shortest(position[:, None, :] - middle)
        part = np.clip(dot(offset, np.broadcast_to(self.direction, offset.shape)), -half, half)
        distance = length(offset - part[..., None] * self.direction)
        leg = distance.argmin(axis=1)
        own = np.arange(len(position))
        return leg, self.until[leg] + half[leg] + part[own, leg], distance[own, leg]

    def at(self, along: Array) -> Array:
        """The points at these distances along the path; beyond the end of an open one its end, shape (n, d)."""
        whole = self.until[-1]
        within = np.mod(along, whole) if self.closed and whole else np.minimum(along, whole)
        leg = np.clip(np.searchsorted(self.until, within, side="right") - 1, 0, len(self.direction) - 1)
        place: Array = self.corner[leg] + self.direction[leg] * (within - self.until[leg])[:, None]
        return place


class FollowLeader(ArrivingRule):
    """Arrive at a point behind the leader, and get out of the way when in front of it.

    The leader is the first boid of the own flock, which goes where the other rules lead it, or the nearest boid of
    another flock. Who is nearer to the leader than `behind`, and in front of it within 45° of its heading, makes way
    straight to the side. Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999.
    """

    formula: ClassVar[str] = (
        "as arrive, at the point behind the leader, u the leader's velocity; a boid in front of it within "
        "45° and nearer than behind goes straight to the side"
    )
    source: ClassVar[str] = "Reynolds 1999"
    published: ClassVar[Mapping[str, str]] = {"steering": "direct"}
    by_number: ClassVar[bool] = True

    flock: FlockName | None = None
    """The flock that leads, by its name. Default: the first boid of its own flock leads."""
    behind: Positive = 30.0
    """Desired distance behind the leader, in world units."""

    @override
    def places(self, view: View) -> Places:
        position, velocity = view.position[:1], view.velocity[:1]
        if self.flock is not None:
            leaders = [flock for flock in view.flocks if flock.name == self.flock]
            position = np.concatenate([position[:0], *(flock.position for flock in leaders)])
            velocity = np.concatenate([velocity[:0], *(flock.velocity for flock in leaders)])
        if not len(position):
            return Places(np.zeros_like(view.position), view.velocity)
        leader, offset = nearest(view.position, position, view.world)
        pace = velocity[leader]
        heading = unit(pace)
        ahead = -dot(heading, offset)
        aside = -offset - heading * ahead[:, None]
        beside = length(aside)
        in_the_way = (ahead > beside) & (length(offset) < self.behind)
        behind = view.world.shortest(offset - self.behind * heading)
        place = np.where(in_the_way[:, None], scaled(aside, beside, self.behind), behind)
        if self.flock is None:
            place[0] = 0.0
        return Places(place, pace)

    @override
    def operation(self, operands: Operands) -> Operation:
        leaders = [] if self.flock is None else operands.flocks([self.flock])
        return Operation("follow leader", self.approach(self.behind), (self.flock is None, *operands.seen(leaders)))


ARMS = {"v": (2, 70.0), "line": (1, 0.0)}  # Number of arms of each shape, and its usual angle in degrees


class Formation(ArrivingRule):
    """Arrive at its own slot behind the first boid of the flock, which goes where the other rules lead it.

    In a V the boids alternate between a left and a right arm: number i (counted from 0, the leader) is ceil(i/2) slots
    out. In a line it is i slots out. In 3D the slots lie in the plane of the leader's heading and the horizontal.
    """

    formula: ClassVar[str] = (
        "as arrive, at its own slot: boid i of a V is ceil(i/2) · spacing out on alternating arms, of a "
        "line i · spacing"
    )
    source: ClassVar[str] = "after Reynolds 1999, arrive"
    by_number: ClassVar[bool] = True

    shape: Literal["v", "line"] = "v"
    """v: two arms behind the leader. line: one."""
    spacing: Positive = 20.0
    """Distance between one slot and the next of the same arm, in world units."""
    angle: Annotated[Finite, Field(ge=0, le=180)] | None = None
    """In degrees. v: between the arms, 180 = abreast. line: between the line and straight behind the leader, 0 = in
    file, 90 = abreast on its left. Default: 70 degrees between the arms of a v, 0 for a line."""

    @override
    def places(self, view: View) -> Places:
        leader = view.world.shortest(view.position[:1] - view.position)
        arms, usual = ARMS[self.shape]
        number = np.arange(len(leader))
        out, side = (number + arms - 1) // arms, 1.0 - 2.0 * ((number + 1) % arms)
        angle = np.radians(usual if self.angle is None else self.angle) / arms
        # At rest along the first axis; for who flies straight up or down, left is along the second.
        heading, left = unit(view.velocity[:1]), np.zeros_like(leader[:1])
        if not heading.any():
            heading[:, 0] = 1.0
        left[:, 0], left[:, 1] = -heading[:, 1], heading[:, 0]
        left[length(left) == 0, 1] = 1.0
        arm = -exact.cosine(angle) * heading + exact.sine(angle) * side[:, None] * unit(left)
        pace = np.broadcast_to(view.velocity[:1], leader.shape)
        return Places(view.world.shortest(leader + self.spacing * out[:, None] * arm), pace)

    @override
    def operation(self, operands: Operands) -> Operation:
        arms, usual = ARMS[self.shape]
        angle = usual if self.angle is None else self.angle
        return Operation("formation", self.approach(self.spacing, angle), (arms,))


PLACE_RULES: tuple[type[Rule], ...] = (Seek, Arrive, Home, FollowPath, FollowLeader, Formation)
"""The rules about places, in the order in which they are listed."""
