"""Embers: the light of predators: ribbons behind them, the curves on which they fly, and the glow round them.

Ribbons and curves are drawn on a canvas with one ink, where the brighter of two wins; the glow, which is soft, is
added. `levels()` is what there is of it in every pixel. Lengths are pixels.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.dither import grain
from boidsgen.drawing.frame import Inks
from boidsgen.drawing.projection import Projection, Seen
from boidsgen.drawing.scene import Scene
from boidsgen.drawing.soft import clouds
from boidsgen.drawing.trails import Trails
from boidsgen.simulation.geometry import Array

WIDTH = 0.26
"""Width of a ribbon where it begins, in lengths of the predator."""
NARROWEST = 0.8
"""Width of its end, in pixels."""
TAPER, FADE = "0.9", "1.6"
"""Powers of what is left of a ribbon by which it gets narrower, and by which it gets weaker."""
STRONGEST = 0.8
"""Strength of a ribbon where it begins."""
HEAD = 6
"""How much more a predator glows than a piece of its ribbon."""
HALO = 90
"""The most that the glow adds, of 255."""
STEP = 7
"""What one code of ink amounts to, of 255."""


class Embers:
    """The light of all predators of one picture."""

    def __init__(self, size: tuple[int, int], margin: int, levels: int) -> None:
        self._size = size
        self._inks = Inks("#000000", {"predator": "#ffffff"})
        self.canvas = Canvas(size, margin, self._inks)
        self._margin = margin
        self._levels = levels
        self._grain = grain(size, 255).astype(np.uint16)
        self._glowing: list[tuple[Array, Array]] = []

    def settle(self) -> None:
        """Start over with nothing on the ground."""
        self.canvas.wipe()

    def begin(self) -> None:
        """Start a new picture."""
        self.canvas.begin()
        self._glowing = []

    def seen(self, scene: Scene) -> Scene:
        """A scene as it is drawn in this light."""
        return replace(scene, inks=self._inks)

    def crop(self, window: Array) -> None:
        """Take away what lies outside a window."""
        self.canvas.crop(window)

    def glow(self, seen: Seen, strength: Array) -> None:
        """Let predators at these places glow."""
        self._glowing.append((seen.xy[seen.shown], HEAD * strength[seen.shown]))

    def ribbons(self, trails: Trails, projection: Projection, strength: Array, length: float) -> None:
        """Draw the trails of predators of this length as ribbons, each at the strength of its animal."""
        for life, (start, end, flown) in zip(trails.life.tolist(), trails.ways(), strict=True):
            if life <= 0 or len(start) != len(strength):
                continue
            here, there = projection(end), projection(start)
            shown = np.flatnonzero(here.shown & there.shown & flown)
            width = WIDTH * length * exact.power(life, TAPER) * here.scale[shown] / projection.scale
            faded = STRONGEST * exact.power(life, FADE) * strength[shown]
            self._stroke(here.xy[shown], there.xy[shown], np.maximum(width, NARROWEST), faded)
            self._glowing.append((here.xy[shown], faded))

    def levels(self) -> NDArray[np.uint16]:
        """How bright every pixel is, (height, width)."""
        bright = self.canvas.picture().astype(np.uint16)
        bright *= np.uint16(STEP)
        if self._glowing:
            place, weight = (np.concatenate(parts) for parts in zip(*self._glowing, strict=True))
            bright += clouds(place, weight, self._size, reach=3, gain=0.09, most=HALO)
        np.minimum(bright, 255, out=bright)
        bright *= np.uint16(self._levels - 1)
        bright += self._grain
        bright //= np.uint16(255)
        return bright

    def _stroke(self, start: Array, end: Array, width: Array, strength: Array) -> None:
        if len(start):
            trace = self.canvas.tapered(start, end, width)
            self.canvas.draw(trace, self._inks.tone(0, strength))
