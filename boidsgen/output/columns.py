"""Tables for other programs, such as the measures of a run, and trajectories, which cannot be drawn again.

A table is `Columns`, and each of its formats has one writer, which takes a table whole or in parts. CSV is for
spreadsheets, JSON lines are for programs, NPZ is for numpy (an array per column, nan where a number is undefined),
Parquet is for tables that are too large for any of these. Trajectories are such tables, too, or go into NetCDF. Parquet
and NetCDF (which is HDF5) are written by the libraries of those formats, which need not be installed.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import Any, BinaryIO, ClassVar, Self
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.errors import printable
from boidsgen.output.pictures import Sign, Writer
from boidsgen.output.publish import Destination, Makes, open_file
from boidsgen.records import optional_package
from boidsgen.simulation.run import AXES, COLUMN_UNITS, table_columns, table_names, tracks, units
from boidsgen.simulation.setup import Setup, State

NPZ_SIGN: Sign = (0, b"PK\x03\x04")

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # Beginnings of a text that a spreadsheet would compute
_LARGE = 1 << 30  # Bytes of an array whose entry in an archive has a larger head


def put_array(archive: ZipFile, name: str, values: NDArray[Any]) -> None:
    """Add an array to an archive under the name by which numpy finds it, with neither a date nor the system."""
    put_parts(archive, name, values.shape, values.dtype, [values.tobytes()])


def put_parts(
    archive: ZipFile, name: str, shape: tuple[int, ...], numbers: np.dtype[Any], parts: Iterable[bytes]
) -> None:
    """The same for an array that comes in parts, which need not be in memory together."""
    entry = ZipInfo(f"{name}.npy")
    entry.create_system = 3  # Unix
    head = {"descr": np.lib.format.dtype_to_descr(numbers), "fortran_order": False, "shape": shape}
    with archive.open(entry, "w", force_zip64=math.prod(shape) * numbers.itemsize > _LARGE) as member:
        np.lib.format.write_array_header_1_0(member, head)
        for part in parts:
            member.write(part)


@dataclass(frozen=True)
class Columns:
    """A table, or some of its rows: one array for each name, all of the same length.

    Arrays of objects keep values of several types as they are; None stands for what is undefined, nan in arrays of
    numbers.
    """

    arrays: Mapping[str, NDArray[Any]]
    units: Mapping[str, str] = field(default_factory=dict)
    """Of columns that have one; formats with room for it name it."""

    @classmethod
    def of(cls, records: Iterable[Mapping[str, object]], names: Iterable[str] = ()) -> Self:
        """Records as a table with these columns, or else those of the first record; None for what a record lacks."""
        rows = [*records]
        return cls({name: np.fromiter((row.get(name) for row in rows), object) for name in [*names] or rows[0]})

    @property
    def records(self) -> Iterator[dict[str, Any]]:
        """Each row, as values by the names of their columns."""
        rows = zip(*map(_values, self.arrays.values()), strict=True)
        return (dict(zip(self.arrays, row, strict=True)) for row in rows)


class ColumnsWriter(Writer[Columns]):
    """A format of tables.

    Args:
        file: is filled, and closed in the end.
        like: a table of the same columns, which may be empty; its arrays tell the types of formats that have types.
        at_once: the number of entries that a format collects which has groups of rows.
    """

    def __init__(self, file: BinaryIO, like: Columns, at_once: int = 1) -> None:
        self._file, self._like, self._at_once = file, like, at_once
        self._opened: list[Any] = [file]


class ColumnsCsv(ColumnsWriter):
    """Names in the first line, then numbers with all their digits, and texts; one like a formula gets an apostrophe."""

    name: ClassVar[str] = "csv"
    extensions: ClassVar[tuple[str, ...]] = (".csv",)

    def __init__(self, file: BinaryIO, like: Columns, at_once: int = 1) -> None:
        super().__init__(file, like, at_once)
        self._write([[*like.arrays]])

    @override
    def write(self, entry: Columns) -> None:
        self._write(zip(*map(_cells, entry.arrays.values()), strict=True))

    def _write(self, rows: Iterable[Iterable[Any]]) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        self._file.write(text.getvalue().encode())


def _values(column: NDArray[Any]) -> list[Any]:
    """The values of a column, None where one is undefined."""
    values: list[Any] = column.tolist()
    if column.dtype.kind == "f" and (undefined := np.isnan(column)).any():
        return [None if missing else value for value, missing in zip(values, undefined.tolist(), strict=True)]
    return values


def _cells(values: NDArray[Any]) -> list[Any]:
    """The values of a column, a text with an apostrophe in front where a spreadsheet would take it for a formula."""
    cells = _values(values)
    if values.dtype.kind not in "OU":
        return cells
    return [f"'{one}" if isinstance(one, str) and one.startswith(_FORMULAS) else one for one in cells]


class ColumnsJson(ColumnsWriter):
    """One JSON object per line."""

    name: ClassVar[str] = "jsonl"
    extensions: ClassVar[tuple[str, ...]] = (".jsonl",)

    @override
    def write(self, entry: Columns) -> None:
        for record in entry.records:
            self._file.write(f"{json.dumps(record, allow_nan=False)}\n".encode())


class ColumnsNpz(ColumnsWriter):
    """A numpy array per column."""

    name: ClassVar[str] = "npz"
    extensions: ClassVar[tuple[str, ...]] = (".npz",)
    makes: ClassVar[Makes] = "file"
    signs: ClassVar[tuple[Sign, ...]] = (NPZ_SIGN,)

    def __init__(self, file: BinaryIO, like: Columns, at_once: int = 1) -> None:
        super().__init__(file, like, at_once)
        self._contents = {name: bytearray() for name in like.arrays}

    @override
    def write(self, entry: Columns) -> None:
        for name, content in self._contents.items():
            content.extend(entry.arrays[name].astype(self._like.arrays[name].dtype).tobytes())

    @override
    def close(self) -> None:
        with ZipFile(self._file, "w") as archive:
            for name, content in self._contents.items():
                put_array(archive, name, np.frombuffer(content, self._like.arrays[name].dtype))
        super().close()


class ColumnsParquet(ColumnsWriter):
    """Parquet, a group of rows at a time."""

    name: ClassVar[str] = "parquet"
    extensions: ClassVar[tuple[str, ...]] = (".parquet",)
    makes: ClassVar[Makes] = "file"

    def __init__(self, file: BinaryIO, like: Columns, at_once: int = 1) -> None:
        arrow, parquet = (optional_package(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
        super().__init__(file, like, at_once)
        units = {name: {"units": unit} for name, unit in like.units.items()}
        schema = arrow.schema(
            [arrow.field(name, arrow.array(one).type, metadata=units.get(name)) for name, one in like.arrays.items()]
        )
        self._schema, self._parts = schema, list[Columns]()
        self._group = partial(arrow.table, schema=schema)
        self._column = partial(arrow.array, from_pandas=True)  # nan becomes null
        self._data = parquet.ParquetWriter(file, schema)
        self._opened = [self._data, file]

    @override
    def write(self, entry: Columns) -> None:
        self._parts.append(entry)
        if len(self._parts) == self._at_once:
            self._write_group()

    @override
    def close(self) -> None:
        if self._parts:
            self._write_group()
        super().close()

    def _write_group(self) -> None:
        joined = (np.concatenate([part.arrays[name] for part in self._parts]) for name in self._like.arrays)
        columns = [self._column(one, kind) for one, kind in zip(joined, self._schema.types, strict=True)]
        self._data.write_table(self._group(columns))
        self._parts.clear()


COLUMNS_WRITERS: dict[str, type[ColumnsWriter]] = {
    kind.name: kind for kind in (ColumnsCsv, ColumnsJson, ColumnsNpz, ColumnsParquet)
}
"""Every format by its name."""


def write_columns(
    path: str, table: Columns, kind: type[ColumnsWriter] = ColumnsCsv, *, no_clobber: bool = False
) -> None:
    """Write a table, complete or not at all."""
    with open_file(path, no_clobber=no_clobber) as file, closing(kind(file, table)) as writer:
        writer.write(table)


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


class TrajectoryTable(TrajectoryWriter):
    """A table of frame, time, kind, group, number, position and velocity: a row for each animal in each frame."""

    def __init__(self, part: Destination, setup: Setup, text: str, real: str = "float64") -> None:
        super().__init__(part, setup, text, real)
        self._names = table_names(setup)
        types = zip_longest(self._names, ("i8", "f8", "U", "U", "i8"), fillvalue=self._real)
        place, velocity = (units(setup, unit) for unit in COLUMN_UNITS.values())
        named = {f"{sign}{axis}": unit for sign, unit in (("", place), ("v", velocity)) for axis in AXES}
        arrays = {name: np.empty(0, numbers) for name, numbers in types}
        like = Columns(arrays, {"time": units(setup), **named})
        self._table = COLUMNS_WRITERS[self.name](self._file, like)
        self._opened = [self._table, self._file]

    @override
    def write(self, entry: State) -> None:
        for columns in table_columns(entry, self._tracks):
            arrays = (np.array(one, object) if isinstance(one, list) else one for one in columns)
            self._table.write(Columns(dict(zip(self._names, arrays, strict=True))))


class TrajectoryCsv(TrajectoryTable):
    """CSV, every number with all its digits; without provenance: a comment line would be in the way of every reader."""

    name: ClassVar[str] = "csv"
    extensions: ClassVar[tuple[str, ...]] = (".csv",)


class TrajectoryParquet(TrajectoryTable):
    """Parquet, a group of rows for each group of animals in each frame."""

    name: ClassVar[str] = "parquet"
    extensions: ClassVar[tuple[str, ...]] = (".parquet",)
    makes: ClassVar[Makes] = "file"


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
