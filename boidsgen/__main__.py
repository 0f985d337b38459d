"""`python -m boidsgen`, and the console script."""

import gc
import signal
import sys

CREATED_BETWEEN_COLLECTIONS = 50_000
"""Start-up makes some hundred thousand objects that live on; looking through them all the time costs a tenth of it."""


def main() -> None:
    """Run the command line and exit with its code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while Python starts or ends is no reason for a traceback
    from boidsgen.cli.program import run  # noqa: PLC0415  takes a moment, in which Ctrl-C may come

    gc.set_threshold(CREATED_BETWEEN_COLLECTIONS)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
