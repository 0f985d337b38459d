"""Records of the kernel and the memory that they stand in: whole numbers and doubles of 8 bytes, cell after cell."""

import struct
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors.sums import Request
from boidsgen.simulation.neighbors.vectorized import half_angle_cosine

CELL = 8  # Bytes
PROGRAM_CELLS, GROUP_CELLS = 27, 32  # Cells of the records `Program` and `Group` of `kernel/program.c`
STEP, DONE, GROUP = 10, 11, 12  # Cells of the program that change
GRID = 128  # Cells that the kernel keeps its grid in
BLOCK, ROWS = 128, 64  # Animals that take a step together, and rows of answers that they have at most, as in the kernel
NEAR_ROWS, MOST_LANES = 5, 8  # Rows for each boid that looks at its candidates alone, as in `sums.c`; boids at once
QUANTITIES = {"offset": 0, "linear": 0, "velocity": 1, "constant": 2, "inverse": 3, "inverse_square": 4}
BOUNDED, EVERYONE, UNBOUNDED = 0, 1, 2  # Kinds of questions; the last is about the nearest without a radius


class UnknownToKernelError(Exception):
    """Something in a setup that only numpy can do, such as a rule of a package."""


def point_of(vector: Sequence[float]) -> tuple[float, float, float]:
    """A vector of two or three numbers as three, the first of which is zero in a flat world."""
    first, *others = (0.0, *vector) if len(vector) == 2 else vector
    return float(first), float(others[0]), float(others[1])


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
    """Cells, written one after the other."""

    def __init__(self, reserved: int) -> None:
        """Memory that begins with so many cells to be written last."""
        self._parts: list[tuple[int, bytes]] = []
        self.size = reserved

    def put(self, values: Array | Sequence[int] | bytes) -> int:
        """Write a record, numbers or whole numbers; returns their first cell."""
        if not isinstance(values, bytes):
            kind = np.float64 if isinstance(values, np.ndarray) else np.int64
            values = np.ascontiguousarray(values, dtype=kind).tobytes()
        at = self.room(len(values) // CELL)
        self._parts.append((at, values))
        return at

    def room(self, cells: int) -> int:
        """Reserve cells; returns the first."""
        self.size += cells
        return self.size - cells

    def write(self, at: int, record: bytes) -> None:
        """Write a record to cells that are reserved."""
        self._parts.append((at, record))

    def cells(self) -> Array:
        """All cells as an array."""
        memory = np.empty(self.size)
        whole = memory.view(np.uint8)
        for at, part in self._parts:
            whole[at * CELL : at * CELL + len(part)] = np.frombuffer(part, np.uint8)
        return memory


@cache
def ziggurat_layers() -> Array:
    """The layers of numpy's normal distribution: what is surely within each, and its width by 2^52, shape (2, 256)."""
    return np.fromfile(Path(__file__).parents[1] / "kernel/ziggurat.bin", dtype="<f8")


def program_record(
    memory: Memory,
    groups: tuple[int, int],
    world: Sequence[Any],
    largest: int,
    *,
    things: Sequence[int] = (0,) * 5,
    step: int = 0,
    dt: float = 1.0,
) -> bytes:
    """The record that a program begins with.

    Args:
        memory: of the program, where the kernel's own memory is reserved.
        groups: how many there are, and the cell of their records.
        world: first axis, boundary, whether turns begin with it, size, periods, smallest side, numbers of boundaries.
        largest: most animals that are sorted into a grid.
        things: numbers and cells of obstacles and of attractors, and whether any obstacle is solid.
        step: steps done since the start.
        dt: time that a step covers.
    """
    dimension = 3 - world[0]
    rooms = memory.put(ziggurat_layers()), memory.room(GRID), memory.room(2 * (2 + 2 * dimension) * largest)
    return _sized(PROGRAM_CELLS, groups, things, rooms, (step, 0, 0), dt, world)


def group_record(place: Sequence[int], carried: int = 0, **parts: Any) -> bytes:  # noqa: ANN401  numbers
    """The record of a group at a place: what is not given is nothing."""
    sizes = {"turns": 2, "questions": 3, "rows": 2, "terms": 2, "fixed": 2, "seen": 4}
    nothing: dict[str, Any] = {name: (0,) * size for name, size in sizes.items()}
    nothing |= {"noise": (0, 0, 0, 0.0, 0.0), "limits": (0.0,) * 5, "explicit": 0}
    return _sized(GROUP_CELLS, place, carried, *[parts.get(name, value) for name, value in nothing.items()])


def _sized(cells: int, *fields: Any) -> bytes:  # noqa: ANN401  numbers, and sequences of numbers
    record = packed(*fields)
    assert len(record) == CELL * cells, len(record) // CELL  # noqa: S101  the kernel would read what is behind it
    return record


def request_record(request: Request, answer: int, before: Request | None, *, everyone: bool = False) -> bytes:
    """The record of a request, whose answer goes to a cell; `everyone` counts in the same place, too."""
    cosine = half_angle_cosine(request.field_of_view) if request.field_of_view < 360 else -1.0
    closest = -1.0 if everyone else request.least * request.least
    shared = before is not None and before.whom == request.whom
    kind = QUANTITIES[request.quantity], request.nearest or 0, shared, request.field_of_view < 360, answer
    return packed(float(request.radius * request.radius), closest, float(cosine), kind)


def scratch_for(animals: int) -> int:
    """Cells of memory that a thread needs where so many animals are seen."""
    return 4 * BLOCK * ROWS + (2 + NEAR_ROWS * MOST_LANES) * (animals + 1)
