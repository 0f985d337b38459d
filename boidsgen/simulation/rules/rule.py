"""Rules and the groups that they steer: from perception to a step.

A rule looks at what a group of animals perceives (`View`) and returns a raw vector per animal, shape (n, d). The rule's
steering form turns the raw vector into a change of velocity:
  direct     the raw vector itself is the change
  reynolds   the raw vector is the desired direction: lim(max_speed · unit(raw) - velocity, max_force)
  unit       the raw vector, brought to length 1, is the change
  turn       the velocity turns toward the raw vector, as far as the rule's `max_turn` lets it
In each form the change is then multiplied by the rule's weight, and a zero raw vector gives no steering at all, but
where a rule says so. Where a rule that `preempts` others has a raw vector, no other rule steers in this step.

A rule with `acts_on = "position"` does not steer: its result, always in the direct form, is a drift that moves the
animal in this step and leaves its velocity unchanged.

Flocks and predators are steered by the same rules. The class attributes of a rule declare what is special about it;
listings, observers and tests read them. A new rule is one class in the module of its theme, and one entry in the tuple
of rules there. Without an `operation` it is computed by numpy, and so is everything else of such a scenario, whose page
is a recording; an operation that the kernel lacks is a member of an enumeration in `kernel/records.h` and a case in
`kernel/rules.c`, too.

The `contributions` and `drift` of a group are the sums of its rules. The order of the additions is fixed, because it
decides the last bits. `advance` (synchronous update) and `take_turns` (sequential update) define a step in numpy:
another engine may replace them, and must give the same bits.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, update_wrapper
from itertools import chain
from math import prod
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import override

from boidsgen.simulation.fields import VectorField
from boidsgen.simulation.geometry import (
    Array,
    GroupRandomness,
    by_column,
    length,
    limited,
    numbers,
    scattered,
    unit,
    zeros,
)
from boidsgen.simulation.motion import Differences, Group, Motion, Steering, reynolds, turning
from boidsgen.simulation.neighbors import Coincident, NeighborSearch, Request, Sum, is_about_everyone, neighbor_sums
from boidsgen.simulation.obstacles import Obstacle, free_places, inside
from boidsgen.simulation.records import Memory, QuerySpec, number_of, point_of, record
from boidsgen.simulation.world import Open, World
from boidsgen.tables import (
    OFF_BY_DEFAULT,
    Finite,
    NotNegative,
    NotNegativeOrInfinite,
    OneOrSeveral,
    PositiveOrInfinite,
    Table,
    attributes,
    keys_of,
)


class Neighborhood(Table):
    """The neighborhood that the rules of a group work in, unless a rule has its own."""

    radius: PositiveOrInfinite = 50.0
    """Distance that a boid sees, in world units; inf = everyone."""
    field_of_view: Annotated[float, Field(gt=0, le=360)] = 360.0
    """Total angle in degrees around the direction of flight; 360 = all round."""
    all_round: Annotated[NotNegative, OFF_BY_DEFAULT] = 0.0
    """Distance within which boids are seen at any angle, in world units."""
    neighbors: Annotated[int, Field(ge=1)] | None = None
    """Number of nearest neighbors in view that count: topological interaction, about 7 in starlings (Ballerini et al.
    2008). It applies to alignment and cohesion; separation acts on all that are too close. Default: all within the
    radius."""
    coincident: Coincident = "ignore"
    """Boids of its own kind at exactly the same position: ignore, or count them as neighbors. Counted ones do not push;
    where neighbors together give no direction, the reynolds form brakes, lim(-v, max_force), as in loops that never
    check for a distance of zero."""


def _known_flock(name: str, about: ValidationInfo) -> str:
    """The name itself; an error where the context of the validation has the names of all flocks, and not this one."""
    known = (about.context or {}).get("flocks", [name])
    if name not in known:
        raise PydanticCustomError("unknown_flock", "there is no flock of this name", {"known": known})
    return name


SPEED = "max_speed"  # The key of individual speeds; others are weights of rules
KnownFlock = AfterValidator(_known_flock)  # Holds a text to the names of the scenario's flocks
FlockName = Annotated[str, KnownFlock]  # The name of a flock, as its table gives it


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The perception of one group in one step: the boids of one flock, or the predators of one table.

    Boids see each other as they were and predators where they now are; predators move first and see everybody as they
    were. Who counts as what:
                                to boids                     to predators
      own                       boids of the same flock      predators of the same table
      others                    boids of the other flocks    predators of the other tables
      predators, hunters        all predators                predators of the other tables
      flocks                    the other flocks             all flocks: their prey
    So predators that flee keep away from other kinds of predators, and never from their own.
    """

    position: Array  # (n, d) world units
    velocity: Array  # (n, d) world units per unit of time
    time: float  # simulated time at the beginning of the step
    dt: float  # time that the step covers
    world: World  # the world
    perception: Neighborhood  # whom the animals of the group see
    motion: Motion  # the group's speeds and forces
    own: Mapping[Request, Sum]  # sums over neighbors of the own kind, by request
    others: Mapping[Request, Sum]  # sums over neighbors of the other kinds, by request; empty where there are none
    predators: Mapping[Request, Sum]  # sums over those that may be fled from, by request; empty where there are none
    flocks: Sequence[Group]  # the flocks that the group is not one of, one by one
    hunters: Sequence[Group]  # those that may be fled from, one group per table
    obstacles: Sequence[Obstacle]  # what stands in the world
    fields: Sequence[VectorField]  # those that move the group
    neighbors: NeighborSearch  # answers further requests
    randomness: GroupRandomness  # the group's streams of random numbers
    # individual factors, (n,) each, by the keys of the numbers that differ
    factors: Mapping[str, Array] = field(default_factory=dict)

    @property
    def max_speed(self) -> float | Array:
        """The highest speed of all of them, or of each, shape (n,)."""
        return self.motion.max_speed * self.factors[SPEED] if SPEED in self.factors else self.motion.max_speed

    def flows(self, acts: Literal["force", "drift"]) -> list[Array]:
        """The vectors of each field that acts in this way, weight included, shape (n, d) each."""
        acting = (one for one in self.fields if one.acts == acts and one.weight)
        return [one.weight * one.value(self.position, self.time, self.world) for one in acting]


class Operation(NamedTuple):
    """A rule as the kernel executes it: one of the operations of `kernel/rules.c`, or of the recipes of `step.c`."""

    name: str  # of the operation
    value: Sequence[float | None] = ()  # at most 8 numbers, in the units of keys; None for the default of a key
    at: Sequence[int] = ()  # at most 5 whole numbers, such as cells of the program
    specs: Sequence[QuerySpec] = ()  # what it asks about neighbors
    drawn: int = 0  # random numbers for each animal and step
    purpose: str = ""  # of the stream that they are from
    include_self: bool = False  # whether the animal itself counts in a mean


class Fixed(NamedTuple):
    """Random numbers of a group that stay the same for the whole run, several for each animal."""

    group: int
    stream: tuple[str, int]  # purpose and number of the stream that they are from
    rows: int  # numbers for each animal
    cell: int


@dataclass
class Operands:
    """The program of a group, into which a rule writes what its operation needs; see `native`."""

    memory: Memory  # of the program
    world: World
    group: int  # number of the group, predators before flocks
    count: int  # of its animals
    perception: Neighborhood
    others: Sequence[int]  # numbers of the other groups of its kind
    hunters: Sequence[tuple[int, bool]]  # of those that may be fled from, and whether they have moved
    prey: Mapping[int, str]  # numbers and names of the flocks that it is not one of
    randomness: GroupRandomness
    drawn: list[Fixed]  # what the groups of the program have drawn for the whole run

    def point(self, point: Sequence[float] | None) -> tuple[float, float, float]:
        """A point, or the center of the world, as three numbers."""
        return point_of((self.world.extent / 2).tolist() if point is None else point)

    def flocks(self, names: Container[str]) -> Sequence[int]:
        """Numbers of the flocks with these names, among those that the group is not one of."""
        return [number for number, name in self.prey.items() if name in names]

    def seen(self, flocks: Iterable[int]) -> tuple[int, int]:
        """Number and cell of the records of some flocks."""
        return self.groups([(flock, False) for flock in flocks])

    def groups(self, groups: Sequence[tuple[int, bool]]) -> tuple[int, int]:
        """Number and cell of the records of some groups, each with whether it has moved."""
        return self.memory.put_all([record("Sources", group=group, moved=moved) for group, moved in groups])

    def fixed(self, purpose: str, shape: tuple[int, ...]) -> int:
        """The cell of random numbers that stay the same for the whole run."""
        cell, chance = self.memory.put(self.randomness.fixed(purpose, shape)), self.randomness
        self.drawn.append(Fixed(self.group, (chance.kind + purpose, chance.number), prod(shape[:-1]), cell))
        return cell


class Rule(Table, ABC):
    """One of the things that steer an animal."""

    formula: ClassVar[str] = ""
    """Its raw vector in code form, with the symbols of docs/reference/formulas.md: p, v the boid's position and
    velocity, S its neighbors, pj, vj theirs, r a distance."""
    source: ClassVar[str] = ""
    """Source of the formula."""
    published: ClassVar[Mapping[str, str]] = {}
    """Keys in words that have other values in other forms than that of the source, with their values there."""
    usual_steering: ClassVar[Steering | None] = "direct"
    """The form of this rule unless its table says otherwise; None = the group's."""
    chance: ClassVar[Literal["fixed", "fresh"] | None] = None
    """Its use of random numbers: fixed for the whole run, or fresh in every step, so that nobody can know what it
    will add."""
    by_number: ClassVar[bool] = False
    """True if the number of an animal in its group matters to the rule."""
    placed: ClassVar[bool] = False
    """True if the rule leads to places of the world: it does otherwise when all animals are moved along."""
    rank: ClassVar[int] = 3
    """Its rank in lists of rules: the three of 1987 are 0, 1 and 2, all others follow them."""
    example: ClassVar[Mapping[str, Any]] = {}
    """Keys of a table of this rule for trying it out, in a flat world 100 units wide with two flocks: the rule's own,
    and one called `others`. Keys that have no default must be among them."""
    python: ClassVar[str] = ""
    """Its source code, where it has come from another process and Python cannot tell."""

    weight: Finite = 1.0
    """Factor on the rule's steering; 0 switches the rule off, a negative one reverses it."""
    steering: Steering | None = None
    """Conversion of the rule's vector to a change of velocity: reynolds, direct, unit or turn."""
    max_force: NotNegativeOrInfinite | None = None
    """Maximum change of velocity by this rule in one step, before its weight; inf = no limit. Default: the group's
    max_force in the reynolds form, no limit in the others."""
    max_turn: NotNegativeOrInfinite = np.inf
    """Largest turn in the turn form, in degrees per unit of time; inf = at once into the direction of the vector."""
    acts_on: Literal["velocity", "position"] = "velocity"
    """velocity: the rule steers. position: it moves the boid itself in every step by weight times the direct vector,
    whatever dt is, and leaves the velocity as it is: a drift."""

    @field_validator("acts_on")
    @classmethod
    def _direct_on_positions(cls, value: str, info: ValidationInfo) -> str:
        if value == "position" and (form := info.data.get("steering")) not in {None, "direct"}:
            raise ValueError(f"must be velocity with steering = {form}: only a direct vector can move a boid")
        return value

    def cited(self, steering: Steering) -> str:
        """The source of the formula in this form; the one that it is after where another form was published."""
        form = {**dict(self), "steering": steering}
        same = all(form[key] == value for key, value in self.published.items())
        return self.source if same else f"after {self.source}"

    def own_requests(self, perception: Neighborhood) -> Sequence[Request]:
        """Requests about neighbors of the own kind."""
        return ()

    def other_requests(self, perception: Neighborhood) -> Sequence[Request]:
        """Requests about neighbors of other kinds."""
        return ()

    def predator_requests(self) -> Sequence[Request]:
        """Requests about those that may be fled from."""
        return ()

    def notices(self, group: str) -> bool:
        """True if animals of another group with this name count among the neighbors of other kinds."""
        return True

    @abstractmethod
    def desired(self, view: View) -> Array:
        """The direction in which each animal should go, shape (n, d); zero = it may go on as it is."""

    def direct(self, view: View) -> Array:
        """The change of velocity in the direct form, before the weight, shape (n, d)."""
        return self.desired(view)

    def without_effect(self, form: Steering) -> dict[str, str]:
        """Keys that change nothing in this form, each with the reason in words."""
        return {} if form == "turn" else {"max_turn": f"steering = {form}"}

    def operation(self, operands: Operands) -> Operation | None:
        """The rule as the kernel executes it; None if only numpy knows it."""
        return None


RuleFunction: TypeAlias = Callable[[View], Any]
"""A rule of a program: the change of velocity of each animal, shape (n, d), by what the group perceives."""
Rules: TypeAlias = Sequence[Rule | RuleFunction] | Mapping[str, RuleFunction]


def rule_of(name: str, function: RuleFunction) -> Rule:
    """The rule of this name that a function is; what it returns is checked as that of a package is."""

    class FunctionRule(Rule):
        @override
        def desired(self, view: View) -> Any:
            return function(view)

    update_wrapper(FunctionRule, function, updated=())  # so that its source is that of the function
    FunctionRule.__name__ = FunctionRule.__qualname__ = name
    return FunctionRule()


@cache
def rules_in(table: type[Table]) -> Mapping[str, type[Rule]]:
    """The rules that a table has keys for, by those keys."""
    kinds = {name: keys_of(table)[name].plain for name in attributes(table)}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, Rule)}


RuleOrClass = TypeVar("RuleOrClass", Rule, type[Rule])  # A rule with its values, or its class


def listed(rules: Mapping[str, RuleOrClass]) -> dict[str, RuleOrClass]:
    """Rules in the order in which they are listed: the three of 1987 come first."""
    return dict(sorted(rules.items(), key=lambda entry: entry[1].rank))


class RecipeRule(Rule):
    """A rule whose raw vector is made of the sums over neighbors that it requests, at most one of each kind.

    numpy defines what this means; the kernel executes the same. Where a sum over the own kind counts those at the same
    place, the reynolds form brakes a boid whose neighbors give no direction.
    """

    recipe: ClassVar[Literal["push", "mean offset", "mean velocity"]] = "push"
    """push: minus all sums together. mean offset: the sum divided by how many they are; a key `include_self` may count
    the boid itself. mean velocity: the same of velocities, and in the direct form minus the boid's own where there are
    neighbors."""

    @override
    def desired(self, view: View) -> Array:
        asked = (
            (view.own, self.own_requests(view.perception)),
            (view.others, self.other_requests(view.perception)),
            (view.predators, self.predator_requests()),
        )
        sums = [answers[request] for answers, requests in asked for request in requests if request in answers]
        if not sums:
            return np.zeros_like(view.position)
        total = sum((one.total for one in sums[1:]), sums[0].total)
        if self.recipe == "push":
            return -total
        count, with_self = sums[0].count, getattr(self, "include_self", False)
        if with_self and self.recipe == "mean velocity":
            total = total + view.velocity * (count > 0)[:, None]
        mean: Array = total / (count + 1.0 if with_self else np.maximum(count, 1.0))[:, None]
        return mean

    @override
    def direct(self, view: View) -> Array:
        vector = self.desired(view)
        if self.recipe != "mean velocity":
            return vector
        (own,) = self.own_requests(view.perception)
        return vector - view.velocity * (view.own[own].count > 0)[:, None]

    def brakes(self, view: View) -> float | Array:
        """1 for each boid that brakes in the reynolds form where its neighbors give no direction, else 0, (n,)."""
        own = self.own_requests(view.perception)
        return np.sign(view.own[own[0]].count) if own and own[0].coincident == "count" else 0.0

    @override
    def operation(self, operands: Operands) -> Operation:
        requests = self.own_requests(operands.perception), self.other_requests(operands.perception)
        own, others, predators = (next(iter(one), None) for one in (*requests, self.predator_requests()))
        foreign = operands.groups([(other, False) for other in operands.others])
        specs = (
            QuerySpec(own, joined=False),
            QuerySpec(others, foreign, noticed=True, joined=False),
            QuerySpec(predators, operands.groups(operands.hunters), joined=False),
        )
        brakes = own is not None and own.coincident == "count"
        average = number_of("average", "by sum" if self.recipe == "push" else "by neighbors")
        at = brakes, average, number_of("empty", "rest"), False, True
        return Operation(self.recipe, at=at, specs=specs, include_self=getattr(self, "include_self", False))


def is_told(rule: Rule) -> bool:
    """True if the class that says how the kernel executes a rule says what its vector is, too."""
    kind = type(rule)
    teller: Any = next(each for each in kind.__mro__ if "operation" in vars(each))
    own = kind.desired, kind.direct, getattr(kind, "places", None)
    return own == (teller.desired, teller.direct, getattr(teller, "places", None))


class NeighborRule(RecipeRule):
    """A rule about neighbors of the own kind, in a neighborhood that may differ from the group's perception."""

    usual_steering: ClassVar[Steering | None] = None

    radius: PositiveOrInfinite | None = None
    """Distance that this rule looks, in world units; inf = everyone. Default: perception.radius."""
    field_of_view: Annotated[float, Field(gt=0, le=360)] | None = None
    """Total angle this rule looks at, in degrees. Default: perception.field_of_view."""

    @abstractmethod
    def request(self, perception: Neighborhood) -> Request:
        """The one sum this rule is about."""

    @override
    def own_requests(self, perception: Neighborhood) -> Sequence[Request]:
        return (self.request(perception),)

    def reach(self, perception: Neighborhood) -> tuple[float, float]:
        """Radius and field of view of this rule."""
        return (
            perception.radius if self.radius is None else self.radius,
            perception.field_of_view if self.field_of_view is None else self.field_of_view,
        )


def is_live(rule: Rule) -> bool:
    """True if a rule sees in sequential updates what has changed since the step began, or goes before others."""
    return isinstance(rule, NeighborRule) or getattr(rule, "preempts", False)


NOTHING_KNOWN: Mapping[str, Array] = MappingProxyType({})  # No contribution has been worked out before


class SteeredGroup(Motion):
    """Animals that are steered by rules, each one a table below the name of the rule."""

    perception: Neighborhood = Neighborhood.default()
    """Perception of its boids."""
    individual: Annotated[tuple[Differences, ...], OneOrSeveral] = ()
    """Individual differences, one table per number, such as { key = "seek.weight", share = 0.1 }."""
    order: tuple[Literal["separation", "alignment", "cohesion"], ...] = ()
    """Rules that act one after the other, in this order, each on the velocity that those before it leave, as in loops
    that change the velocity at once. All other rules, and by default all of them, act on that of the step before."""

    @field_validator("order")
    @classmethod
    def _each_once(cls, order: tuple[str, ...]) -> tuple[str, ...]:
        if len({*order}) < len(order):
            raise ValueError("must name each rule once")
        return order

    @model_validator(mode="after")
    def _numbers_of_its_own(self) -> Self:
        known = [SPEED, *(f"{name}.weight" for name, rule in self.tables.items() if rule is not None)]
        keys = [one.key for one in self.individual]
        for number, key in enumerate(keys):
            if key not in known or key in keys[:number]:
                wrong = "is there twice" if key in known else f"must be one of {', '.join(known)}, not {key!r}"
                raise ValueError(f"individual.{number}.key {wrong}")
        return self

    @property
    def tables(self) -> Mapping[str, Rule | None]:
        """The table of each rule, by the names of the tables, in the order in which rules are added up."""
        # By name: the order must not depend on the one in which the rules are declared.
        return {name: getattr(self, name) for name in sorted(rules_in(type(self)))}

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        """The rules that have an effect, by the names of their tables: those of `order` first, as they are added up."""
        order = [*self.order, *(name for name in self.tables if name not in self.order)]
        tables = {name: self.tables.get(name) for name in order}
        return {name: rule for name, rule in tables.items() if rule is not None and rule.weight != 0}

    @cached_property
    def own_requests(self) -> tuple[Request, ...]:
        """Requests of the rules about neighbors of the own kind."""
        return _once(rule.own_requests(self.perception) for rule in self.rules.values())

    @cached_property
    def other_requests(self) -> tuple[Request, ...]:
        """Requests of the rules about neighbors of other kinds."""
        return _once(rule.other_requests(self.perception) for rule in self.rules.values())

    @cached_property
    def predator_requests(self) -> tuple[Request, ...]:
        """Requests of the rules about those that may be fled from."""
        return _once(rule.predator_requests() for rule in self.rules.values())

    def steering_of(self, rule: Rule) -> Steering:
        """The form of a rule: its own, or else its usual one, or else the group's; direct if it moves the position."""
        return "direct" if rule.acts_on == "position" else rule.steering or rule.usual_steering or self.steering

    def contributions(self, view: View, known: Mapping[str, Array] = NOTHING_KNOWN) -> dict[str, Array]:
        """The change of velocity by each rule, weight included, shape (n, d) each; those `known` are taken as they are.

        They come in the order in which they are added up.
        """
        found, now = dict[str, Array](), view
        for name in self.awake(view, "velocity"):
            if name in self.order:
                found[name] = self.contribution(name, now)
                now = replace(now, velocity=now.velocity + found[name])
            else:
                found[name] = known[name] if name in known else self.contribution(name, view)
        return self.preempted(found, view)

    def preempted(self, changes: dict[str, Array], view: View) -> dict[str, Array]:
        """The changes where a rule that preempts others leaves its own alone, the first such rule of several."""
        leaders = [name for name in changes if getattr(self.rules[name], "preempts", False)]
        if not leaders:
            return changes
        taken = np.zeros((len(view.velocity), 1), dtype=bool)
        for leader in leaders:
            leads = (length(self.vector(leader, view)) > 0)[:, None] & ~taken
            changes = {name: each if name == leader else np.where(leads, 0.0, each) for name, each in changes.items()}
            taken |= leads
        return changes

    def vector(self, name: str, view: View) -> Array:
        """The vector of a rule that its form goes by, shape (n, d)."""
        rule = self.rules[name]
        vector = rule.direct(view) if self.steering_of(rule) in {"direct", "unit"} else rule.desired(view)
        return numbers(vector, view.velocity.shape, rule, "one vector for each animal")

    def contribution(self, name: str, view: View) -> Array:
        """The change of velocity, or of position, by one rule, weight included, shape (n, d)."""
        rule, vector = self.rules[name], self.vector(name, view)
        form, cap = self.steering_of(rule), np.inf if rule.max_force is None else rule.max_force
        if form == "reynolds":
            cap = self.max_force if rule.max_force is None else cap
            steering = reynolds(vector, view.velocity, view.max_speed, cap, _brakes(rule, view))
        elif form == "turn":
            largest = np.radians(min(180.0, rule.max_turn * view.dt))
            steering = limited(turning(vector, view.velocity, largest), cap)
            steering = steering / view.dt if self.forces == "per_time" else steering
        else:
            steering = limited(unit(vector) if form == "unit" else vector, cap)
        factors = view.factors.get(f"{name}.weight")
        return (rule.weight if factors is None else (rule.weight * factors)[:, None]) * steering

    def drive(self, view: View, pushes: Sequence[Array] = ()) -> Array:
        """The weighted sum of all rules, and of whatever else pushes, in this order, shape (n, d)."""
        first, *others = self.contributions(view).values() or (np.zeros_like(view.velocity),)
        for contribution in (*others, *pushes):
            first += contribution
        return first

    def drift(self, view: View) -> Array | None:
        """The displacement in one step by rules and fields that move animals, shape (n, d); None without any."""
        drifts = [self.contribution(name, view) for name in self.awake(view, "position")]
        drifts += view.flows("drift")
        return sum(drifts[1:], drifts[0]) if drifts else None

    def awake(self, view: View, target: str) -> list[str]:
        """The rules that act on this and have an effect: without anybody to flee from, those about fear have none."""
        acting = {name: rule for name, rule in self.rules.items() if rule.acts_on == target}
        return [name for name, rule in acting.items() if view.predators or not rule.predator_requests()]


def _brakes(rule: Rule, view: View) -> float | Array:
    """1 for each animal that brakes where the rule gives no direction, else 0, shape (n,)."""
    return rule.brakes(view) if isinstance(rule, RecipeRule) and is_told(rule) else 0.0


def _once(requests: Iterable[Sequence[Request]]) -> tuple[Request, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(requests)))


def advance(table: SteeredGroup, view: View, drive: Array, dt: float) -> tuple[Array, Array]:
    """Positions and velocities of a group after a step that this drive steers, (n, d); drifts move them besides."""
    drift = table.drift(view)
    if table.angular_noise:
        generator = view.randomness.stream("angular noise")
        drive = scattered(
            view.velocity, drive, table.inertia, table.angular_noise, table.angular_noise_spread, generator
        )
    position, velocity = table.move(view.position, view.velocity, drive, dt, view.factors.get(SPEED, 1.0), view.world)
    position = position if drift is None else position + drift
    return confined(position, velocity, view.obstacles, view.world, view.position)


def confined(
    position: Array, velocity: Array, obstacles: Sequence[Obstacle], world: World, before: Array | None = None
) -> tuple[Array, Array]:
    """Positions and velocities after solid obstacles and the boundary condition, shape (n, d) each.

    Whom another obstacle or the boundary has put inside an obstacle stays where it was `before`, (n, d), or, if that is
    inside too or there is no before, goes to a free place nearby. It loses its velocity into the obstacle.
    """
    moved = position
    for obstacle in obstacles:
        moved, velocity = obstacle.keep_out(moved, velocity, world)
    moved, velocity = world.boundary.confine(moved, velocity, world.extent)
    changed = np.flatnonzero((moved != position).any(axis=1))  # who is as before this is outside of everything
    stuck = changed[inside(moved[changed], obstacles, world)]
    if not len(stuck):
        return moved, velocity
    places, velocity = moved[stuck], velocity.copy()
    for one in stuck[:, None]:
        for obstacle in obstacles:
            _, velocity[one] = obstacle.keep_out(moved[one], velocity[one], world)
    moved = moved.copy()
    if before is not None:
        moved[stuck] = before[stuck]
        lost = inside(moved[stuck], obstacles, world)
        stuck, places = stuck[lost], places[lost]
    if len(stuck):
        moved[stuck] = free_places(places, obstacles, world)
    return moved, velocity


def take_turns(
    group: SteeredGroup,
    view: View,
    pushes: Sequence[Array],
    turns: NDArray[np.intp],
    last: Array | None,
    *,
    together: bool,
) -> tuple[Array, Array, Array]:
    """Positions and velocities of a flock after each boid has had its turn, and what has steered it, (n, d).

    Args:
        group: the flock.
        view: its perception at the beginning of the step.
        pushes: what steers besides rules, (n, d) each.
        turns: numbers of the boids in the order of their turns, shape (n,).
        last: what has steered in the step before, shape (n, d), if anything has.
        together: whether boids only turn in their turns, and move together when all have turned.
    """
    positions, velocities = (by_column(vectors).copy(order="F") for vectors in (view.position, view.velocity))
    moved = positions.copy(order="F") if together else positions
    drive, requests = zeros(*view.position.shape), group.own_requests
    drifts = group.awake(view, "position")
    given = {
        name: group.contribution(name, view)
        for name in (*group.awake(view, "velocity"), *drifts)
        if not is_live(group.rules[name])
    }
    carried = view.flows("drift")
    world = view.world
    after = world.model_copy(update={"boundary": Open()}) if world.boundary.before_turns else world
    for boid in turns.tolist():
        one = slice(boid, boid + 1)
        if after is not world:
            positions[one], _ = world.boundary.confine(positions[one], velocities[one], world.extent)
        here = replace(
            view,
            position=positions[one],
            velocity=velocities[one],
            own=own_sums(positions, velocities, boid, requests, view.world.periods),
            others={request: Sum(sums.count[one], sums.total[one]) for request, sums in view.others.items()},
            factors={name: factors[one] for name, factors in view.factors.items()},
        )
        known = {name: given[name][one] for name in given}
        vectors = [*group.contributions(here, known).values(), *(push[one] for push in pushes)]
        steering = sum(vectors[1:], vectors[0]) if vectors else np.zeros_like(here.velocity)
        drive[one] = group.smoothed(steering, here.velocity, None if last is None else last[one])
        factor = here.factors.get(SPEED, 1.0)
        position, velocity = group.move(here.position, here.velocity, drive[one], view.dt, factor, after)
        if drifts or carried:
            found = [known[name] if name in known else group.contribution(name, here) for name in drifts]
            found += [drift[one] for drift in carried]
            position = position + sum(found[1:], found[0])
        moved[one], velocities[one] = confined(position, velocity, view.obstacles, after, view.position[one])
    return moved, velocities, drive


def own_sums(
    position: Array, velocity: Array, boid: int, requests: Sequence[Request], periods: Array
) -> dict[Request, Sum]:
    """The answers to the requests of one boid about its own kind, everybody where they are now."""
    one, others = slice(boid, boid + 1), np.arange(len(position)) != boid
    asked = [each._replace(coincident="count") if is_about_everyone(each) else each for each in requests]
    # Without a bound all others are in one cell, and are added up in their own order.
    asked.append(Request(np.inf, 360.0, "offset"))
    sums = neighbor_sums(position[one], velocity[one], position[others], velocity[others], asked, periods)
    return dict(zip(requests, sums, strict=False))
