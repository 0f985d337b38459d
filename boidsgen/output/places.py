"""How a finished output comes to its name: complete, or not at all.

A place is where one output will stand. It is checked before the first frame; it gives the writer a part to fill; then
it is published or discarded:

  Replacement   a file: a part beside it takes its name in one step, so that the name always holds the old or the new
  Stream        a pipe, a device or standard output: bytes go there as they come, or, for a format that cannot be
                streamed, in one go from a part once it is complete
  Folder        a folder of pictures: a part beside it takes its name

A symbolic link is followed: the link stays and what it points to is replaced. Pipes and devices are never replaced, and
`no_clobber` means nothing to them. What is removed on the way (parts of killed renders), and what cannot be, is told
in `notices`.
"""

import errno
import os
import shutil
import stat
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

from typing_extensions import override

from boidsgen import system
from boidsgen.errors import LimitError, OutputExistsError, StorageError, UsageError, printable
from boidsgen.output import originals, parts
from boidsgen.output.base import FRAME_NAME, Makes
from boidsgen.output.descriptors import STANDARD_OUTPUT, connected, descriptor, duplicate, shown


class Place(ABC):
    """Where one output will stand; the writer sees it as its `Part`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.notices: tuple[str, ...] = ()

    @property
    @abstractmethod
    def path(self) -> Path:
        """Where the part grows."""

    @property
    @abstractmethod
    def claims(self) -> tuple[system.Claim, ...]:
        """What marks the part as alive; a child that writes to it shares that."""

    @property
    def readable(self) -> bool:
        """Whether the part can be read again before it is published."""
        return True

    def open(self) -> BinaryIO:
        """The part, ready to be written from the start."""
        return self.path.open("r+b")

    @abstractmethod
    def publish(self) -> None:
        """Give the complete part its name. Raises OSError or OutputExistsError."""

    @abstractmethod
    def discard(self) -> None:
        """Leave nothing behind but what is published; may be called at any time, once."""


@contextmanager
def storing(name: str) -> Iterator[None]:
    """Whatever the operating system refuses in here becomes a StorageError about `name`; memory, a LimitError."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise LimitError(f"{name}: not enough memory{system.limit_met(error)}") from error
        raise StorageError(f"{name}: {error.strerror or error}{system.limit_met(error)}") from error


def _nobody_made(_: Path) -> bool:
    return False


def place_for(path: str, makes: Makes, *, no_clobber: bool, is_own: Callable[[Path], bool] = _nobody_made) -> Place:
    """The place at `path`, ready to be written to.

    Args:
        path: as the user wrote it; "-" is standard output.
        makes: what the format makes.
        no_clobber: leave an existing file or folder as it is.
        is_own: whether a file of a folder is one that boidsgen has made; a folder with any other is left alone.

    Raises:
        StorageError: it cannot be written there; the message says why.
        OutputExistsError: it exists, under `no_clobber`.
        UsageError: the format does not go to such a place, or the command reads what stands there.
    """
    refuse_name(path)
    originals.refuse(path)
    with storing(shown(path)):
        opened, mode = descriptor(path), _mode(path)
        if makes == "folder":
            return Folder(path, mode, is_own, streamed=opened is not None, no_clobber=no_clobber)
        if opened is not None:
            return Stream(path, lambda: system.writer(duplicate(opened, path)), copied=makes == "file")
        if mode is None or stat.S_ISREG(mode):
            return Replacement(path, exists=mode is not None, no_clobber=no_clobber)
        if stat.S_ISFIFO(mode):
            return Stream(path, lambda: connected(path), copied=makes == "file")
        if stat.S_ISCHR(mode):
            return Stream(path, lambda: Path(path).open("wb"), copied=makes == "file")
    what = "is a directory; name a file in it" if stat.S_ISDIR(mode) else "is neither a file nor a pipe"
    raise StorageError(f"{path}: {what}")


class Beside(Place):
    """A place whose part grows beside it, under a hidden name in the same directory."""

    _final: Path
    _part: parts.ClaimedPart

    @property
    @override
    def path(self) -> Path:
        return self._part.path

    @property
    @override
    def claims(self) -> tuple[system.Claim, ...]:
        return (self._part.claim,)

    @override
    def discard(self) -> None:
        self._part.remove()

    @contextmanager
    def _kept_where_held(self) -> Iterator[None]:
        """Where another program holds what should make way, keep the complete part beside it, and say so."""
        try:
            yield
        except OSError as error:
            if not system.is_held(error):
                raise
            kept = next(path for number in count(1) if not os.path.lexists(path := _numbered(self._final, number)))
            self._part.path.rename(kept)
            who = system.in_the_way(self._final)
            told = f"{self.name}: {who} has it open; the new one is complete and called {kept}"
            raise StorageError(told) from None


class Replacement(Beside):
    """A regular file, new or to be replaced."""

    def __init__(self, name: str, *, exists: bool, no_clobber: bool) -> None:
        super().__init__(name)
        _refuse_existing(name, exists=exists and no_clobber)
        self._final = Path(os.path.realpath(name))
        self._no_clobber = no_clobber
        self._part = _part_beside(self, self._final, parts.new_file)

    @override
    def publish(self) -> None:
        system.flush(self._part.path)
        if self._no_clobber:
            _move_to_unused(self._part.path, self._final, self.name)
        else:
            with self._kept_where_held():
                system.replace(self._part.path, self._final)
        _flush_directory(self._final.parent)


class Stream(Place):
    """A pipe, a device or standard output; opening a named pipe waits for its reader, though not for ever."""

    def __init__(self, name: str, connect: Callable[[], BinaryIO], *, copied: bool) -> None:
        super().__init__(shown(name))
        self._part = self._part_to_copy() if copied else None
        try:
            self._file = connect()
        except BaseException:
            self._remove_part()
            raise

    def _part_to_copy(self) -> parts.ClaimedPart:
        directory = Path(tempfile.gettempdir())
        self.notices = tuple(parts.remove_stale(directory))
        return parts.new_file(directory)

    @property
    @override
    def path(self) -> Path:
        return self._part.path if self._part else Path(self.name)

    @property
    @override
    def claims(self) -> tuple[system.Claim, ...]:
        return (self._part.claim,) if self._part else ()

    @property
    @override
    def readable(self) -> bool:
        return self._part is not None

    @override
    def open(self) -> BinaryIO:
        return super().open() if self._part else self._file

    @override
    def publish(self) -> None:
        if self._part:
            with self._part.path.open("rb") as complete:
                shutil.copyfileobj(complete, self._file)
        self._file.close()

    @override
    def discard(self) -> None:
        with suppress(OSError):  # nobody reads the rest
            self._file.close()
        self._remove_part()

    def _remove_part(self) -> None:
        if self._part:
            self._part.remove()


class Folder(Beside):
    """A folder of pictures, new, empty, or holding nothing but regular files that an earlier run has written.

    A new folder appears in one step, and changes places with an earlier run's in one step. Where the system cannot do
    that, the earlier folder steps aside, so that for a moment between two renames there is none; if the second rename
    fails, the earlier folder comes back, at the latest when the next render goes there.
    """

    def __init__(
        self, name: str, mode: int | None, is_own: Callable[[Path], bool], *, streamed: bool, no_clobber: bool
    ) -> None:
        super().__init__(name)
        if streamed:
            raise UsageError(f"{shown(name)}: pictures cannot be streamed; name a folder, or choose another format")
        if mode is not None and not stat.S_ISDIR(mode):
            raise StorageError(f"{name}: is not a directory; pictures go into one")
        self._final = Path(os.path.realpath(name))
        self._is_own = is_own
        self._no_clobber = no_clobber
        self._refuse_current()
        brought_back = parts.bring_back(self._final)
        self._refuse_occupied(self._final)
        self._part = _part_beside(self, self._final, parts.new_folder)
        self.notices = (*brought_back, *self.notices)

    @override
    def publish(self) -> None:
        for picture in self._part.path.iterdir():
            system.flush(picture)
        system.flush(self._part.path)
        try:
            self._part.path.rename(self._final)
        except OSError as error:
            if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
                raise
            self._replace()
        _flush_directory(self._final.parent)

    def _replace(self) -> None:
        self._refuse_occupied(self._final)
        with parts.claimed(self._final):
            if system.exchange(self._part.path, self._final):
                self._refuse_late()
                earlier = self._part.path
            else:
                earlier = self._step_aside()
        if error := parts.end(earlier):
            self.notices += (
                f"{self.name}: the earlier folder stays as {earlier} until the next render: {_why(error)}",
            )

    def _refuse_late(self) -> None:
        """Bring the earlier folder back if somebody has put something into it in the last moment."""
        try:
            self._refuse_occupied(self._part.path)
        except BaseException:
            system.exchange(self._part.path, self._final)
            raise

    def _step_aside(self) -> Path:
        aside = parts.name_aside(self._final)
        with parts.defer_signals():
            with self._kept_where_held():  # not every system lets a folder go in which a file is open
                self._final.rename(aside)
            try:
                with parts.claimed(aside):
                    self._refuse_occupied(aside)
                    self._part.path.rename(self._final)
            except BaseException:
                aside.rename(self._final)
                raise
            parts.begin(aside)
        return aside

    def _refuse_current(self) -> None:
        current = False
        with suppress(OSError):  # nothing is there, or the current directory itself is gone, or closed to us
            current = self._final.samefile(os.curdir)
        if current:
            raise StorageError(f"{self.name}: is the current directory, which cannot be replaced; name a folder in it")

    def _refuse_occupied(self, folder: Path) -> None:
        if not folder.exists():
            return
        names = sorted(entry.name for entry in folder.iterdir())
        _refuse_existing(self.name, exists=bool(names) and self._no_clobber)
        other = stranger(folder, self._is_own)
        if other is not None:
            raise StorageError(f"{self.name}: holds other things than frames ({other}); name a folder of its own")


def stranger(folder: Path, is_own: Callable[[Path], bool]) -> str | None:
    """The first name in a folder that is not that of a regular file which boidsgen wrote; may raise OSError."""
    for entry in sorted(folder.iterdir()):
        regular = stat.S_ISREG(entry.lstat().st_mode)
        if not (regular and FRAME_NAME.fullmatch(entry.name) and is_own(entry)):
            return entry.name
    return None


def refuse_name(path: str) -> None:
    """Refuse a name under which this system would not make a file.

    Raises:
        UsageError: with the reason.
    """
    if not path:
        raise UsageError("an output without a name; name a file, or a folder that ends with /")
    if path != STANDARD_OUTPUT and (reason := system.name_refusal(path)):
        raise UsageError(f"{printable(path)}: {reason}")


def _part_beside(place: Place, final: Path, new: Callable[[Path], parts.ClaimedPart]) -> parts.ClaimedPart:
    """A part in the directory of `final`, after tidying up there, if the system would let it take that name."""
    if refusal := system.replacement_refusal(final):
        raise StorageError(f"{place.name}: {refusal}; choose another name")
    try:
        place.notices = tuple(parts.remove_stale(final.parent))
        return new(final.parent)
    except FileNotFoundError:
        raise StorageError(f"{place.name}: there is no directory {final.parent}; create it first") from None
    except OSError as error:
        raise StorageError(f"{place.name}: cannot write in {final.parent}: {error.strerror}") from error


def _why(error: OSError | MemoryError) -> str:
    if isinstance(error, MemoryError):
        return "not enough memory"
    if system.is_held(error) and error.filename:
        return f"{system.in_the_way(Path(error.filename))} has {error.filename} open"
    return error.strerror or str(error)


def _numbered(path: Path, number: int) -> Path:
    return path.with_stem(f"{path.stem}.new" if number == 1 else f"{path.stem}.new{number}")


def _mode(path: str) -> int | None:
    """The kind of what stands at `path`, links followed; None where nothing does."""
    try:
        return Path(path).stat().st_mode
    except FileNotFoundError:
        return None


def _refuse_existing(name: str, *, exists: bool) -> None:
    if exists:
        raise OutputExistsError(f"{name}: exists already and stays as it is (--no-clobber)")


def _move_to_unused(part: Path, final: Path, name: str) -> None:
    """Give the part its name unless somebody else has taken it meanwhile."""
    try:
        os.link(part, final)
    except FileExistsError:
        _refuse_existing(name, exists=True)
    except OSError:  # a file system without hard links: look first, which leaves a gap of microseconds
        _refuse_existing(name, exists=os.path.lexists(final))
        part.replace(final)


def _flush_directory(directory: Path) -> None:
    with suppress(OSError):  # some file systems cannot; the output itself is safe by now
        system.flush(directory)
