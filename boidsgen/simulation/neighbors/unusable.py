"""Unusable: what happens when the compiled engine cannot be had although it is installed.

Its code is kept on the disk between runs, and a cache may be damaged, unreadable or full, or compiling switched off;
and numba cannot even be imported where the environment asks it for less than one thread.
Since all engines give the same bits, whoever meets that goes on with numpy, and the user is told once.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


class UnusableEngineError(Exception):
    """An engine cannot be loaded; the message says why."""


class NotKeptError(Exception):
    """There is no machine code to be loaded, which is no reason to give up."""


@contextmanager
def usable() -> Iterator[None]:
    """Says that the engine cannot be used where loading or compiling fails, whatever a damaged file makes of it."""
    try:
        yield
    except NotKeptError:
        raise
    except Exception as error:  # noqa: BLE001  unpickling and linking raise what they like
        reason = f"its cache cannot be read or written: {type(error).__name__} {error}".partition("\n")[0]
        raise UnusableEngineError(reason.strip()) from None


THREADS = "NUMBA_NUM_THREADS"
"""How many threads the user allows numba, and us where we use it."""

_reasons: dict[str, None] = {}


def give_up(error: UnusableEngineError) -> None:
    """Remember why an engine is not used for the rest of this process."""
    _reasons.setdefault(str(error))


def given_up() -> bool:
    """Whether the compiled engine has been found unusable, or cannot even be imported."""
    if reason := _importing_fails(os.environ.get(THREADS, "")):
        give_up(UnusableEngineError(reason))
    return bool(_reasons)


@cache
def _importing_fails(threads: str) -> str | None:
    """Why numba would raise an error while it is imported, if it would; what is no number it leaves out."""
    try:
        wanted = int(threads)
    except ValueError:
        return None
    return f"{THREADS} is {wanted}, and must be 1 or more, or not be set" if wanted < 1 else None


def notices() -> list[str]:
    """A line for each reason, for the user."""
    return [f"numba cannot be used ({reason}); numpy does the same, more slowly" for reason in _reasons]
