"""Contours: paths of polygons, boxes and lines, and the contours of masks.

Places are in pixels, from the top left, y downward.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.glyphs import Command, Path
from boidsgen.simulation.geometry import Array, circle, length

ROUND = 16
"""Corners of the two round ends of a line."""


def courses(ends: Sequence[tuple[Array, Array]]) -> list[Command]:
    """Lines from start to end; one that begins where the one before it ends goes on with it."""
    path: list[Command] = []
    last: Array | None = None
    for start, end in ends:
        if last is None or not np.array_equal(last, start):
            path.append(_to("M", start))
        path.append(_to("L", end))
        last = end
    return path


def capsule(start: Array, end: Array, width: float) -> Array:
    """The outline of a line with round ends, (ROUND, 2)."""
    way = end - start
    ahead = way / max(float(length(way[None])[0]), 1e-9)
    aside = np.array([-ahead[1], ahead[0]])
    arc = circle(ROUND) * width / 2
    around = arc[:, :1] * ahead + arc[:, 1:] * aside
    outline: Array = np.where(arc[:, :1] >= 0, end + around, start + around)
    return outline


def polygon(corner: Array) -> Path:
    """The closed path through some corners, (k, 2)."""
    return (_to("M", corner[0]), *(_to("L", point) for point in corner[1:]), Command("Z"))


def box(low: Sequence[float] | Array, high: Sequence[float] | Array) -> Path:
    """The path of a box from its low corner to its high one."""
    return polygon(np.array([low, (high[0], low[1]), high, (low[0], high[1])], float))


def _to(letter: str, point: Array) -> Command:
    return Command(letter, ((float(point[0]), float(point[1])),))


def outlined(mask: NDArray[np.bool_]) -> list[Array]:
    """The borders between pixels inside and outside of a mask, each a closed polygon of places, shape (k, 2)."""
    ways: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for start, end in _edges(mask):
        ways[start].append(end)
    contours: list[Array] = []
    while ways:
        contours.append(np.array(_straightened(_loop(ways)), float))
    return contours


def _edges(mask: NDArray[np.bool_]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The sides of pixels between inside and outside, the inside always to the same hand."""
    padded = np.pad(mask, 1).astype(np.int8)
    for row, column in np.argwhere(np.diff(padded, axis=0)).tolist():
        sides = (column - 1, row), (column, row)
        yield sides if padded[row + 1, column] else sides[::-1]
    for row, column in np.argwhere(np.diff(padded, axis=1)).tolist():
        sides = (column, row), (column, row - 1)
        yield sides if padded[row, column + 1] else sides[::-1]


def _loop(ways: dict[tuple[int, int], list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """One closed way, which is taken out of them."""
    here = start = next(iter(ways))
    places: list[tuple[int, int]] = []
    while True:
        places.append(here)
        ends = ways[here]
        following = ends.pop()
        if not ends:
            del ways[here]
        here = following
        if here == start:
            return places


def _straightened(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places where a way turns."""
    around = zip(places[-1:] + places[:-1], places, places[1:] + places[:1], strict=True)
    return [here for before, here, after in around if before[0] != after[0] and before[1] != after[1]]
