"""Groups that are steered by rules, and how they take a step, all at once or one after the other.

A group's `contributions` and `drift` are what its rules come to. The order of the
additions is fixed, because it decides the last bits. `advance` and `take_turns` are the numpy definitions of a step:
another engine may replace them, and must give the same bits.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Annotated, Self

import numpy as np
from pydantic import model_validator

from boidsgen.simulation.geometry import Array, by_column, limited, zeros
from boidsgen.simulation.motion import Differences, Motion, Steering, reynolds
from boidsgen.simulation.neighbors.sums import Request, Sum, is_about_everyone
from boidsgen.simulation.neighbors.vectorized import neighbor_sums
from boidsgen.simulation.obstacles import Obstacle, free_places, inside
from boidsgen.simulation.randomness import scattered
from boidsgen.simulation.rules.rule import SPEED, Neighborhood, NeighborRule, RecipeRule, Rule, View, is_told, rules_in
from boidsgen.simulation.validation import numbers
from boidsgen.simulation.world import Open, World
from boidsgen.tables import OneOrSeveral


class SteeredGroup(Motion):
    """Animals that are steered by rules, each one a table below the name of the rule."""

    perception: Neighborhood = Neighborhood.default()
    """Perception of its boids."""
    individual: Annotated[tuple[Differences, ...], OneOrSeveral] = ()
    """Individual differences, one table per number, such as { key = "seek.weight", share = 0.1 }."""

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
        """The rules that have an effect, by the names of their tables."""
        return {name: rule for name, rule in self.tables.items() if rule is not None and rule.weight != 0}

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

    def contributions(self, view: View) -> dict[str, Array]:
        """The change of velocity by each rule, weight included, shape (n, d) each."""
        return {name: self.contribution(name, view) for name in self.awake(view, "velocity")}

    def contribution(self, name: str, view: View) -> Array:
        """The change of velocity, or of position, by one rule, weight included, shape (n, d)."""
        rule, shape, given = self.rules[name], view.velocity.shape, "one vector for each animal"
        if self.steering_of(rule) == "direct":
            vector = numbers(rule.direct(view), shape, rule, given)
            steering = vector if rule.max_force is None else limited(vector, rule.max_force)
        else:
            vector = numbers(rule.desired(view), shape, rule, given)
            cap = self.max_force if rule.max_force is None else rule.max_force
            steering = reynolds(vector, view.velocity, view.max_speed, cap, _brakes(rule, view))
        factors = view.factors.get(f"{name}.weight")
        return (rule.weight if factors is None else (rule.weight * factors)[:, None]) * steering

    def drive(self, view: View, pushes: Sequence[Array] = ()) -> Array:
        """The weighted sum of all rules, and of whatever else pushes, in this order, shape (n, d)."""
        first, *others = self.contributions(view).values() or (np.zeros_like(view.velocity),)
        for contribution in (*others, *pushes):
            first += contribution
        return first

    def drift(self, view: View) -> Array | None:
        """The displacement in one step by all rules that act on the position, shape (n, d); None without any."""
        drifts = [self.contribution(name, view) for name in self.awake(view, "position")]
        return sum(drifts[1:], drifts[0]) if drifts else None

    def awake(self, view: View, target: str) -> list[str]:
        """The rules that act on this and have an effect: without anybody to flee from, those about fear have none."""
        acting = {name: rule for name, rule in self.rules.items() if rule.acts_on == target}
        return [name for name, rule in acting.items() if view.predators or not rule.predator_requests()]


def _brakes(rule: Rule, view: View) -> float | Array:
    """1 for each animal that brakes where the rule gives no direction, else 0, shape (n,)."""
    own = rule.own_requests(view.perception) if isinstance(rule, RecipeRule) and is_told(rule) else ()
    return np.sign(view.own[own[0]].count) if own and own[0].coincident == "count" else 0.0


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
    position, velocity = table.move(view.position, view.velocity, drive, dt, view.factors.get(SPEED, 1.0))
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


def take_turns(group: SteeredGroup, view: View, pushes: Sequence[Array]) -> tuple[Array, Array, Array]:
    """Positions and velocities of a flock after each boid has moved in its turn, and what has steered it, (n, d)."""
    positions, velocities = (by_column(vectors).copy(order="F") for vectors in (view.position, view.velocity))
    drive, requests = zeros(*view.position.shape), group.own_requests
    steering, drifts = (group.awake(view, target) for target in ("velocity", "position"))
    given = {
        name: group.contribution(name, view)
        for name in (*steering, *drifts)
        if not isinstance(group.rules[name], NeighborRule)
    }
    world = view.world
    after = world.model_copy(update={"boundary": Open()}) if world.boundary.before_turns else world
    for boid in range(len(positions)):
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

        def added(names: Sequence[str], pushes: Sequence[Array], here: View = here, one: slice = one) -> Array:
            vectors = [given[name][one] if name in given else group.contribution(name, here) for name in names]
            vectors += [push[one] for push in pushes]
            return sum(vectors[1:], vectors[0]) if vectors else np.zeros_like(here.velocity)

        drive[one] = added(steering, pushes)
        factor = here.factors.get(SPEED, 1.0)
        position, velocity = group.move(here.position, here.velocity, drive[one], view.dt, factor)
        if drifts:
            position = position + added(drifts, ())
        positions[one], velocities[one] = confined(position, velocity, view.obstacles, after, view.position[one])
    return positions, velocities, drive


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
