"""Print the table of all benchmarks; name some of them to run only those."""

import sys
from importlib import import_module
from pathlib import Path

from tests.benchmarks.table import as_markdown

CASES = sorted(
    file.stem for file in Path(__file__).parent.glob("*.py") if file.stem not in ("__init__", "__main__", "table")
)


def main() -> None:
    """Run the named files of this folder, or all."""
    chosen = sys.argv[1:] or CASES
    cases = (import_module(f"tests.benchmarks.{name}") for name in chosen)
    print(as_markdown(row for case in cases for row in case.rows()))  # noqa: T201  what it is for


main()
