"""Exit codes: what a script may rely on. Any other code means failure too."""

import signal
from collections.abc import Iterator, Mapping

from boidsgen.errors import BoidsgenError


def exit_codes() -> Mapping[int, str]:
    """Every exit code and its meaning."""
    errors = {error.exit_code: _meaning(error) for error in _below(BoidsgenError)}
    signals = {128 + number: f"Stopped by {number.name}." for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}
    return dict(sorted({0: "Done.", 1: "A bug in boidsgen.", **errors, **signals}.items()))


def reference() -> str:
    """Markdown: the table of exit codes."""
    rows = [f"| {code} | {meaning} |" for code, meaning in exit_codes().items()]
    return "\n".join(["| exit code | meaning |", "| --- | --- |", *rows])


def _below(error: type[BoidsgenError]) -> Iterator[type[BoidsgenError]]:
    for kind in error.__subclasses__():
        yield kind
        yield from _below(kind)


def _meaning(error: type[BoidsgenError]) -> str:
    return (error.__doc__ or "").partition("\n")[0]
