"""Row vectors, random streams, and checks of the values that packages return.

Vectors are arrays of shape (..., d), float64, stored one coordinate after the other. A zero vector has no direction:
`unit` and `limited` leave it zero. Sums over the coordinates are written out instead of left to a reduction, because
that is several times faster for two or three columns and fixes the order of the additions. `circle`, `corners` and
`edges` are the points that represent round and rectangular things.

Random numbers come from one independent stream per purpose, all from the scenario's seed. A stream is named by its
purpose and a number (of the flock, of the predators), so adding noise to one flock changes neither its start nor
anything about another. The generators are the only objects of the simulation that change in place.

Rules, obstacles, shapes and measures of other packages may return anything. Arithmetic could silently broadcast a wrong
value, or fail far from its cause; a PackageError names the package and the class instead. Values from other packages
must also be finite; those of boidsgen itself are trusted.
"""

from functools import cache
from itertools import combinations, product
from math import sqrt
from typing import Literal, NamedTuple, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.errors import PackageError
from boidsgen.plugins import maker

SHORTEST = 1e-162
"""Shorter than any length but zero: the square of what is shorter still is zero. Dividing by at least this much is
several times faster than dividing only where the length is not zero, and gives the same."""

Array: TypeAlias = NDArray[np.float64]
"""Positions, velocities, offsets: float64, shape (n, d), stored one coordinate after the other."""

KEPT_BYTES = 1 << 24  # Bytes in one piece that the C library is made to keep for the next array


def keep_freed_memory() -> None:
    """Make one large array and drop it again, before a run.

    glibc hands freed memory back to the system, and takes it anew page by page, until it has seen a large piece freed.
    A step of a few hundred boids would spend a third of its time on that.
    """
    np.empty(KEPT_BYTES, dtype=np.uint8)


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


def across(ahead: Array, toward: Array) -> Array:
    """Cross products of vectors (..., d), shape (..., 1) in 2D and (..., 3) in 3D."""
    pairs = combinations(range(ahead.shape[-1]), 2)
    return np.stack([ahead[..., a] * toward[..., b] - ahead[..., b] * toward[..., a] for a, b in pairs], axis=-1)


def angle(ahead: Array, toward: Array) -> Array:
    """Angles in degrees from one direction to another, (..., d), nan where one has no length, shape (...)."""
    turn = across(ahead, toward)
    sine = turn[..., 0] if turn.shape[-1] == 1 else length(turn)
    known = (length(ahead) > 0) & (length(toward) > 0)
    turned = exact.heading(np.where(known, sine, 0.0), np.where(known, dot(ahead, toward), 0.0))
    return np.where(known, 180 / np.pi * turned, np.nan)


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


class Randomness:
    """The streams of one run."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.stream = cache(self._stream)
        self._drawn: dict[tuple[str, int], Array] = {}

    def _stream(self, purpose: str, number: int) -> "np.random.Generator":
        """The generator for one purpose; the same object every time, so that it goes on where it stopped."""
        return np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=(crc32(purpose.encode()), number)))

    def fixed(self, purpose: str, number: int, shape: tuple[int, ...]) -> Array:
        """Uniform numbers in [0, 1) that stay the same for the whole run, also when the last axis grows or shrinks."""
        drawn = self._drawn.get((purpose, number), np.empty((*shape[:-1], 0)))
        missing = shape[-1] - drawn.shape[-1]
        if missing > 0:
            new = self.stream(purpose, number).random((*shape[:-1], missing))
            drawn = read_only(np.concatenate((drawn, new), axis=-1)) if drawn.size else read_only(new)
            self._drawn[purpose, number] = drawn
        return drawn[..., : shape[-1]]


class GroupRandomness(NamedTuple):
    """The streams of one group of animals, so that its rules need not know which group it is."""

    randomness: Randomness  # the streams of the run
    kind: str  # what precedes a purpose, empty for flocks
    number: int  # of the group among those of its kind

    def stream(self, purpose: str) -> "np.random.Generator":
        """The group's generator for one purpose; the same object every time."""
        return self.randomness.stream(self.kind + purpose, self.number)

    def fixed(self, purpose: str, shape: tuple[int, ...]) -> Array:
        """Uniform numbers in [0, 1) that stay the same for the whole run."""
        return self.randomness.fixed(self.kind + purpose, self.number, shape)


def directions(generator: "np.random.Generator", count: int, dimension: int) -> Array:
    """Vectors of length 1 in two or three dimensions, evenly spread over all directions, shape (count, dimension)."""
    angle = exact.uniform(generator, -np.pi, np.pi, (count,))
    direction = columns(count, dimension)
    direction[:, 0], direction[:, 1] = exact.cosine(angle), exact.sine(angle)
    if dimension == 3:
        # Archimedes: the heights of points on a sphere are evenly spread.
        height = exact.uniform(generator, -1.0, 1.0, (count,))
        direction *= np.sqrt(1.0 - height * height)[:, None]
        direction[:, 2] = height
    return direction


Spread = Literal["angle", "solid_angle"]  # Quantities over which random turns are evenly spread


def scattered(
    velocity: Array, drive: Array, inertia: float, width: float, spread: Spread, generator: "np.random.Generator"
) -> Array:
    """The drive after which the direction of each animal is off by a random angle, shape (n, d).

    Args:
        velocity: of the animals, shape (n, d).
        drive: everything else that steers them, shape (n, d).
        inertia: how much of the velocity is kept.
        width: of the interval of angles in degrees, half of it to either side.
        spread: angle: the angle is evenly spread; solid_angle: in 3D the directions in their cone are.
        generator: of the random numbers.
    """
    course = inertia * velocity + drive
    ahead = unit(course)
    sideways = directions(generator, *course.shape)
    sideways = unit(sideways - dot(sideways, ahead)[:, None] * ahead)
    if spread == "solid_angle" and course.shape[1] == 3:
        cosine = exact.uniform(generator, float(exact.cosine(np.radians(width / 2))), 1.0, (len(course),))
        sine = np.sqrt(1.0 - cosine * cosine)
    else:
        angle = exact.uniform(generator, -0.5, 0.5, (len(course),)) * np.radians(width)
        cosine, sine = exact.cosine(angle), exact.sine(angle)
    turned = cosine[:, None] * ahead + sine[:, None] * sideways
    return length(course)[:, None] * turned - inertia * velocity


REAL = "biuf"  # The kinds of numpy's types that are real numbers
OURS = f"{__name__.partition('.')[0]}."


def numbers(given: object, shape: tuple[int, ...], giver: object, wanted: str) -> Array:
    """Real numbers of this shape.

    Args:
        given: what the giver gave.
        shape: that it must have.
        giver: the rule or obstacle.
        wanted: what it must give, for the message.

    Raises:
        PackageError: when it is anything else.
    """
    if type(giver).__module__.startswith(OURS) and isinstance(given, np.ndarray) and given.shape == shape:
        return given
    if wrong := misfit(given, shape):
        raise PackageError(f"{maker(type(giver))}: must give {wanted}, shape {shape}, not {wrong}")
    return np.asarray(given, np.float64)


def misfit(given: object, shape: tuple[int | None, ...]) -> str:
    """Description of a value that is not finite real numbers of this shape, None = any number; empty if it is."""
    try:
        array = np.asarray(given)
    except (ValueError, TypeError):
        return "lists of unequal length"
    if array.dtype.kind not in REAL:
        return str(array.dtype) if array.shape else "None" if given is None else type(given).__name__
    if len(array.shape) != len(shape) or any(
        wanted not in {None, count} for count, wanted in zip(array.shape, shape, strict=True)
    ):
        return str(array.shape) if array.shape else f"{array:g}"
    finite = np.isfinite(array)
    return "" if finite.all() else f"{array[~finite][0]:g}"


def checked_measure(value: object, giver: str) -> float | None:
    """The number that a measure of others gave, or None where it is not defined; a PackageError for anything else."""
    if value is None:
        return None
    if wrong := misfit(value, ()):
        raise PackageError(f"{giver} gave {wrong}, which must be a finite number, or None where it is not defined")
    return float(np.asarray(value))  # a count of numpy's is a number, too
