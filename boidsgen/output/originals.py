"""Originals: what a command reads, and what none of its outputs may therefore replace.

  reading()            for the time of a block, what is read is remembered
  remember(path)       this file is read; `remember_input()` says the same of standard input
  refuse(path)         raises UsageError where an output of this name would replace what was read
  identity(path)       the same text for all names of one place

A file is the same by any spelling of its name: links are followed, and file systems that make no difference between
capitals and small letters make none here. A hard link is another name: replacing it leaves the original as it is.
"""

import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from typing import NamedTuple

from boidsgen import system
from boidsgen.errors import StorageError, UsageError, printable
from boidsgen.output.descriptors import descriptor


class _Original(NamedTuple):
    """Something that is read.

    Attributes:
        real: its name without links; empty for what came through a descriptor.
        node: the numbers of its device and its node, None where it is not there.
    """

    real: str
    node: tuple[int, int] | None

    def is_at(self, path: str) -> bool:
        """Whether an output of this name would replace it, or the folder that it is in."""
        node = _node(path)
        if not self.real:
            return node is not None and node == self.node
        real = os.path.realpath(path)
        if real == self.real:
            return True
        if node is None:
            return False
        return (node == self.node and _spelled_alike(real, self.real)) or node in _nodes_above(self.real)


_blocks: list[list[_Original]] = []
"""What the blocks of `reading` that are open have remembered; outside of one, as in a library's call, nothing is."""


@contextmanager
def reading() -> Iterator[None]:
    """Remember what is read in here, and forget it afterwards."""
    _blocks.append([])
    try:
        yield
    finally:
        _blocks.pop()


def remember(path: str | PathLike[str]) -> None:
    """Keep outputs away from this file.

    Raises:
        StorageError: it is no file but a device, by a name that the system keeps for it.
    """
    name = fspath(path)
    if refusal := system.device_refusal(name):
        raise StorageError(f"{printable(name)}: {refusal}")
    if _blocks and "\0" not in name:
        _blocks[-1].append(_Original(os.path.realpath(name), _node(name)))


def remember_input() -> None:
    """Keep outputs away from the file that standard input reads, if it is one."""
    try:
        status = os.fstat(0)
    except OSError:
        return
    if _blocks and stat.S_ISREG(status.st_mode):
        _blocks[-1].append(_Original("", (status.st_dev, status.st_ino)))


def refuse(path: str) -> None:
    """Stop before an output replaces what was read.

    Raises:
        UsageError: when it would.
    """
    opened = descriptor(path)
    known = [original for block in _blocks for original in block]
    if opened is None:
        meets = any(original.is_at(path) for original in known)
    else:
        meets = _node_of(opened) in {original.node for original in known}
    if meets:
        raise UsageError(f"{path}: is already what is read; give every output a name of its own")


def identity(path: str) -> str:
    """The same text for all names of one place: links are followed, and standard output has several names.

    Where every file system takes capitals and small letters for the same, as on Windows, so does this, since what is
    not there yet cannot be asked.
    """
    opened = descriptor(path)
    return os.path.normcase(os.path.realpath(path)) if opened is None else f"descriptor {opened}"


def _node(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116  a name, which need not be a path of this system
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _node_of(opened: int) -> tuple[int, int] | str:
    """The node of an open file; something that no file is called for what is none, such as a pipe."""
    try:
        status = os.fstat(opened)
    except OSError:
        return "closed"
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else "no file"


def _spelled_alike(one: str, other: str) -> bool:
    """Whether two names of one node are one name, in a file system for which letters differ less than here."""
    folders = (_node(os.path.dirname(name)) for name in (one, other))  # noqa: PTH120
    names = (unicodedata.normalize("NFC", os.path.basename(name)).casefold() for name in (one, other))  # noqa: PTH119
    return len(set(folders)) == len(set(names)) == 1


def _nodes_above(real: str) -> set[tuple[int, int] | None]:
    """The folders that a file is in, however deep."""
    found, folder = set[tuple[int, int] | None](), os.path.dirname(real)  # noqa: PTH120
    while folder != os.path.dirname(folder):  # noqa: PTH120
        found.add(_node(folder))
        folder = os.path.dirname(folder)  # noqa: PTH120
    return found
