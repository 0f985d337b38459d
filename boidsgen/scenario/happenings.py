"""Happenings: what is wrong with the changes that events make, worded like any other mistake."""

from collections.abc import Iterator, Mapping
from typing import cast

from pydantic import ValidationError

from boidsgen.scenario.mistakes import Mistake, mistakes_of
from boidsgen.scenario.overrides import landing, names_of, placed
from boidsgen.scenario.scenario import Scenario


def event_mistakes(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Mistake]:
    """Every change of a valid scenario's events that could not be made."""
    for keys, wrong in scenario.event_mistakes():
        yield Mistake(keys, wrong if isinstance(wrong, str) else _wording(keys, scenario, document))


def _wording(keys: tuple[str | int, ...], scenario: Scenario, document: Mapping[str, object]) -> str:
    """What would be wrong if the value stood at its key from the beginning."""
    _, number, _, key = keys
    value = scenario.events[int(number)].set[str(key)]
    landed = landing(document, names_of(str(key)), Scenario)
    changed = cast("Mapping[str, object]", placed(document, landed, value, Scenario))
    try:
        Scenario.model_validate(changed)
    except ValidationError as error:
        return next(mistakes_of(error, changed, Scenario)).wording
    raise AssertionError(f"{key} = {value!r} is wrong in an event and right in the scenario")
