"""The marsh: a sky with a low sun over a bank of reeds, and still water that mirrors all of it.

It is measured by the height of the picture, so that it looks alike at every size; its reeds grow from a fixed seed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.drawing.frame import Numbers, Stop, WholeLight, blended, dithered, light, uncut, whole_light
from boidsgen.kernel.library import accelerated
from boidsgen.simulation.geometry import Array

HORIZON = 0.865  # Lower end of the sky by default, as a part of the height
HALOS = ((0.42, 0.035), (0.20, 0.30))  # Strength and width of the glow round the sun, near and far
SUN_ACROSS, SUN_DOWN = 1.78, 1.35  # Lengths in which it falls off, by widths and heights of the picture
VIGNETTE, VIGNETTE_ROW = 0.10, 0.45
"""By how much the sky is darker away from the middle, and where that is, by its height."""
SQUEEZE = 2.6  # Rows of the sky that one row of water mirrors
WATER = (0.27, 0.25, 0.32)  # Reflectance of the water at the horizon: red, green, blue
FOREGROUND, STEEPER = (0.48, 0.46, 0.66), 2.2
"""Part of it that is left near the lower edge, and its slope: the steeper the view, the less water mirrors. Words stand
there, so that it must be dark; it keeps its violet."""
LAND, OPAQUE = 0.7, 0.97  # Light of the bank, of that of its ink, and what it hides of the sky
MIRRORED_REEDS = (0.8, 0.3)  # Reflectance of the reeds, at the horizon and at the lower edge


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

    def scenery(self, size: tuple[int, int], width: int, start: int) -> "Scenery":
        """The arrays for a picture of a width, beside which more is painted: so much, before its start and beyond."""
        rows = size[1]
        shore = int(self.horizon * rows)
        above = (shore - (np.arange(rows - shore) * SQUEEZE)).astype(np.intp)
        mirrored = np.minimum(np.maximum(above, 0), max(shore - 1, 0)).astype(np.int32)
        depth = np.arange(len(above)) / max(len(above), 1)
        left = np.array(FOREGROUND)
        dim = np.maximum(1.0 - STEEPER * depth, 0.0)[:, None] * (1.0 - left) + left
        land = np.rint(255 * bank(size, self.horizon, width, start)).astype(np.uint8)[: shore + 1]
        strength = MIRRORED_REEDS[0] + (MIRRORED_REEDS[1] - MIRRORED_REEDS[0]) * depth
        record = np.array([*self._record(), *uncut((width, rows))])
        return Scenery(self._gradient(rows), land, mirrored, np.array(WATER) * dim, strength, record)

    def _gradient(self, rows: int) -> Array:
        """The light of the sky without a sun, (rows, 3)."""
        gradient, reach = blended(self.stops, (np.arange(rows) + 0.5) / rows / self.horizon), rows // 10
        for _ in range(2):  # the mean of the rows within reach, twice: no kinks at the stops
            before, after = np.repeat(gradient[:1], reach, axis=0), np.repeat(gradient[-1:], reach, axis=0)
            total = np.cumsum(np.concatenate((np.zeros((1, 3)), before, gradient, after)), axis=0)
            gradient = (total[2 * reach + 1 :] - total[: -2 * reach - 1]) / (2 * reach + 1)
        return gradient

    def _record(self) -> list[float]:
        """The numbers that the kernel has of it, without its view."""
        halos, ink = np.ravel(HALOS), light(self.ink)
        near = SUN_ACROSS, SUN_DOWN, *halos, *light(self.glow), VIGNETTE, VIGNETTE_ROW
        return [*self.sun, *near, *ink, *(LAND * ink), OPAQUE]


class Scenery(NamedTuple):
    """Arrays of which the light of a marsh is made."""

    gradient: Array
    """Light of the sky by row, (rows, 3)."""
    land: NDArray[np.uint8]
    """The part of each pixel that the bank and its reeds cover, of 255, (shore + 1, columns)."""
    above: NDArray[np.int32]
    """The row of the sky that each row below the shore mirrors."""
    water: Array
    """Reflectance by row below the shore, (rows, 3)."""
    reeds: Array
    """Reflectance of the reeds there, (rows,)."""
    record: Array
    """Numbers that the kernel has of it."""


@accelerated("=u2 =u1 f8 f8 u1 i4 f8 f8 f8 int int int")
def paint_marsh(
    whole: WholeLight, number: Numbers, threshold: Array, scenery: Scenery, columns: int, wide: int, start: int
) -> None:
    """Paint sky, land and water: light, and numbers from 0 to 255 dithered by a threshold, (height, columns, 3).

    A picture, in which sun and vignette are, has the width of the record, and begins at `start` of the columns of the
    land, so many; what is beyond its sides is no darker. Pages paint more than this view of it.
    """
    del wide
    gradient, land, above, reflectance, strength, record = scenery
    parts = np.split(record, np.cumsum((2, 2, 4, 3, 2, 3, 3, 1)))
    sun, slopes, halos, glow, (vignette, row), ink, bank, opaque, view = parts
    x, y = (np.arange(-start, columns - start) + 0.5) / view[3], (np.arange(len(gradient)) + 0.5) / len(gradient)
    away = ((x - sun[0]) * slopes[0]) ** 2 + ((y - sun[1]) * slopes[1])[:, None] ** 2
    bright = np.zeros(away.shape)
    for much, spread in halos.reshape(2, 2):
        bright += much * exact.exponential(-away / spread)
    corner = 1.0 - vignette * (np.minimum(np.abs(x - 0.5) * 2, 1.0) ** 2 + (((y - row) * 2) ** 2)[:, None])
    painted = (gradient[:, None] + bright[..., None] * glow) * corner[..., None]
    shore = len(gradient) - len(above)
    water = painted[above] * reflectance[:, None]
    mirror = np.maximum(2 * shore - np.arange(shore, len(gradient)), 0)
    reeds = np.where(mirror < shore, 1.0, 0.0)[:, None] * (land[np.minimum(mirror, shore - 1)] / 255)
    painted[shore:] = water + (reeds * strength[:, None])[..., None] * (ink - water)
    painted[: len(land)] += (opaque * (land / 255))[..., None] * (bank - painted[: len(land)])
    whole[:], number[:] = whole_light(painted), dithered(painted, threshold[..., None])


SMOOTH = 3  # Cells per pixel along each axis
REED_SEED = 1
CLUMPS = ((0.055, 0.047, 120), (0.164, 0.023, 40), (0.54, 0.016, 16), (0.79, 0.07, 150), (0.93, 0.047, 130))
"""Middle and spread of each clump of reeds as parts of the width, and how many stems it has in a wide picture."""
SHORTEST_STEM, LONGEST_STEM = 0.01, 0.08  # Lengths of stems as parts of the height of the picture
HEADED = 0.024  # Stems longer than this carry a head
HILLS = ((0.0030, 0.9, 0.4), (0.0022, 2.3, 1.7), (0.0013, 6.1, 2.2))
"""Waves of the bank: height as a part of the picture's, number in its width, and phase."""
BANK_HEIGHT = 0.0055  # Height of the bank without its waves, as a part of the picture's


def bank(size: tuple[int, int], horizon: float, width: int, start: int) -> Array:
    """The bank and its reeds, for pictures of a width, of which the first begins at a column; they repeat beside it."""
    from PIL import Image, ImageDraw  # noqa: PLC0415  who only checks a scenario must not wait for it

    columns, rows = size
    image = Image.new("L", (columns * SMOOTH, rows * SMOOTH))
    pen = ImageDraw.Draw(image)
    ground = horizon * rows
    along = (np.arange(0, columns * SMOOTH + 3, 3) / SMOOTH - start) / width
    waves = sum(high * exact.sine(2 * np.pi * count * along + phase) for high, count, phase in HILLS)
    high = np.maximum(BANK_HEIGHT + waves, 0.0012) * rows
    line = [((float(x) * width + start) * SMOOTH, float(ground - y) * SMOOTH) for x, y in zip(along, high, strict=True)]
    floor = (ground + 1) * SMOOTH
    pen.polygon([(0.0, floor), *line, (float(columns * SMOOTH), floor)], fill=255)
    up, height = ground * SMOOTH, rows * SMOOTH
    stems = [
        (start + around + across, *stem) for around in (0, -width, width) for across, *stem in _stems((width, rows))
    ]
    for stem in stems:  # they lean as they grow, and the tall ones have a head
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
    generator = np.random.default_rng(REED_SEED)
    columns, rows = size
    stems: list[tuple[float, float, float]] = []
    for middle, spread, count in CLUMPS:
        number = max(round(count * columns / rows / 1.78), 1)
        place = (middle + spread * exact.normal(generator, (number,))) * columns
        # The product of two numbers from 0 to 1: most stems are short, a few are long.
        share = exact.uniform(generator, 0.0, 1.0, (2, number)).prod(axis=0)
        bend = (0.003 + 0.0045 * exact.normal(generator, (number,))) * rows
        length = (SHORTEST_STEM + (LONGEST_STEM - SHORTEST_STEM) * share) * rows
        stems += zip(place.tolist(), length.tolist(), bend.tolist(), strict=True)
    return stems
