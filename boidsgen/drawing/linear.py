"""Linear light: what colors amount to, so that they can be blended as light is.

Colors on a screen are numbers from 0 to 255 whose light grows with their power GAMMA. A gradient or a transparency is
worked out in light, from 0 to 1, and goes back to numbers at the end:

  light(color)                 the light of a color such as "#0b1020", shape (3,)
  light_of(numbers)            the light of numbers 0 to 255, any shape
  numbers_of(light)            the nearest numbers, uint8, same shape
  dithered(light, threshold)   numbers between which the thresholds decide, so that a gradient has no steps
  blended(stops, place)        the light of a gradient at places from 0 to 1
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boidsgen import exact
from boidsgen.drawing.frame import rgb
from boidsgen.simulation.geometry import Array

GAMMA = 2.2

Numbers = NDArray[np.uint8]

Stop = tuple[float, str]
"""A place in a gradient, and the color there."""


def light(color: str) -> Array:
    """The light of a color, red, green and blue, shape (3,)."""
    return light_of(rgb(color).astype(np.uint8))


def light_of(numbers: NDArray[np.integer]) -> Array:
    """The light of numbers from 0 to 255."""
    amount: Array = _table()[numbers]
    return amount


def numbers_of(light: ArrayLike) -> Numbers:
    """The nearest numbers; light below 0 and above 1 is cut off."""
    return np.searchsorted(_borders(), np.asarray(light), side="right").astype(np.uint8)


def dithered(light: ArrayLike, threshold: Array) -> Numbers:
    """Of the two numbers next to each light the higher where its share is above the threshold, 0 to 1."""
    table, given = _table(), np.minimum(np.maximum(np.asarray(light), 0.0), 1.0)
    low = np.minimum(np.searchsorted(table, given, side="right") - 1, 254)
    share = (given - table[low]) / (table[low + 1] - table[low])
    numbers: Numbers = (low + (share > threshold)).astype(np.uint8)
    return numbers


def blended(stops: Sequence[Stop], place: Array) -> Array:
    """The light of a gradient at places, shape (n,), that are cut off at its ends; shape (n, 3)."""
    at, color = np.array([stop[0] for stop in stops]), np.stack([light(stop[1]) for stop in stops])
    place = np.minimum(np.maximum(place, at[0]), at[-1])
    piece = np.minimum(np.searchsorted(at, place, side="right") - 1, len(at) - 2)
    share = ((place - at[piece]) / (at[piece + 1] - at[piece]))[:, None]
    mixed: Array = color[piece] * (1.0 - share) + color[piece + 1] * share
    return mixed


@cache
def _table() -> Array:
    return exact.powers(np.arange(256) / 255, GAMMA)


@cache
def _borders() -> Array:
    """The light half way between each number and the next."""
    return exact.powers((np.arange(255) + 0.5) / 255, GAMMA)
