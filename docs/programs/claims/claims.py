"""Claims of the five documents, read from claims.toml.

A claim is one of three kinds, by its keys:
  key, value        a setting: the preset's key has the value, or what an expectation allows; no value means none
  measure, control  a measured claim, against what the same code gives for the unmodified flock, or without the rule
  teaches           an idea, a formula, history, advice: a paragraph of the page matches all of these patterns
A measured claim also quotes its sentence, or its code, with the `line` of the document. It has an `effect`, the least
difference from the control that the sentence would call one, and `between`, a range, where the sentence gives one. Both
are read off the sentence before anything is measured, and stay. It agrees if median and
range, effect and three standard errors of the twenty seeds all say so; `why` explains in a sentence why it does not.
`set` overrides keys of the preset for the run, `without` sets weights of rules to zero, `flock` is the number of the
flock that is measured; a control changes some of these and takes over the rest.
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
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
    without: tuple[str, ...] = ()
    flock: int = 0
    control: dict[str, object] = field(default_factory=dict)
    effect: dict[str, float] = field(default_factory=dict)
    between: tuple[float, ...] = ()
    why: str = ""
    quote: str = ""
    line: int = 0
    teaches: tuple[str, ...] = ()
    page: str = "course"

    @cached_property
    def run(self) -> str:
        """Name of the measured run: claims with equal names share it."""
        changes = [f"{key}={value}" for key, value in self.set.items()]
        rules = [f"without {' '.join(self.without)}"] if self.without else []
        return ", ".join([self.preset, *changes, *rules, *([f"flock {self.flock}"] if self.flock else [])])

    @cached_property
    def against(self) -> "Claim":
        """The control, as a claim on which nothing is known."""
        changed = self.control | {"set": self.set | self.control.get("set", {})}
        return replace(self, **{"control": {}, **changed})


@dataclass(frozen=True)
class Expected:
    """A condition on a value, in words and as a function."""

    words: str
    fits: Callable[[object], bool]

    def __str__(self):
        return self.words


EXPECTATIONS = {
    "about": lambda number, within: Expected(f"{number:.3g}", lambda value: abs(value - number) <= within),
    "below": lambda number: Expected(f"below {number:g}", lambda value: value < number),
    "above": lambda number: Expected(f"above {number:g}", lambda value: value > number),
    "has": lambda entry: Expected(f"with {entry}", lambda value: entry in value),
    "given": lambda _: Expected("given", lambda value: value is not None and value != ()),
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
