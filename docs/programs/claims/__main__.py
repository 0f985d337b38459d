"""Write docs/claims.md: every claim of the published texts, measured on the presets.

`--store` first measures the presets whose tables have changed since their statistics were stored, `--all` every preset.
"""

from argparse import ArgumentParser

from docs.programs.claims.page import FILE, page, rows
from docs.programs.claims.running import RUNS, is_stale, store

parser = ArgumentParser(prog="python -m docs.programs.claims", description=__doc__)
parser.add_argument("--store", action="store_true", help="measure presets that have changed")
parser.add_argument("--all", action="store_true", help="measure all presets")
asked = parser.parse_args()
for run in RUNS:
    if asked.all or (asked.store and is_stale(run)):
        store(run)
        print(run, flush=True)  # noqa: T201  it takes minutes
store()
FILE.write_text(page(rows()), "utf-8")
