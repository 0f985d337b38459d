"""Who sees fewer colors than most people still tells flocks and predators apart, near and far.

Dichromats' colors are those of G. Machado, M. Oliveira and L. Fernandes, A Physiologically-based Model for Simulation
of Color Vision Deficiency (IEEE Transactions on Visualization and Computer Graphics 15, 2009), severity 1, which apply
to linear light. Differences are CIEDE2000 (G. Sharma, W. Wu and E. Dalal, The CIEDE2000 Color-Difference Formula,
Color Research and Application 30, 2005), in CIELAB under D65.
"""

from itertools import combinations

import numpy as np
import pytest

from boidsgen.drawing.frame import rgb
from boidsgen.drawing.scene import MIN_STRENGTH, strength_at
from boidsgen.drawing.themes import THEMES, contrast

SEEN = {
    "deuteranopia": [
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ],
    "protanopia": [
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ],
    "all colors": [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
}
XYZ = np.array(
    [(0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041)]
)
APART = 12.0
"""The least difference between any two."""
FAR = {"flocks": 2.0, "predator": 2.5, "cyclic": 2.0, "sequential": 1.7}
"""Least contrast of the farthest boid, a predator at the middle depth counting as far as it may be drawn."""


def lab(color, seen):
    """CIELAB of a color as it is seen."""
    part = rgb(color) / 255
    light = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    ratio = XYZ @ np.clip(np.array(SEEN[seen]) @ light, 0, 1) / (XYZ @ np.ones(3))
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one, other):
    """CIEDE2000 of two colors in CIELAB."""
    (light, a, b), (dark, c, d) = one, other
    mean = (np.hypot(a, b) + np.hypot(c, d)) / 2
    more = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25**7))
    chroma, hue = np.hypot((a * more, c * more), (b, d)), np.degrees(np.arctan2((b, d), (a * more, c * more))) % 360
    turn = (hue[1] - hue[0] + 180) % 360 - 180 if chroma.all() else 0.0
    middle = (hue[0] + turn / 2) % 360 if chroma.all() else hue.sum()
    level, strength = (light + dark) / 2, chroma.mean()
    weights = ((0.17, 1, -30), (-0.24, 2, 0), (-0.32, 3, 6), (0.20, 4, -63))
    shape = 1 - sum(part * np.cos(np.radians(times * middle + shift)) for part, times, shift in weights)
    lighter = (dark - light) / (1 + 0.015 * (level - 50) ** 2 / np.sqrt(20 + (level - 50) ** 2))
    fuller = (chroma[1] - chroma[0]) / (1 + 0.045 * strength)
    other_hue = 2 * np.sqrt(chroma.prod()) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * strength * shape)
    blue = 30 * np.exp(-(((middle - 275) / 25) ** 2))
    rotation = -np.sin(np.radians(2 * blue)) * 2 * np.sqrt(strength**7 / (strength**7 + 25**7))
    return float(np.sqrt(lighter**2 + fuller**2 + other_hue**2 + rotation * fuller * other_hue))


def mixed(color, background, strength):
    """A color at a strength before its background."""
    return "#" + bytes(np.rint(rgb(background) + strength * (rgb(color) - rgb(background))).astype(int).tolist()).hex()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((50, 2.5, 0), (56, -27, -3), 31.9030),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
        ((90.9257, -0.5406, -0.9208), (88.6381, -0.8985, -0.7239), 1.5381),
    ],
)
def test_difference_is_that_of_its_authors(one, other, expected):
    """Pairs of the authors' own test data come out to the last digit that they print."""
    assert difference(one, other) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("name", THEMES)
def test_flocks_and_predators_are_told_apart(name, seen):
    """Every two colors of flocks, and each of them and the predators', differ clearly, whoever looks."""
    theme = THEMES[name]
    colors = (*theme.flocks, theme.predator)

    close = {
        pair: round(found, 1)
        for pair in combinations(colors, 2)
        if (found := difference(lab(pair[0], seen), lab(pair[1], seen))) < APART
    }

    assert close == {}


@pytest.mark.parametrize("role", FAR)
@pytest.mark.parametrize("name", [name for name, theme in THEMES.items() if not theme.light])
def test_far_boids_can_be_seen(name, role):
    """What is farthest away keeps a contrast to the background, in all themes that fade with depth."""
    theme = THEMES[name]
    colors = getattr(theme, role)
    depth = 0.5 if role == "predator" else 1.0

    for color in (colors,) if isinstance(colors, str) else colors:
        far = mixed(color, theme.background, float(strength_at(np.array(depth))))
        assert contrast(far, theme.background) >= FAR[role], color
    assert float(strength_at(np.array(1.0))) == pytest.approx(MIN_STRENGTH)
