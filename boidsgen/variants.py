"""Variants of scenarios side by side: their labels, also in other languages, and the measure that differs most.

A label has a part for each key that a variant sets, as `cohesion off, max speed 3`.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from boidsgen.errors import UsageError
from boidsgen.scenario.layers import Override
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.measures import measure
from boidsgen.simulation.profiles import KERNEL_MEASURES
from boidsgen.simulation.rules.rule import listed
from boidsgen.simulation.setup import State
from boidsgen.tables import replaced
from boidsgen.webpage.writer import LANGUAGES, words_of

UNCHANGED, ALL_RULES = "as given", "all rules"
OFF, ON, WITHOUT = "{rule} off", "{rule} on", "no {rule}"
EACH_RULE, EACH_CHANGE = "What does each rule do?", "What does each change do?"
LABEL_WORDS = (UNCHANGED, ALL_RULES, OFF, ON, WITHOUT)
"""All that labels say besides names of keys and values; pages have it in other languages."""
MOST_STEPS, SAMPLES, BEGIN = 2_000_000, 12, 60
"""Steps of boids that a choice of a measure takes at most, states of each run that it measures, and least frames."""
UNSEEN, CLEAR = 0.05, 2.0
"""The part of a value below which a difference tells nothing, and the part of the noise from which on it is clear."""


def label_of(settings: Sequence[Override]) -> str:
    """The label of a variant."""
    return ", ".join(_part(each.key, each.value) for each in settings) or UNCHANGED


def _part(key: str, value: object) -> str:
    *table, last = [part for part in key.split(".") if part not in {"flock", "0"}]
    words = " ".join([*table, *(() if table and last == "weight" else (last,))]).replace("_", " ")
    if isinstance(value, bool) or (last == "weight" and value == 0):
        return (ON if value else OFF).format(rule=words)
    return f"{words} {value}"


def translated(label: str) -> dict[str, dict[str, str]]:
    """A label of ours in all languages of pages, by the label."""
    return {language: {label: ", ".join(_said(part, language) for part in label.split(", "))} for language in LANGUAGES}


def _said(part: str, language: str) -> str:
    words = words_of(language)["page"]
    if part in words:
        return words[part]
    for sentence in (OFF, ON, WITHOUT):
        before, after = sentence.split("{rule}")
        if part.startswith(before) and part.endswith(after):
            rule = part.removeprefix(before).removesuffix(after)
            return words[sentence].format(rule=words.get(rule, rule))
    name, _, value = part.rpartition(" ")
    shown = value.replace(".", ",") if value.replace(".", "", 1).isdigit() else value
    return f"{words.get(name, ' '.join(words.get(word, word) for word in name.split()))} {shown}"


def ablate(scenario: Scenario) -> dict[str, Scenario]:
    """The scenario, and for every rule that is ever on the scenario without it for the whole run, by labels.

    A rule goes from all flocks: its weight is zero, and no event sets it again. All start alike, since a start depends
    on the seed and on no rule.

    Raises:
        UsageError: no rule is ever on.
    """
    settings = [setting for event in scenario.events for setting in event.set.items()]
    on = {
        name: rule
        for flock in scenario.flock
        for name, rule in flock.tables.items()
        if rule is not None
        and (rule.weight != 0 or any(_is_weight(key, name) and value != 0 for key, value in settings))
        and (scenario.predators or not rule.predator_requests())
    }
    if not on:
        raise UsageError("no rule of this scenario is on, so there is none to remove")
    found = {ALL_RULES: scenario}
    for name in listed(on):
        found[WITHOUT.format(rule=name.replace("_", " "))] = _without(scenario, name)
    return found


def _is_weight(key: str, rule: str) -> bool:
    """True for a key of an event that sets the weight of this rule in a flock."""
    table, *_, name, last = key.split(".")
    return (table, name, last) == ("flock", rule, "weight")


def _without(scenario: Scenario, rule: str) -> Scenario:
    """The scenario with the weight of a rule at zero in all flocks, whatever its events set."""
    for number, flock in enumerate(scenario.flock):
        if flock.tables[rule] is not None:
            scenario = replaced(scenario, ["flock", str(number), rule, "weight"], 0.0)
    events = [
        event.model_copy(update={"set": {key: value for key, value in event.set.items() if not _is_weight(key, rule)}})
        for event in scenario.events
    ]
    return scenario.model_copy(update={"events": tuple(events)}) if events else scenario


def telling_apart(runs: Sequence[Iterable[State]], usual: str) -> str:
    """The measure in which most pairs of runs differ, compared with how it varies within them; else the usual one.

    Of measures in which all differ clearly it is the first of the kernel's.
    """
    values = [[measure(state, KERNEL_MEASURES) for state in states] for states in runs]
    best, most = usual, 0.0
    for name in KERNEL_MEASURES:
        columns = [[one[name] for one in some if one.get(name) is not None] for some in values]
        if not all(columns):
            continue
        means, noise = (np.array([find(column) for column in columns]) for find in (np.mean, np.std))
        unseen = UNSEEN * np.abs(means).max() or 1.0
        clear = [
            min(abs(means[one] - means[other]) / (np.hypot(noise[one], noise[other]) + unseen), CLEAR)
            for one, other in combinations(range(len(means)), 2)
        ]
        if clear and np.mean(clear) > most:
            best, most = name, float(np.mean(clear))
    return best


def sampled(boids: int, frames: int) -> range:
    """The frames of runs, of so many boids together, that a choice of a measure looks at: the later half of a while."""
    end = min(frames, max(BEGIN, MOST_STEPS // max(boids, 1), 1))
    return range(end // 2, end, max(1, end // 2 // SAMPLES))
