"""JSON lines: an object a row; what is not defined is null."""

import json
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from boidsgen.studies.series_formats.ledger import Ledger, Row
from boidsgen.writers.contract import Part
from boidsgen.writers.sink import Stream


class JsonLines(Stream[Row], Ledger):
    """One object a line."""

    name: ClassVar[str] = "jsonl"
    extensions: ClassVar[tuple[str, ...]] = (".jsonl",)

    def __init__(self, part: Part, columns: Sequence[str]) -> None:
        self._columns = columns
        self._file = part.open()

    @override
    def write(self, entry: Row) -> None:
        entries = {name: entry[name] for name in self._columns}
        self._file.write(f"{json.dumps(entries, allow_nan=False)}\n".encode())
