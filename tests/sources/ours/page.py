"""docs/claims.md: the table of all claims, made from the stored statistics, the presets and the pages."""

from collections import Counter
from itertools import groupby

from tests.sources.claims import CLAIMS
from tests.sources.ours.running import stored
from tests.sources.ours.verdicts import ROOT, VERDICTS, row

FILE = ROOT / "docs" / "claims.md"
NAMES = {
    "000": "the pygame lesson",
    "001": "the trefoil in 3D",
    "002": "three rules in numpy",
    "003": "the derivation",
    "004": "rules in text, and the p5.js flock",
}
INTRODUCTION = """\
# Claims of the five texts, and what the presets do

Made by `python -m tests.sources.ours`; do not edit. Every claim of the five published texts that boidsgen reproduces
has a row.

- **Settings**: the key of the preset has the text's value.
- **Statistics** are written median [lower, upper quartile] over twenty seeds. The text's own loop (in `tests/sources`,
  where it shares no line with the program) and the preset are measured by the same code. They agree when the medians
  differ by at most three standard errors, which the quartiles give.
- **Ranges**, such as "claims 0 to 0.4", are what the words of the text mean in numbers. The preset's median must lie
  in them.
- **Texts**: the named page makes the point.

Verdicts: *agrees*; *not borne out*: the text's own loop does not do what the text says, and neither does the preset;
*differs*; *no preset yet*. Numbers that a text leaves open are the preset's; the first lines of its file say so.
"""


def rows():
    """The lines of all claims."""
    statistics = stored()
    return [row(claim, statistics) for claim in CLAIMS]


def page(lines):
    """The whole page."""
    parts = [INTRODUCTION, overview(lines)]
    for document, group in groupby(lines, key=lambda line: line.claim.document):
        parts.append(section(document, list(group)))
    return "\n".join(parts)


def counts(lines):
    """How many lines have each verdict, those that occur, in words."""
    found = Counter(line.verdict for line in lines)
    return ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS if found[verdict])


def overview(lines):
    """A table of counts: documents by verdicts."""
    table = [f"| | rows | {' | '.join(VERDICTS)} |", "| --- " * (len(VERDICTS) + 2) + "|"]
    for document, group in groupby(lines, key=lambda line: line.claim.document):
        found = Counter(line.verdict for line in group)
        table.append(
            f"| {document}, {NAMES[document]} | {found.total()} | {' | '.join(str(found[one]) for one in VERDICTS)} |"
        )
    found = Counter(line.verdict for line in lines)
    table.append(f"| all | {found.total()} | {' | '.join(str(found[one]) for one in VERDICTS)} |\n")
    return "\n".join(table)


def section(document, lines):
    """One document: its counts, then a table with a heading row for each place."""
    text = [f"## {document}: {NAMES[document]}\n", f"{len(lines)} rows: {counts(lines)}.\n"]
    text += ["| claim | shown by | measure or key | text | ours | verdict |", "| --- " * 6 + "|"]
    for place, group in groupby(lines, key=lambda line: line.claim.place):
        text.append(f"| **{place}** | | | | | |")
        text += [entry(line) for line in group]
    return "\n".join(text) + "\n"


def entry(line):
    """One row of a section."""
    verdict = line.verdict if line.verdict in VERDICTS[:2] else f"**{line.verdict}**"
    cells = (line.claim.claim, f"`{line.preset}`", line.measure, line.theirs, line.ours, verdict)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
