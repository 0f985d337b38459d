"""`python -m boidsgen`, and the console script."""

import gc
import io
import os
import signal
import sys
import warnings

CREATED_BETWEEN_COLLECTIONS = 50_000
"""Start-up makes some hundred thousand objects that live on; looking through them all the time costs a tenth of it."""


def main() -> None:
    """Run the command line and exit with its code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while Python starts or ends is no reason for a traceback
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # no message fails for a letter that the console lacks
    # Otherwise every start looks for some in all of site-packages.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # what a library wants its callers to change is nothing for users
    from boidsgen.cli.program import run

    gc.set_threshold(CREATED_BETWEEN_COLLECTIONS)
    code = run(sys.argv[1:])
    gc.freeze()  # at its end Python would look through all of them again and again: a quarter of a second after numba
    sys.exit(code)


if __name__ == "__main__":
    main()
