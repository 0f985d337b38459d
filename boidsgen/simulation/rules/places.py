"""Rules about places: seek, home, arrive.

With o the offset to the place and u the velocity of the place, a boid wants the velocity
  w = lim(u + max_speed · min(|o|/slowing, 1) · unit(o), max_speed)
and steers by lim(w - v, max_force): from afar at full speed, and within `slowing` the slower the nearer, so that it
comes to rest relative to the place. Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from typing_extensions import override

from boidsgen.simulation.dynamics import Steering
from boidsgen.simulation.geometry import Array, length, limited, scaled
from boidsgen.simulation.rules.rule import Rule, View
from boidsgen.tables import NotNegative, NotNegativeOrInfinite, Positive, Table, Vector


class Places(NamedTuple):
    """Where each boid should be. Who should go on as it is has an offset of zero and its own velocity.

    Attributes:
        offset: (n, d) from the boid to its place.
        velocity: (n, d) of the place.
    """

    offset: Array
    velocity: Array


class ArrivingRule(Rule):
    """A rule that knows where each boid should be."""

    steering: Steering | None = None
    """direct, the usual one: slow down near the place. reynolds: head for it at full speed all the way."""
    max_force: NotNegativeOrInfinite | None = None
    """Longest change of velocity by this rule in one step, before its weight; inf = no bound. Default: the group's
    max_force."""
    slowing: Positive = 50.0
    """Distance from the place within which a boid slows down, in world units."""

    @abstractmethod
    def places(self, view: View) -> Places:
        """Where each boid should be."""

    @override
    def desired(self, view: View) -> Array:
        """The offset to each boid's place."""
        return self.places(view).offset

    @override
    def direct(self, view: View) -> Array:
        """The wanted velocity minus the boid's own, at most max_force long."""
        places, speed = self.places(view), view.motion.max_speed
        distance = length(places.offset)
        approach = scaled(places.offset, distance, speed * np.minimum(distance / self.slowing, 1.0))
        wanted = limited(places.velocity + approach, speed)
        return limited(wanted - view.velocity, view.motion.max_force if self.max_force is None else self.max_force)


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
    example: ClassVar[Mapping[str, Any]] = {"point": (30.0, 60.0)}

    point: Vector | None = None
    """Where to, in world units. Default: the middle of the world."""

    @override
    def places(self, view: View) -> Places:
        point = view.world.extent / 2 if self.point is None else np.array(self.point)
        return Places(view.world.shortest(point - view.position), np.zeros_like(view.velocity))


class Home(Rule):
    """Pull toward a point, proportional to the distance from it."""

    formula: ClassVar[str] = "point - p where that is longer than beyond, else 0"
    source: ClassVar[str] = "001, the pull to the middle"
    example: ClassVar[Mapping[str, Any]] = {"point": (30.0, 60.0)}

    point: Vector | None = None
    """Where home is, in world units. Default: the middle of the world."""
    beyond: NotNegative = 0.0
    """Only boids further away than this are pulled, in world units."""

    @override
    def desired(self, view: View) -> Array:
        """The offset to the point, zero within `beyond` of it."""
        point = view.world.extent / 2 if self.point is None else np.array(self.point)
        offset = view.world.shortest(point - view.position)
        return offset * (length(offset) > self.beyond)[:, None]


class Seek(Rule):
    """Head for a point at full speed, and fly past it: lim(max_speed · unit(point - p) - v, max_force).

    Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999.
    """

    formula: ClassVar[str] = "point - p"
    source: ClassVar[str] = "Reynolds 1999"
    usual_steering: ClassVar[Steering | None] = "reynolds"
    example: ClassVar[Mapping[str, Any]] = {"point": (30.0, 60.0)}

    point: Vector | None = None
    """Where to, in world units. Default: the middle of the world."""

    @override
    def desired(self, view: View) -> Array:
        """The offset to the point."""
        point = view.world.extent / 2 if self.point is None else np.array(self.point)
        return view.world.shortest(point - view.position)


class PlaceRules(Table):
    """The rules about places, by the names of their tables."""

    seek: Seek | None = None
    """Head for a point at full speed, and fly past it: lim(max_speed · unit(point - p) - v, max_force)."""
    arrive: Arrive | None = None
    """Fly to a point and slow down before it: lim(max_speed · min(r/slowing, 1) · unit(point - p) - v, max_force)."""
    home: Home | None = None
    """Pull toward a point, proportional to the distance from it."""
