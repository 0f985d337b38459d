"""Files that a scenario names: their content takes the place of their names before the scenario is checked.

A path leads from the folder of the scenario. A loaded scenario is complete: it can be rendered again without its
files, and its provenance contains their content. Keys that name files are marked where they are declared, by
`FileToRead`; the readers are here, by the key: `csv` has x, y, in 3D z, and optionally vx, vy, in 3D vz on a line for
each boid, `image` is dark where boids start (see `images`).
"""

import csv
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from boidsgen.errors import StorageError, printable
from boidsgen.output.publish import remember_input
from boidsgen.scenario.annotations import Form, fields, has_remark, places
from boidsgen.scenario.images import MAX_IMAGE_BYTES, UnfitImageError, dark_parts
from boidsgen.scenario.positions import Keys
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.validation import Problem
from boidsgen.scenario.wording import shown
from boidsgen.simulation.motion import Motion
from boidsgen.tables import FileToRead, in_range

MAX_CSV_BYTES = 1_000_000
"""Maximum size of a file of points in bytes: provenance, which contains them, stays small enough to be read again."""
MAX_POINTS = 10_000
"""Maximum number of points in a file, for the same reason."""
_POSITION, _VELOCITY = ("x", "y", "z"), ("vx", "vy", "vz")


class _UnfitError(Exception):
    """The file does not fit its key; the message is the reason."""


class Embedded(NamedTuple):
    """The content of a file in place of its name.

    Attributes:
        path: the file.
        keys: of the table with the name.
        table: the table with the file's content; the one with the name, where there is an error.
        problem: the error in the file, if there is one.
    """

    path: Path
    keys: Keys
    table: Mapping[str, object]
    problem: Problem | None


def embedded(document: Mapping[str, object], folder: Path, dimension: int | None) -> Iterator[Embedded]:
    """Every name of a file in a document with its content; `dimension` of the world, if that is known."""
    for keys, name, table in _named(document):
        path, key = folder / name, str(keys[-1])
        rest = {other: value for other, value in table.items() if other != key}
        try:
            yield Embedded(path, keys[:-1], {**rest, **_READERS[key](path, dimension)}, None)
        except _UnfitError as error:
            yield Embedded(path, keys[:-1], table, Problem(keys, str(error)))


def names_of_files(document: Mapping[str, object]) -> Iterator[tuple[Keys, str]]:
    """The names of files in a document, and their keys."""
    return ((keys, name) for keys, name, _ in _named(document))


def _named(document: Mapping[str, object]) -> Iterator[tuple[Keys, str, Mapping[str, object]]]:
    """The names of files in a document and in the starts that its events set: keys, name, and the table around it."""
    roots: list[tuple[Keys, object, Form]] = [((), document, Scenario)]
    events = document.get("events", ())
    for number, event in enumerate(events if isinstance(events, tuple | list) else (events,)):
        place: Keys = ("events",) if event is events else ("events", number)
        changes = event.get("set", {}) if isinstance(event, Mapping) else {}
        for key, value in changes.items() if isinstance(changes, Mapping) else ():
            if key.split(".")[-1] == "start":
                roots.append(((*place, "set", key), value, fields(Motion)["start"]))
    for root, start, form in roots:
        tables: dict[Keys, object] = {}
        for keys, value, inner in places(start, form, root):
            tables[keys] = value
            table = tables.get(keys[:-1])
            if isinstance(value, str) and has_remark(inner, FileToRead) and isinstance(table, Mapping):
                yield keys, value, table


def _content(path: Path, most: int) -> bytes:
    """The bytes of a file, if they are not too many."""
    label = printable(str(path))
    try:
        if path.exists() and not path.is_file():
            raise _UnfitError(f"{label}: not a file")
        remember_input(path)
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


def _points(path: Path, dimension: int | None) -> Mapping[str, object]:
    """The points and velocities of a CSV file."""
    label = printable(str(path))
    axes = (2, 3) if dimension is None else (dimension,)
    known = [_POSITION[:axis] + velocity for axis in axes for velocity in ((), _VELOCITY[:axis])]
    lines = list(_lines(path))
    if not lines:
        raise _UnfitError(f"{label}: has no points")
    at, first = lines[0]
    has_names = not _is_number(first[0])
    columns: Sequence[str] | None
    if has_names:
        for number, name in enumerate(first, start=1):
            if name not in {*_POSITION, *_VELOCITY}:
                raise _UnfitError(f"{label}:{at}: column {number}: must be x, y, z, vx, vy or vz, not {shown(name)}")
            if name in first[: number - 1]:
                raise _UnfitError(f"{label}:{at}: column {number}: {name} is there already")
        columns = first if any(set(first) == set(one) for one in known) else None
    else:
        columns = next((one for one in known if len(one) == len(first)), None)
    if columns is None:
        wanted = " or ".join(", ".join(one) for one in known)
        raise _UnfitError(f"{label}:{at}: has {len(first)} columns; must be {wanted}")
    rows = [_numbers(row, columns, f"{label}:{number}") for number, row in lines[has_names:]]
    if not 1 <= len(rows) <= MAX_POINTS:
        raise _UnfitError(f"{label}: has {len(rows):,} points; must have 1 to {MAX_POINTS:,}")
    found = {"points": _POSITION, **({"velocities": _VELOCITY} if _VELOCITY[0] in columns else {})}
    return {
        key: tuple(tuple(row[name] for name in names if name in columns) for row in rows)
        for key, names in found.items()
    }


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines that are not empty, each with its number."""
    label = printable(str(path))
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


def _numbers(row: Sequence[str], columns: Sequence[str], where: str) -> Mapping[str, float]:
    """The numbers of a line by the names of their columns."""
    if len(row) != len(columns):
        raise _UnfitError(f"{where}: must have {len(columns)} columns, not {len(row)}")
    numbers = {}
    for at, (cell, name) in enumerate(zip(row, columns, strict=True), start=1):
        if not _is_number(cell):
            raise _UnfitError(f"{where}: column {at} ({name}): must be a finite number, not {shown(cell)}")
        try:
            numbers[name] = in_range(float(cell))
        except ValueError as error:
            raise _UnfitError(f"{where}: column {at} ({name}): {error}") from None
    return numbers


def _is_number(cell: str) -> bool:
    """True for a finite number as tables have them; Python also reads 1_0, and the digits of every script."""
    try:
        return cell.isascii() and "_" not in cell and math.isfinite(float(cell))
    except ValueError:
        return False


def _dark_parts(path: Path, _: int | None) -> Mapping[str, object]:
    """The dark parts of an image, as lines of text."""
    try:
        return {"rows": dark_parts(_content(path, MAX_IMAGE_BYTES))}
    except UnfitImageError as error:
        raise _UnfitError(f"{printable(str(path))}: {error}") from None


_READERS: Mapping[str, Callable[[Path, int | None], Mapping[str, object]]] = {"csv": _points, "image": _dark_parts}
"""The reader of a file, by the key with its name."""
