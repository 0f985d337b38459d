"""Write docs/claims.md: every claim of the documents, measured against the presets.

`--store` first measures the presets whose tables have changed since their statistics were stored, `--all` every preset;
name presets to take only those. `--open` prints the rows that do not hold.
"""

from argparse import ArgumentParser
from time import process_time

from tests.sources.ours.page import FILE, page, rows
from tests.sources.ours.running import pairs, stale, store
from tests.sources.ours.verdicts import holds, keep


def main() -> None:
    """Measure what was asked for, then write the page."""
    parser = ArgumentParser(prog="python -m tests.sources.ours", description=__doc__)
    parser.add_argument("presets", nargs="*", metavar="PRESET", help="presets to measure; all unless some are given")
    parser.add_argument("--store", action="store_true", help="measure presets that have changed")
    parser.add_argument("--all", action="store_true", help="measure presets whether they have changed or not")
    parser.add_argument("--open", action="store_true", help="print the rows that do not hold")
    parser.add_argument("--mended", action="store_true", help="take rows that hold now out of open.txt")
    asked = parser.parse_args()
    for pair in pairs():
        wanted = not asked.presets or pair.preset in asked.presets
        if wanted and (asked.all or (asked.store and stale(pair))):
            begun = process_time()
            store(pair)
            print(f"{pair}: {process_time() - begun:.1f} s", flush=True)  # noqa: T201  what it is for
    lines = rows()
    FILE.write_text(page(lines), "utf-8")
    if asked.mended:
        keep(lines)
    for line in lines if asked.open else ():
        if not holds(line):
            told = (line.claim.document, line.claim.place, line.claim.claim, line.preset, line.measure)
            print(" · ".join((*told, line.theirs, line.ours or "nothing", line.verdict)))  # noqa: T201


main()
