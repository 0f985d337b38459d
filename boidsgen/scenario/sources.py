"""Sources: where a scenario comes from.

`find(name)` takes a path, the name of a shipped preset or `-` for standard input, and returns the text of the scenario
with its names. The path may also be that of a picture, a clip or a saved run that boidsgen has made, since these embed
their scenario. A file is preferred to a preset of the same name. The scenarios that this one `extends` are found with
it, so that a source is complete: later changes of those files do not matter.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from os import PathLike, fspath
from os.path import isfile
from pathlib import Path
from string import ascii_lowercase
from typing import BinaryIO, NamedTuple

from boidsgen import system
from boidsgen.errors import MAX_BASES, MAX_DOCUMENT, BoidsgenError, ScenarioError, StorageError, UsageError, printable
from boidsgen.inputs import open_input, remember_standard_input
from boidsgen.output.formats import FORMATS, origin
from boidsgen.scenario.documents import line_of, parsed
from boidsgen.scenario.wording import abbreviated, suggestion

STANDARD_INPUT = "-"
EXTENDS = "extends"  # The key with the name of the scenario that a scenario extends
trusting: ContextVar[bool] = ContextVar("trusting", default=False)  # Scenarios from inside files may name files
_FIRST_OF_DOCUMENTS = b"#[" + ascii_lowercase.replace("g", "").encode()
"""First bytes of most scenarios: a comment, a table or a key; no format that embeds a scenario begins with these, but
glTF begins with a g."""
_OF_SEVERAL = "\nscenarios = ["
_MAX_SHOWN = 300  # Characters of the name of a missing file in a message


class Source(NamedTuple):
    """The text of a scenario and its names."""

    label: str  # its name in messages
    stem: str  # the name of its output, unless the user gives one
    text: str  # the TOML document
    path: Path | None = None  # the file, where it is one
    base: "Source | None" = None  # the scenario it extends, where it extends one
    numbered: bool = True  # True if its lines are those of the user
    carried: bool = False  # True if it comes from inside a file, maybe a stranger's: it is complete, and names no file


class Preset(NamedTuple):
    """A scenario that comes with boidsgen.

    Attributes:
        name: its name on the command line.
        title: its subject; the comment in the first line of its file.
        text: the TOML document.
    """

    name: str
    title: str
    text: str


def find(name: str | PathLike[str]) -> Source:
    """The scenario of a path, a preset's name or `-`, with everything that it extends.

    Raises:
        ScenarioError: when a scenario that it extends cannot be read.
        StorageError: when there is no such file, or it cannot be read.
        UsageError: when the name is empty.
    """
    name = fspath(name)
    if not name:
        raise UsageError("a scenario without a name; name a file or a preset, or - for standard input")
    if name == STANDARD_INPUT:
        label = "<stdin>"
        if sys.stdin is None:  # the caller closed it
            raise StorageError(f"{label}: standard input is closed")
        remember_standard_input()
        try:
            return extended(Source(label, "stdin", _read(label, sys.stdin.buffer)))
        except (OSError, ValueError) as error:
            raise StorageError(f"{label}: {getattr(error, 'strerror', None) or error}") from None
    # Of a name that no file can have, pathlib would raise.
    return extended(source_in(name) if isfile(name) else _shipped_source(name) or source_in(name))  # noqa: PTH113


def found_beside(path: Path) -> Source:
    """The scenario in a file that the user has not named, such as that of a study: like one from inside a file."""
    return extended(source_in(str(path))._replace(carried=not trusting.get()))


def refuse_repeated_input(names: Sequence[str]) -> None:
    """Raise UsageError if standard input is twice among these names."""
    if list(names).count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once")


def extended(source: Source, above: Sequence[Source] = ()) -> Source:
    """The source with everything that it extends; itself where it extends nothing, or is no TOML.

    ScenarioError when a scenario that it extends cannot be read; `above` are those that led to this one, in order.
    """
    if source.base or source.carried or EXTENDS not in source.text:
        return source
    try:
        document = parsed(source.text)
    except ValueError:  # reported when it is loaded
        return source
    if EXTENDS not in document:
        return source
    chain = (*above, source)
    try:
        return source._replace(base=extended(_base(document[EXTENDS], chain), chain))
    except _UnfitBaseError as error:
        line = f":{line_of(source.text)((EXTENDS,))}" if source.numbered else ""
        raise ScenarioError([f"{source.label}{line}: {EXTENDS}: {error}"]) from None


def paths_to(name: str) -> Iterator[Path]:
    """The file of a scenario and those that it extends, as far as they can be read; the last may be missing."""
    for _ in range(MAX_BASES + 1):
        path = Path(name)
        yield path
        try:
            source = source_in(name)
            base = parsed(source.text).get(EXTENDS)
        except (BoidsgenError, ValueError):
            return
        if source.carried or not isinstance(base, str):
            return
        name = str(path.parent / base)


class _UnfitBaseError(Exception):
    """A scenario cannot be extended; the message is the reason."""


def _base(name: object, chain: Sequence[Source]) -> Source:
    """The scenario that the last one of a chain extends: a file as seen from there, or else a preset."""
    if not isinstance(name, str):
        raise _UnfitBaseError(f"must be the name of a file or of a preset, as text, not {abbreviated(name)}")
    if "://" in name:
        raise _UnfitBaseError(f"{abbreviated(name)}: only presets and files can be extended; download it first")
    folder = chain[-1].path.parent if chain[-1].path else Path()
    path = str(folder / name)
    base = source_in(path) if isfile(path) else _shipped_source(name)  # noqa: PTH113
    if not base:
        brief = printable(f"{path[:_MAX_SHOWN]}…" if len(path) > _MAX_SHOWN else path)
        raise _UnfitBaseError(f"{brief}: neither a file nor a shipped preset{suggestion(name, _shipped())}")
    known = [one.path.resolve() if one.path else one.label for one in chain]
    if (base.path.resolve() if base.path else base.label) in known:
        circle = " → ".join(one.label for one in (*chain, base))
        raise _UnfitBaseError(f"extends itself: {circle}")
    if len(chain) > MAX_BASES:
        raise _UnfitBaseError(f"{len(chain)} scenarios, each below the next, and there may be {MAX_BASES}")
    return base


def presets() -> tuple[Preset, ...]:
    """The scenarios that come with boidsgen, by name.

    Examples:
        >>> sorted(preset.name for preset in presets() if "vicsek" in preset.name)
        ['vicsek', 'vicsek-1995', 'vicsek-2004']
    """
    return tuple(preset(name) for name in _shipped())


def preset(name: str) -> Preset:
    """The shipped scenario of this name."""
    if name not in _shipped():
        hint = suggestion(name, _shipped())
        raise StorageError(f"{name}: there is no such preset{hint}; `boidsgen presets` lists them")
    text = _shipped()[name].read_text("utf-8")
    first = text.partition("\n")[0]
    return Preset(name, first.removeprefix("#").strip() if first.startswith("#") else "", text)


def _shipped_source(name: str) -> Source | None:
    """The preset of this name, or None where there is none."""
    return Source(f"{name}.toml", name, preset(name).text) if name in _shipped() else None


def source_in(name: str) -> Source:
    """The scenario in a file, or the one that the file embeds; what it extends is not read. Raises as `find` does."""
    label, path = printable(name), Path(name)
    try:
        with open_input(path) as file:
            text = None if file.read(1) in _FIRST_OF_DOCUMENTS else origin(file, label)
            file.seek(0)
            if text is None:
                return Source(label, path.stem, _read(label, file), path)
        if _OF_SEVERAL in text:
            wrong = "shows several scenarios; only `boidsgen replay` can render it again"
            raise ScenarioError([f"{label}: {wrong}"])
        return Source(label, path.stem, text, path, carried=not trusting.get())
    except FileNotFoundError:
        there = sorted(printable(str(one)) for one in path.parent.glob("*.toml"))
        hint = suggestion(printable(str(path)), [*there, *_shipped()]) or (
            "" if path.suffix else "; `boidsgen presets` lists those"
        )
        if any(path.suffix.lower() in writer.extensions for writer in FORMATS.values()):
            hint = f"; -o {label} names an output file"
        raise StorageError(f"{label}: neither a file nor a shipped preset{hint}") from None
    except (OSError, ValueError) as error:  # ValueError: characters that no name has
        if isinstance(error, IsADirectoryError | PermissionError) and path.is_dir():  # by system
            raise ScenarioError([f"{label}: a directory, not a scenario; name one of the files in it"]) from None
        reason = system.name_refusal(label) or getattr(error, "strerror", None) or error
        raise StorageError(f"{label}: {reason}") from None


def _read(label: str, file: BinaryIO) -> str:
    content = file.read(MAX_DOCUMENT + 1)
    if len(content) > MAX_DOCUMENT:
        raise ScenarioError([f"{label}: more than {MAX_DOCUMENT // 1000} kB, too large for a scenario"])
    try:
        return content.decode("utf-8-sig")  # editors on Windows put a byte order mark in front
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wrong = f"byte {error.start} (0x{content[error.start]:02x}) is not UTF-8; save the file as UTF-8"
        raise ScenarioError([f"{label}:{line}: {wrong}"]) from None


@cache
def _shipped() -> Mapping[str, Traversable]:
    """The files of the presets by name."""
    folder = shipped_folder()
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name) if folder.is_dir() else []
    return {entry.name.removesuffix(".toml"): entry for entry in entries if entry.name.endswith(".toml")}


@cache
def shipped_folder(name: str = "configs") -> Traversable:
    """A folder of files that come with boidsgen: in the package when installed, beside it in a clone."""
    package = files("boidsgen")
    folders = (package / name, Path(str(package)).parent / name)
    return next((folder for folder in folders if folder.is_dir()), folders[0])
