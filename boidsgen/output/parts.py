"""Parts: the hidden temporaries in which outputs grow, next to where they will stand.

A part is claimed for as long as its maker lives, or the maker's child that writes to it; the kernel ends the claim when
they are killed. So a part that can be claimed by somebody else has been left behind, and is removed; no process numbers
are compared, no clocks read.

An earlier folder that has stepped aside for a new one has a name of the same kind, which tells whose it is: who is
killed before the new one stands has it brought back by the next render.
"""

import hashlib
import os
import shutil
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from boidsgen import system


@contextmanager
def defer_signals() -> Iterator[None]:
    """Keep signals that come in here back until it ends. Only the main thread receives any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in system.RAISING}
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


_PREFIX, _SUFFIX, _ASIDE = ".boidsgen-", ".part", ".aside"
_BEGUN: dict[Path, system.Directory] = {}
"""Parts of this process that nobody has removed yet; a signal in the wrong moment leaves one here."""


@dataclass(frozen=True, slots=True)
class ClaimedPart:
    """A temporary file or folder that belongs to this process until `remove`.

    Attributes:
        path: where it stands.
        claim: keeps others from taking it for left behind.
    """

    path: Path
    claim: system.Claim

    def remove(self) -> None:
        """Delete it, unless it has been moved to its final name, and give up the claim."""
        try:
            end(self.path)
        finally:
            self.claim.release()


def new_file(directory: Path) -> ClaimedPart:
    """An empty file in `directory`, with the permissions the user's umask gives. Raises OSError."""
    return _new(directory, system.create)


def new_folder(directory: Path) -> ClaimedPart:
    """An empty folder in `directory`. Raises OSError."""
    return _new(directory, Path.mkdir)


def remove_stale(directory: Path) -> list[str]:
    """Delete the parts of dead processes in `directory`; returns one line about each, for the user."""
    with os.scandir(directory) as entries:  # a sweep may have put ten thousand files there
        parts = [directory / name for name in sorted(entry.name for entry in entries if _is_part(entry.name))]
    return [f"removed {part}, left behind by a render that was killed" for part in parts if _removed_if_stale(part)]


def remove_begun() -> None:
    """Delete what is left of this process's parts when it stops, wherever it was interrupted."""
    while _BEGUN:
        path, directory = _BEGUN.popitem()
        with suppress(OSError, MemoryError):
            directory.delete(path.name)
        directory.release()


def begin(path: Path) -> None:
    """From now on a file or folder is a part of this process, which goes when it stops."""
    with suppress(OSError, MemoryError):
        _BEGUN[path] = system.Directory(path.parent)


def end(path: Path) -> OSError | MemoryError | None:
    """Delete a part of this process. If that fails, it is stale from now on, and the next render tries again.

    Gives why it failed, where it did.
    """
    try:
        _abolish(path)
    except (OSError, MemoryError) as error:
        return error
    return None


def name_aside(folder: Path) -> Path:
    """Where a folder waits until a new one has taken its place."""
    return folder.parent / f"{_of_aside(folder)}{os.urandom(4).hex()}{_ASIDE}"


def bring_back(folder: Path) -> list[str]:
    """Bring back what a killed render had put aside, unless something stands there; then it is deleted.

    Gives a line about each, for the user. Raises OSError.
    """
    if not folder.parent.is_dir():
        return []
    with os.scandir(folder.parent) as entries:
        names = [one.name for one in entries if one.name.startswith(_of_aside(folder)) and one.name.endswith(_ASIDE)]
    return [told for name in sorted(names) if (told := _back(folder.parent / name, folder))]


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Hold a claim on `path`, so that nobody removes it as left behind."""
    claim = system.claim(path)
    try:
        yield
    finally:
        if claim:
            claim.release()


def unused_name(directory: Path) -> Path:
    """A name for a part that does not exist: random, since containers share directories but not process numbers."""
    return directory / f"{_PREFIX}{os.getpid()}-{os.urandom(6).hex()}{_SUFFIX}"


def _new(directory: Path, create: Callable[[Path], None]) -> ClaimedPart:
    while True:
        path = unused_name(directory)
        _BEGUN[path] = system.Directory(directory)
        try:
            create(path)
            if claim := system.claim(path):
                return ClaimedPart(path, claim)
        except BaseException:
            _abolish(path)
            raise
        _abolish(path)  # somebody who tidies up came between creating and claiming


def _abolish(path: Path) -> None:
    """Delete a part of ours in its directory, whatever that is called by now. Raises OSError; then it stays begun."""
    if directory := _BEGUN.get(path):
        directory.delete(path.name)
        del _BEGUN[path]
        directory.release()


def _is_part(name: str) -> bool:
    return name.startswith(_PREFIX) and name.endswith(_SUFFIX)


def _removed_if_stale(path: Path) -> bool:
    with suppress(OSError):  # already gone, or somebody else's
        claim = system.claim_abandoned(path)
        if claim is None:
            return False
        try:
            _delete(path)
        finally:
            claim.release()
        return True
    return False


def _back(aside: Path, folder: Path) -> str:
    """What came of an earlier folder that was put aside; empty where its render lives, or nothing could be done."""
    if os.path.lexists(folder):
        return f"removed {aside}, left behind by a render that was killed" if _removed_if_stale(aside) else ""
    with suppress(OSError):
        claim = system.claim_abandoned(aside)
        if claim is None:
            return ""
        try:
            aside.rename(folder)
        finally:
            claim.release()
        return f"brought back {folder}, put aside by a render that was killed"
    return ""


def _of_aside(folder: Path) -> str:
    """How the names begin under which a folder is put aside."""
    return f"{_PREFIX}{hashlib.sha256(os.fsencode(folder.name)).hexdigest()[:8]}-"


def _delete(path: Path) -> None:
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()
