"""Sine, cosine and powers with the same bits on every system and processor.

The functions of the C library differ in the last bit from one system to the next, and numpy chooses others by the
processor. A flock amplifies a last bit until the pictures differ. What stands here is made of additions, products,
square roots and roundings of float64 only: IEEE 754 fixes their results, and numpy does them one by one, so that no
compiler can join two of them.

Results are within two units in the last place, or 2e-16 near a zero; those of `powers` within 1e-13. Sines and cosines
of angles beyond a million radians err by more, and are the same everywhere.
"""

from decimal import Context, Decimal
from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Array = NDArray[np.float64]

QUARTER_TURN = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
"""Half of pi in three parts of 33 bits each, the last rounded: a product with up to 2^20 quarter turns is exact."""
QUARTERS_PER_RADIAN = 2 / np.pi  # Quarter turns in a radian
FULL_CIRCLE, MANY_TURNS = 2 * np.pi, 1e12
"""A whole turn, and how many quarters an angle may have before whole turns are taken out of it: it says little then."""
TERMS = 9
"""Terms of the power series: for an eighth of a turn the first one left out is below a thousandth of the last place."""

EIGHTHS = 8  # Steps of the table of arctangents
ARCTANGENT = np.array([
    0.0,
    0.12435499454676144,
    0.24497866312686414,
    0.35877067027057225,
    0.4636476090008061,
    0.5585993153435624,
    0.6435011087932844,
    0.7188299996216245,
    0.7853981633974483,
])  # fmt: skip
"""Of 0, 1/8, 2/8 … 1."""

TAIL = 3.654152885361009
"""Normal numbers beyond this come from a logarithm of the C library (J. A. Doornik, An Improved Ziggurat Method, 2005,
with the 256 layers that numpy uses); all others are products."""
FINEST = 2.0**-36
"""Precision that those are rounded to. Two libraries that differ in the last bit there give different numbers only
where a multiple and a half lies between the two: once in sixteen thousand of those, which are one in four thousand
of all."""
FORTY_DIGITS = Context(prec=40)

NATURAL = (0.6931471803691238, 1.9082149292705877e-10)
"""The natural logarithm of two in two parts, the first of 33 bits: a product with up to 2^20 of it is exact."""
MAX_POWER = 2.0**62  # The largest whole exponent; larger ones, and what is not a number, count as this
MAX_EXPONENT = 700.0  # Beyond this, e to a number is next to nothing, or more than there are numbers for

_SINE = [(-1) ** term / factorial(2 * term + 1) for term in range(TERMS)]
_COSINE = [(-1) ** term / factorial(2 * term) for term in range(TERMS + 1)]
_EXPONENTIAL = [1 / factorial(term) for term in range(14)]
_LOGARITHM = [2 / (2 * term + 1) for term in range(12)]
ARCTANGENT_SERIES = [(-1) ** term / (2 * term + 1) for term in range(TERMS)]


def sine(angle: ArrayLike) -> _Array:
    """The sine of angles in radians."""
    return _wave(angle, 0)


def cosine(angle: ArrayLike) -> _Array:
    """The cosine of angles in radians."""
    return _wave(angle, 1)


def heading(across: ArrayLike, along: ArrayLike) -> _Array:
    """The angle of a vector in radians, counterclockwise from where `across` is zero and `along` is not negative."""
    across, along = np.asarray(across, dtype=float), np.asarray(along, dtype=float)
    high, wide = np.abs(across), np.abs(along)
    steep = high > wide
    longer = np.maximum(high, wide)
    slope = np.minimum(high, wide) / np.where(longer == 0, 1.0, longer)
    step = np.rint(slope * EIGHTHS)
    rest = (slope - step / EIGHTHS) / (1.0 + slope * (step / EIGHTHS))
    angle: _Array = ARCTANGENT[step.astype(np.intp)] + rest * _series(ARCTANGENT_SERIES, rest * rest)
    angle = np.where(steep, np.pi / 2 - angle, angle)
    angle = np.where(along < 0, np.pi - angle, angle)
    return np.where(across < 0, -angle, angle)


def exponential(number: ArrayLike) -> _Array:
    """E to the power of numbers; those beyond MAX_EXPONENT count as that."""
    power: _Array = np.minimum(np.maximum(np.asarray(number, dtype=float), -MAX_EXPONENT), MAX_EXPONENT)
    doublings = np.rint(power / (NATURAL[0] + NATURAL[1]))
    rest = power - doublings * NATURAL[0] - doublings * NATURAL[1]
    whole: _Array = np.ldexp(_series(_EXPONENTIAL, rest), doublings.astype(np.int64))
    return whole


def logarithm(number: ArrayLike) -> _Array:
    """The natural logarithm of numbers above zero."""
    fraction, exponent = np.frexp(np.asarray(number, dtype=float))
    small = fraction < 0.7071067811865476
    fraction, exponent = np.where(small, 2.0 * fraction, fraction), exponent - small
    slope = (fraction - 1.0) / (fraction + 1.0)
    logarithm: _Array = exponent * NATURAL[0] + (slope * _series(_LOGARITHM, slope * slope) + exponent * NATURAL[1])
    return logarithm


def powers(base: ArrayLike, exponent: float) -> _Array:
    """Numbers that are not negative to the same power."""
    base = np.asarray(base, dtype=float)
    positive = base > 0
    return np.where(positive, exponential(exponent * logarithm(np.where(positive, base, 1.0))), 0.0)


def cube_root(number: ArrayLike) -> _Array:
    """The cube root of numbers that are not negative: Newton's method from a guess within a quarter."""
    number = np.asarray(number, dtype=float)
    fraction, exponent = np.frexp(number)
    thirds, rest = np.divmod(exponent, 3)
    scaled = np.ldexp(fraction, rest)  # in [1/2, 4)
    root = 0.65 + 0.35 * scaled - 0.03 * (scaled * scaled)
    for _ in range(6):
        root = root - (root - scaled / np.where(root == 0, 1.0, root * root)) / 3.0
    return np.where((number == 0) | np.isinf(number), number, np.ldexp(root, thirds))


def whole_power(base: ArrayLike, exponent: ArrayLike) -> _Array:
    """The base multiplied with itself so many times: by squaring, so that the order of products is fixed."""
    left = np.fmin(exponent, MAX_POWER).astype(np.int64)
    square = np.broadcast_to(np.asarray(base, dtype=float), left.shape)
    result = np.ones(left.shape)
    while left.any():
        result = np.where(left & 1, result * square, result)
        left = left >> 1
        square = np.where(left > 0, square * square, square)
    return result


def power(base: float, exponent: str) -> float:
    """One number to a power, such as "0.45": computed in 40 decimals, and rounded once."""
    return float(FORTY_DIGITS.power(Decimal(base), Decimal(exponent)))


def tens(number: float) -> float:
    """The largest power of ten that is not above a number."""
    return float(f"1e{Decimal(number).adjusted()}")


def uniform(generator: "np.random.Generator", low: float, high: float, shape: tuple[int, ...]) -> _Array:
    """Random numbers from `low` to `high`: `Generator.uniform` joins product and sum on some processors."""
    return low + (high - low) * generator.random(shape)


def normal(generator: "np.random.Generator", shape: tuple[int, ...]) -> _Array:
    """Random numbers of the standard normal distribution, the rarest of them rounded."""
    number = generator.standard_normal(shape)
    return np.where(np.abs(number) > TAIL, np.rint(number / FINEST) * FINEST, number)


def _wave(angle: ArrayLike, quarters: int) -> _Array:
    """The sine, so many quarter turns ahead."""
    angle = np.asarray(angle, dtype=float)
    turns = np.rint(angle * QUARTERS_PER_RADIAN)
    if np.abs(turns).max(initial=0) > MANY_TURNS:
        angle = np.where(np.abs(turns) > MANY_TURNS, np.fmod(angle, FULL_CIRCLE), angle)
        turns = np.rint(angle * QUARTERS_PER_RADIAN)
    rest = angle
    for part in QUARTER_TURN:
        rest = rest - turns * part
    phase = (turns.astype(np.int64) + quarters) & 3
    squared = rest * rest
    value = np.where(phase & 1, _series(_COSINE, squared), rest * _series(_SINE, squared))
    return np.where(phase & 2, -value, value)


def _series(coefficients: list[float], squared: _Array) -> _Array:
    """Horner's rule."""
    total = np.full_like(squared, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * squared + coefficient
    return total
