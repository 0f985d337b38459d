"""Sine, cosine and powers with the same bits on every system and processor.

The functions of the C library differ in the last bit from one system to the next, and numpy chooses others by the
processor. A flock amplifies a last bit until the pictures differ. What stands here is made of additions, products,
square roots and roundings of float64 only: IEEE 754 fixes their results, and numpy does them one by one, so that no
compiler can join two of them.

  sine(angle), cosine(angle)      radians, any shape; within 1.5 units in the last place, or 2e-16 near a zero, up to
                                  angles of a million; beyond, the error grows with the angle, and stays the same
                                  everywhere
  cube_root(number)               number >= 0, any shape; within 1 unit in the last place
  whole_power(base, exponent)     exponent a whole number >= 0; both arrays of one shape, or scalars
"""

from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

QUARTER_TURN = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
"""Half of pi in three parts of 33 bits each, the last rounded: a product with up to 2^20 quarter turns is exact."""
TURNS = 2 / np.pi
"""Quarter turns in a radian."""
TERMS = 9
"""Terms of the power series: for an eighth of a turn the first one left out is below a thousandth of the last place."""

_SINE = [(-1) ** term / factorial(2 * term + 1) for term in range(TERMS)]
_COSINE = [(-1) ** term / factorial(2 * term) for term in range(TERMS + 1)]


def sine(angle: ArrayLike) -> Array:
    """The sine of angles in radians."""
    return _wave(angle, 0)


def cosine(angle: ArrayLike) -> Array:
    """The cosine of angles in radians."""
    return _wave(angle, 1)


def cube_root(number: ArrayLike) -> Array:
    """The cube root of numbers that are not negative: Newton's method from a guess within a quarter."""
    number = np.asarray(number, dtype=float)
    fraction, exponent = np.frexp(number)
    thirds, rest = np.divmod(exponent, 3)
    scaled = np.ldexp(fraction, rest)  # in [1/2, 4)
    root = 0.65 + 0.35 * scaled - 0.03 * (scaled * scaled)
    for _ in range(6):
        root = root - (root - scaled / np.where(root == 0, 1.0, root * root)) / 3.0
    return np.where(number == 0, 0.0, np.ldexp(root, thirds))


def whole_power(base: ArrayLike, exponent: ArrayLike) -> Array:
    """The base multiplied with itself so many times: by squaring, so that the order of products is fixed."""
    left = np.asarray(exponent, dtype=np.int64)
    square = np.broadcast_to(np.asarray(base, dtype=float), left.shape)
    result = np.ones(left.shape)
    while left.any():
        result = np.where(left & 1, result * square, result)
        left = left >> 1
        square = np.where(left > 0, square * square, square)
    return result


def _wave(angle: ArrayLike, quarters: int) -> Array:
    """The sine, so many quarter turns ahead."""
    angle = np.asarray(angle, dtype=float)
    turns = np.rint(angle * TURNS)
    rest = angle
    for part in QUARTER_TURN:
        rest = rest - turns * part
    phase = (turns.astype(np.int64) + quarters) & 3
    squared = rest * rest
    value = np.where(phase & 1, _series(_COSINE, squared), rest * _series(_SINE, squared))
    return np.where(phase & 2, -value, value)


def _series(coefficients: list[float], squared: Array) -> Array:
    """Horner's rule."""
    total = np.full_like(squared, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * squared + coefficient
    return total
