"""Manifest: what became of every run, kept in the directory of the sweep.

`manifest.jsonl` grows by one line whenever a run ends, so that nothing that was done is lost when the sweep is killed;
at the end it is put in order, with one line a run. It remembers runs of earlier sweeps in the same directory, too.
`manifest.csv` is the same for spreadsheets, and has the runs of the present sweep only.

A row is a hint, never the truth: `holds` accepts one only when the scenario, the versions and the output itself are
still what the row says. Lines that are damaged or were edited count as not there; `damaged` has their numbers.
"""

import csv
import io
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Self

from boidsgen.caps import MAX_ROW
from boidsgen.output.places import storing
from boidsgen.output.tables import no_formula
from boidsgen.scenario.wording import written
from boidsgen.simulation.measures import USUAL_MEASURES
from boidsgen.studies.sweep.directory import fingerprint, replacing
from boidsgen.studies.sweep.jobs import DONE, WAITING
from boidsgen.studies.sweep.rows import Row, line_of, row_of

LINES, SPREADSHEET = "manifest.jsonl", "manifest.csv"

_ABOUT_RUN = ("run", "file", "status", "reason", "seconds", "frames", "seed", "seed_number")
_ABOUT_OUTPUT = ("bytes", "sha256", "digest", "scenario", "versions")
_OF_OUTPUT = ("bytes", "sha256")
_OF_RUN = ("run", "file", "status", "scenario", "versions", "series", *_OF_OUTPUT)
"""What tells whether a run has to be done again."""
_INSTANTS = ("final", "mean", "error")


class Manifest:
    """The rows of a directory; open it once at a time.

    Attributes:
        damaged: numbers of the lines that cannot be believed, counted from 1.

    Raises:
        StorageError: when the file cannot be read or written.
    """

    def __init__(self, directory: Path) -> None:
        self._path = directory / LINES
        self._spreadsheet = directory / SPREADSHEET
        self._open()
        self._end_broken_line()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        empty = not self._file.seek(0, os.SEEK_END)
        self._file.close()
        if empty:  # a sweep that failed before it began leaves no file
            self._path.unlink(missing_ok=True)

    def row(self, run: str) -> Row | None:
        """The latest row of a run."""
        place = self._places.get(run)
        return None if place is None else self._row_at(place)

    def brief(self, run: str) -> Row | None:
        """Of the latest row of a run, what `holds` looks at; kept in memory, so that no row is read twice."""
        return self._brief.get(run)

    def add(self, row: Row) -> None:
        """Keep a row, in the place of an earlier one of the same run."""
        with storing(str(self._path)):
            place = self._file.seek(0, os.SEEK_END)
            self._file.write(line_of(row))  # in one piece: no line is left half-written by a signal
            self._file.flush()
        self._lines += 1
        self._places[str(row["run"])] = place
        self._brief[str(row["run"])] = _brief(row)

    def publish(
        self, rows: Callable[[], Iterable[Row]], keys: Sequence[str], measures: Sequence[str] = USUAL_MEASURES
    ) -> None:
        """Put both files in order: first the rows of this sweep, and in the file of lines those of earlier ones.

        Args:
            rows: gives the rows of this sweep, as often as it is called.
            keys: the dotted keys that change.
            measures: the names of what is measured.
        """
        with replacing(self._spreadsheet) as file:
            _write_spreadsheet(rows(), columns(keys, measures), file)
        try:
            with replacing(self._path) as file:
                kept: set[str] = set()
                for row in chain(rows(), self._rows()):
                    if row["run"] not in kept:
                        kept.add(row["run"])
                        file.write(line_of(self._best(row)))
                self._file.close()  # not every system replaces a file that is open
        finally:
            self._file.close()
            self._open()

    def published(self, runs: Sequence[str], keys: Sequence[str], measures: Sequence[str]) -> bool:
        """Whether both files are in order for exactly these runs already, as `publish` left them."""
        if self._lines > len(self._places):
            return False
        try:
            with self._spreadsheet.open(encoding="utf-8", newline="") as file:
                head, *rows = csv.reader(file)
        except (OSError, ValueError, csv.Error):
            return False
        listed = [row[0] for row in rows if row]
        return head == columns(keys, measures) and listed == list(runs) == list(self._places)[: len(runs)]

    def _open(self) -> None:
        with storing(str(self._path)):
            self._file = self._path.open("a+b")
        self.damaged: list[int] = []
        self._lines = 0
        self._places: dict[str, int] = {}
        self._brief: dict[str, Row] = {}
        for row, place in self._found():
            self._places[row["run"]] = place
            self._brief[row["run"]] = _brief(row)

    def _best(self, row: Row) -> Row:
        """The row itself, unless its run is still waiting and an earlier row says more."""
        return (self.row(row["run"]) if row["status"] == WAITING else None) or row

    def _rows(self) -> Iterator[Row]:
        return (row for run in self._places if (row := self.row(run)))

    def _found(self) -> Iterator[tuple[Row, int]]:
        """The rows, and where in the file each begins."""
        place = 0
        with storing(str(self._path)):
            self._file.seek(0)
            pieces = iter(lambda: self._file.readline(MAX_ROW + 1), b"")
            for number, line in enumerate(pieces, start=1):
                self._lines = number
                if row := row_of(line):
                    yield row, place
                elif line.strip():
                    self.damaged.append(number)
                place += len(line)

    def _end_broken_line(self) -> None:
        """End a line that a killed sweep left unfinished, so that the next one does not continue it."""
        with storing(str(self._path)):
            if self._file.seek(0, os.SEEK_END):
                self._file.seek(-1, os.SEEK_END)
                if self._file.read(1) != b"\n":
                    self._file.write(b"\n")

    def _row_at(self, place: int) -> Row | None:
        with storing(str(self._path)):
            self._file.seek(place)
            return row_of(self._file.readline(MAX_ROW + 1))


def _brief(row: Row) -> Row:
    return {name: row[name] for name in _OF_RUN if name in row}


def holds(row: Row | None, expected: Mapping[str, object], directory: Path) -> bool:
    """Whether a run that should have these entries has been done, and its output is still there, unchanged."""
    if row is None or row.get("status") != DONE or any(row.get(name) != entry for name, entry in expected.items()):
        return False
    if not expected["file"]:
        return True
    try:
        found = fingerprint(directory / str(expected["file"]))
    except OSError:
        return False
    return all(row.get(name) == found[name] for name in _OF_OUTPUT)


def plain(value: object) -> object:
    """A value as every reader of JSON understands it: without infinities, which become text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {name: plain(entry) for name, entry in value.items()}
    return value


def columns(keys: Sequence[str], measures: Sequence[str] = USUAL_MEASURES) -> list[str]:
    """The columns of the spreadsheet, with these varied keys and these measures."""
    varied = [key for key in keys if key not in _ABOUT_RUN]
    measures = [f"{instant}.{name}" for instant in _INSTANTS for name in measures]
    return [*_ABOUT_RUN, *varied, *measures, *_ABOUT_OUTPUT]


def table_mark() -> str:
    """How the first line of the spreadsheet begins, whatever varies."""
    return ",".join(_ABOUT_RUN)


def flat(row: Row) -> dict[str, object]:
    """A row with its parameters and measures beside its other entries."""
    measures = {f"{instant}.{name}": value for instant in _INSTANTS for name, value in row.get(instant, {}).items()}
    return {**row.get("parameters", {}), **measures, **row}


def _write_spreadsheet(rows: Iterable[Row], names: Sequence[str], file: Any) -> None:  # noqa: ANN401  any binary file
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.DictWriter(text, names, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in flat(row).items()})
    text.flush()
    text.detach()


def _cell(value: object) -> str:
    return no_formula(value) if isinstance(value, str) else "" if value is None else written(value)
