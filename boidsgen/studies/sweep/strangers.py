"""Strangers: files in the directory of a sweep that are not ours, and that the sweep would replace.

A file is ours by a mark in it, never by its name: clips, pictures and sheets carry the scenario that they were made
from, folders of pictures hold nothing but pictures of ours, and the manifest, the table and the page are written in a
form that every version has written them in. So a directory is known however its sweep was stopped, and whatever of it
has been lost since.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from boidsgen.errors import ScenarioError, StorageError
from boidsgen.output import originals
from boidsgen.output.base import ClipWriter
from boidsgen.output.formats import WRITERS
from boidsgen.output.places import storing, stranger
from boidsgen.output.provenance import origin
from boidsgen.studies.sweep.manifest import LINES, SPREADSHEET, table_mark
from boidsgen.studies.sweep.page import MARK, PAGE
from boidsgen.studies.sweep.plan import Plan
from boidsgen.studies.sweep.sheet import sheet_name

MADE_BY = "# boidsgen "
"""How a line begins that says by whom a file was made."""
MAX_HEAD = 1 << 16
"""Bytes at the beginning of a table or page in which its mark stands."""
MAX_LINES = 1000
"""Lines of a manifest that may be damaged before the first whole one."""


def refuse_originals(directory: Path, plan: Plan) -> None:
    """Stop before the sweep replaces what it is made from.

    Raises:
        UsageError: naming the file.
    """
    for name, _ in _names(plan):
        originals.refuse(str(directory / name))


def refuse_strangers(directory: Path, plan: Plan) -> None:
    """Stop before the sweep replaces what somebody else has put there.

    Raises:
        StorageError: naming the file, and a way out.
    """
    for name, is_own in _names(plan):
        path = directory / name
        with storing(str(path)):
            if path.exists() and not is_own(path):
                raise StorageError(
                    f"{path}: was not made by boidsgen, and the sweep would replace it; "
                    "choose another directory, or say --force-directory"
                )


def made_by_us(path: Path) -> bool:
    """Whether a clip or picture says that boidsgen has made it; may raise OSError."""
    try:
        text = origin(path, path.name) if path.is_file() else None
    except ScenarioError:
        return False
    return text is not None and any(line.startswith(MADE_BY) for line in text.splitlines()[:2])


def _names(plan: Plan) -> Iterator[tuple[str, Callable[[Path], bool]]]:
    """Everything that the sweep will write, each with what tells whether such a file is ours."""
    yield LINES, _is_manifest
    yield SPREADSHEET, _is_table
    yield PAGE, _is_page
    if plan.drawn:
        yield sheet_name(plan), made_by_us
    for run in plan.runs:
        if run.file:
            yield run.file, _is_folder if WRITERS[run.format].makes == "folder" else made_by_us


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not any(stranger(path, writer.is_own) for writer in _folders())


def _folders() -> Iterator[type[ClipWriter]]:
    return (writer for writer in WRITERS.values() if writer.makes == "folder")


def _is_table(path: Path) -> bool:
    return _head(path).partition(b"\n")[0].decode(errors="replace").startswith(table_mark())


def _is_page(path: Path) -> bool:
    return MARK.encode() in _head(path)


def _head(path: Path) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(MAX_HEAD)


def _is_manifest(path: Path) -> bool:
    """Whether a line is a row of ours; an empty file is what a sweep leaves that is killed before its first row."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        lines = [line for _, line in zip(range(MAX_LINES), iter(lambda: file.readline(MAX_HEAD), b""), strict=False)]
    return not lines or any(map(_is_row, lines))


def _is_row(line: bytes) -> bool:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    wanted = ("run", "file", "status", "scenario", "versions")
    return isinstance(row, dict) and all(isinstance(row.get(name), str) for name in wanted)
