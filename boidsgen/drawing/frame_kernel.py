"""The kernel of frames: what writers do with every finished picture, for numba to compile.

What has changed since the picture before is found, and worked out anew; the rest stays as it was.
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

part = njit(**OPTIONS)
"""Marks one of the compiled functions."""


@part
def changed_words(now, before, number, word):
    """The numbers of words that are others than before, and these words; says how many, and notes them in `before`."""
    count = 0
    for i in range(len(now)):
        number[count], word[count] = i, now[i]
        count += now[i] != before[i]
    for i in range(count):
        before[number[i]] = word[i]
    return count


@part
def recolor(pairs, before, brightness, colors, bright, blue, red):
    """As `Planes`: work out blocks of two by two pixels in which a pair is another than before, and note it there.

    Pairs, of two entries each, and blocks stand in rows, (rows, columns); colors in blocks, brightnesses in pairs.
    """
    low = np.uint32(0xFFFF)
    for row in range(len(blue)):
        for column in range(blue.shape[1]):
            upper, lower = pairs[2 * row, column], pairs[2 * row + 1, column]
            if upper == before[2 * row, column] and lower == before[2 * row + 1, column]:
                continue
            before[2 * row, column], before[2 * row + 1, column] = upper, lower
            one, two = np.uint64(upper & low), np.uint64(upper >> np.uint32(16))
            three, four = np.uint64(lower & low), np.uint64(lower >> np.uint32(16))
            bright[2 * row, 2 * column], bright[2 * row, 2 * column + 1] = brightness[one], brightness[two]
            bright[2 * row + 1, 2 * column], bright[2 * row + 1, 2 * column + 1] = brightness[three], brightness[four]
            total = colors[one] + colors[two] + colors[three] + colors[four]
            blue[row, column], red[row, column] = np.uint8(total >> 22), np.uint8((total & low) >> 6)
