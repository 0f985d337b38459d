"""Claims of the five documents, read from claims.toml, and what the documents' own loops gave, in reference.json.

A claim is one of four kinds, by its keys:
  key, value     a setting: the preset's key has the value, or what an expectation allows; no value means none
  case, measure  a statistic: ours must be what the document's own loop gives, within the spread of its seeds
  between        a statistic with the range that the claim means; `holds = false` where their own loop breaks it
  teaches        an idea, a formula, history, advice: a paragraph of the page has all of these patterns
`preset` is the name of a scenario in configs/. `case` and `measure` are names in reference.json.
"""

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("reference.json")
SEEDS = range(20)
SHORT_SEEDS = range(4)


@dataclass(frozen=True)
class Claim:
    """One claim of one document."""

    document: str
    place: str
    claim: str


@dataclass(frozen=True)
class Setting(Claim):
    """A value that the preset must have."""

    preset: str
    key: str
    value: object


@dataclass(frozen=True)
class Same(Claim):
    """A statistic in which preset and document must agree."""

    preset: str
    case: str
    measure: str


@dataclass(frozen=True)
class Bound(Same):
    """A statistic that the claim puts into a range; where the document's own loop breaks its word, `holds` is false."""

    low: float
    high: float
    holds: bool = True


@dataclass(frozen=True)
class Taught(Claim):
    """Patterns of which one paragraph of a page must have all."""

    words: tuple[str, ...]
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
"""What a key may be asked for besides being equal to a value; in the file a table, `{ about = 49.8, within = 0.5 }`."""


def read():
    """Every claim of claims.toml, in its order."""
    documents = tomllib.loads(Path(__file__).with_name("claims.toml").read_text("utf-8"))
    for document, places in documents.items():
        for place, entries in places.items():
            for entry in entries:
                yield claim_of(document, place, **entry)


def claim_of(document, place, claim, preset="", **entry):
    """The claim of one entry."""
    if "teaches" in entry:
        return Taught(document, place, claim, tuple(entry.pop("teaches")), **entry)
    if "key" in entry:
        return Setting(document, place, claim, preset, entry["key"], wanted(entry.get("value")))
    statistic = (document, place, claim, preset, f"{document} {entry['case']}", entry["measure"])
    return Bound(*statistic, *entry["between"], entry.get("holds", True)) if "between" in entry else Same(*statistic)


def wanted(value):
    """A value of the file as a scenario has it, or an expectation."""
    if isinstance(value, dict):
        name, *_ = value
        return EXPECTATIONS[name](*value.values())
    return tuple(map(wanted, value)) if isinstance(value, list) else value


CLAIMS = tuple(read())
MEASURED = tuple(claim for claim in CLAIMS if isinstance(claim, Same))


def borne_out(claim):
    """Whether the median of the document's own loop lies in the range of a `Bound`."""
    return claim.low <= reference(claim.case, claim.measure)["median"] <= claim.high


def stored():
    """Everything in reference.json; nothing before it was first written."""
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def reference(case, measure, form="full"):
    """Median and quartiles of one measure of one case: a dict with `median`, `low` and `high`."""
    return stored()[form][case]["measures"][measure]
