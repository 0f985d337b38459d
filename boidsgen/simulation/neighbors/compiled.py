"""Neighbor sums compiled by numba: requests put into the form that `kernel` takes, and its work divided among threads.

A boid's sums are one thread's work, and sorting leaves those of a cell in their order, so the number of threads changes
no result.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from inspect import getsource
from typing import Any, NamedTuple, cast

import numpy as np
from numba import config, njit, types
from numpy.typing import NDArray

from boidsgen.simulation.geometry import Array, by_column
from boidsgen.simulation.neighbors import kernel, kernel_grid, kernel_together, lanes
from boidsgen.simulation.neighbors.grid import Axis, axes_of
from boidsgen.simulation.neighbors.kernel import add_up
from boidsgen.simulation.neighbors.kernel_grid import OPTIONS, arranged, copied, numbered, placed, spans, started
from boidsgen.simulation.neighbors.kernel_together import ALL_ROUND, QUANTITIES
from boidsgen.simulation.neighbors.request import COINCIDENT, Request, Sum
from boidsgen.simulation.neighbors.threads import in_parallel, parts_of, threads_for, weight
from boidsgen.simulation.neighbors.unusable import NotKeptError, UnusableEngineError, give_up, usable
from boidsgen.simulation.neighbors.vectorized import half_angle_cosine

FEWEST = 4
"""Boids of one cell that are answered together; fewer are done sooner one after the other. With three or five of them
nothing that was measured differed by more than noise."""

NEVER = 1 << 62
"""So many are never in one cell: each is answered alone."""

ARRANGED = np.empty((2, 0, 0))
"""In place of positions and velocities of a crowd that has been arranged."""

_NOBODY, _NO_NUMBERS = np.empty((6, 0)), np.empty(0, dtype=np.int64)
NOT_ARRANGED = (_NOBODY, _NO_NUMBERS, _NOBODY, _NO_NUMBERS, np.empty((0, 2), dtype=np.int64))
"""In place of a crowd that is still to be arranged: entries, starts, who asks, their numbers and ranges."""

PARTS = (kernel, kernel_grid, kernel_together, lanes)
"""The files of the kernel."""

given = types.Array(types.float64, 2, "A", readonly=True)
floats = types.float64[:, ::1]
integers = types.int64[:, ::1]
numbers = types.int64[::1]
number = types.int64
layout = (floats, integers)
asking = (*layout, types.float64, types.float64, floats, numbers, integers)
answers = (floats, types.float64[:, :, ::1])
grid = (floats, numbers)

SIGNATURES = {
    numbered: types.void(given, *layout, numbers, numbers),
    started: numbers(integers, *layout),
    placed: types.void(given, given, number, numbers, numbers, floats, numbers),
    copied: types.void(numbers, *layout, number, number, floats, numbers),
    spans: integers(numbers, integers),
    arranged: types.Tuple((floats, numbers, numbers))(given, given, *layout),  # type: ignore[no-untyped-call]
    add_up: types.void(given, given, *grid, floats, numbers, integers, number, number, number, *asking, *answers),
}
"""What Python calls in a step, and with what."""

FURTHER_SIGNATURES: dict[Any, Any] = {}
"""The same for what other rooms have compiled: a step does not wait for it."""


_loaded: dict[Any, Callable[..., Any]] = {}
"""Machine code of this process."""


def machine_code(function: Any) -> Callable[..., Any]:  # noqa: ANN401  numba has no types for its own types
    """One of those, loaded or compiled when first wanted, and kept for the next process where there is a place.

    Raises:
        UnusableEngineError: when it can be neither loaded nor compiled.
    """
    if not is_loaded(function):
        _loaded[function] = _compiled(function)
    return _loaded[function]


def is_loaded(function: Any) -> bool:  # noqa: ANN401
    """Whether machine code is there without compiling: in this process, or kept by another.

    Raises:
        UnusableEngineError: when compiling is switched off, or what was kept is damaged.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # made while numba is imported
        raise UnusableEngineError("NUMBA_DISABLE_JIT is set")
    if function not in _loaded and (code := _kept(function)):
        _loaded[function] = code
    return function in _loaded


def all_loaded(functions: Iterable[Any]) -> bool:
    """Whether all of these could be loaded, or were there before; nothing is compiled.

    Where what is kept is damaged, or compiling is switched off, the engine is given up.
    """
    try:
        return all(is_loaded(function) for function in functions)
    except UnusableEngineError as error:
        give_up(error)
        return False


def lazily(function: Any) -> Any:  # noqa: ANN401
    """The function, to be compiled or loaded; None where machine code cannot be kept."""
    try:
        code: Any = njit(cache=True, **OPTIONS)(function.py_func)
    except RuntimeError:  # neither the package nor the user's cache directory can be written to
        return None
    kept = code._cache._cache_file  # noqa: SLF001  numba has no way to say what else the code is made of
    kept._source_stamp = kept._source_stamp, _source_of_parts()  # noqa: SLF001
    return code


@cache
def _source_of_parts() -> str:
    """What changes with any file of the kernel: numba itself looks only at the one in which a function stands."""
    return sha256("".join(map(getsource, PARTS)).encode()).hexdigest()


def _signature(function: Any) -> Any:  # noqa: ANN401
    return SIGNATURES[function] if function in SIGNATURES else FURTHER_SIGNATURES[function]


def _compiled(function: Any) -> Callable[..., Any]:  # noqa: ANN401
    code = lazily(function) or njit(**OPTIONS)(function.py_func)
    with usable():
        code.compile(_signature(function))
    code.disable_compile()
    return cast("Callable[..., Any]", code)


def _refuse(*_: object) -> None:
    raise NotKeptError


def _kept(function: Any) -> Callable[..., Any] | None:  # noqa: ANN401
    """Machine code that another process has left."""
    code = lazily(function)
    if code is None:
        return None
    code._compiler.compile = _refuse  # noqa: SLF001  numba looks into its cache first, and has no way to do only that
    try:
        with usable():
            code.compile(_signature(function))
    except NotKeptError:
        return None
    code.disable_compile()
    return cast("Callable[..., Any]", code)


def neighbor_sums(
    position: Array,
    velocity: Array,
    source_position: Array,
    source_velocity: Array,
    requests: Sequence[Request],
    periods: Array,
) -> list[Sum]:
    """Answer all requests of boids at `position`, shape (n, d), about sources at `source_position`, shape (m, d).

    `periods` says after what distance each axis of the world repeats, 0 where it does not, shape (d,). Boids may be
    among the sources: nobody is a neighbor of itself.
    """
    asked = compiled_requests(tuple(requests))
    count = np.zeros((len(asked.most), len(position)))
    total = np.zeros((len(requests), *position.T.shape))
    if len(position) and len(source_position) and requests:
        boids = by_column(position).T, by_column(velocity).T
        if position is source_position:
            answer_own(boids, asked, periods, count, total)
        else:
            _answer_foreign(
                boids, (by_column(source_position).T, by_column(source_velocity).T), asked, periods, count, total
            )
    return [Sum(count[group], sums.T) for group, sums in zip(asked.group_of, total, strict=True)]


class CompiledRequests(NamedTuple):
    """Requests as the compiled code takes them, those about the same neighbors in one group.

    Attributes:
        radius: the largest of all radii.
        group_of: the group of each request.
        bounds: (groups, 2) square of the radius, and cosine of half the field of view, -2 for all round.
        most: (groups,) how many of the nearest, 0 for all.
        wanted: (requests, 2) group and quantity.
        fewest: how many of one cell are answered together: the nearest few are sorted for each boid alone.
    """

    radius: float
    group_of: list[int]
    bounds: Array
    most: NDArray[np.int64]
    wanted: NDArray[np.int64]
    fewest: int

    @property
    def question(self) -> tuple[float, float, Array, NDArray[np.int64], NDArray[np.int64]]:
        """What is asked, in the order of the kernel's arguments."""
        return self.radius**2, COINCIDENT**2, self.bounds, self.most, self.wanted


@lru_cache(maxsize=256)
def compiled_requests(requests: tuple[Request, ...]) -> CompiledRequests:
    """Requests, one after the other, put into groups about the same neighbors."""
    about = list(dict.fromkeys(request.whom for request in requests))
    group_of = [about.index(request.whom) for request in requests]
    return CompiledRequests(
        radius=max((request.radius for request in requests), default=0.0),
        group_of=group_of,
        bounds=np.array([(r * r, half_angle_cosine(view) if view < 360 else ALL_ROUND) for r, view, _ in about]),
        most=np.array([nearest or 0 for _, _, nearest in about], dtype=np.int64),
        wanted=np.array(
            [(group, QUANTITIES.index(r.quantity)) for group, r in zip(group_of, requests, strict=True)], dtype=np.int64
        ),
        fewest=NEVER if any(nearest for _, _, nearest in about) else FEWEST,
    )


def _layout_of(position: Array, radius: float, periods: Array) -> tuple[Array, NDArray[np.int64]]:
    """How a world with these periods is divided for sources at these positions, shape (n, d)."""
    steady = _steady_layout(len(position), radius, periods.tobytes())
    return _layout(axes_of(position, radius, periods)) if steady is None else steady


@lru_cache(maxsize=256)
def _steady_layout(sources: int, radius: float, periods: bytes) -> tuple[Array, NDArray[np.int64]] | None:
    """The same for so many sources wherever they are, if the world repeats along all axes."""
    period = np.frombuffer(periods)
    return _layout(axes_of(np.zeros((sources, len(period))), radius, period)) if period.all() else None


@lru_cache(maxsize=256)
def _layout(axes: tuple[Axis, ...]) -> tuple[Array, NDArray[np.int64]]:
    """Axes as the compiled code takes them, shapes (4, 3) and (2, 3); the first one has no extent in a flat world."""
    flat = Axis(0.0, cells=1, per_length=0.0, reach=0, shift=0.0, period=0.0)
    three = (flat,) * (3 - len(axes)) + axes
    lengths = np.array([(axis.low, axis.per_length, axis.shift, axis.period) for axis in three]).T.copy()
    return lengths, np.array([(axis.cells, axis.reach) for axis in three], dtype=np.int64).T.copy()


class Crowd(NamedTuple):
    """Sources sorted by cell, as the compiled code takes them.

    Attributes:
        entries: (6, m) coordinates and velocities, copies included.
        number: (m,) which source each is.
        starts: (cells + 1,) where each cell begins.
    """

    entries: Array
    number: NDArray[np.int64]
    starts: NDArray[np.int64]


def answer_own(boids: tuple[Array, Array], asked: CompiledRequests, periods: Array, count: Array, total: Array) -> None:
    """Write the answers about boids, (d, n) each, among themselves to `count` and the first rows of `total`."""
    layout = _layout_of(boids[0].T, asked.radius, periods)
    boid_count = boids[0].shape[1]
    threads = threads_for(weight(boid_count, layout[1]))
    if threads < 2:
        everyone = (0, boid_count, asked.fewest)
        machine_code(add_up)(*boids, *NOT_ARRANGED, *everyone, *layout, *asked.question, count, total)
        return
    crowd = _arranged(boids, layout, threads_for(boid_count))
    ranges = machine_code(spans)(crowd.starts, layout[1])
    _add_up(crowd, crowd.entries, crowd.number, ranges, asked.fewest, layout, asked, count, total, threads)


def _answer_foreign(
    boids: tuple[Array, Array],
    sources: tuple[Array, Array],
    asked: CompiledRequests,
    periods: Array,
    count: Array,
    total: Array,
) -> None:
    """Write the answers about boids among others to `count` and `total`."""
    layout = _layout_of(sources[0].T, asked.radius, periods)
    crowd = _arranged(sources, layout, threads_for(sources[0].shape[1]))
    dimension, boid_count = boids[0].shape
    entries = np.zeros((6, boid_count))
    entries[3 - dimension : 3], entries[6 - dimension :] = boids
    threads = threads_for(boid_count)
    ranges = np.array([[0, boid_count]])
    _add_up(crowd, entries, np.arange(boid_count), ranges, NEVER, layout, asked, count, total, threads)


def _arranged(sources: tuple[Array, Array], layout: tuple[Array, NDArray[np.int64]], threads: int) -> Crowd:
    """Sort sources, (d, m) each, by cell."""
    if threads < 2:
        return Crowd(*machine_code(arranged)(*sources, *layout))
    position, velocity = sources
    cells = layout[1]
    parts = parts_of(position.shape[1], threads)
    number = np.empty(position.shape[1], dtype=np.int64)
    count = np.zeros((threads, cells[0].prod()), dtype=np.int64)
    in_parallel(
        lambda part: machine_code(numbered)(position[:, parts[part]], *layout, number[parts[part]], count[part]),
        threads,
    )
    starts = machine_code(started)(count, *layout)
    crowd = Crowd(np.zeros((6, starts[-1])), np.empty(starts[-1], dtype=np.int64), starts)

    def place(part: int) -> None:
        some = parts[part]
        here = position[:, some], velocity[:, some]
        machine_code(placed)(*here, some.start, number[some], count[part], crowd.entries, crowd.number)

    in_parallel(place, threads)
    rows = parts_of(int((cells[0] + 2 * cells[1])[:2].prod()), threads)
    in_parallel(
        lambda part: machine_code(copied)(
            starts, *layout, rows[part].start, rows[part].stop, crowd.entries, crowd.number
        ),
        threads,
    )
    return crowd


def _add_up(
    crowd: Crowd,
    asking: Array,
    number: NDArray[np.int64],
    ranges: NDArray[np.int64],
    fewest: int,
    layout: tuple[Array, NDArray[np.int64]],
    asked: CompiledRequests,
    count: Array,
    total: Array,
    threads: int,
) -> None:
    """Write the answers for all in the ranges of entries of `asking`, by so many threads."""
    who = *ARRANGED, crowd.entries, crowd.starts, asking, number, ranges
    asking_count = count.shape[1]
    parts = parts_of(asking_count, threads)
    add_up_some = machine_code(add_up)

    def add_up_part(part: int) -> None:
        add_up_some(*who, parts[part].start, parts[part].stop, fewest, *layout, *asked.question, count, total)

    in_parallel(add_up_part, threads)
