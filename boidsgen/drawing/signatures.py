"""Signatures: with which types the kernels of drawing are compiled."""

from numba import types

from boidsgen.drawing import frame_kernel, kernel, picture_kernel
from boidsgen.simulation.neighbors.compiled import FURTHER_SIGNATURES

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
sums, mixed = types.uint32[:, ::1], types.uint64[:, ::1]
codes = types.uint16[:, ::1]
view = types.UniTuple(types.float64, 6)  # type: ignore[no-untyped-call]
steps = types.UniTuple(number, 3)  # type: ignore[no-untyped-call]
box = types.UniTuple(number, 4)  # type: ignore[no-untyped-call]
pair = types.UniTuple(number, 2)  # type: ignore[no-untyped-call]

SIGNATURES = {
    kernel.traced: types.Tuple(trace)(given, given, types.float32, short, number, number, number),  # type: ignore[no-untyped-call]
    kernel.draw_lines: types.void(bytes_, *trace, any_numbers, bytes_),
    kernel.stamp_inks: types.void(bytes_, *sprites, any_numbers, any_numbers, any_numbers, bytes_),
    kernel.stamp_alike: types.void(single, bytes_, *sprites, any_numbers, any_numbers, any_words),
    kernel.stamp_fronts: types.void(single, bytes_, words, *sprites, any_numbers, any_numbers, any_words, any_words),
    kernel.stamp_mixed: types.void(double, bytes_, *sprites, any_numbers, any_numbers, any_words, any_words),
    kernel.trace_alike: pair(single, bytes_, *trace, any_words),
    kernel.trace_fronts: pair(single, bytes_, words, *trace, any_words, any_words),
    kernel.trace_mixed: pair(double, bytes_, *trace, any_words, any_words),
    picture_kernel.levels_alike: types.void(sums, bytes_, number, bytes_, picture, picture, box),
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
    picture_kernel.add_levels: types.void(codes, picture, box, number),
    picture_kernel.add_hues: types.void(codes, picture, box, hues, number, number),
    picture_kernel.add_embers: types.void(codes, picture, number, picture, number, number, number, picture, box),
    picture_kernel.enlarge: types.void(picture, picture),
    picture_kernel.shade: types.void(codes, codes, picture, picture, pair, picture, pair, picture, number, number, box),
    picture_kernel.clear_alike: types.void(single, bytes_),
    picture_kernel.clear_fronts: types.void(single, words, bytes_),
    picture_kernel.clear_mixed: types.void(double, bytes_),
    picture_kernel.add_alike: types.void(codes, sums, bytes_, number, bytes_, picture, box, number),
    picture_kernel.add_fronts: types.void(codes, sums, bytes_, hues, number, bytes_, picture, box, number, number),
    picture_kernel.add_mixed: types.void(codes, mixed, bytes_, number, bytes_, picture, box, number, number),
    picture_kernel.lay_over: types.void(codes, picture, number, numbers, number, number, any_numbers),
    picture_kernel.restore: types.void(bytes_, bytes_, numbers),
    picture_kernel.thicken: types.Tuple((box, picture))(given, any_floats, number, number, number, any_numbers),  # type: ignore[no-untyped-call]
    frame_kernel.changed_words: number(double, double, types.uint32[::1], double),
    frame_kernel.recolor: types.void(sums, sums, bytes_, single, picture, picture, picture),
    picture_kernel.levels_mixed: types.void(mixed, bytes_, number, bytes_, picture, picture, box, hues),
}
"""What is called from here, and with what."""

FURTHER_SIGNATURES.update(SIGNATURES)
