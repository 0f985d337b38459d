"""Print the table of all benchmarks; name some of them to run only those."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from tests.benchmarks.table import as_markdown, machine

CASES = sorted(
    file.stem
    for file in Path(__file__).parent.glob("*.py")
    if file.stem not in ("__init__", "__main__", "guard", "table")
)


def main() -> None:
    """Run the named files of this folder, or all."""
    parser = ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"{', '.join(CASES)}; all unless some are named")
    parser.add_argument("--json", type=Path, help="file for the figures and the machine that they are from")
    asked = parser.parse_args()
    chosen = asked.cases or CASES
    if unknown := set(chosen) - set(CASES):
        parser.error(f"there is no {', '.join(sorted(unknown))}; choose from {', '.join(CASES)}")
    cases = (import_module(f"tests.benchmarks.{name}") for name in chosen)
    rows = [row for case in cases for row in case.rows()]
    print(as_markdown(rows))  # noqa: T201  what it is for
    if asked.json:
        figures = {"machine": machine(), "rows": [asdict(row) for row in rows]}
        asked.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


main()
