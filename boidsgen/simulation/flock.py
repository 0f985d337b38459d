"""Flock: boids of one kind and the rules that steer them."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from boidsgen.simulation.geometry import Array, limited
from boidsgen.simulation.motion import Motion
from boidsgen.simulation.neighbors.request import Request
from boidsgen.simulation.rules import OptionalRules
from boidsgen.simulation.rules.flocking import FlockingRules
from boidsgen.simulation.rules.rule import Perception, Rule, View, rules_in

BOIDS_PER_BLOCK = 1 << 14
"""Boids steered together: what is computed on the way stays in the second-level cache."""


class SteeredGroup(Motion):
    """Animals that are steered by rules, each one a table below the name of the rule."""

    perception: Perception = Perception.usual()
    """Whom a boid sees."""

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        """The rules that have an effect, by the names of their tables."""
        # By name: the order in which they are added up must not depend on the order in which they are declared.
        present = {name: getattr(self, name) for name in sorted(rules_in(type(self)))}
        return {name: rule for name, rule in present.items() if rule is not None and rule.weight != 0}

    @cached_property
    def own_requests(self) -> tuple[Request, ...]:
        """What the rules must know about neighbors of the own kind."""
        return _once(request for rule in self.rules.values() for request in rule.own_requests(self.perception))

    @cached_property
    def other_requests(self) -> tuple[Request, ...]:
        """What the rules must know about neighbors in other flocks."""
        return _once(request for rule in self.rules.values() for request in rule.other_requests(self.perception))

    @cached_property
    def predator_requests(self) -> tuple[Request, ...]:
        """What the rules must know about predators."""
        return _once(request for rule in self.rules.values() for request in rule.predator_requests())

    def steering_of(self, rule: Rule) -> str:
        """The form of a rule: its own, or else its usual one, or else the flock's."""
        return rule.steering or rule.usual_steering or self.steering

    def contributions(self, view: View) -> dict[str, Array]:
        """What each rule adds to the velocity, weight included, shape (n, d) each."""
        awake = self.rules if view.predators else self._rules_without_fear
        alike = [name for name in awake if name in self._alike]
        given = dict(zip(alike, self._reynolds_of([awake[name] for name in alike], view), strict=True))
        return {
            name: rule.weight * (given[name] if name in given else self._contribution(rule, view))
            for name, rule in awake.items()
        }

    def drive(self, view: View) -> Array:
        """The weighted sum of all rules, shape (n, d)."""
        first, *others = self.contributions(view).values() or (np.zeros_like(view.velocity),)
        for contribution in others:
            first += contribution
        return first

    @cached_property
    def _rules_without_fear(self) -> Mapping[str, Rule]:
        """The rules that have an effect where there are no predators."""
        return {name: rule for name, rule in self.rules.items() if not rule.predator_requests()}

    @cached_property
    def _alike(self) -> frozenset[str]:
        """The names of the rules that steer in the reynolds form with the flock's own largest force."""
        steered = (name for name, rule in self.rules.items() if self.steering_of(rule) == "reynolds")
        return frozenset(name for name in steered if self.rules[name].max_force is None)

    def _reynolds_of(self, rules: Sequence[Rule], view: View) -> Sequence[Array]:
        """The steering of rules in the reynolds form, (n, d) each; all at once, which is faster for small flocks."""
        if not rules:
            return ()
        count, dimension = view.velocity.shape
        desired = np.empty((len(rules), dimension, count)).transpose(0, 2, 1)
        for number, rule in enumerate(rules):
            desired[number] = rule.desired(view)
        for first in range(0, count, BOIDS_PER_BLOCK):
            block = slice(first, first + BOIDS_PER_BLOCK)
            desired[:, block] = self.reynolds(desired[:, block], view.velocity[block])
        return list(desired)

    def _contribution(self, rule: Rule, view: View) -> Array:
        if self.steering_of(rule) == "direct":
            return limited(rule.direct(view), np.inf if rule.max_force is None else rule.max_force)
        return self.reynolds(rule.desired(view), view.velocity, rule.max_force)


def _once(requests: Any) -> tuple[Request, ...]:  # noqa: ANN401
    return tuple(dict.fromkeys(requests))


class Flock(OptionalRules, FlockingRules, SteeredGroup):
    """Boids of one kind. They flock with their own kind and keep clear of the others."""

    name: str = "boids"
    """What they are called in the legend and in trajectories."""
    count: Annotated[int, Field(ge=0)] = 50
    """How many boids there are."""
