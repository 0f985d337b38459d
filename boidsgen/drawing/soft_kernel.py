"""The kernel of what is soft: glows and shadows on squares, and their enlargement, for numba to compile.

All are whole numbers, and each operation is the one of `soft`; hence equal bits.
"""

# numba finds the types of all functions below from the signatures in `signatures`. It keeps machine code by the time of
# this file alone, so all parts of it stand here: a change in another file would go unnoticed.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from typing import Any

import numpy as np
from numba import njit

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
"""Threads may run at the same time; division by zero gives what numpy gives."""

COARSE = 8
"""As `soft.COARSE`."""

UNIT = 1024
"""As `soft.UNIT`."""

part = njit(**OPTIONS)
"""Marks a part of the compiled functions, or one of them."""


@part
def between(one, other, eighths):
    """What lies so many eighths of the way from one number to another."""
    away = np.uint16(np.uint16(other) * np.uint16(eighths))
    return np.uint8(np.uint16(np.uint16(np.uint16(one) * np.uint16(8 - eighths)) + away + np.uint16(4)) >> np.uint16(3))


@part
def widened(coarse):
    """Squares four times as many in every row, smoothly."""
    rows, columns = coarse.shape
    wide = np.empty((rows, 4 * columns), np.uint8)
    for row in range(rows):
        for here in range(columns):
            one, before, after = (
                coarse[row, here],
                coarse[row, max(here - 1, 0)],
                coarse[row, min(here + 1, columns - 1)],
            )
            wide[row, 4 * here], wide[row, 4 * here + 1] = between(one, before, 3), between(one, before, 1)
            wide[row, 4 * here + 2], wide[row, 4 * here + 3] = between(one, after, 1), between(one, after, 3)
    return wide


@part
def enlarge(coarse, smooth):
    """As `soft.enlarged`: squares of eight by eight pixels, smoothly, in which two by two pixels are alike."""
    wide = widened(coarse)
    line = np.empty(wide.shape[1], np.uint8)
    pairs = smooth.shape[1] // 2
    for row in range(0, len(smooth), 2):
        quarter = row // 2 % 4
        here, beside = wide[row // 8], wide[min(max(row // 8 + (1 if quarter > 1 else -1), 0), len(wide) - 1)]
        eighths = 3 if quarter in (0, 3) else 1
        for column in range(len(line)):
            line[column] = between(here[column], beside[column], eighths)
        for pair in range(pairs):
            smooth[row, 2 * pair] = line[pair]
            smooth[row, 2 * pair + 1] = line[pair]
        if 2 * pairs < smooth.shape[1]:
            smooth[row, 2 * pairs] = line[pairs]
        if row + 1 < len(smooth):
            for column in range(smooth.shape[1]):
                smooth[row + 1, column] = smooth[row, column]


@part
def squares_round(place, columns, rows, away):
    """The first and the last row and column of squares, without these, in which somebody is, and so many round them."""
    left, right, top, bottom = np.int64(columns), np.int64(0), np.int64(rows), np.int64(0)
    for i in range(len(place)):
        x, y = np.floor(place[i, 0] / COARSE), np.floor(place[i, 1] / COARSE)
        if 0 <= x < columns and 0 <= y < rows:
            left, right = min(left, np.int64(x)), max(right, np.int64(x) + 1)
            top, bottom = min(top, np.int64(y)), max(bottom, np.int64(y) + 1)
    if right == 0:
        return 0, 0, 0, 0
    return max(top - away, 0), min(bottom + away, rows), max(left - away, 0), min(right + away, columns)


@part
def blur_down(cells, blurred, reach):
    """As `soft._blurred_down`."""
    wide, (rows, columns) = np.float64(2 * reach + 1), cells.shape
    total = np.zeros(columns, np.int64)
    for row in range(-reach, rows):
        if row + reach < rows:
            for column in range(columns):
                total[column] += cells[row + reach, column]
        if row - reach - 1 >= 0:
            for column in range(columns):
                total[column] -= cells[row - reach - 1, column]
        if row >= 0:
            for column in range(columns):
                # A quotient of such small whole numbers is never rounded up to the next one.
                blurred[row, column] = np.int64(np.float64(total[column]) / wide)


@part
def blur_across(cells, blurred, reach):
    """The same along rows."""
    wide, (rows, columns) = np.float64(2 * reach + 1), cells.shape
    for row in range(rows):
        total = np.int64(0)
        for column in range(-reach, columns):
            if column + reach < columns:
                total += cells[row, column + reach]
            if column - reach - 1 >= 0:
                total -= cells[row, column - reach - 1]
            if column >= 0:
                blurred[row, column] = np.int64(np.float64(total) / wide)


@part
def thicken(place, weight, columns, rows, reach, borders):
    """As `soft.thickened`: the box of squares in which there is a cloud, and how dense it is in each."""
    box = squares_round(place, columns, rows, 2 * reach + 1)
    cells = np.zeros((box[1] - box[0], box[3] - box[2]), np.int64)
    for i in range(len(place)):
        x, y = np.floor(place[i, 0] / COARSE), np.floor(place[i, 1] / COARSE)
        if 0 <= x < columns and 0 <= y < rows:
            cells[np.int64(y) - box[0], np.int64(x) - box[2]] += np.int64(np.rint(weight[i] * UNIT))
    other = np.empty_like(cells)
    for _ in range(2):
        blur_down(cells, other, reach)
        blur_across(other, cells, reach)
    dense = np.zeros(cells.shape, np.uint8)
    for row in range(len(cells)):
        for column in range(cells.shape[1]):
            if len(borders) and cells[row, column] >= borders[0]:
                dense[row, column] = np.searchsorted(borders, cells[row, column], side="right")
    return box, dense
