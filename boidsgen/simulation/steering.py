"""Steering: a group of animals and the weighted sum of the rules that steer it.

`contributions(view)` says what each rule adds to the velocity in one step, weight included, and `drive(view)` adds
them up, shape (n, d). Rules that act on the position are in neither: `drift(view)` is their sum, by which they move
the animals in one step. The order of the additions is fixed, because it decides the last bits.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from boidsgen.simulation.geometry import Array, limited
from boidsgen.simulation.motion import Motion
from boidsgen.simulation.neighbors.request import Request
from boidsgen.simulation.rules.rule import Perception, Rule, View, rules_in
from boidsgen.simulation.validation import numbers


class SteeredGroup(Motion):
    """Animals that are steered by rules, each one a table below the name of the rule."""

    perception: Perception = Perception.usual()
    """What they see."""

    @property
    def tables(self) -> Mapping[str, Rule | None]:
        """What is written for each rule, by the names of the tables, in the order in which rules are added up."""
        # By name: the order must not depend on the one in which the rules are declared.
        return {name: getattr(self, name) for name in sorted(rules_in(type(self)))}

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        """The rules that have an effect, by the names of their tables."""
        return {name: rule for name, rule in self.tables.items() if rule is not None and rule.weight != 0}

    @cached_property
    def own_requests(self) -> tuple[Request, ...]:
        """What the rules must know about neighbors of the own kind."""
        return _once(request for rule in self.rules.values() for request in rule.own_requests(self.perception))

    @cached_property
    def other_requests(self) -> tuple[Request, ...]:
        """What the rules must know about neighbors of other kinds."""
        return _once(request for rule in self.rules.values() for request in rule.other_requests(self.perception))

    @cached_property
    def predator_requests(self) -> tuple[Request, ...]:
        """What the rules must know about those that may be fled from."""
        return _once(request for rule in self.rules.values() for request in rule.predator_requests())

    def steering_of(self, rule: Rule) -> str:
        """The form of a rule: its own, or else its usual one, or else the group's; direct if it moves the position."""
        return "direct" if rule.acts_on == "position" else rule.steering or rule.usual_steering or self.steering

    def contributions(self, view: View) -> dict[str, Array]:
        """What each rule adds to the velocity, weight included, shape (n, d) each."""
        awake = self._awake(self._steering_rules, view)
        alike = [name for name in awake if name in self._alike]
        given = dict(zip(alike, _steered([awake[name] for name in alike], view, self.max_force), strict=True))
        return {
            name: rule.weight * (given[name] if name in given else self._contribution(rule, view))
            for name, rule in awake.items()
        }

    def contribution(self, name: str, view: View) -> Array:
        """What one rule adds to the velocity, or moves who is drifting by, weight included, shape (n, d)."""
        rule = self.rules[name]
        return rule.weight * self._contribution(rule, view)

    def drive(self, view: View) -> Array:
        """The weighted sum of all rules, shape (n, d)."""
        first, *others = self.contributions(view).values() or (np.zeros_like(view.velocity),)
        for contribution in others:
            first += contribution
        return first

    def drift(self, view: View) -> Array | None:
        """How far the rules that act on the position move each animal in one step, shape (n, d); None without any."""
        drifts = list(self.drifts(view).values())
        return sum(drifts[1:], drifts[0]) if drifts else None

    def drifts(self, view: View) -> dict[str, Array]:
        """How far each rule that acts on the position moves the animals, weight included, shape (n, d) each."""
        return {name: self.weighted(rule, view) for name, rule in self._awake(self._drifts, view).items()}

    def weighted(self, rule: Rule, view: View) -> Array:
        """What one rule gives in its form, weight included, shape (n, d)."""
        return rule.weight * self._contribution(rule, view)

    @cached_property
    def _steering_rules(self) -> Mapping[str, Rule]:
        return {name: rule for name, rule in self.rules.items() if rule.acts_on == "velocity"}

    @cached_property
    def _drifts(self) -> Mapping[str, Rule]:
        return {name: rule for name, rule in self.rules.items() if rule.acts_on == "position"}

    @staticmethod
    def _awake(rules: Mapping[str, Rule], view: View) -> Mapping[str, Rule]:
        """Of some rules those that have an effect: without anybody to flee from, those about fear have none."""
        return {name: rule for name, rule in rules.items() if view.predators or not rule.predator_requests()}

    @cached_property
    def _alike(self) -> frozenset[str]:
        """The names of the rules that steer in the reynolds form with the group's own largest force."""
        steered = (name for name, rule in self.rules.items() if self.steering_of(rule) == "reynolds")
        return frozenset(name for name in steered if self.rules[name].max_force is None)

    def _contribution(self, rule: Rule, view: View) -> Array:
        if self.steering_of(rule) == "direct":
            return limited(_shaped(rule.direct(view), rule, view), np.inf if rule.max_force is None else rule.max_force)
        max_force = self.max_force if rule.max_force is None else rule.max_force
        return _steered([rule], view, max_force)[0]


def _steered(rules: Sequence[Rule], view: View, max_force: float) -> Sequence[Array]:
    """The steering of rules in the reynolds form, (n, d) each; all at once, which is faster for small groups."""
    if not rules:
        return ()
    count, dimension = view.velocity.shape
    desired = np.empty((len(rules), dimension, count)).transpose(0, 2, 1)
    for number, rule in enumerate(rules):
        desired[number] = _shaped(rule.desired(view), rule, view)
    return list(view.neighbors.engine.steer(desired, view.velocity, view.motion.max_speed, max_force))


def _shaped(vector: Array, rule: Rule, view: View) -> Array:
    """The vector of a rule, (n, d). Raises PackageError when there is not one vector for each animal."""
    return numbers(vector, view.velocity.shape, rule, "one vector for each animal")


def _once(requests: Iterable[Request]) -> tuple[Request, ...]:
    return tuple(dict.fromkeys(requests))
