"""Sweep: the table of a scenario that says what `boidsgen sweep` varies; a single rendering does not look at it."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, field_validator

from boidsgen.tables import Table


class Sweep(Table):
    """What `boidsgen sweep` varies; options of the command win over it, and a single rendering ignores it."""

    vary: Mapping[str, Any] = {}
    """Dotted keys, each with a list of values, or with text as after --vary: "0.5, 1, 2" or "START:STOP:COUNT"."""
    seeds: Annotated[int, Field(ge=1)] | None = None
    """How many independent seeds to spawn from that of the scenario; without it every run has the scenario's own."""
    zip: bool = False
    """Pair the values, first with first and second with second, instead of crossing them."""

    @field_validator("vary")
    @classmethod
    def _lists_or_text(cls, vary: Mapping[str, Any]) -> Mapping[str, Any]:
        for key, values in vary.items():
            if not isinstance(values, tuple | str) or not values:
                raise ValueError(f'{key} must be a list of values or text such as "0:1:5"')
        return vary
