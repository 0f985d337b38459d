"""Layout: where the tiles of a grid stand, and what is written around them.

A grid has a title at the top, a heading above each column, one before each row, and a label above each tile; whatever
has no text takes no room. All tiles have cells of one size, that of the largest; the smaller ones stand in the middle,
right below their labels. A line that changes may stand below each. Lengths are pixels, places count from the top left.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from boidsgen.drawing.text import height, letter_height, lines, width
from boidsgen.output.formats import SIDES

FAVORED = 16 / 9
"""Width to height of a grid that fills a screen."""
COST_OF_A_HOLE = 0.5
"""How much an empty cell costs, against a grid twice too wide or too high."""


@dataclass(frozen=True)
class Headings:
    """What is written around the tiles.

    Attributes:
        title: above everything; empty for none.
        columns: one heading a column, or none at all.
        rows: one heading a row, or none at all.
        labels: one a tile, or none at all.
    """

    title: str = ""
    columns: Sequence[str] = ()
    rows: Sequence[str] = ()
    labels: Sequence[str] = ()


@dataclass(frozen=True)
class TextLine:
    """One line of text in the grid.

    Attributes:
        text: the line.
        xy: where.
        size: of its letters.
        anchor: which part of it stands there, as for `Canvas.write`.
    """

    text: str
    xy: tuple[float, float]
    size: int
    anchor: tuple[float, float]


@dataclass(frozen=True)
class SheetLayout:
    """The places in a grid of tiles.

    Attributes:
        sizes: width and height of each tile, row by row.
        headings: what is written around them.
        columns: how many tiles stand in a row.
        noted: whether there is room for a line below each tile.
    """

    sizes: Sequence[tuple[int, int]]
    headings: Headings
    columns: int
    noted: bool = False

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return math.ceil(len(self.sizes) / self.columns)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the whole picture, rounded up to what every format can hold."""
        wide = self._left + self.columns * (self._cell[0] + self._gap)
        high = self._top + self.rows * self._row
        return wide + -wide % SIDES, high + -high % SIDES

    @property
    def corners(self) -> list[tuple[int, int]]:
        """The top left corner of each tile."""
        return [self._corner(number) for number in range(len(self.sizes))]

    def note(self, number: int) -> tuple[int, int, int, int]:
        """Left, top, width and height of the room for the line below a tile."""
        left, top = self._cell_corner(number)
        below = top + self.sizes[number][1] + self._air
        return left, below, self._cell[0], self._pitch

    @property
    def note_size(self) -> int:
        """Of the letters of those lines."""
        return self._heading

    @cached_property
    def texts(self) -> list[TextLine]:
        """Everything that is written."""
        return [*self._title_lines(), *self._column_lines(), *self._row_lines(), *self._label_lines()]

    @cached_property
    def _cell(self) -> tuple[int, int]:
        return max(size[0] for size in self.sizes), max(size[1] for size in self.sizes)

    @cached_property
    def _letters(self) -> int:
        return letter_height((max(self._cell), max(self._cell)))

    @property
    def _gap(self) -> int:
        return round(1.1 * self._letters)

    @property
    def _heading(self) -> int:
        return round(1.3 * self._letters)

    @property
    def _pitch(self) -> int:
        """From one line of a heading to the next."""
        return round(1.1 * height(self._heading))

    @cached_property
    def _title_text(self) -> tuple[str, ...]:
        wide = max(self.columns * (self._cell[0] + self._gap) + self._before_rows, 2 * self._gap)
        return lines(self.headings.title, self._title_size, wide - self._gap)

    @property
    def _title_size(self) -> int:
        return round(1.7 * self._letters)

    @cached_property
    def _column_texts(self) -> list[tuple[str, ...]]:
        return [lines(text, self._heading, self._cell[0]) for text in self.headings.columns]

    @cached_property
    def _row_texts(self) -> list[tuple[str, ...]]:
        return [lines(text, self._heading, round(0.45 * self._cell[0])) for text in self.headings.rows]

    @cached_property
    def _label_texts(self) -> list[tuple[str, ...]]:
        return [lines(text, self._heading, self._cell[0]) for text in self.headings.labels]

    @cached_property
    def _label(self) -> int:
        return self._room(self._label_texts)

    @property
    def _row(self) -> int:
        """From one row of tiles to the next."""
        return self._label + self._cell[1] + (self._pitch + self._air if self.noted else 0) + self._gap

    @property
    def _before_rows(self) -> int:
        """Room for the headings of the rows."""
        widest = max((width(line, self._heading) for text in self._row_texts for line in text), default=-self._gap)
        return widest + self._gap

    @property
    def _left(self) -> int:
        return self._gap + self._before_rows

    @property
    def _title_height(self) -> int:
        return round(1.2 * len(self._title_text) * height(self._title_size))

    @property
    def _top(self) -> int:
        return self._title_height + self._room(self._column_texts) + self._gap // (2 if self._label else 1)

    def _room(self, texts: Sequence[Sequence[str]]) -> int:
        """Height of texts that stand on top of cells, and of the air below them."""
        count = max((len(text) for text in texts), default=0)
        return count * self._pitch + (self._air if count else 0)

    @property
    def _air(self) -> int:
        """Between a heading and the cell below it."""
        return round(0.25 * self._letters)

    def _corner(self, number: int) -> tuple[int, int]:
        left, top = self._cell_corner(number)
        return left + (self._cell[0] - self.sizes[number][0]) // 2, top

    def _cell_corner(self, number: int) -> tuple[int, int]:
        row, column = divmod(number, self.columns)
        left = self._left + column * (self._cell[0] + self._gap)
        return left, self._top + self._label + row * self._row

    def _title_lines(self) -> list[TextLine]:
        pitch = 1.2 * height(self._title_size)
        places = [(self.size[0] / 2, self._gap / 2 + number * pitch) for number in range(len(self._title_text))]
        return [
            TextLine(text, place, self._title_size, (0.5, 0.0))
            for text, place in zip(self._title_text, places, strict=True)
        ]

    def _column_lines(self) -> list[TextLine]:
        bottom = self._top - self._air
        return [
            written
            for column, text in enumerate(self._column_texts)
            for written in self._above(text, self._cell_corner(column)[0], bottom)
        ]

    def _label_lines(self) -> list[TextLine]:
        places = [self._cell_corner(number) for number in range(len(self._label_texts))]
        return [
            written
            for text, (left, top) in zip(self._label_texts, places, strict=True)
            for written in self._above(text, left, top - self._air)
        ]

    def _above(self, text: Sequence[str], left: float, bottom: float) -> list[TextLine]:
        """A text of one or more lines that stands centered on top of a cell."""
        middle = left + self._cell[0] / 2
        return [
            TextLine(line, (middle, bottom - number * self._pitch), self._heading, (0.5, 1.0))
            for number, line in enumerate(reversed(text))
        ]

    def _row_lines(self) -> list[TextLine]:
        right = self._left - self._gap
        middles = [self._cell_corner(row * self.columns)[1] + self._cell[1] / 2 for row in range(len(self._row_texts))]
        return [
            TextLine(line, (right, middle + (number - (len(text) - 1) / 2) * self._pitch), self._heading, (1.0, 0.5))
            for text, middle in zip(self._row_texts, middles, strict=True)
            for number, line in enumerate(text)
        ]


def fitted(size: tuple[int, int], cell: tuple[int, int]) -> tuple[int, int]:
    """The largest size of the same shape that fits into a cell."""
    part = min(room / side for side, room in zip(size, cell, strict=True))
    return max(round(size[0] * part), 1), max(round(size[1] * part), 1)


def automatic_columns(count: int, cell: tuple[int, int]) -> int:
    """How many tiles to put into a row, so that the grid has few holes and suits a screen."""

    def cost(columns: int) -> float:
        rows = math.ceil(count / columns)
        shape = columns * cell[0] / (rows * cell[1])
        return abs(math.log2(shape / FAVORED)) + COST_OF_A_HOLE * (rows * columns - count)

    return min(range(1, count + 1), key=cost)
