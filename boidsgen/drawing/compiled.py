"""Drawing compiled by numba: what `pixels`, `strokes` and `crowd` define, handed to the kernel.

Machine code is loaded and kept as that of a step is (`simulation.neighbors.compiled`).
"""

from dataclasses import fields
from typing import cast

import numpy as np
from numba import types
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing import kernel
from boidsgen.drawing.animals import BANK, TURNS, Attitude, Placed
from boidsgen.drawing.crowd import Coverage, Front, FrontHues, Hues, MixedHues, Sums
from boidsgen.drawing.frame import Tone
from boidsgen.drawing.pixels import Box, Clouds, Codes, Pixels
from boidsgen.drawing.projection import MIN_DISTANCE, Projection, Seen
from boidsgen.drawing.soft import Cloud, joined
from boidsgen.drawing.sparse import SparseCanvas
from boidsgen.drawing.sprites import FINE as FINE_PLACES
from boidsgen.drawing.sprites import HEADINGS, PARTS, PER_KIND, Integers, QuickSprites, Sprites
from boidsgen.drawing.strokes import Pens, Trace
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors.compiled import FURTHER_SIGNATURES, all_loaded, lazily, machine_code

Numbers = NDArray[np.uint16]

bytes_ = types.uint8[::1]
numbers = types.int64[::1]
words = types.uint16[::1]
short = types.float32[::1]
given = types.Array(types.float64, 2, "A", readonly=True)
any_numbers = types.Array(types.int64, 1, "A", readonly=True)
any_words = types.Array(types.uint16, 1, "A", readonly=True)
any_floats = types.Array(types.float64, 1, "A", readonly=True)
any_short = types.Array(types.float32, 1, "A", readonly=True)
row = any_floats
floats = types.float64[::1]
number = types.int64
sprites = (numbers, numbers, types.int32[::1], bytes_)
trace = (numbers, numbers, bytes_)
single, double = types.uint32[::1], types.uint64[::1]
picture = types.uint8[:, ::1]
hues = types.uint16[:, ::1]
codes = types.uint16[:, ::1]
view = types.UniTuple(types.float64, 6)  # type: ignore[no-untyped-call]
steps = types.UniTuple(number, 3)  # type: ignore[no-untyped-call]
box = types.UniTuple(number, 4)  # type: ignore[no-untyped-call]
pair = types.UniTuple(number, 2)  # type: ignore[no-untyped-call]

SIGNATURES = {
    kernel.traced: types.Tuple(trace)(given, given, types.float32, short, number, number, number),  # type: ignore[no-untyped-call]
    kernel.draw_lines: types.void(bytes_, *trace, any_numbers, bytes_),
    kernel.stamp_inks: types.void(bytes_, *sprites, any_numbers, any_numbers, any_numbers, bytes_),
    kernel.stamp_alike: types.void(single, *sprites, any_numbers, any_numbers, any_words),
    kernel.stamp_fronts: types.void(single, words, *sprites, any_numbers, any_numbers, any_words, any_words),
    kernel.stamp_mixed: types.void(double, *sprites, any_numbers, any_numbers, any_words, any_words),
    kernel.trace_alike: pair(single, *trace, any_words),
    kernel.trace_fronts: pair(single, words, *trace, any_words, any_words),
    kernel.trace_mixed: pair(double, *trace, any_words, any_words),
    kernel.levels_alike: types.void(types.uint32[:, ::1], number, bytes_, picture, picture, box),
    kernel.project: types.void(
        given,
        given,
        row,
        view,
        types.float64[:, ::1],
        floats,
        floats,
        types.boolean[::1],
    ),
    kernel.turn_bodies: types.void(given, given, types.float32[:, ::1], types.float32, floats, floats, short, short),
    kernel.number_sprites: types.boolean(
        given,
        any_floats,
        any_floats,
        any_short,
        any_short,
        types.float64,
        numbers,
        numbers,
        numbers,
        steps,
        types.boolean[::1],
        numbers,
    ),
    kernel.add_levels: types.void(codes, picture, box, number),
    kernel.add_hues: types.void(codes, picture, box, hues, number, number),
    kernel.add_embers: types.void(codes, picture, number, picture, number, number, bytes_, picture, box),
    kernel.enlarge: types.void(picture, picture),
    kernel.shade: types.void(codes, codes, picture, pair, picture, pair, codes, number, box),
    kernel.bounds: box(numbers, number),
    kernel.levels_mixed: types.void(types.uint64[:, ::1], number, bytes_, picture, picture, box, hues),
}
"""What is called from here, and with what."""

FURTHER_SIGNATURES.update(SIGNATURES)


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
        machine_code(kernel.stamp_inks)(codes, *_table(sprites), number, pixel, tone, ladder)

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
    def bounds(self, flat: Integers, stride: int) -> tuple[int, int, int, int]:
        found: tuple[int, int, int, int] = machine_code(kernel.bounds)(flat, stride)
        return found

    @override
    def add_levels(self, codes: Numbers, level: Codes, box: Box, step: int) -> None:
        machine_code(kernel.add_levels)(codes, level, _sides(box), step)

    @override
    def add_hues(self, codes: Numbers, level: Codes, box: Box, hue: Numbers, hues: int, step: int) -> None:
        machine_code(kernel.add_hues)(codes, level, _sides(box), np.ascontiguousarray(hue), hues, step)

    @override
    def add_embers(self, codes: Numbers, cloud: Cloud, canvas: SparseCanvas, curve: Codes, grain: Codes) -> None:
        box, plane = _sides(joined([cloud.box, canvas.box()])), np.ascontiguousarray(cloud.plane)
        machine_code(kernel.add_embers)(codes, *canvas.plane, plane, *_corner(cloud), curve, grain, box)

    @override
    def enlarged(self, coarse: Codes, size: tuple[int, int]) -> Codes:
        columns, rows = size
        smooth = np.empty((rows, columns), np.uint8)
        machine_code(kernel.enlarge)(coarse, smooth)
        return smooth

    @override
    def shade(self, bare: Numbers, still: Numbers, clouds: Clouds, grain: Numbers, brightest: int) -> Numbers:
        numbers, (glow, shadow) = bare.copy(), clouds
        box = _sides(joined([each.box for each in clouds]))
        planes = [part for each in (glow, shadow) for part in (np.ascontiguousarray(each.plane), _corner(each))]
        machine_code(kernel.shade)(numbers, still, *planes, grain, brightest, box)
        return numbers

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


class CompiledHues(Hues):
    """As `Hues`."""

    @override
    def stamp(
        self,
        sums: Sums,
        sprites: Sprites,
        number: Integers,
        pixel: Integers,
        strength: NDArray[np.uint16],
        front: Front,
    ) -> None:
        machine_code(kernel.stamp_alike)(sums, *_table(sprites), number, pixel, strength)

    @override
    def trace(self, sums: Sums, trace: Trace, strength: NDArray[np.uint16], front: Front) -> tuple[int, int]:
        ends: tuple[int, int] = machine_code(kernel.trace_alike)(sums, *trace, strength)
        return ends

    @override
    def develop(
        self, sums: Sums, shifted: Box, curve: Coverage, grain: Coverage, levels: Coverage, box: Box
    ) -> NDArray[np.uint16] | None:
        machine_code(kernel.levels_alike)(sums, _margin(shifted, box), curve, grain, levels, _sides(box))
        return None


class CompiledFrontHues(FrontHues):
    """As `FrontHues`."""

    @override
    def stamp(
        self,
        sums: Sums,
        sprites: Sprites,
        number: Integers,
        pixel: Integers,
        strength: NDArray[np.uint16],
        front: Front,
    ) -> None:
        fronts = self._front.reshape(-1)
        machine_code(kernel.stamp_fronts)(sums, fronts, *_table(sprites), number, pixel, strength, front)

    @override
    def trace(self, sums: Sums, trace: Trace, strength: NDArray[np.uint16], front: Front) -> tuple[int, int]:
        ends: tuple[int, int] = machine_code(kernel.trace_fronts)(
            sums, self._front.reshape(-1), *trace, strength, front
        )
        return ends

    @override
    def develop(
        self, sums: Sums, shifted: Box, curve: Coverage, grain: Coverage, levels: Coverage, box: Box
    ) -> NDArray[np.uint16] | None:
        machine_code(kernel.levels_alike)(sums, _margin(shifted, box), curve, grain, levels, _sides(box))
        nothing = np.zeros(0, np.intp)
        return self._seen(shifted, nothing, sums, curve)


class CompiledMixedHues(MixedHues):
    """As `MixedHues`."""

    @override
    def stamp(
        self,
        sums: Sums,
        sprites: Sprites,
        number: Integers,
        pixel: Integers,
        strength: NDArray[np.uint16],
        front: Front,
    ) -> None:
        machine_code(kernel.stamp_mixed)(sums, *_table(sprites), number, pixel, strength, front)

    @override
    def trace(self, sums: Sums, trace: Trace, strength: NDArray[np.uint16], front: Front) -> tuple[int, int]:
        ends: tuple[int, int] = machine_code(kernel.trace_mixed)(sums, *trace, strength, front)
        return ends

    @override
    def develop(
        self, sums: Sums, shifted: Box, curve: Coverage, grain: Coverage, levels: Coverage, box: Box
    ) -> NDArray[np.uint16] | None:
        hues = np.empty(levels[box].shape, np.uint16)
        margin, sides = _margin(shifted, box), _sides(box)
        machine_code(kernel.levels_mixed)(sums, margin, curve, grain, levels, sides, hues)
        return hues


COMPILED: dict[type[Hues], type[Hues]] = {
    Hues: CompiledHues, FrontHues: CompiledFrontHues, MixedHues: CompiledMixedHues,
}  # fmt: skip
"""What does the same as which hues."""


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


def _table(sprites: Sprites) -> tuple[Integers, Integers, NDArray[np.int32], Coverage]:
    return sprites.first, sprites.count, sprites.offset, sprites.coverage


def _corner(cloud: Cloud) -> tuple[int, int]:
    """Where a cloud begins."""
    rows, columns = cloud.box
    return rows.start, columns.start


def _sides(box: Box) -> tuple[int, int, int, int]:
    """The first row and the one behind the last, and the same of columns."""
    rows, columns = box
    return rows.start, rows.stop, columns.start, columns.stop


def _margin(shifted: Box, box: Box) -> int:
    """By how much a box is shifted."""
    margin: int = shifted[0].start - box[0].start
    return margin
