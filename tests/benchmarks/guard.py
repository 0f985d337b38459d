"""Hold the speed of two commits against each other: `python -m tests.benchmarks.guard OLD NEW [CASES]`.

Both are unpacked and take turns on one thread. It ends with 1 when a case takes more than TOLERANCE longer.
"""

import io
import subprocess
import sys
import tarfile
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.beside import Checkout, chosen_cases, opened, parser_of, print_all, show

TOLERANCE = 0.05
"""Part of the old time that the new one may be above it."""
USUAL = ("numba 200", "numba 400", "numba 10", "numpy 200", "numpy 400", "numpy 10,000")


def unpacked(commit: str, stack: ExitStack) -> Checkout:
    """The package of a commit in a folder of its own; that of the working tree for a point."""
    folder = Path.cwd()
    if commit != ".":
        folder = Path(stack.enter_context(TemporaryDirectory()))
        command = ["git", "archive", commit, "boidsgen", "configs"]
        archive = subprocess.run(command, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
    compiled = stack.enter_context(TemporaryDirectory())
    return opened(stack, folder, Path(sys.executable), NUMBA_NUM_THREADS="1", NUMBA_CACHE_DIR=compiled)


def main() -> int:
    """Compare two commits; 1 if the new one is slower."""
    places = {"old": "a commit", "new": "a commit, or `.` for the files as they are"}
    asked = parser_of("tests.benchmarks.guard", __doc__.partition("\n")[0], **places).parse_args()
    with ExitStack() as stack:
        checkouts = [unpacked(commit, stack) for commit in (asked.old, asked.new)]
        rows = list(print_all(chosen_cases(asked.cases or USUAL), checkouts))
    slower = [row.name for row in rows if row.ratio > 1 + TOLERANCE]
    show(f"slower than {TOLERANCE:.0%} allow: {', '.join(slower)}" if slower else "none is slower")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())
