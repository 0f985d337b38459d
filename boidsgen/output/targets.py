"""Targets: what the user means by `-o`, a path and a format.

For clips the scenario decides where neither extension nor `--format` does, and a folder is a target as well; for
trajectories and series the extension or `--format` selects the format.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from boidsgen.errors import UsageError, spoken
from boidsgen.inputs import STANDARD_OUTPUT, refuse_name
from boidsgen.output.base import Format
from boidsgen.output.formats import FORMATS

DIRECTORY = "outputs"  # The folder for outputs without -o


@dataclass(frozen=True, slots=True)
class Target:
    """One output."""

    path: str  # a file, a folder for a format that makes folders, or "-" for standard output
    format: str  # a name from `FORMATS`


def target(name: str, *, stem: str, explicit: str | None = None, default: str = "gif") -> Target:
    """The target of `-o NAME`.

    A name that ends with "/", or an existing directory, is where the file `stem` goes, and for a format that makes
    folders the folder itself. Otherwise the extension selects the format; pipes and devices need none.

    Args:
        name: as the user wrote it.
        stem: name of the file inside a directory, without extension.
        explicit: the format of the option `--format`; it must not contradict the extension.
        default: the format of the scenario, for standard output, directories, pipes and devices.

    Raises:
        UsageError: the name tells no format, or another one than `explicit`, or the system takes no such name.
    """
    refuse_name(name)
    path, usual = Path(name), explicit or default
    if name == STANDARD_OUTPUT:
        return Target(name, usual)
    if names_folder(name) or path.is_dir():
        return _inside(name, stem, usual)
    if found := _format_by_extension(name, FORMATS, explicit):
        if FORMATS[found].makes == "folder":
            raise UsageError(f"{name}: {found} frames go into a folder, such as {path.stem}/ with --format {found}")
        return Target(name, found)
    if explicit is None and (path.is_file() or not path.exists()):
        files = (writer for writer in FORMATS.values() if writer.makes != "folder")
        raise UsageError(_unsupported(path, (ending for writer in files for ending in writer.extensions)))
    return Target(name, usual)


def names_folder(name: str) -> bool:
    """True if a name ends as that of a folder: with a slash, and on Windows also with a backslash."""
    return name.endswith(tuple(filter(None, (os.sep, os.altsep))))


def default_target(stem: str, output_format: str) -> Target:
    """The target without `-o`: `outputs/<stem>` with the extension of the format."""
    folder = FORMATS[output_format].makes == "folder"
    return Target(str(Path(DIRECTORY, stem)), output_format) if folder else _inside(DIRECTORY, stem, output_format)


def format_of(name: str, kinds: Mapping[str, type[Format]], explicit: str | None = None) -> str:
    """The format of a file of this name.

    Args:
        name: as the user wrote it.
        kinds: the formats there are.
        explicit: the format of the option `--format`; it must not contradict the name.

    Raises:
        UsageError: the name tells no format, or another one than `explicit`, or the system takes no such name.
    """
    refuse_name(name)
    if explicit not in {None, *kinds}:
        raise UsageError(f"--format {explicit}: must be {spoken(kinds)}")
    found = _format_by_extension(name, kinds, explicit) or explicit
    if found is None and name == STANDARD_OUTPUT:
        raise UsageError(f"{name}: say with --format what to write to standard output: {spoken(kinds)}")
    if found is None:
        raise UsageError(_unsupported(Path(name), (ending for kind in kinds.values() for ending in kind.extensions)))
    return found


def _unsupported(path: Path, known: Iterable[str]) -> str:
    wrong = f"unsupported format {path.suffix}" if path.suffix else "no file extension tells the format"
    return f"{path}: {wrong}; supported are {', '.join(known)}"


def _inside(directory: str, stem: str, output_format: str) -> Target:
    writer = FORMATS[output_format]
    path = directory if writer.makes == "folder" else str(Path(directory, f"{stem}{writer.extensions[0]}"))
    return Target(path, output_format)


def _format_by_extension(name: str, kinds: Mapping[str, type[Format]], explicit: str | None) -> str | None:
    """The format that an extension selects, if any; UsageError if another one is requested."""
    extension = Path(name).suffix.lower()
    found = next((each for each, kind in kinds.items() if extension in kind.extensions), None)
    if found and explicit not in {None, found}:
        raise UsageError(f"{name}: ends with {extension}, but --format says {explicit}; change one of them")
    return found
