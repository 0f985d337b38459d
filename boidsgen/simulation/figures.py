"""Figures: points that stand for round and for rectangular things.

Points have shape (k, d), in the unit of what they are made from.
"""

from itertools import product

import numpy as np

from boidsgen import exact
from boidsgen.simulation.geometry import Array


def circle(points: int) -> Array:
    """Points round the unit circle, counterclockwise from (1, 0), shape (points, 2)."""
    turn = np.linspace(0, 2 * np.pi, points, endpoint=False)
    return np.column_stack((exact.cosine(turn), exact.sine(turn)))


def corners(low: Array, size: Array) -> Array:
    """The corners of a box, shape (2**d, d)."""
    return low + np.array(list(product((0.0, 1.0), repeat=len(size)))) * size


def edges(low: Array, size: Array) -> tuple[Array, Array]:
    """Starts and ends of the edges of a box, shape (d * 2**(d-1), d) each; parallel ones follow each other."""
    corner = np.array(list(product((0.0, 1.0), repeat=len(size))))
    pairs = [(start, start + way) for way in np.eye(len(size)) for start in corner if not (start @ way)]
    start, end = zip(*pairs, strict=True)
    return low + np.array(start) * size, low + np.array(end) * size
