"""Parquet: for data frames, where pyarrow is installed; what is not defined is null."""

from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, ClassVar

from typing_extensions import override

from boidsgen.errors import UsageError
from boidsgen.studies.series_formats.ledger import Ledger, Row
from boidsgen.writers.contract import Makes, Part

WHOLE = ("seed", "frame")
"""Columns of whole numbers."""
_ROWS_AT_ONCE = 10_000


class Parquet(Ledger):
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
