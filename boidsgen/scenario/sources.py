"""Sources: where a scenario comes from.

`find(name)` takes a path, the name of a shipped preset or `-` for standard input, and gives a `Source`: the text of
the scenario with the names it goes by. The path may also lead to a picture, a clip or a saved run that boidsgen has
made, since these carry their scenario. A file that exists is preferred to a preset of the same name. What the scenario
`extends` is found with it, so that a source is complete: what becomes of those files later changes nothing.

`presets()` lists what is shipped, and `preset(name)` gives one of them.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from os import PathLike, fspath
from pathlib import Path
from string import ascii_lowercase
from typing import BinaryIO, NamedTuple

from boidsgen import system
from boidsgen.caps import MAX_BASES, MAX_DOCUMENT
from boidsgen.errors import BoidsgenError, ScenarioError, StorageError, UsageError, printable
from boidsgen.output.originals import remember, remember_input
from boidsgen.scenario.documents import parsed
from boidsgen.scenario.positions import line_of
from boidsgen.scenario.wording import shown, suggestion

STANDARD_INPUT = "-"
EXTENDS = "extends"
"""The key by which a scenario names the one that it extends."""
DOCUMENTS_BEGIN = b"#[" + ascii_lowercase.encode()
"""What most scenarios begin with, a comment, a table or a key, and no file of a format that carries one."""
_OF_SEVERAL = "\nscenarios = ["
_LONG = 300
"""Letters of a name that is shown of one that leads nowhere."""


@dataclass(frozen=True)
class Source:
    """The text of a scenario and the names it goes by.

    Attributes:
        label: how messages name it.
        stem: the name of its output, unless the user gives one.
        text: the TOML document.
        path: the file, where it is one.
        base: what it extends, where it extends anything.
        numbered: whether its lines are those of the user.
    """

    label: str
    stem: str
    text: str
    path: Path | None = None
    base: "Source | None" = None
    numbered: bool = True


class Preset(NamedTuple):
    """A scenario that comes with boidsgen.

    Attributes:
        name: what to call it on the command line.
        title: what it shows; the comment in the first line of its file.
        text: the TOML document.
    """

    name: str
    title: str
    text: str


def find(name: str | PathLike[str]) -> Source:
    """The scenario that a path, a preset's name or `-` stands for, with everything that it extends.

    Raises:
        ScenarioError: when what it extends cannot be had.
        StorageError: when there is no such file, or it cannot be read.
        UsageError: when the name is empty.
    """
    return extended(_found(fspath(name)))


def extended(source: Source, above: Sequence[Source] = ()) -> Source:
    """The source with everything that it extends; itself where it extends nothing, or is no TOML.

    Args:
        source: a scenario.
        above: the scenarios by which it came to this one, the first one first.

    Raises:
        ScenarioError: when what it extends cannot be had.
    """
    if source.base or EXTENDS not in source.text:
        return source
    try:
        document = parsed(source.text)
    except ValueError:  # whoever takes it apart says so
        return source
    if EXTENDS not in document:
        return source
    chain = (*above, source)
    try:
        return replace(source, base=extended(_base(document[EXTENDS], chain), chain))
    except _UnfitBaseError as error:
        line = f":{line_of(source.text)((EXTENDS,))}" if source.numbered else ""
        raise ScenarioError([f"{source.label}{line}: {EXTENDS}: {error}"]) from None


def paths_to(name: str) -> Iterator[Path]:
    """The file of a scenario and those that it extends, as far as they can be read; the last may be missing."""
    for _ in range(MAX_BASES + 1):
        path = Path(name)
        yield path
        try:
            base = parsed(_file(name).text).get(EXTENDS)
        except (BoidsgenError, ValueError):
            return
        if not isinstance(base, str):
            return
        name = str(path.parent / base)


class _UnfitBaseError(Exception):
    """A scenario cannot be extended; the message says why."""


def _base(name: object, chain: Sequence[Source]) -> Source:
    """The scenario that the last one of a chain extends."""
    if not isinstance(name, str):
        raise _UnfitBaseError(f"must be the name of a file or of a preset, as text, not {shown(name)}")
    base = _named(name, chain[-1])
    if _identity(base) in map(_identity, chain):
        circle = " → ".join(one.label for one in (*chain, base))
        raise _UnfitBaseError(f"goes round in a circle: {circle}")
    if len(chain) > MAX_BASES:
        raise _UnfitBaseError(f"{len(chain)} scenarios, each below the next, and there may be {MAX_BASES}")
    return base


def _named(name: str, source: Source) -> Source:
    """The file of this name, as seen from the scenario, or else the preset."""
    if not name:
        raise _UnfitBaseError("is empty; name a preset or a file, or leave it out")
    if "://" in name:
        raise _UnfitBaseError(f"{shown(name)}: only presets and files can be extended; download it first")
    path = str((source.path.parent if source.path else Path()) / name)
    if _is_file(path):
        return _file(path)
    if name in _shipped():
        return _preset(name)
    if _exists(path):
        raise _UnfitBaseError(f"{printable(path)}: not a file")
    brief = f"{path[:_LONG]}…" if len(path) > _LONG else path
    raise _UnfitBaseError(f"{printable(brief)}: neither a file nor a shipped preset{suggestion(name, _shipped())}")


def _identity(source: Source) -> str:
    """What is equal for two sources that are the same scenario."""
    return str(source.path.resolve()) if source.path else source.label


def _found(name: str) -> Source:
    """What a name stands for, by itself."""
    if not name:
        raise UsageError("a scenario without a name; name a file or a preset, or - for standard input")
    if name == STANDARD_INPUT:
        return _standard_input("<stdin>")
    if name in _shipped() and not _is_file(name):
        return _preset(name)
    return _file(name)


def _preset(name: str) -> Source:
    return Source(f"{name}.toml", name, preset(name).text)


def find_all(names: Sequence[str]) -> list[Source]:
    """The scenarios of these names.

    Raises:
        UsageError: when standard input is named twice.
    """
    refuse_repeated_input(names)
    return [find(name) for name in names]


def refuse_repeated_input(names: Sequence[str]) -> None:
    """Stop when standard input is named twice.

    Raises:
        UsageError: when it is.
    """
    if list(names).count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once")


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
        raise StorageError(
            f"{name}: there is no such preset{suggestion(name, _shipped())}; `boidsgen presets` lists them"
        )
    text = _decoded(f"{name}.toml", _shipped()[name].read_bytes())
    first = text.partition("\n")[0]
    return Preset(name, first.removeprefix("#").strip() if first.startswith("#") else "", text)


def _standard_input(label: str) -> Source:
    if sys.stdin is None:  # the caller closed it
        raise StorageError(f"{label}: standard input is closed")
    remember_input()
    return Source(label, "stdin", _decoded(label, _read(label, lambda: _bounded(label, sys.stdin.buffer))))


def _file(name: str) -> Source:
    label = printable(name)
    if "\0" in name:
        raise StorageError(f"{label}: no name of a file holds a NUL")
    path = Path(name)
    remember(path)
    content = _read(label, lambda: _start_of(path, label))
    return Source(label, path.stem, _decoded(label, content), path)


def _start_of(path: Path, label: str) -> bytes:
    """The beginning of a file, or the scenario that it carries."""
    if may_carry(path) and (text := _carried(path, label)) is not None:
        return text.encode()
    if path.is_dir():  # not every system says so itself
        raise IsADirectoryError
    with path.open("rb") as file:
        return _bounded(label, file)


def _carried(path: Path, label: str) -> str | None:
    """The scenario that a file carries; None where it is no file of ours."""
    from boidsgen.output.provenance import origin  # noqa: PLC0415  most scenarios need no format

    text = origin(path, label)
    if _OF_SEVERAL in (text or ""):
        raise ScenarioError([f"{label}: shows several scenarios; only `boidsgen replay` can make it again"])
    return text


def may_carry(path: Path) -> bool:
    """Whether a file may carry a scenario rather than be one; a pipe is not looked at, since that would consume it."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(1) not in DOCUMENTS_BEGIN


def _bounded(label: str, file: BinaryIO) -> bytes:
    content = file.read(MAX_DOCUMENT + 1)
    if len(content) > MAX_DOCUMENT:
        raise ScenarioError([f"{label}: more than {MAX_DOCUMENT // 1000} kB, too large for a scenario"])
    return content


def _read(label: str, read: Callable[[], bytes]) -> bytes:
    """The content, or a clear error that says why there is none."""
    try:
        return read()
    except FileNotFoundError:
        raise StorageError(f"{label}: neither a file nor a shipped preset{_hint(label)}") from None
    except IsADirectoryError:
        raise ScenarioError([f"{label}: a directory, not a scenario; name one of the files in it"]) from None
    except (OSError, ValueError) as error:  # ValueError: letters that no name has
        reason = system.name_refusal(label) or getattr(error, "strerror", None) or error
        raise StorageError(f"{label}: {reason}") from None


def _hint(name: str) -> str:
    """What to try instead of a name that nothing has."""
    from boidsgen.output.formats import WRITERS  # noqa: PLC0415  a scenario that is there must not wait for it

    if any(Path(name).suffix.lower() in writer.extensions for writer in WRITERS.values()):
        return f"; -o {name} is for a file to be made"
    listing = "" if Path(name).suffix else "; `boidsgen presets` lists those"
    return suggestion(name, _shipped()) or listing


def _decoded(label: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")  # editors on Windows put a byte order mark in front
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wrong = f"byte {error.start} (0x{content[error.start]:02x}) is not UTF-8; save the file as UTF-8"
        raise ScenarioError([f"{label}:{line}: {wrong}"]) from None


def _is_file(name: str) -> bool:
    return _exists(name) and Path(name).is_file()


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


@cache
def _shipped() -> Mapping[str, Traversable]:
    """The files of the presets by name."""
    folder = _shipped_folder()
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name) if folder else []
    return {entry.name.removesuffix(".toml"): entry for entry in entries if entry.name.endswith(".toml")}


@cache
def _shipped_folder() -> Traversable | None:
    """Where the presets are: inside the package when installed, beside it in a clone."""
    package = files("boidsgen")
    folders = (package / "configs", Path(str(package)).parent / "configs")
    return next((folder for folder in folders if folder.is_dir()), None)


def schema_address() -> str | None:
    """The address of the schema that came with this installation; None where it is not a file."""
    folder = _shipped_folder()
    schema = Path(str(folder)) / "scenario.schema.json"
    return schema.absolute().as_uri() if schema.is_file() else None
