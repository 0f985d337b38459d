"""Pixels: what is done pixel by pixel, and animal by animal, for very many of them.

`Pixels` does it with numpy and defines it; `compiled.CompiledPixels` does the same, to the last bit, several times as
fast. Canvases, crowds and embers are given one of them, and do not know which. Canvases are flat, as in `canvas`.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.frame import Tone
from boidsgen.drawing.projection import Projection
from boidsgen.drawing.soft import Cloud, enlarged, joined, thickened
from boidsgen.drawing.sprites import Integers, QuickSprites, Sprites
from boidsgen.drawing.strokes import Pens, Trace, strokes
from boidsgen.simulation.geometry import Array

if TYPE_CHECKING:
    from boidsgen.drawing.animals import Attitude, Placed
    from boidsgen.drawing.crowd import Hues
    from boidsgen.drawing.light import Exposure
    from boidsgen.drawing.sparse import SparseCanvas

Codes = NDArray[np.uint8]
Box = tuple[slice, slice]
"""Rows and columns."""

Clouds = tuple[Cloud, Cloud]
"""A glow and a shadow; either may be nowhere."""

BRIGHTEST = 255
"""What a ground may be as bright as."""

FINE = 8
"""Parts of a level, between which the dither decides."""


class Pixels:
    """What is done pixel by pixel, as numpy does it."""

    def projection(self, plain: Projection) -> Projection:
        """What does the same as a projection."""
        return plain

    def attitudes(self, velocity: Array, before: Array, axes: Array) -> "Attitude":
        """How bodies are turned, as `animals.attitudes`."""
        from boidsgen.drawing.animals import attitudes  # noqa: PLC0415  who only checks a scenario draws no animal

        return attitudes(velocity, before, axes)

    def number(self, sprites: QuickSprites, each: "Placed") -> Integers:
        """The sprite of each animal."""
        return sprites.number(each.xy, each.heading, each.scale, each.apparent, each.width)

    def strokes(self, start: Array, end: Array, pens: Pens, stride: int, corner: int) -> Trace:
        """The pixels of lines, as `strokes.strokes`."""
        return strokes(start, end, pens, stride, corner)

    def draw(self, codes: Codes, trace: Trace, tone: Tone, ladder: Codes) -> None:
        """Put lines on a flat canvas, by `max`; one tone per line, codes by tone and coverage."""
        np.maximum.at(codes, trace.flat, ladder[tone[trace.line] + trace.coverage])

    def stamp(
        self, codes: Codes, sprites: Sprites, number: Integers, pixel: Integers, tone: Tone, ladder: Codes
    ) -> None:
        """Put a sprite on each pixel of a flat canvas, by `max`; one tone per sprite."""
        boid, entry = expanded(sprites, number)
        flat = pixel[boid] + sprites.offset[entry]
        np.maximum.at(codes, flat, ladder[tone[boid] + sprites.coverage[entry]])

    def enlarged(self, coarse: Codes, size: tuple[int, int]) -> Codes:
        """Squares as a smooth picture, as `soft.enlarged`."""
        return enlarged(coarse, size)

    def thickened(
        self, place: Array, weight: Array, squares: tuple[int, int], reach: int, borders: NDArray[np.int64]
    ) -> tuple[tuple[int, int], Codes]:
        """How dense a cloud is in squares, as `soft.thickened`."""
        return thickened(place, weight, squares, reach, borders)

    def shade(
        self, bare: NDArray[np.uint16], still: Codes, clouds: Clouds, grain: Codes, brightest: int, step: int
    ) -> NDArray[np.uint16]:
        """The codes of a ground that has these where it is bare, with a glow over it and a shadow on it.

        Args:
            bare: the codes without both.
            still: how bright it is without both, up to BRIGHTEST.
            clouds: the glow and the shadow, the latter in parts of 256.
            grain: the dither, below BRIGHTEST.
            brightest: the tone of what is as bright as can be.
            step: how many codes tones are apart.
        """
        glow, shadow = clouds
        rows, columns = joined([each.box for each in clouds])
        bright = still[rows, columns].astype(np.uint16)
        part = bright[_within(shadow.box, rows, columns)]
        part -= (part * shadow.plane) >> 8
        bright[_within(glow.box, rows, columns)] += glow.plane
        np.minimum(bright, BRIGHTEST, out=bright)
        codes = bare.copy()
        np.multiply(toned(bright, grain[rows, columns], brightest), np.uint16(step), out=codes[rows, columns])
        return codes

    def add_levels(self, codes: NDArray[np.uint16], level: Codes, box: Box, step: int) -> None:
        """Add levels, each so many codes apart, in a box of the picture."""
        codes[box] += level[box] * np.uint16(step)

    def add_hues(
        self, codes: NDArray[np.uint16], level: Codes, box: Box, hue: NDArray[np.uint16], hues: int, step: int
    ) -> None:
        """The same for levels of which each is there in so many hues, those of the box; a hue is so many codes away."""
        bodies = level[box] * np.uint16(hues)
        bodies += hue
        bodies *= np.uint16(step)
        codes[box] += bodies

    def add_embers(
        self, codes: NDArray[np.uint16], cloud: Cloud, canvas: "SparseCanvas", most: int, grain: Codes
    ) -> None:
        """Add how bright every pixel is, at most so much, by the fine levels of a cloud and those drawn on a canvas."""
        fine = np.zeros(codes.shape, np.uint8)
        fine[cloud.box] = cloud.plane
        place, level = canvas.drawn()
        flat = fine.reshape(-1)
        # A place that is there twice gets the same both times.
        flat[place] = flat[place] + level
        box = joined([cloud.box, canvas.box()])
        bright = fine[box]
        np.minimum(bright, np.uint8(most), out=bright)
        bright += grain[box]
        bright //= np.uint8(FINE)
        codes[box] += bright

    def lay_over(self, codes: NDArray[np.uint16], canvas: "SparseCanvas", exposure: "Exposure") -> None:
        """Write what overlays have drawn on a canvas."""
        place, overlay = canvas.drawn()
        flat = codes.reshape(-1)
        flat[place] = exposure.covered(flat[place], overlay)

    def restore(self, codes: Codes, ground: Codes, flat: Integers) -> None:
        """Bring back the ground at these pixels of a flat canvas."""
        codes[flat] = ground[flat]

    def crowding(self, hues: "Hues") -> "Hues":
        """What adds up animals with these hues."""
        return hues


def toned(bright: NDArray[np.uint16], grain: Codes, brightest: int) -> NDArray[np.uint16]:
    """The tones of a part of the picture by its brightness, which is used up."""
    bright *= np.uint16(brightest)
    bright += grain
    bright //= np.uint16(BRIGHTEST)
    return bright


def _within(box: Box, rows: slice, columns: slice) -> Box:
    """The same box, counted from the first of these rows and columns; empty where it is."""
    high, wide = box
    if high.start == high.stop:
        return slice(0, 0), slice(0, 0)
    return (
        slice(high.start - rows.start, high.stop - rows.start),
        slice(wide.start - columns.start, wide.stop - columns.start),
    )


def expanded(sprites: Sprites, number: Integers) -> tuple[Integers, Integers]:
    """For every pixel of every stamp: the boid it belongs to and its place in the arrays of the sprites."""
    count = sprites.count[number]
    boid = np.repeat(np.arange(len(number)), count)
    ahead = sprites.first[number] - (np.cumsum(count) - count)
    return boid, np.arange(len(boid)) + ahead[boid]
