"""Falloffs: how much a neighbor counts by its distance r.

    constant 1    inverse 1/r    inverse_square 1/r²    linear r
    exponential exp(-r/L)    power (L² + r²)^-exponent (Cucker and Smale 2007)    quartic r/(L⁴ + r⁴)

The last three have a length L, and are finite at distance zero.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from boidsgen import exact
from boidsgen.simulation.geometry import Array

PlainFalloff = Literal["constant", "inverse", "inverse_square", "linear"]
"""Those without a length."""

BoundedFalloff = Literal["constant", "exponential", "power"]
"""Those that are finite and not zero at distance zero, so that they can be weights."""

Falloff = Literal[PlainFalloff, "exponential", "power", "quartic"]
"""All of them."""

FALLOFF_KEYS: Mapping[Falloff, Sequence[str]] = {
    "exponential": ("length",),
    "power": ("length", "exponent"),
    "quartic": ("length",),
}
"""The numbers that falloffs have."""

DIVISORS: Mapping[str, Callable[[Array], Array]] = {
    "constant": np.sqrt,
    "inverse": lambda squared: squared,
    "inverse_square": lambda squared: squared * np.sqrt(squared),
}
"""Divisor of an offset that gives it the length of a falloff, from the squared distance."""


def weights(squared: ArrayLike, falloff: BoundedFalloff, length: float, exponent: float) -> Array:
    """The falloff at distances of which the squares are given, shape (p,)."""
    if falloff == "power":
        return exact.powers(length * length + np.asarray(squared), -exponent)
    return exact.exponential(-(np.sqrt(squared) / length)) if falloff == "exponential" else np.ones_like(squared)


def resized(
    offset: Sequence[Array], squared: Array, falloff: Falloff, length: float, exponent: float
) -> Sequence[Array]:
    """Offsets brought to the length of the falloff, d arrays (p,), from their squared lengths.

    Who is at the same place, or next to it, pushes nowhere.
    """
    if falloff == "linear":
        return offset
    if falloff == "exponential" or falloff == "power":  # noqa: PLR1714  which mypy follows
        distance = np.sqrt(squared)
        size = weights(squared, falloff, length, exponent) / (distance + (distance == 0))
        return [along * size for along in offset]
    if falloff == "quartic":
        divisor = length * length * (length * length) + squared * squared
    else:
        divisor = DIVISORS[falloff](squared)
        divisor = divisor + (divisor == 0)
    return [along / divisor for along in offset]
