"""Parts: the hidden temporaries in which outputs grow, next to where they will stand.

A part is locked for as long as its maker lives, or the maker's child that writes to it, by the kernel, which also
unlocks it when they are killed. So a part that can be locked by somebody else has been left behind, and is removed; no
process numbers are compared, no clocks read.
"""

import ctypes
import fcntl
import os
import secrets
import shutil
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
"""Signals whose handlers may raise."""


@contextmanager
def defer_signals() -> Iterator[None]:
    """Keep signals that come in here back until it ends. Only the main thread receives any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in STOPPING}
    waiting = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in waiting:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in waiting.items():
            signal.signal(number, handler)
        for late in came:
            signal.raise_signal(late)


_PREFIX, _SUFFIX = ".boidsgen-", ".part"
_BEGUN: set[Path] = set()
"""Parts of this process that nobody has removed yet; a signal in the wrong moment leaves one here."""
_AT_THE_WORKING_DIRECTORY, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux


@dataclass(frozen=True, slots=True)
class LockedPart:
    """A temporary file or folder that belongs to this process until `remove`.

    Attributes:
        path: where it stands.
        lock: a file descriptor of it, which holds the lock and serves to flush it to the disk.
    """

    path: Path
    lock: int

    def remove(self) -> None:
        """Delete it, unless it has been moved to its final name, and unlock it."""
        try:
            with suppress(OSError, MemoryError):  # it is stale from now on, and the next render tries again
                _delete(self.path)
                _BEGUN.discard(self.path)
        finally:
            os.close(self.lock)


def new_file(directory: Path) -> LockedPart:
    """An empty file in `directory`, with the permissions the user's umask gives. Raises OSError."""
    return _claimed(directory, _create_file)


def new_folder(directory: Path) -> LockedPart:
    """An empty folder in `directory`. Raises OSError."""
    return _claimed(directory, _create_folder)


def remove_stale(directory: Path) -> list[str]:
    """Delete the parts of dead processes in `directory`; returns one line about each, for the user."""
    with os.scandir(directory) as entries:  # a sweep may have put ten thousand files there
        parts = [directory / name for name in sorted(entry.name for entry in entries if _is_part(entry.name))]
    return [f"removed {part}, left behind by a render that was killed" for part in parts if _removed_if_stale(part)]


def remove_begun() -> None:
    """Delete what is left of this process's parts when it stops, wherever it was interrupted."""
    while _BEGUN:
        with suppress(OSError, MemoryError):
            _delete(_BEGUN.pop())


def exchanged(one: Path, other: Path) -> bool:
    """Whether two names have changed places, which they do in one step; not every system can do that."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):  # only Linux has it
        return False
    here, names = _AT_THE_WORKING_DIRECTORY, (os.fsencode(one), os.fsencode(other))
    return bool(rename(here, names[0], here, names[1], _EXCHANGE) == 0)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of `path`, so that nobody removes it as stale, even after it has been renamed."""
    lock = os.open(path, os.O_RDONLY)
    try:
        _lock(lock)
        yield
    finally:
        os.close(lock)


def unused_name(directory: Path) -> Path:
    """A name for a part that does not exist: random, since containers share directories but not process numbers."""
    return directory / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(6)}{_SUFFIX}"


def _claimed(directory: Path, create: Callable[[Path], int]) -> LockedPart:
    while True:
        path = unused_name(directory)
        _BEGUN.add(path)
        part = LockedPart(path, create(path))
        try:
            if _lock(part.lock) and _stands_at(path, part.lock):
                return part
        except BaseException:
            part.remove()
            raise
        part.remove()  # somebody who tidies up came between creating and locking


def _create_file(path: Path) -> int:
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)


def _create_folder(path: Path) -> int:
    path.mkdir()
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except BaseException:
        path.rmdir()
        raise


def _lock(descriptor: int) -> bool:
    """Whether nobody else holds the lock; where the file system has no locks, nobody tidies up either."""
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


def _is_part(name: str) -> bool:
    return name.startswith(_PREFIX) and name.endswith(_SUFFIX)


def _removed_if_stale(path: Path) -> bool:
    with suppress(OSError):  # alive, already gone, somebody else's, or on a file system without locks
        lock = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _delete(path)
        finally:
            os.close(lock)
        return True
    return False


def _delete(path: Path) -> None:
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()
