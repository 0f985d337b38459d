"""Errors that are not bugs, and the exit code of each.

A `BoidsgenError` is an error of the user or a failure of the machine: it is shown as one clear line and never as a
traceback. Anything else that is raised is a bug. A new kind is a class here: its exit code and the first line of its
docstring appear in the README.

Input beyond the hard limits at the end is refused: whatever is within them can be written and is read again. The work
that a scenario may ask for is limited by its keys in `[limits]`.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar, Self

from typing_extensions import override


class BoidsgenError(Exception):
    """Base of everything that boidsgen reports in a line instead of a traceback."""

    exit_code: ClassVar[int] = 1


class UsageError(BoidsgenError):
    """Invalid command line."""

    exit_code = 2


class PackageError(UsageError):
    """Another package brings something unusable."""


class ScenarioError(BoidsgenError):
    """The scenario is invalid; every error is reported, one per line.

    Below the line about a place that is not TOML stands that place, with a caret.
    """

    exit_code = 3

    def __init__(self, errors: Sequence[str]) -> None:
        super().__init__("\n".join(errors))
        self.errors = tuple(errors)

    @override
    def __reduce__(self) -> tuple[type[Self], tuple[Sequence[str]]]:  # to other processes
        return type(self), (self.errors,)


class OutputExistsError(BoidsgenError):
    """The output already exists and must not be replaced."""

    exit_code = 4


class StorageError(BoidsgenError):
    """Reading or writing failed: missing directory, permission, full disk."""

    exit_code = 5


class EncoderError(BoidsgenError):
    """The encoder is missing, failed, or left its output incomplete."""

    exit_code = 6


class NotFiniteError(BoidsgenError):
    """The simulation produced numbers that are not finite."""

    exit_code = 7


class LimitError(BoidsgenError):
    """The scenario requests more than the limits allow."""

    exit_code = 8


class ReplayError(BoidsgenError):
    """A replay differs from the file it replays."""

    exit_code = 9


class SweepError(BoidsgenError):
    """Some runs of a sweep, or scenarios of a batch, failed; the others are done."""

    exit_code = 10


class Interrupted(BaseException):
    """A signal asked the program to stop; like KeyboardInterrupt no Exception, so that only clean-up code sees it."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.exit_code = 128 + signal_number


def printable(name: str) -> str:
    """A name as messages tell it: as Python writes it where a letter of it would not be seen, or begin a line."""
    return name if name.isprintable() else repr(name)


def join_words(names: Iterable[str], last: str = "or") -> str:
    """An enumeration, such as `gif, mp4 or png`."""
    *others, final = names
    return f"{', '.join(others)} {last} {final}" if others else final


MAX_DOCUMENT = 1_000_000  # Bytes of a scenario
MAX_BASES = 10  # Scenarios that stand below one another, each extended by the next
MAX_ORIGIN = 4_000_000
"""Bytes of the text by which an output tells its origin: a scenario with every number written out, or many of them."""
MAX_COMMENT = MAX_ORIGIN + 100_000
"""Bytes of the comment of an output: its origin, the numbers of the frames that it shows, and what a format puts before
them."""
MAX_DEPTH = 30  # Levels of tables and lists in a document, and names in a dotted key; no scenario needs half of it
TOO_DEEP = f"tables and lists are nested more than {MAX_DEPTH} levels deep"
MAX_VALUES = 240_000  # Keys, entries, tables and lists of a document, counted by the signs between them
MAX_DIGITS = 4_000  # Digits of a number; Python itself takes few more
MAX_TEXT = 50_000  # Letters of a title, a caption or a name
MAX_ARGUMENT = 100_000  # Letters of one argument of the command line that is taken apart

MAX_OF_TABLE = {
    "flock": 1_000,
    "predators": 1_000,
    "obstacles": 50_000,
    "attractors": 10_000,
    "fields": 100,
    "events": 20_000,
}
"""Tables of each kind."""
MAX_POINTS = 50_000  # Points of one outline or way

MAX_HEADER = 10_000  # Bytes of the header of an array
