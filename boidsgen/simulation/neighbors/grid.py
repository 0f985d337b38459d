"""A grid of cells over the sources, so that the neighbors of a boid stand in few short ranges.

Sources are sorted by cell. All cells of a row along the last axis follow each other, so the cells around a boid make
one contiguous range per row: 3 ranges in 2D, 9 in 3D. Axes on which the world repeats get copies of the outermost
cells beyond either end, shifted by the period, so that no range ever wraps. Where too few cells fit on such an axis
for a neighbor to be met only once, the axis is one single cell and offsets along it are brought to the shortest way
pair by pair.
"""

import math
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.simulation.geometry import Array

Indices = NDArray[np.intp]  # Indices of boids, sources or cells, shape (n,)

COLUMNS_PER_RADIUS = 3
"""Cells per radius along the last axis: narrow cells there cost no further range and leave fewer pairs to look at."""

CELLS_PER_SOURCE = 4  # Bound on the number of cells, so that a few boids far apart do not ask for a million empty ones


class Axis(NamedTuple):
    """Division of one axis into cells."""

    low: float  # coordinate at which the first cell begins
    cells: int  # number of cells
    per_length: float  # cells per world unit
    reach: int  # cells to look at on either side, and empty or copied cells added at either end
    shift: float  # period of the copies; 0 where there are none
    period: float  # period that is still to be taken out of every offset; 0 where there is none

    def cell(self, coordinate: Array) -> Indices:
        """The cell of each coordinate, those outside in the first or last, shape (n,)."""
        if self.cells == 1:
            return np.zeros(len(coordinate), dtype=np.intp)
        cell = (coordinate - self.low) * self.per_length
        return np.minimum(np.maximum(cell, 0.0, out=cell), self.cells - 1.0, out=cell).astype(np.intp)


class CellGrid(NamedTuple):
    """Sources sorted by cell."""

    axes: tuple[Axis, ...]  # how each axis is divided
    strides: tuple[int, ...]  # distance in `starts` from one cell to the next along each axis
    starts: Indices  # (cells + 1,) where each cell begins in the sorted arrays
    source: Indices  # (m,) which source each sorted entry is, copies included
    coordinate: tuple[Array, ...]  # d arrays (m,), the sorted coordinates, copies shifted
    originals: Indices  # (n,) the sources in sorted order, without copies
    cells: Indices  # (n,) the cell of each of these

    def cell(self, position: Array) -> Indices:
        """The cell of each position, shape (n,)."""
        return _flat([axis.cell(position[:, a]) for a, axis in enumerate(self.axes)], self.axes, self.strides)

    def ranges(self, cell: Indices) -> tuple[Indices, Indices]:
        """Begin and end of the sorted candidates of boids in these cells, shape (n, rows) each."""
        around = [range(-axis.reach, axis.reach + 1) for axis in self.axes[:-1]]
        rows = [sum(o * s for o, s in zip(row, self.strides, strict=False)) for row in product(*around)]
        middle = cell[:, None] + np.array(rows)
        reach = self.axes[-1].reach
        return self.starts.take(middle - reach), self.starts.take(middle + (reach + 1))


def make_grid(position: Array, radius: float, periods: Array) -> CellGrid:
    """Sort sources at these positions, shape (n, d), into cells that serve neighbors nearer than `radius`."""
    axes = axes_of(position, radius, periods)
    sides = [axis.cells + 2 * axis.reach for axis in axes]
    strides = tuple(math.prod(sides[a + 1 :]) for a in range(len(axes)))
    coordinate = [position[:, a] for a in range(len(axes))]
    cells = [axis.cell(c) for axis, c in zip(axes, coordinate, strict=True)]
    source, coordinate, cells = _with_copies(axes, coordinate, cells)
    flat = _flat(cells, axes, strides)
    total = math.prod(sides)
    starts = np.zeros(total + 1, dtype=np.intp)
    np.cumsum(np.bincount(flat, minlength=total), out=starts[1:])
    # Stable; 16-bit keys are sorted by counting, far faster.
    order = (flat.astype(np.uint16) if total <= 1 << 16 else flat).argsort(kind="stable")
    originals = order[order < len(position)]
    return CellGrid(
        axes=axes,
        strides=strides,
        starts=starts,
        source=source.take(order),
        coordinate=tuple(c.take(order) for c in coordinate),
        originals=originals,
        cells=flat.take(originals),
    )


def axes_of(position: Array, radius: float, periods: Array) -> tuple[Axis, ...]:
    """The axes of a world with these periods for sources at these positions, shape (n, d)."""
    sides = [*zip(position.T, periods.tolist(), strict=True)]
    low = [0.0 if period else float(along.min()) for along, period in sides]
    span = [period or float(along.max()) - begin for (along, period), begin in zip(sides, low, strict=True)]
    per_radius = (*(1 for _ in span[1:]), COLUMNS_PER_RADIUS)
    # A span that overflows has no finite cell length: one cell for all.
    fitting = [min(s / radius * per, 2.0**30) if s < np.inf else 1 for s, per in zip(span, per_radius, strict=True)]
    wanted = [max(1, int(cells)) for cells in fitting]
    crowd = math.prod(map(float, wanted)) / (CELLS_PER_SOURCE * len(position) + 64)
    # Roots that are exact: the library's powers differ in the last bit from system to system.
    root = math.sqrt(crowd) if len(span) == 2 else float(exact.cube_root(crowd))
    shrink = 1.0 / root if crowd > 1 else 1.0
    return tuple(
        _axis(low[a], s, max(1, int(wanted[a] * shrink)), radius, period)
        for a, (s, period) in enumerate(zip(span, periods.tolist(), strict=True))
    )


def _axis(low: float, span: float, cells: int, radius: float, period: float) -> Axis:
    reach = math.ceil(radius * cells / span) if cells > 1 else 0
    if (period and cells < 2 * reach + 1) or cells == 1:
        return Axis(low, cells=1, per_length=0.0, reach=0, shift=0.0, period=period)
    return Axis(low, cells, cells / span, reach, shift=period, period=0.0)


def _flat(cells: list[Indices], axes: tuple[Axis, ...], strides: tuple[int, ...]) -> Indices:
    flat = cells[-1] + axes[-1].reach
    for cell, axis, stride in zip(cells[:-1], axes[:-1], strides[:-1], strict=True):
        flat = flat + (cell + axis.reach) * stride
    return flat


def _with_copies(
    axes: tuple[Axis, ...], coordinate: list[Array], cells: list[Indices]
) -> tuple[Indices, list[Array], list[Indices]]:
    """Sources, coordinates and cells, followed by shifted copies of those near an end of an axis that repeats."""
    source = np.arange(len(coordinate[0]))
    for number, axis in enumerate(axes):
        if not axis.shift:
            continue
        present = len(source)
        low = (cells[number] < axis.reach).nonzero()[0]
        high = (cells[number] >= axis.cells - axis.reach).nonzero()[0]
        picked = np.concatenate((np.arange(present), low, high))
        source = source.take(picked)
        coordinate = [c.take(picked) for c in coordinate]
        cells = [c.take(picked) for c in cells]
        beyond_high = slice(present, present + len(low))
        beyond_low = slice(present + len(low), None)
        coordinate[number][beyond_high] += axis.shift
        coordinate[number][beyond_low] -= axis.shift
        cells[number][beyond_high] += axis.cells
        cells[number][beyond_low] -= axis.cells
    return source, coordinate, cells
