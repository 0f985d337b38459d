"""Series: rows of numbers, such as the measures of a run, in CSV, JSON lines, NPZ or Parquet.

All rows of a series have the same columns. CSV is for spreadsheets, JSON lines are for programs, NPZ is for numpy (an
array per column, nan where a measure is undefined), Parquet is for tables that are too large for any of these.
"""

import csv
import io
import json
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any, ClassVar, TypeAlias
from zipfile import ZipFile, ZipInfo

import numpy as np
from typing_extensions import override

from boidsgen.errors import UsageError
from boidsgen.output.base import Sign, Writer
from boidsgen.output.publish import Destination, Makes

Row: TypeAlias = Mapping[str, float | None]
"""Numbers of one instant of one run by their names, None where one is undefined."""

WHOLE = ("seed", "frame")  # Columns of integers

NPZ_SIGN: Sign = (0, b"PK\x03\x04")

_ROWS_AT_ONCE = 10_000
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
_UNIX = 3
_LARGE = 1 << 30  # Bytes of an array whose entry in an archive has a larger head


def no_formula(text: str) -> str:
    """The text with an apostrophe in front if a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


def put_array(archive: ZipFile, name: str, values: np.ndarray[Any, Any]) -> None:
    """Add an array to an archive under the name by which numpy finds it, with neither a date nor the system."""
    put_parts(archive, name, values.shape, values.dtype, [values.tobytes()])


def put_parts(
    archive: ZipFile, name: str, shape: tuple[int, ...], numbers: np.dtype[Any], parts: Iterable[bytes]
) -> None:
    """The same for an array that comes in parts, which need not be in memory together."""
    entry = ZipInfo(f"{name}.npy")
    entry.create_system = _UNIX
    head = {"descr": np.lib.format.dtype_to_descr(numbers), "fortran_order": False, "shape": shape}
    with archive.open(entry, "w", force_zip64=math.prod(shape) * numbers.itemsize > _LARGE) as member:
        np.lib.format.write_array_header_1_0(member, head)
        for part in parts:
            member.write(part)


class SeriesWriter(Writer[Row]):
    """A format of series.

    Args:
        part: the file to fill.
        columns: the names that every row has.
    """

    @classmethod
    def require(cls, path: str) -> None:
        """Raise UsageError, naming this path, if a package that the format needs is not installed."""
        if cls is SeriesParquet and find_spec("pyarrow") is None:
            raise UsageError(f"{path}: parquet needs pyarrow, which is not installed; pip install pyarrow, or use csv")

    def __init__(self, part: Destination, columns: Sequence[str]) -> None:
        self._file = part.open()
        self._opened = [self._file]
        self._columns = columns


class SeriesCsv(SeriesWriter):
    """Names in the first line, then numbers with all their digits."""

    name: ClassVar[str] = "csv"
    extensions: ClassVar[tuple[str, ...]] = (".csv",)

    def __init__(self, part: Destination, columns: Sequence[str]) -> None:
        super().__init__(part, columns)
        self._opened = [text := io.TextIOWrapper(self._file, "utf-8", newline="")]
        self._table = csv.DictWriter(text, columns, lineterminator="\n")
        self._table.writeheader()

    @override
    def write(self, entry: Row) -> None:
        self._table.writerow(entry)


class SeriesJson(SeriesWriter):
    """One JSON object per line."""

    name: ClassVar[str] = "jsonl"
    extensions: ClassVar[tuple[str, ...]] = (".jsonl",)

    @override
    def write(self, entry: Row) -> None:
        values = {name: entry[name] for name in self._columns}
        self._file.write(f"{json.dumps(values, allow_nan=False)}\n".encode())


class SeriesNpz(SeriesWriter):
    """A numpy array per column."""

    name: ClassVar[str] = "npz"
    extensions: ClassVar[tuple[str, ...]] = (".npz",)
    makes: ClassVar[Makes] = "file"
    signs: ClassVar[tuple[Sign, ...]] = (NPZ_SIGN,)

    def __init__(self, part: Destination, columns: Sequence[str]) -> None:
        super().__init__(part, columns)
        self._values: dict[str, Any] = {name: array("q" if name in WHOLE else "d") for name in columns}

    @override
    def write(self, entry: Row) -> None:
        for name, column in self._values.items():
            value = entry[name]
            column.append(math.nan if value is None else value)

    @override
    def close(self) -> None:
        with ZipFile(self._file, "w") as archive:
            for name, column in self._values.items():
                put_array(archive, name, np.array(column))
        super().close()


class SeriesParquet(SeriesWriter):
    """Parquet, a group of rows at a time."""

    name: ClassVar[str] = "parquet"
    extensions: ClassVar[tuple[str, ...]] = (".parquet",)
    makes: ClassVar[Makes] = "file"

    def __init__(self, part: Destination, columns: Sequence[str]) -> None:
        self.require(part.name)
        import pyarrow as pa  # noqa: PLC0415  only parquet needs it
        from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

        super().__init__(part, columns)
        schema = pa.schema([(name, pa.int64() if name in WHOLE else pa.float64()) for name in columns])
        self._group = partial(pa.Table.from_pylist, schema=schema)
        self._rows: list[Row] = []
        self._data = ParquetWriter(self._file, schema)
        self._opened = [self._data, self._file]

    @override
    def write(self, entry: Row) -> None:
        self._rows.append(entry)
        if len(self._rows) == _ROWS_AT_ONCE:
            self._write_group()

    @override
    def close(self) -> None:
        self._write_group()
        super().close()

    def _write_group(self) -> None:
        self._data.write_table(self._group(self._rows))
        self._rows.clear()


SERIES_WRITERS: dict[str, type[SeriesWriter]] = {
    kind.name: kind for kind in (SeriesCsv, SeriesJson, SeriesNpz, SeriesParquet)
}
"""Every format by its name."""
