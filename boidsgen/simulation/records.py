"""Records of the kernel and the memory that they stand in: whole numbers and doubles of 8 bytes, cell after cell."""

import struct
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors import Request

CELL = 8  # Bytes
PROGRAM_CELLS, GROUP_CELLS, TERM_CELLS, QUERY_SPEC_CELLS = 28, 34, 33, 14  # Cells of the records of `kernel/program.c`
OBSTACLE_CELLS, ATTRACTOR_CELLS = 18, 18  # The same of `kernel/world.c`
STEP, DONE, GROUP, LARGEST = 10, 11, 12, 13  # Cells of the program that change
CARRIED, SEQUENTIAL, DRIVE, QUERIES, ROWS_AT, TERMS_AT = 5, 6, 7, 8, 12, 14  # Cells of a group
TERM_ROWS = 11  # Cell of a term that is planned
MOST_ROWS = 64  # Rows of answers that a group has at most, as in the kernel
UNUSUAL = float("nan")  # Stands for the value that a key has by default
QUANTITIES = {"offset": 0, "linear": 0, "velocity": 1, "constant": 2, "inverse": 3, "inverse_square": 4}


class UnknownToKernelError(Exception):
    """Something in a setup that only numpy can do, such as a rule of a package."""


def point_of(vector: Sequence[float]) -> tuple[float, float, float]:
    """A vector of two or three numbers as three, the first of which is zero in a flat world."""
    first, *others = (0.0, *vector) if len(vector) == 2 else vector
    return float(first), float(others[0]), float(others[1])


def or_nan(value: float | None) -> float:
    """A number, or what stands for its default."""
    return UNUSUAL if value is None else float(value)


def usual_point(vector: Sequence[float] | None, dimension: int) -> tuple[float, float, float]:
    """A vector, or what stands for its default, as three numbers."""
    return point_of((UNUSUAL,) * dimension if vector is None else vector)


def packed(*fields: Any) -> bytes:  # noqa: ANN401  numbers, and sequences of numbers
    """The bytes of a record with these fields."""
    values = list(_flat(fields))
    return struct.pack("=" + "".join("d" if isinstance(value, float) else "q" for value in values), *values)


def _flat(fields: Sequence[Any]) -> Iterator[int | float]:
    for one in fields:
        if isinstance(one, tuple | list):
            yield from _flat(one)
        else:
            yield one if isinstance(one, float) else int(one)


class Memory:
    """Cells, written one after the other; the first are reserved for the record of the program."""

    def __init__(self) -> None:
        self._written = bytearray(PROGRAM_CELLS * CELL)  # those of the record that a program begins with

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self._written) // CELL

    def put(self, values: Array | bytes) -> int:
        """Write a record or numbers; returns their first cell."""
        at = self.size
        self._written += values if isinstance(values, bytes) else np.asarray(values, np.float64).tobytes()
        return at

    def begin(self, record: bytes) -> None:
        """Write the record that a program begins with."""
        self._written[: len(record)] = record

    def cells(self, room: int = 0) -> Array:
        """All cells as an array, and room for more."""
        memory = np.empty(self.size + room)
        memory[: self.size] = np.frombuffer(self._written)
        return memory


@cache
def ziggurat_layers() -> Array:
    """The layers of numpy's normal distribution: what is surely within each, and its width by 2^52, shape (2, 256)."""
    return np.fromfile(Path(__file__).parents[1] / "kernel/ziggurat.bin", dtype="<f8")


def write_program(
    memory: Memory,
    groups: Sequence[bytes],
    world: Sequence[Any],
    *,
    things: Sequence[int] = (0,) * 4,
    step: int = 0,
    dt: float = 1.0,
) -> None:
    """Write the record that a program begins with, and those of its groups.

    Args:
        memory: of the program.
        groups: the records of the groups.
        world: first axis, boundary, whether turns begin with it, size, periods, smallest side, numbers of boundaries.
        things: numbers and cells of obstacles and of attractors.
        step: steps done since the start.
        dt: time that a step covers.
    """
    at = memory.put(b"".join(groups))
    rooms = memory.put(ziggurat_layers()), 0, 0
    memory.begin(_sized(PROGRAM_CELLS, len(groups), at, things, 0, rooms, (step, 0, 0), 0, dt, world))


def group_record(count: int, **parts: Any) -> bytes:  # noqa: ANN401  numbers
    """The record of a group of so many animals: what is not given is nothing."""
    sizes = {"carried": 1, "turns": 2, "terms": 2, "speeds": 1, "seen": 4}
    nothing: dict[str, Any] = {name: (0,) * size for name, size in sizes.items()}
    nothing |= {
        "noise": (0, 0, 0, 0.0, 0.0),
        "motion": (1.0, float("inf"), 0.0, float("inf"), 0.0, 0.0),
        "bounds": (0, 0),
    }
    carried, turns, terms, speeds, *rest = [parts.get(name, value) for name, value in nothing.items()]
    return _sized(GROUP_CELLS, count, (0,) * 4, carried, turns, (0,) * 3, (0,) * 2, terms, 0, speeds, rest)


def term_record(
    number: int,
    *,
    form: Sequence[int] = (0, 0, 0),
    weight: float = 1.0,
    cap: float = float("inf"),
    weights: int = 0,
    noticing: Sequence[int] = (0, 0),
    specs: tuple[int, int] = (0, 0),
    include_self: bool = False,
    chance: Sequence[int] = (0, 0),
    value: Sequence[float] = (),
    at: Sequence[int] = (),
) -> bytes:
    """The record of what steers a group.

    Args:
        number: of its operation.
        form: whether it is the reynolds form, acts on the position, and sees what has changed in a sequential update.
        weight: factor on it.
        cap: its maximum length before that; nan = the usual one.
        weights: cell of individual factors on the weight.
        noticing: whether it rests without hunters, and bits of the groups of which its own takes no notice.
        specs: number and cell of its requests.
        include_self: whether the animal itself counts in a mean.
        chance: cell of its stream, and how many numbers it draws for each animal and step.
        value: its numbers.
        at: its whole numbers.
    """
    numbers, whole = [float(one) for one in value], [*at]
    numbers, whole = numbers + [0.0] * (8 - len(numbers)), whole + [0] * (6 - len(whole))
    return _sized(
        TERM_CELLS, number, form, float(weight), float(cap), weights, noticing, specs, 0, (0,) * 4, include_self,
        chance, numbers, whole,
    )  # fmt: skip


class QuerySpec(NamedTuple):
    """A request of an operation."""

    request: Request | None  # None where there is none
    sources: tuple[int, int] | None = None  # number and cell of the groups that it is about; None = the own kind
    headings: bool = False  # whether it is about headings in the place of velocities
    noticed: bool = False  # whether it is only about groups that are noticed
    joined: bool = True  # whether it is about its groups taken together
    beyond: tuple[float, float] = (0.0, 0.0)  # lengths to be added to the radius
    blind: float = 0.0  # angle to be taken from the field of view, in degrees

    def record(self) -> bytes:
        """The record of the request."""
        request = self.request
        if request is None:
            return packed((0.0,) * 5, -1, (0,) * 8)
        about = float(request.radius), tuple(map(float, self.beyond)), float(request.field_of_view), float(self.blind)
        kind = QUANTITIES[request.quantity], request.nearest or 0, request.coincident == "count"
        flags = self.sources is None, self.headings, self.noticed, self.joined
        return _sized(QUERY_SPEC_CELLS, about, kind, flags, self.sources or (0, 0))


def stream_words(generator: "np.random.Generator") -> NDArray[np.uint64]:
    """A stream of random numbers as the kernel has it: state and increment, the higher word first."""
    state = generator.bit_generator.state["state"]
    words = state["state"] >> 64, state["state"], state["inc"] >> 64, state["inc"]
    return np.array([word & (2**64 - 1) for word in words], np.uint64)


def _sized(cells: int, *fields: Any) -> bytes:  # noqa: ANN401  numbers, and sequences of numbers
    record = packed(*fields)
    assert len(record) == CELL * cells, len(record) // CELL  # noqa: S101  the kernel would read what is behind it
    return record
