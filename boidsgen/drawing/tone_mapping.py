"""Tone mapping of the lit look: colors of what is in a pixel.

A pixel of a lit picture holds a few small integers: the tone of the background, how much animal lies on it, in which of
the hues of this run, and how much glow (the light of predators). Together they are its code; one table, made beforehand
in linear light, gives the color of every code. What overlays write lies above all that, in flat inks over a coarse
choice of the background's tones.
"""

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.drawing.canvas import OVERLAYS
from boidsgen.drawing.frame import Codes, GlassInks, Numbers, dithered, light, light_of, numbers_of
from boidsgen.drawing.quantization import SUBLEVELS, representatives, thresholds
from boidsgen.drawing.themes import Light
from boidsgen.simulation.geometry import Array

MAX_CODES = 1 << 16
COARSE_TONES = 32  # Tones of the ground below overlays
MAX_TONES = 2048
THICKEST = 4096  # From this accumulated coverage on, all is alike
FULL = 64  # Accumulated coverage of one animal that fills a pixel near the viewer


GLOW_LEVELS = 20  # Levels of the light of predators
POWER = 1.5
"""Power of its level that the light of animals is: the eye tells faint lights apart that differ little. That of embers
is the square."""
DIM, DENSE = 0.9, 0.3  # Brightness of few animals, and by how much more many shine
OPACITY = 0.96  # Part of the background that the densest crowd hides


def tone_curve(light: Light) -> NDArray[np.uint8]:
    """Fine levels by accumulated coverage 0 to THICKEST - 1.

    In bright themes SUBLEVELS * (levels - 1) * (1 - exp(-density * animals)); what shines has more levels where it
    is faint.
    """
    part = 1.0 - exact.exponential(-light.density * np.arange(THICKEST) / FULL)
    share = exact.powers(part, 1 / POWER) if light.glows else part
    return np.rint(SUBLEVELS * (light.levels - 1) * share).astype(np.uint8)


class ToneMapping:
    """The codes of one run."""

    def __init__(self, light: Light, inks: GlassInks, hues: tuple[str, ...], plate: str) -> None:
        self._light = light
        self.hues, self.levels = len(hues), light.levels  # how many there are, of animals and of density
        self.glow_levels = GLOW_LEVELS if light.glows else 1  # levels of the predators' light, 1 where there is none
        self._bodies = self.levels * self.hues
        self._colors = hues
        self._inks = inks
        self._plate = plate

    @property
    def tones(self) -> int:
        """Maximum number of tones of the background."""
        room = MAX_CODES - COARSE_TONES * OVERLAYS
        return min(room // (self._bodies * self.glow_levels), MAX_TONES)

    def paint(self, tones: Array) -> None:
        """Make the table for a ground of these tones, (n, 3)."""
        glows = self._light.glows
        share = np.arange(self.levels) / (self.levels - 1)
        part = (exact.powers(share, POWER) if glows else share)[:, None, None]
        opacity = OPACITY * part
        shine = part * (DIM + DENSE * part) if glows else opacity
        # Light by tone, level and hue, (tones, levels, hues, 3).
        own = np.stack([light(color) for color in self._colors]) * shine
        left = np.broadcast_to(1.0 - opacity, (*own.shape[:2], 1))
        if glows:
            share = np.arange(self.glow_levels) / (self.glow_levels - 1)
            part = (share * share)[:, None]
            own = own[..., None, :] * (1.0 - 0.8 * part * part) + light(self._light.ember) * part
            left = left[..., None] * (1.0 - 0.8 * part * part)
        own, left = own.reshape(-1, 3), left.reshape(-1, 1)
        self.overlays = len(tones) * len(own)  # where the codes of what overlays write begin
        color, place = np.unique(numbers_of(tones), axis=0, return_inverse=True)
        few, member = representatives(color, np.ones(len(color), np.int64), COARSE_TONES)
        # The coarse tone below overlays for every tone of the ground, (tones,)
        coarse, self.coarse = light_of(few), member[place.reshape(-1)]
        # Light of overlays by coarse tone and code of ink, (COARSE_TONES, OVERLAYS, 3).
        ink, thickness = self._inks.layers()
        above, through = np.zeros((OVERLAYS, 3)), np.zeros((len(coarse), OVERLAYS, 1))
        above[: len(ink)], through[:, : len(ink), 0] = light_of(ink) * thickness[:, None], 1.0 - thickness
        # What has to be read stands on tones that are no brighter than the plate.
        luminance = np.array([0.2126, 0.7152, 0.0722])
        allowed, bright = (light(self._plate) * luminance).sum(), (coarse * luminance).sum(axis=1)
        through[:, self._inks.cleared, 0] = np.minimum(allowed / np.maximum(bright, 1e-9), 1.0)
        # The light of a code is that of what is drawn, and what it lets through of the ground.
        self._own = np.concatenate((np.tile(own, (len(tones), 1)), np.tile(above, (len(coarse), 1))))
        self._left = np.concatenate((np.tile(left, (len(tones), 1)), through.reshape(-1, 1)))
        ground = np.concatenate((tones.repeat(len(own), axis=0), coarse.repeat(OVERLAYS, axis=0)))
        self.palette = numbers_of(self._own + self._left * ground)  # (codes, 3) uint8, the color of every code

    def full_color(self, code: Codes, ground: Array) -> Numbers:
        """Colors of pixels by their codes, (rows, columns), on a ground of any light, (rows, columns, 3), dithered."""
        threshold = thresholds(code.shape[::-1])[..., None]
        return dithered(self._own[code] + self._left[code] * ground, threshold)

    @property
    def step(self) -> int:
        """Codes from one tone to the next."""
        return self._bodies * self.glow_levels
