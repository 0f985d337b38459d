"""Linux and macOS; see `boidsgen.system` for what each name means.

A claim is a lock of the kernel on the file or folder itself, which a child shares through the descriptor it inherits.
"""

import ctypes
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

assert sys.platform != "win32"  # noqa: S101  tells type checkers whose names these are

__all__ = [
    "RAISING",
    "STOPPING",
    "Claim",
    "adopt",
    "child_options",
    "claim",
    "claim_abandoned",
    "create",
    "exchange",
    "flush",
    "forget",
    "handed_over",
    "in_the_way",
    "interrupt",
    "is_held",
    "kill",
    "name_refusal",
    "on_closing",
    "recall",
    "replace",
    "to_bytes",
    "usable_cores",
]

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
RAISING = (*STOPPING, signal.SIGALRM)

_AT_THE_WORKING_DIRECTORY, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS


@dataclass(frozen=True, slots=True)
class Claim:
    """A file or folder that this process has for itself.

    Attributes:
        descriptor: open on it; whoever has inherited it holds the claim too.
    """

    descriptor: int

    def release(self) -> None:
        """Let others have it."""
        os.close(self.descriptor)


def claim(path: Path) -> Claim | None:
    """Mark a file or folder as in use; None where a living process has it, or where it is no longer there.

    Where the file system has no locks, everybody gets a claim, and nobody tidies up.

    Raises:
        OSError: when it cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    try:
        if _lock(descriptor) and _stands_at(path, descriptor):
            return Claim(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def claim_abandoned(path: Path) -> Claim | None:
    """Mark what no living process has; None where one has it, and where the file system cannot tell. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return Claim(descriptor)


def create(path: Path) -> None:
    """A new empty file with the permissions that the user's umask gives. Raises OSError."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))


def flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def exchange(one: Path, other: Path) -> bool:
    """Whether two names have changed places, which they do in one step."""
    names = os.fsencode(one), os.fsencode(other)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            return bool(library.renamex_np(*names, _EXCHANGE) == 0)
        here = _AT_THE_WORKING_DIRECTORY
        return bool(library.renameat2(here, names[0], here, names[1], _EXCHANGE) == 0)
    except (AttributeError, OSError, TypeError):
        return False


def replace(part: Path, final: Path) -> None:
    """Give a complete file its name. Raises OSError."""
    part.replace(final)


def is_held(error: OSError) -> bool:
    """Never: an open file may be renamed and removed."""
    del error
    return False


def in_the_way(path: Path) -> str:
    """Nobody can be: an open file may be renamed and removed."""
    del path
    return "another program"


def child_options(*claims: Claim) -> Mapping[str, Any]:
    """How to start a child in a process group of its own."""
    # Ctrl-C is for us alone. At the limit of a file's size a child shall say so rather than be killed.
    return {
        "process_group": 0,
        "restore_signals": False,
        "pass_fds": tuple(claim.descriptor for claim in claims),
    }


def adopt(process: "subprocess.Popen[bytes]") -> None:
    """A child ends by itself when the pipe that it reads from ends, as it does with us."""
    del process


def kill(process: "subprocess.Popen[bytes]") -> None:
    """End a child and all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def handed_over(text: bytes, beside: Path, *claims: Claim) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The name under which a child reads the text, and how to start it; no file stays."""
    del beside
    with TemporaryFile() as file:
        file.write(text)
        file.seek(0)
        options = child_options(*claims)
        yield f"pipe:{file.fileno()}", {**options, "pass_fds": (*options["pass_fds"], file.fileno())}


def interrupt(number: int) -> None:
    """Let the main thread hear a signal."""
    os.kill(os.getpid(), number)


_before: dict[int, Any] = {}
"""The handlers that `recall` has replaced, until `forget`."""


def recall(seconds: float, action: Callable[[], object]) -> None:
    """Call `action` in the main thread a moment later; what it raises is raised there."""
    if signal.SIGALRM not in _before:
        _before[signal.SIGALRM] = signal.getsignal(signal.SIGALRM)
    signal.signal(signal.SIGALRM, lambda *_: action())
    signal.setitimer(signal.ITIMER_REAL, seconds)


def forget() -> None:
    """Call nothing later."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    while _before:
        signal.signal(*_before.popitem())


@contextmanager
def on_closing(action: Callable[[], object]) -> Iterator[None]:
    """The closing of a terminal is a signal here."""
    del action
    yield


def usable_cores() -> int:
    """How many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def to_bytes(descriptor: int) -> int:
    """Descriptors know nothing but bytes here."""
    return descriptor


def name_refusal(path: str) -> str | None:
    """Any name will do."""
    del path
    return None


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _stands_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
