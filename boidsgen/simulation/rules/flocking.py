"""Rules of flocking: Reynolds 1987, obstacle avoidance, noise and wander, and the three exclusive zones."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.falloffs import FALLOFF_KEYS, BoundedFalloff, Falloff, weights
from boidsgen.simulation.geometry import Array, directions, dot, length, scaled, unit
from boidsgen.simulation.motion import STRAIGHT, Steering
from boidsgen.simulation.neighbors import Quantity, Request, Sum
from boidsgen.simulation.obstacles import Obstacle, surface_of
from boidsgen.simulation.records import QuerySpec, number_of
from boidsgen.simulation.rules.rule import Neighborhood, NeighborRule, Operands, Operation, Rule, View
from boidsgen.simulation.world import World
from boidsgen.tables import OFF_BY_DEFAULT, Finite, NotNegative, Positive, PositiveOrInfinite

Average: TypeAlias = Literal["neighbors", "sum", "view"]
"""Divisor of a sum over neighbors."""

Empty: TypeAlias = Literal["rest", "brake", "brake_in_view"]
"""Meaning of a zero vector in the reynolds form."""


class SummingRule(NeighborRule):
    """A rule about a sum over neighbors, in which each of them counts by its distance."""

    falloff: Falloff = "linear"
    """Dependence on the distance."""
    length: Positive = 1.0
    """Length L of the falloffs exponential, power and quartic, in world units."""
    exponent: NotNegative = 0.5
    """Exponent of the falloff power."""
    average: Annotated[Average, OFF_BY_DEFAULT] = "neighbors"
    """Divisor of the sum: neighbors, how many the rule counts; sum, none; view, how many are within perception,
    whatever radius the rule has."""
    empty: Annotated[Literal[Empty, "origin"], OFF_BY_DEFAULT] = "rest"
    """Steering in the reynolds form where the vector is zero: rest, none; brake, lim(-v, max_force), as in loops that
    steer by a zero vector; brake_in_view, the same where anybody is within perception."""
    preempts: bool = False
    """If true, no other rule steers a boid in a step in which this one gives it a direction."""

    @property
    @override
    def idle(self) -> Mapping[str, str]:
        unused = {"length", "exponent"}.difference(FALLOFF_KEYS.get(self.falloff, ()))
        return dict.fromkeys(unused, f"falloff = {self.falloff}")

    @property
    def numbers(self) -> tuple[float, float]:
        """Length and exponent of the falloff, for a request; the usual ones where it has none."""
        return (1.0 if "length" in self.idle else self.length), (0.5 if "exponent" in self.idle else self.exponent)

    def sum_of(self, perception: Neighborhood, quantity: Quantity) -> Request:
        """The request for a sum of this over those whom the rule is about."""
        whom = perception.neighbors, perception.coincident
        return Request(*self.reach(perception), quantity, *whom, *self.numbers, all_round=perception.all_round)

    @abstractmethod
    def combined(self, view: View, *, relative: bool) -> Array:
        """The raw vector; `relative` where velocities of neighbors are meant as differences from the own one."""

    @override
    def desired(self, view: View) -> Array:
        return self.combined(view, relative=False)

    @override
    def direct(self, view: View) -> Array:
        return self.combined(view, relative=True)

    @property
    def counts_view(self) -> bool:
        """True if it matters how many are within perception, whatever radius the rule has."""
        return self.average == "view" or self.empty == "brake_in_view"

    @override
    def own_requests(self, perception: Neighborhood) -> Sequence[Request]:
        return (self.request(perception), *((whole_view(perception),) if self.counts_view else ()))

    def found(self, view: View, request: Request) -> Sum:
        """The answer to one of its requests, about everybody that it is about."""
        both = request in view.others and request in self.other_requests(view.perception)
        return view.own[request] + view.others[request] if both else view.own[request]

    def divisor(self, view: View, found: Sum) -> Array:
        """The divisor of the sum of each boid, at least 1, shape (n, 1)."""
        if self.average == "sum":
            return np.ones((len(found.count), 1))
        count = self.found(view, whole_view(view.perception)).count if self.average == "view" else found.count
        return (count + 1.0 if getattr(self, "include_self", False) else np.maximum(count, 1.0))[:, None]

    @override
    def brakes(self, view: View) -> float | Array:
        if self.empty == "brake_in_view":
            return np.sign(self.found(view, whole_view(view.perception)).count)
        return 1.0 if self.empty == "brake" else super().brakes(view)

    @override
    def without_effect(self, form: Steering) -> dict[str, str]:
        unused = {**super().without_effect(form), **self.idle}
        return unused if form == "reynolds" or self.empty == "origin" else unused | {"empty": f"steering = {form}"}

    @override
    def operation(self, operands: Operands) -> Operation:
        told, view = super().operation(operands), whole_view(operands.perception) if self.counts_view else None
        others = view if self.other_requests(operands.perception) else None
        specs = *told.specs, told.specs[0]._replace(request=view), told.specs[1]._replace(request=others)
        brakes = told.at[0] and self.empty != "brake_in_view"
        at = brakes, number_of("average", f"by {self.average}"), number_of("empty", self.empty), *told.at[3:]
        return told._replace(specs=specs, at=at)


def whole_view(perception: Neighborhood) -> Request:
    """The request about all within perception, for their number."""
    reach = perception.radius, perception.field_of_view
    whom = perception.neighbors, perception.coincident
    return Request(*reach, "offset", *whom, all_round=perception.all_round)


class Separation(SummingRule):
    """Move away from neighbors nearer than the radius, of its own kind and all others (Reynolds 1987)."""

    formula: ClassVar[str] = (
        "Σ over S within its radius, and over all other flocks, of unit(p - pj) · f(r); f = 1, 1/r, 1/r², r or one of "
        "the others of falloff; over its average"
    )
    source: ClassVar[str] = "after Reynolds 1987"
    rank: ClassVar[int] = 0

    weight: Finite = 1.5
    """Factor on the steering away; 0 switches separation off."""
    radius: PositiveOrInfinite | None = 25.0
    """Distance in world units below which neighbors are too close; inf = everyone."""
    falloff: Falloff = "inverse"
    """Size of one neighbor's push at distance r: constant 1, inverse 1/r, inverse_square 1/r², linear r, exponential
    exp(-r/L), power (L² + r²)^-exponent, quartic r/(L⁴ + r⁴)."""
    average: Annotated[Average, OFF_BY_DEFAULT] = "sum"
    """Divisor of the sum of pushes: sum, none; neighbors, how many push; view, how many are within perception, whatever
    the radius of separation. Boids of other flocks count, too."""
    empty: Annotated[Empty, OFF_BY_DEFAULT] = "rest"
    """Steering in the reynolds form where the sum is zero: rest, none; brake, lim(-v, max_force), as in loops that
    steer by a zero vector; brake_in_view, the same where anybody is within perception."""
    away_from: Annotated[Literal["positions", "headings"], OFF_BY_DEFAULT] = "positions"
    """positions: away from where neighbors are. headings: from where the nearest one of its own kind is heading, by the
    mirror image of its heading at the boid's own (Wilensky 1998); falloff and average have no effect then."""

    @property
    @override
    def idle(self) -> Mapping[str, str]:
        unused = dict.fromkeys(("falloff", "length", "exponent", "average"), "away_from = headings")
        return super().idle if self.away_from == "positions" else unused

    @override
    def request(self, perception: Neighborhood) -> Request:
        if self.away_from == "headings":
            return self.sum_of(perception, "heading")._replace(nearest=1)
        return self.sum_of(perception, self.falloff)._replace(nearest=None)

    @override
    def other_requests(self, perception: Neighborhood) -> Sequence[Request]:
        return self.own_requests(perception) if self.away_from == "positions" else ()

    @override
    def combined(self, view: View, *, relative: bool) -> Array:
        found = self.found(view, self.request(view.perception))
        if self.away_from == "headings":
            own = unit(view.velocity)
            return 2.0 * dot(own, found.total)[:, None] * own - found.total
        return -found.total / self.divisor(view, found)

    @override
    def operation(self, operands: Operands) -> Operation:
        told = super().operation(operands)
        return told if self.away_from == "positions" else told._replace(name="mirror")


class MeanRule(SummingRule):
    """A rule about the mean of the neighbors."""

    include_self: bool = False
    """Count the boid itself in the mean of its neighbors, as in loops that do not leave it out."""


class Alignment(MeanRule):
    """Match the mean velocity of the neighbors (Reynolds 1987)."""

    formula: ClassVar[str] = (
        "reynolds, turn: mean(vj); direct, unit: mean(vj) - v, or with relative = false the former; with a falloff of "
        "f(r) · vj and f(r) · (vj - v), over its average"
    )
    source: ClassVar[str] = "after Reynolds 1987"
    rank: ClassVar[int] = 1
    recipe: ClassVar[Literal["push", "mean offset", "mean velocity"]] = "mean velocity"

    falloff: BoundedFalloff = "constant"
    """Weight of the velocity of a neighbor at distance r: constant 1, exponential exp(-r/L), power
    (L² + r²)^-exponent (Cucker and Smale 2007)."""
    of: Annotated[Literal["velocity", "heading"], OFF_BY_DEFAULT] = "velocity"
    """Vectors that are added up: velocities, or headings, which are of length 1."""
    empty: Annotated[Empty, OFF_BY_DEFAULT] = "rest"
    """Steering in the reynolds form where the sum is zero: rest, brake or brake_in_view, as in separation."""
    relative: Annotated[bool, OFF_BY_DEFAULT] = True
    """In the forms direct and unit: match, by differences from the boid's own velocity or heading. If false, the sum
    itself is added; with include_self the boid then counts itself even where it is alone."""

    @override
    def request(self, perception: Neighborhood) -> Request:
        return self.sum_of(perception, self.of)._replace(weighting=self.falloff)

    @override
    def own_requests(self, perception: Neighborhood) -> Sequence[Request]:
        requests, differs = super().own_requests(perception), self.falloff != "constant" and self.relative
        return (*requests, requests[0]._replace(relative=True)) if differs else requests

    @override
    def combined(self, view: View, *, relative: bool) -> Array:
        relative &= self.relative
        request, weighted = self.request(view.perception), self.falloff != "constant"
        found = self.found(view, request._replace(relative=relative and weighted))
        own, divisor = unit(view.velocity) if self.of == "heading" else view.velocity, self.divisor(view, found)
        some, total = (found.count > 0)[:, None], found.total
        if self.include_self and not (relative and weighted):
            itself = float(weights(0.0, self.falloff, self.length, self.exponent))
            total = total + own * ((some if self.relative else np.ones_like(divisor)) * itself)
        if not relative or weighted:
            return total / divisor
        return total / divisor - own * (some * ((found.count[:, None] + self.include_self) / divisor))

    @override
    def operation(self, operands: Operands) -> Operation:
        told = super().operation(operands)
        return told._replace(at=(*told.at[:3], self.of == "heading", self.relative))


class Cohesion(MeanRule):
    """Move toward the center of the neighbors (Reynolds 1987)."""

    formula: ClassVar[str] = "mean(pj) - p; with a falloff Σ unit(pj - p) · f(r) over its average"
    source: ClassVar[str] = "after Reynolds 1987"
    rank: ClassVar[int] = 2
    recipe: ClassVar[Literal["push", "mean offset", "mean velocity"]] = "mean offset"

    falloff: Falloff = "linear"
    """Size of the pull of a neighbor at distance r: linear r, so that it is toward their center; or constant 1, inverse
    1/r, inverse_square 1/r², exponential exp(-r/L), power (L² + r²)^-exponent, quartic r/(L⁴ + r⁴)."""
    empty: Annotated[Literal[Empty, "origin"], OFF_BY_DEFAULT] = "rest"
    """Steering without a direction: rest, brake and brake_in_view as in separation; or origin, for whom has no
    neighbors: toward the point 0, 0, as in loops that take the mean place of nobody for that (Rougier 2017)."""

    @override
    def request(self, perception: Neighborhood) -> Request:
        return self.sum_of(perception, "offset" if self.falloff == "linear" else self.falloff)

    @override
    def combined(self, view: View, *, relative: bool) -> Array:
        found = self.found(view, self.request(view.perception))
        mean: Array = found.total / self.divisor(view, found)
        return np.where((found.count > 0)[:, None], mean, -view.position) if self.empty == "origin" else mean


class Noise(Rule):
    """A new random vector every step."""

    formula: ClassVar[str] = (
        "each component uniform in [-1, 1], or with distribution sphere a vector of length 1; new every step"
    )
    source: ClassVar[str] = "Grégoire and Chaté 2004"
    published: ClassVar[Mapping[str, str]] = {"steering": "direct", "distribution": "sphere"}
    chance: ClassVar[Literal["fixed", "fresh"] | None] = "fresh"

    distribution: Literal["box", "sphere"] = "box"
    """Distribution of the vectors: box, each component evenly spread between -1 and 1; or sphere, all of length 1 and
    evenly spread over all directions, the vectorial noise of Grégoire and Chaté 2004."""

    @override
    def desired(self, view: View) -> Array:
        """Random vectors in [-1, 1]^d or of length 1, fresh every step."""
        count, dimension = view.position.shape
        generator = view.randomness.stream("noise")
        if self.distribution == "sphere":
            return directions(generator, count, dimension)
        return exact.uniform(generator, -1.0, 1.0, (dimension, count)).T

    @override
    def operation(self, operands: Operands) -> Operation:
        dimension = operands.world.dimension
        drawn = dimension - 1 if self.distribution == "sphere" else dimension
        return Operation(f"noise {self.distribution}", drawn=drawn, purpose="noise")


WAVES = 3  # Number of sine waves in each component of the wander vector


class Wander(Rule):
    """A smoothly changing random vector of mean square length 1, different for every boid."""

    formula: ClassVar[str] = (
        "per component Σ of three sine waves with random phase and pace 0.5 to 1.5 times rate; mean square length 1"
    )
    source: ClassVar[str] = "after Reynolds 1999"
    chance: ClassVar[Literal["fixed", "fresh"] | None] = "fixed"

    rate: Positive = 0.02
    """Rate of change of the vector: turns per unit of time."""

    @override
    def desired(self, view: View) -> Array:
        """For each component a sum of waves; the seed fixes their phases and paces, 0.5 to 1.5 times the rate."""
        count, dimension = view.position.shape
        phase, pace = view.randomness.fixed("wander", (2, WAVES, dimension, count))
        angle = 2 * np.pi * (self.rate * view.time * (0.5 + pace) + phase)
        vector: Array = exact.sine(angle).sum(axis=0).T * np.sqrt(2 / (WAVES * dimension))
        return vector

    @override
    def operation(self, operands: Operands) -> Operation:
        dimension = operands.world.dimension
        waves = operands.fixed("wander", (2, WAVES, dimension, operands.count))
        return Operation("wander", (self.rate, float(np.sqrt(2 / (WAVES * dimension)))), (waves,))


class Propulsion(Rule):
    """A drive along the flight and a friction that grows with the speed, which settles where the two are equal.

    A lone animal comes to the speed sqrt(thrust / friction). Source: M. R. D'Orsogna et al., Self-propelled particles
    with soft-core interactions, Physical Review Letters 96, 2006.
    """

    formula: ClassVar[str] = "(thrust - friction · |v|²) · v"
    source: ClassVar[str] = "D'Orsogna et al. 2006"
    published: ClassVar[Mapping[str, str]] = {"steering": "direct"}

    thrust: NotNegative = 1.6
    """Acceleration along the flight, per unit of speed."""
    friction: NotNegative = 0.5
    """Deceleration, per cube of the speed."""

    @override
    def desired(self, view: View) -> Array:
        """Along the flight where the animal is slower than it would be alone, against it where it is faster."""
        vector: Array = view.velocity * (self.thrust - self.friction * dot(view.velocity, view.velocity))[:, None]
        return vector

    @override
    def operation(self, operands: Operands) -> Operation:
        return Operation("propulsion", (self.thrust, self.friction))


GOLDEN_TURN = np.pi * (1 + np.sqrt(5))  # Turn from one direction of a spiral to the next, in radians

LOOKS = 40  # Maximum number of sphere-tracing steps along the course of a boid

NEAR_ENOUGH = 1e-3  # Tolerance of the clearance, in smallest sides of the world, within which an obstacle counts as met


class Avoid(Rule):
    """Steer to the side before flying into an obstacle: (1 - t/lead) · unit(sideways).

    Here t is the time until a boid, flying straight on, would come nearer to any obstacle than the clearance, and
    sideways is the part of the obstacle's outward direction there that is perpendicular to the flight. Only the first
    obstacle met counts. It comes on top of the push of each obstacle's own table; set weight = 0 there to see this one
    alone. Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999 (obstacle avoidance).
    """

    formula: ClassVar[str] = (
        "(1 - t/lead) · unit(sideways), t the time until the first obstacle on the straight course; found by "
        "sphere tracing"
    )
    source: ClassVar[str] = "Reynolds 1999; Hart 1996"
    published: ClassVar[Mapping[str, str]] = {"steering": "direct"}

    lead: Positive = 20.0
    """Look-ahead of a boid, in units of time."""
    clearance: NotNegative = 10.0
    """Desired distance between a boid and an obstacle, in world units."""
    preempts: bool = False
    """If true, no other rule steers a boid in a step in which this one does."""

    @override
    def desired(self, view: View) -> Array:
        """To the side of the first obstacle ahead, the longer the sooner it would be met; zero on a free course."""
        if not view.obstacles:
            return np.zeros_like(view.position)
        speed, heading = length(view.velocity), unit(view.velocity)
        way, meets, outward = self._met(view, heading, speed * self.lead)
        reach = np.where(meets, speed * self.lead, 1.0)
        urgency = np.where(meets, 1.0 - way / reach, 0.0)
        across = outward - heading * dot(outward, heading)[:, None]
        # Who flies straight at an obstacle may choose its side: all choose the one nearest to an axis.
        axis = np.eye(heading.shape[1])[np.abs(heading).argmin(axis=1)]
        any_side = axis - heading * dot(axis, heading)[:, None]
        return unit(np.where(length(across)[:, None] > STRAIGHT, across, any_side)) * urgency[:, None]

    @override
    def operation(self, operands: Operands) -> Operation:
        return Operation("avoid", (self.lead, self.clearance))

    def _met(self, view: View, heading: Array, reach: Array) -> tuple[Array, NDArray[np.bool_], Array]:
        """Free distance of each boid, a flag for obstacles met within reach, and the outward direction there.

        A boid goes forward by its distance from all obstacles, again and again, which can never take it through one.
        Source: J. C. Hart, Sphere tracing, The Visual Computer 12, 1996.
        """
        near = NEAR_ENOUGH * min(view.world.size)
        way, free, outward = np.zeros_like(reach), np.zeros_like(reach), np.zeros_like(heading)
        going = np.arange(len(reach))
        for _ in range(LOOKS):
            place = view.position[going] + heading[going] * way[going, None]
            gap, outward[going] = _surroundings(place, view.obstacles, view.world)
            free[going] = gap - self.clearance
            going = going[(free[going] > near) & (way[going] < reach[going])]
            if not len(going):
                break
            # Half the tolerance short of it: exactly on a surface without thickness no side is outward.
            way[going] += free[going] - near / 2
        return way, (free <= near) & (way < reach) & (dot(outward, heading) < 0), outward


def _surroundings(position: Array, obstacles: Sequence[Obstacle], world: World) -> tuple[Array, Array]:
    """Distance from the nearest obstacle, shape (n,), and the outward direction there, shape (n, d)."""
    gap, outward = surface_of(obstacles[0], position, world)
    for obstacle in obstacles[1:]:
        other_gap, other_outward = surface_of(obstacle, position, world)
        nearer = other_gap < gap
        gap, outward = np.where(nearer, other_gap, gap), np.where(nearer[:, None], other_outward, outward)
    return gap, outward


class Detour(Rule):
    """Turn into the first free direction of a spiral, from ahead to behind, if an obstacle lies ahead.

    A boid sends a ball of its size along its flight. If that meets an obstacle, it does so in one direction after
    another, and turns into the first in which the ball meets none, or flies on if there is no such direction. An
    obstacle that the ball overlaps from the beginning is not seen. In a flat world directions are to the left and to
    the right by turns. Push and solidity are those of each obstacle's own table. Source: S. Lague, Coding Adventure:
    Boids, 2019.
    """

    formula: ClassVar[str] = (
        "the direction k of n = directions that is free first: by 1 - 2k/n along the flight, turned round it by k "
        "golden angles; 0 where it is free straight ahead, the flight where none is free"
    )
    source: ClassVar[str] = "Lague 2019"
    published: ClassVar[Mapping[str, str]] = {"steering": "reynolds"}
    usual_steering: ClassVar[Steering | None] = "reynolds"

    reach: Positive = 50.0
    """Distance within which a boid looks for obstacles, in world units."""
    clearance: NotNegative = 3.0
    """Radius of the ball that has to pass, in world units."""
    directions: Annotated[int, Field(ge=1, le=1000)] = 300
    """Number of directions."""

    @override
    def desired(self, view: View) -> Array:
        """Directions of length 1 for boids that have to turn, zero for all others."""
        flight = unit(view.velocity)
        blocked = self._blocked(view.position, flight, view)
        found = np.where(blocked[:, None], flight, 0.0)
        seeking = np.flatnonzero(blocked)
        left = np.zeros_like(flight)
        left[:, 0], left[:, 1] = -flight[:, 1], flight[:, 0]
        left[length(left) == 0, 1] = 1.0  # straight up or down
        left = unit(left)
        for ahead, aside, above in self._spiral(view.world.dimension)[1:]:
            if not len(seeking):
                break
            forward, side = flight[seeking], left[seeking]
            way = ahead * forward + aside * side
            if view.world.dimension == 3:
                up = (-forward[:, 2] * side[:, 1], forward[:, 2] * side[:, 0])
                across = forward[:, 0] * side[:, 1] - forward[:, 1] * side[:, 0]
                way += above * np.column_stack((*up, across))
            free = ~self._blocked(view.position[seeking], way, view)
            found[seeking[free]] = way[free]
            seeking = seeking[~free]
        return found

    @override
    def operation(self, operands: Operands) -> Operation:
        spiral = operands.memory.put(self._spiral(operands.world.dimension))
        return Operation("detour", (self.reach, self.clearance), (self.directions, spiral))

    def _blocked(self, position: Array, direction: Array, view: View) -> NDArray[np.bool_]:
        """True for each boid whose way in a direction is blocked by any obstacle, shape (n,)."""
        blocked = np.zeros(len(position), dtype=bool)
        for obstacle in view.obstacles:
            blocked |= obstacle.blocks(position, direction, self.reach, self.clearance, view.world)
        return blocked

    def _spiral(self, dimension: int) -> Array:
        """Directions as parts along the flight, to its left and above, shape (directions, 3)."""
        number = np.arange(self.directions)
        if dimension == 2:
            angle = np.where(number % 2 == 1, 1.0, -1.0) * ((number + 1) // 2) * (2 * np.pi / self.directions)
            return np.column_stack((exact.cosine(angle), exact.sine(angle), np.zeros(self.directions)))
        ahead = 1 - 2 * number / self.directions
        across, angle = np.sqrt(1 - ahead * ahead), GOLDEN_TURN * number
        return np.column_stack((ahead, across * exact.cosine(angle), across * exact.sine(angle)))


FLOCKING: tuple[type[Rule], ...] = (Separation, Alignment, Cohesion)
LONE_RULES: tuple[type[Rule], ...] = (Avoid, Detour, Wander, Noise, Propulsion)
"""The three rules of flocking, and those that look at no neighbors, in the order in which they are listed."""


class Zones(Rule):
    """Three exclusive zones: away from those in the inner one, or else with the middle and toward the outer one.

    A boid within `repulsion` is seen all round, and only such boids count where there are any. Otherwise the boid
    wants to fly as those in the next shell (orientation) and toward those in the outer one (attraction), but for those
    in the blind angle behind it. A random turn is added, and the boid turns toward the result as far as its turning
    rate allows, at the speed that it has. Source: I. D. Couzin et al., Collective memory and spatial sorting in animal
    groups, Journal of Theoretical Biology 218, 2002.
    """

    formula: ClassVar[str] = (
        "R = -Σ unit(pj - p) over r < repulsion; O = Σ unit(vj) over the next shell, A = Σ unit(pj - p) over the outer "
        "one; d = R, or unit(O) + unit(A) where R is empty; v turned toward d by at most turning_rate · dt, minus v"
    )
    source: ClassVar[str] = "Couzin et al. 2002"
    published: ClassVar[Mapping[str, str]] = {"steering": "direct", "balance": "individuals"}
    chance: ClassVar[Literal["fixed", "fresh"] | None] = "fresh"

    repulsion: Positive = 1.0
    """Radius of the zone of repulsion, in world units."""
    orientation: NotNegative = 2.0
    """Width of the zone of orientation, the shell around the zone of repulsion, in world units; 0 = none."""
    attraction: NotNegative = 14.0
    """Width of the zone of attraction, the outer shell, in world units; 0 = none."""
    balance: Literal["zones", "individuals"] = "zones"
    """Weight of the two outer zones: zones, the directions of both count the same, however many are in each;
    individuals, each neighbor counts the same, the plain sums of the paper's equations."""
    blind_angle: Annotated[float, Field(ge=0, lt=360)] = 90.0
    """Angle behind a boid, in degrees, in which it sees no boid of the two outer zones."""
    turning_rate: NotNegative = 40.0
    """Largest turn, in degrees per unit of time."""
    error: NotNegative = 2.865
    """Standard deviation of the random turn, in degrees: a Gaussian wrapped around the circle, fresh in every step."""

    @override
    def desired(self, view: View) -> Array:
        """The direction before error and turn, of length 1; zero where nobody is in a zone, or they cancel out."""
        position, heading = view.position, unit(view.velocity)
        near, oriented, inner, attracted = self._requests()
        sums = view.neighbors.sums(position, heading, position, heading, [near, oriented, inner, attracted])
        # Where the outer zones count nobody is in the inner one, so that these sums are about the shells.
        along, toward = sums[oriented].total, sums[attracted].total - sums[inner].total
        if self.balance == "zones":
            along, toward = unit(along), unit(toward)
        crowded = (sums[near].count > 0)[:, None]
        return unit(np.where(crowded, -sums[near].total, along + toward))

    def _requests(self) -> Sequence[Request]:
        """Requests about repulsion, orientation, what attraction leaves out, and all within attraction."""
        seen, middle = 360.0 - self.blind_angle, self.repulsion + self.orientation
        return (
            Request(self.repulsion, 360.0, "constant"),
            Request(middle, seen, "velocity"),
            Request(middle, seen, "constant"),
            Request(middle + self.attraction, seen, "constant"),
        )

    @override
    def operation(self, operands: Operands) -> Operation:
        near, velocity = Request(self.repulsion, 360.0, "constant"), Request(self.repulsion, 360.0, "velocity")
        shell = QuerySpec(near, headings=True, beyond=(self.orientation, 0.0), blind=self.blind_angle)
        oriented, attracted = (
            shell._replace(request=velocity),
            shell._replace(beyond=(self.orientation, self.attraction)),
        )
        specs = QuerySpec(near, headings=True), oriented, shell, attracted
        value, at = (self.error, self.turning_rate), (self.balance == "zones",)
        return Operation("zones", value, at, specs, drawn=operands.world.dimension, purpose="zones")

    @override
    def direct(self, view: View) -> Array:
        """The velocity after the turn, minus the velocity."""
        speed, generator = length(view.velocity), view.randomness.stream("zones")
        heading = scaled(view.velocity, speed, 1.0)
        wanted = self.desired(view)
        wanted = np.where(length(wanted)[:, None] > 0, wanted, heading)
        angle = exact.normal(generator, (len(speed),)) * np.radians(self.error)
        wanted = _turned(wanted, directions(generator, *wanted.shape), angle)
        largest = np.radians(min(180.0, self.turning_rate * view.dt))
        within_reach = dot(wanted, heading) >= exact.cosine(largest)
        turned = np.where(within_reach[:, None], wanted, _turned(heading, wanted, np.full(len(speed), largest)))
        return speed[:, None] * turned - view.velocity


def _turned(ahead: Array, aside: Array, angle: Array) -> Array:
    """Directions turned toward others by an angle in radians, shape (n, d)."""
    across = unit(aside - dot(aside, ahead)[:, None] * ahead)
    return exact.cosine(angle)[:, None] * ahead + exact.sine(angle)[:, None] * across
