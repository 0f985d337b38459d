"""Strokes: straight lines as pixels with coverage, all lines of a frame in one pass.

A stroke covers a pixel as far as the pixel's middle lies within its width, ends rounded, so that the pieces of a path
join without gaps. Places are pixels from the top left, y downward; the middle of the first pixel is at (0.5, 0.5).
"""

from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.kernel.acceleration import accelerated
from boidsgen.simulation.geometry import Array

Coverage = NDArray[np.uint8]
Integers = NDArray[np.intp]
Short = NDArray[np.float32]  # Half as long as other numbers and twice as fast; good for a thousandth of a pixel


AHEAD = np.array([[1.0, 0.0]], np.float32)  # The way of a line that has none


class Trace(NamedTuple):
    """The pixels of lines."""

    line: Integers  # which line, shape (k,)
    flat: Integers  # which pixel, row times stride plus column, shape (k,)
    coverage: Coverage  # 1 to 255, shape (k,)

    def of(self, which: Integers | NDArray[np.bool_] | slice) -> "Trace":
        """Some of them."""
        return Trace(self.line[which], self.flat[which], self.coverage[which])


def strokes(start: Array, end: Array, thickness: float | Array, stride: int, corner: int) -> Trace:
    """The pixels of straight lines from `start` to `end`, shape (n, 2) each.

    Rows follow each other after `stride` pixels; `corner` is the pixel at (0, 0).
    """
    # Half the thickness of the thickest, and how far from its middle each line, or all of them, ends to cover.
    if isinstance(thickness, np.ndarray):
        each = (thickness / 2).astype(np.float32)
        half, edge = float(each.max(initial=0.0)), each + np.float32(0.5)
    else:
        half, edge = thickness / 2, np.array([thickness / 2 + 0.5], np.float32)
    beside = ceil(1.42 * (half + 0.5) - 0.5)
    steep = np.abs(end[:, 1] - start[:, 1]) > np.abs(end[:, 0] - start[:, 0])
    # Walk each line along its longer direction: one step a pixel, and a few pixels to either side.
    begin, stop = _along(start, steep), _along(end, steep)
    low = np.floor(np.minimum(begin[:, 0], stop[:, 0]) - half).astype(np.intp)
    count = np.floor(np.maximum(begin[:, 0], stop[:, 0]) + half).astype(np.intp) - low + 1
    room = int(count.sum()) * (2 * beside + 1)
    trace = Trace(np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.uint8))
    edges = np.broadcast_to(edge, len(begin))
    return trace.of(slice(cover(*trace, begin, stop, steep, low, count, edges, beside, stride, corner)))


@accelerated("=i8 =i8 =u1 f4 f4 u1 i8 i8 f4 int int int")
def cover(
    lines: Integers,
    flat: Integers,
    coverage: Coverage,
    begin: Short,
    stop: Short,
    steep: NDArray[np.bool_],
    low: Integers,
    count: Integers,
    edge: Short,
    beside: int,
    stride: int,
    corner: int,
) -> int:
    """Write the pixels of lines as a trace, in any order, and return their number.

    Args:
        lines: here and in `flat` and `coverage` there is room for all pixels.
        flat: as in `Trace`.
        coverage: as in `Trace`.
        begin: (n, 2) where lines begin, along the direction in which they are longer, and across it.
        stop: (n, 2) where they end.
        steep: (n,) true if that direction is the vertical.
        low: (n,) the first step, in pixels along it.
        count: (n,) number of steps.
        edge: (n,) how far from its middle a line ends to cover.
        beside: pixels to either side to look at.
        stride: as for `strokes`.
        corner: as for `strokes`.
    """
    # All that is looked up is there: `clip` spares numpy to see that first, which takes as long again.
    line = np.arange(len(low)).repeat(count)
    ahead: Integers = count.cumsum() - count
    place = np.arange(len(line)) + (low - ahead).repeat(count)
    across, near = _distance(begin, stop, line, place, beside)
    one_on, one_aside = (np.where(steep, *units).take(line, mode="clip") for units in ((stride, 1), (1, stride)))
    place *= one_on
    across *= one_aside
    place += across
    place += corner
    place -= beside * one_aside
    found = 0
    np.subtract(edge.take(line, mode="clip"), near, out=near)
    near *= 255
    for full in near:
        hit = (full >= 1).nonzero()[0]
        here = slice(found, found := found + len(hit))
        lines[here], flat[here] = line.take(hit, mode="clip"), place.take(hit, mode="clip")
        coverage[here] = np.minimum(full.take(hit, mode="clip"), 255).astype(np.uint8)
        place += one_aside
    return found


def clipped(start: Array, end: Array, low: Array, high: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """The parts of the lines within a rectangle, and which lines have such a part (after Liang and Barsky)."""
    if _within(start, low, high) and _within(end, low, high):
        return start, end, np.ones(len(start), np.bool_)
    way = end - start
    moving = np.abs(way) > 1e-9
    safe = np.where(moving, way, 1.0)
    enter, leave = (low - start) / safe, (high - start) / safe
    early = np.where(moving, np.minimum(enter, leave), -np.inf).max(axis=1, initial=0.0)
    late = np.where(moving, np.maximum(enter, leave), np.inf).min(axis=1, initial=1.0)
    inside = (moving | ((start >= low) & (start <= high))).all(axis=1) & (early <= late)
    return start + early[:, None] * way, start + late[:, None] * way, inside


def _within(point: Array, low: Array, high: Array) -> bool:
    return bool(((point >= low) & (point <= high)).all())


def _along(point: Array, steep: NDArray[np.bool_]) -> Short:
    return np.where(steep[:, None], point[:, ::-1], point).astype(np.float32)


def _distance(begin: Short, stop: Short, line: Integers, place: Integers, beside: int) -> tuple[Integers, Short]:
    """The pixel that the line crosses at each step, shape (steps,), and how far those beside it lie from the line.

    Distances have the shape (sides, steps).
    """
    way = stop - begin
    size = np.sqrt((way * way).sum(axis=1))
    slope = np.divide(way[:, 1], way[:, 0], out=np.zeros(len(way), np.float32), where=way[:, 0] != 0)
    slope = slope.take(line, mode="clip")
    ahead, aside = np.divide(way, size[:, None], out=AHEAD.repeat(len(way), 0), where=size[:, None] > 0).T
    ahead, aside, size = ahead.take(line, mode="clip"), aside.take(line, mode="clip"), size.take(line, mode="clip")
    from_x, from_y = begin[:, 0].take(line, mode="clip"), begin[:, 1].take(line, mode="clip")
    x = place.astype(np.float32) + np.float32(0.5) - from_x
    across = np.floor(from_y + x * slope)
    y = across + np.float32(0.5) - from_y
    shift = np.arange(-beside, beside + 1, dtype=np.float32)[:, None]
    # In place: arrays of all sides are large, and to have a new one for each operation took a third of the time.
    along, off = shift * aside, shift * ahead
    along += x * ahead + y * aside
    np.subtract(x * aside - y * ahead, off, out=off)
    beyond = along - size
    np.negative(along, out=along)
    np.maximum(along, beyond, out=beyond)
    np.maximum(beyond, np.zeros(len(line), np.float32), out=beyond)  # with a plain 0 it takes three times as long
    off *= off
    beyond *= beyond
    off += beyond
    return across.astype(np.intp), np.sqrt(off, out=off)
