"""Bitmaps: flat shapes made of cells, and points spread evenly over them.

Letters are those of the font of all captions, Source Sans Pro (Adobe, SIL Open Font License 1.1), rasterized once;
`letters.txt` has a line for each: the letter, its advance in columns, its first column and row, the numbers of its rows
and columns, and its cells, row by row, eight to a byte. Everything here is integer arithmetic, so that equal shapes
give equal positions on every system.
"""

from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.simulation.geometry import Array

Shape = NDArray[np.bool_]

INSIDE, OUTSIDE = "#", "."
"""Characters of cells in lines of text."""
MIN_CELLS = 8
"""Cells that there are at least for each point; a coarser shape is cut into finer cells."""
FAR = 2**31 - 1
"""More than the square of any distance in cells."""
MAX_SIDE = 32_000
"""Rows and columns of the finest shape: squares of distances stay below FAR."""


class Letter(NamedTuple):
    """One letter of the font.

    Attributes:
        advance: columns from its origin to that of the next letter.
        left: column of its leftmost cell, seen from its origin; below zero where it reaches back.
        top: row of its topmost cell, below the highest that any letter reaches.
        cells: what is inked, shape (rows, columns).
    """

    advance: int
    left: int
    top: int
    cells: Shape


@cache
def letters() -> Mapping[str, Letter]:
    """Every letter that can be written."""
    text = (files("boidsgen.simulation") / "letters.txt").read_text("utf-8")
    return {line[0]: _letter(line[2:]) for line in text.splitlines()}


def _letter(line: str) -> Letter:
    *numbers, packed = line.split(" ")
    advance, left, top, rows, columns = map(int, numbers)
    cells = np.unpackbits(np.frombuffer(b64decode(packed), np.uint8), count=rows * columns)
    return Letter(advance, left, top, cells.astype(bool).reshape(rows, columns))


def unknown_letters(text: str) -> str:
    """The characters of a text that cannot be written, each once, in their order."""
    return "".join(letter for letter in dict.fromkeys(text) if letter not in letters())


def lettered(text: str) -> Shape:
    """The shape of a line of text, cropped to its ink; no cells at all where there is none."""
    placed = list(_placed(text))
    left = min((at for at, _ in placed), default=0)
    shape = np.zeros(
        (
            max((one.top + one.cells.shape[0] for _, one in placed), default=0),
            max((at + one.cells.shape[1] for at, one in placed), default=0) - left,
        ),
        dtype=bool,
    )
    for at, one in placed:
        rows, columns = one.cells.shape
        shape[one.top : one.top + rows, at - left : at - left + columns] |= one.cells
    return shape[min((one.top for _, one in placed), default=0) :]


def _placed(text: str) -> Iterator[tuple[int, Letter]]:
    """The inked letters, each with the column at which it begins."""
    at = 0
    for letter in text:
        one = letters()[letter]
        if one.cells.size:
            yield at + one.left, one
        at += one.advance


def from_rows(rows: Sequence[str]) -> Shape:
    """The shape that lines of # and . show."""
    return np.array([[cell == INSIDE for cell in row] for row in rows], dtype=bool).reshape(len(rows), -1)


def rows_of(shape: Shape) -> tuple[str, ...]:
    """Lines of # and . that show a shape."""
    return tuple("".join(INSIDE if cell else OUTSIDE for cell in row) for row in shape.tolist())


def spread(shape: Shape, count: int, first: int = 0) -> Array:
    """Each point in the cell that is furthest from all points before it, the first in cell number `first`.

    Furthest-point sampling (Eldar et al., The Farthest Point Strategy for Progressive Image Sampling, 1997): the edges
    are lined with points, the inside is filled as evenly as cells allow, and so is every part of the sequence.
    """
    finer = _cuts(shape, count)
    cells = np.repeat(np.repeat(shape, finer, axis=0), finer, axis=1)
    return (_furthest(cells, count, first * finer * finer) + 0.5) / finer


def _cuts(shape: Shape, count: int) -> int:
    """Into how many a side of a cell has to be cut."""
    inside = int(np.count_nonzero(shape))
    wanted = isqrt(max(0, MIN_CELLS * count - 1) // inside) + 1 if inside else 1
    return max(1, min(wanted, MAX_SIDE // int(max(shape.shape))))


def _furthest(shape: Shape, count: int, first: int) -> NDArray[np.int64]:
    """Row and column of the cells that are taken, shape (count, 2)."""
    free = np.where(shape, np.int32(FAR), np.int32(-1))  # square of the distance from the nearest point; -1 outside
    best = free.max(axis=1)  # of each row, so that the furthest cell is found without looking at all of them
    taken = np.empty((count, 2), dtype=np.int64)
    at = np.argwhere(shape)[first] if count else (0, 0)
    for number in range(count):
        taken[number] = row, column = int(at[0]), int(at[1])
        _take(free, best, row, column)
        row = int(best.argmax())
        at = (row, int(free[row].argmax()))
    return taken


def _take(free: NDArray[np.int32], best: NDArray[np.int32], row: int, column: int) -> None:
    """A point in this cell; nothing changes beyond the distance that no cell exceeds."""
    reach = isqrt(int(free[row, column])) + 1
    rows = slice(max(0, row - reach), row + reach + 1)
    columns = slice(max(0, column - reach), column + reach + 1)
    part = free[rows, columns]
    down = np.arange(rows.start, rows.start + part.shape[0], dtype=np.int32) - row
    across = np.arange(columns.start, columns.start + part.shape[1], dtype=np.int32) - column
    np.minimum(part, (down * down)[:, None] + across * across, out=part)
    best[rows] = free[rows].max(axis=1)
