"""Run the documents' own loops over twenty seeds and print median and quartiles of each measure.

`--store` writes them into reference.json; `--short` runs few seeds and few frames. Name cases to run only those.
"""

import json
import os
from argparse import ArgumentParser
from time import process_time

import numpy as np

from tests.sources.cases import CASES
from tests.sources.claims import FILE, SEEDS, SHORT_SEEDS, stored
from tests.sources.summary import spread


def main() -> None:
    """Run the named cases, or all."""
    parser = ArgumentParser(prog="python -m tests.sources", description=__doc__)
    parser.add_argument(
        "cases", nargs="*", metavar="CASE", help="names or beginnings of names; all unless some are given"
    )
    parser.add_argument("--short", action="store_true", help=f"{len(SHORT_SEEDS)} seeds and few frames")
    parser.add_argument("--store", action="store_true", help="write what was found into reference.json")
    asked = parser.parse_args()
    chosen = [case for case in CASES if not asked.cases or case.name.startswith(tuple(asked.cases))]
    if not chosen:
        parser.error(f"there is no such case; choose from {', '.join(case.name for case in CASES)}")
    form = "short" if asked.short else "full"
    for case in chosen:
        row = measured(case, form)
        report(case.name, row)
        if asked.store:
            store(form, case.name, row)


def measured(case, form):
    """Median and quartiles of every measure of a case, with its frames and what it cost."""
    seeds, frames = (SHORT_SEEDS, case.short) if form == "short" else (SEEDS, case.frames)
    begun = process_time()
    values = case.run(seeds, frames)
    found = {name: spread(per_run) for name, per_run in values.items() if not np.isnan(per_run).all()}
    return {"frames": frames, "seconds": round(process_time() - begun, 1), "measures": found}


def report(name, row):
    """Print one case."""
    print(f"{name}: {row['frames']} frames, {row['seconds']} s")  # noqa: T201  what it is for
    for measure, value in row["measures"].items():
        print(f"  {measure:28s} {value['median']:10.3f}  {value['low']:10.3f} … {value['high']:.3f}")  # noqa: T201


def store(form, name, row):
    """Put one case into the file, beside what is there."""
    table = stored()
    table["made by"] = f"python -m tests.sources --store, numpy {np.__version__}"
    table["seeds"] = {"full": list(SEEDS), "short": list(SHORT_SEEDS)}
    cases = table.setdefault(form, {})
    cases[name] = row
    order = [case.name for case in CASES]
    table[form] = {known: cases[known] for known in order if known in cases}
    part = FILE.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", "utf-8")
    part.replace(FILE)  # several of these may run at once


main()
