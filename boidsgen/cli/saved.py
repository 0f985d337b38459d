"""Saved runs on the command line: they are drawn, or measured, without simulating."""

from collections.abc import Iterator, Sequence

from boidsgen.errors import UsageError
from boidsgen.scenario.overrides import MisplacedError, Override, names_of
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.simulation import State
from boidsgen.trajectories.recording import is_recording, recorded

DRAWN = ("camera", "limits", "output", "overlay", "style", "title")
"""What may still be changed when everything has happened."""


def saved_states(source: Source, scenario: Scenario, overrides: Sequence[Override]) -> Iterator[State] | None:
    """The states, when the source is a saved run.

    Raises:
        UsageError: when an override would change what has happened.
    """
    if source.path is None or not is_recording(source.path):
        return None
    for override in overrides:
        if _first_name(override) not in DRAWN:
            raise UsageError(
                f"{override.origin}: {source.label} is a finished run; only {', '.join(DRAWN)} can be set, "
                "and for anything else the scenario has to be simulated again"
            )
    return recorded(source.path, scenario)


def _first_name(override: Override) -> str:
    try:
        return names_of(override.key)[0]
    except MisplacedError:
        return ""
