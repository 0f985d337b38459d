"""Make docs/claims.md from the stored statistics.

`--measure` runs our presets over twenty seeds first, and stores what they give; name cases to run only those.
"""

import json
import os
from argparse import ArgumentParser
from time import perf_counter

from tests.claims.page import PAGE, page
from tests.claims.stored import FILE, known_presets, measured, stored, wanted


def main() -> None:
    """Measure what is asked for, then write the page."""
    parser = ArgumentParser(prog="python -m tests.claims", description=__doc__)
    parser.add_argument(
        "cases", nargs="*", metavar="CASE", help="names or beginnings of names; all unless some are given"
    )
    parser.add_argument(
        "--measure", action="store_true", help="run the presets anew, in the short form and the full one"
    )
    asked = parser.parse_args()
    for case, preset in wanted(known_presets()) if asked.measure else ():
        if not asked.cases or case.startswith(tuple(asked.cases)):
            store(case, preset)
    PAGE.write_text(page(), "utf-8")


def store(case, preset):
    """Measure one case in both forms, and keep it with what is there."""
    begun = perf_counter()
    found = {form: measured(case, preset, form) for form in ("short", "full")}
    table = stored()  # only now: several of these may run at once
    for form, statistics in found.items():
        table.setdefault(form, {})[f"{case} | {preset}"] = statistics
    order = [f"{case} | {preset}" for case, preset in wanted(known_presets())]
    table = {form: {key: rows[key] for key in order if key in rows} for form, rows in table.items()}
    part = FILE.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", "utf-8")
    part.replace(FILE)
    print(f"{case} | {preset}: {perf_counter() - begun:.0f} s")  # noqa: T201  what it is for


main()
