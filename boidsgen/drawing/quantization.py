"""Few colors instead of many: blue-noise dither, color quantization, and cross-fades between indexed pictures.

The thresholds of the dither never move, so that nothing flickers and nothing changes that need not. Their pattern is
blue noise: equal thresholds keep clear of each other (R. Ulichney, The void-and-cluster method for dither array
generation, 1993). Colors are split along the axis on which a group of them differs most, always the group that costs
most (X. Wu, Efficient statistical computations for optimal color quantization, 1991). All sums are integers, so that
every system finds the same pictures.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from heapq import heappop, heappush
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.drawing.frame import MAX_COLORS, Codes, Frame, Palette
from boidsgen.drawing.strokes import Integers
from boidsgen.simulation.geometry import Array

SIDE = 64  # The pattern repeats after so many pixels along each axis
SPREAD = 1.5  # Standard deviation, in pixels, of the bell by which a pixel repels others of its kind
PRECISION = 1 << 20  # The middle of the bell, as a whole number
UNEVEN = PRECISION // 16  # Initial differences of the pixels, so that the first ones do not fall into line
SEED = 64
SUBLEVELS = 8  # Steps of a level, between which the dither decides


def thresholds(size: tuple[int, int]) -> Array:
    """The threshold of every pixel of a picture of (width, height) pixels."""
    return (_tiled(size) + 0.5) / SIDE**2


@cache
def grain(size: tuple[int, int], steps: int) -> NDArray[np.uint8]:
    """The same pattern in so many steps, to be added before the fraction is cut off; at most 256."""
    return (_tiled(size).astype(np.int64) * steps // SIDE**2).astype(np.uint8)


def _tiled(size: tuple[int, int]) -> NDArray[np.uint16]:
    columns, rows = size
    return np.tile(_ranks(), (-(-rows // SIDE), -(-columns // SIDE)))[:rows, :columns]


@cache
def _ranks() -> NDArray[np.uint16]:
    """The order in which pixels turn on, shape (SIDE, SIDE): always the one with the most room round it."""
    # Repulsion of the pixels round a pixel at (0, 0), across all edges; (2 * SIDE, 2 * SIDE).
    away = np.minimum(np.arange(SIDE), SIDE - np.arange(SIDE)).astype(float)
    near = exact.exponential(-away * away / (2 * SPREAD**2))
    bell = np.tile(np.rint(near[:, None] * near * PRECISION).astype(np.int64), (2, 2))
    crowded = np.random.default_rng(SEED).integers(0, UNEVEN, (SIDE, SIDE)).astype(np.int64)
    ranks = np.zeros((SIDE, SIDE), np.uint16)
    for rank in range(SIDE**2):
        row, column = divmod(int(crowded.argmin()), SIDE)
        ranks[row, column] = rank
        crowded += bell[SIDE - row : 2 * SIDE - row, SIDE - column : 2 * SIDE - column]
        crowded[row, column] = np.iinfo(np.int64).max // 2  # never again
    return ranks


ColorTable = NDArray[np.uint8]  # Red, green, blue, shape (colors, 3)

SEEN = 16  # Weight of a pixel that is seen, in weights of a color that may be seen later
CLOSE = 8  # Colors among which the two are looked for that stand for another
GRAINY = 0.4  # Weight of grain against a wrong color: less than 1, since the eye sees its mean
BLOCK = 4096  # Colors whose distances to all of a palette are worked out at once


def representatives(color: ColorTable, weight: NDArray[np.integer], count: int) -> tuple[ColorTable, Integers]:
    """At most so many colors, (k, 3), and for each of the given ones, (n, 3), the number of the one that it becomes.

    Args:
        color: (n, 3) colors, each once.
        weight: (n,) how often each occurs, at least 1.
        count: how many there may be.
    """
    number, heavy = color.astype(np.int64), weight.astype(np.int64)
    final: list[Integers] = []
    waiting: list[tuple[int, int, Integers]] = []  # groups that may be split, the costliest first
    found = [np.arange(len(color))]
    while found:
        for group in found:
            if len(group) == 1:
                final.append(group)
            else:
                heappush(waiting, (-int(_cost(number[group], heavy[group]).sum()), int(group[0]), group))
        found = []
        if waiting and len(waiting) + len(final) < count:
            _, _, group = heappop(waiting)
            axis = int(_cost(number[group], heavy[group]).argmax())
            along = number[group, axis]
            upper = along > _mean(number[group], heavy[group])[axis]
            if not upper.any():  # the mean was rounded up to the largest
                upper = along == along.max()
            found = [group[~upper], group[upper]]
    groups = final + [group for _, _, group in waiting]
    member = np.zeros(len(color), np.intp)
    for place, group in enumerate(groups):
        member[group] = place
    return np.array([_mean(number[group], heavy[group]) for group in groups], np.uint8), member


def _cost(number: NDArray[np.int64], weight: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum of squares that a group loses along each axis by becoming one color."""
    away = number - _mean(number, weight)
    return (weight[:, None] * away * away).sum(axis=0)


def _mean(number: NDArray[np.int64], weight: NDArray[np.int64]) -> NDArray[np.int64]:
    total = weight.sum()
    return ((weight[:, None] * number).sum(axis=0) + total // 2) // total


class Quantizer:
    """The pictures of one clip in few colors."""

    def __init__(self, palette: ColorTable, weight: NDArray[np.integer]) -> None:
        self._every = palette.astype(np.int32)
        # Each color once, with the weight of all its entries.
        every, place = np.unique(palette, axis=0, return_inverse=True)
        total = np.zeros(len(every), np.int64)
        np.add.at(total, place.reshape(-1), SEEN * weight.astype(np.int64))
        self.palette, _ = representatives(every, np.maximum(total, 1), MAX_COLORS)  # (colors, 3)
        self._few = self.palette.astype(np.int32)
        self._pair = np.zeros((len(palette), 2), np.uint8)
        self._share = np.zeros(len(palette))
        self._known = np.zeros(len(palette), np.bool_)
        self._before: Codes | None = None

    def __call__(self, frame: Frame) -> Frame:
        """The same picture in few colors; only what has changed since the one before is worked out."""
        if self._before is None:
            self._before, self._index = frame.index.copy(), np.zeros(frame.index.shape, np.uint8)
            self._threshold = thresholds(frame.index.shape[::-1]).reshape(-1)
            pixel = np.arange(frame.index.size)
        else:
            pixel = np.flatnonzero(frame.index != self._before)
            np.copyto(self._before, frame.index)
        code = frame.index.reshape(-1)[pixel]
        seen = np.zeros(len(self._known), np.bool_)
        seen[code] = True
        new = np.flatnonzero(seen & ~self._known)
        for start in range(0, len(new), BLOCK):
            some = new[start : start + BLOCK]
            self._pair[some], self._share[some] = self._between(self._every[some])
        self._known[new] = True
        second = self._share[code] > self._threshold[pixel]
        self._index.reshape(-1)[pixel] = self._pair[code, second.view(np.uint8)]
        return Frame(self._index, self.palette)

    def _between(self, color: NDArray[np.int32]) -> tuple[ColorTable, NDArray[np.float64]]:
        """Of each color the two between which it is shown best, (n, 2), and where between them it lies."""
        offset = color[:, None] - self._few
        near = (offset * offset).sum(axis=2).argsort(axis=1, kind="stable")[:, :CLOSE]
        pair, share, least = np.zeros((len(color), 2), np.uint8), np.zeros(len(color)), np.full(len(color), np.inf)
        for one, other in combinations_with_replacement(range(near.shape[1]), 2):
            ends = near[:, (one, other)]
            part, cost = _shown(color, *self._few[ends].swapaxes(0, 1))
            better = cost < least
            pair[better], share[better], least[better] = ends[better], part[better], cost[better]
        return pair, share


def _shown(
    color: NDArray[np.int32], first: NDArray[np.int32], second: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of n pairs the share of the second that shows a color best, and how far off that is.

    A mean of two colors is off by its distance, squared, and by a part, GRAINY, of the squares that its grain is off.
    """
    way, part = second - first, color - first
    length, along = (way * way).sum(axis=1), (way * part).sum(axis=1)
    share = np.minimum(np.maximum(along / np.maximum(length, 1), 0.0), 1.0)
    apart = (part * part).sum(axis=1) - 2 * share * along + share * share * length
    return share, apart + GRAINY * share * (1.0 - share) * length


Blend = Callable[[Frame, Frame, float], Frame]
"""A picture in which another one has this share, from 0 to 1."""

STEPS = 256  # Steps from one picture to another


def seamless(pictures: Iterable[Frame], frames: int, seam: int, blend: Blend) -> Iterator[Frame]:
    """The pictures of a loop.

    Args:
        pictures: of a run.
        frames: how many there are.
        seam: how many of them are blended; at most half of them. Without any they stay as they are.
        blend: how two pictures are laid over each other.
    """
    beginning: list[Frame] = []
    for number, picture in enumerate(pictures):
        left = frames - number
        if number < seam:
            beginning.append(replace(picture, index=picture.index.copy()))
        elif left > seam:
            yield picture
        else:
            yield blend(picture, beginning[seam - left], (seam - left + 1) / (seam + 1))


def dissolved(picture: Frame, other: Frame, share: float) -> Frame:
    """A picture in which another one has this share of the pixels."""
    rows, columns = picture.index.shape
    taken = grain((columns, rows), STEPS) < share * STEPS
    return replace(picture, index=np.where(taken, other.index, picture.index), full=None)


def faded(inks: Palette, picture: Frame, other: Frame, share: float) -> Frame:
    """A picture over which another one is laid, each at a part of its strength; what is alike in both stays."""
    both = np.maximum(inks.faded(1.0 - share)[picture.index], inks.faded(share)[other.index])
    return replace(picture, index=np.where(picture.index == other.index, picture.index, both))
