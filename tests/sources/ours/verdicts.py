"""The verdict on each claim: what the document has, what ours has, and whether they agree.

Two statistics agree when their medians differ by at most three standard errors. The standard error of a median is
taken from the quartiles: 1.2533 sigma/sqrt(n) with sigma = (high - low)/1.349, after the normal distribution.
"""

import re
from dataclasses import dataclass
from functools import cache
from math import inf, sqrt
from pathlib import Path

from tests.sources.claims import SEEDS, Bound, Claim, Same, Setting, reference
from tests.sources.ours.running import Pair, preset_documents
from tests.sources.ours.settings import MissingKeyError, equal, value_of

AGREES, DIFFERS, NOT_BORNE_OUT, NO_PRESET = "agrees", "differs", "not borne out", "no preset yet"
VERDICTS = (AGREES, NOT_BORNE_OUT, DIFFERS, NO_PRESET)
TWENTY = len(SEEDS)
STANDARD_ERRORS = 3
ROUNDING = 1e-4
"""Statistics are stored with four decimals."""


@dataclass(frozen=True)
class Row:
    """One line of the table, in words."""

    claim: Claim
    preset: str
    measure: str
    theirs: str
    ours: str
    verdict: str


def row(claim, statistics):
    """The line of a claim; `statistics` are those of the presets, as stored."""
    if isinstance(claim, Setting):
        return setting_row(claim)
    if isinstance(claim, Same):
        return measured_row(claim, statistics)
    return taught_row(claim)


def taught_row(claim):
    """The line of a claim that a page makes."""
    said = says(claim.page, claim.words)
    return Row(claim, PAGES[claim.page], "text", "says so", *(("says so", AGREES) if said else ("does not", DIFFERS)))


def setting_row(claim):
    """The line of a claim about a value."""
    if claim.preset not in preset_documents():
        return Row(claim, claim.preset, claim.key, shown(claim.value), "", NO_PRESET)
    try:
        value = value_of(claim.preset, claim.key)
    except MissingKeyError:
        return Row(claim, claim.preset, claim.key, shown(claim.value), "no such key", DIFFERS)
    verdict = AGREES if equal(value, claim.value) else DIFFERS
    return Row(claim, claim.preset, claim.key, shown(claim.value), shown(value), verdict)


def measured_row(claim, statistics):
    """The line of a claim about what comes out."""
    theirs = reference(claim.case, claim.measure)
    told = spread_shown(theirs) + (range_shown(claim) if isinstance(claim, Bound) else "")
    if claim.preset not in preset_documents():
        return Row(claim, claim.preset, claim.measure, told, "", NO_PRESET)
    known = statistics.get(str(Pair(claim.preset, claim.case)))
    ours = known and known["measures"].get(claim.measure)
    if ours is None:
        why = "ends too early" if known else "not measured"
        return Row(claim, claim.preset, claim.measure, told, why, DIFFERS)
    return Row(claim, claim.preset, claim.measure, told, spread_shown(ours), verdict_on(claim, theirs, ours))


def verdict_on(claim, theirs, ours, seeds=TWENTY):
    """The verdict on two statistics, ours over so many seeds."""
    if not isinstance(claim, Bound):
        return AGREES if near(theirs, ours, seeds) else DIFFERS
    if (claim.low <= ours["median"] <= claim.high) != claim.holds:
        return DIFFERS
    return AGREES if claim.holds else NOT_BORNE_OUT


def near(theirs, ours, seeds=TWENTY):
    """Whether two medians agree, ours over so many seeds."""
    error = sqrt(standard_error(theirs, TWENTY) ** 2 + standard_error(ours, seeds) ** 2)
    return abs(theirs["median"] - ours["median"]) <= STANDARD_ERRORS * error + ROUNDING


def standard_error(spread, seeds):
    """The standard error of a median over so many seeds, from quartiles."""
    return 1.2533 / 1.349 * (spread["high"] - spread["low"]) / sqrt(seeds)


def spread_shown(spread):
    """Median and quartiles in words."""
    return f"{number(spread['median'])} [{number(spread['low'])}, {number(spread['high'])}]"


def range_shown(claim):
    """The range of a claim in words."""
    if claim.high == inf:
        return f"; claims ≥ {number(claim.low)}"
    return f"; claims {number(claim.low)} to {number(claim.high)}"


def number(value):
    """A number in few digits."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def shown(value):
    """A value in words."""
    if isinstance(value, tuple):
        return ", ".join(map(shown, value)) or "none"
    if isinstance(value, float):
        return f"{value:.6g}"
    return "none" if value is None else str(value)


ROOT = Path(__file__).parents[3]
PAGES = {"course": "docs/course.md", "formulas": "docs/reference/formulas.md"}


@cache
def paragraphs(page):
    """The paragraphs of a page, each on one line; minus signs are hyphens."""
    text = (ROOT / PAGES[page]).read_text("utf-8").replace("−", "-")  # noqa: RUF001  the page has minus signs
    return [" ".join(block.split()) for block in re.split(r"\n\s*\n|\n(?=\|)", text)]


def says(page, words):
    """Whether some paragraph has all these patterns."""
    return any(all(re.search(word, paragraph, re.IGNORECASE) for word in words) for paragraph in paragraphs(page))


OPEN = Path(__file__).with_name("open.txt")
"""Names of the rows that are known not to hold yet, one a line. Whoever mends one takes its line out."""


def name_of(claim):
    """A claim in one line."""
    shown_by = getattr(claim, "preset", None) or claim.page
    what = getattr(claim, "key", None) or getattr(claim, "measure", "text")
    return f"{claim.document} · {claim.place} · {shown_by} · {what} · {claim.claim}"


def holds(line):
    """Whether a row is as it should be: ours does what the document's own loop does."""
    return line.verdict in {AGREES, NOT_BORNE_OUT}


def known():
    """The names of the rows that do not hold."""
    return OPEN.read_text("utf-8").splitlines()


def keep(lines):
    """Take out of the file whatever holds now, or is no row any more."""
    names = known()
    kept = [name_of(line.claim) for line in lines if not holds(line) and name_of(line.claim) in names]
    OPEN.write_text("".join(f"{name}\n" for name in kept), "utf-8")
