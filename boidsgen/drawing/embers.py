"""Embers: the light of predators: ribbons behind them, the curves on which they fly, and the glow round them.

Ribbons and curves are drawn on a canvas with one ink, where the brighter of two wins; the glow, which is soft, is
added. `add_to(codes)` adds what there is of it in every pixel. Lengths are pixels.
"""

from dataclasses import replace
from functools import cache
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.drawing.canvas import SparseCanvas
from boidsgen.drawing.dither import SUBLEVELS, grain
from boidsgen.drawing.frame import Inks
from boidsgen.drawing.light import ember_curve
from boidsgen.drawing.projection import Projection, Seen
from boidsgen.drawing.scene import Scene
from boidsgen.drawing.soft import clouds, joined, within
from boidsgen.drawing.trails import Trails
from boidsgen.simulation.geometry import Array

WIDTH = 0.3
"""Width of a ribbon where it begins, in lengths of the predator."""
NARROWEST = 0.8
"""Width of its end, in pixels."""
TAPER, FADE = 0.9, 1.6
"""Powers of what is left of a ribbon by which it gets narrower, and by which it gets weaker."""
STRONGEST = 0.8
"""Strength of a ribbon where it begins."""
HEAD = 6
"""How much more a predator glows than a piece of its ribbon."""
HALO, GAIN = 100, 6.0
"""The most that the glow adds, in parts of levels, and how soon it does."""
PEN = 2.2
"""How much wider curves are than thin lines."""


class Embers:
    """The light of all predators of one picture."""

    def __init__(self, size: tuple[int, int], margin: int, levels: int, compiled: ModuleType | None = None) -> None:
        self._size = size
        self._inks = Inks("#000000", {"predator": "#ffffff"})
        curve = ember_curve(int(self._inks.codes[-1]), levels)
        # What is drawn are fine levels: the brighter of two codes is that of the brighter level, too.
        self._inks.codes = curve[self._inks.codes]
        self._most = int(curve[-1])
        self.canvas = SparseCanvas(size, margin, self._inks, compiled)
        self._compiled = compiled
        self._grain = grain(size, SUBLEVELS)
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
        return replace(scene, inks=self._inks, pen=PEN * scene.pen)

    def crop(self, window: Array) -> None:
        """Take away what lies outside a window."""
        self.canvas.crop(window)

    def glow(self, seen: Seen, strength: Array) -> None:
        """Let predators at these places glow."""
        self._glowing.append((seen.xy[seen.shown], HEAD * strength[seen.shown]))

    def ribbons(self, trails: Trails, projection: Projection, strength: Array, length: float) -> None:
        """Draw the trails of predators of this length as ribbons, each at the strength of its animal."""
        ways = [way for way in trails.ways() if len(way[0]) == len(strength)]
        if not ways:
            return
        start, end, flown = (np.concatenate(parts) for parts in zip(*ways, strict=True))
        here, there = projection(end), projection(start)
        shown = np.flatnonzero(here.shown & there.shown & flown)
        taper, fade = _aging(trails.frames)
        age, animal = np.divmod(shown, len(strength))
        width = WIDTH * length * taper[age] * here.scale[shown] / projection.scale
        faded = STRONGEST * fade[age] * strength[animal]
        trace = self.canvas.tapered(here.xy[shown], there.xy[shown], np.maximum(width, NARROWEST))
        self.canvas.draw(trace, self._inks.tone(0, faded))
        self._glowing.append((here.xy[shown], faded))

    def add_to(self, codes: NDArray[np.uint16]) -> None:
        """Add how bright every pixel is to codes, (height, width)."""
        parts = self._glowing or [(np.zeros((0, 2)), np.zeros(0))]
        place, weight = (np.concatenate(each) for each in zip(*parts, strict=True))
        cloud = clouds(place, weight, self._size, reach=4, gain=GAIN, most=HALO)
        rows, columns = box = joined([cloud.box, self.canvas.box()])
        plane, margin = self.canvas.plane
        if self._compiled:
            sides = [(high.start, high.stop, wide.start, wide.stop) for high, wide in (box, cloud.box)]
            self._compiled.add_glow(codes, plane, margin, self._grain, cloud.plane, *sides, self._most)
            return
        bright = plane[rows.start + margin : rows.stop + margin, columns.start + margin : columns.stop + margin].copy()
        bright[within(cloud.box, rows, columns)] += cloud.plane
        np.minimum(bright, np.uint8(self._most), out=bright)
        bright += self._grain[rows, columns]
        bright //= np.uint8(SUBLEVELS)
        codes[rows, columns] += bright


@cache
def _aging(frames: int) -> tuple[Array, Array]:
    """Width and strength of a ribbon that lasts so many frames, piece by piece, from 1 for the newest on."""
    life = 1.0 - np.arange(frames) / frames
    return exact.powers(life, TAPER), exact.powers(life, FADE)
