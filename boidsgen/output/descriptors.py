"""Descriptors: the open files and pipes that some names stand for.

descriptor(path)     the number of the open file that a name such as /dev/stdout means
duplicate(number)    a descriptor of our own for the same open file, ready for bytes
connected(path)      a named pipe, once somebody reads from it
"""

import errno
import os
import re
import sys
import time
from typing import BinaryIO

from boidsgen import system
from boidsgen.errors import StorageError, UsageError

STANDARD_OUTPUT = "-"
PATIENCE = 60.0
"""Seconds that a named pipe waits for its reader."""

_GLANCE = 0.05
_NAMED = {STANDARD_OUTPUT: 1, "/dev/stdout": 1, "/dev/stderr": 2}
_NUMBERED = re.compile(r"(?:/dev/fd|/proc/self/fd)/([0-9]+)")


def descriptor(path: str) -> int | None:
    """The open file that a name such as /dev/fd/3 stands for: opening it anew would start at its beginning."""
    match = _NUMBERED.fullmatch(path)
    return int(match[1]) if match else _NAMED.get(path)


def duplicate(number: int, path: str) -> int:
    """A descriptor of our own for the same open file; a standard stream that the caller closed is not open.

    Raises:
        OSError: it is not open.
        UsageError: it is a terminal.
    """
    streams = {0: sys.stdin, 1: sys.stdout, 2: sys.stderr}
    if number in streams and streams[number] is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    if os.isatty(number):
        raise UsageError(f"{shown(path)}: is a terminal; redirect it to a file or a pipe")
    return system.to_bytes(os.dup(number))


def connected(path: str) -> BinaryIO:
    """A named pipe, once somebody reads from it.

    Raises:
        StorageError: nobody does within `PATIENCE` seconds.
        OSError: it cannot be opened.
    """
    waited = 0.0
    while (opened := system.open_pipe(path)) is None:
        if waited >= PATIENCE:
            raise StorageError(f"{path}: nobody has begun to read from this pipe in {PATIENCE:g} seconds")
        time.sleep(_GLANCE)
        waited += _GLANCE
    return system.writer(opened)


def shown(path: str) -> str:
    """What messages call it."""
    return "standard output" if path == STANDARD_OUTPUT else path
