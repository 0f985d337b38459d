"""Targets: what the user means by `-o`, a path and a format.

For clips the scenario decides where neither extension nor `--format` does, and a folder is a target as well; for
trajectories and series the extension or `--format` selects the format.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from boidsgen.errors import UsageError
from boidsgen.output.base import Writer
from boidsgen.output.formats import WRITERS, spoken
from boidsgen.output.publish import STANDARD_OUTPUT, refuse_name

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
    path = Path(name)
    if name == STANDARD_OUTPUT:
        return Target(name, explicit or default)
    if names_folder(name) or path.is_dir():
        return _inside(name, stem, explicit or default)
    extension = path.suffix.lower()
    found = next((writer for writer in WRITERS.values() if extension in writer.extensions), None)
    if found is None:
        if explicit is None and (path.is_file() or not path.exists()):
            files = (writer for writer in WRITERS.values() if writer.makes != "folder")
            known = ", ".join(ending for writer in files for ending in writer.extensions)
            raise UsageError(f"{name}: the name does not tell the format; end it with {known}, or say --format")
        return Target(name, explicit or default)
    _refuse_contradiction(name, found.name, explicit)
    if found.makes == "folder":
        raise UsageError(
            f"{name}: {found.name} frames go into a folder, such as {path.stem}/ with --format {found.name}"
        )
    return Target(name, found.name)


def names_folder(name: str) -> bool:
    """True if a name ends as that of a folder: with a slash, and on Windows also with a backslash."""
    return name.endswith(tuple(filter(None, (os.sep, os.altsep))))


def default_target(stem: str, output_format: str) -> Target:
    """The target without `-o`: `outputs/<stem>` with the extension of the format."""
    if WRITERS[output_format].makes == "folder":
        return Target(str(Path(DIRECTORY, stem)), output_format)
    return _inside(DIRECTORY, stem, output_format)


def format_of(name: str, kinds: Mapping[str, type[Kind]], explicit: str | None = None) -> str:
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
    extension = Path(name).suffix.lower()
    found = next((format_ for format_, kind in kinds.items() if extension in kind.extensions), None)
    if found:
        _refuse_contradiction(name, found, explicit)
    elif explicit is None and name == STANDARD_OUTPUT:
        raise UsageError(f"{name}: say with --format what to write to standard output: {spoken(kinds)}")
    elif explicit is None:
        known = ", ".join(ending for kind in kinds.values() for ending in kind.extensions)
        raise UsageError(f"{name}: the name does not tell the format; end it with {known}")
    return found or explicit or ""


def _inside(directory: str, stem: str, output_format: str) -> Target:
    writer = WRITERS[output_format]
    path = directory if writer.makes == "folder" else str(Path(directory, f"{stem}{writer.extensions[0]}"))
    return Target(path, output_format)


def _refuse_contradiction(name: str, found: str, explicit: str | None) -> None:
    if explicit not in {None, found}:
        ending = Path(name).suffix.lower()
        raise UsageError(f"{name}: ends with {ending}, but --format says {explicit}; change one of them")
