"""Rules of predators and prey, paths that predators and attractors follow, and attractors.

An attractor is a point that boids seek or flee. A curve is closed: `points(angle)` returns its points for angles in
radians, 2π per round, shape (n, 3); `extent` is its greatest distance from its center in the x-y plane. Flat worlds
drop the third component. Waypoints are points with times. A moving attractor is at its path's position at the time at
which a step begins; this position is also the one that is drawn.
"""

from abc import abstractmethod
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, ValidationInfo, field_validator, model_validator
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.falloffs import PlainFalloff
from boidsgen.simulation.geometry import Array, dot, length, unit
from boidsgen.simulation.motion import Steering, reynolds
from boidsgen.simulation.neighbors import Request, nearest
from boidsgen.simulation.records import QuerySpec, Record, number_of, record, usual_point
from boidsgen.simulation.rules.rule import FlockName, Operands, Operation, RecipeRule, Rule, View
from boidsgen.simulation.world import Lifetime, World
from boidsgen.tables import Finite, NotNegative, Positive, PositiveOrInfinite, Table, Vector, by_name, tagged


def ahead(offset: Array, velocity: Array, other_velocity: Array, lead: float) -> Array:
    """The offsets to where others will be after T = min(lead, r/(|v| + |w|)), shape (n, d).

    Here r is how far away the other now is, v one's own velocity and w the other's: T is about the time they would
    need to meet. Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999 (pursuit).
    """
    speed = length(velocity) + length(other_velocity)
    distance = length(offset)
    meeting = np.divide(distance, speed, out=np.full_like(distance, lead), where=speed > 0)
    return offset + other_velocity * np.minimum(meeting, lead)[:, None]


class Hunt(Rule):
    """Steering toward boids."""

    formula: ClassVar[str] = "q - p of the nearest prey q; Σ unit(q - p) over all in range; or Σ (q - p) over all"
    source: ClassVar[str] = "Reynolds 1999"
    published: ClassVar[Mapping[str, str]] = {"steering": "reynolds", "target": "nearest"}
    usual_steering: ClassVar[Steering | None] = None

    weight: Finite = 1.0
    """Factor on the steering toward the target."""
    radius: PositiveOrInfinite = 150.0
    """Range of a predator's sight, in world units; inf = everywhere."""
    target: Literal["nearest", "all", "center"] = "nearest"
    """nearest: the nearest boid in range. all: the sum of the directions to all in range. center: the center of all
    boids."""

    lead: NotNegative = 0.0
    """With target nearest: how far ahead the boid's flight is predicted at most, in units of time; 0 = aim at where it
    is now."""

    @property
    @override
    def idle(self) -> Collection[str]:
        return {"nearest": (), "all": ("lead",), "center": ("lead", "radius")}[self.target]

    @field_validator("lead")
    @classmethod
    def _only_for_the_nearest(cls, value: float, info: ValidationInfo) -> float:
        if value and info.data.get("target", "nearest") != "nearest":
            raise ValueError('has an effect with target = "nearest" only')
        return value

    @override
    def desired(self, view: View) -> Array:
        prey = np.concatenate([flock.position for flock in view.flocks])
        if not len(prey):
            return np.zeros_like(view.position)
        if self.target == "nearest":
            number, offset = nearest(view.position, prey, view.world)
            velocity = np.concatenate([flock.velocity for flock in view.flocks])[number]
            expected = view.world.shortest(ahead(offset, view.velocity, velocity, self.lead))
            return expected * (dot(offset, offset) < self.radius**2)[:, None]
        still = np.zeros_like(prey)
        return view.neighbors.sums(view.position, view.velocity, prey, still, [self._sum])[self._sum].total

    @property
    def _sum(self) -> Request:
        """The sum over all prey, or over all in range."""
        center = self.target == "center"
        return Request(np.inf, 360.0, "offset") if center else Request(self.radius, 360.0, "constant")

    @override
    def operation(self, operands: Operands) -> Operation:
        if self.target == "nearest":
            return Operation("hunt nearest", (self.lead, self.radius))
        return Operation("sum", (1.0,), specs=(QuerySpec(self._sum, operands.seen(operands.prey)),))


class Flee(RecipeRule):
    """Move away from every predator within the radius, whichever way the boid looks."""

    formula: ClassVar[str] = "Σ over predators q within its radius of unit(p - q) · f(r), all round"
    source: ClassVar[str] = "Reynolds 1999"
    published: ClassVar[Mapping[str, str]] = {"steering": "reynolds", "falloff": "constant"}

    radius: PositiveOrInfinite = 100.0
    """Fear radius: predators nearer than this are fled from, in world units; inf = all of them."""
    falloff: PlainFalloff = "constant"
    """Size of one predator's push at distance r: constant 1, inverse 1/r, inverse_square 1/r², linear r."""

    @override
    def predator_requests(self) -> Sequence[Request]:
        return (Request(self.radius, 360.0, self.falloff),)


class Evade(Rule):
    """Move away from where every predator within the radius will soon be, whichever way the boid looks.

    A predator at q with velocity w is expected at q + w·T, where T = min(lead, r/(|v| + |w|)) and r is its distance:
    about the time the two would need to meet. Each gives the unit vector away from there. Source: C. Reynolds,
    Steering Behaviors for Autonomous Characters, GDC 1999 (evasion).
    """

    formula: ClassVar[str] = (
        "Σ of unit vectors away from q + w·T, with w the predator's velocity and T = min(lead, r/(|v| + |w|))"
    )
    source: ClassVar[str] = "Reynolds 1999"
    published: ClassVar[Mapping[str, str]] = {"steering": "reynolds"}
    usual_steering: ClassVar[Steering | None] = "reynolds"

    radius: PositiveOrInfinite = 100.0
    """Predators nearer than this are evaded, in world units; inf = all of them."""
    lead: NotNegative = 10.0
    """Maximum prediction time for a predator's flight, in units of time; 0 = evade its present position."""

    @override
    def desired(self, view: View) -> Array:
        """The sum of the unit vectors away from where predators in range are expected."""
        away = np.zeros_like(view.position)
        for hunters in view.hunters:
            for position, velocity in zip(hunters.position, hunters.velocity, strict=True):
                offset = view.world.shortest(position[None] - view.position)
                expected = view.world.shortest(ahead(offset, view.velocity, velocity[None], self.lead))
                away -= unit(expected) * (length(offset) < self.radius)[:, None]
        return away

    @override
    def operation(self, operands: Operands) -> Operation:
        return Operation("evade", (self.radius, self.lead))


class Species(Rule):
    """Toward the nearest boid of the hunted flocks, away from every boid of the feared ones, each by a unit vector.

    Flocks that are ignored do not count in separation either, from which all other flocks keep their distance.
    """

    formula: ClassVar[str] = "unit(offset to the nearest boid that is hunted) + Σ unit(p - pj) over those feared"
    source: ClassVar[str] = "after Reynolds 1999"
    usual_steering: ClassVar[Steering | None] = "reynolds"
    example: ClassVar[Mapping[str, Any]] = {"hunt": ("others",), "flee": ("others",)}

    radius: PositiveOrInfinite = 100.0
    """Range within which boids of other flocks are hunted and fled from, in world units; inf = everywhere."""
    hunt: tuple[FlockName, ...] = ()
    """Flocks to go after, by their names."""
    flee: tuple[FlockName, ...] = ()
    """Flocks to flee from, by their names."""
    ignore: tuple[FlockName, ...] = ()
    """Flocks to take no notice of, by their names; separation does not keep clear of them."""

    @property
    @override
    def idle(self) -> Collection[str]:
        return () if self.hunt or self.flee else ("weight", "steering", "max_force", "acts_on", "radius")

    @override
    def notices(self, group: str) -> bool:
        return group not in self.ignore

    @override
    def desired(self, view: View) -> Array:
        """The unit vector to the nearest hunted boid in range minus the sum of those to all feared ones in range."""
        away = -sum(self._sums(self.flee, Request(self.radius, 360.0, "constant"), view), np.zeros_like(view.position))
        to_prey = np.zeros_like(view.position)
        for offset in self._sums(self.hunt, Request(self.radius, 360.0, "offset", nearest=1), view):
            distance, so_far = length(offset), length(to_prey)
            nearer = (distance > 0) & ((distance < so_far) | (so_far == 0))
            to_prey = np.where(nearer[:, None], offset, to_prey)
        return unit(to_prey) + away

    @override
    def operation(self, operands: Operands) -> Operation:
        fear, prey = Request(self.radius, 360.0, "constant"), Request(self.radius, 360.0, "offset", nearest=1)
        feared = [QuerySpec(fear, operands.seen([flock])) for flock in operands.flocks(self.flee)]
        hunted = [QuerySpec(prey, operands.seen([flock])) for flock in operands.flocks(self.hunt)]
        return Operation("species", at=(len(feared),), specs=(*feared, *hunted))

    def _sums(self, names: Container[str], request: Request, view: View) -> Iterator[Array]:
        """The answers to a request about each of the other flocks with these names, shape (n, d) each."""
        for flock in view.flocks:
            if flock.name in names:
                seen = flock.position, flock.velocity
                yield view.neighbors.sums(view.position, view.velocity, *seen, [request])[request].total


class PreyCenter(Rule):
    """The offset to the center of all prey, so that the pull grows with the distance."""

    formula: ClassVar[str] = "mean(q) - p over all prey q"
    source: ClassVar[str] = "001, predator rule 1"

    @override
    def desired(self, view: View) -> Array:
        """The offset to the mean position of all prey, each by the shortest way; zero without prey."""
        prey = np.concatenate([flock.position for flock in view.flocks])
        if not len(prey):
            return np.zeros_like(view.position)
        request, still = Request(np.inf, 360.0, "offset"), np.zeros_like(prey)
        total = view.neighbors.sums(view.position, view.velocity, prey, still, [request])[request].total
        return total / len(prey)

    @override
    def operation(self, operands: Operands) -> Operation:
        specs = (QuerySpec(Request(np.inf, 360.0, "offset"), operands.seen(operands.prey)),)
        return Operation("sum", at=(1,), specs=specs)


PURSUIT_RULES: tuple[type[Rule], ...] = (Flee, Evade, Species)
"""The rules about other kinds that any group may have, in the order in which they are listed."""


class Curve(Rule):
    """A closed curve. By position it carries the predators along; by velocity it only drives them."""

    extent: ClassVar[float] = 1.0
    by_number: ClassVar[bool] = True
    placed: ClassVar[bool] = True

    mode: Literal["position", "velocity"] = "position"
    """position: predators are on the curve. velocity: the curve's point, as a vector, is added to what drives them."""
    scale: NotNegative | None = None
    """Size of the curve in mode position: greatest distance from its middle, in world units; 0 = predators stay in the
    middle. Default: 0.4 of the smallest side."""
    period: Positive = 240.0
    """Time of one revolution on the curve, in units of time."""
    phase: Finite = 45.0
    """Angle in degrees by which each predator is ahead of the one before."""
    center: Vector | None = None
    """Middle of the curve in mode position, in world units; events may move it. Default: the center of the world."""
    weight: Finite = 1.0
    """Factor on the curve's point in mode velocity."""

    @property
    @override
    def idle(self) -> Collection[str]:
        carries = self.mode == "position"
        return ("weight", "steering", "max_force", "acts_on") if carries else ("scale", "center")

    @abstractmethod
    def points(self, angle: Array) -> Array:
        """Points of the curve at these angles in radians, shape (n, 3)."""

    def position(self, time: float, count: int, world: World) -> Array:
        """Positions of `count` predators at this time in mode position, shape (count, d)."""
        center = world.extent / 2 if self.center is None else np.array(self.center)
        scale = 0.4 * min(world.size) if self.scale is None else self.scale
        return center + scale / self.extent * self._current(time, count, world)

    @override
    def desired(self, view: View) -> Array:
        """The point of the curve at which each predator would now be, as a vector, shape (n, d)."""
        return self._current(view.time, len(view.position), view.world)

    @override
    def operation(self, operands: Operands) -> Operation:
        return Operation("curve", at=(operands.memory.put(self.record(operands.world)),))

    def record(self, world: World) -> Record:
        """The curve as the kernel's record."""
        return record(
            "Curve",
            kind=number_of("curve", f"{vars(self)['kind']} curve"),
            period=self.period,
            phase=self.phase,
            extent=self.extent,
            scale=self.scale,
            center=usual_point(self.center, world.dimension),
        )

    def _current(self, time: float, count: int, world: World) -> Array:
        angle = 2 * np.pi * time / self.period + np.arange(count) * np.radians(self.phase)
        return self.points(angle)[:, : world.dimension]


class CircleCurve(Curve):
    """A circle in the x-y plane, counterclockwise."""

    formula: ClassVar[str] = "(cos a, sin a, 0) with a = 2π · t/period + index · phase"
    source: ClassVar[str] = "elementary"

    kind: Literal["circle"] = "circle"

    @override
    def points(self, angle: Array) -> Array:
        return np.stack((exact.cosine(angle), exact.sine(angle), np.zeros_like(angle)), axis=1)


class TrefoilCurve(Curve):
    """The trefoil knot; in a flat world its projection with three lobes."""

    formula: ClassVar[str] = "((2 + cos 3a) cos 2a, (2 + cos 3a) sin 2a, sin 3a) with a = 2π · t/period + index · phase"
    source: ClassVar[str] = "001, the trefoil knot"

    extent: ClassVar[float] = 3.0

    kind: Literal["trefoil"] = "trefoil"

    @override
    def points(self, angle: Array) -> Array:
        ring = 2 + exact.cosine(3 * angle)
        return np.stack((ring * exact.cosine(2 * angle), ring * exact.sine(2 * angle), exact.sine(3 * angle)), axis=1)


CURVES = by_name(CircleCurve, TrefoilCurve, tag="kind")  # Curves by their name in a scenario

AnyCurve = Annotated[CircleCurve | TrefoilCurve, tagged()]
"""Any of them, told apart by `kind`."""


class Waypoints(Table):
    """Straight from point to point, to be at each at its time; before the first time at the first point."""

    telling: ClassVar[tuple[str, ...]] = ("points", "times")
    example: ClassVar[Mapping[str, Any]] = {"points": ((20.0, 20.0), (80.0, 30.0)), "times": (0.0, 50.0)}

    kind: Literal["waypoints"] = "waypoints"
    points: Annotated[tuple[Vector, ...], Field(min_length=2)]
    """Points of the way, in world units; legs are straight and never cross an edge."""
    times: Annotated[tuple[NotNegative, ...], Field(min_length=2)]
    """When to be at each, in units of time, each later than the one before."""
    repeat: bool = False
    """If true, the way repeats after the last time; otherwise the attractor stays at its last point."""

    @field_validator("times")
    @classmethod
    def _one_after_the_other(cls, times: tuple[float, ...], info: ValidationInfo) -> tuple[float, ...]:
        points = info.data.get("points")
        if points is not None and len(points) != len(times):
            raise ValueError(f"must have an entry for each of the {len(points)} points, not {len(times)}")
        for before, after in pairwise(times):
            if after <= before:
                raise ValueError(f"each must be later than the one before, but {after:g} comes after {before:g}")
        return times

    def position(self, time: float, count: int, world: World) -> Array:
        """Position at this time, shape (count, d)."""
        last = self.times[-1]
        time = time % last if self.repeat else min(time, last)
        leg = min(max(1, int(np.searchsorted(self.times, time, side="right"))), len(self.times) - 1)
        begin, end = self.times[leg - 1 : leg + 1]
        here, there = np.array(self.points[leg - 1]), np.array(self.points[leg])
        return np.tile(here + (there - here) * (max(time - begin, 0.0) / (end - begin)), (count, 1))


AttractorPath = Annotated[CircleCurve | TrefoilCurve | Waypoints, tagged("kind", Waypoints)]
"""Any way of an attractor, told apart by `kind`."""


class Attractor(Lifetime):
    """A point that all boids in range seek (Reynolds 1999); with a negative weight they flee it."""

    point: Vector | None = None
    """Position in world units, unless it has a path. Default: the center of the world."""
    path: AttractorPath | None = None
    """The way on which it moves: a closed curve, or waypoints."""
    weight: Finite = 1.0
    """Factor on the steering toward the point; negative = away from it."""
    radius: PositiveOrInfinite = float("inf")
    """Range in world units; inf = everywhere."""

    @property
    @override
    def idle(self) -> Collection[str]:
        if self.path is None:
            return ()
        return ("point", "path.mode", "path.phase", *(f"path.{key}" for key in self.path.idle))

    @field_validator("path")
    @classmethod
    def _carried(cls, path: Table | None) -> Table | None:
        if getattr(path, "mode", "position") != "position":
            raise ValueError('moves a point by position only; mode = "velocity" is for predators')
        return path

    @model_validator(mode="after")
    def _in_one_place(self) -> Self:
        if self.point is not None and self.path is not None:
            raise ValueError("must have either a point or a path, not both")
        return self

    def place(self, time: float, world: World) -> Array:
        """Position at this time, in world units, shape (d,)."""
        if self.path is not None:
            place: Array = self.path.position(time, 1, world)[0]
            return place
        return world.extent / 2 if self.point is None else np.array(self.point)

    def pull(self, view: View) -> Array:
        """Weight times lim(max_speed · unit(±offset) - v, max_force) for boids in range, shape (n, d)."""
        offset = view.world.shortest(self.place(view.time, view.world) - view.position)
        desired = offset * (length(offset) < self.radius)[:, None]
        towards = desired * np.sign(self.weight)
        return abs(self.weight) * reynolds(towards, view.velocity, view.max_speed, view.motion.max_force)
