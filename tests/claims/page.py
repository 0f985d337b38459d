"""The table as a page: docs/claims.md."""

from collections import Counter
from pathlib import Path

from tests.claims.verdicts import rows
from tests.sources.table import DOCUMENTS

PAGE = Path(__file__).parents[2] / "docs" / "claims.md"

HEAD = """# What the five documents claim, and what boidsgen shows

Made by `python -m tests.claims`; do not edit. Each claim of each document, in its order; the preset that shows
it, with the key or the measure that tells; what the document has, or what its own loop gives over twenty seeds
(median, with the quartiles in brackets); what our preset has or gives, measured by the same code over as many
seeds; and the verdict.

- **agrees**: a key has its value; a median is no further from the document's than the wider of the two spreads,
  or lies where the claim puts it.
- **text only**: the text says it, but its own loop does not do it, and neither does ours. The row gives both
  numbers.
- **open**: the vocabulary cannot say it yet, or no page says it yet.
- **differs**: none of these. A test fails as long as there is one.

The loops stand in `tests/sources`, ours in `tests/claims`; `BOIDSGEN_CLAIMS=full pytest tests/claims` measures
all anew.
"""


def page():
    """The whole page."""
    return "\n".join([HEAD, *_summary(), *(part for document in DOCUMENTS for part in _document(document))])


def _summary():
    yield "| document | agrees | text only | open | differs |\n| --- | --- | --- | --- | --- |"
    for document in DOCUMENTS:
        counts = Counter(row.verdict.partition(":")[0] for row in rows(document.claims))
        numbers = " | ".join(str(counts[verdict]) for verdict in ("agrees", "text only", "open", "differs"))
        yield f"| {document.name} | {numbers} |"


def _document(document):
    yield f"\n## Document {document.name}\n"
    yield "| where | claim | shown by | document | ours | verdict |\n| --- | --- | --- | --- | --- | --- |"
    for row in rows(document.claims):
        cells = (row.claim.place, row.claim.claim, row.shown, row.document, row.ours, row.verdict)
        yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
    yield ""
