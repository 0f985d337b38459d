"""Vectors by the row: arrays of shape (..., d), float64, stored one coordinate after the other.

A zero vector has no direction: `unit` and `limited` leave it zero. Sums over the coordinates are written out rather
than left to a reduction, because that is several times faster for two or three columns and fixes the order of the
additions. `circle`, `corners` and `edges` are the points that stand for round and for rectangular things.
"""

from functools import cache
from itertools import product
from math import sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact

SHORTEST = 1e-162
"""Shorter than any length but zero: the square of what is shorter still is zero. Dividing by at least this much is
several times faster than dividing only where the length is not zero, and gives the same."""

Array: TypeAlias = NDArray[np.float64]
"""Positions, velocities, offsets: float64, shape (n, d), stored one coordinate after the other."""

KEPT = 1 << 24  # Bytes in one piece that the C library is made to keep for the next array


def keep_freed_memory() -> None:
    """Make one large array and drop it again, before a run.

    glibc hands freed memory back to the system, and takes it anew page by page, until it has seen a large piece freed.
    A step of a few hundred boids would spend a third of its time on that.
    """
    np.empty(KEPT, dtype=np.uint8)


def columns(rows: int, dimension: int) -> Array:
    """Uninitialized vectors, shape (rows, dimension)."""
    return np.empty((dimension, rows)).T


def zeros(rows: int, dimension: int) -> Array:
    """Zero vectors, shape (rows, dimension)."""
    return np.zeros((dimension, rows)).T


def by_column(vectors: Array) -> Array:
    """The same vectors, float64, stored one coordinate after the other."""
    return np.asfortranarray(vectors, dtype=np.float64)


def dot(a: Array, b: Array) -> Array:
    """Scalar products of the rows of `a` and `b`, shape (...)."""
    total = a[..., 0] * b[..., 0]
    for axis in range(1, a.shape[-1]):
        total += a[..., axis] * b[..., axis]
    return total


def length(vectors: Array) -> Array:
    """Euclidean lengths, shape (...)."""
    squares = vectors * vectors
    squared: Array = squares[..., 0] + squares[..., 1]
    for axis in range(2, vectors.shape[-1]):
        squared += squares[..., axis]
    return np.sqrt(squared, out=squared)


def magnitude(vector: Array) -> float:
    """Euclidean length of a single vector, shape (d,)."""
    first, *others = vector.tolist()  # plain numbers: several times faster, and the same bits
    squared = first * first
    for component in others:
        squared += component * component
    return sqrt(squared)


def sum_of_rows(vectors: Array) -> Array:
    """The sum of the rows, added one after the other in whatever order they are stored, shape (d,)."""
    if not len(vectors):
        return np.zeros(vectors.shape[-1])
    last: Array = np.add.accumulate(vectors, axis=0)[-1]
    return last


def mean_of_rows(vectors: Array) -> Array:
    """The mean of the rows, summed as in `sum_of_rows`, zero where there are none, shape (d,)."""
    return sum_of_rows(vectors) / max(1, len(vectors))


def unit(vectors: Array) -> Array:
    """Directions: the vectors scaled to length 1, zero where they are zero."""
    return scaled(vectors, length(vectors), 1.0)


def scaled(vectors: Array, lengths: Array, wanted: float | Array) -> Array:
    """The vectors brought from their `lengths` to the `wanted` ones, zero where they are zero."""
    factor = wanted / np.maximum(lengths, SHORTEST)
    return vectors * factor[..., None]


def limited(vectors: Array, maximum: float) -> Array:
    """The vectors, the longer ones shortened to length `maximum`."""
    if maximum == np.inf:
        return vectors
    factor = maximum / np.maximum(length(vectors), max(maximum, SHORTEST))
    return vectors * factor[..., None]


def read_only(array: Array) -> Array:
    """The array itself, closed to writing."""
    array.flags.writeable = False
    return array


@cache
def circle(points: int) -> Array:
    """Points round the unit circle, counterclockwise from (1, 0), shape (points, 2), closed to writing."""
    turn = np.linspace(0, 2 * np.pi, points, endpoint=False)
    return read_only(np.column_stack((exact.cosine(turn), exact.sine(turn))))


def corners(low: Array, size: Array) -> Array:
    """The corners of a box, shape (2**d, d)."""
    return low + np.array(list(product((0.0, 1.0), repeat=len(size)))) * size


def edges(low: Array, size: Array) -> tuple[Array, Array]:
    """Starts and ends of the edges of a box, shape (d * 2**(d-1), d) each; parallel ones follow each other."""
    corner = np.array(list(product((0.0, 1.0), repeat=len(size))))
    pairs = [(start, start + way) for way in np.eye(len(size)) for start in corner if not (start @ way)]
    start, end = zip(*pairs, strict=True)
    return low + np.array(start) * size, low + np.array(end) * size
