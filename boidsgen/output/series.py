"""Numbers for other programs: series, such as the measures of a run, and trajectories, which cannot be drawn again.

All rows of a series have the same columns. CSV is for spreadsheets, JSON lines are for programs, NPZ is for numpy (an
array per column, nan where a measure is undefined), Parquet is for tables that are too large for any of these.
Trajectories also go into NetCDF. Parquet and NetCDF (which is HDF5) are written by the libraries of those formats,
which need not be installed.
"""

import csv
import io
import json
import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any, BinaryIO, ClassVar, TypeAlias
from zipfile import ZipFile, ZipInfo

import numpy as np
from typing_extensions import override

from boidsgen.errors import printable
from boidsgen.output.base import Sign, Writer
from boidsgen.output.publish import Destination, Makes
from boidsgen.records import optional_package
from boidsgen.simulation.run import AXES, COLUMN_UNITS, table_columns, table_names, tracks, units
from boidsgen.simulation.setup import Setup, State

Row: TypeAlias = Mapping[str, float | None]
"""Numbers of one instant of one run by their names, None where one is undefined."""

INTEGER_COLUMNS = ("seed", "frame")  # Columns of integers

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
        self._values: dict[str, Any] = {name: array("q" if name in INTEGER_COLUMNS else "d") for name in columns}

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
        arrow, parquet = (optional_package(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
        super().__init__(part, columns)
        schema = arrow.schema(
            [(name, arrow.int64() if name in INTEGER_COLUMNS else arrow.float64()) for name in columns]
        )
        self._group = partial(arrow.Table.from_pylist, schema=schema)
        self._rows: list[Row] = []
        self._data = parquet.ParquetWriter(self._file, schema)
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


class TrajectoryWriter(Writer[State]):
    """A format of trajectories.

    Args:
        part: the file to fill.
        setup: the tables of the run.
        text: its provenance.
        real: type of the numbers, in formats that have a choice.
    """

    most_positions: ClassVar[float] = math.inf  # of all animals in all frames

    def __init__(self, part: Destination, setup: Setup, text: str, real: str = "float64") -> None:
        self._tracks, self._text, self._real = tuple(tracks(setup)), text, real
        self._file = part.open()
        self._opened = [self._file]


class TrajectoryCsv(TrajectoryWriter):
    """Frame, time, kind, group, number, position, velocity; every number with all its digits.

    There is no provenance, since a comment line would be in the way of every reader.
    """

    name: ClassVar[str] = "csv"
    extensions: ClassVar[tuple[str, ...]] = (".csv",)

    def __init__(self, part: Destination, setup: Setup, text: str, real: str = "float64") -> None:
        super().__init__(part, setup, text, real)
        self._opened = [lines := io.TextIOWrapper(self._file, "utf-8", newline="")]
        self._table = csv.writer(lines, lineterminator="\n")
        self._table.writerow(table_names(setup))

    @override
    def write(self, entry: State) -> None:
        for frame, time, kind, group, *numbers in table_columns(entry, self._tracks):
            values = (column.tolist() for column in numbers)
            self._table.writerows(zip(frame, time, kind, map(no_formula, group), *values, strict=True))


class TrajectoryParquet(TrajectoryWriter):
    """The table of the CSV as Parquet, a group of rows for each frame."""

    name: ClassVar[str] = "parquet"
    extensions: ClassVar[tuple[str, ...]] = (".parquet",)
    makes: ClassVar[Makes] = "file"

    def __init__(self, part: Destination, setup: Setup, text: str, real: str = "float64") -> None:
        arrow, parquet = (optional_package(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
        super().__init__(part, setup, text, real)
        whole, word, number = arrow.int64(), arrow.string(), arrow.from_numpy_dtype(np.dtype(real))
        kinds = [whole, arrow.float64(), word, word, whole]
        schema = arrow.schema([*zip_longest(table_names(setup), kinds, fillvalue=number)])
        self._group = partial(arrow.table, schema=schema.with_metadata({"scenario": text}))
        self._data = parquet.ParquetWriter(self._file, schema)
        self._opened = [self._data, self._file]

    @override
    def write(self, entry: State) -> None:
        for columns in table_columns(entry, self._tracks):
            vectors = (column.astype(self._real) for column in columns[5:])
            self._data.write_table(self._group([*columns[:5], *vectors]))


class _Unfailing:
    """A file that keeps its first failure: HDF5 calls it, and a call that raises there ends the process."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._failures = file, list[OSError]()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def tried(*given: Any) -> Any:  # noqa: ANN401  whatever the method takes and gives
            try:
                return getattr(self._file, name)(*given)
            except OSError as error:
                self._failures.append(error)
                return 0

        return tried

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        """Raise its first failure at the end of the block, rather than what the library makes of it."""
        if self._failures:
            raise self._failures[0]


class TrajectoryNetcdf(TrajectoryWriter):
    """NetCDF 4, which is HDF5, compressed: positions and velocities of each group, nan for who is absent."""

    name: ClassVar[str] = "nc"
    extensions: ClassVar[tuple[str, ...]] = (".nc", ".h5")
    makes: ClassVar[Makes] = "file"

    def __init__(self, part: Destination, setup: Setup, text: str, real: str = "float64") -> None:
        netcdf = optional_package("h5netcdf", "nc")
        super().__init__(part, setup, text, real)
        self._unfailing = _Unfailing(self._file)
        self._data = netcdf.File(self._unfailing, "w")
        self._opened = [self._data, self._file]
        self._data.attrs["scenario"] = text
        self._data.dimensions = {"frame": None, "axis": setup.world.dimension}
        self._clock = [self._data.create_variable(name, ("frame",), float) for name in ("frame", "time")]
        names, text = np.array(AXES[: setup.world.dimension], object), optional_package("h5py", "nc").string_dtype()
        axis = self._data.create_variable("axis", ("axis",), text, data=names)
        for variable, unit in zip((*self._clock, axis), ("1", units(setup), "world units"), strict=True):
            variable.attrs["units"] = unit
        self._variables = []
        for number, track in enumerate(self._tracks):
            self._data.dimensions[f"animal{number}"] = track.animals
            shape = "frame", f"animal{number}", "axis"
            for quantity, unit in COLUMN_UNITS.items():
                chunks, name = (1, max(1, track.animals), setup.world.dimension), track.array(quantity)
                variable = self._data.create_variable(name, shape, real, chunks=chunks, compression="gzip")
                variable.attrs["units"] = units(setup, unit)
                variable.attrs["long_name"] = f"{quantity} of {printable(track.name)}"
                variable.attrs["coordinates"] = "time"
                self._variables.append((track, quantity, variable))
        self._frames = 0

    @override
    def write(self, entry: State) -> None:
        with self._unfailing:
            self._data.resize_dimension("frame", self._frames + 1)
            for variable, value in zip(self._clock, (entry.frame, entry.time), strict=True):
                variable[self._frames] = value
            for track, quantity, variable in self._variables:
                variable[self._frames] = track.full(entry, quantity)
        self._frames += 1

    @override
    def close(self) -> None:
        with self._unfailing:
            super().close()


FOREIGN_WRITERS = (TrajectoryCsv, TrajectoryParquet, TrajectoryNetcdf)
"""The formats for other programs."""
