"""Contact sheet: many pictures, each in its own colors, side by side in one.

A `ContactSheet` takes a frame of each tile and gives one frame. Tiles keep their pixels and, as far as 255 colors
allow, their colors. Around each stands a thin line, so that a dark world does not run into a dark page.

`shared_palette(palettes)` gives one palette, and for each of the given ones a table from its entries to those of the
one. As long as all colors find room, none is changed. Otherwise the entries are shared out so that the worst of them is
as close to its color as may be: backgrounds first, then always the color that is farthest from all that have an entry,
so that what goes is a step of a ramp between two others, and no ink (Gonzalez 1985: at most twice the best distance).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing import Frame
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import MAX_COLORS, Inks
from boidsgen.drawing.text import halo, width
from boidsgen.drawing.themes import Theme
from boidsgen.studies.compare.layout import SheetLayout

LINE_STRENGTH = 0.45
"""Strength of the lines around tiles."""

Colors = NDArray[np.uint8]
"""Red, green, blue, shape (colors, 3)."""


def shared_palette(palettes: Sequence[Colors]) -> tuple[Colors, tuple[NDArray[np.uint8], ...]]:
    """One palette for all, and the entry in it for each entry of each; the first entry of a palette is background."""
    every, place = np.unique(np.vstack(palettes), axis=0, return_inverse=True)
    first = np.cumsum([0, *(len(palette) for palette in palettes)])
    backgrounds = np.unique(place[first[:-1]])
    kept, nearest = _shared_out(every.astype(np.int32), backgrounds)
    entry = nearest.astype(np.uint8)[place]
    return every[kept], tuple(np.split(entry, first[1:-1]))


def _shared_out(every: NDArray[np.int32], first: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which colors have an entry, and for each color the number of the entry nearest to it."""
    if len(every) <= MAX_COLORS:
        return np.arange(len(every)), np.arange(len(every))
    kept: list[int] = []
    distance = np.full(len(every), np.iinfo(np.int32).max, np.int32)
    nearest = np.zeros(len(every), np.intp)
    for number in range(MAX_COLORS):
        chosen = int(first[number]) if number < len(first) else int(distance.argmax())
        to_chosen = ((every - every[chosen]) ** 2).sum(axis=1, dtype=np.int32)
        closer = to_chosen < distance
        nearest[closer], distance[closer] = number, to_chosen[closer]
        kept.append(chosen)
    return np.array(kept), nearest


class Shown(NamedTuple):
    """What a tile shows.

    Attributes:
        frame: the picture.
        note: the line below it, if the layout has room for one.
    """

    frame: Frame
    note: str = ""


class ContactSheet:
    """Puts one frame of each tile into its place.

    Attributes:
        palette: (colors, 3) uint8, the palette of all pictures.
    """

    def __init__(self, layout: SheetLayout, palettes: Sequence[Colors], theme: Theme) -> None:
        inks = page_inks(theme)
        self._layout, self._inks = layout, inks
        self.palette, (of_page, *self._of_tiles) = shared_palette([inks.colors, *palettes])
        self._of_page = of_page
        self._page = of_page[page(layout, inks)]

    def __call__(self, tiles: Sequence[Shown | None]) -> Frame:
        """The picture with what each tile shows, row by row; None leaves a tile as it was."""
        corners = self._layout.corners
        for number, (shown, corner, entry) in enumerate(zip(tiles, corners, self._of_tiles, strict=True)):
            if shown is not None:
                self._put(entry[shown.frame.index], corner)
            if shown is not None and self._layout.noted:
                self._write(shown.note, number)
        return Frame(self._page.copy(), self.palette)

    def _write(self, note: str, number: int) -> None:
        """Write the line below a tile over the one before; its last word alone where there is no room for all."""
        left, top, wide, high = self._layout.note(number)
        size, inks = self._layout.note_size, self._inks
        canvas = Canvas((wide, high), 2 * halo(size), inks)
        canvas.write(
            note if width(note, size) < wide else note.rsplit(" ", maxsplit=1)[-1],
            (wide / 2, 0.0),
            inks.tone(inks.ink("text")),
            size,
            (0.5, 0.0),
        )
        self._put(self._of_page[canvas.picture()], (left, top))

    def _put(self, index: NDArray[np.uint8], corner: tuple[int, int]) -> None:
        (left, top), (rows, columns) = corner, index.shape
        self._page[top : top + rows, left : left + columns] = index


def page_inks(theme: Theme) -> Inks:
    """The colors of what stands around the tiles."""
    return Inks(theme.behind("text"), {"muted": theme.muted, "text": theme.text})


def page(layout: SheetLayout, inks: Inks) -> NDArray[np.uint8]:
    """What stands around the tiles, in codes of ink."""
    canvas = Canvas(layout.size, 2 * max((halo(text.size) for text in layout.texts), default=2), inks)
    draw_page(canvas, layout, inks)
    return canvas.picture()


def draw_page(canvas: Canvas, layout: SheetLayout, inks: Inks) -> None:
    """Draw what stands around the tiles."""
    for corner, size in zip(layout.corners, layout.sizes, strict=True):
        canvas.path(_outline(corner, size), inks.tone(inks.ink("muted"), LINE_STRENGTH))
    for text in layout.texts:
        canvas.write(text.text, text.xy, inks.tone(inks.ink("text")), text.size, text.anchor)


def _outline(corner: tuple[int, int], size: tuple[int, int]) -> NDArray[np.float64]:
    """The middles of the pixels just outside a tile."""
    left, top = corner[0] - 0.5, corner[1] - 0.5
    right, bottom = left + size[0] + 1, top + size[1] + 1
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])
