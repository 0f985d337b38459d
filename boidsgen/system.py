"""Differences between Linux, macOS and Windows, input files, and the names of outputs.

No other module checks which system it runs on. Each function means the same everywhere; where a system lacks something,
its docstring describes the fallback.

Every file that is read is opened by `open_regular`, and no output replaces an input. An input is a regular file: a pipe
or a device might never end. Inputs within a block of `guard_inputs` are remembered, and outputs are compared with them
by device and inode.
"""

import errno
import glob
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from io import BufferedReader, BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from boidsgen.errors import BoidsgenError, ScenarioError, StorageError, UsageError, printable

if sys.platform == "win32":
    STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK)
else:
    STOPPING = (
        *(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU, signal.SIGUSR1),
        *(signal.SIGUSR2, signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF),
    )
"""The signals that ask a program to stop."""

IN_BROWSER = sys.platform == "emscripten"
"""Python in a browser, as by Pyodide: a process has one thread, and starts no other program."""

FILE_PATIENCE = 3.0  # Seconds to wait on Windows for a program that has a file open

_SHARING_VIOLATIONS = {5, 32, 33}  # access denied, sharing violation, lock violation
_CURRENT, _EXCHANGE = -100, 2  # Of Linux: relative to the current directory; two names change places
_LIMITS = {
    errno.EMFILE: ("RLIMIT_NOFILE", "open files", "-n", 1),
    errno.EAGAIN: ("RLIMIT_NPROC", "processes and threads", "-u", 1),
    errno.EFBIG: ("RLIMIT_FSIZE", "the size of a file in kB", "-f", 1024),
    errno.ENOMEM: ("RLIMIT_AS", "memory in kB", "-v", 1024),
}
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³])\s*([.:].*)?", re.IGNORECASE)
"""Windows looks no further than to the first dot when it looks for a device."""
_FORBIDDEN = re.compile(r'[<>:"|?*\0-\x1f]|[. ]$|(?<=.{255}).', re.DOTALL)


# Signals


@contextmanager
def defer_signals() -> Iterator[None]:
    """Hold signals that ask to stop back until the block ends. Only the main thread receives any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    handlers = {number: handler for number in STOPPING if callable(handler := signal.getsignal(number))}
    for number in handlers:
        signal.signal(number, lambda number, _: received.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for late in received:
            signal.raise_signal(late)


def signal_name(number: int) -> str:
    """Name of a signal, or its number where this system has none of that number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def interrupt(number: signal.Signals) -> None:
    """Let the main thread receive a signal, from any thread."""
    if sys.platform == "win32":
        import _thread  # noqa: PLC0415  `os.kill` would end this process there

        _thread.interrupt_main(number)
    else:
        os.kill(os.getpid(), number)


# Files


def opened(path: str) -> BufferedReader:
    """A file to be read; the opening of a pipe does not wait for its writer. Raises OSError."""
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0)))


def flush(path: Path) -> None:
    """Wait until a file, or the names in a directory, are on the disk. Raises OSError."""
    if sys.platform == "win32" and path.is_dir():  # NTFS keeps names in a journal
        return
    descriptor = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def reopened(descriptor: int, path: Path) -> Path:
    """A name by which another program opens this very file, whatever is at its path by then; its path without /proc."""
    name = Path(f"/proc/{os.getpid()}/fd/{descriptor}")
    return name if name.exists() else path.absolute()


def copy_attributes(original: Path, copy: Path) -> None:
    """Give a file the owner, permissions and attributes of another, but its own times. Raises OSError."""
    if sys.platform != "win32":  # where the folder decides who owns a file
        found = original.stat()
        os.chown(copy, found.st_uid, found.st_gid)
    shutil.copystat(original, copy)
    os.utime(copy)  # whoever watches the file shall see that it has changed


def replace(temporary: Path, final: Path) -> None:
    """Rename in one step, over an existing file; on Windows wait a moment for programs that have it open.

    Raises:
        OSError: the system refuses.
    """
    give_up = time.monotonic() + FILE_PATIENCE
    while True:
        try:
            temporary.replace(final)
        except OSError as error:
            if not is_held(error) or time.monotonic() > give_up:
                raise
        else:
            return
        time.sleep(0.05)


def exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two files in one step; False where that cannot be done, as on other systems than Linux."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415  hardly anybody needs it

    rename = getattr(ctypes.CDLL(None), "renameat2", None)  # some C libraries lack it
    return rename is not None and not rename(_CURRENT, os.fsencode(one), _CURRENT, os.fsencode(other), _EXCHANGE)


def is_held(error: OSError) -> bool:
    """True if a file could not be replaced because another program has it open, which only Windows cares about."""
    return getattr(error, "winerror", None) in _SHARING_VIOLATIONS


def is_protected(path: Path) -> bool:
    """True if a file is read-only in a way that prevents its replacement, as on Windows."""
    return sys.platform == "win32" and path.is_file() and not os.access(path, os.W_OK)


def binary(descriptor: int) -> int:
    """The same descriptor, in binary mode: those of Windows would turn line feeds into carriage returns."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415  no other system has it

        msvcrt.setmode(descriptor, os.O_BINARY)
    return descriptor


def is_broken_pipe(error: OSError) -> bool:
    """True if the reader of a pipe has gone, for which the C runtime of Windows has two numbers."""
    return error.errno in ({errno.EPIPE, errno.EINVAL} if sys.platform == "win32" else {errno.EPIPE})


def limit_met(error: OSError) -> str:
    """The resource limit behind an error, to be appended to a message; empty where there is none, as on Windows."""
    if sys.platform == "win32" or IN_BROWSER or error.errno not in _LIMITS:
        return ""
    import resource  # noqa: PLC0415  Windows and browsers lack it

    name, what, option, unit = _LIMITS[error.errno]
    allowed = resource.getrlimit(getattr(resource, name))[0]
    if allowed == resource.RLIM_INFINITY:
        return ""
    return f" (the limit of {what} is {allowed // unit}: ulimit {option})"


# Processes


def child_options() -> dict[str, Any]:
    """Options of Popen for a child without a window in a process group of its own: Ctrl-C is for the parent alone."""
    if sys.platform == "win32":
        # With a console, even a hidden one, the process that shows it would inherit the pipe and outlive the child.
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS}
    # At the limit of a file's size the child shall report an error rather than be killed.
    return {"process_group": 0, "restore_signals": False}


def kill(process: "subprocess.Popen[bytes]") -> None:
    """End a child; except on Windows also everything that it has started."""
    with suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def usable_cores() -> int:
    """Number of processors that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return 1 if IN_BROWSER else os.cpu_count() or 1


# Docstrings


def docstring(thing: type | Callable[..., object]) -> str:
    """The docstring of a class or function; from its source where `python -OO` has taken it away."""
    import ast  # noqa: PLC0415  hardly anybody needs it
    import inspect  # noqa: PLC0415
    from textwrap import dedent  # noqa: PLC0415

    found = thing.__doc__
    if found is None:
        with suppress(OSError, TypeError):  # made by a call: it has none
            (node,) = ast.parse(dedent(inspect.getsource(thing))).body
            found = ast.get_docstring(node) if isinstance(node, ast.ClassDef | ast.FunctionDef) else None
    return inspect.cleandoc(found or "")


# Names


def quoted(word: str) -> str:
    """A word as one would type it on a command line."""
    return subprocess.list2cmdline([word]) if sys.platform == "win32" else shlex.quote(word)


def expand_wildcards(word: str) -> list[str]:
    """The files that a word on a command line means; elsewhere than on Windows the shell has expanded it already."""
    if sys.platform != "win32" or not {"*", "?"} & {*word}:
        return [word]
    return sorted(glob.glob(word.replace("[", "[[]"))) or [word]  # noqa: PTH207  names stay as they are written


def name_refusal(path: str) -> str | None:
    """Reason why Windows would not make a file of this name; None on other systems."""
    if sys.platform != "win32":
        return None
    drive, rest = os.path.splitdrive(path)
    names = re.split(r"[/\\]", rest if not drive or rest[:1] in {"", "/", "\\"} else path)
    if any(_FORBIDDEN.search(name) for name in names if name not in {".", ".."}):
        return 'a name on Windows has no <>:"|?*, no dot or space at its end, and at most 255 letters'
    return device_refusal(path)


def device_refusal(path: str) -> str | None:
    """Reason why a name on Windows means a device, which might be read for ever; None on other systems."""
    if sys.platform == "win32":
        names = re.split(r"[/\\]", os.path.splitdrive(path)[1])
        if path.replace("/", "\\").startswith("\\\\.\\") or any(_DEVICE.fullmatch(name.strip()) for name in names):
            return "is the name of a device on Windows; choose another name"
    return None


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
    if refusal := no_name(name) or device_refusal(name):
        raise StorageError(f"{printable(name)}: {refusal}")
    file = opened(name)
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
    reason = no_name(path) or ("is kept for temporary folders" if is_leftover(Path(path)) else name_refusal(path))
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
