"""Panels of one comparison: scenarios crossed with variants, or a scenario without each of its rules."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace

from boidsgen.errors import LimitError, ScenarioError, UsageError
from boidsgen.output.recording import SavedRun
from boidsgen.scenario.layers import Override, from_text, refuse_undecodable
from boidsgen.scenario.loading import draft, saved_states
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.scenario.wording import without_surrogates
from boidsgen.simulation.measures import MEASURES
from boidsgen.simulation.rules.rule import listed
from boidsgen.studies.compare import Comparison
from boidsgen.studies.contact_sheet import Headings
from boidsgen.tables import replaced

UNCHANGED = "as it is"
ALL_RULES, WITHOUT = "all rules", "no "
MAX_SCENARIOS = 64  # Maximum number of scenarios in one grid; more would be too small to see anything


def comparison_of(
    sources: Sequence[Source],
    overrides: Sequence[Override],
    variants: Sequence[str] = (),
    *,
    ablated: bool = False,
    labels: Sequence[str] | None = None,
    columns: int | None = None,
    measure: str | None = None,
) -> Comparison:
    """Load the scenarios and arrange them: scenarios in rows and variants in columns.

    Where there is only one scenario or one variant, all form a grid that suits a screen, each under its label.

    Args:
        sources: of the scenarios.
        overrides: for all of them.
        variants: as written after --with.
        ablated: compare one scenario with itself without each of its rules.
        labels: text above each, instead of titles and variants.
        columns: number in a row.
        measure: name of the measure whose value stands below each.

    Raises:
        ScenarioError: with the errors of all scenarios.
        UsageError: there is nothing to compare, labels do not fit, or there is no such measure.
        LimitError: a scenario exceeds the limits.
    """
    if not sources:
        raise UsageError("there is nothing to compare; give at least one scenario")
    if ablated:
        if len(sources) > 1 or variants:
            raise UsageError("--ablate takes one scenario and no --with")
        found = ablate(draft(sources[0], overrides).scenario())
        headings = Headings(_common_title(found.values()), labels=list(found))
        flocks = range(len(next(iter(found.values())).flock))
        rules = [label.removeprefix(WITHOUT).replace(" ", "_") for label in found]
        held = [[f"flock.{flock}.{rule}.weight" for flock in flocks] for rule in rules]
        comparison = Comparison(list(found.values()), headings, columns or 0, held=held)
    else:
        comparison = _crossed(sources, overrides, variants or ("",), columns)
    headings = comparison.headings
    if labels is not None:
        if len(labels) != len(comparison.scenarios):
            raise UsageError(
                f"--labels names {len(labels)} of {len(comparison.scenarios)} scenarios; give each its own"
            )
        refuse_undecodable(",".join(labels), "--labels")
        headings = Headings(headings.title, labels=[label.strip() for label in labels])
    if measure is not None and measure not in MEASURES:
        raise UsageError(f"--measure {measure}: is not a measure; use one of {', '.join(sorted(MEASURES))}")
    return replace(comparison, headings=headings, measure=measure)


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
        found[f"{WITHOUT}{name.replace('_', ' ')}"] = _without(scenario, name)
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


def _crossed(
    sources: Sequence[Source], overrides: Sequence[Override], variants: Sequence[str], columns: int | None
) -> Comparison:
    """Every scenario in every variant."""
    settings = [_settings(variant) for variant in variants]
    if (wanted := len(sources) * len(settings)) > MAX_SCENARIOS:
        raise UsageError(f"{wanted} scenarios in one grid; {MAX_SCENARIOS} are allowed")
    scenarios, errors, excesses = [], dict[str, None](), dict[str, None]()
    saved: dict[int, SavedRun] = {}
    for source in sources:
        for own in settings:
            try:
                scenarios.append(draft(source, [*overrides, *own]).scenario())
                if states := saved_states(source, scenarios[-1], [*overrides, *own]):
                    saved[len(scenarios) - 1] = states
                excesses |= dict.fromkeys(f"{source.label}: {line}" for line in scenarios[-1].excess())
            except ScenarioError as error:
                errors |= dict.fromkeys(error.errors)
    if errors:
        raise ScenarioError(list(errors))
    if excesses:
        raise LimitError("\n".join(excesses))
    titles = [scenario.title for scenario in scenarios[:: len(variants)]]
    unique = all(titles) and len({*titles}) == len(titles)
    names = titles if unique else [without_surrogates(source.stem) for source in sources]
    title, labels = _common_title(scenarios), [_label(variant) for variant in variants]
    held = [[each.key for each in own] for own in settings] * len(sources)
    if len(names) > 1 and len(variants) > 1:
        headings, columns = Headings(title, columns=labels, rows=names), len(variants)
    else:
        headings = Headings(title, labels=labels if len(variants) > 1 else names)
    return Comparison(scenarios, headings, columns or 0, saved=saved, held=held)


def _settings(variant: str) -> list[Override]:
    refuse_undecodable(variant, "--with")
    try:
        texts = shlex.split(variant)
    except ValueError as error:
        raise UsageError(f"--with {variant}: {str(error).lower()}") from None
    found = []
    for text in texts:
        if "=" not in text:
            raise UsageError(f"--with {text}: must look like KEY=VALUE; put quotes around values with spaces")
        found.append(from_text(text)._replace(origin=f"--with {text}"))
    return found


def _label(variant: str) -> str:
    """A variant as a label: `alignment.weight = 0, cohesion.weight = 2`."""
    pairs = (text.partition("=") for text in shlex.split(variant))
    return ", ".join(f"{key.strip().removeprefix('flock.')} = {value.strip()}" for key, _, value in pairs) or UNCHANGED


def _common_title(scenarios: Iterable[Scenario]) -> str:
    titles = {scenario.title for scenario in scenarios}
    return titles.pop() if len(titles) == 1 else ""
