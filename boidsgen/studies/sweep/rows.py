"""Rows: one line of a manifest, written so that it can be believed when it is read again.

A line comes from a file that anybody may have edited. `line_of(row)` seals it with a checksum of its entries;
`row_of(line)` gives the row only when every entry is of its kind and the seal is that of the entries. The seal guards
against accidents and forgotten edits, not against forgery.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NoReturn, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, NonNegativeInt

from boidsgen.caps import MAX_ROW

Row: TypeAlias = dict[str, Any]
"""One run: its name under "run", and everything that is known of it."""

SEAL = "seal"
"""The entry with the checksum; rows in memory have none."""
_SEAL_LETTERS = 16

MAX_NAMED = 10
"""So many damaged lines are named, and no more."""


class _RowShape(BaseModel):
    """What a row may hold."""

    model_config = ConfigDict(strict=True, extra="forbid", defer_build=True)

    run: Annotated[str, Field(min_length=1)]
    status: Literal["done", "failed", "waiting"]
    file: str = ""
    scenario: str = ""
    versions: str = ""
    reason: str = ""
    exit_code: NonNegativeInt = 0
    seconds: FiniteFloat = 0.0
    frames: NonNegativeInt = 0
    seed: NonNegativeInt = 0
    seed_number: NonNegativeInt | None = None
    bytes: NonNegativeInt = 0
    sha256: str = ""
    digest: str = ""
    final: Mapping[str, FiniteFloat | None] = {}
    mean: Mapping[str, FiniteFloat | None] = {}
    error: Mapping[str, FiniteFloat | None] = {}
    moments: Mapping[str, Any] = {}
    profiles: Mapping[str, Any] = {}
    boids: NonNegativeInt = 0
    series: str = ""
    poster: str = ""
    parameters: Mapping[str, Any] = {}


def line_of(row: Row) -> bytes:
    """The line of a row, with its seal."""
    return _encoded({**row, SEAL: _seal(row)}) + b"\n"


def row_of(line: bytes) -> Row | None:
    """The row of a line; None when the line is damaged or was edited."""
    if len(line) > MAX_ROW:
        return None
    try:
        row = json.loads(line, parse_constant=_refuse)
        _RowShape.model_validate({name: entry for name, entry in row.items() if name != SEAL})
        return row if row.pop(SEAL, None) == _seal(row) else None
    except (ValueError, AttributeError, RecursionError):  # no JSON, no text, no table
        return None


def some_of(lines: Sequence[int]) -> str:
    """The numbers of lines, the first few of them."""
    return ", ".join(map(str, lines[:MAX_NAMED])) + (", …" if len(lines) > MAX_NAMED else "")


def _seal(row: Row) -> str:
    return hashlib.sha256(_encoded(row, sort_keys=True)).hexdigest()[:_SEAL_LETTERS]


def _encoded(row: Row, *, sort_keys: bool = False) -> bytes:
    return json.dumps(row, ensure_ascii=False, allow_nan=False, sort_keys=sort_keys).encode()


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")
