"""`python -m boidsgen`, and the console script."""

import gc
import io
import os
import signal
import sys
import warnings

CREATED_BETWEEN_COLLECTIONS = 200_000
"""Start-up makes some hundred thousand objects that live on; looking through them all the time costs a tenth of it."""

_ASCII = {"ascii", "us-ascii", "ansi_x3.4-1968"}


def main() -> None:
    """Run the command line and exit with its code."""
    try:  # until there are handlers of our own, Ctrl-C ends the program at once: no reason for a traceback
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    except KeyboardInterrupt:  # which came before, and is heard only now
        sys.exit(128 + signal.SIGINT)
    for number in range(3):  # where the caller has closed a standard stream, the next file would take its place
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free, which is this one
            os.set_inheritable(opened, True)  # noqa: FBT003  the function has no other way to be called
    if not sys.warnoptions:  # what libraries have to remark is for their users; our own words are no warnings
        warnings.simplefilter("ignore")
    # More threads would gain nothing here; and where none can be made, OpenBLAS interrupts the whole program.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            ascii_only = stream.encoding.lower() in _ASCII and "PYTHONIOENCODING" not in os.environ
            # No message fails for a letter that the console lacks; the locale C says nothing about letters.
            stream.reconfigure(encoding="utf-8" if ascii_only else None, errors="backslashreplace")
    # Otherwise every start looks for some in all of site-packages.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.set_threshold(CREATED_BETWEEN_COLLECTIONS)
    from boidsgen.cli.main import run

    code = run(sys.argv[1:])
    gc.freeze()  # at its end Python would look through all of them once more
    sys.exit(code)


if __name__ == "__main__":
    main()
