"""A system in which the call with a certain number fails.

`broken(Fault(...))` wraps what boidsgen asks of the operating system: opening, reading, writing, flushing and closing
files and pipes, looking at, renaming and deleting names, making directories, locking, and starting a program. Every
such call is counted, and the chosen one fails; or that one and all after it.
"""

import builtins
import errno
import io
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from unittest import mock

from boidsgen import system
from tests.systems import WINDOWS, posix_module

fcntl = posix_module("fcntl")

OF_OS = (
    *("open", "fsync", "replace", "rename", "link", "unlink", "mkdir", "rmdir"),
    *("stat", "lstat", "fstat", "listdir", "scandir", "dup"),
)
"""Functions of the module `os` that are wrapped."""
CLEANING = {"unlink", "rmdir", "stat", "listdir", "scandir", "open", "flock", "claim", "rename"}
"""Calls without which nothing can be cleaned up."""


def refused(number):
    """What the operating system raises with this error number."""
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
"""How a call fails. A signal may come when the call has succeeded, but its result has not arrived."""
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
    """Which call fails, how, and what came of it.

    Attributes:
        number: of the call, counted from 1.
        kind: how it fails, a name in FAILURES.
        lasting: whether all calls after it fail as well.
        count: calls so far.
        hit: the names of the calls that failed.
    """

    number: int
    kind: str
    lasting: bool
    count: int = 0
    hit: list[str] = field(default_factory=list)

    def comes_after(self, name):
        """Whether a call first succeeds; what is opened is then lost, and closed nowhere but here."""
        return self.kind == "SIGTERM afterwards" and name != "scandir"

    def meet(self, name):
        """Count a call; fail if it is its turn."""
        self.count += 1
        if self.count == self.number or (self.lasting and self.count > self.number):
            self.hit.append(name)
            error = FAILURES[self.kind]()
            if error:
                raise error


class File:
    """An open file whose calls may fail; one that fails to close is closed all the same."""

    def __init__(self, file, fault):
        self._file = file
        self._fault = fault

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def read(self, *arguments):
        """Read, unless that fails."""
        self._fault.meet("read")
        return self._file.read(*arguments)

    def write(self, content):
        """Write, unless that fails."""
        self._fault.meet("write")
        return self._file.write(content)

    def flush(self):
        """Flush, unless that fails."""
        self._fault.meet("flush")
        self._file.flush()

    def close(self):
        """Close, and then fail perhaps."""
        closed = self._file.closed
        self._file.close()
        if not closed:
            self._fault.meet("close")


def _locking(counted, fault):
    """Locks that may fail: of files, or what `claim` asks for where files have none."""
    if not WINDOWS:
        return mock.patch.object(fcntl, "flock", counted(fcntl.flock, "flock"))
    names = ("claim", "claim_abandoned")
    return mock.patch.multiple(system, **{name: _claiming(getattr(system, name), fault) for name in names})


def _claiming(function, fault):
    """As `counted` does it; a claim that is lost ends at once, as it would with a process of its own."""

    def call(path):
        if not fault.comes_after("claim"):
            fault.meet("claim")
            return function(path)
        claim = function(path)
        try:
            fault.meet("claim")
        except BaseException:
            if claim:
                claim.release()
            raise
        return claim

    return call


@contextmanager
def broken(fault: Fault) -> Iterator[None]:
    """Within it, the fault happens."""

    def counted(function, name):
        def call(*arguments, **options):
            if fault.comes_after(name):
                try:
                    return function(*arguments, **options)
                finally:
                    fault.meet(name)
            fault.meet(name)
            return function(*arguments, **options)

        return call

    def opened(*arguments, real=io.open, **options):
        fault.meet("open")
        return File(real(*arguments, **options), fault)

    wrapped = {name: counted(getattr(os, name), name) for name in OF_OS}
    with (
        mock.patch.multiple(os, **wrapped),
        _locking(counted, fault),
        mock.patch.object(subprocess, "Popen", counted(subprocess.Popen, "Popen")),
        mock.patch.object(io, "open", opened),
        mock.patch.object(builtins, "open", opened),
    ):
        yield
