"""Frame: one finished picture, and the inks that its codes stand for.

A picture is made of codes rather than colors. There are M inks and L levels; ink i at level l is its color laid over
the background at l/L, and its code is 1 + (l - 1)·M + i. Code 0 is the background. Codes sort by level first, so two
things drawn in one place are put together by `max`: the fuller one shows, whatever the order of drawing. Between equals
the later ink wins; hence the order of the roles, from what may be covered to what must be read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import override

from boidsgen import exact
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


PaletteIndex = NDArray[np.intp]
"""Ink and strength together: where the codes of that ink at that strength begin in `Inks.codes`, any shape."""


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

    def ink(self, role: str) -> int:
        """The number of the ink that plays this role."""
        return self._number[role]

    def has(self, role: str) -> bool:
        """True if there is an ink for this role."""
        return role in self._number

    def role(self, kind: str, number: int) -> str:
        """The role of one of several of a kind: its own, where that has an ink, or that of all."""
        own = f"{kind} {number}"
        return own if own in self._number else kind

    def tone(self, ink: NDArray[np.intp] | int, strength: Array | float = 1.0) -> PaletteIndex:
        """Ink at a strength from 0, invisible, to 1; one per element."""
        if isinstance(strength, float) and isinstance(ink, int):  # plain numbers: several times faster
            return np.array((round(min(max(strength, 0.0), 1.0) * STRENGTHS) * self._count + ink) * 256, np.intp)
        step = np.rint(np.minimum(np.maximum(strength, 0.0), 1.0) * STRENGTHS).astype(np.intp)
        return (step * self._count + np.asarray(ink, np.intp)) * 256

    def faded(self, strength: float) -> NDArray[np.uint8]:
        """For every code that of the same ink at a part of its level, from 0 to 1."""
        first = 1 + self.cleared
        level, ink = np.divmod(np.arange(len(self.colors) - first), self._count)
        lower = np.rint((level + 1) * strength).astype(np.intp)
        code = np.where(lower == 0, 0, first + (lower - 1) * self._count + ink)
        return np.concatenate((np.arange(first), code)).astype(np.uint8)

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

    def layers(self) -> tuple[NDArray[np.uint8], Array]:
        """For every code the color of its ink, (codes, 3), and its part of what is seen there, (codes,)."""
        part = np.repeat(np.arange(1, self.levels + 1) / self.levels, self._count)
        color = np.vstack((np.zeros((2, 3), np.uint8), np.tile(self._roles.astype(np.uint8), (self.levels, 1))))
        part = np.concatenate((np.zeros(2), part))
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


def blended(stops: Sequence[Stop], place: Array) -> Array:
    """The light of a gradient at places, shape (n,), that are cut off at its ends; shape (n, 3)."""
    at, color = np.array([stop[0] for stop in stops]), np.stack([light(stop[1]) for stop in stops])
    place = np.minimum(np.maximum(place, at[0]), at[-1])
    piece = np.minimum(np.searchsorted(at, place, side="right") - 1, len(at) - 2)
    share = ((place - at[piece]) / (at[piece + 1] - at[piece]))[:, None]
    return color[piece] * (1.0 - share) + color[piece + 1] * share


@cache
def _powers(beyond: float, count: int) -> Array:
    """The light of the first numbers, or of places so far beyond them."""
    return exact.powers((np.arange(count) + beyond) / 255, GAMMA)
