"""The compiled engine's neighbor sums: requests in the form that the kernel takes, and its work divided among threads.

A boid is one thread's work, so the number of threads changes no result.
"""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import config, types
from numpy.typing import NDArray

from boidsgen.simulation import backend, step_kernel, sum_kernel
from boidsgen.simulation.geometry import Array, by_column
from boidsgen.simulation.neighbors.grid import Axis, axes_of
from boidsgen.simulation.neighbors.sums import COINCIDENT, Quantity, Request, Sum, is_about_everyone
from boidsgen.simulation.neighbors.vectorized import half_angle_cosine

Integers = NDArray[np.int64]

QUANTITIES: tuple[Quantity, ...] = ("offset", "linear", "velocity", "constant", "inverse", "inverse_square")
BOIDS_PER_THREAD = 4096  # Fewer boids than this, with few neighbors, are done sooner than another thread has begun
PAIRS_PER_SLICE = 1 << 26  # Entries that are looked at in a good part of a second; then signals are heard
PAIRS_PER_BOID = 128  # Entries that are looked at in the time that a boid with few neighbors takes

_given = types.Array(types.float64, 2, "C", readonly=True)
_rows, _row, _cube = types.float64[:, ::1], types.float64[::1], types.float64[:, :, ::1]
_integers, _numbers, _indices = types.int64[:, ::1], types.int64[::1], types.uint64[:, ::1]
_integer, _real = types.int64, types.float64
_memory = _rows, _indices, _indices, _rows
_asked = _rows, _numbers, _integers
_terms = _integers, _rows, _cube, _rows, _row, _integer, _row, _real, _rows


@cache
def machine_code(function: Any, deep: bool | None = None) -> Callable[..., Any]:  # noqa: ANN401, FBT001  numba's
    """Machine code of one of the kernels' entry points, in a deep world or a flat one where that matters.

    Raises:
        UnusableEngineError: when it can be neither loaded nor compiled.
    """
    depth = types.int64 if deep else types.none
    signature = {
        sum_kernel.arrange: types.void(_given, _given, _rows, _integers, _numbers, _numbers, _rows, _numbers),
        sum_kernel.add_up: types.void(
            depth, _rows, _numbers, _numbers, _rows, _integer, _integer, _rows, _integers, _real, _real,
            *_asked, *_memory, _rows, _cube,
        ),
        step_kernel.advance: types.boolean(_given, _given, types.uint64, types.uint64, *_terms, _rows, _rows),
        step_kernel.take_turns: types.void(
            depth, _rows, _given, _given, _rows, _rows, _rows, _integer, _integer, _rows, *_asked, *_memory, *_terms
        ),
    }[function]  # fmt: skip
    return backend.compiled(function, signature, parts=(sum_kernel, step_kernel))


def load(dimension: int, *, at_once: bool, turns: bool) -> None:
    """Load or compile all machine code that a run needs; UnusableEngineError if it cannot be had."""
    if at_once:
        machine_code(sum_kernel.arrange)
        machine_code(sum_kernel.add_up, dimension == 3)
        machine_code(step_kernel.advance)
    if turns:
        machine_code(step_kernel.take_turns, dimension == 3)


def in_parallel(action: Callable[[Iterator[int]], object], starts: Iterator[int], threads: int) -> None:
    """Do the slices of some work in several threads, this one among them; each takes the next from `starts`.

    They are plain threads rather than numba's own, which neither survive a fork nor allow two simulations at once.
    A signal is heard between two slices, and then nobody begins another one.
    """
    try:
        others = [_pool(os.getpid()).submit(action, starts) for _ in range(1, threads)]
        action(starts)
        for other in others:
            other.result()
    finally:
        for _ in starts:
            pass


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of this process; a fork has none of those of its parent."""
    del process
    return ThreadPoolExecutor(config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]  # made while numba is imported


def threads_for(boids: int) -> int:
    """The number of threads that so many boids with few neighbors are worth."""
    allowed: int = config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    return max(1, min(allowed, boids // BOIDS_PER_THREAD))


def slice_of(seen: int) -> int:
    """The number of boids in a slice of work, each of which looks at no more than so many."""
    return max(1, PAIRS_PER_SLICE // max(seen, 1))


class Asked(NamedTuple):
    """Requests as the kernels take them, those about the same neighbors in one group.

    `group_of` has the group of each request, and `radius` is the largest of all; for the arrays see the kernel.
    """

    radius: float
    group_of: list[int]
    bounds: Array
    most: Integers
    wanted: Integers


@lru_cache(maxsize=256)
def asked_of(requests: tuple[Request, ...], *, everyone: bool = False) -> Asked:
    """Some requests; with `everyone`, those about everyone include neighbors in the same place."""
    about = list(dict.fromkeys((*request.whom, everyone and is_about_everyone(request)) for request in requests))
    group_of = [about.index((*request.whom, everyone and is_about_everyone(request))) for request in requests]
    bounds = [
        (radius * radius, -1.0 if free else COINCIDENT**2, half_angle_cosine(view) if view < 360 else -2.0)
        for radius, view, _, free in about
    ]
    wanted = [(group, QUANTITIES.index(request.quantity)) for group, request in zip(group_of, requests, strict=True)]
    return Asked(
        radius=max((request.radius for request in requests), default=0.0),
        group_of=group_of,
        bounds=np.array(bounds).reshape(-1, 3),
        most=np.array([nearest or 0 for *_, nearest, _ in about], dtype=np.int64),
        wanted=np.array(wanted, dtype=np.int64).reshape(-1, 2),
    )


@lru_cache(maxsize=256)
def _layout(axes: tuple[Axis, ...]) -> tuple[Array, Integers]:
    """Axes as the kernels take them; the first one has no extent in a flat world."""
    flat = Axis(0.0, cells=1, per_length=0.0, reach=0, shift=0.0, period=0.0)
    three = (flat,) * (3 - len(axes)) + axes
    lengths = np.array([(axis.low, axis.per_length, axis.shift, axis.period) for axis in three]).T.copy()
    return lengths, np.array([(axis.cells, axis.reach) for axis in three], dtype=np.int64).T.copy()


def search_memory(many: int, ranges: int) -> tuple[Any, Any, Any, Any]:
    """Memory of one thread that looks at so many entries in so many ranges."""
    near, indices = np.empty((sum_kernel.NEAR, many + 1)), np.empty((sum_kernel.INDICES, many + 1), np.uint64)
    near[0] = 0.0  # in a flat world nobody writes there,
    indices[1] = np.arange(many + 1)  # nor here: all that are found are neighbors
    return near, indices, np.empty((ranges, 2), np.uint64), np.empty((ranges, 3))


def search(
    boids: tuple[Array, Array] | None,
    sources: tuple[Array, Array],
    asked: Asked,
    periods: Array,
    count: Array,
    total: Array,
) -> None:
    """Write the answers about sources, (d, m) each, to `count` and `total`; None = the sources themselves ask."""
    dimension, many = sources[0].shape
    layout = lengths, cells = _layout(axes_of(sources[0].T, asked.radius, periods))
    cell, number = np.empty((2, many), np.int64)
    (layers, rows, columns), (deep_reach, reach, _) = cells.tolist()
    starts = np.zeros(layers * rows * columns + 2, np.int64)
    asking = crowd = np.zeros((6, many))
    machine_code(sum_kernel.arrange)(*sources, *layout, cell, starts, crowd, number)
    around = (2 * deep_reach + 1) * (2 * reach + 1)
    work = asking_count = many if boids is None else boids[0].shape[1]
    if boids is None and many >= BOIDS_PER_THREAD // 4:
        share = around * (2 * int(cells[1, 2]) + 1) / math.prod((layers, rows, columns))
        work = max(many, int(many * many * share) // PAIRS_PER_BOID)
    elif boids is not None:
        asking = np.zeros((6, asking_count))
        asking[3 - dimension : 3], asking[6 - dimension :] = boids
        number = np.arange(asking_count)
    depth = 0 if dimension == 3 else None
    given = depth, crowd, number, starts, asking
    question = lengths, cells, asked.radius * asked.radius, COINCIDENT**2, asked.bounds, asked.most, asked.wanted
    code, threads = machine_code(sum_kernel.add_up, dimension == 3), threads_for(work)

    size = min(slice_of(many), -(-asking_count // threads))

    def add_up_some(starts: Iterator[int]) -> None:
        memory = search_memory(many, 3 * around)
        for first in starts:
            code(*given, first, min(first + size, asking_count), *question, *memory, count, total)

    in_parallel(add_up_some, iter(range(0, asking_count, size)), threads)


def neighbor_sums(
    position: Array,
    velocity: Array,
    source_position: Array,
    source_velocity: Array,
    requests: Sequence[Request],
    periods: Array,
) -> list[Sum]:
    """Answer all requests, as `vectorized.neighbor_sums`."""
    asked = asked_of(tuple(requests))
    count = np.zeros((len(asked.most), len(position)))
    total = np.zeros((len(requests), *position.T.shape))
    if len(position) and len(source_position) and requests:
        sources = by_column(source_position).T, by_column(source_velocity).T
        boids = None if position is source_position else (by_column(position).T, by_column(velocity).T)
        search(boids, sources, asked, periods, count, total)
    return [Sum(count[group], sums.T) for group, sums in zip(asked.group_of, total, strict=True)]
