"""Frames in indexed color: palettes, dithering, color quantization and cross-fades.

A frame consists of codes (palette indices) rather than colors. With M inks and L levels, ink i at level l is its color
laid over the background at l/L, and its code is 1 + (l - 1)·M + i. Code 0 is the background. Codes sort by level first,
so two things drawn in one place are composited by `max`: the more opaque one shows, whatever the drawing order. Between
equal levels the later ink wins; hence the order of the roles, from what may be covered to what must stay legible.

The thresholds of the dither never move, so that nothing flickers and unchanged areas stay unchanged. Their pattern is
blue noise: equal thresholds keep apart (R. Ulichney, The void-and-cluster method for dither array generation, 1993).
The quantizer splits colors along the axis on which a group of them differs most, always in the group with the largest
error (X. Wu, Efficient statistical computations for optimal color quantization, 1991). All sums are integers, so that
every system finds the same pictures.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from heapq import heappop, heappush
from itertools import combinations_with_replacement
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.shapes import Integers
from boidsgen.simulation.geometry import Array

MAX_COLORS = 255  # Entries of a palette in use; entry 255 stays free
LEVELS, FINE_LEVELS = 16, 32  # Levels of an ink, if there are few inks, in flat pictures and in lit ones
STRENGTHS = 32  # Steps between invisible and full strength


Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]
"""Entries of a palette."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture in indexed color; all frames of one run share one palette, so that no format has to guess colors.

    Attributes:
        index: (height, width), C-contiguous; the palette entry of each pixel, counted from the top left. uint8, or
            uint16 where there are more colors, as in the lit look.
        palette: (colors, 3) uint8; red, green, blue of each entry. At most 255 colors for entries of one byte: entry
            255 stays free, so that a format may use it for "unchanged".
        full: gives it in full color, (height, width, 3) uint8, until the next one is drawn. None: these are all colors.
        inks: (colors, 4) uint8; of a picture without ground, the color of each entry by itself and how opaque it is,
            where `palette` has it laid over the background. None where there is a ground.
        ground: (3 height / 2, width) uint8, YUV planes of a film that lies below the inks; None without one.
    """

    index: Codes
    palette: NDArray[np.uint8]
    inks: NDArray[np.uint8] | None = None
    full: Callable[[], NDArray[np.uint8]] | None = None
    ground: NDArray[np.uint8] | None = None

    def kept(self) -> "Frame":
        """The same picture, which stays as it is when others are drawn."""
        colors = self.full and self.full()
        return replace(self, index=self.index.copy(), full=None if colors is None else lambda: colors)


PaletteIndex = NDArray[np.intp]
"""Ink and strength together: where the codes of that ink at that strength begin in `Palette.codes`, any shape."""


class Palette:
    """The inks of one run."""

    cleared: ClassVar[int] = 0
    """The code of a pixel that was cleared so that what is written there can be read."""

    def __init__(self, background: str, roles: Mapping[str, str], most: int = LEVELS) -> None:
        self._number = {role: number for number, role in enumerate(roles)}
        self._count = len(roles)
        self.levels = min(most, (MAX_COLORS - 1 - self.cleared) // self._count)
        self._roles = np.array([rgb(color) for color in roles.values()])
        ground, part = rgb(background), np.arange(1, self.levels + 1)[:, None, None] / self.levels
        ramps = ground + part * (self._roles - ground)
        below = np.repeat(ground[None], 1 + self.cleared, axis=0)
        self.dark = bool(ground.sum() > self._roles.mean(axis=0).sum())  # whether they are darker than the background
        # (colors, 3) uint8, the palette
        self.colors = np.rint(np.vstack((below, ramps.reshape(-1, 3)))).astype(np.uint8)
        strength = np.arange(STRENGTHS + 1)[:, None, None] / STRENGTHS
        level = np.rint(self.levels * strength * np.arange(256) / 255).astype(np.intp)
        code = 1 + self.cleared + (level - 1) * self._count + np.arange(self._count)[:, None]
        # The code of every tone at coverages 0 to 255, uint8; look up `codes[tone + coverage]`
        self.codes = np.where(level == 0, 0, code).astype(np.uint8).ravel()

    @property
    def dusky(self) -> bool:
        """True if inks are dark before a bright ground, on which words are light and have dark rims."""
        return bool(self.cleared) and self.dark

    def ink(self, role: str) -> int:
        """The number of the ink that plays this role."""
        return self._number[role]

    def has(self, role: str) -> bool:
        """True if there is an ink for this role."""
        return role in self._number

    def hunter(self, number: int) -> str:
        """The role of a table of predators: its own, where that has an ink, or that of all."""
        own = f"predator {number}"
        return own if own in self._number else "predator"

    def tone(self, ink: NDArray[np.intp] | int, strength: Array | float = 1.0) -> PaletteIndex:
        """Ink at a strength from 0, invisible, to 1; one per element."""
        if isinstance(strength, float) and isinstance(ink, int):  # plain numbers: several times faster
            return np.array((round(min(max(strength, 0.0), 1.0) * STRENGTHS) * self._count + ink) * 256, np.intp)
        step = np.rint(np.minimum(np.maximum(strength, 0.0), 1.0) * STRENGTHS).astype(np.intp)
        return (step * self._count + np.asarray(ink, np.intp)) * 256

    def weaker(self, tone: int, strength: float) -> int:
        """The same ink at a part of its strength, from 0 to 1."""
        step, ink = divmod(tone // 256, self._count)
        return int(self.tone(ink, strength * step / STRENGTHS))

    def faded(self, strength: float) -> NDArray[np.uint8]:
        """For every code that of the same ink at a part of its level, from 0 to 1."""
        first = 1 + self.cleared
        level, ink = np.divmod(np.arange(len(self.colors) - first), self._count)
        lower = np.rint((level + 1) * strength).astype(np.intp)
        code = np.where(lower == 0, 0, first + (lower - 1) * self._count + ink)
        return np.concatenate((np.arange(first), code)).astype(np.uint8)

    def averaged(self, pictures: Sequence[Codes]) -> Codes:
        """The mean of pictures, codes of one shape: of each pixel the ink of the fullest, at the mean of the levels."""
        first, count = 1 + self.cleared, len(pictures)
        level = np.concatenate((np.zeros(first, np.intp), 1 + np.arange(len(self.colors) - first) // self._count))
        total = np.sum([level.astype(np.uint16).take(picture) for picture in pictures], axis=0, dtype=np.uint16)
        mean, fullest = (total + count // 2) // count, np.maximum.reduce(pictures)
        ink = (fullest - np.minimum(fullest, first)) % self._count
        return np.where(mean == 0, 0, first + (mean.astype(np.intp) - 1) * self._count + ink).astype(np.uint8)

    def layers(self) -> tuple[NDArray[np.uint8], Array]:
        """For every code the color of its ink, (codes, 3), and its part of what is seen there, (codes,)."""
        below = 1 + self.cleared
        part = np.repeat(np.arange(1, self.levels + 1) / self.levels, self._count)
        color = np.vstack((np.zeros((below, 3), np.uint8), np.tile(self._roles.astype(np.uint8), (self.levels, 1))))
        return color, np.concatenate((np.zeros(below), part))

    def alone(self) -> NDArray[np.uint8]:
        """The color of every code without the background, and how opaque it is, (colors, 4)."""
        alone = np.zeros((len(self.colors), 4), np.uint8)
        alone[:, :3] = self.colors[0]
        first = 1 + self.cleared
        alone[first:, :3] = np.tile(self._roles, (self.levels, 1))
        alone[first:, 3] = np.repeat(np.rint(255 * np.arange(1, self.levels + 1) / self.levels), self._count)
        return alone


class GlassInks(Palette):
    """Inks over a ground of many colors, which is seen where they are thin: code 0 is nothing, code 1 cleared."""

    cleared: ClassVar[int] = 1

    def __init__(self, background: str, roles: Mapping[str, str], ramp: Sequence[str] = ()) -> None:
        super().__init__(background, roles, FINE_LEVELS)
        if self.has("ramp"):  # its levels are the colors between those of the ramp
            self._own = slice(2 + self.ink("ramp"), None, self._count)
            between = blended([*enumerate(ramp)], np.linspace(0, len(ramp) - 1, self.levels))
            self.colors[self._own] = numbers_of(between)

    @override
    def layers(self) -> tuple[NDArray[np.uint8], Array]:
        color, part = super().layers()
        if self.has("ramp"):
            color[self._own], part[self._own] = self.colors[self._own], 1.0
        return color, part

    @override
    def alone(self) -> NDArray[np.uint8]:
        alone = super().alone()
        if self.has("ramp"):
            alone[self._own, :3], alone[self._own, 3] = self.colors[self._own], 255
        return alone


def rgb(color: str) -> Array:
    """Red, green and blue from 0 to 255 of a color such as "#0b1020", shape (3,)."""
    return np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)], dtype=np.float64)


GAMMA = 2.2

Numbers = NDArray[np.uint8]

Stop = tuple[float, str]  # A place in a gradient, and the color there


def light(color: str) -> Array:
    """The light of a color, red, green and blue, shape (3,)."""
    return light_of(rgb(color).astype(np.uint8))


def light_of(numbers: NDArray[np.integer]) -> Array:
    """The light of numbers from 0 to 255."""
    return _powers(0.0, 256)[numbers]


def numbers_of(light: ArrayLike) -> Numbers:
    """The nearest numbers; light below 0 and above 1 is cut off."""
    return np.searchsorted(_powers(0.5, 255), np.asarray(light), side="right").astype(np.uint8)


def dithered(light: ArrayLike, threshold: Array) -> Numbers:
    """Of the two numbers next to each light the higher where its share is above the threshold, 0 to 1."""
    table, given = _powers(0.0, 256), np.minimum(np.maximum(np.asarray(light), 0.0), 1.0)
    low = np.minimum(np.searchsorted(table, given, side="right") - 1, 254)
    share = (given - table[low]) / (table[low + 1] - table[low])
    return (low + (share > threshold)).astype(np.uint8)


FULL_LIGHT = 65535  # The light 1, as a whole number

WholeLight = NDArray[np.uint16]
"""Light from 0 to FULL_LIGHT."""


def uncut(size: tuple[int, int]) -> tuple[float, ...]:
    """Left, top, step, width and height of a picture that the kernel paints whole, pixel by pixel."""
    return 0.0, 0.0, 1.0, *size


def whole_light(light: Array) -> WholeLight:
    """Light as whole numbers; what is below 0 and above 1 is cut off."""
    return np.rint(np.minimum(np.maximum(light, 0.0), 1.0) * FULL_LIGHT).astype(np.uint16)


@cache
def fine_numbers() -> NDArray[np.uint16]:
    """For every whole light its number in parts of 256, linear in light between one number and the next."""
    table, given = _powers(0.0, 256), np.arange(FULL_LIGHT + 1) / FULL_LIGHT
    low = np.minimum(np.searchsorted(table, given, side="right") - 1, 254)
    share = (given - table[low]) / (table[low + 1] - table[low])
    return (256 * low + np.floor(256 * share)).astype(np.uint16)


def blended(stops: Sequence[Stop], place: Array) -> Array:
    """The light of a gradient at places, shape (n,), that are cut off at its ends; shape (n, 3)."""
    return gradient_at(lit_stops(stops), place)


def lit_stops(stops: Sequence[Stop]) -> Array:
    """The place and the light of each stop, (n, 4)."""
    return np.array([(place, *light(color)) for place, color in stops])


def gradient_at(stops: Array, place: Array) -> Array:
    """The same as `blended` of places and light, (n, 4)."""
    at, color = stops[:, 0], stops[:, 1:]
    place = np.minimum(np.maximum(place, at[0]), at[-1])
    piece = np.minimum(np.searchsorted(at, place, side="right") - 1, len(at) - 2)
    share = ((place - at[piece]) / (at[piece + 1] - at[piece]))[:, None]
    return color[piece] * (1.0 - share) + color[piece + 1] * share


@cache
def _powers(beyond: float, count: int) -> Array:
    """The light of the first numbers, or of places so far beyond them."""
    return exact.powers((np.arange(count) + beyond) / 255, GAMMA)


SIDE = 64  # The pattern repeats after so many pixels along each axis
SPREAD = 1.5  # Standard deviation, in pixels, of the bell by which a pixel repels others of its kind
PRECISION = 1 << 20  # The middle of the bell, as a whole number
UNEVEN = PRECISION // 16  # Initial differences of the pixels, so that the first ones do not fall into line
PATTERN_SEED = 64
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
    crowded = np.random.default_rng(PATTERN_SEED).integers(0, UNEVEN, (SIDE, SIDE)).astype(np.int64)
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

BLEND_STEPS = 256  # Steps from one picture to another


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
            beginning.append(picture.kept())
        elif left > seam:
            yield picture
        else:
            yield blend(picture, beginning[seam - left], (seam - left + 1) / (seam + 1))


def dissolved(picture: Frame, other: Frame, share: float) -> Frame:
    """A picture in which another one has this share of the pixels, and in full color of the light."""
    rows, columns = picture.index.shape
    taken = grain((columns, rows), BLEND_STEPS) < share * BLEND_STEPS
    index, one, two = np.where(taken, other.index, picture.index), picture.full, other.full
    return replace(
        picture, index=index, full=None if one is None or two is None else lambda: mixed(one(), two(), share)
    )


def sifted(pictures: Sequence[Codes]) -> Codes:
    """A picture in which each of some, (height, width), has an equal share of the pixels."""
    sifted, (rows, columns) = pictures[0].copy(), pictures[0].shape
    chosen = grain((columns, rows), len(pictures))
    for number, picture in enumerate(pictures[1:], start=1):
        np.copyto(sifted, picture, where=chosen == number)
    return sifted


def mixed(colors: Numbers, others: Numbers, share: float) -> Numbers:
    """The mean of two pictures of one shape, in light, where the second has this share."""
    bright = whole_light(light_of(np.arange(256)))
    means = np.rint(bright[:, None] * (1.0 - share) + bright * share).astype(np.uint16)
    table = ((fine_numbers()[means].astype(np.int32) + 128) >> 8).astype(np.uint8)
    return table.reshape(-1).take((colors.astype(np.uint16) << np.uint16(8)) | others)


def faded(inks: Palette, picture: Frame, other: Frame, share: float) -> Frame:
    """A picture over which another one is laid, each at a part of its strength; what is alike in both stays."""
    both = np.maximum(inks.faded(1.0 - share)[picture.index], inks.faded(share)[other.index])
    return replace(picture, index=np.where(picture.index == other.index, picture.index, both))
