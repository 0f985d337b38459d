"""Claims of the five documents, read from claims.toml.

A claim is one of four kinds, by its keys:
  key, value        a setting: the preset's key has the value, or what an expectation allows; no value means none
  measure           a statistic; the preset follows the document's own loop in every step, see test_published
  measure, between  a statistic with the range that the claim means; `holds = false` where the document's loop breaks it
  teaches           an idea, a formula, history, advice: a paragraph of the page matches all of these patterns
`set` overrides keys of the preset for the measured run, `flock` is the number of the flock that is measured.
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Claim:
    """One claim of one document; keys that its kind lacks are empty."""

    document: str
    place: str
    claim: str
    preset: str = ""
    key: str = ""
    value: object = None
    measure: str = ""
    set: dict[str, object] = field(default_factory=dict)
    flock: int = 0
    between: tuple[float, ...] = ()
    holds: bool = True
    teaches: tuple[str, ...] = ()
    page: str = "course"


@dataclass(frozen=True)
class Expected:
    """A condition on a value, in words and as a function."""

    words: str
    fits: Callable[[object], bool]

    def __str__(self):
        return self.words


EXPECTATIONS = {
    "about": lambda number, within: Expected(f"{number:.3g}", lambda value: abs(value - number) <= within),
    "at_most": lambda number: Expected(f"at most {number:g}", lambda value: value <= number),
    "below": lambda number: Expected(f"below {number:g}", lambda value: value < number),
    "above": lambda number: Expected(f"above {number:g}", lambda value: value > number),
    "has": lambda entry: Expected(f"with {entry}", lambda value: entry in value),
    "given": lambda _: Expected("given", lambda value: value is not None and value != ()),
    "sets": lambda key, to: Expected(f"{key} = {to:g}", lambda found: any(event.set.get(key) == to for event in found)),
}
"""Conditions besides equality; in the file a table, `{ about = 49.8, within = 0.5 }`."""


def wanted(value):
    """A value of the file as a scenario has it, or an expectation."""
    if isinstance(value, dict):
        name, *_ = value
        return EXPECTATIONS[name](*value.values())
    return tuple(map(wanted, value)) if isinstance(value, list) else value


def read():
    """Every claim of claims.toml, in its order."""
    documents = tomllib.loads(Path(__file__).with_name("claims.toml").read_text("utf-8"))
    for document, places in documents.items():
        for place, entries in places.items():
            for entry in entries:
                yield Claim(document, place, **entry | {"value": wanted(entry.get("value"))})


CLAIMS = tuple(read())
MEASURED = tuple(claim for claim in CLAIMS if claim.measure)
