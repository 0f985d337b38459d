"""Scenery: a bank of reeds, as coverage of a picture.

  bank(size, horizon)       (height, width) 0 to 1, what stands dark before the sky; nothing below the horizon
Everything is measured by the height of the picture, so that it looks alike at every size, and grows from a fixed seed.
"""

from typing import TYPE_CHECKING

import numpy as np

from boidsgen import exact
from boidsgen.simulation.geometry import Array

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw as Pen

SMOOTH = 3
"""Cells per pixel along each axis."""
SEED = 1
CLUMPS = ((0.055, 0.047, 120), (0.164, 0.023, 40), (0.54, 0.016, 16), (0.79, 0.07, 150), (0.93, 0.047, 130))
"""Middle and spread of each clump of reeds as parts of the width, and how many stems it has in a wide picture."""
SHORTEST, LONGEST = 0.01, 0.08
"""Lengths of stems as parts of the height of the picture."""
HEADED = 0.024
"""Stems longer than this carry a head."""
HILLS = ((0.0030, 0.9, 0.4), (0.0022, 2.3, 1.7), (0.0013, 6.1, 2.2))
"""Waves of the bank: height as a part of the picture's, number in its width, and phase."""
BANK = 0.0055
"""Height of the bank without its waves, as a part of the picture's."""


def bank(size: tuple[int, int], horizon: float) -> Array:
    """The bank and its reeds; the horizon is a part of the height."""
    from PIL import Image, ImageDraw  # noqa: PLC0415  who only checks a scenario must not wait for it

    columns, rows = size
    image = Image.new("L", (columns * SMOOTH, rows * SMOOTH))
    pen = ImageDraw.Draw(image)
    ground = horizon * rows
    _draw_bank(pen, size, ground)
    for foot, tip, bend in _stems(size):
        _draw_reed(pen, (foot * SMOOTH, ground * SMOOTH), tip * SMOOTH, bend * SMOOTH, rows * SMOOTH)
    covered = np.asarray(image.reduce(SMOOTH)).astype(float) / 255
    covered[int(np.ceil(ground)) :] = 0.0
    return covered


def _draw_bank(pen: "Pen", size: tuple[int, int], ground: float) -> None:
    across = np.arange(0, size[0] * SMOOTH + 3, 3) / (size[0] * SMOOTH)
    waves = sum(high * exact.sine(2 * np.pi * count * across + phase) for high, count, phase in HILLS)
    high = np.maximum(BANK + waves, 0.0012) * size[1]
    line = [(float(x) * size[0] * SMOOTH, float(ground - y) * SMOOTH) for x, y in zip(across, high, strict=True)]
    floor = (ground + 1) * SMOOTH
    pen.polygon([(0.0, floor), *line, (float(size[0] * SMOOTH), floor)], fill=255)


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


def _draw_reed(pen: "Pen", foot: tuple[float, float], length: float, bend: float, height: float) -> None:
    """One stem that leans as it grows, and its head."""
    across, up = foot
    knee, tip = (across + 0.35 * bend, up - 0.6 * length), (across + bend, up - length)
    tall = length > HEADED * height
    pen.line([foot, knee, tip], fill=255, width=max(round(height / (540 if tall else 720)), 1))
    if tall:
        pen.line([(across + 0.72 * bend, up - 0.8 * length), tip], fill=255, width=max(round(height / 260), 2))
