"""Inputs and the names of outputs: no output replaces an input of the running command.

Inputs within a block of `guard_inputs` are remembered, and outputs compared with them by device and inode.
"""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path

from boidsgen import system
from boidsgen.errors import StorageError, UsageError, printable

STANDARD_OUTPUT = "-"
PREFIX, SUFFIX = ".boidsgen-", ".part"  # Of the names of temporary folders

_NAMED = {STANDARD_OUTPUT: 1, "/dev/stdout": 1, "/dev/stderr": 2}
_NUMBERED = re.compile(r"(?:/dev/fd|/proc/self/fd)/([0-9]+)")

_inputs: list[list[os.stat_result]] = []
"""Inputs and the directories above them, by block of `guard_inputs`; outside of one nothing is remembered."""


@contextmanager
def guard_inputs() -> Iterator[None]:
    """Refuse outputs that would replace an input which is read within this block."""
    _inputs.append([])
    try:
        yield
    finally:
        _inputs.pop()


def remember_input(path: str | PathLike[str]) -> None:
    """Protect a file from being replaced by an output, and the folders that it is in; refuse a device of Windows."""
    name = fspath(path)
    if refusal := no_name(name) or system.device_refusal(name):
        raise StorageError(f"{printable(name)}: {refusal}")
    if _inputs:
        with suppress(OSError, ValueError):  # it is not there, which whoever opens it will report
            real = Path(os.path.realpath(name))
            _inputs[-1] += [one.stat() for one in (real, *real.parents)]


def remember_standard_input() -> None:
    """Protect the file that standard input reads, if it is one."""
    with suppress(OSError):
        status = os.fstat(0)
        if _inputs and stat.S_ISREG(status.st_mode):
            _inputs[-1].append(status)


def refuse_input(path: str) -> None:
    """Raise UsageError if an output is also an input."""
    opened = descriptor(path)
    try:
        status = Path(path).stat() if opened is None else os.fstat(opened)
    except (OSError, ValueError):
        return
    if any(os.path.samestat(status, one) for block in _inputs for one in block):
        raise UsageError(f"{path}: is already what is read; give every output a name of its own")


def no_name(path: str) -> str:
    """Reason why no system has a file of this name; empty for any other."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return "no name of a file holds half a character"
    return "no name of a file holds a NUL" if "\0" in path else ""


def refuse_name(path: str) -> None:
    """Raise UsageError for a name under which this system would not make a file."""
    if not path:
        raise UsageError("an output without a name; name a file, or a folder that ends with /")
    reason = no_name(path) or (
        "is kept for temporary folders" if is_leftover(Path(path)) else system.name_refusal(path)
    )
    if path != STANDARD_OUTPUT and reason:
        raise UsageError(f"{printable(path)}: {reason}")


def identity(path: str) -> str:
    """The same text for all names of one output: links are followed, and standard output has several names."""
    opened = descriptor(path)
    return os.path.normcase(os.path.realpath(path)) if opened is None else f"descriptor {opened}"


def descriptor(path: str) -> int | None:
    """The open file that a name such as /dev/fd/3 means: opening it again would start at its beginning."""
    match = _NUMBERED.fullmatch(path)
    return int(match[1]) if match else _NAMED.get(path)


def is_leftover(path: Path) -> bool:
    """True for the name of a temporary folder, which is no proof that a render made it."""
    return path.name.startswith(PREFIX) and path.name.endswith(SUFFIX)
