"""Palettes: many pictures, each in its own colors, brought together in one.

`together(palettes)` gives one palette, and for each of the given ones a table from its entries to those of the one.
As long as all colors find room, none is changed. Otherwise the entries are shared out so that the worst of them is as
close to its color as may be: backgrounds first, then always the color that is farthest from all that have an entry, so
that what goes is a step of a ramp between two others, and no ink (Gonzalez 1985: at most twice the best distance).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.inks import MOST_COLORS

Colors = NDArray[np.uint8]
"""Red, green, blue, shape (colors, 3)."""


def together(palettes: Sequence[Colors]) -> tuple[Colors, tuple[NDArray[np.uint8], ...]]:
    """One palette for all, and the entry in it for each entry of each; the first entry of a palette is background."""
    every, place = np.unique(np.vstack(palettes), axis=0, return_inverse=True)
    first = np.cumsum([0, *(len(palette) for palette in palettes)])
    backgrounds = np.unique(place[first[:-1]])
    kept, nearest = _shared_out(every.astype(np.int32), backgrounds)
    entry = nearest.astype(np.uint8)[place]
    return every[kept], tuple(np.split(entry, first[1:-1]))


def _shared_out(every: NDArray[np.int32], first: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which colors have an entry, and for each color the number of the entry nearest to it."""
    if len(every) <= MOST_COLORS:
        return np.arange(len(every)), np.arange(len(every))
    kept: list[int] = []
    distance = np.full(len(every), np.iinfo(np.int32).max, np.int32)
    nearest = np.zeros(len(every), np.intp)
    for number in range(MOST_COLORS):
        chosen = int(first[number]) if number < len(first) else int(distance.argmax())
        to_chosen = ((every - every[chosen]) ** 2).sum(axis=1, dtype=np.int32)
        closer = to_chosen < distance
        nearest[closer], distance[closer] = number, to_chosen[closer]
        kept.append(chosen)
    return np.array(kept), nearest
