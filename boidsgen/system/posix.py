"""Linux and macOS; see `boidsgen.system` for what each name means.

A claim is a lock of the kernel on the file or folder itself, which a child shares through the descriptor it inherits.
"""

import errno
import fcntl
import io
import os
import re
import resource
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

assert sys.platform != "win32"  # noqa: S101  tells type checkers whose names these are

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

STOPPING = (
    *(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU, signal.SIGUSR1, signal.SIGUSR2),
    *(signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF),
)
RAISING = STOPPING

_AT_THE_WORKING_DIRECTORY, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS


_FLAGS, _IMMUTABLE, _APPEND_ONLY = 0x80086601, 0x10, 0x20  # FS_IOC_GETFLAGS of Linux, and two of them
_LIMITS = {
    errno.EMFILE: ("RLIMIT_NOFILE", "open files", "-n", 1),
    errno.EAGAIN: ("RLIMIT_NPROC", "processes and threads", "-u", 1),
    errno.EFBIG: ("RLIMIT_FSIZE", "the size of a file in kB", "-f", 1024),
    errno.ENOMEM: ("RLIMIT_AS", "memory in kB", "-v", 1024),
}


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


class Directory:
    """A directory that is found again whatever it is called meanwhile. Raises OSError when it cannot be opened."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)

    def delete(self, name: str) -> None:
        """Delete a file or folder in it, if it is there. Raises OSError."""
        with suppress(FileNotFoundError):
            status = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                shutil.rmtree(name, dir_fd=self._descriptor)
            else:
                os.unlink(name, dir_fd=self._descriptor)

    def release(self) -> None:
        """Let it go; harmless the second time."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


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
    import ctypes  # noqa: PLC0415  `--help` must not wait for it

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


def meant_by(word: str) -> list[str]:
    """The word itself: shells have replaced wildcards by the names that they mean."""
    return [word]


def replacement_refusal(path: Path) -> str | None:
    """Why the system would not replace what stands at a path, as far as it tells before one tries."""
    try:
        status, above = path.lstat(), path.parent.stat()
    except OSError:  # nothing is there, or whoever opens it will be told
        return None
    if _is_mount_point(path):
        return "is a mount point, which cannot be replaced"
    if os.geteuid() and above.st_mode & stat.S_ISVTX and os.geteuid() not in {status.st_uid, above.st_uid}:
        return "belongs to somebody else, in a directory where only owners may replace what is theirs (sticky)"
    if _is_immutable(path) or _is_immutable(path.parent):
        return "must not be changed (chattr +i or +a)"
    return None


def _is_mount_point(path: Path) -> bool:
    try:
        mounts = Path("/proc/self/mountinfo").read_bytes()
    except OSError:
        return path.is_mount()
    name = re.sub(rb"[\x00-\x20\\]", lambda match: b"\\%03o" % match[0][0], os.fsencode(path))
    return any(line.split(b" ", 5)[4:5] == [name] for line in mounts.splitlines())


def _is_immutable(path: Path) -> bool:
    status = path.stat()
    if sys.platform == "darwin":
        return bool(status.st_flags & (stat.UF_IMMUTABLE | stat.UF_APPEND | stat.SF_IMMUTABLE | stat.SF_APPEND))
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        return False
    flags = bytearray(8)
    with suppress(OSError):  # it cannot be read, or the file system has no such flags
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            fcntl.ioctl(descriptor, _FLAGS, flags)
        finally:
            os.close(descriptor)
    return bool(int.from_bytes(flags[:4], sys.byteorder) & (_IMMUTABLE | _APPEND_ONLY))


def open_pipe(path: str) -> int | None:
    """A named pipe, open for writing; None while nobody reads from it. Raises OSError."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return None
    os.set_blocking(descriptor, True)
    return descriptor


def writer(descriptor: int) -> BinaryIO:
    """An open file or pipe to write bytes to."""
    return os.fdopen(descriptor, "wb")


def nobody_reads(error: OSError) -> bool:
    """Whether the reader of a pipe has gone."""
    return isinstance(error, BrokenPipeError)


def limit_met(error: OSError) -> str:
    """The limit of this process that an error is about, in words; empty where there is none."""
    if error.errno not in _LIMITS:
        return ""
    name, what, option, unit = _LIMITS[error.errno]
    allowed = resource.getrlimit(getattr(resource, name))[0]
    if allowed == resource.RLIM_INFINITY:
        return ""
    return f" (the limit of {what} is {allowed // unit}: ulimit {option})"


def memory_file() -> BinaryIO | None:
    """A file in memory, to write to and read from; None on macOS, and where the limit of open files is reached."""
    if not hasattr(os, "memfd_create"):
        return None
    try:
        descriptor = os.memfd_create("boidsgen")
    except OSError:
        return None
    return cast("BinaryIO", io.FileIO(descriptor, "w+b"))


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
    from tempfile import TemporaryFile  # noqa: PLC0415  likewise

    del beside
    with TemporaryFile() as file:
        file.write(text)
        file.seek(0)
        options = child_options(*claims)
        yield f"pipe:{file.fileno()}", {**options, "pass_fds": (*options["pass_fds"], file.fileno())}


def quoted(word: str) -> str:
    """A word as it would be typed in a shell."""
    return shlex.quote(word)


def give_way() -> None:
    """Let all others have the processor first."""
    os.nice(19)


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


def device_refusal(path: str) -> str | None:
    """Devices have names of their own here, and may be read from."""
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
