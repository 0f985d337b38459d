"""Dither: a static pattern of thresholds that hides the steps between few colors.

A pixel whose value lies between two steps takes the higher one if its share is above the threshold of the pixel. The
thresholds never move, so that nothing flickers and nothing changes that need not. Their pattern is blue noise: equal
thresholds keep clear of each other, and the eye sees grain instead of a lattice (R. Ulichney, The void-and-cluster
method for dither array generation, 1993). It is worked out in whole numbers and so is the same everywhere.

  thresholds(size)          (height, width) float64, between 0 and 1
  grain(size, steps)        (height, width) uint8, whole numbers below `steps`
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.simulation.geometry import Array

SIDE = 64
"""The pattern repeats after so many pixels along each axis."""
SPREAD = 1.5
"""How far a pixel keeps others of its kind away: standard deviation of a bell in pixels."""
PRECISION = 1 << 20
"""The middle of the bell, as a whole number."""
UNEVEN = PRECISION // 16
"""How much the pixels differ beforehand, so that the first ones do not fall into line."""
SEED = 64
SUBLEVELS = 8
"""Steps of a level, between which the dither decides."""


def thresholds(size: tuple[int, int]) -> Array:
    """The threshold of every pixel of a picture of (width, height) pixels."""
    return (_tiled(size) + 0.5) / SIDE**2


@cache
def grain(size: tuple[int, int], steps: int) -> NDArray[np.uint8]:
    """The same pattern in so many steps, to be added before the fraction is cut off; at most 256."""
    return (_tiled(size).astype(np.int64) * steps // SIDE**2).astype(np.uint8)


def _tiled(size: tuple[int, int]) -> NDArray[np.uint16]:
    columns, rows = size
    return np.tile(_ranks(), (-(-rows // SIDE), -(-columns // SIDE)))[:rows, :columns]


@cache
def _ranks() -> NDArray[np.uint16]:
    """The order in which pixels turn on, shape (SIDE, SIDE): always the one with the most room round it."""
    bell = _bell()
    crowded = np.random.default_rng(SEED).integers(0, UNEVEN, (SIDE, SIDE)).astype(np.int64)
    ranks = np.zeros((SIDE, SIDE), np.uint16)
    for rank in range(SIDE**2):
        row, column = divmod(int(crowded.argmin()), SIDE)
        ranks[row, column] = rank
        crowded += bell[SIDE - row : 2 * SIDE - row, SIDE - column : 2 * SIDE - column]
        crowded[row, column] = np.iinfo(np.int64).max // 2  # never again
    return ranks


def _bell() -> NDArray[np.int64]:
    """How much a pixel crowds those round it, across all edges; (2 * SIDE, 2 * SIDE), the pixel at (0, 0)."""
    away = np.minimum(np.arange(SIDE), SIDE - np.arange(SIDE)).astype(float)
    row = exact.exponential(-away * away / (2 * SPREAD**2))
    bell = np.rint(row[:, None] * row * PRECISION).astype(np.int64)
    return np.tile(bell, (2, 2))
