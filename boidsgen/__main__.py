"""`python -m boidsgen`, and the console script."""

import gc
import sys

from boidsgen.cli.program import run

CREATED_BETWEEN_COLLECTIONS = 50_000
"""Start-up makes some hundred thousand objects that live on; looking through them all the time costs a tenth of it."""


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(CREATED_BETWEEN_COLLECTIONS)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
