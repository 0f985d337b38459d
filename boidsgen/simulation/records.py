"""The records of the kernel, as `kernel/records.h` describes them, and the memory that they are in, of 8-byte cells."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors import Request

CELL = 8  # Bytes
KERNEL = Path(__file__).parents[1] / "kernel"

Record: TypeAlias = np.void
"""A record, with its fields by their names."""


def read_header(text: str) -> tuple[dict[str, tuple[str, ...]], dict[str, Any]]:
    """The members of enumerations, which count from 0, in lower case, and the layouts of records, by their names."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    members = {
        name: tuple(re.findall(r"\w+", body.lower()))
        for name, body in re.findall(r"enum (\w+) {(.*?)}", text, re.DOTALL)
    }
    types: dict[str, Any] = {"integer": np.int64, "double": np.float64}
    for body, name in re.findall(r"typedef struct {(.*?)} (\w+);", text, re.DOTALL):
        fields = re.findall(r"^  (\w+) (\w+)(?:\[(\d+)\])?;", body, re.MULTILINE)
        types[name] = np.dtype([(field, types[kind], (int(size),) if size else ()) for kind, field, size in fields])
    return members, types


MEMBERS, LAYOUTS = read_header((KERNEL / "records.h").read_text("utf-8"))

ZIGGURAT = np.fromfile(KERNEL / "ziggurat.bin", dtype="<f8")
"""The layers of numpy's normal distribution: what is surely within each, and its width by 2^52, shape (512,)."""


class UnknownToKernelError(Exception):
    """Something that only numpy can do, such as a rule of a package: words with a place for a name, and the name."""

    def __init__(self, words: str, name: str = "") -> None:
        super().__init__(words.format(name=name))
        self.words, self.name = words, name


def number_of(enumeration: str, member: str) -> int:
    """The number of a member of an enumeration, such as that of an operation; UnknownToKernelError if it has none."""
    name = member.replace(" ", "_")
    if name not in MEMBERS[enumeration]:
        raise UnknownToKernelError("{name}", f"the {enumeration} {member}")
    return MEMBERS[enumeration].index(name)


def record(name: str, **fields: Any) -> Record:  # noqa: ANN401  numbers, sequences of numbers, and records
    """A record with these fields; the others are zero.

    None stands for the default of a key. What is in the memory of the program is given as its number and its first
    cell: of `terms` they become `terms` and `terms_at`.
    """
    made: Record = np.zeros(1, LAYOUTS[name])[0]
    for field, value in fields.items():
        if f"{field}_at" in LAYOUTS[name].fields:
            made[field], made[f"{field}_at"] = value
        else:
            made[field] = value
    return made


def records_in(cells: Array, name: str, at: int, count: int = 1) -> NDArray[np.void]:
    """Records that follow each other in a memory from a cell on."""
    layout = LAYOUTS[name]
    return cells[at : at + count * layout.itemsize // CELL].view(layout)


def cells_of(name: str) -> dict[str, int]:
    """The cell of each field of a record, and as "cells" how many it has."""
    layout = LAYOUTS[name]
    return {"cells": layout.itemsize // CELL, **{field: place[1] // CELL for field, place in layout.fields.items()}}


def point_of(vector: Sequence[float]) -> tuple[float, float, float]:
    """A vector of two or three numbers as three, the first of which is zero in a flat world."""
    first, *others = (0.0, *vector) if len(vector) == 2 else vector
    return float(first), float(others[0]), float(others[1])


def usual_point(vector: Sequence[float] | None, dimension: int) -> tuple[float, float, float]:
    """A vector, or what stands for its default, as three numbers."""
    return point_of((np.nan,) * dimension if vector is None else vector)


class Memory:
    """Cells, written one after the other; the first are reserved for the record of the program."""

    def __init__(self) -> None:
        self._written = bytearray(LAYOUTS["Program"].itemsize)

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self._written) // CELL

    def put(self, values: NDArray[Any] | Record) -> int:
        """Write numbers of 8 bytes or a record; returns their first cell."""
        at = self.size
        self._written += values.tobytes()
        return at

    def put_all(self, records: Sequence[Record]) -> tuple[int, int]:
        """Write records one after the other; returns their number and their first cell."""
        at = self.size
        self._written += b"".join(one.tobytes() for one in records)
        return len(records), at

    def begin(self, groups: Sequence[Record], **fields: Any) -> None:  # noqa: ANN401  see `record`
        """Write the records of groups, and the one that a program begins with, with these fields."""
        program = record("Program", groups=self.put_all(groups), layers_at=self.put(ZIGGURAT), **fields)
        self._written[: program.nbytes] = program.tobytes()

    def cells(self, room: int = 0) -> Array:
        """All cells as an array, and room for more."""
        memory = np.empty(self.size + room)
        memory[: self.size] = np.frombuffer(self._written)
        return memory


def term_record(
    operation: str,
    value: Sequence[float | None] = (),
    at: Sequence[int] = (),
    **fields: Any,  # noqa: ANN401
) -> Record:
    """The record of something that steers a group: an operation with its numbers, and further fields."""
    made = record("Term", **{"rule": number_of("operation", operation), "weight": 1.0, "cap": np.inf, **fields})
    made["value"][: len(value)], made["at"][: len(at)] = value, at
    return made


class QuerySpec(NamedTuple):
    """A request of an operation."""

    request: Request | None  # None where there is none
    sources: tuple[int, int] | None = None  # number and cell of the groups that it is about; None = the own kind
    headings: bool = False  # whether it is about headings in the place of velocities
    noticed: bool = False  # whether it is only about groups that are noticed
    joined: bool = True  # whether it is about its groups taken together
    beyond: tuple[float, float] = (0.0, 0.0)  # lengths to be added to the radius
    blind: float = 0.0  # angle to be taken from the field of view, in degrees

    def record(self) -> Record:
        """The record of the request."""
        request = self.request
        if request is None:
            return record("QuerySpec", quantity=-1)
        return record(
            "QuerySpec",
            radius=request.radius,
            beyond=self.beyond,
            view=request.field_of_view,
            blind=self.blind,
            quantity=number_of("quantity", "offset" if request.quantity == "linear" else request.quantity),
            nearest=request.nearest or 0,
            weighting=number_of("quantity", request.weighting),
            relative=request.relative,
            length=request.length,
            exponent=request.exponent,
            all_round=request.all_round,
            counts=request.coincident == "count",
            own=self.sources is None,
            headings=self.headings,
            noticed=self.noticed,
            joined=self.joined,
            sources=self.sources or (0, 0),
        )


def stream_words(generator: "np.random.Generator") -> NDArray[np.uint64]:
    """A stream of random numbers as the kernel has it: state and increment, the higher word first."""
    state = generator.bit_generator.state["state"]
    words = state["state"] >> 64, state["state"], state["inc"] >> 64, state["inc"]
    return np.array([word & (2**64 - 1) for word in words], np.uint64)
