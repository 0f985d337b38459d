"""Drawing compiled by numba: what `pixels`, `strokes` and `crowd` define, handed to the kernel.

Machine code is loaded and kept as that of a step is (`simulation.neighbors.compiled`).
"""

from dataclasses import fields
from typing import cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing import kernel, picture_kernel
from boidsgen.drawing.animals import BANK, TURNS, Attitude, Placed
from boidsgen.drawing.compiled_crowd import COMPILED, pixels_of, sides_of
from boidsgen.drawing.crowd import Hues
from boidsgen.drawing.frame import Tone
from boidsgen.drawing.light import Exposure
from boidsgen.drawing.pixels import Box, Clouds, Codes, Pixels
from boidsgen.drawing.projection import MIN_DISTANCE, Projection, Seen
from boidsgen.drawing.signatures import SIGNATURES
from boidsgen.drawing.soft import Cloud, joined
from boidsgen.drawing.sparse import SparseCanvas
from boidsgen.drawing.sprites import FINE as FINE_PLACES
from boidsgen.drawing.sprites import HEADINGS, PARTS, PER_KIND, Integers, QuickSprites, Sprites
from boidsgen.drawing.strokes import Pens, Trace
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors.compiled import all_loaded, lazily, machine_code

Numbers = NDArray[np.uint16]


class CompiledPixels(Pixels):
    """What is done pixel by pixel, as the kernel does it."""

    @override
    def strokes(self, start: Array, end: Array, pens: Pens, stride: int, corner: int) -> Trace:
        edge = np.repeat(pens.edge, len(start)) if len(pens.edge) == 1 else pens.edge
        half = np.float32(pens.half)
        code = machine_code(kernel.traced)
        ends = np.asarray(start, np.float64), np.asarray(end, np.float64)
        return Trace(*code(*ends, half, np.ascontiguousarray(edge), pens.beside, stride, corner))

    @override
    def draw(self, codes: Codes, trace: Trace, tone: Tone, ladder: Codes) -> None:
        machine_code(kernel.draw_lines)(codes, *trace, tone, ladder)

    @override
    def stamp(
        self, codes: Codes, sprites: Sprites, number: Integers, pixel: Integers, tone: Tone, ladder: Codes
    ) -> None:
        machine_code(kernel.stamp_inks)(codes, *pixels_of(sprites), number, pixel, tone, ladder)

    @override
    def projection(self, plain: Projection) -> Projection:
        return CompiledProjection(**{field.name: getattr(plain, field.name) for field in fields(plain)})

    @override
    def attitudes(self, velocity: Array, before: Array, axes: Array) -> Attitude:
        if velocity.shape[1] == 2:
            return super().attitudes(velocity, before, axes)
        count = len(velocity)
        heading, apparent, width = np.empty(count), np.empty(count, np.float32), np.empty(count, np.float32)
        code = machine_code(kernel.turn_bodies)
        code(velocity, before, axes.astype(np.float32), np.float32(BANK), TURNS, heading, apparent, width)
        return Attitude(heading, cast("Array", apparent), cast("Array", width))

    @override
    def number(self, sprites: QuickSprites, each: Placed) -> Integers:
        if not isinstance(each.width, np.ndarray) or each.width.dtype != np.float32:
            return super().number(sprites, each)
        number = np.empty(len(each.xy), np.intp)
        place = each.xy, each.heading, each.scale, each.apparent, each.width
        if not machine_code(kernel.number_sprites)(*place, *sprites.tables, STEPS, sprites.drawn, number):
            wanted = np.zeros(len(sprites.drawn), np.bool_)
            wanted[number // PER_KIND] = True
            sprites.draw(np.flatnonzero(wanted & ~sprites.drawn).tolist())
        return number

    @override
    def add_levels(self, codes: Numbers, level: Codes, box: Box, step: int) -> None:
        machine_code(picture_kernel.add_levels)(codes, level, sides_of(box), step)

    @override
    def add_hues(self, codes: Numbers, level: Codes, box: Box, hue: Numbers, hues: int, step: int) -> None:
        machine_code(picture_kernel.add_hues)(codes, level, sides_of(box), np.ascontiguousarray(hue), hues, step)

    @override
    def add_embers(self, codes: Numbers, cloud: Cloud, canvas: SparseCanvas, most: int, grain: Codes) -> None:
        box, plane = sides_of(joined([cloud.box, canvas.box()])), np.ascontiguousarray(cloud.plane)
        machine_code(picture_kernel.add_embers)(codes, *canvas.plane, plane, *_corner(cloud), most, grain, box)

    @override
    def enlarged(self, coarse: Codes, size: tuple[int, int]) -> Codes:
        columns, rows = size
        smooth = np.empty((rows, columns), np.uint8)
        machine_code(picture_kernel.enlarge)(coarse, smooth)
        return smooth

    @override
    def thickened(
        self, place: Array, weight: Array, squares: tuple[int, int], reach: int, borders: Integers
    ) -> tuple[tuple[int, int], Codes]:
        box, dense = machine_code(picture_kernel.thicken)(place, weight, *squares, reach, borders)
        return (box[0], box[2]), dense

    @override
    def shade(self, bare: Numbers, still: Codes, clouds: Clouds, grain: Codes, brightest: int, step: int) -> Numbers:
        codes, (glow, shadow) = np.empty_like(bare), clouds
        box = sides_of(joined([each.box for each in clouds]))
        planes = [part for each in (glow, shadow) for part in (np.ascontiguousarray(each.plane), _corner(each))]
        machine_code(picture_kernel.shade)(codes, bare, still, *planes, grain, brightest, step, box)
        return codes

    @override
    def lay_over(self, codes: Numbers, canvas: SparseCanvas, exposure: Exposure) -> None:
        about = exposure.step, exposure.overlays, exposure.coarse
        machine_code(picture_kernel.lay_over)(codes, *canvas.plane, canvas.noted, *about)

    @override
    def restore(self, codes: Codes, ground: Codes, flat: Integers) -> None:
        machine_code(picture_kernel.restore)(codes, ground, flat)

    @override
    def crowding(self, hues: Hues) -> Hues:
        return COMPILED[type(hues)]()


class CompiledProjection(Projection):
    """As `Projection`."""

    __slots__ = ()

    @override
    def __call__(self, point: Array) -> Seen:
        count = len(point)
        xy, scale, depth, shown = np.empty((count, 2)), np.empty(count), np.empty(count), np.empty(count, np.bool_)
        view = *self.origin.tolist(), float(self.scale), float(self.distance), float(self.reach), MIN_DISTANCE
        # Machine code takes no whole numbers for others.
        given = (np.asarray(each, np.float64) for each in (point, self.axes, self.center))
        machine_code(kernel.project)(*given, view, xy, scale, depth, shown)
        return Seen(xy, scale, depth, shown)


STEPS = PARTS, HEADINGS, FINE_PLACES
"""What sprites are numbered by."""


def load_kept() -> bool:
    """Whether everything could be loaded, or was there before; see `all_loaded`."""
    return all_loaded(SIGNATURES)


def compile_all() -> None:
    """Have machine code for everything."""
    for function in SIGNATURES:
        machine_code(function)


def can_keep() -> bool:
    """Whether compiled code can be kept for the next process."""
    return lazily(kernel.traced) is not None


def _corner(cloud: Cloud) -> tuple[int, int]:
    """Where a cloud begins."""
    rows, columns = cloud.box
    return rows.start, columns.start
