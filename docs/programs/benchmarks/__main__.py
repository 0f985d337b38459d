"""Measure this checkout, or two commits side by side: `python -m docs.programs.benchmarks [CASES] [--commits OLD NEW]`.

Commits are unpacked and take turns on one thread; it ends with 1 when a case takes more than TOLERANCE longer.
"""

import io
import shutil
import subprocess
import sys
import tarfile
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from boidsgen.kernel import library
from docs.programs.benchmarks.beside import ROOT, Checkout, chosen_cases, opened, parser_of, print_all, show

TOLERANCE = 0.05  # Part of the old time that the new one may be above it
USUAL = ("native 200", "native 400", "native 10", "numpy 200", "numpy 400", "numpy 10,000")
"""Cases of which commits are compared unless others are named."""


def unpacked(commit: str, stack: ExitStack) -> Checkout:
    """The package of a commit in a folder of its own; that of the working tree for a point."""
    folder = ROOT
    if commit != ".":
        folder = Path(stack.enter_context(TemporaryDirectory()))
        command = ["git", "archive", commit, "boidsgen", "configs"]
        archive = subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        for built in (library.FILE, library.CHECKSUMS):  # those of this checkout serve where no source has changed
            shutil.copy(library.FOLDER / built, folder / "boidsgen" / "kernel")
        subprocess.run([sys.executable, "-m", "boidsgen.kernel.build"], check=True, cwd=folder)
    return opened(stack, folder, Path(sys.executable), BOIDSGEN_THREADS="1")


def main() -> int:
    """Print one line a case; 1 if the second of two commits is slower."""
    parser = parser_of("docs.programs.benchmarks", "Measure this checkout, or two commits side by side.")
    parser.add_argument("--commits", nargs=2, metavar=("OLD", "NEW"), help="commits, or `.` for the files as they are")
    asked = parser.parse_args()
    with ExitStack() as stack:
        if not asked.commits:
            list(print_all(chosen_cases(asked.cases), [opened(stack, ROOT, Path(sys.executable))]))
            return 0
        checkouts = [unpacked(commit, stack) for commit in asked.commits]
        rows = list(print_all(chosen_cases(asked.cases or USUAL), checkouts))
    slower = [row.name for row in rows if row.ratio > 1 + TOLERANCE]
    show(f"slower than {TOLERANCE:.0%} allow: {', '.join(slower)}" if slower else "none is slower")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())
