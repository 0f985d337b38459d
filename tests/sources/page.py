"""docs/claims.md: the table of all claims, with a verdict on each, made from stored statistics, presets and pages."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from math import inf
from pathlib import Path

from tests.simulation.test_published import SYSTEMS
from tests.sources.claims import CLAIMS, Claim
from tests.sources.running import run_of, stored
from tests.sources.settings import equal, value_of

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "claims.md"
PAGES = {"course": "docs/course.md", "formulas": "docs/reference/formulas.md"}
AGREES, NOT_BORNE_OUT, DIFFERS = VERDICTS = ("agrees", "not borne out", "differs")
NAMES = {
    "000": "the pygame lesson",
    "001": "the trefoil in 3D",
    "002": "three rules in numpy",
    "003": "the derivation",
    "004": "rules in text, and the p5.js flock",
}
INTRODUCTION = """\
# Claims of the five texts, and what the presets do

Made by `python -m tests.sources`; do not edit. Every claim of the five published texts that boidsgen reproduces
has a row.

- **Settings**: the key of the preset has the text's value.
- **Statistics** are written median [lower, upper quartile] over twenty seeds. One statistic stands for the text and for
  the preset: the preset follows the text's own loop step by step, boid by boid, which
  `tests/simulation/test_published.py` tests with each loop in plain Python. (Boids in exactly the same place do not see
  each other here; the stages of 004's build-up, which begin in one place, are therefore compared from other starts.)
- **Ranges**, such as "0 to 0.4", are what the words of the text mean in numbers. The median must lie in them.
- **Texts**: the named page makes the point.

Verdicts: *agrees*; *not borne out*: the text's own loop does not do what the text says, and neither does the preset;
*differs*. Numbers that a text leaves open are the preset's; the first lines of its file say so.
"""


@dataclass(frozen=True)
class Row:
    """One line of the table, in words."""

    claim: Claim
    shown_by: str
    measure: str
    theirs: str
    ours: str
    verdict: str


def row(claim, statistics):
    """The line of a claim; `statistics` are those of the presets, as stored."""
    if claim.teaches:
        said = any(
            all(re.search(word, text, re.IGNORECASE) for word in claim.teaches) for text in paragraphs(claim.page)
        )
        ours, verdict = ("says so", AGREES) if said else ("does not", DIFFERS)
        return Row(claim, PAGES[claim.page], "text", "says so", ours, verdict)
    if claim.key:
        value = value_of(claim.preset, claim.key)
        verdict = AGREES if equal(value, claim.value) else DIFFERS
        return Row(claim, claim.preset, claim.key, shown(claim.value), shown(value), verdict)
    found = statistics[run_of(claim)][claim.measure]
    ours = f"{number(found['median'])} [{number(found['low'])}, {number(found['high'])}]"
    theirs = range_shown(*claim.between) if claim.between else "the same steps"
    return Row(claim, claim.preset, claim.measure, theirs, ours, verdict_on(claim, found))


def verdict_on(claim, found):
    """The verdict on a measured claim, from the statistics of its measure."""
    if not claim.between:
        return AGREES if claim.preset in SYSTEMS else DIFFERS
    low, high = claim.between
    if (low <= found["median"] <= high) != claim.holds:
        return DIFFERS
    return AGREES if claim.holds else NOT_BORNE_OUT


@cache
def paragraphs(page):
    """The paragraphs of a page, each on one line; minus signs are hyphens."""
    text = (ROOT / PAGES[page]).read_text("utf-8").replace("−", "-")  # noqa: RUF001  the page has minus signs
    return [" ".join(block.split()) for block in re.split(r"\n\s*\n|\n(?=\|)", text)]


def range_shown(low, high):
    """A range in words."""
    return f"≥ {number(low)}" if high == inf else f"{number(low)} to {number(high)}"


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


def rows():
    """The lines of all claims."""
    statistics = stored()
    return [row(claim, statistics) for claim in CLAIMS]


def page(lines):
    """The whole page: a table of counts, then one table for each document, with a heading row for each place."""
    text = [INTRODUCTION, f"| | rows | {' | '.join(VERDICTS)} |", "| --- " * (len(VERDICTS) + 2) + "|"]
    documents = {name: list(group) for name, group in groupby(lines, key=lambda line: line.claim.document)}
    counts = [(f"{name}, {NAMES[name]}", group) for name, group in documents.items()]
    for title, group in (*counts, ("all", lines)):
        found = Counter(line.verdict for line in group)
        text.append(f"| {title} | {found.total()} | {' | '.join(str(found[one]) for one in VERDICTS)} |")
    for document, group in documents.items():
        text += [f"\n## {document}: {NAMES[document]}\n"]
        text += ["| claim | shown by | measure or key | text | ours | verdict |", "| --- " * 6 + "|"]
        for place, claims in groupby(group, key=lambda line: line.claim.place):
            text.append(f"| **{place}** | | | | | |")
            text += [entry(line) for line in claims]
    return "\n".join(text) + "\n"


def entry(line):
    """One row of a table."""
    verdict = line.verdict if line.verdict != DIFFERS else f"**{line.verdict}**"
    cells = (line.claim.claim, f"`{line.shown_by}`", line.measure, line.theirs, line.ours, verdict)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
