"""Files that a scenario names: what they hold takes the place of their names before the scenario is checked.

  embedded(document, folder)   every name of a file with what it stands for, or the mistake in it

A path leads from the folder of the scenario. So a scenario that has been loaded is complete: what is made from it can
be made again without the files, and its provenance holds what they held. Which keys are names of files is marked where
they are declared (`FileToRead`); the readers are here, by the key.

  csv     x, y, in 3D z, and perhaps vx, vy, in 3D vz: a line for each boid
  image   where an image is dark (`images`)
"""

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from boidsgen.errors import StorageError, printable
from boidsgen.output.originals import remember
from boidsgen.scenario.grammar import Form, fields, has_remark, places
from boidsgen.scenario.images import MAX_IMAGE_BYTES, UnfitImageError, dark_parts
from boidsgen.scenario.lines import Keys
from boidsgen.scenario.mistakes import Mistake
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import shown
from boidsgen.simulation.motion import Motion
from boidsgen.tables import FileToRead, in_range

MAX_CSV_BYTES = 1_000_000
"""Bytes that a file of points may have: provenance, which holds the points, stays small enough to be read again."""
MAX_POINTS = 10_000
"""Points that a file may have, for the same reason."""
_POSITION, _VELOCITY = ("x", "y", "z"), ("vx", "vy", "vz")


class _UnfitError(Exception):
    """The file cannot stand there; the message says why."""


class Embedded(NamedTuple):
    """What takes the place of a name.

    Attributes:
        path: the file.
        keys: of the table with the name.
        table: the table with what the file holds instead; the one with the name, where there is a mistake.
        mistake: what is wrong with the file, if anything is.
    """

    path: Path
    keys: Keys
    table: Mapping[str, object]
    mistake: Mistake | None


def embedded(document: Mapping[str, object], folder: Path, dimension: int | None) -> Iterator[Embedded]:
    """Every name of a file in a document with what it stands for; `dimension` of the world, if that is known."""
    for root, start, form in _roots(document):
        tables: dict[Keys, object] = {}
        for keys, value, inner in places(start, form, root):
            tables[keys] = value
            table = tables.get(keys[:-1])
            if isinstance(value, str) and has_remark(inner, FileToRead) and isinstance(table, Mapping):
                yield _one(keys, table, folder / value, dimension)


def names_of_files(document: Mapping[str, object]) -> Iterator[tuple[Keys, str]]:
    """The names of files in a document, and their keys."""
    for root, start, form in _roots(document):
        for keys, value, inner in places(start, form, root):
            if isinstance(value, str) and has_remark(inner, FileToRead):
                yield keys, value


def _roots(document: Mapping[str, object]) -> Iterator[tuple[Keys, object, Form]]:
    """The document, and the starts that its events set."""
    yield (), document, Scenario
    events = document.get("events", ())
    for number, event in enumerate(events if isinstance(events, tuple | list) else (events,)):
        place: Keys = ("events",) if event is events else ("events", number)
        changes = event.get("set", {}) if isinstance(event, Mapping) else {}
        for key, value in changes.items() if isinstance(changes, Mapping) else ():
            if key.split(".")[-1] == "start":
                yield (*place, "set", key), value, fields(Motion)["start"]


def _one(keys: Keys, table: Mapping[str, object], path: Path, dimension: int | None) -> Embedded:
    key = str(keys[-1])
    rest = {name: value for name, value in table.items() if name != key}
    try:
        return Embedded(path, keys[:-1], {**rest, **_READERS[key](path, dimension)}, None)
    except _UnfitError as error:
        return Embedded(path, keys[:-1], table, Mistake(keys, str(error)))


def _content(path: Path, most: int) -> bytes:
    """What a file holds, if that is not too much."""
    label = _label(path)
    try:
        if path.exists() and not path.is_file():
            raise _UnfitError(f"{label}: not a file")
        remember(path)
        with path.open("rb") as file:
            content = file.read(most + 1)
    except FileNotFoundError:
        raise _UnfitError(f"{label}: there is no such file") from None
    except StorageError as error:  # a device
        raise _UnfitError(str(error)) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _UnfitError(f"{label}: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > most:
        raise _UnfitError(f"{label}: more than {most // 1000:,} kB")
    return content


def _label(path: Path) -> str:
    return printable(str(path))


def _points(path: Path, dimension: int | None) -> Mapping[str, object]:
    """The points and velocities of a CSV file."""
    lines = list(_lines(path))
    if not lines:
        raise _UnfitError(f"{_label(path)}: has no points")
    number, first = lines[0]
    named = not _is_number(first[0])
    columns = _named(first, dimension, f"{_label(path)}:{number}") if named else _unnamed(len(first), dimension)
    if columns is None:
        wanted = " or ".join(", ".join(known) for known in _known(dimension))
        raise _UnfitError(f"{_label(path)}:{number}: has {len(first)} columns; must be {wanted}")
    rows = [_numbers(row, columns, f"{_label(path)}:{at}") for at, row in lines[named:]]
    if not 1 <= len(rows) <= MAX_POINTS:
        raise _UnfitError(f"{_label(path)}: has {len(rows):,} points; must have 1 to {MAX_POINTS:,}")
    return _as_keys(rows, columns)


def _as_keys(rows: Sequence[Mapping[str, float]], columns: Sequence[str]) -> Mapping[str, object]:
    def vectors(names: Iterable[str]) -> tuple[tuple[float, ...], ...]:
        there = [name for name in names if name in columns]
        return tuple(tuple(row[name] for name in there) for row in rows)

    moving = {"velocities": vectors(_VELOCITY)} if _VELOCITY[0] in columns else {}
    return {"points": vectors(_POSITION), **moving}


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines that are not empty, each with its number."""
    label = _label(path)
    try:
        text = _content(path, MAX_CSV_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _UnfitError(f"{label}: is not text in UTF-8") from None
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise _UnfitError(f"{label}:{reader.line_num}: is not CSV: {error}") from None


def _known(dimension: int | None) -> list[tuple[str, ...]]:
    """The columns that a file may have, by the dimension of the world."""
    axes = (2, 3) if dimension is None else (dimension,)
    return [_POSITION[:axis] + velocity for axis in axes for velocity in ((), _VELOCITY[:axis])]


def _unnamed(number: int, dimension: int | None) -> Sequence[str] | None:
    return next((columns for columns in _known(dimension) if len(columns) == number), None)


def _named(names: Sequence[str], dimension: int | None, where: str) -> Sequence[str] | None:
    """The columns of a first line, in the order of the file."""
    for number, name in enumerate(names, start=1):
        if name not in {*_POSITION, *_VELOCITY}:
            raise _UnfitError(f"{where}: column {number}: must be x, y, z, vx, vy or vz, not {shown(name)}")
        if name in names[: number - 1]:
            raise _UnfitError(f"{where}: column {number}: {name} is there already")
    return names if any(set(names) == set(columns) for columns in _known(dimension)) else None


def _numbers(row: Sequence[str], columns: Sequence[str], where: str) -> Mapping[str, float]:
    if len(row) != len(columns):
        raise _UnfitError(f"{where}: must have {len(columns)} columns, not {len(row)}")
    cells = enumerate(zip(row, columns, strict=True), start=1)
    return {name: _number(cell, f"{where}: column {number} ({name})") for number, (cell, name) in cells}


def _number(cell: str, where: str) -> float:
    if not _is_number(cell):
        raise _UnfitError(f"{where}: must be a finite number, not {shown(cell)}")
    try:
        return in_range(float(cell))
    except ValueError as error:
        raise _UnfitError(f"{where}: {error}") from None


def _is_number(cell: str) -> bool:
    """Whether it is a finite number as tables have them; Python also reads 1_0, and the digits of every script."""
    try:
        return cell.isascii() and "_" not in cell and math.isfinite(float(cell))
    except ValueError:
        return False


def _dark_parts(path: Path, dimension: int | None) -> Mapping[str, object]:
    """Where an image is dark, as lines of text."""
    del dimension
    try:
        return {"rows": dark_parts(_content(path, MAX_IMAGE_BYTES))}
    except UnfitImageError as error:
        raise _UnfitError(f"{_label(path)}: {error}") from None


_READERS: Mapping[str, Callable[[Path, int | None], Mapping[str, object]]] = {"csv": _points, "image": _dark_parts}
"""What reads a file, by the key with its name."""
