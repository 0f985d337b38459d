"""Windows; see `boidsgen.system` for what each name means.

A claim is a mutex of the kernel named after the file or folder: it needs no open file, so what is claimed can be
renamed, and the kernel takes it back when the process ends. Children stand in a job that ends with its last handle,
which is ours. A file that another program has open can be neither replaced nor removed, so that is
tried again for a while.
"""

import _thread
import ctypes
import errno
import hashlib
import io
import msvcrt
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from ctypes import wintypes
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

assert sys.platform == "win32"  # noqa: S101  tells type checkers whose names these are

from boidsgen.system.windows_holders import in_the_way  # noqa: E402  types are checked only behind that line
from boidsgen.system.windows_names import device_refusal, meant_by, name_refusal, quoted  # noqa: E402  types are checked only behind that line

__all__ = [
    "RAISING",
    "STOPPING",
    "Claim",
    "Directory",
    "adopt",
    "child_options",
    "claim",
    "claim_abandoned",
    "create",
    "device_refusal",
    "exchange",
    "flush",
    "forget",
    "give_way",
    "handed_over",
    "in_the_way",
    "interrupt",
    "is_held",
    "kill",
    "limit_met",
    "meant_by",
    "memory_file",
    "name_refusal",
    "nobody_reads",
    "on_closing",
    "open_pipe",
    "quoted",
    "recall",
    "replace",
    "replacement_refusal",
    "to_bytes",
    "usable_cores",
    "writer",
]

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK)
RAISING = (*STOPPING, signal.SIGABRT)

PATIENCE = 3.0
"""Seconds to wait for a program that holds a file open."""
CLOSING = 4.0
"""Seconds that cleaning up may take when the console is closed; after five Windows ends the process."""

_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel.CreateMutexW.restype = wintypes.HANDLE
_kernel.CreateMutexW.argtypes = (ctypes.c_void_p, wintypes.BOOL, wintypes.LPCWSTR)
_kernel.CreateJobObjectW.restype = wintypes.HANDLE
_kernel.CreateJobObjectW.argtypes = (ctypes.c_void_p, wintypes.LPCWSTR)
_kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
_kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
_kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
_kernel.GetCurrentProcess.restype = wintypes.HANDLE
_kernel.SetPriorityClass.argtypes = (wintypes.HANDLE, wintypes.DWORD)

_ALREADY_EXISTS = 183
_EXTENDED_LIMITS, _KILL_ON_CLOSE = 9, 0x2000
_SHARING_VIOLATIONS = {5, 32, 33}


@dataclass(frozen=True, slots=True)
class Claim:
    """A file or folder that this process has for itself.

    Attributes:
        handle: of the mutex.
    """

    handle: int

    def release(self) -> None:
        """Let others have it."""
        _kernel.CloseHandle(self.handle)


class Directory:
    """A directory; the system lets nobody rename it while a file in it is open."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def delete(self, name: str) -> None:
        """Delete a file or folder in it, if it is there. Raises OSError."""
        with suppress(FileNotFoundError):
            path = self._path / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def release(self) -> None:
        """Nothing is held."""


def claim(path: Path) -> Claim | None:
    """Mark a file or folder as in use; None where a living process has it, or where it is not there. Raises OSError."""
    handle = _kernel.CreateMutexW(None, 0, _mutex(path))
    taken = ctypes.get_last_error() == _ALREADY_EXISTS
    if not handle:
        raise ctypes.WinError(ctypes.get_last_error())
    claimed = Claim(handle)
    try:
        mine = not taken and os.path.lexists(path)
    except BaseException:  # memory ended, or a signal came: nobody would ever give it back
        claimed.release()
        raise
    if mine:
        return claimed
    claimed.release()
    return None


def claim_abandoned(path: Path) -> Claim | None:
    """Mark what no living process has. Raises OSError."""
    return claim(path)


def create(path: Path) -> None:
    """A new empty file. Raises OSError."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_BINARY))


def flush(path: Path) -> None:
    """Wait until a file is on the disk; the names in a folder are kept in a journal. Raises OSError."""
    if path.is_dir():
        return
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def exchange(one: Path, other: Path) -> bool:
    """Two names cannot change places in one step here."""
    del one, other
    return False


def replace(part: Path, final: Path) -> None:
    """Give a complete file its name, trying again while another program holds it open. Raises OSError."""
    pause, waited = 0.01, 0.0
    while True:
        try:
            part.replace(final)
        except OSError as error:
            if error.winerror not in _SHARING_VIOLATIONS or waited >= PATIENCE:
                raise
        else:
            return
        time.sleep(pause)
        waited, pause = waited + pause, min(2 * pause, 0.5)


def replacement_refusal(path: Path) -> str | None:
    """Why the system would not replace what stands at a path: whoever has it open is known only when one tries."""
    try:
        attributes = path.stat().st_file_attributes
    except OSError:  # nothing is there, or whoever opens it will be told
        return None
    return "is read-only" if attributes & stat.FILE_ATTRIBUTE_READONLY and not path.is_dir() else None


def open_pipe(path: str) -> int | None:
    """A pipe, open for writing. Raises OSError."""
    return os.open(path, os.O_WRONLY | os.O_BINARY)


class _Pipe(io.FileIO):
    """What a descriptor stands for; the C runtime calls a pipe without a reader an invalid argument."""

    def write(self, content: "ReadableBuffer", /) -> int:
        try:
            return super().write(content)
        except OSError as error:
            if not nobody_reads(error):
                raise
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)) from None


def writer(descriptor: int) -> BinaryIO:
    """An open file or pipe to write bytes to; a pipe without a reader raises BrokenPipeError."""
    return io.BufferedWriter(_Pipe(descriptor, "wb"))


def nobody_reads(error: OSError) -> bool:
    """Whether the reader of a pipe has gone: the C runtime has two numbers for it."""
    return error.errno in {errno.EPIPE, errno.EINVAL}


def limit_met(error: OSError) -> str:
    """Processes have no such limits here."""
    del error
    return ""


def memory_file() -> BinaryIO | None:
    """There are none."""
    return None


def is_held(error: OSError) -> bool:
    """Whether another program that has a file open is why it could not be replaced."""
    return error.winerror in _SHARING_VIOLATIONS


def child_options(*claims: Claim) -> Mapping[str, Any]:
    """How to start a child without a window, in a group of its own: Ctrl-C is for us alone."""
    for shared in claims:
        os.set_handle_inheritable(shared.handle, True)  # noqa: FBT003  the system's own function
    handles = [shared.handle for shared in claims]
    return {
        "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW,
        "startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles}),
    }


def adopt(process: "subprocess.Popen[bytes]") -> None:
    """Put a child into the job that ends with us."""
    _kernel.AssignProcessToJobObject(_job(), int(process._handle))  # type: ignore[attr-defined]  # noqa: SLF001  the only way to its handle


def kill(process: "subprocess.Popen[bytes]") -> None:
    """End a child; it has started no others."""
    with suppress(OSError):
        process.kill()


@contextmanager
def handed_over(text: bytes, beside: Path, *claims: Claim) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The name of a file next to `beside` that holds the text while the block lasts."""
    del claims  # the child ends with us, so ours are enough
    # Without a console, even a hidden one: whatever shows that would inherit our pipe, and may outlive the child.
    alone = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS}
    path, claimed = beside.with_suffix(".text.part"), None
    try:
        path.write_bytes(text)
        claimed = claim(path)
        yield f"file:{path.absolute()}", {**child_options(), **alone}
    finally:
        try:
            _remove(path)
        except BaseException:  # a signal came, and the file may still be there
            _remove(path)
            raise
        finally:
            if claimed:
                claimed.release()


def _remove(path: Path) -> None:
    with suppress(OSError, MemoryError):
        path.unlink()


def give_way() -> None:
    """Run when the processor is idle."""
    _kernel.SetPriorityClass(_kernel.GetCurrentProcess(), subprocess.IDLE_PRIORITY_CLASS)


def interrupt(number: int) -> None:
    """Let the main thread hear a signal; to send one would end this process."""
    _thread.interrupt_main(signal.Signals(number))


_later: list[threading.Timer] = []


def recall(seconds: float, action: Callable[[], object]) -> None:
    """Call `action` in the main thread a moment later; what it raises is raised there."""
    signal.signal(signal.SIGABRT, lambda *_: action())
    timer = threading.Timer(seconds, _thread.interrupt_main, (signal.SIGABRT,))
    timer.daemon = True
    _later.append(timer)
    timer.start()


def forget() -> None:
    """Call nothing later."""
    while _later:
        _later.pop().cancel()
    signal.signal(signal.SIGABRT, signal.SIG_DFL)


@contextmanager
def on_closing(action: Callable[[], object]) -> Iterator[None]:
    """Let `action` begin the cleaning up when the console is closed, and hold the closing back until it is done."""
    done = threading.Event()

    def closing(kind: int) -> bool:
        if kind < signal.CTRL_BREAK_EVENT + 1:  # Ctrl-C and Ctrl-Break are signals
            return False
        action()
        done.wait(CLOSING)
        return True

    handler = ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.DWORD)(closing)
    _kernel.SetConsoleCtrlHandler(handler, 1)
    try:
        yield
    finally:
        done.set()
        _kernel.SetConsoleCtrlHandler(handler, 0)


def usable_cores() -> int:
    """How many processors this process may use."""
    return os.cpu_count() or 1


def to_bytes(descriptor: int) -> int:
    """The descriptor, no longer turning line feeds into carriage returns."""
    msvcrt.setmode(descriptor, os.O_BINARY)
    return descriptor


def _mutex(path: Path) -> str:
    name = os.path.normcase(os.path.realpath(path))
    return f"boidsgen-{hashlib.sha256(name.encode('utf-16', 'surrogatepass')).hexdigest()[:40]}"


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, of which only the flags matter here."""

    _fields_ = (
        ("times", ctypes.c_int64 * 2),
        ("flags", wintypes.DWORD),
        ("working_set", ctypes.c_size_t * 2),
        ("processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("classes", wintypes.DWORD * 2),
        ("transfers", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    )


_jobs: list[int] = []


def _job() -> int:
    """The job of all our children, made for the first of them."""
    if not _jobs:
        job = _kernel.CreateJobObjectW(None, None)
        limits = _Limits(flags=_KILL_ON_CLOSE)
        _kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
        _jobs.append(job)
    return _jobs[0]
