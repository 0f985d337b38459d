"""open.txt: the rows that are known not to hold yet, by name, one in a line. Whoever mends one takes its line out.

A row that is not in it must hold, and one that is in it must not: `test_claims` sees to both. Lines are added by hand,
for a reason; `python -m tests.sources.ours --mended` takes out those that hold now, and never adds any.
"""

from pathlib import Path

from tests.sources.ours.verdicts import AGREES, NOT_BORNE_OUT

FILE = Path(__file__).with_name("open.txt")


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
    return FILE.read_text("utf-8").splitlines()


def keep(lines):
    """Take out of the file whatever holds now, or is no row any more."""
    names = known()
    kept = [name_of(line.claim) for line in lines if not holds(line) and name_of(line.claim) in names]
    FILE.write_text("".join(f"{name}\n" for name in kept), "utf-8")
