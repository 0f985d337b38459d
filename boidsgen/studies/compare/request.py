"""Request: what one call of `boidsgen compare` puts side by side.

`comparison_of(request, labels, columns)` crosses scenarios with variants. Scenarios stand in rows and variants in
columns; where there is only one of either, all of them form a grid that suits a screen, each under its label.
"""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from boidsgen.errors import LimitError, ScenarioError, UsageError
from boidsgen.scenario.estimate import excess
from boidsgen.scenario.loading import draft
from boidsgen.scenario.overrides import Override, from_text, refuse_undecodable
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.scenario.wording import readable
from boidsgen.simulation.measures import MEASURES
from boidsgen.studies.compare.comparison import Comparison
from boidsgen.studies.compare.grids import ablated
from boidsgen.studies.compare.layout import Headings

AS_IT_IS = "as it is"
MAX_SCENARIOS = 64
"""Scenarios in one grid; more would be too small to see anything."""


@dataclass(frozen=True)
class CompareRequest:
    """What to compare.

    Attributes:
        sources: of the scenarios.
        overrides: that go for all.
        variants: as written after --with.
        ablate: whether to take away every rule in turn.
    """

    sources: Sequence[Source]
    overrides: Sequence[Override]
    variants: Sequence[str]
    ablate: bool


def comparison_of(request: CompareRequest, labels: Sequence[str] | None, columns: int | None) -> Comparison:
    """The scenarios and what is written around them.

    Raises:
        ScenarioError: with the mistakes of all scenarios.
        UsageError: when there is nothing to compare, or labels do not fit.
        LimitError: when one asks for too much.
    """
    if not request.sources:
        raise UsageError("there is nothing to compare; give at least one scenario")
    if request.ablate and (len(request.sources) > 1 or request.variants):
        raise UsageError("--ablate takes one scenario and no --with")
    if request.ablate:
        shown = _ablated(request)
        headings = Headings(title=_common_title(shown.values()), labels=list(shown))
        return _labeled(Comparison(list(shown.values()), headings, columns or 0), labels)
    return _labeled(_crossed(request, columns), labels)


def measured(comparison: Comparison, measure: str | None) -> Comparison:
    """The comparison with the value of a measure below each scenario; None leaves it as it is.

    Raises:
        UsageError: when there is no such measure.
    """
    if measure is not None and measure not in MEASURES:
        raise UsageError(f"--measure {measure}: is no measure; use one of {', '.join(sorted(MEASURES))}")
    return comparison if measure is None else replace(comparison, measure=measure)


def _ablated(request: CompareRequest) -> dict[str, Scenario]:
    return ablated(draft(request.sources[0], request.overrides).scenario())


def _crossed(request: CompareRequest, columns: int | None) -> Comparison:
    """Every scenario in every variant."""
    variants = request.variants or ("",)
    scenarios = _scenarios(request, variants)
    _refuse_excess(request, scenarios, len(variants))
    names = _names(request.sources, scenarios[:: len(variants)])
    title = _common_title(scenarios)
    written = [_label(variant) for variant in variants]
    if len(names) > 1 and len(variants) > 1:
        return Comparison(scenarios, Headings(title, columns=written, rows=names), len(variants))
    if len(variants) > 1:
        return Comparison(scenarios, Headings(title, labels=written), columns or 0)
    return Comparison(scenarios, Headings(title, labels=names), columns or 0)


def _scenarios(request: CompareRequest, variants: Sequence[str]) -> list[Scenario]:
    """Row by row: a row a scenario, a column a variant."""
    settings = [_settings(variant) for variant in variants]
    if len(request.sources) * len(settings) > MAX_SCENARIOS:
        raise UsageError(f"{len(request.sources) * len(settings)} scenarios in one grid; {MAX_SCENARIOS} are allowed")
    scenarios, mistakes = [], dict[str, None]()
    for source in request.sources:
        for own in settings:
            try:
                scenarios.append(draft(source, [*request.overrides, *own]).scenario())
            except ScenarioError as error:
                mistakes |= dict.fromkeys(error.mistakes)
    if mistakes:
        raise ScenarioError(list(mistakes))
    return scenarios


def _settings(variant: str) -> list[Override]:
    refuse_undecodable(variant, "--with")
    try:
        texts = shlex.split(variant)
    except ValueError as error:
        raise UsageError(f"--with {variant}: {str(error).lower()}") from None
    return [_from_variant(text) for text in texts]


def _from_variant(text: str) -> Override:
    if "=" not in text:
        raise UsageError(f"--with {text}: must look like KEY=VALUE; put quotes around values with spaces")
    override = from_text(text)
    return Override(override.key, override.value, f"--with {text}")


def _refuse_excess(request: CompareRequest, scenarios: Sequence[Scenario], columns: int) -> None:
    lines = {
        f"{request.sources[number // columns].label}: {line}": None
        for number, scenario in enumerate(scenarios)
        for line in excess(scenario)
    }
    if lines:
        raise LimitError("\n".join(lines))


def _label(variant: str) -> str:
    """A variant as a label: `alignment.weight = 0, cohesion.weight = 2`."""
    pairs = (text.partition("=") for text in shlex.split(variant))
    return ", ".join(f"{key.strip().removeprefix('flock.')} = {value.strip()}" for key, _, value in pairs) or AS_IT_IS


def _names(sources: Sequence[Source], scenarios: Sequence[Scenario]) -> list[str]:
    """Titles, where all have one of their own, or else the names of the files."""
    titles = [scenario.title for scenario in scenarios]
    return titles if all(titles) and len({*titles}) == len(titles) else [readable(source.stem) for source in sources]


def _common_title(scenarios: Iterable[Scenario]) -> str:
    """The title that all have, if they have one."""
    titles = {scenario.title for scenario in scenarios}
    return titles.pop() if len(titles) == 1 else ""


def _labeled(comparison: Comparison, labels: Sequence[str] | None) -> Comparison:
    """The comparison under other labels."""
    if labels is None:
        return comparison
    if len(labels) != len(comparison.scenarios):
        raise UsageError(
            f"--labels names {len(labels)} of {len(comparison.scenarios)} scenarios; give each one of its own"
        )
    refuse_undecodable(",".join(labels), "--labels")
    headings = Headings(comparison.headings.title, labels=[label.strip() for label in labels])
    return Comparison(comparison.scenarios, headings, comparison.columns)
