"""Sheen: dark backs, and flanks that are the brighter the more they face the light.

An animal has a hue for its back and some for its flank, of which one is chosen in each frame. So a flash runs through
a school as its turn does.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from boidsgen.drawing.camera import along
from boidsgen.drawing.frame import light, numbers_of
from boidsgen.drawing.glow import HUES
from boidsgen.drawing.shapes import Integers, Placed
from boidsgen.drawing.themes import Light
from boidsgen.simulation.geometry import Array

MOST_FLANKS = 5  # Hues of the flank of an animal, if there is room; the fewer, the more tones the ground has
BACKS = ((0.68, 0.075), (0.5, 0.115))
"""Size of what is half dark of a body, and of what is dark, and how far above its middle it is, in lengths of it."""
SPINE = (0.38, 0.0)  # The same of the one part that is seen from straight above, half dark, so that its edges are soft
SUN = (-0.55, 0.3, 0.78)  # Direction of the light that a flank throws back: right, up, toward the viewer
SIDEWAYS = 0.63  # The part of it that is seen from above
PALE, FACING, FLASH = 0.3, 0.25, 0.55  # Brightness of a flank, what facing the viewer adds, and what the light adds
OWN = 0.6  # Brightness of a flank in its own color; what is brighter gleams
HALF_DARK = (0.6, 0.2)  # Shares of the back's color and of white between back and flank


class Sheen(NamedTuple):
    """The hues of all animals of a run."""

    hues: tuple[str, ...]
    """First that of shadows, then for each color those of a flank, from dark to bright, and those of all backs."""
    flanks: int
    """The number of hues of a flank."""
    backs: tuple[tuple[float, float, int], ...]
    """Size and height of the parts of a back, as in BACKS, and their hue."""

    def flank(self, velocity: Array, axes: Array) -> Integers:
        """The hue of the flank of each animal, by its velocity, (n, d), and the axes along which it is seen."""
        aside = np.zeros_like(velocity)
        aside[:, 0], aside[:, 1] = velocity[:, 1], -velocity[:, 0]
        pace = np.maximum(np.sqrt((aside * aside).sum(axis=1)), 1e-9)
        right, up, toward = along(axes, aside / pace[:, None])
        if velocity.shape[1] == 2:  # one of both flanks is in the light
            toward, lit = np.ones_like(right), np.abs(SUN[0] * right + SUN[1] * up) / SIDEWAYS
        else:
            side = np.where(toward < 0, -1.0, 1.0)
            lit = np.maximum(side * (SUN[0] * right + SUN[1] * up + SUN[2] * toward), 0.0)
        lit = lit * lit
        bright = PALE + FACING * np.abs(toward) + FLASH * lit * lit
        return np.minimum((bright * self.flanks).astype(np.intp), self.flanks - 1)

    def raised(self, each: Placed, velocity: Array, axes: Array, body: float) -> Iterator[tuple[Placed, int]]:
        """The parts of the backs of animals, of which a body is so long, and their hues."""
        up = _up(velocity, axes)[each.animal]
        for size, raised, hue in self.backs:
            xy = each.xy + raised * body * each.scale[:, None] * up
            yield each._replace(xy=xy, scale=size * each.scale), hue


def _up(velocity: Array, axes: Array) -> Array:
    """Direction from the middle of each animal to its back, as it is seen, (n, 2), y downward."""
    if velocity.shape[1] == 2:  # from above it is in the middle
        return np.zeros((len(velocity), 2))
    x, y, z = velocity.T
    level = np.sqrt(x * x + y * y)
    pace = np.maximum(np.sqrt(level * level + z * z), 1e-9)
    back = np.stack((-x * z, -y * z, level * level), axis=1) / (np.maximum(level, 1e-9) * pace)[:, None]
    right, up = along(axes[:2], back)
    return np.stack((right, -up), axis=1)


def sheen_of(theme: Light, colors: tuple[str, ...], dimension: int) -> Sheen | None:
    """The hues of animals of these colors; None in a theme where each has one tone."""
    if not theme.back:
        return None
    flanks = min(MOST_FLANKS, (HUES - 1 - len(BACKS)) // len(colors))
    back, gleam, part = light(theme.back), light(theme.gleam), (np.arange(flanks)[:, None] + 0.5) / flanks
    dark, bright = np.maximum(1.0 - part / OWN, 0.0), np.maximum((part - OWN) / (1.0 - OWN), 0.0)
    if flanks < 3:  # too few to tell dark from bright
        dark = bright = np.zeros((flanks, 1))
    mixed = [own + dark * (back - own) + bright * (gleam - own) for own in map(light, colors)]
    half = HALF_DARK[0] * back + HALF_DARK[1] * gleam
    shades = numbers_of(np.vstack((light(theme.shade), *mixed, half, back)))
    first = 1 + flanks * len(colors)
    backs = tuple((*one, first + number) for number, one in enumerate(BACKS)) if dimension == 3 else ((*SPINE, first),)
    return Sheen(tuple("#" + bytes(color).hex() for color in shades), flanks, backs)
