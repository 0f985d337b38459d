"""Records of the kernel: whole numbers and doubles of 8 bytes each, one after the other."""

import struct
from collections.abc import Iterator, Sequence
from typing import Any


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
