"""Inputs and the names of outputs: every file that is read comes through `open_regular`, and no output replaces one.

An input is a regular file: a pipe or a device might never end. Inputs within a block of `guard_inputs` are remembered,
and outputs compared with them by device and inode.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from io import BufferedReader, BytesIO
from os import PathLike, fspath
from pathlib import Path

from boidsgen import system
from boidsgen.errors import BoidsgenError, ScenarioError, StorageError, UsageError, printable

STANDARD_OUTPUT = "-"
PREFIX, SUFFIX = ".boidsgen-", ".part"  # Of the names of temporary folders

_NAMED = {STANDARD_OUTPUT: 1, "/dev/stdout": 1, "/dev/stderr": 2}
_NUMBERED = re.compile(r"(?:/dev/fd|/proc/self/fd)/([0-9]+)")

_inputs: ContextVar[list[os.stat_result] | None] = ContextVar("inputs", default=None)
"""Inputs and the directories above them; outside of `guard_inputs` nothing is remembered."""


@contextmanager
def guard_inputs() -> Iterator[None]:
    """Refuse outputs that would replace an input which is read within this block."""
    token = _inputs.set([*(_inputs.get() or ())])
    try:
        yield
    finally:
        _inputs.reset(token)


def open_regular(path: str | PathLike[str]) -> BufferedReader | BytesIO:
    """A file to be read, such as an earlier output that may be replaced.

    Raises:
        StorageError: it is a pipe, a device or a socket, or no system has a file of this name.
        OSError: it cannot be opened.
    """
    name = fspath(path)
    if refusal := no_name(name) or system.device_refusal(name):
        raise StorageError(f"{printable(name)}: {refusal}")
    file = system.opened(name)
    status = os.fstat(file.fileno())
    if stat.S_ISREG(status.st_mode) and status.st_size:
        return file
    file.close()
    # A file of the kernel's, which says that it is empty, may never end, and is not read.
    if not stat.S_ISREG(status.st_mode):
        raise StorageError(f"{printable(name)}: a pipe or a device, and must be a file; a scenario may be - instead")
    return BytesIO()


def open_input(path: str | PathLike[str]) -> BufferedReader | BytesIO:
    """The same for an input: neither it nor a folder that it is in may be replaced by an output."""
    file = open_regular(path)
    with ExitStack() as closing:
        closing.callback(file.close)
        if (inputs := _inputs.get()) is not None:
            with suppress(OSError):  # a folder above that cannot be looked at
                real = Path(os.path.realpath(path))
                inputs += [one.stat() for one in (real, *real.parents)]
        closing.pop_all()
    return file


def read_input(path: str | PathLike[str], most: int) -> bytes:
    """The bytes of an input; StorageError where there are more than this many, or it cannot be read."""
    name = printable(fspath(path))
    try:
        with open_input(path) as file:
            content = file.read(most + 1)
    except OSError as error:
        raise StorageError(f"{name}: {error.strerror or error}") from None
    if len(content) > most:
        raise StorageError(f"{name}: more than {most // 1000:,} kB")
    return content


@contextmanager
def parsing(name: str, reason: str = "") -> Iterator[None]:
    """Turn whatever a library raises about the content of a file into a ScenarioError about `name`, with a reason."""
    try:
        yield
    except (BoidsgenError, MemoryError):
        raise
    except Exception as error:  # each library has its own, and says nowhere which
        if isinstance(error, OSError) and error.errno not in {None, errno.EINVAL}:  # of the system, not of a library
            raise StorageError(f"{name}: {error.strerror}") from error
        told = reason or str(error).partition("\n")[0] or type(error).__name__
        raise ScenarioError([f"{name}: is damaged: {printable(told)}"]) from None


def remember_standard_input() -> None:
    """Protect the file that standard input reads, if it is one."""
    with suppress(OSError):
        status = os.fstat(0)
        if (inputs := _inputs.get()) is not None and stat.S_ISREG(status.st_mode):
            inputs.append(status)


def refuse_input(path: str) -> None:
    """Raise UsageError if an output is also an input."""
    opened = descriptor(path)
    try:
        status = Path(path).stat() if opened is None else os.fstat(opened)
    except (OSError, ValueError):
        return
    if any(os.path.samestat(status, one) for one in _inputs.get() or ()):
        raise UsageError(f"{path}: is already an input; give each output its own name")


def no_name(path: str) -> str:
    """Reason why no system has a file of this name; empty for any other."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return "a file name cannot contain half a character"
    return "a file name cannot contain NUL" if "\0" in path else ""


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
