"""The formats of series: what becomes of the rows of a measured run.

A series has the same columns in every row. CSV is for spreadsheets, JSON lines are for programs, NPZ is for numpy (an
array a column, nan where a measure is not defined), Parquet is for tables that are too large for any of these.
"""

import csv
import io
import json
from abc import abstractmethod
from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from math import nan
from pathlib import Path
from typing import Any, ClassVar, TypeAlias
from zipfile import ZipFile

import numpy as np
from typing_extensions import override

from boidsgen.errors import UsageError
from boidsgen.output.base import DAMAGE, FileWriter, Makes, Part, Sign, Writer
from boidsgen.output.npz import put

Row: TypeAlias = Mapping[str, float | None]
"""One instant of one run: numbers by their names, None where one is not defined."""

WHOLE = ("seed", "frame")
"""Columns of whole numbers."""

_ROWS_AT_ONCE = 10_000
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def no_formula(text: str) -> str:
    """A text that no spreadsheet takes for a formula: one that begins like one gets an apostrophe in front."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


class SeriesWriter(Writer[Row]):
    """One format of series."""

    @abstractmethod
    def __init__(self, part: Part, columns: Sequence[str]) -> None:
        """Begin, with the names that every row has."""


class CommaSeparated(FileWriter[Row], SeriesWriter):
    """Names in the first line, then numbers with all their digits."""

    name: ClassVar[str] = "csv"
    extensions: ClassVar[tuple[str, ...]] = (".csv",)

    def __init__(self, part: Part, columns: Sequence[str]) -> None:
        self._file = io.TextIOWrapper(part.open(), "utf-8", newline="")
        self._table = csv.DictWriter(self._file, columns, lineterminator="\n")
        self._table.writeheader()

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        return _lines(path) - 1

    @override
    def write(self, entry: Row) -> None:
        self._table.writerow(entry)


class JsonLines(FileWriter[Row], SeriesWriter):
    """One object a line."""

    name: ClassVar[str] = "jsonl"
    extensions: ClassVar[tuple[str, ...]] = (".jsonl",)

    def __init__(self, part: Part, columns: Sequence[str]) -> None:
        self._columns = columns
        self._file = part.open()

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        return _lines(path)

    @override
    def write(self, entry: Row) -> None:
        entries = {name: entry[name] for name in self._columns}
        self._file.write(f"{json.dumps(entries, allow_nan=False)}\n".encode())


class Parquet(SeriesWriter):
    """A group of rows at a time."""

    name: ClassVar[str] = "parquet"
    extensions: ClassVar[tuple[str, ...]] = (".parquet",)
    makes: ClassVar[Makes] = "file"

    def __init__(self, part: Part, columns: Sequence[str]) -> None:
        import pyarrow as pa  # noqa: PLC0415  only parquet needs it
        from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

        kinds = {name: pa.int64() if name in WHOLE else pa.float64() for name in columns}
        self._schema = pa.schema(list(kinds.items()))
        self._waiting: list[Row] = []
        self._file = part.open()
        self._table: Any = ParquetWriter(self._file, self._schema)

    @classmethod
    @override
    def require(cls, path: str) -> None:
        if find_spec("pyarrow") is None:
            raise UsageError(f"{path}: parquet needs pyarrow, which is not installed; pip install pyarrow, or use csv")

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        from pyarrow.parquet import read_metadata  # noqa: PLC0415

        try:
            return int(read_metadata(path).num_rows)
        except ValueError:  # pyarrow's word for a damaged file
            return 0

    @override
    def write(self, entry: Row) -> None:
        self._waiting.append(entry)
        if len(self._waiting) == _ROWS_AT_ONCE:
            self._pass_on()

    @override
    def close(self) -> None:
        self._pass_on()
        self._table.close()
        self._file.close()

    @override
    def abandon(self) -> None:
        with suppress(OSError):  # what is still buffered has nowhere to go
            self._table.close()
            self._file.close()

    def _pass_on(self) -> None:
        import pyarrow as pa  # noqa: PLC0415

        self._table.write_table(pa.Table.from_pylist(self._waiting, schema=self._schema))
        self._waiting.clear()


class Arrays(FileWriter[Row], SeriesWriter):
    """An array of numpy for each column."""

    name: ClassVar[str] = "npz"
    extensions: ClassVar[tuple[str, ...]] = (".npz",)
    makes: ClassVar[Makes] = "file"
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"PK\x03\x04"),)

    def __init__(self, part: Part, columns: Sequence[str]) -> None:
        self._file = part.open()
        self._columns: dict[str, Any] = {name: array("q" if name in WHOLE else "d") for name in columns}

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        try:
            with np.load(path) as arrays:
                return int(arrays["frame"].size)
        except DAMAGE:
            return 0

    @override
    def write(self, entry: Row) -> None:
        for name, column in self._columns.items():
            value = entry[name]
            column.append(nan if value is None else value)

    @override
    def close(self) -> None:
        with ZipFile(self._file, "w") as archive:
            for name, column in self._columns.items():
                put(archive, name, np.array(column))
        super().close()


def _lines(path: Path) -> int:
    """How many lines a file has; no name and no number has a line end in it."""
    with path.open("rb") as file:
        return sum(1 for _ in file)


SERIES_WRITERS: dict[str, type[SeriesWriter]] = {
    kind.name: kind for kind in (CommaSeparated, JsonLines, Arrays, Parquet)
}
"""Every format by its name."""
