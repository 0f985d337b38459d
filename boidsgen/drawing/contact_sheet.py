"""Contact sheets: many pictures, each in its own colors, side by side in one, with headings around them.

There is a title at the top, a heading above each column, one before each row, and a label above each tile; what has no
text takes no room. All tiles have cells of one size, that of the largest; smaller ones are centered. Tiles keep their
pixels and, as far as 255 colors allow, their colors. Lengths are pixels; places count from the top left.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.canvas import Canvas, Surface
from boidsgen.drawing.frame import MAX_COLORS, Frame, Palette
from boidsgen.drawing.text import halo, height, letter_height, lines, width
from boidsgen.drawing.themes import Theme

SCREEN = 16 / 9  # Width to height of a sheet that fills a screen
COST_OF_A_HOLE = 0.5  # Cost of an empty cell, relative to a sheet twice too wide or too high
LINE_STRENGTH = 0.45  # Strength of the lines around tiles, which separate a dark world from a dark page

TileFrame = tuple[Frame, str]
"""The content of a tile: the picture, and the line below it if the layout has room for one."""
_Colors = NDArray[np.uint8]  # Red, green, blue, shape (colors, 3)


@dataclass(frozen=True)
class Headings:
    """Text around the tiles."""

    title: str = ""  # above everything; empty for none
    columns: Sequence[str] = ()  # one heading a column, or none at all
    rows: Sequence[str] = ()  # one heading a row, or none at all
    labels: Sequence[str] = ()  # one a tile, or none at all


class TextLine(NamedTuple):
    """One line of text, its place, the size of its letters, and the part at this place, as for `Surface.write`."""

    text: str
    xy: tuple[float, float]
    size: int
    anchor: tuple[float, float]


@dataclass(frozen=True)
class SheetLayout:
    """Places of tiles and texts."""

    size: tuple[int, int]  # width and height of the whole picture, rounded up to what every format can hold
    columns: int  # tiles in a row
    tiles: Sequence[tuple[int, int]]  # width and height of each tile, row by row
    corners: Sequence[tuple[int, int]]  # the top left corner of each tile
    # left, top, width and height of the room for a line below each tile; empty without such lines
    notes: Sequence[tuple[int, int, int, int]]
    note_size: int  # of the letters of these lines
    texts: Sequence[TextLine]  # everything else that is written


def lay_out(
    tiles: Sequence[tuple[int, int]], headings: Headings, columns: int, sides: int, *, noted: bool = False
) -> SheetLayout:
    """Place tiles of these sizes row by row, and the headings around them; `noted` leaves room for lines below.

    The sides of the sheet are multiples of `sides`, as its format wants.
    """
    cell = max(wide for wide, _ in tiles), max(high for _, high in tiles)
    letters = letter_height(cell)
    gap, air = round(1.1 * letters), round(0.25 * letters)
    title_size, size = round(1.7 * letters), round(1.3 * letters)
    title_pitch, pitch = 1.2 * height(title_size), round(1.1 * height(size))

    row_texts = [lines(text, size, round(0.45 * cell[0])) for text in headings.rows]
    column_texts = [lines(text, size, cell[0]) for text in headings.columns]
    label_texts = [lines(text, size, cell[0]) for text in headings.labels]
    before_rows = max((width(line, size) for text in row_texts for line in text), default=-gap) + gap
    title = lines(headings.title, title_size, max(columns * (cell[0] + gap) + before_rows, 2 * gap) - gap)

    def room(texts: Sequence[Sequence[str]]) -> int:
        most = max((len(text) for text in texts), default=0)
        return most * pitch + (air if most else 0)

    label_room = room(label_texts)
    left = gap + before_rows
    top = round(len(title) * title_pitch) + room(column_texts) + gap // (2 if label_room else 1)
    row_pitch = label_room + cell[1] + (pitch + air if noted else 0) + gap
    wide = left + columns * (cell[0] + gap)
    high = top + math.ceil(len(tiles) / columns) * row_pitch
    whole = wide + -wide % sides, high + -high % sides

    def cell_corner(number: int) -> tuple[int, int]:
        row, column = divmod(number, columns)
        return left + column * (cell[0] + gap), top + label_room + row * row_pitch

    def above(text: Sequence[str], left: float, bottom: float) -> list[TextLine]:
        """Lines centered on top of a cell, from the lowest up."""
        places = [(left + cell[0] / 2, bottom - number * pitch) for number in range(len(text))]
        return [TextLine(line, place, size, (0.5, 1.0)) for line, place in zip(reversed(text), places, strict=True)]

    texts = [
        TextLine(text, (whole[0] / 2, gap / 2 + number * title_pitch), title_size, (0.5, 0.0))
        for number, text in enumerate(title)
    ]
    for column, text in enumerate(column_texts):
        texts += above(text, cell_corner(column)[0], top - air)
    for row, text in enumerate(row_texts):
        first = cell_corner(row * columns)[1] + cell[1] / 2 - (len(text) - 1) / 2 * pitch
        texts += [
            TextLine(line, (left - gap, first + number * pitch), size, (1.0, 0.5)) for number, line in enumerate(text)
        ]
    for number, text in enumerate(label_texts):
        texts += above(text, cell_corner(number)[0], cell_corner(number)[1] - air)

    cells = [cell_corner(number) for number in range(len(tiles))]
    corners = [(x + (cell[0] - tile[0]) // 2, y) for (x, y), tile in zip(cells, tiles, strict=True)]
    notes = [(x, y + tile[1] + air, cell[0], pitch) for (x, y), tile in zip(cells, tiles, strict=True)]
    return SheetLayout(whole, columns, tiles, corners, notes if noted else (), size, texts)


def fit_size(size: tuple[int, int], cell: tuple[int, int]) -> tuple[int, int]:
    """The largest size of the same shape that fits into a cell."""
    part = min(room / side for side, room in zip(size, cell, strict=True))
    return max(round(size[0] * part), 1), max(round(size[1] * part), 1)


def automatic_columns(count: int, cell: tuple[int, int]) -> int:
    """Number of tiles in a row that gives a sheet with few holes that suits a screen."""

    def cost(columns: int) -> float:
        rows = math.ceil(count / columns)
        shape = columns * cell[0] / (rows * cell[1])
        return abs(math.log2(shape / SCREEN)) + COST_OF_A_HOLE * (rows * columns - count)

    return min(range(1, count + 1), key=cost)


def page_inks(theme: Theme) -> Palette:
    """Colors of the texts and lines around the tiles, on the background of the pictures themselves."""
    text, muted = theme.unplated
    return Palette(theme.background, {"muted": muted, "text": text})


def draw_page(surface: Surface, layout: SheetLayout, inks: Palette) -> None:
    """Draw texts, and lines through the pixels just outside the tiles."""
    for (left, top), (wide, high) in zip(layout.corners, layout.tiles, strict=True):
        x, y = np.array([left - 0.5, left + wide + 0.5]), np.array([top - 0.5, top + high + 0.5])
        outline = np.column_stack([x[[0, 1, 1, 0, 0]], y[[0, 0, 1, 1, 0]]])
        surface.stroke(outline[:-1], outline[1:], inks.tone(inks.ink("muted"), LINE_STRENGTH))
    for line, xy, size, anchor in layout.texts:
        surface.write(line, xy, inks.tone(inks.ink("text")), size, anchor)


def page_picture(layout: SheetLayout, inks: Palette) -> NDArray[np.uint8]:
    """Everything around the tiles, as palette indices of the inks."""
    canvas = Canvas(layout.size, 2 * max((halo(text.size) for text in layout.texts), default=2), inks)
    draw_page(canvas, layout, inks)
    return canvas.picture()


def shared_palette(palettes: Sequence[_Colors]) -> tuple[_Colors, tuple[NDArray[np.uint8], ...]]:
    """One palette for all, and for each palette a table from its entries to those of the one.

    The first entry of a palette is its background. As long as all colors find room, none is changed. Otherwise
    backgrounds come first, then always the color that is farthest from all that have an entry; so what goes is a step
    of a ramp between two others, and no ink (Gonzalez 1985: at most twice the best distance).
    """
    every, place = np.unique(np.vstack(palettes), axis=0, return_inverse=True)
    first = np.cumsum([0, *(len(palette) for palette in palettes)])
    if len(every) <= MAX_COLORS:
        return every, tuple(np.split(place.astype(np.uint8), first[1:-1]))
    backgrounds, colors = np.unique(place[first[:-1]]), every.astype(np.int32)
    kept: list[int] = []
    distance = np.full(len(colors), np.iinfo(np.int32).max, np.int32)
    nearest = np.zeros(len(colors), np.uint8)
    for number in range(MAX_COLORS):
        chosen = int(backgrounds[number]) if number < len(backgrounds) else int(distance.argmax())
        to_chosen = ((colors - colors[chosen]) ** 2).sum(axis=1, dtype=np.int32)
        closer = to_chosen < distance
        nearest[closer], distance[closer] = number, to_chosen[closer]
        kept.append(chosen)
    return every[kept], tuple(np.split(nearest[place], first[1:-1]))


class ContactSheet:
    """Composes one frame of each tile into one picture.

    Attributes:
        palette: (colors, 3) uint8, the palette of all pictures.
    """

    def __init__(self, layout: SheetLayout, palettes: Sequence[_Colors], theme: Theme) -> None:
        self._layout, self._inks = layout, page_inks(theme)
        self.palette, (self._of_page, *self._of_tiles) = shared_palette([self._inks.colors, *palettes])
        self._page = self._of_page[page_picture(layout, self._inks)]

    def __call__(self, tiles: Sequence[TileFrame | None]) -> Frame:
        """The picture with these tiles, row by row; None leaves a tile as it was.

        The line below a tile takes the place of the one before; where there is no room its last word stands alone.
        """
        size, inks = self._layout.note_size, self._inks
        for number, tile in enumerate(tiles):
            if tile is None:
                continue
            frame, note = tile
            self._put(self._of_tiles[number][frame.index], self._layout.corners[number])
            if self._layout.notes:
                left, top, wide, high = self._layout.notes[number]
                canvas = Canvas((wide, high), 2 * halo(size), inks)
                text = note if width(note, size) < wide else note.rsplit(" ", maxsplit=1)[-1]
                canvas.write(text, (wide / 2, 0.0), inks.tone(inks.ink("text")), size, (0.5, 0.0))
                self._put(self._of_page[canvas.picture()], (left, top))
        return Frame(self._page.copy(), self.palette)

    def _put(self, index: NDArray[np.uint8], corner: tuple[int, int]) -> None:
        (left, top), (rows, columns) = corner, index.shape
        self._page[top : top + rows, left : left + columns] = index
