"""Rules of hunters and hunted: hunt, flee, evade, and who hunts whom among species."""

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import ValidationInfo, field_validator
from typing_extensions import override

from boidsgen.simulation.geometry import Array, dot, length, unit
from boidsgen.simulation.motion import Steering
from boidsgen.simulation.neighbors.sums import Falloff, Request
from boidsgen.simulation.neighbors.vectorized import nearest
from boidsgen.simulation.records import Ask
from boidsgen.simulation.rules.rule import FlockName, Operands, Operation, RecipeRule, Rule, View
from boidsgen.tables import Finite, NotNegative, PositiveOrInfinite


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
        return Operation("sum", (1.0,), asks=(Ask(self._sum, operands.seen(operands.prey)),))


class Flee(RecipeRule):
    """Move away from every predator within the radius, whichever way the boid looks."""

    formula: ClassVar[str] = "Σ over predators q within its radius of unit(p - q) · f(r), all round"
    source: ClassVar[str] = "Reynolds 1999"
    published: ClassVar[Mapping[str, str]] = {"steering": "reynolds", "falloff": "constant"}

    radius: PositiveOrInfinite = 100.0
    """Fear radius: predators nearer than this are fled from, in world units; inf = all of them."""
    falloff: Falloff = "constant"
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
        feared = [Ask(fear, operands.seen([flock])) for flock in operands.flocks(self.flee)]
        hunted = [Ask(prey, operands.seen([flock])) for flock in operands.flocks(self.hunt)]
        return Operation("species", at=(len(feared),), asks=(*feared, *hunted))

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
        asks = (Ask(Request(np.inf, 360.0, "offset"), operands.seen(operands.prey)),)
        return Operation("sum", at=(1,), asks=asks)


RULES: tuple[type[Rule], ...] = (Flee, Evade, Species)
"""The rules about other kinds that any group may have, in the order in which they are added up."""
