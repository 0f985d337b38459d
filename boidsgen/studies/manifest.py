"""The manifest of a sweep: one JSON line a run, whatever became of it, and the same as a table for spreadsheets.

`manifest.jsonl` grows by a line whenever a run ends, so nothing is lost when the sweep is killed; at the end it is
rewritten in the order of the sweep. It keeps runs of earlier sweeps in the same directory; `manifest.csv` does not. A
line is never trusted: a run counts as done only if the hashes of its scenario and its output are those in the line, and
a line that is no row of the right types counts as absent.
"""

import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, Required, Self, TypeAlias

from pydantic import ConfigDict, Field, FiniteFloat, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from boidsgen.output.columns import Columns, ColumnsCsv
from boidsgen.output.publish import open_file, open_log, storing
from boidsgen.scenario.wording import to_toml
from boidsgen.system import open_regular

LINES, SPREADSHEET, STUDY = "manifest.jsonl", "manifest.csv", "study.toml"
CRATE = "ro-crate-metadata.json"  # which only some sweeps have
RUN_DONE, RUN_FAILED, RUN_WAITING = "done", "failed", "waiting"
"""Status of a run; a waiting one has not begun, or not ended."""

Outcome: TypeAlias = dict[str, Any]
"""The result of a job: at least its status, and the reason for a failure."""
ManifestRow: TypeAlias = dict[str, Any]
"""Everything that is known of one run; `_RowShape` lists the entries."""

_FIRST_COLUMNS = ("run", "file", "status", "reason", "seconds", "frames", "seed", "seed_number", "seeds")
_LAST_COLUMNS = ("bytes", "sha256", "digest", "scenario", "versions")
_OF_MEASURES = ("final", "mean", "error", "tau", "n_eff", "settled")
_MAX_NAMED = 10
MAX_ROW = 1_000_000  # Bytes of one row
LARGEST_MEASURE = 1e150  # Of a measure; the square of a greater one may be none

_Number: TypeAlias = Annotated[float, Field(gt=-LARGEST_MEASURE, lt=LARGEST_MEASURE)]
_Numbers: TypeAlias = Mapping[str, _Number | None]
_Whole: TypeAlias = Annotated[int, Field(ge=0, lt=2**64)]
_Value: TypeAlias = str | bool | Annotated[int, Field(ge=-(2**63), lt=2**64)] | FiniteFloat | list[Any] | dict[str, Any]
_SHAPE = ConfigDict(strict=True, extra="forbid")


@with_config(_SHAPE)
class _ProfileShape(TypedDict):
    distance: list[_Number]
    mean: list[_Number | None]


@with_config(_SHAPE)
class _RowShape(TypedDict, total=False):
    """The entries of a row and their types."""

    run: Required[Annotated[str, Field(min_length=1)]]
    status: Required[Literal["done", "failed", "waiting"]]
    file: str
    scenario: str
    observation: str  # digest of the model by which the run was seen as a film shows it
    program: str  # fingerprint of the rules and measures that a program has added
    versions: str
    reason: str
    exit_code: _Whole
    seconds: FiniteFloat
    frames: _Whole
    seed: _Whole
    seed_number: _Whole | None
    seeds: _Whole  # of this combination of values
    bytes: _Whole
    sha256: str
    digest: str
    final: _Numbers
    mean: _Numbers
    error: _Numbers
    tau: _Numbers
    n_eff: _Numbers
    settled: Mapping[str, bool | None]
    moments: Mapping[str, Annotated[list[_Number], Field(min_length=2, max_length=2)]]
    profiles: Mapping[str, _ProfileShape]
    boids: _Whole
    series: str
    poster: str
    parameters: Mapping[str, _Value]
    seal: str  # of 0.1


_ROW = TypeAdapter(_RowShape)


def row_to_line(row: ManifestRow) -> bytes:
    """Serialize a row."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def row_from_line(line: bytes) -> ManifestRow | None:
    """Parse a line; None if it is damaged. The checksum that 0.1 put into a row is dropped."""
    if len(line) > MAX_ROW:
        return None
    try:
        _ROW.validate_json(line)
    except ValidationError:
        return None
    row: ManifestRow = json.loads(line)
    row.pop("seal", None)
    return row


def read_lines(file: BinaryIO) -> tuple[dict[str, bytes], list[int]]:
    """The latest line of each run, and the numbers of damaged lines, counted from 1. Raises OSError."""
    lines: dict[str, bytes] = {}
    damaged = []
    file.seek(0)
    for number, line in enumerate(iter(lambda: file.readline(MAX_ROW + 1), b""), start=1):
        if row := row_from_line(line):
            lines[row["run"]] = line.rstrip(b"\n") + b"\n"
        elif line.strip():
            damaged.append(number)
    return lines, damaged


def name_some(numbers: Sequence[int]) -> str:
    """The first few numbers as text."""
    return ", ".join(map(str, numbers[:_MAX_NAMED])) + (", …" if len(numbers) > _MAX_NAMED else "")


class Manifest:
    """The rows in a directory. Lines rather than rows are kept in memory: they take a fifth of the room.

    Attributes:
        damaged: numbers of the damaged lines, counted from 1.

    Raises:
        StorageError: the file cannot be read or written.
    """

    def __init__(self, directory: Path) -> None:
        self._path = directory / LINES
        self._spreadsheet = directory / SPREADSHEET
        with storing(str(self._path)):
            self._file = open_log(self._path)
            self._lines, self.damaged = read_lines(self._file)
            if self._file.seek(0, os.SEEK_END):
                self._file.seek(-1, os.SEEK_END)
                if self._file.read(1) != b"\n":  # a killed sweep left this line unfinished
                    self._file.write(b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        with suppress(OSError):
            if not self._path.stat().st_size:  # the sweep failed before it began
                self._path.unlink()

    def row(self, run: str) -> ManifestRow | None:
        """The latest row of a run."""
        line = self._lines.get(run)
        return json.loads(line) if line else None

    def add(self, row: ManifestRow) -> None:
        """Append a row, which replaces an earlier one of the same run."""
        line = row_to_line(row)
        with storing(str(self._path)):
            self._file.write(line)  # in one piece: a signal leaves no half of it
            self._file.flush()
        self._lines[row["run"]] = line

    def publish(self, rows: Iterable[ManifestRow], keys: Sequence[str], measures: Sequence[str]) -> None:
        """Rewrite both files, as the last act: these rows in their order, and behind them the lines of earlier sweeps.

        The line of a waiting run stays if there is one: a sweep that is stopped does not forget earlier ones.
        """
        self._file.close()  # not every system replaces a file that is open
        others = dict(self._lines)
        columns = [
            *_FIRST_COLUMNS,
            *(key for key in keys if key not in _FIRST_COLUMNS),
            *(f"{kind}.{name}" for kind in _OF_MEASURES for name in measures),
            *_LAST_COLUMNS,
        ]
        with open_file(str(self._spreadsheet)) as table, open_file(str(self._path)) as lines:
            spreadsheet = ColumnsCsv(table, Columns.of((), columns))
            for row in rows:
                flat = flatten_row(row)
                cells = ((name, flat.get(name)) for name in columns)
                cells = ((name, to_toml(one) if isinstance(one, bool | list | dict) else one) for name, one in cells)
                spreadsheet.write(Columns.of([dict(cells)]))
                earlier = others.pop(row["run"], None)
                lines.write(earlier if earlier and row["status"] == RUN_WAITING else row_to_line(row))
            lines.writelines(others.values())


def flatten_row(row: ManifestRow) -> ManifestRow:
    """A row with its parameters and measures beside its other entries, as in `mean.polarization`."""
    measures = {f"{kind}.{name}": value for kind in _OF_MEASURES for name, value in row.get(kind, {}).items()}
    return {**row.get("parameters", {}), **measures, **row}


def json_value(value: object) -> object:
    """A value that every reader of JSON understands: infinities become text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [json_value(entry) for entry in value]
    if isinstance(value, Mapping):
        return {name: json_value(entry) for name, entry in value.items()}
    return value


def hash_output(path: Path) -> dict[str, object]:
    """Size and SHA-256 of a file, or of all files in a folder together. Raises OSError."""
    hashes, size = {}, 0
    for each in sorted(path.iterdir()) if path.is_dir() else [path]:
        size += each.stat().st_size
        with open_regular(each) as file:
            hashes[each.name] = hashlib.file_digest(file, "sha256").hexdigest()
    if not path.is_dir():
        return {"bytes": size, "sha256": hashes[path.name]}
    together = "".join(f"{found}  {name}\n" for name, found in hashes.items())
    return {"bytes": size, "sha256": hashlib.sha256(together.encode()).hexdigest()}


def is_done(row: ManifestRow | None, expected: Mapping[str, object], directory: Path) -> bool:
    """True if a row says that the run with these entries was done, and its output is still there, unchanged."""
    if row is None or row["status"] != RUN_DONE or any(row.get(name) != entry for name, entry in expected.items()):
        return False
    if not expected["file"]:
        return True
    try:
        return hash_output(directory / str(expected["file"])).items() <= row.items()
    except OSError:
        return False
