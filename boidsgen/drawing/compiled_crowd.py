"""A crowd compiled by numba: what `crowd` defines, handed to the kernels.

Most of a picture stays empty: who adds to its planes notes in which tiles, and only these are looked at and cleared.
"""

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing import kernel, picture_kernel
from boidsgen.drawing.crowd import Coverage, Development, Front, FrontHues, Hues, Integers, MixedHues, Sums
from boidsgen.drawing.pixels import Box
from boidsgen.drawing.sprites import Sprites
from boidsgen.drawing.strokes import Trace
from boidsgen.simulation.neighbors.compiled import machine_code

Touched = NDArray[np.uint8]
"""Of every tile of a flat plane whether there may be anything in it."""


class _InTiles(Hues):
    """Hues of any kind, whose planes have marks of the tiles in which there is somebody."""

    @override
    def begin(self, shape: tuple[int, int]) -> None:
        super().begin(shape)
        self._touched = tiles_for(shape)

    def _write_levels(self, of: Development) -> None:
        """Write the levels in the box, of sums that are nothing but thickness."""
        sides = sides_of(of.box)
        machine_code(picture_kernel.levels_alike)(
            of.sums, self._touched, of.margin, of.curve, of.grain, of.levels, sides
        )


class CompiledHues(_InTiles):
    """As `Hues`."""

    @override
    def clear(self, sums: Sums, box: Box) -> None:
        machine_code(picture_kernel.clear_alike)(sums.reshape(-1), self._touched)

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
        machine_code(kernel.stamp_alike)(sums, self._touched, *pixels_of(sprites), number, pixel, strength)

    @override
    def trace(self, sums: Sums, trace: Trace, strength: NDArray[np.uint16], front: Front) -> tuple[int, int]:
        ends: tuple[int, int] = machine_code(kernel.trace_alike)(sums, self._touched, *trace, strength)
        return ends

    @override
    def develop(self, of: Development) -> NDArray[np.uint16] | None:
        self._write_levels(of)
        return None

    @override
    def add_to(self, codes: NDArray[np.uint16], of: Development, hues: int, step: int) -> None:
        about = of.margin, of.curve, of.grain, sides_of(of.box)
        machine_code(picture_kernel.add_alike)(codes, of.sums, self._touched, *about, hues * step)


class CompiledFrontHues(_InTiles, FrontHues):
    """As `FrontHues`."""

    @override
    def clear(self, sums: Sums, box: Box) -> None:
        machine_code(picture_kernel.clear_fronts)(sums.reshape(-1), self._front.reshape(-1), self._touched)

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
        machine_code(kernel.stamp_fronts)(
            sums, self._touched, fronts, *pixels_of(sprites), number, pixel, strength, front
        )

    @override
    def trace(self, sums: Sums, trace: Trace, strength: NDArray[np.uint16], front: Front) -> tuple[int, int]:
        ends: tuple[int, int] = machine_code(kernel.trace_fronts)(
            sums, self._touched, self._front.reshape(-1), *trace, strength, front
        )
        return ends

    @override
    def develop(self, of: Development) -> NDArray[np.uint16] | None:
        self._write_levels(of)
        nothing = np.zeros(0, np.intp)
        return self._seen(of.shifted, nothing, of.sums, of.curve)

    @override
    def add_to(self, codes: NDArray[np.uint16], of: Development, hues: int, step: int) -> None:
        about = of.margin, of.curve, of.grain, sides_of(of.box)
        machine_code(picture_kernel.add_fronts)(codes, of.sums, self._touched, self._front, *about, hues, step)


class CompiledMixedHues(_InTiles, MixedHues):
    """As `MixedHues`."""

    @override
    def clear(self, sums: Sums, box: Box) -> None:
        machine_code(picture_kernel.clear_mixed)(sums.reshape(-1), self._touched)

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
        machine_code(kernel.stamp_mixed)(sums, self._touched, *pixels_of(sprites), number, pixel, strength, front)

    @override
    def trace(self, sums: Sums, trace: Trace, strength: NDArray[np.uint16], front: Front) -> tuple[int, int]:
        ends: tuple[int, int] = machine_code(kernel.trace_mixed)(sums, self._touched, *trace, strength, front)
        return ends

    @override
    def develop(self, of: Development) -> NDArray[np.uint16] | None:
        hues = np.empty(of.levels[of.box].shape, np.uint16)
        machine_code(picture_kernel.levels_mixed)(
            of.sums, self._touched, of.margin, of.curve, of.grain, of.levels, sides_of(of.box), hues
        )
        return hues

    @override
    def add_to(self, codes: NDArray[np.uint16], of: Development, hues: int, step: int) -> None:
        about = of.margin, of.curve, of.grain, sides_of(of.box)
        machine_code(picture_kernel.add_mixed)(codes, of.sums, self._touched, *about, hues, step)


COMPILED: dict[type[Hues], type[Hues]] = {
    Hues: CompiledHues, FrontHues: CompiledFrontHues, MixedHues: CompiledMixedHues,
}  # fmt: skip
"""What does the same as which hues."""


def tiles_for(shape: tuple[int, int]) -> Touched:
    """The marks of the tiles of a plane of this shape, in which there is nothing yet."""
    return np.zeros((shape[0] * shape[1] >> picture_kernel.TILE) + 1, np.uint8)


def pixels_of(sprites: Sprites) -> tuple[Integers, Integers, NDArray[np.int32], Coverage]:
    """The tables of sprites, as the kernels take them."""
    return sprites.first, sprites.count, sprites.offset, sprites.coverage


def sides_of(box: Box) -> tuple[int, int, int, int]:
    """The first row and the one behind the last, and the same of columns."""
    rows, columns = box
    return rows.start, rows.stop, columns.start, columns.stop
