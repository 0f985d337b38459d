"""A system in which the call with a certain number fails.

`broken(Fault(...))` wraps what boidsgen asks of the operating system: opening, reading, writing, flushing and closing
files, looking at, renaming and deleting names, making directories, locking, and starting a program. Every such call is
counted, and the chosen one fails; or that one and all after it.
"""

import builtins
import errno
import io
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from unittest import mock

from boidsgen import system
from tests.systems import posix_module

fcntl = posix_module("fcntl")

OF_OS = (
    *("open", "fsync", "replace", "rename", "link", "unlink", "mkdir", "rmdir"),
    *("stat", "lstat", "fstat", "listdir", "scandir", "dup", "chmod", "utime"),
)
"""Functions of the module `os` that are wrapped."""
CLEANING = {"unlink", "rmdir", "stat", "lstat", "listdir", "scandir", "open", "flock", "rename"}
"""Calls without which nothing can be cleaned up."""


def refused(number):
    """The error that the operating system raises with this error number."""
    return OSError(number, os.strerror(number))


FAILURES = {
    "ENOSPC": lambda: refused(errno.ENOSPC),
    "EIO": lambda: refused(errno.EIO),
    "EACCES": lambda: refused(errno.EACCES),
    "no memory": MemoryError,
    "SIGTERM": lambda: signal.raise_signal(signal.SIGTERM),
    "SIGTERM afterwards": lambda: signal.raise_signal(signal.SIGTERM),
    "Ctrl-C": lambda: signal.raise_signal(signal.SIGINT),
}
"""Kinds of failure. A signal may come when the call has succeeded, but its result has not arrived."""
LASTING = tuple(kind for kind in FAILURES if kind != "Ctrl-C")
"""Those that may go on; a second Ctrl-C ends the program at once."""
CODES = {
    **{key: {0, 5, 6} for key in ("ENOSPC", "EIO", "EACCES")},
    "no memory": {0, 6, 8},  # 6 where the thread that feeds ffmpeg met it
    **{key: {143} for key in ("SIGTERM", "SIGTERM afterwards")},
    "Ctrl-C": {130},
}
"""Exit codes that each may have; 0 where it met something that may fail."""


@dataclass
class Fault:
    """A failure, the number of the call that it meets, and what came of it."""

    number: int  # of the call, counted from 1
    kind: str  # a name in FAILURES
    lasting: bool  # whether all calls after it fail as well
    count: int = 0  # calls so far
    hit: list[str] = field(default_factory=list)  # the names of the calls that failed

    def meet(self, name):
        """Count a call; fail if it is its turn."""
        self.count += 1
        if self.count == self.number or (self.lasting and self.count > self.number):
            self.hit.append(name)
            error = FAILURES[self.kind]()
            if error:
                raise error

    def wrap(self, function, name):
        """The function, which fails in its turn, before it has done anything or after it has."""

        def call(*arguments, **options):
            if self.kind == "SIGTERM afterwards" and name != "scandir":
                try:
                    return function(*arguments, **options)
                finally:
                    self.meet(name)
            self.meet(name)
            return function(*arguments, **options)

        return call


class File:
    """An open file whose calls may fail; one that fails to close is closed all the same."""

    def __init__(self, file, fault):
        self._file = file
        for name in ("read", "write", "flush"):
            setattr(self, name, fault.wrap(getattr(file, name), name))
        self._meet = fault.meet

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __iter__(self):
        return iter(self._file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Close, and then fail perhaps."""
        closed = self._file.closed
        self._file.close()
        if not closed:
            self._meet("close")


@contextmanager
def broken(fault: Fault) -> Iterator[None]:
    """Within it, the fault happens."""

    def opened(*arguments, real=io.open, **options):
        fault.meet("open")
        return File(real(*arguments, **options), fault)

    def exchanged(*names, real=system.exchange):
        try:
            fault.meet("exchange")
        except OSError:
            return False
        return real(*names)

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(system, "exchange", exchanged))
        for name in OF_OS:
            stack.enter_context(mock.patch.object(os, name, fault.wrap(getattr(os, name), name)))
        if fcntl:
            stack.enter_context(mock.patch.object(fcntl, "flock", fault.wrap(fcntl.flock, "flock")))
        stack.enter_context(mock.patch.object(subprocess, "Popen", fault.wrap(subprocess.Popen, "Popen")))
        stack.enter_context(mock.patch.object(io, "open", opened))
        stack.enter_context(mock.patch.object(builtins, "open", opened))
        yield
