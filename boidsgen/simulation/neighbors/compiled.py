"""Neighbor sums compiled by numba: requests put into the form that `kernel` takes, and its work divided among threads.

A boid's sums are one thread's work, so the number of threads changes no result. They are plain threads rather than
numba's own, which neither survive a fork nor allow two simulations at once.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
from numba import config, njit, types
from numpy.typing import NDArray

from boidsgen.simulation.geometry import Array, by_column
from boidsgen.simulation.neighbors.grid import Axis, axes_of
from boidsgen.simulation.neighbors.kernel import ALL_ROUND, OPTIONS, QUANTITIES, add_up, add_up_all, arranged
from boidsgen.simulation.neighbors.request import COINCIDENT, Request, Sum
from boidsgen.simulation.neighbors.unusable import UnusableEngineError
from boidsgen.simulation.neighbors.vectorized import half_angle_cosine

BOIDS_PER_THREAD = 4096
"""Fewer boids than this are done sooner than another thread has started."""


given = types.Array(types.float64, 2, "C", readonly=True)
floats = types.float64[:, ::1]
integers = types.int64[:, ::1]
numbers = types.int64[::1]
asking = (floats, integers, types.float64, types.float64, floats, numbers, integers)
answers = (floats, types.float64[:, :, ::1])

SIGNATURES = {
    arranged: types.Tuple((floats, numbers, numbers))(given, given, floats, integers),  # type: ignore[no-untyped-call]
    add_up: types.void(floats, numbers, numbers, given, given, *asking, *answers),
    add_up_all: types.void(given, given, types.boolean, given, given, *asking, *answers),
}
"""What Python calls, and with what."""


@cache
def machine_code(function: Any) -> Callable[..., Any]:  # noqa: ANN401  numba has no types for its own types
    """One of those, compiled when first wanted, and kept for the next process where there is a place to keep it."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # made while numba is imported
        raise UnusableEngineError("NUMBA_DISABLE_JIT is set")
    signature, plain = SIGNATURES[function], function.py_func
    code: Callable[..., Any]
    try:
        code = njit(signature, cache=True, **OPTIONS)(plain)
    except RuntimeError:  # neither the package nor the user's cache directory can be written to
        code = njit(signature, **OPTIONS)(plain)
    except Exception as error:  # noqa: BLE001  whatever a damaged file makes of unpickling and linking
        reason = f"its cache cannot be read or written: {type(error).__name__} {error}".partition("\n")[0]
        raise UnusableEngineError(reason.strip()) from None
    return code


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
    asked = _compiled_requests(tuple(requests))
    count = np.zeros((len(asked.most), len(position)))
    total = np.zeros((len(requests), *position.T.shape))
    if len(position) and len(source_position) and requests:
        lengths, cells = _layout(axes_of(source_position, asked.radius, periods))
        boids = by_column(position).T, by_column(velocity).T
        own = position is source_position
        sources = boids if own else (by_column(source_position).T, by_column(source_velocity).T)
        _answer(boids, sources, own, (lengths, cells), asked, count, total)
    return [Sum(count[group], sums.T) for group, sums in zip(asked.group_of, total, strict=True)]


class CompiledRequests(NamedTuple):
    """Requests as the compiled code takes them, those about the same neighbors in one group.

    Attributes:
        radius: the largest of all radii.
        group_of: the group of each request.
        bounds: (groups, 2) square of the radius, and cosine of half the field of view, -2 for all round.
        most: (groups,) how many of the nearest, 0 for all.
        wanted: (requests, 2) group and quantity.
    """

    radius: float
    group_of: list[int]
    bounds: Array
    most: NDArray[np.int64]
    wanted: NDArray[np.int64]


@lru_cache(maxsize=256)
def _compiled_requests(requests: tuple[Request, ...]) -> CompiledRequests:
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
    )


@lru_cache(maxsize=256)
def _layout(axes: tuple[Axis, ...]) -> tuple[Array, NDArray[np.int64]]:
    """Axes as the compiled code takes them, shapes (4, 3) and (2, 3); the first one has no extent in a flat world."""
    flat = Axis(0.0, cells=1, per_length=0.0, reach=0, shift=0.0, period=0.0)
    three = (flat,) * (3 - len(axes)) + axes
    lengths = np.array([(axis.low, axis.per_length, axis.shift, axis.period) for axis in three]).T.copy()
    return lengths, np.array([(axis.cells, axis.reach) for axis in three], dtype=np.int64).T.copy()


def _answer(
    boids: tuple[Array, Array],
    sources: tuple[Array, Array],
    own: bool,  # noqa: FBT001  whether, not how
    layout: tuple[Array, NDArray[np.int64]],
    asked: CompiledRequests,
    count: Array,
    total: Array,
) -> None:
    """Write the answers to `count` and `total`, by as many threads as the boids are worth."""
    question = (asked.radius**2, COINCIDENT**2, asked.bounds, asked.most, asked.wanted)
    allowed = config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]  # made while numba is imported
    threads = min(allowed, len(boids[0][0]) // BOIDS_PER_THREAD)
    if threads < 2:
        machine_code(add_up_all)(*sources, own, *boids, *layout, *question, count, total)
        return
    crowd = machine_code(arranged)(*sources, *layout)
    visits = crowd[2] if own else np.arange(len(boids[0][0]))
    borders = np.linspace(0, len(visits), threads + 1).astype(int)
    add_up_some = machine_code(add_up)

    def add_up_part(part: int) -> None:
        add_up_some(*crowd[:2], visits[borders[part] : borders[part + 1]], *boids, *layout, *question, count, total)

    share_out(add_up_part, threads)


def share_out(work: Callable[[int], None], parts: int) -> None:
    """Do all parts of some work, each in a thread of its own as far as the system allows more threads."""
    started: list[Thread] = []
    for part in range(1, parts):
        thread = Thread(target=work, args=(part,))
        try:
            thread.start()
        except RuntimeError:  # no more threads: a part is done here, and nobody notices but the clock
            work(part)
        else:
            started.append(thread)
    work(0)
    for thread in started:
        thread.join()
