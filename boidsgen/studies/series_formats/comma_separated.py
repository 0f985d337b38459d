"""CSV: a line a row; what is not defined is empty."""

import csv
import io
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from boidsgen.studies.series_formats.ledger import Ledger, Row
from boidsgen.writers.contract import Part
from boidsgen.writers.sink import Stream


class CommaSeparated(Stream[Row], Ledger):
    """Names in the first line, then numbers with all their digits."""

    name: ClassVar[str] = "csv"
    extensions: ClassVar[tuple[str, ...]] = (".csv",)

    def __init__(self, part: Part, columns: Sequence[str]) -> None:
        self._file = io.TextIOWrapper(part.open(), "utf-8", newline="")
        self._table = csv.DictWriter(self._file, columns, lineterminator="\n")
        self._table.writeheader()

    @override
    def write(self, entry: Row) -> None:
        self._table.writerow(entry)
