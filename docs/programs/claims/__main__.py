"""Write docs/claims.md: every claim of the published texts, measured on the presets.

`--store` first measures the presets whose tables have changed since their statistics were stored, and the draws of
their open numbers, `--all` every preset.
"""

from argparse import ArgumentParser

from docs.programs.claims import draws
from docs.programs.claims.page import FILE, page, rows
from docs.programs.claims.running import RUNS, is_stale, store


def main():
    """Measure, if asked to, and write the page."""
    parser = ArgumentParser(prog="python -m docs.programs.claims", description=__doc__)
    parser.add_argument("--store", action="store_true", help="measure presets and draws that have changed")
    parser.add_argument("--all", action="store_true", help="measure all presets and draws")
    asked = parser.parse_args()
    for run in RUNS:
        if asked.all or (asked.store and is_stale(run)):
            store(run)
            print(run, flush=True)  # noqa: T201  it takes minutes
    store()
    for run in draws.store([run for run in draws.VARIED if asked.all or (asked.store and draws.is_stale(run))]):
        print(f"{run}: draws", flush=True)  # noqa: T201
    FILE.write_text(page(rows()), "utf-8")


if __name__ == "__main__":  # workers import this module
    main()
