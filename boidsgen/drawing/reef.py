"""The water of the reef: sunlight that falls into it, and the sand below.

From the side, in worlds with depth: light from one sun above, its rays, and a floor of sand that is lost in the
distance. From above, in flat worlds: the sand itself, under a net of light. Light is red, green and blue, (height,
width, 3); it is made of what gives the same bits everywhere, and measured by the height of the picture.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.drawing.camera import Projection
from boidsgen.drawing.frame import Numbers, Stop, WholeLight, dithered, gradient_at, light, uncut, whole_light
from boidsgen.kernel.library import accelerated
from boidsgen.simulation.geometry import Array


class Reef(NamedTuple):
    """Clear water over sand, and one sun."""

    stops: tuple[Stop, ...]
    """The water from the surface down."""
    sun: tuple[float, float]
    """Position of the sun, in parts of width and height; it is above the picture."""
    glow: str
    """The color of its light in the water."""
    sand: str
    """The color of the sand."""
    sparkle: str
    """The color of the net of light on it."""
    shallow: tuple[Stop, ...]
    """The water over sand that is seen from above, from below the sun away."""

    def record(self, projection: Projection, half: float, size: tuple[int, int]) -> Array:
        """The numbers of a RECORD for pictures of this size; half a side of the world is so long."""
        colors = [light(color) for color in (self.glow, self.sand, self.sparkle)]
        seen = half, *projection.axes[1:, -1], *projection.origin, projection.scale, projection.distance
        return np.array([*self.sun, *np.concatenate(colors), *seen, *CONSTANTS, *uncut(size)])


GLOW_SIZE = (0.3, 0.27)  # Width and height of the glow below the surface, as parts of those of the picture
BRIGHT, RAYS = 0.45, 0.16  # Light of the glow, and of the brightest ray
RAY_WAVES = ((23.0, 1.0), (41.0, 0.7), (67.0, 0.5), (11.0, 0.8))  # Number of rays in a turn, and how much they count
FAN, SINK = 0.52, 0.55
"""Angle at which rays are faint, as its tangent, and the depth in heights of the picture; the sun stands as high above
the picture."""
FOG, AROUND = 0.62, 2.6  # Per half side of the world: how fast sand is lost with distance, and how far aside it is seen
LEVEL = -1.0  # Of the floor from the center of the world, in half its height
NET_ASIDE = 7.0  # Cells of the net of light in half a side of the world
NET_ABOVE = 15.0  # The same in the height of a picture, seen from above
SPARKLE, SHALLOW = 0.05, 0.03  # Light of the net, seen aside and from above
PHASES = (-57.5, -17.25, -3.83, 2.875, 6.9)  # By which the net is bent again and again
SNOW, SNOW_SEED = 240, 3  # Specks that float in a picture of twelve by nine, and the seed of their places
SPECKS = ((0.8, 0.2), (1.0, 0.16), (1.4, 0.11), (2.6, 0.06))  # Radius, in thousandths of the height, and light


CONSTANTS = (
    *(*GLOW_SIZE, BRIGHT, RAYS, *(part for wave in RAY_WAVES for part in wave), FAN, SINK, FOG, AROUND, LEVEL),
    *(NET_ASIDE, NET_ABOVE, SPARKLE, SHALLOW, *PHASES),
)
RECORD = np.dtype([
    ("sun", "f8", 2),
    *((name, "f8", 3) for name in ("glow", "sand", "sparkle")),
    *((name, "f8") for name in ("half", "up", "toward")),
    ("origin", "f8", 2),
    *((name, "f8") for name in ("scale", "distance")),
    ("constants", "f8", len(CONSTANTS)),
    ("view", "f8", 5),
])  # fmt: skip
"""A reef, how it is seen, the constants, and what of it is painted, as the kernel has them."""


@accelerated("=u2 =u1 f8 f8 f8 f8 int")
def paint_aside(
    whole: WholeLight, number: Numbers, threshold: Array, stops: Array, specks: Array, record: Array, columns: int
) -> None:
    """Paint the water of a world from its side: light, and dithered numbers from 0 to 255, (height, width, 3).

    Args:
        whole: the light, which is written.
        number: likewise.
        threshold: (height, width) of the dither.
        stops: (n, 4), see `frame.gradient_at`.
        specks: (n, 4), column, row, radius and light of each.
        record: a RECORD.
        columns: the width.
    """
    reef, rows = record.view(RECORD)[0], len(whole)
    x, y = (np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows
    across = (x - reef["sun"][0]) * (columns / rows)
    painted = np.repeat(gradient_at(stops, y)[:, None], columns, axis=1)
    near = exact.exponential(-(((x - reef["sun"][0]) / GLOW_SIZE[0]) ** 2))
    down = exact.exponential(-((y / GLOW_SIZE[1]) ** 2))
    painted += (BRIGHT * down[:, None] * near)[..., None] * reef["glow"]
    seen, place, away = floor((columns, rows), reef)
    fog = 0.95 * exact.exponential(-FOG * np.maximum(away, 0.0) - (place[0] / AROUND) ** 2)
    sparkling = net(NET_ASIDE * place[0], NET_ASIDE * place[1])
    sand = reef["sand"] + (SPARKLE * sparkling)[..., None] * reef["sparkle"]
    shown = (seen * fog)[..., None]
    painted += shown * (sand - painted)
    slope = across[None, :] / (y[:, None] + SINK)
    painted += (rays(slope) * exact.exponential(-y / SINK)[:, None])[..., None] * (RAYS * reef["glow"])
    snow(painted, specks, reef["sparkle"])
    dark = ((x - 0.5) / 0.72)[None, :] ** 2 + (((y - 0.45) / 0.8) ** 2)[:, None]
    painted *= np.maximum(1.0 - 0.4 * dark, 0.25)[..., None]
    painted /= 1.0 + 0.12 * painted
    whole[:], number[:] = whole_light(painted), dithered(painted, threshold[..., None])


@accelerated("=u2 =u1 f8 f8 f8 int")
def paint_above(
    whole: WholeLight, number: Numbers, threshold: Array, stops: Array, record: Array, columns: int
) -> None:
    """Paint sand below shallow water, from straight above, as `paint_aside`."""
    reef, rows = record.view(RECORD)[0], len(whole)
    x, y = (np.arange(columns) + 0.5 - columns / 2) / rows, (np.arange(rows) + 0.5) / rows - 0.5
    left, top = x - (reef["sun"][0] - 0.5) * columns / rows, y + 0.5
    away = np.sqrt(left[None, :] ** 2 + (top**2)[:, None])
    painted = gradient_at(stops, away.reshape(-1)).reshape(rows, columns, 3)
    bumps = exact.sine(9.0 * x + 1.3)[None, :] * exact.sine(7.0 * y)[:, None]
    bumps += exact.sine(4.0 * x[None, :] + 11.0 * y[:, None])
    painted *= (1.0 + 0.05 * bumps)[..., None]
    wide, high = np.meshgrid(NET_ABOVE * x, NET_ABOVE * y)
    sparkling = net(wide, high)
    painted += (SHALLOW * sparkling * np.maximum(1.2 - 0.6 * away, 0.2))[..., None] * reef["sparkle"]
    whole[:], number[:] = whole_light(painted), dithered(painted, threshold[..., None])


def floor(size: tuple[int, int], reef: np.void) -> tuple[NDArray[np.bool_], Array, Array]:
    """The places of the sand that pixels show.

    Returns:
        Whether it is, (height, width); how far to the right and ahead of the middle, (2, height, width), and how much
        farther from the viewer than the middle, (height, width), both in half a side of the world.
    """
    half, distance, up, toward = (reef[name] for name in ("half", "distance", "up", "toward"))
    x = (np.arange(size[0]) + 0.5 - reef["origin"][0]) / reef["scale"]
    y = -(np.arange(size[1]) + 0.5 - reef["origin"][1]) / reef["scale"]
    # The ray through a pixel: up and toward are the parts of those axes that lead up, `right` is level.
    slope = y / distance
    steep = toward - slope * up
    safe = np.where(steep > 0.01, steep, 0.01)
    way = (LEVEL * half - y * up) / safe  # toward the viewer
    aside = x[None, :] * (1.0 - way / distance)[:, None]
    high = y * (1.0 - way / distance)
    ahead = high * toward - way * up
    place = np.stack((aside / half, np.repeat((ahead / half)[:, None], size[0], axis=1)))
    beyond = np.repeat((-way / half)[:, None], size[0], axis=1)
    seen = (steep > 0.01) & (way < distance)
    return (
        np.repeat(seen[:, None], size[0], axis=1),
        np.minimum(np.maximum(place, -40.0), 40.0),
        np.minimum(beyond, 40.0),
    )


def net(x: Array, y: Array) -> Array:
    """The net of light that waves throw on the ground, with cells about as wide as a unit: 8 at most.

    After the "tileable water caustic" of joltz0r and D. Hoskins: places are bent by waves again and again.
    """
    # Waves of other lengths keep it from repeating itself.
    x, y = x + 0.9 * exact.sine(0.23 * y + 0.31 * x), y + 0.9 * exact.sine(0.19 * x - 0.27 * y + 1.0)
    a, b, total = x, y, np.zeros(x.shape)
    for phase in PHASES:
        a, b = (
            x + exact.cosine(phase - a) + exact.sine(phase + b),
            y + exact.sine(phase - b) + exact.cosine(phase + a),
        )
        one, other = exact.sine(a + phase), exact.cosine(b + phase)
        total += np.abs(one * other) / np.sqrt(one * one + other * other + 1e-6)
    mean = total / (1.25 * len(PHASES))
    bright = np.maximum(1.14 - mean * np.sqrt(mean), 0.0)
    for _ in range(4):
        bright = bright * bright
    return bright


def rays(slope: Array) -> Array:
    """The light of rays from one sun, from 0 to about 1, by the tangents of their angles."""
    fine = np.arange(8193) / 1024 - 4.0
    total = sum(much * exact.sine(2.2 * count * fine + count) for count, much in RAY_WAVES)
    bright = np.maximum(total / 2.2, 0.0)
    table = bright * np.sqrt(bright) * exact.exponential(-((fine / FAN) ** 2))
    place = np.minimum(np.maximum(slope, -4.0), 3.99) * 1024 + 4096
    low = place.astype(np.intp)
    part = place - low
    found: Array = table[low] * (1.0 - part) + table[low + 1] * part
    return found


def specks(size: tuple[int, int]) -> Array:
    """Column, row, radius and light of each speck in the water of a picture, (n, 4)."""
    columns, rows = size
    generator = np.random.default_rng(SNOW_SEED)
    count = round(SNOW * 0.75 * columns / rows)
    across, down, kind = exact.uniform(generator, 0.0, 1.0, (count, 3)).T
    number = np.minimum(kind * kind * len(SPECKS), len(SPECKS) - 1).astype(np.intp)
    thick, bright = np.array(SPECKS)[number].T
    return np.stack((across * columns, down * rows, np.maximum(thick * rows / 720, 0.5), bright), axis=1)


def snow(painted: Array, specks: Array, color: Array) -> None:
    """Let specks float in the water."""
    rows, columns, _ = painted.shape
    for x, y, radius, bright in specks.tolist():
        reach = int(3 * radius) + 1
        column, row = int(x), int(y)
        high = np.arange(max(row - reach, 0), min(row + reach + 1, rows))
        wide = np.arange(max(column - reach, 0), min(column + reach + 1, columns))
        far = (((high + 0.5 - y) ** 2)[:, None] + (wide + 0.5 - x) ** 2) / (2 * radius * radius)
        part = (bright * exact.exponential(-far))[..., None] * color
        painted[high[0] : high[-1] + 1, wide[0] : wide[-1] + 1] += part
