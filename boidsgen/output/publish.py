"""Publication: every file is written through here, and an output gets its name only when it is complete.

A destination gives its writer a temporary file or folder in a private folder (`.boidsgen-NAME-….part`) beside the
output. `publish` flushes that and renames it, so that the name always holds the old output or the complete new one;
`discard` removes whatever was not published. Bytes go through the descriptor that made the file, and what is renamed or
removed must be what was made, whatever has its name by then.
"""

import errno
import os
import shutil
import stat
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile, gettempdir
from typing import IO, BinaryIO, ClassVar, Literal

from typing_extensions import override

from boidsgen import plugins, system
from boidsgen.errors import LimitError, OutputExistsError, StorageError, UsageError
from boidsgen.system import PREFIX, STANDARD_OUTPUT, SUFFIX, descriptor, open_regular, refuse_input, refuse_name

Makes = Literal["stream", "file", "folder"]
"""Kind of output: bytes written front to back, a file that is revised while it grows, or a folder of files."""

_LETTERS_OF_NAME = 40
LOCK = ".boidsgen.lock"  # In a directory of a sweep
SAVED = "was saved in an editor meanwhile, and nothing was written; look at the new page, and write again"

_temporaries: "dict[Path, Destination]" = {}  # Private folders that exist, each with its output


@contextmanager
def storing(name: str) -> Iterator[None]:
    """Turn an OSError within the block into a StorageError about `name`, or a LimitError where memory is missing."""
    try:
        yield
    except OSError as error:
        if plugins.complaint(error):
            raise
        if error.errno == errno.ENOMEM:
            raise LimitError(f"{name}: not enough memory{system.limit_met(error)}") from error
        raise StorageError(f"{name}: {error.strerror or error}{system.limit_met(error)}") from error


def foreign_file(folder: Path, is_own: Callable[[Path], bool]) -> str | None:
    """The first name in a folder that is no frame which boidsgen wrote; may raise OSError."""
    for entry in sorted(folder.iterdir()):
        if not (stat.S_ISREG(entry.lstat().st_mode) and is_own(entry)):
            return entry.name
    return None


def remove_temporaries() -> None:
    """Remove what is left of this process's temporary files, wherever it was interrupted."""
    for folder in [*_temporaries]:
        with suppress(OSError, MemoryError):
            _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a private folder of this process, and no other that has its name by now."""
    with suppress(FileNotFoundError):
        if folder in _temporaries and os.path.samestat(_temporaries[folder].private, folder.lstat()):
            shutil.rmtree(folder)
    _temporaries.pop(folder, None)


def _forget() -> None:
    """Let a forked child neither remove what its parent makes, nor write what was buffered when it was forked."""
    files = [file.fileno() for destination in _temporaries.values() for file in destination.files if not file.closed]
    _temporaries.clear()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in files:
        os.dup2(nowhere, number)
    os.close(nowhere)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


class Destination(ABC):
    """One output on its way, in a private folder beside it, with the permissions of the user's umask.

    Attributes:
        name: display name for messages.
        path: the temporary file or folder to be filled; only a name for messages where bytes are streamed.
        files: open files that a forked child must leave alone; that at `path` is the first.
        private: identity of the folder around `path`.
        readable: whether the complete output can be read at `path` before it is published.
        replaces: whether it takes a name. Of several outputs, those that do are published last: to copy may fail.
    """

    replaces: ClassVar[bool] = True
    readable = True

    _private = Path()

    def __init__(self, name: str, final: Path, *more: IO[bytes], folder: bool = False) -> None:
        letters = f"{final.name[:_LETTERS_OF_NAME]}-{os.urandom(6).hex()}"
        self._private = final.parent / f"{PREFIX}{letters}{SUFFIX}"
        self.name, self.path, self.files = name, self._private / "output", [*more]
        try:
            with system.defer_signals():
                self._private.mkdir(0o700)
                self.private, _temporaries[self._private] = self._private.lstat(), self
            if folder:
                self.path.mkdir()
            else:
                self.files.insert(0, self.path.open("x+b", buffering=0))
            self._made = self.path.lstat()
        except BaseException as error:
            self.discard()
            if isinstance(error, FileNotFoundError):
                raise StorageError(f"{name}: there is no directory {final.parent}; create it first") from None
            if isinstance(error, OSError):
                raise StorageError(f"{name}: cannot write in {final.parent}: {error.strerror}") from error
            raise

    def open(self) -> BinaryIO:
        """The file, ready to be written from its start. A format that streams uses only this, and no `path`."""
        file = os.fdopen(os.dup(self.files[0].fileno()), "r+b")  # its path may lead elsewhere by now
        self.files.append(file)
        return file

    @property
    def shared(self) -> Path:
        """Name of the file for libraries and programs that open it themselves."""
        return system.reopened(self.files[0].fileno(), self.path)

    @abstractmethod
    def publish(self) -> None:
        """Give the complete output its name. Raises OSError, StorageError or OutputExistsError."""

    def add(self, name: str, content: bytes) -> Path:
        """Put a file into an output that is a folder, or beside one that is a file, where it is removed in the end."""
        path = self.path / name if self.path.is_dir() else self.path.with_name(name)
        with path.open("xb") as file:
            file.write(content)
        return path.absolute()

    def scratch(self) -> IO[bytes]:
        """A nameless file for what is needed until the end, on the disk of the output, unless that is a stream."""
        place = self._private if self._private.name else None
        self.files.append(TemporaryFile(dir=place, buffering=0))  # noqa: SIM115  closed by discard
        return self.files[-1]

    def discard(self) -> None:
        """Remove everything but what is published. May be called at any time."""
        for file in self.files:  # Windows would not remove them
            with suppress(OSError, MemoryError):
                file.close()
        with suppress(OSError, MemoryError):
            _remove(self._private)

    def _refuse_swapped(self) -> None:
        """Raise StorageError where another program has put something else in the place of what was made."""
        if not os.path.samestat(self._made, self.path.lstat()):
            raise StorageError(f"{self.name}: another program replaced its temporary file; nothing is published")


def open_destination(
    path: str, makes: Makes, *, no_clobber: bool, is_own: Callable[[Path], bool] = lambda _: False
) -> Destination:
    """The destination at `path`, ready to be written to; whoever opens it discards it in the end.

    Symbolic links are followed. Pipes, devices and standard output are written to directly; `no_clobber` means nothing
    to them.

    Args:
        path: as the user wrote it; "-" is standard output.
        makes: the kind of output that the format makes.
        no_clobber: leave an existing file or folder as it is.
        is_own: whether a file was written by boidsgen; a folder with any other is refused.

    Raises:
        StorageError: it cannot be written there.
        OutputExistsError: it exists, under `no_clobber`.
        UsageError: the format does not go there, or the command reads from there.
    """
    refuse_name(path)
    refuse_input(path)
    opened = descriptor(path)
    name = "standard output" if path == STANDARD_OUTPUT else path
    with storing(name):
        try:
            mode = Path(path).stat().st_mode
        except FileNotFoundError:
            mode = None
        if makes == "folder":
            if opened is not None:
                raise UsageError(f"{name}: pictures cannot be streamed; name a folder, or choose another format")
            if mode is not None and not stat.S_ISDIR(mode):
                raise StorageError(f"{name}: is not a directory; pictures go into one")
            return _Folder(name, is_own, no_clobber=no_clobber)
        if opened is not None or (mode is not None and (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode))):
            return _Stream(name, path, opened, copied=makes == "file")
        if mode is None or stat.S_ISREG(mode):
            return _File(name, no_clobber=no_clobber)
    what = "is a directory; name a file in it" if stat.S_ISDIR(mode) else "is neither a file nor a pipe"
    raise StorageError(f"{path}: {what}")


def make_folder(path: str) -> None:
    """Make a folder, and those above it; StorageError where that cannot be done."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = "a file or a dangling link has this name" if isinstance(error, FileExistsError) else error.strerror
        raise StorageError(f"{path}: cannot make this directory: {what}") from error


def scratch_folder(within: Path | None = None) -> "TemporaryDirectory[str]":
    """A folder for files that nobody named, by default in TMPDIR; use it as a context manager."""
    return TemporaryDirectory(SUFFIX, PREFIX, within)


def open_log(path: Path) -> BinaryIO:
    """A file of ours that grows line by line, open for reading, too. Raises OSError."""
    return path.open("a+b")


def refuse_foreign(folder: Path, names: Iterable[str], is_own: Callable[[Path], bool], advice: str) -> None:
    """Raise StorageError where a file of a folder, about to be replaced, is not ours, or a link leads elsewhere."""
    for name in names:
        path = folder / name
        with storing(str(path)):
            linked = any(one.is_symlink() for one in [path, *path.parents][: len(Path(name).parts)])
            if linked or (path.exists() and not is_own(path)):
                raise StorageError(f"{path}: was not made by boidsgen, and would be replaced; {advice}")


@contextmanager
def lock_directory(
    directory: Path, names: Sequence[str], is_own: Callable[[Path], bool], advice: str
) -> Iterator[None]:
    """Make the directory of a sweep if need be, check that it is writable, and keep other sweeps out of it.

    The lock is one of the system's: it ends with this process, however that ends.

    Raises:
        StorageError: the directory cannot be made or written to, is locked already, or has a foreign file of a name.
        UsageError: a file of a name is an input.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415  takes 50 ms, which workers can do without

    refuse_foreign(directory, [LOCK], lambda path: not path.stat().st_size, "choose another directory")
    lock = FileLock(directory / LOCK)
    try:
        directory.mkdir(exist_ok=True)
        lock.acquire(blocking=False)
    except OSError as error:
        reasons = {
            Timeout: "another sweep is running in this directory; wait for it",
            FileNotFoundError: f"there is no directory {directory.parent}; create it first",
            FileExistsError: "is not a directory; the outputs of a sweep go into one",
        }
        reason = reasons.get(type(error)) or error.strerror or error
        raise StorageError(f"{directory}: {reason}") from None
    try:
        for name in names:
            refuse_input(str(directory / name))
        refuse_foreign(directory, names, is_own, advice)
        yield
    finally:
        with suppress(OSError):  # Windows removes it on release
            (directory / LOCK).unlink()  # while it is locked: whoever waits for it notices that the file is gone
        lock.release()


_together: ContextVar[list[Destination] | None] = ContextVar("together", default=None)


@contextmanager
def together() -> Iterator[None]:
    """Publish all files of a block by `open_file` when it ends, and none of them if it raises."""
    destinations = list[Destination]()
    token = _together.set(destinations)
    try:
        yield
        for one in sorted(destinations, key=lambda one: one.replaces):
            with storing(one.name):
                one.publish()
    finally:
        _together.reset(token)
        for one in destinations:
            one.discard()


@contextmanager
def open_file(
    path: str, makes: Makes = "file", *, no_clobber: bool = False, edits: bytes | None = None
) -> Iterator[BinaryIO]:
    """A file for bytes that is under its name when the block ends, and leaves no trace if the block raises.

    Args:
        path: as the user wrote it.
        makes: the kind of output.
        no_clobber: leave an existing file as it is.
        edits: the content of the user's own file, which is replaced only if it still has this content in the end.

    Raises:
        OutputExistsError: it exists, under `no_clobber`.
        StorageError: it cannot be written; also while writing and at the end.
        UsageError: standard output is a terminal, or the command reads from this file.
    """
    destination = _Edited(path, edits) if edits is not None else open_destination(path, makes, no_clobber=no_clobber)
    others = _together.get()
    if others is not None:
        others.append(destination)
    try:
        with storing(destination.name):
            with destination.open() as file:
                yield file
            if others is None:
                destination.publish()
    finally:
        if others is None:
            destination.discard()


class _File(Destination):
    """A regular file, new or to be replaced."""

    def __init__(self, name: str, *, no_clobber: bool) -> None:
        self._final, self._no_clobber = Path(os.path.realpath(name)), no_clobber
        _refuse_existing(name, exists=no_clobber and os.path.lexists(self._final))
        if system.is_protected(self._final):
            raise StorageError(f"{name}: is read-only; choose another name")
        super().__init__(name, self._final)

    @override
    def publish(self) -> None:
        os.fsync(self.files[0].fileno())
        self._refuse_swapped()
        self.files[0].close()  # Windows renames no open file
        try:
            self._rename()
        except OSError as error:
            if not system.is_held(error):
                raise
            stem = self._final.stem
            others = (self._final.with_stem(f"{stem}.new{number or ''}") for number in count())
            kept = self.path.rename(next(path for path in others if not os.path.lexists(path)))
            reason = "another program has it open; the new one is complete and called"
            raise StorageError(f"{self.name}: {reason} {kept}") from None
        with suppress(OSError):  # some file systems cannot; the output itself is safe by now
            system.flush(self._final.parent)

    def _rename(self) -> None:
        """Give the file its name, unless that must not be."""
        _refuse_existing(self.name, exists=self._no_clobber and os.path.lexists(self._final))
        system.replace(self.path, self._final)


class _Edited(_File):
    """A file of the user's whose content is replaced, unless somebody else changes it meanwhile."""

    def __init__(self, name: str, before: bytes) -> None:
        self._before = before
        with storing(name):
            found = Path(name).stat()
            if not (found.st_mode & stat.S_IWUSR and os.access(name, os.W_OK)):
                raise StorageError(f"{name}: is read-only, and stays as it is; make it writable first")
            if found.st_nlink > 1:
                raise StorageError(f"{name}: has a hard link, which would keep the old content; edit the file itself")
        super().__init__(name, no_clobber=False)

    @override
    def _rename(self) -> None:
        system.copy_attributes(self._final, self.path)
        if not system.exchange(self.path, self._final):
            self._refuse_saved(self._final)
            super()._rename()
            return
        try:
            self._refuse_saved(self.path)  # what had the name until now
        except BaseException:
            system.exchange(self.path, self._final)
            raise

    def _refuse_saved(self, path: Path) -> None:
        with open_regular(path) as file:
            if file.read(len(self._before) + 1) != self._before:
                raise StorageError(f"{self.name}: {SAVED}")


class _Stream(Destination):
    """A pipe, a device or standard output. A format that revises its file is copied there once it is complete."""

    replaces = False

    def __init__(self, name: str, path: str, number: int | None, *, copied: bool) -> None:
        self._pipe, self.readable = _connected(name, path, number), copied
        if copied:
            super().__init__(name, Path(gettempdir(), "stream"), self._pipe)
        else:
            self.name, self.path, self.files = name, Path(name), [self._pipe]

    @override
    def open(self) -> BinaryIO:
        return super().open() if self.readable else self._pipe

    @override
    def publish(self) -> None:
        if self.readable:
            self.files[0].seek(0)
            shutil.copyfileobj(self.files[0], self._pipe)
        self._pipe.close()


class _Folder(Destination):
    """A folder of pictures: new, empty, or one in which every file is a frame that boidsgen wrote."""

    def __init__(self, name: str, is_own: Callable[[Path], bool], *, no_clobber: bool) -> None:
        self.name, self._is_own, self._no_clobber = name, is_own, no_clobber
        self._final = Path(os.path.realpath(name))
        with suppress(FileNotFoundError):  # also where the current directory itself is gone
            if self._final.samefile(os.curdir):
                raise StorageError(f"{name}: is the current directory, which cannot be replaced; name a folder in it")
        self._refuse_occupied(self._final)
        super().__init__(name, self._final, folder=True)

    @override
    def publish(self) -> None:
        for path in (*self.path.iterdir(), self.path):
            system.flush(path)
        with system.defer_signals():
            self._refuse_swapped()
            exchanged = system.exchange(self.path, self._final)  # otherwise nothing has the name for a moment
            earlier = self.path if exchanged else self._private / "earlier"
            if not exchanged and self._final.exists():
                system.replace(self._final, earlier)
            try:
                self._refuse_occupied(earlier)  # somebody may have put something there meanwhile
                if not exchanged:
                    system.replace(self.path, self._final)
            except BaseException:
                if exchanged:
                    system.exchange(earlier, self._final)
                elif earlier.exists():
                    earlier.rename(self._final)
                raise
        with suppress(OSError):  # some file systems cannot; the output itself is safe by now
            system.flush(self._final.parent)
        _remove(self._private)

    def _refuse_occupied(self, folder: Path) -> None:
        if not folder.exists():
            return
        _refuse_existing(self.name, exists=self._no_clobber and any(folder.iterdir()))
        if other := foreign_file(folder, self._is_own):
            raise StorageError(f"{self.name}: contains other files than frames ({other}); name a separate folder")


def _connected(name: str, path: str, number: int | None) -> BinaryIO:
    """A pipe or device, or a second descriptor of an open file. Raises OSError, or UsageError for a terminal."""
    if number is None:
        return Path(path).open("wb")
    streams = {0: sys.stdin, 1: sys.stdout, 2: sys.stderr}
    if number in streams and streams[number] is None:  # closed by the caller; the number may mean something else by now
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    if os.isatty(number):
        raise UsageError(f"{name}: is a terminal; redirect it to a file or a pipe")
    return os.fdopen(system.binary(os.dup(number)), "wb")


def _refuse_existing(name: str, *, exists: bool) -> None:
    if exists:
        raise OutputExistsError(f"{name}: already exists and is kept (--no-clobber)")
