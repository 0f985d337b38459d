"""Sinks: files that are no pictures and grow entry by entry: trajectories, series of numbers.

A kind of sink is a class in a file of the folder of its family. It is made for one unfinished output, the `Part`, is
given every entry in order, and is then either closed or abandoned, as the writers of `contract` are:

    with opened("run.csv", RECORDERS, lambda kind, part: kind(part, setup, text)) as output:
        output.write(state)
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, ClassVar, Generic, TypeVar

from typing_extensions import override

from boidsgen.errors import UsageError
from boidsgen.writers.contract import Makes, Part
from boidsgen.writers.places import STANDARD_OUTPUT, Place, place_for, storing

Entry = TypeVar("Entry")


class Sink(ABC, Generic[Entry]):
    """One format: writes entries into one part; none keeps more of them than it must."""

    name: ClassVar[str]
    """What users write after `--format`."""
    extensions: ClassVar[tuple[str, ...]]
    """How names of such files end, in lower case with the dot; the first is the usual one."""
    makes: ClassVar[Makes] = "stream"
    """Whether it can go into a pipe while it grows."""

    @classmethod
    def require(cls, path: str) -> None:
        """Raise UsageError, for this path, when something that the format needs is not installed."""
        del path

    @abstractmethod
    def write(self, entry: Entry) -> None:
        """Take the next entry."""

    @abstractmethod
    def close(self) -> None:
        """Finish, after the last entry."""

    @abstractmethod
    def abandon(self) -> None:
        """Let go of everything, finished or not."""


class Stream(Sink[Entry]):
    """A sink that holds nothing but its open file."""

    _file: IO[Any]

    @override
    def close(self) -> None:
        self._file.close()

    @override
    def abandon(self) -> None:
        with suppress(OSError):  # what is still buffered has nowhere to go
            self._file.close()


Kind = TypeVar("Kind", bound=Sink[Any])


def format_of(name: str, kinds: Mapping[str, type[Kind]], explicit: str | None = None) -> str:
    """The format of a file of this name.

    Args:
        name: as the user wrote it.
        kinds: the formats there are.
        explicit: the format of the option `--format`; one that contradicts the name is a mistake.

    Raises:
        UsageError: the name tells no format, or another one than `explicit`.
    """
    if explicit not in {None, *kinds}:
        raise UsageError(f"--format {explicit}: must be {' or '.join(kinds)}")
    extension = Path(name).suffix.lower()
    told = next((format_ for format_, kind in kinds.items() if extension in kind.extensions), None)
    if told is None and explicit is None:
        raise UsageError(f"{name}: {_how_to_tell(name, kinds)}")
    if told and explicit not in {None, told}:
        raise UsageError(f"{name}: ends with {extension}, but --format says {explicit}; change one of them")
    return explicit or told or ""


class Output(Generic[Entry]):
    """A sink on its way to its name.

    Attributes:
        notices: lines the user should see, such as what was tidied up.
    """

    def __init__(self, place: Place, sink: Sink[Entry]) -> None:
        self.notices = place.notices
        self._place = place
        self._sink = sink

    def write(self, entry: Entry) -> None:
        """Append an entry."""
        with storing(self._place.name):
            self._sink.write(entry)


@contextmanager
def opened(
    path: str,
    kinds: Mapping[str, type[Kind]],
    make: Callable[[type[Kind], Part], Kind],
    *,
    explicit: str | None = None,
    no_clobber: bool = False,
) -> Iterator[Output[Any]]:
    """A file that is under its name when the block ends, and leaves no trace if it raises.

    Args:
        path: as the user wrote it; "-" is standard output.
        kinds: the formats there are.
        make: makes a sink of a kind for a part.
        explicit: the format, where the name does not tell.
        no_clobber: leave an existing file as it is.

    Raises:
        UsageError: the path tells no format, or something for its format is not installed.
        OutputExistsError: the file exists, under `no_clobber`.
        StorageError: it cannot be written; also while writing and at the end.
    """
    kind = kinds[format_of(path, kinds, explicit)]
    kind.require(path)
    place = place_for(path, kind.makes, no_clobber=no_clobber)
    try:
        with storing(place.name):
            sink = make(kind, place)
        try:
            yield Output(place, sink)
            with storing(place.name):
                sink.close()
                place.publish()
        finally:
            sink.abandon()
    finally:
        place.discard()


def _how_to_tell(name: str, kinds: Mapping[str, type[Kind]]) -> str:
    if name == STANDARD_OUTPUT:
        return f"say with --format what to write to standard output: {' or '.join(kinds)}"
    known = ", ".join(ending for kind in kinds.values() for ending in kind.extensions)
    return f"the name does not tell the format; end it with {known}"
