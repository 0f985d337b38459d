"""The verdict about each claim.

  agrees     a statistic of ours is that of the document's own loop, or lies where the claim puts it; or a key has
             its value
  text only  the document says it, its own loop does not do it, and neither does ours: the row gives both numbers
  open       the vocabulary cannot say it yet, or no page says it yet: the row says what is missing
  differs    none of these; a test fails

Two medians agree when they are no further apart than the wider of the two spreads (the distance of the quartiles over
the seeds), or than two hundredths of the value where all seeds give nearly the same.
"""

from dataclasses import dataclass

from boidsgen import load_scenario
from tests.claims.settings import setting
from tests.claims.stored import CONFIGS, stored
from tests.sources.claims import Bound, Same, Setting
from tests.sources.reference import stored as references

NEARLY = 0.02
"""Relative difference that is none."""


@dataclass(frozen=True)
class Row:
    """One line of the table: texts all."""

    claim: object
    shown: str
    document: str
    ours: str
    verdict: str


def rows(claims):
    """A row for each claim."""
    document, own = references()["full"], stored().get("full", {})
    return [row(claim, document, own) for claim in claims]


def row(claim, document, own):
    """The row of one claim."""
    if isinstance(claim, Setting):
        return of_setting(claim)
    if isinstance(claim, Same | Bound):
        return of_statistic(claim, document, own)
    return Row(claim, claim.page, "", "", "open: not yet on the page, or not yet checked there")


def of_setting(claim):
    """The row of a value that a preset must have."""
    wanted = f"`{claim.key}` = {claim.value}"
    if not (CONFIGS / f"{claim.preset}.toml").exists():
        return Row(claim, claim.preset, wanted, "", "open: there is no such preset yet")
    found = setting(load_scenario(claim.preset), claim.key, claim.value)
    return Row(claim, claim.preset, wanted, found.shown, found.verdict)


def of_statistic(claim, document, own):
    """The row of something that is measured."""
    theirs = document[claim.case]["measures"][claim.measure]
    shown = f"{claim.preset}: {claim.measure}"
    mine = own.get(f"{claim.case} | {claim.preset}", {}).get(claim.measure)
    if mine is None:
        return Row(claim, shown, spelled(theirs), "", "open: there is no such preset yet")
    return Row(claim, shown, spelled(theirs), spelled(mine), judged(claim, theirs, mine))


def judged(claim, theirs, mine):
    """The verdict about something that is measured."""
    if isinstance(claim, Same):
        return "agrees" if agree(theirs, mine) else "differs"
    inside = claim.low <= mine["median"] <= claim.high
    if claim.holds:
        return "agrees" if inside else "differs"
    return "differs" if inside else f"text only: it says {claim.low:g} to {claim.high:g}, its own loop disagrees"


def agree(one, other):
    """Whether two medians agree."""
    spread = max(one["high"] - one["low"], other["high"] - other["low"])
    return abs(one["median"] - other["median"]) <= max(spread, NEARLY * abs(one["median"]))


def spelled(statistic):
    """Median and quartiles as text."""
    return f"{statistic['median']:.3g} ({statistic['low']:.3g} to {statistic['high']:.3g})"
