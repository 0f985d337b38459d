"""Everything that differs between Linux, macOS and Windows.

No other module checks which system it runs on. Each function means the same everywhere; where a system lacks
something, its docstring says what happens instead.
"""

import errno
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import Any

if sys.platform == "win32":
    STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK)
else:
    STOPPING = (
        *(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU, signal.SIGUSR1),
        *(signal.SIGUSR2, signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF),
    )
"""The signals that ask a program to stop."""

PATIENCE = 3.0  # Seconds to wait on Windows for a program that has a file open

_SHARING_VIOLATIONS = {5, 32, 33}  # access denied, sharing violation, lock violation
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
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            temporary.replace(final)
        except OSError as error:
            if not is_held(error) or time.monotonic() > give_up:
                raise
        else:
            return
        time.sleep(0.05)


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
    if sys.platform == "win32" or error.errno not in _LIMITS:
        return ""
    import resource  # noqa: PLC0415  Windows lacks it

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
    return os.cpu_count() or 1


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
