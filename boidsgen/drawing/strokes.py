"""Strokes: straight lines as pixels with coverage, all lines of a frame in one pass.

A stroke covers a pixel as far as the pixel's middle lies within its width, ends rounded, so that the pieces of a path
join without gaps. Places are pixels from the top left, y downward; the middle of the first pixel is at (0.5, 0.5).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.simulation.geometry import Array

Integers = NDArray[np.intp]


class Touched(NamedTuple):
    """Pixels that strokes touch.

    Attributes:
        line: which line, shape (k,).
        column: pixel, shape (k,).
        row: pixel, shape (k,).
        coverage: 1 to 255, shape (k,).
    """

    line: Integers
    column: Integers
    row: Integers
    coverage: Integers


def strokes(start: Array, end: Array, width: float) -> Touched:
    """The pixels of straight lines from `start` to `end`, shape (n, 2) each."""
    half = width / 2
    steep = np.abs(end[:, 1] - start[:, 1]) > np.abs(end[:, 0] - start[:, 0])
    # Walk each line along its longer direction: one step a pixel, and a few pixels to either side.
    begin, stop = _along(start, steep), _along(end, steep)
    line, place = _walk(begin, stop, half)
    slope = _slope(begin, stop)
    middle = begin[line, 1] + (place + 0.5 - begin[line, 0]) * slope[line]
    beside = int(np.ceil(1.42 * (half + 0.5) - 0.5))
    across = np.floor(middle).astype(np.intp)[:, None] + np.arange(-beside, beside + 1)
    way: Array = (stop - begin)[line]
    near = _distance(begin[line], way, _middle(place[:, None]), _middle(across))
    coverage = np.clip((half + 0.5 - near) * 255, 0, 255).astype(np.intp)
    hit, side = np.nonzero(coverage)
    along, aside, line = place[hit], across[hit, side], line[hit]
    turned = steep[line]
    return Touched(line, np.where(turned, aside, along), np.where(turned, along, aside), coverage[hit, side])


def clipped(start: Array, end: Array, low: Array, high: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """The parts of the lines within a rectangle, and which lines have such a part (after Liang and Barsky)."""
    way = end - start
    moving = np.abs(way) > 1e-9
    safe = np.where(moving, way, 1.0)
    enter, leave = (low - start) / safe, (high - start) / safe
    early = np.where(moving, np.minimum(enter, leave), -np.inf).max(axis=1, initial=0.0)
    late = np.where(moving, np.maximum(enter, leave), np.inf).min(axis=1, initial=1.0)
    inside = (moving | ((start >= low) & (start <= high))).all(axis=1) & (early <= late)
    return start + early[:, None] * way, start + late[:, None] * way, inside


def _middle(pixel: Integers) -> Array:
    return pixel.astype(np.float64) + 0.5


def _along(point: Array, steep: NDArray[np.bool_]) -> Array:
    return np.where(steep[:, None], point[:, ::-1], point)


def _slope(begin: Array, stop: Array) -> Array:
    way = stop - begin
    return np.divide(way[:, 1], way[:, 0], out=np.zeros(len(way)), where=way[:, 0] != 0)


def _walk(begin: Array, stop: Array, half: float) -> tuple[Integers, Integers]:
    """For every step of every line: the line and the pixel along its longer direction."""
    low = np.floor(np.minimum(begin[:, 0], stop[:, 0]) - half).astype(np.intp)
    high = np.floor(np.maximum(begin[:, 0], stop[:, 0]) + half).astype(np.intp)
    count = high - low + 1
    line = np.repeat(np.arange(len(low)), count)
    first = np.cumsum(count) - count
    return line, np.arange(len(line)) + np.repeat(low - first, count)


def _distance(begin: Array, way: Array, along: Array, aside: Array) -> Array:
    """How far points lie from their line, shape (steps, sides)."""
    right, down = along - begin[:, :1], aside - begin[:, 1:]
    squared = np.maximum(way[:, 0] ** 2 + way[:, 1] ** 2, 1e-12)
    part = np.clip((right * way[:, :1] + down * way[:, 1:]) / squared[:, None], 0.0, 1.0)
    return np.hypot(right - part * way[:, :1], down - part * way[:, 1:])
