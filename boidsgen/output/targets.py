"""Targets: what the user means by `-o`, a path and a format.

For clips the scenario has the last word about the format, and a folder is a target as well: `target`. For trajectories
and series the name alone, or `--format`, tells the format: `format_of`.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from boidsgen.errors import UsageError
from boidsgen.output.base import Writer
from boidsgen.output.formats import WRITERS, spoken
from boidsgen.output.input_guard import STANDARD_OUTPUT, refuse_name

Kind = TypeVar("Kind", bound=Writer[Any])

DIRECTORY = "outputs"
"""The folder for outputs without -o."""


@dataclass(frozen=True, slots=True)
class Target:
    """One output.

    Attributes:
        path: a file, a folder for a format that makes folders, or "-" for standard output.
        format: a name from `WRITERS`.
    """

    path: str
    format: str


def target(name: str, *, stem: str, explicit: str | None = None, default: str = "gif") -> Target:
    """The target of `-o NAME`.

    A name that ends with "/", or an existing directory, is where the file `stem` goes, and for a format that makes
    folders the folder itself. Otherwise the extension tells the format, in upper or lower case.

    Args:
        name: as the user wrote it.
        stem: name of the file inside a directory, without extension.
        explicit: the format of the option `--format`; one that contradicts the extension is a mistake.
        default: the format of the scenario, for names that tell none.

    Raises:
        UsageError: the name tells no format, or another one than `explicit`, or the system takes no such name.
    """
    refuse_name(name)
    if name == STANDARD_OUTPUT:
        return Target(name, explicit or default)
    if names_folder(name) or Path(name).is_dir():
        return _inside(name, stem, explicit or default)
    return Target(name, _format_of(name, explicit, default))


def names_folder(name: str) -> bool:
    """Whether a name ends as that of a folder: with a slash, and on Windows also with a backslash."""
    return name.endswith(tuple(filter(None, (os.sep, os.altsep))))


def default_target(stem: str, output_format: str) -> Target:
    """The target without `-o`: `outputs/<stem>` with the extension of the format."""
    if WRITERS[output_format].makes == "folder":
        return Target(str(Path(DIRECTORY) / stem), output_format)
    return _inside(DIRECTORY, stem, output_format)


def _inside(directory: str, stem: str, output_format: str) -> Target:
    writer = WRITERS[output_format]
    path = directory if writer.makes == "folder" else str(Path(directory) / f"{stem}{writer.extensions[0]}")
    return Target(path, output_format)


def _format_of(name: str, explicit: str | None, default: str) -> str:
    extension = Path(name).suffix.lower()
    told = next((writer for writer in WRITERS.values() if extension in writer.extensions), None)
    if told is None:
        return explicit or _of_a_device(name, default)
    if explicit not in {None, told.name}:
        raise UsageError(f"{name}: ends with {extension}, but --format says {explicit}; change one of them")
    if told.makes == "folder":
        raise UsageError(
            f"{name}: {told.name} frames go into a folder, such as {Path(name).stem}/ with --format {told.name}"
        )
    return told.name


def _of_a_device(name: str, default: str) -> str:
    """Pipes and devices have no extension, and need none."""
    path = Path(name)
    if path.exists() and not path.is_file():
        return default
    known = ", ".join(ending for writer in WRITERS.values() for ending in writer.extensions if writer.makes != "folder")
    raise UsageError(f"{name}: the name does not tell the format; end it with {known}, or say --format")


def format_of(name: str, kinds: Mapping[str, type[Kind]], explicit: str | None = None) -> str:
    """The format of a file of this name.

    Args:
        name: as the user wrote it.
        kinds: the formats there are.
        explicit: the format of the option `--format`; one that contradicts the name is a mistake.

    Raises:
        UsageError: the name tells no format, or another one than `explicit`, or the system takes no such name.
    """
    refuse_name(name)
    if explicit not in {None, *kinds}:
        raise UsageError(f"--format {explicit}: must be {spoken(kinds)}")
    extension = Path(name).suffix.lower()
    told = next((format_ for format_, kind in kinds.items() if extension in kind.extensions), None)
    if told is None and explicit is None:
        raise UsageError(f"{name}: {_how_to_tell(name, kinds)}")
    if told and explicit not in {None, told}:
        raise UsageError(f"{name}: ends with {extension}, but --format says {explicit}; change one of them")
    return explicit or told or ""


def _how_to_tell(name: str, kinds: Mapping[str, type[Kind]]) -> str:
    if name == STANDARD_OUTPUT:
        return f"say with --format what to write to standard output: {spoken(kinds)}"
    known = ", ".join(ending for kind in kinds.values() for ending in kind.extensions)
    return f"the name does not tell the format; end it with {known}"
