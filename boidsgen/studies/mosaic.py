"""Mosaic: the pictures of several runs, side by side in one.

Tiles keep their pixels and, as far as 255 colors allow, their colors; see `palettes`. Around each stands a thin line,
so that a dark world does not run into a dark page.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing import Frame
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.inks import Inks
from boidsgen.drawing.lettering import halo
from boidsgen.drawing.theme import Theme
from boidsgen.studies.layout import Layout
from boidsgen.studies.palettes import Colors, together

OF_THE_LINE = 0.45
"""Strength of the lines around tiles."""


class Mosaic:
    """Puts one frame of each tile into its place.

    Attributes:
        palette: (colors, 3) uint8, the palette of all pictures.
    """

    def __init__(self, layout: Layout, palettes: Sequence[Colors], theme: Theme) -> None:
        inks = Inks(theme.background, {"muted": theme.muted, "text": theme.text})
        self._corners = layout.corners
        self.palette, (of_page, *self._of_tiles) = together([inks.colors, *palettes])
        self._page = of_page[_page(layout, inks)]

    def __call__(self, frames: Sequence[Frame | None]) -> Frame:
        """The picture with a frame of each tile, row by row; None leaves a tile as it was."""
        for frame, corner, entry in zip(frames, self._corners, self._of_tiles, strict=True):
            if frame is not None:
                self._put(entry[frame.index], corner)
        return Frame(self._page.copy(), self.palette)

    def _put(self, index: NDArray[np.uint8], corner: tuple[int, int]) -> None:
        (left, top), (rows, columns) = corner, index.shape
        self._page[top : top + rows, left : left + columns] = index


def _page(layout: Layout, inks: Inks) -> NDArray[np.uint8]:
    """What stands around the tiles, in codes of ink."""
    canvas = Canvas(layout.size, 2 * max((halo(text.size) for text in layout.texts), default=2), inks)
    for corner, size in zip(layout.corners, layout.sizes, strict=True):
        canvas.path(_outline(corner, size), inks.tone(inks.ink("muted"), OF_THE_LINE))
    for text in layout.texts:
        canvas.write(text.text, text.xy, inks.tone(inks.ink("text")), text.size, text.anchor)
    return canvas.picture()


def _outline(corner: tuple[int, int], size: tuple[int, int]) -> NDArray[np.float64]:
    """The middles of the pixels just outside a tile."""
    left, top = corner[0] - 0.5, corner[1] - 0.5
    right, bottom = left + size[0] + 1, top + size[1] + 1
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])
