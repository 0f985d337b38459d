"""Streams: results go to standard output, everything else to standard error.

A reader that has seen enough (`| head`) is no reason to stop: files are still written, and nobody is told.
"""

import json
import os
import sys
from typing import IO

from boidsgen.errors import StorageError


def result(line: str) -> None:
    """One line on standard output.

    Raises:
        StorageError: when it cannot be written, as on a full disk.
    """
    try:
        _write(sys.stdout, line)
    except OSError as error:
        _silence(sys.stdout)
        raise StorageError(f"standard output: {error.strerror}") from error


def note(line: str) -> None:
    """One line on standard error; what cannot be said is left unsaid."""
    try:
        _write(sys.stderr, line)
    except OSError:
        _silence(sys.stderr)


def record(**entries: object) -> str:
    """One line of JSON."""
    return json.dumps(entries, ensure_ascii=False)


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether somebody is watching."""
    return stream is not None and stream.isatty()


def _write(stream: IO[str] | None, line: str) -> None:
    if stream is None:  # closed by the caller
        return
    try:
        stream.write(f"{line}\n")
        stream.flush()
    except BrokenPipeError:
        _silence(stream)


def _silence(stream: IO[str]) -> None:
    """Send the rest nowhere: otherwise the interpreter complains about what is still buffered when it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
