"""Ablation: what a flock does without each of its rules.

`ablated(scenario)` gives the scenario itself and, for every rule that is on, the scenario with the weight of that rule
at zero in all flocks. All start alike, since a start depends on the seed and on nothing that a rule says.
"""

from boidsgen.errors import UsageError
from boidsgen.scenario.scenario import Scenario
from boidsgen.tables import replaced

WHOLE = "all rules"
CLASSIC = ("separation", "alignment", "cohesion")
"""The rules of 1987, in the order in which they are usually told."""


def ablated(scenario: Scenario) -> dict[str, Scenario]:
    """The whole scenario and those without one rule, by their labels.

    Raises:
        UsageError: when no rule is on.
    """
    rules = _rules_on(scenario)
    if not rules:
        raise UsageError("no rule of this scenario is on, so there is none to take away")
    return {WHOLE: scenario} | {f"no {rule.replace('_', ' ')}": _without(scenario, rule) for rule in rules}


def _rules_on(scenario: Scenario) -> list[str]:
    """The rules that do something in any flock, the classic ones first; without predators none is fled."""
    on = {
        name: None
        for flock in scenario.flock
        for name, rule in flock.rules.items()
        if scenario.predators or not rule.predator_requests()
    }
    return [*(name for name in CLASSIC if name in on), *(name for name in on if name not in CLASSIC)]


def _without(scenario: Scenario, rule: str) -> Scenario:
    for number, flock in enumerate(scenario.flock):
        if rule in flock.rules:
            scenario = replaced(scenario, ["flock", str(number), rule, "weight"], 0.0)
    return scenario
