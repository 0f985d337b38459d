"""Print the table of all benchmarks; name some of them to run only those."""

from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path

from tests.benchmarks.table import as_markdown

CASES = sorted(
    file.stem for file in Path(__file__).parent.glob("*.py") if file.stem not in ("__init__", "__main__", "table")
)


def main() -> None:
    """Run the named files of this folder, or all."""
    parser = ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"{', '.join(CASES)}; all unless some are named")
    chosen = parser.parse_args().cases or CASES
    if unknown := set(chosen) - set(CASES):
        parser.error(f"there is no {', '.join(sorted(unknown))}; choose from {', '.join(CASES)}")
    cases = (import_module(f"tests.benchmarks.{name}") for name in chosen)
    print(as_markdown(row for case in cases for row in case.rows()))  # noqa: T201  what it is for


main()
