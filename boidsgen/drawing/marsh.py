"""The marsh: a sky with a low sun over a bank of reeds, and still water that mirrors all of it.

Everything is measured by the height of the picture, so that it looks alike at every size; reeds grow from a fixed seed.
"""

from typing import NamedTuple

import numpy as np
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.backgrounds import Depths, LaidBackground, LaidDepths, Levels, Tones
from boidsgen.drawing.canvas import PixelBox
from boidsgen.drawing.frame import Stop, blended, dithered, light, light_of
from boidsgen.drawing.layout import Viewport
from boidsgen.drawing.quantization import representatives, thresholds
from boidsgen.drawing.themes import Light
from boidsgen.simulation.geometry import Array

HORIZON = 0.865  # Lower end of the sky by default, as a part of the height


class Marsh(NamedTuple):
    """A sky with a low sun over a bank of reeds, and still water that mirrors all of it."""

    stops: tuple[Stop, ...]
    """The sky from its top to the horizon."""
    sun: tuple[float, float]
    """Position of the sun, in parts of width and height."""
    glow: str
    """The color of its light."""
    ink: str
    """The color of the bank."""
    horizon: float = HORIZON
    """Lower end of the sky, as a part of the height."""


BELOW_EDGE, ABOVE_REEDS = 0.04, 0.06
"""Distances of the world from the upper edge and from the horizon, as parts of the height."""
HALOS = ((0.42, 0.035), (0.20, 0.30))  # Strength and width of the glow round the sun, near and far
SQUEEZE = 2.6  # Rows of the sky that one row of water mirrors
WATER = (0.27, 0.25, 0.32)  # Reflectance of the water at the horizon: red, green, blue
FOREGROUND, STEEPER = (0.48, 0.46, 0.66), 2.2
"""Part of it that is left near the lower edge, and its slope: the steeper the view, the less water mirrors. Words stand
there, so that it must be dark; it keeps its violet."""
DEEPEST = 5  # Over how many rows of the sky the water blurs
RIPPLED = 0.87  # Reflectance of the animals
MIRRORED_REEDS = (0.8, 0.3)  # Reflectance of the reeds, at the horizon and at the lower edge


FINE = 65535  # The light 1, as a whole number


class LaidMarsh(LaidBackground):
    """The marsh in one size."""

    def __init__(self, marsh: Marsh, size: tuple[int, int], tones: int, step: int) -> None:
        rows = size[1]
        self._shore = int(marsh.horizon * rows)
        above = (self._shore - (np.arange(rows - self._shore) * SQUEEZE)).astype(np.intp)
        self._above = np.minimum(np.maximum(above, 0), max(self._shore - 1, 0))
        self.mirror = slice(self._shore, rows)
        self._rippled = np.rint(np.arange(256) * (RIPPLED / 9)).astype(np.uint8)
        painted = _sky(marsh, size)
        land, ink = bank(size, marsh.horizon), 0.7 * light(marsh.ink)
        depth = np.arange(len(above)) / max(len(above), 1)
        left = np.array(FOREGROUND)
        dim = np.maximum(1.0 - STEEPER * depth, 0.0)[:, None] * (1.0 - left) + left
        water = painted[self._above] * (np.array(WATER) * dim)[:, None]
        mirror = np.maximum(2 * self._shore - np.arange(self._shore, len(land)), 0)
        strength = MIRRORED_REEDS[0] + (MIRRORED_REEDS[1] - MIRRORED_REEDS[0]) * depth
        reeds = np.where(mirror < self._shore, 1.0, 0.0)[:, None] * land[np.minimum(mirror, self._shore - 1)]
        painted[self._shore :] = water + (reeds * strength[:, None])[..., None] * (light(marsh.ink) - water)
        painted += (0.97 * land)[..., None] * (ink - painted)
        self.tones, numbers = _toned(painted, tones)
        self._numbers = numbers * np.uint16(step)
        self._painted = np.rint(np.minimum(painted, 1.0) * FINE).astype(np.uint16)

    @override
    def codes(self) -> Tones:
        """The same for every frame."""
        return self._numbers.copy()

    @override
    def light(self, rows: slice) -> Array:
        light: Array = self._painted[rows] / FINE
        return light

    @override
    def reflect(self, levels: Levels, box: PixelBox) -> None:
        """The animals in the sky appear in the water, too."""
        levels[self._shore :] = 0
        rows, columns = box
        mirrored = np.flatnonzero((self._above >= rows.start) & (self._above < rows.stop + DEEPEST))
        if len(mirrored):
            # Sums of nine levels; a byte holds them.
            seen = [levels[np.maximum(self._above[mirrored] - back, 0), columns] for back in (0, 2, DEEPEST)]
            total = seen[0] + seen[1] + seen[2]
            total[:, 1:-1] += total[:, :-2] + total[:, 2:]
            levels[self._shore + mirrored, columns] = self._rippled.take(total)


def _sky(marsh: Marsh, size: tuple[int, int]) -> Array:
    columns, rows = size
    x, y = (np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows
    gradient, reach = blended(marsh.stops, y / marsh.horizon), rows // 10
    for _ in range(2):  # the mean of the rows within reach, twice: no kinks at the stops
        before, after = np.repeat(gradient[:1], reach, axis=0), np.repeat(gradient[-1:], reach, axis=0)
        total = np.cumsum(np.concatenate((np.zeros((1, 3)), before, gradient, after)), axis=0)
        gradient = (total[2 * reach + 1 :] - total[: -2 * reach - 1]) / (2 * reach + 1)
    wide = ((x - marsh.sun[0]) * 1.78) ** 2
    away = wide + ((y - marsh.sun[1]) * 1.35)[:, None] ** 2
    glow = np.zeros(away.shape)
    for strength, spread in HALOS:
        glow += strength * exact.exponential(-away / spread)
    corner = 1.0 - 0.10 * (((x - 0.5) * 2) ** 2 + (((y - 0.45) * 2) ** 2)[:, None])
    lit: Array = (gradient[:, None] + glow[..., None] * light(marsh.glow)) * corner[..., None]
    return lit


def _toned(painted: Array, count: int) -> tuple[Array, Tones]:
    """The light of at most so many tones, and the tone of every pixel, dithered."""
    rows, columns, _ = painted.shape
    number = dithered(painted, thresholds((columns, rows))[..., None]).astype(np.int64)
    packed, place, weight = np.unique(
        (number[..., 0] << 16) | (number[..., 1] << 8) | number[..., 2], return_inverse=True, return_counts=True
    )
    color = np.stack((packed >> 16, (packed >> 8) & 255, packed & 255), axis=1).astype(np.uint8)
    few, member = representatives(color, weight, count)
    return light_of(few), member.astype(np.uint16)[place].reshape(rows, columns)


SMOOTH = 3  # Cells per pixel along each axis
SEED = 1
CLUMPS = ((0.055, 0.047, 120), (0.164, 0.023, 40), (0.54, 0.016, 16), (0.79, 0.07, 150), (0.93, 0.047, 130))
"""Middle and spread of each clump of reeds as parts of the width, and how many stems it has in a wide picture."""
SHORTEST, LONGEST = 0.01, 0.08  # Lengths of stems as parts of the height of the picture
HEADED = 0.024  # Stems longer than this carry a head
HILLS = ((0.0030, 0.9, 0.4), (0.0022, 2.3, 1.7), (0.0013, 6.1, 2.2))
"""Waves of the bank: height as a part of the picture's, number in its width, and phase."""
BANK = 0.0055  # Height of the bank without its waves, as a part of the picture's


def bank(size: tuple[int, int], horizon: float) -> Array:
    """The bank and its reeds; the horizon is a part of the height."""
    from PIL import Image, ImageDraw  # noqa: PLC0415  who only checks a scenario must not wait for it

    columns, rows = size
    image = Image.new("L", (columns * SMOOTH, rows * SMOOTH))
    pen = ImageDraw.Draw(image)
    ground = horizon * rows
    along = np.arange(0, columns * SMOOTH + 3, 3) / (columns * SMOOTH)
    waves = sum(high * exact.sine(2 * np.pi * count * along + phase) for high, count, phase in HILLS)
    high = np.maximum(BANK + waves, 0.0012) * rows
    line = [(float(x) * columns * SMOOTH, float(ground - y) * SMOOTH) for x, y in zip(along, high, strict=True)]
    floor = (ground + 1) * SMOOTH
    pen.polygon([(0.0, floor), *line, (float(columns * SMOOTH), floor)], fill=255)
    up, height = ground * SMOOTH, rows * SMOOTH
    for stem in _stems(size):  # they lean as they grow, and the tall ones have a head
        across, length, bend = (side * SMOOTH for side in stem)
        tall = length > HEADED * height
        knee, tip = (across + 0.35 * bend, up - 0.6 * length), (across + bend, up - length)
        pen.line([(across, up), knee, tip], fill=255, width=max(round(height / (540 if tall else 720)), 1))
        if tall:
            pen.line([(across + 0.72 * bend, up - 0.8 * length), tip], fill=255, width=max(round(height / 260), 2))
    covered = np.asarray(image.reduce(SMOOTH)).astype(float) / 255
    covered[int(np.ceil(ground)) :] = 0.0
    return covered


def _stems(size: tuple[int, int]) -> list[tuple[float, float, float]]:
    """Place, length and bend of every reed, in pixels."""
    generator = np.random.default_rng(SEED)
    columns, rows = size
    stems: list[tuple[float, float, float]] = []
    for middle, spread, count in CLUMPS:
        number = max(round(count * columns / rows / 1.78), 1)
        place = (middle + spread * exact.normal(generator, (number,))) * columns
        # The product of two numbers from 0 to 1: most stems are short, a few are long.
        share = exact.uniform(generator, 0.0, 1.0, (2, number)).prod(axis=0)
        bend = (0.003 + 0.0045 * exact.normal(generator, (number,))) * rows
        length = (SHORTEST + (LONGEST - SHORTEST) * share) * rows
        stems += zip(place.tolist(), length.tolist(), bend.tolist(), strict=True)
    return stems


def lay_background(light: Light, size: tuple[int, int], tones: int, step: int) -> LaidBackground:
    """The background of a lit theme for pictures of this size, in so many tones, whose codes are a step apart."""
    fields = dict(light.background)
    if fields.pop("kind") == "marsh":
        return LaidMarsh(Marsh(**fields), size, tones, step)
    return LaidDepths(Depths(**fields), size, tones, step)


def sky(light: Light, viewport: Viewport, rows: int) -> tuple[Viewport, float]:
    """The part of a viewport that shows the world, and the row where dark water begins, in a picture of so many."""
    if light.background["kind"] != "marsh":
        return viewport, rows
    left, top, width, height = viewport
    horizon = light.background.get("horizon", HORIZON)
    low, high = min(top + height, (horizon - ABOVE_REEDS) * rows), max(top, BELOW_EDGE * rows)
    return Viewport(left, high, width, max(low - high, 8.0)), horizon * rows
