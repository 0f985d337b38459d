"""docs/claims.md: tables of all claims, with a verdict on each, made from stored measures, presets and pages."""

import re
from collections import Counter
from functools import cache
from itertools import groupby
from math import inf
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel

from docs.programs.claims.claims import CLAIMS
from docs.programs.claims.draws import DRAWS, FEWEST, OPEN, SHARE, STANDS, deciding, standing
from docs.programs.claims.draws import stored as stored_draws
from docs.programs.claims.measures import SHARES
from docs.programs.claims.running import TEXT, TEXT_SEEDS, stored
from docs.programs.claims.settings import equal, value_of
from docs.programs.claims.verdicts import (
    AGREES,
    DIFFERS,
    MENTIONED,
    NOT_BORNE_OUT,
    defined,
    middle,
    standard_errors,
    verdict_on,
)

ROOT = Path(__file__).parents[3]
FILE = ROOT / "docs" / "claims.md"
PAGES = {"course": "docs/course/", "formulas": "docs/reference/formulas.md"}
NAMES = {
    "000": "“Flocking/Swarm Behavior”, the pygame lesson",
    "001": "“Animation using matplotlib and ffmpeg”, the trefoil in 3D",
    "002": "“Boids: Flocking from Three Rules”, in numpy",
    "003": "the derivation for “a python pygame implementation of the boids algorithm”",
    "004": "“Boids Flocking Behavior”, rules in text, and the p5.js flock",
}
INTRODUCTION = f"""\
# Claims of the five texts, and what the presets do

Made by `python -m docs.programs.claims`; do not edit. Every claim of the five published texts that boidsgen reproduces
has a row, of one of three kinds.

- **Measured**: what a sentence of the text says a flock does, quoted with its line, over twenty seeds, written median
  [lower, upper quartile], against a *control*: the unmodified flock, the flock without the rule in question, or the
  start of the run, measured by the same code. *Agrees* means three things: the median lies in the *range* that the
  sentence gives (where it gives one), claim and control differ by at least three standard errors (SE), and by at least
  the *effect* that the sentence would call one. A quarter more (× 1.25) or a fifth less (× 0.8) is an effect; strong
  words, such as collapse or snap, mean twice or half. Polarization, shares of boids and shares of runs differ by 0.25;
  where they come near 1, as the polarization of neighbors does, the rest to 1 doubles or halves. Ranges and effects are
  read off the sentence before anything is measured, and stay. Where the measurement fails one of the three, the row is
  *not borne out*, with the reason.
- **Text's own loop**: the same measure, by the text's loop in plain Python (`tests/simulation/published`) from the
  starts of the first three seeds, where ten million pairs of boids are enough, and the preset over these three. The two
  agree within 2 %.
- **Draws**: a text leaves numbers open, and the preset has ours. Each open number has a range, at the end of this page,
  read off the text before any draw was measured, though after the presets were. It is drawn {len(DRAWS)} times from
  it (a Latin hypercube), the same for a row and its control. Each draw takes the seeds and the code of the row; the
  column gives the draws in which the verdict stands. A row *flips* where they are fewer than {STANDS}: its verdict is
  one on our numbers, not on all that the text allows. A dash means that the text gives every number. Of the numbers
  that a row or its control sets, only that of frames is drawn.
- **Settings**: the key of the preset has the text's value. Numbers that a text leaves open are the preset's; the
  first lines of its file say so. That pictures show what these keys say, `tests/drawing/test_documents.py` tests.
- **Mentioned**: the named page makes the point. Nothing is tested but that.
"""
FLIPS = """\

## Verdicts that flip with numbers that the text leaves open

{flipping} of the {varied} measured rows with open numbers, the least steady first. A number is named where it orders
the draws: of one that flips and one that stands, the former has more of it, or less, in at least {share:g} % of all
pairs. Where fewer than {fewest} draws flip or stand, none is.

| claim | document | verdict | stands in | flips where |
| --- | --- | --- | --- | --- |"""
RANGES = """\

## Open numbers and their ranges

Declared in `docs/programs/claims/open.toml`, with the keys that they decide. Runs are patterns: `*` is anything and
`[!qu]` any letter but these. Where a range is marked *log*, orders of magnitude are drawn evenly.

| document | open number | runs | range | why |
| --- | --- | --- | --- | --- |"""
TABLES = {
    "measured": "| claim | sentence (line) | preset | measure | range | ours | text's own loop | control | difference "
    "| draws | verdict |",
    "settings": "| claim | preset | key | text | ours | verdict |",
    "mentioned": "| claim | page | verdict |",
}


class Row(NamedTuple):
    """One line of a table, in words."""

    claim: object
    kind: str
    cells: tuple[str, ...]
    verdict: str
    stands: tuple[bool, ...] = ()

    @property
    def flips(self):
        """True if the verdict stands in too few draws of the numbers that the text leaves open."""
        return bool(self.stands) and sum(self.stands) < STANDS


def row(claim, measures, drawn):
    """The line of a claim; `measures` are those of the presets, `drawn` those of their draws, as stored."""
    if claim.teaches:
        said = any(all(re.search(word, text, re.IGNORECASE) for word in claim.teaches) for text in texts(claim.page))
        return Row(claim, "mentioned", (f"`{PAGES[claim.page]}`",), MENTIONED if said else DIFFERS)
    if claim.key:
        value = value_of(claim.preset, claim.key)
        verdict = AGREES if equal(value, claim.value) else DIFFERS
        return Row(claim, "settings", (f"`{claim.preset}`", claim.key, shown(claim.value), shown(value)), verdict)
    against = claim.against
    ours, control = measures[claim.run][claim.measure], measures[against.run][against.measure]
    text = measures[claim.run].get(claim.measure + TEXT)
    beside = f"{number(middle(claim, text))} (ours {number(middle(claim, ours[: len(TEXT_SEEDS)]))})" if text else "-"
    named = f"{summary(against, control)} `{against.run}`"
    named += f", {against.measure}" if against.measure != claim.measure else ""
    cells = (
        f"“{claim.quote}” ({claim.line})",
        f"`{claim.run}`",
        claim.measure,
        range_shown(claim.between),
        summary(claim, ours),
        beside,
        named,
    )
    stands = standing(claim, drawn)
    cells += (difference(claim, ours, control), f"{sum(stands)} of {len(stands)}" if stands else "-")
    return Row(claim, "measured", cells, verdict_on(claim, ours, control, text), stands)


def difference(claim, ours, control):
    """The difference from the control in words: as large as it is, as large as it must be, and in standard errors."""
    ((form, least),) = claim.effect.items()
    own, other = middle(claim, ours), middle(claim.against, control)
    if form == "by":
        words = f"{own - other:+.2g} (needs {least:+g})"
    else:
        own, other, what = (1 - own, 1 - other, "rest ") if form == "rest" else (own, other, "")
        words = f"{what}× {number(own / other) if other else '∞'} (needs {'≤' if least < 1 else '≥'} {least:g})"
    errors = abs(standard_errors(ours, control))
    return f"{words}, {f'{errors:.0f} SE' if errors < 1e6 else 'no scatter'}"


def summary(claim, values):
    """Median and quartiles over the seeds in words; of a share of runs, the share."""
    if claim.measure in SHARES:
        return number(middle(claim, values))
    low, high = np.quantile(defined(values), (0.25, 0.75))
    return f"{number(middle(claim, values))} [{number(low)}, {number(high)}]"


@cache
def texts(page):
    """The paragraphs of a page, or of all pages in a folder, each on one line; minus signs are hyphens."""
    path = ROOT / PAGES[page]
    files = sorted(path.glob("*.md")) if path.is_dir() else [path]
    text = "\n\n".join(file.read_text("utf-8") for file in files).replace("−", "-")  # noqa: RUF001  the page has minus signs
    return [" ".join(block.split()) for block in re.split(r"\n\s*\n|\n(?=\|)", text)]


def range_shown(between):
    """A range in words."""
    if not between:
        return "-"
    return f"≥ {number(between[0])}" if between[1] == inf else f"{number(between[0])} to {number(between[1])}"


def number(value):
    """A number in few digits."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def shown(value):
    """A value in words; tables of a preset by their types."""
    if isinstance(value, tuple):
        return ", ".join(map(shown, value)) or "none"
    if isinstance(value, float):
        return f"{value:.6g}"
    return type(value).__name__.lower() if isinstance(value, BaseModel) else "none" if value is None else str(value)


def rows():
    """The lines of all claims."""
    measures, drawn = stored(), stored_draws()
    return [row(claim, measures, drawn) for claim in CLAIMS]


def page(lines):
    """The whole page: counts, verdicts that flip, for each document a table of each kind by place, open numbers."""
    counted = ("measured", AGREES), ("measured", NOT_BORNE_OUT), ("settings", AGREES), ("mentioned", MENTIONED)
    text = [INTRODUCTION, "| document | measured: agrees | not borne out | settings | mentioned | differs |"]
    text.append("| --- " * 6 + "|")
    documents = {name: list(group) for name, group in groupby(lines, key=lambda line: line.claim.document)}
    counts = [(f"{name}, {NAMES[name]}", group) for name, group in documents.items()]
    for title, group in (*counts, ("all", lines)):
        found = Counter((line.kind, line.verdict) for line in group)
        differs = sum(line.verdict == DIFFERS for line in group)
        text.append(f"| {title} | {' | '.join(str(found[one]) for one in counted)} | {differs} |")
    flipping = sorted((line for line in lines if line.flips), key=lambda line: sum(line.stands))
    varied = sum(bool(line.stands) for line in lines)
    text.append(FLIPS.format(flipping=len(flipping), varied=varied, share=100 * SHARE, fewest=FEWEST))
    text += [flip(line) for line in flipping]
    for document, group in documents.items():
        text.append(f"\n## {document}: {NAMES[document]}")
        for kind, head in TABLES.items():
            chosen = [line for line in group if line.kind == kind]
            if chosen:
                text += [f"\n### {document}, {kind}\n", head, "| --- " * (head.count("|") - 1) + "|"]
            for place, claims in groupby(chosen, key=lambda line: line.claim.place):
                text.append(f"| **{place}** |" + " |" * (head.count("|") - 2))
                text += [entry(line) for line in claims]
    text += [RANGES, *map(declared, OPEN)]
    return "\n".join(text) + "\n"


def flip(line):
    """One row of the table of verdicts that flip."""
    claim, words = line.claim, []
    for one, side in deciding(claim, line.stands):
        flips, stands = (
            np.median([value for value, stood in zip(one.drawn, line.stands, strict=True) if stood is which])
            for which in (False, True)
        )
        words.append(f"{one.number} {side}: {number(flips)}, stands at {number(stands)} (medians)")
    cells = (claim.claim, claim.document, line.verdict, f"{sum(line.stands)} of {len(line.stands)}", "; ".join(words))
    return "| " + " | ".join(cell.replace("|", "\\|") or "-" for cell in cells) + " |"


def declared(one):
    """One row of the table of open numbers."""
    runs = ", ".join(f"`{pattern}`" for pattern in one.runs)
    between = " to ".join(f"{bound:g}" for bound in one.between) + (", log" if one.log else "")
    return f"| {one.document} | {one.number} | {runs} | {between} | {one.why} |"


def entry(line):
    """One row of a table."""
    verdict = f"**{line.verdict}**" if line.verdict == DIFFERS else line.verdict
    cells = (line.claim.claim, *line.cells, f"{verdict}: {line.claim.why}" if line.claim.why else verdict)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
