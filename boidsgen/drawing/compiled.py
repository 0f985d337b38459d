"""Drawing compiled by numba: what `pixels`, `strokes` and `crowd` define, handed to the kernel.

Machine code is loaded and kept as that of a step is (`simulation.neighbors.compiled`).
"""

import numpy as np
from numba import types
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing import kernel
from boidsgen.drawing.crowd import Coverage, Front, FrontHues, Hues, MixedHues, Sums
from boidsgen.drawing.frame import Tone
from boidsgen.drawing.pixels import Codes, Pixels
from boidsgen.drawing.sprites import Integers, Sprites
from boidsgen.drawing.strokes import Pens, Trace
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors.compiled import FURTHER_SIGNATURES, is_loaded, lazily, machine_code

bytes_ = types.uint8[::1]
numbers = types.int64[::1]
words = types.uint16[::1]
short = types.float32[::1]
given = types.Array(types.float64, 2, "A", readonly=True)
any_numbers = types.Array(types.int64, 1, "A", readonly=True)
any_words = types.Array(types.uint16, 1, "A", readonly=True)
number = types.int64
sprites = (numbers, numbers, types.int32[::1], bytes_)
trace = (numbers, numbers, bytes_)
single, double = types.uint32[::1], types.uint64[::1]
picture = types.Array(types.uint8, 2, "A")
hues = types.uint16[:, ::1]

SIGNATURES = {
    kernel.traced: types.Tuple(trace)(given, given, types.float32, short, number, number, number),  # type: ignore[no-untyped-call]
    kernel.draw_lines: types.void(bytes_, *trace, any_numbers, bytes_),
    kernel.stamp_inks: types.void(bytes_, *sprites, any_numbers, any_numbers, any_numbers, bytes_),
    kernel.stamp_alike: types.void(single, *sprites, any_numbers, any_numbers, any_words),
    kernel.stamp_fronts: types.void(single, words, *sprites, any_numbers, any_numbers, any_words, any_words),
    kernel.stamp_mixed: types.void(double, *sprites, any_numbers, any_numbers, any_words, any_words),
    kernel.trace_alike: types.void(single, *trace, any_words),
    kernel.trace_fronts: types.void(single, words, *trace, any_words, any_words),
    kernel.trace_mixed: types.void(double, *trace, any_words, any_words),
    kernel.levels_alike: types.void(types.Array(types.uint32, 2, "A"), bytes_, picture, picture),
    kernel.levels_mixed: types.void(types.Array(types.uint64, 2, "A"), bytes_, picture, picture, hues),
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
    def crowding(self, hues: Hues) -> Hues:
        return COMPILED[type(hues)]()


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
    def trace(self, sums: Sums, trace: Trace, strength: NDArray[np.uint16], front: Front) -> None:
        machine_code(kernel.trace_alike)(sums, *trace, strength)

    @override
    def develop(
        self, sums: Sums, box: tuple[slice, slice], curve: Coverage, grain: Coverage, levels: Coverage
    ) -> NDArray[np.uint16] | None:
        machine_code(kernel.levels_alike)(sums[box], curve, grain, levels)
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
    def trace(self, sums: Sums, trace: Trace, strength: NDArray[np.uint16], front: Front) -> None:
        machine_code(kernel.trace_fronts)(sums, self._front.reshape(-1), *trace, strength, front)

    @override
    def develop(
        self, sums: Sums, box: tuple[slice, slice], curve: Coverage, grain: Coverage, levels: Coverage
    ) -> NDArray[np.uint16] | None:
        machine_code(kernel.levels_alike)(sums[box], curve, grain, levels)
        nothing = np.zeros(0, np.intp)
        return self._seen(box, nothing, sums, curve)


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
    def trace(self, sums: Sums, trace: Trace, strength: NDArray[np.uint16], front: Front) -> None:
        machine_code(kernel.trace_mixed)(sums, *trace, strength, front)

    @override
    def develop(
        self, sums: Sums, box: tuple[slice, slice], curve: Coverage, grain: Coverage, levels: Coverage
    ) -> NDArray[np.uint16] | None:
        hues = np.empty(levels.shape, np.uint16)
        machine_code(kernel.levels_mixed)(sums[box], curve, grain, levels, hues)
        return hues


COMPILED: dict[type[Hues], type[Hues]] = {
    Hues: CompiledHues, FrontHues: CompiledFrontHues, MixedHues: CompiledMixedHues,
}  # fmt: skip
"""What does the same as which hues."""


def load_kept() -> bool:
    """Whether everything could be loaded, or was there before; nothing is compiled."""
    return all(is_loaded(function) for function in SIGNATURES)


def compile_all() -> None:
    """Have machine code for everything."""
    for function in SIGNATURES:
        machine_code(function)


def can_keep() -> bool:
    """Whether compiled code can be kept for the next process."""
    return lazily(kernel.traced) is not None


def _table(sprites: Sprites) -> tuple[Integers, Integers, NDArray[np.int32], Coverage]:
    return sprites.first, sprites.count, sprites.offset, sprites.coverage
