"""Grids written down, and grids of a scenario without each of its rules.

`ablated(scenario)` gives the scenario itself and, for every rule that is on, the scenario with the weight of that rule
at zero in all flocks. All start alike, since a start depends on the seed and on nothing that a rule says.

The text is TOML: the headings, and `scenarios`, each entry a whole scenario as `provenance` writes it, or empty for an
empty place.
"""

from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from boidsgen.drawing.measure_history import MeasureName
from boidsgen.errors import ScenarioError, UsageError
from boidsgen.scenario.documents import parsed
from boidsgen.scenario.loading import draft
from boidsgen.scenario.provenance import provenance, readable_again, versions
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.scenario.wording import written
from boidsgen.simulation.rules.rule import listed
from boidsgen.studies.compare.comparison import Comparison
from boidsgen.studies.compare.layout import Headings
from boidsgen.tables import Table, replaced

WHOLE = "all rules"


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
        name: rule
        for flock in scenario.flock
        for name, rule in flock.rules.items()
        if scenario.predators or not rule.predator_requests()
    }
    return [*listed(on)]


def _without(scenario: Scenario, rule: str) -> Scenario:
    for number, flock in enumerate(scenario.flock):
        if rule in flock.rules:
            scenario = replaced(scenario, ["flock", str(number), rule, "weight"], 0.0)
    return scenario


Texts = tuple[str, ...]


class Grid(Table):
    """A comparison in writing."""

    columns: Annotated[int, Field(ge=1)]
    """How many scenarios stand in a row."""
    title: str = ""
    """Above everything."""
    column_headings: Texts = ()
    """One a column, or none."""
    row_headings: Texts = ()
    """One a row, or none."""
    labels: Texts = ()
    """One a scenario, or none."""
    measure: MeasureName | None = None
    """The measure whose value stands below each scenario, if one was asked for."""
    scenarios: Annotated[Texts, Field(min_length=1, max_length=1024)]
    """The scenarios, row by row."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        wanted = {
            "column_headings": self.columns,
            "row_headings": -(-len(self.scenarios) // self.columns),
            "labels": len(self.scenarios),
        }
        if self.columns > len(self.scenarios) or not any(self.scenarios):
            raise ValueError("there are too few scenarios")
        if any(len(getattr(self, key)) not in {0, number} for key, number in wanted.items()):
            raise ValueError("a heading is missing, or there is one too many")
        return self


def grid_text(comparison: Comparison) -> str:
    """The text that outputs of this comparison carry."""
    layout, headings = comparison.layout, comparison.headings
    grid = Grid(
        columns=layout.columns,
        title=headings.title,
        column_headings=tuple(headings.columns),
        row_headings=tuple(headings.rows),
        labels=tuple(headings.labels),
        measure=comparison.measure,
        scenarios=tuple(provenance(scenario) if scenario else "" for scenario in comparison.scenarios),
    )
    text = "".join(f"{key} = {written(value)}\n" for key, value in grid.model_dump(exclude_none=True).items())
    return readable_again(versions() + text)


def is_grid(source: Source) -> bool:
    """Whether a source is such a text rather than one scenario."""
    return any(line.startswith("scenarios = [") for line in source.text.splitlines())


def read_grid(source: Source) -> Comparison:
    """The comparison that was written down.

    Raises:
        ScenarioError: when it is damaged.
    """
    try:
        document = parsed(source.text)
        grid = Grid.model_validate({key: _tuple(value) for key, value in document.items()})
    except (ValueError, ValidationError):
        raise ScenarioError([f"{source.label}: is damaged: the scenario that it carries cannot be read"]) from None
    headings = Headings(grid.title, grid.column_headings, grid.row_headings, grid.labels)
    shown = [_scenario(source.label, text) for text in grid.scenarios]
    return Comparison(shown, headings, grid.columns, grid.measure)


def _scenario(label: str, text: str) -> Scenario | None:
    return draft(Source(label, "", text)).scenario() if text else None


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
