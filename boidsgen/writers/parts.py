"""The hidden temporaries in which outputs grow, next to where they will stand.

A part is locked for as long as its maker lives, or the maker's child that writes to it, by the kernel, which also
unlocks it when they are killed. So a part that can be locked by somebody else has been left behind, and is removed; no
process numbers are compared, no clocks read.
"""

import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_PREFIX, _SUFFIX = ".boidsgen-", ".part"


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
        with suppress(OSError):  # it is stale from now on, and the next render tries again
            _delete(self.path)
        os.close(self.lock)


def new_file(directory: Path) -> LockedPart:
    """An empty file in `directory`, with the permissions the user's umask gives. Raises OSError."""
    return _claimed(directory, _create_file)


def new_folder(directory: Path) -> LockedPart:
    """An empty folder in `directory`. Raises OSError."""
    return _claimed(directory, _create_folder)


def remove_stale(directory: Path) -> list[str]:
    """Delete the parts of dead processes in `directory`; returns one line about each, for the user."""
    parts = (entry for entry in sorted(directory.iterdir()) if _is_part(entry.name))
    return [f"removed {part}, left behind by a render that was killed" for part in parts if _removed_if_stale(part)]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Nobody takes `path` for stale in here, wherever it is moved."""
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
        lock = create(path)
        if _lock(lock) and _stands_at(path, lock):
            return LockedPart(path, lock)
        os.close(lock)  # somebody who tidies up came between creating and locking


def _create_file(path: Path) -> int:
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)


def _create_folder(path: Path) -> int:
    path.mkdir()
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY)


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
