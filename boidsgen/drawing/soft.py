"""Soft: what has no edges, such as glows and shadows, worked out on squares of COARSE pixels and enlarged.

  clouds(place, weight, size, …)   a soft cloud round places in a picture
  enlarged(coarse, size)           squares as a smooth picture
All sums are whole numbers, so that they are the same everywhere and in every order.
"""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from boidsgen import exact
from boidsgen.simulation.geometry import Array

COARSE = 8
"""What is soft is worked out on squares of so many pixels."""
UNIT = 1024
"""The weight 1, as a whole number."""

Planes = NDArray[np.uint8]


def clouds(place: Array, weight: Array, size: tuple[int, int], *, reach: int, gain: float, most: float) -> Planes:
    """A soft cloud round places (n, 2) that weigh so much, (n,): (height, width) from 0 to `most`.

    Args:
        place: in pixels.
        weight: of each.
        size: (width, height) of the picture.
        reach: how far it is blurred, twice, in squares.
        gain: how soon it is dense, by the weight in a square of pixels.
        most: how dense it becomes where there is no end to them; at most 255.
    """
    columns, rows = (-(-side // COARSE) for side in size)
    cell = np.floor(place / COARSE).astype(np.intp)
    inside = ((cell >= 0) & (cell < (columns, rows))).all(axis=1)
    total = np.zeros(rows * columns, np.int64)
    flat = cell[inside, 1] * columns + cell[inside, 0]
    np.add.at(total, flat, np.rint(weight[inside] * UNIT).astype(np.int64))
    cloud = _blurred(_blurred(total.reshape(rows, columns), reach), reach) * (gain / UNIT)
    return enlarged(np.rint(most * (1.0 - exact.exponential(-cloud))).astype(np.uint8), size)


def _blurred(cells: NDArray[np.int64], reach: int) -> NDArray[np.int64]:
    """The mean over a square that reaches so far to all sides."""
    wide = 2 * reach + 1
    for axis in (0, 1):
        along = np.moveaxis(np.pad(cells, [(reach + 1, reach) if axis == each else (0, 0) for each in (0, 1)]), axis, 0)
        total = np.cumsum(along, axis=0)
        cells = np.moveaxis((total[wide:] - total[:-wide]) // wide, 0, axis)
    return cells


def enlarged(coarse: Planes, size: tuple[int, int]) -> Planes:
    """Squares as a smooth picture of (width, height) pixels, in which two by two pixels are alike."""
    rows, columns = coarse.shape
    half = COARSE // 2
    smooth = np.asarray(Image.fromarray(coarse).resize((columns * half, rows * half), Image.Resampling.BILINEAR))
    return np.repeat(np.repeat(smooth, 2, axis=1), 2, axis=0)[: size[1], : size[0]]
