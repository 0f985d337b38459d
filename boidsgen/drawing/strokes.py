"""Strokes: straight lines as pixels with coverage, all lines of a frame in one pass.

A stroke covers a pixel as far as the pixel's middle lies within its width, ends rounded, so that the pieces of a path
join without gaps. Places are pixels from the top left, y downward; the middle of the first pixel is at (0.5, 0.5).
"""

from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.kernel.library import accelerated
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
    return trace.of(slice(cover(trace, begin, stop, steep, low, count, edges, beside, stride, corner)))


@accelerated("=i8 =i8 =u1 f4 f4 u1 i8 i8 f4 int int int")
def cover(
    trace: Trace,
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
    """Write the pixels of lines to a trace, in any order, and return their number.

    Args:
        trace: it has room for all pixels.
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
    line = np.arange(len(low)).repeat(count)
    step = np.arange(len(line)) + (low - count.cumsum() + count).repeat(count)
    way = stop - begin
    size = np.sqrt((way * way).sum(axis=1))
    slope = np.divide(way[:, 1], way[:, 0], out=np.zeros(len(way), np.float32), where=way[:, 0] != 0)[line]
    ahead, aside = np.divide(way, size[:, None], out=AHEAD.repeat(len(way), 0), where=size[:, None] > 0)[line].T
    from_x, from_y = begin[line].T
    # The pixel that the line crosses at each step, and how far those beside it lie from the line, (sides, steps).
    x = step.astype(np.float32) + np.float32(0.5) - from_x
    across = np.floor(from_y + x * slope)
    y = across + np.float32(0.5) - from_y
    shift = np.arange(-beside, beside + 1, dtype=np.float32)[:, None]
    along, off = shift * aside + (x * ahead + y * aside), x * aside - y * ahead - shift * ahead
    beyond = np.maximum(np.maximum(-along, along - size[line]), np.float32(0.0))
    full = (edge[line] - np.sqrt(off * off + beyond * beyond)) * 255
    side, covered = (full >= 1).nonzero()
    here, there, line = step[covered], across.astype(np.intp)[covered] + side - beside, line[covered]
    found = slice(len(line))
    trace.line[found], trace.coverage[found] = line, np.minimum(full[side, covered], 255)
    trace.flat[found] = corner + np.where(steep[line], here * stride + there, here + there * stride)
    return len(line)


def clipped(start: Array, end: Array, low: Array, high: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """The parts of the lines within a rectangle, and which lines have such a part (after Liang and Barsky)."""
    if all(((point >= low) & (point <= high)).all() for point in (start, end)):
        return start, end, np.ones(len(start), np.bool_)
    way = end - start
    moving = np.abs(way) > 1e-9
    safe = np.where(moving, way, 1.0)
    enter, leave = (low - start) / safe, (high - start) / safe
    early = np.where(moving, np.minimum(enter, leave), -np.inf).max(axis=1, initial=0.0)
    late = np.where(moving, np.maximum(enter, leave), np.inf).min(axis=1, initial=1.0)
    inside = (moving | ((start >= low) & (start <= high))).all(axis=1) & (early <= late)
    return start + early[:, None] * way, start + late[:, None] * way, inside


def _along(point: Array, steep: NDArray[np.bool_]) -> Short:
    return np.where(steep[:, None], point[:, ::-1], point).astype(np.float32)
