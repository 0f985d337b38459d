"""Threads: how many a flock is worth, and how work is divided among them.

They are plain threads rather than numba's own, which neither survive a fork nor allow two simulations at once.
"""

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from threading import Event

import numpy as np
from numba import config
from numpy.typing import NDArray

BOIDS_PER_THREAD = 4096
"""Fewer boids than this, with few neighbors, are done sooner than another thread has begun."""

VISITS_PER_BOID = 128
"""Entries that are looked at together in the time that a boid with few neighbors takes."""


def weight(boids: int, cells: NDArray[np.int64]) -> int:
    """So many boids, or as many with few neighbors as look at as much as these do if they are spread evenly."""
    if boids < BOIDS_PER_THREAD // 4:
        return boids
    own, reach = cells.tolist()
    visits = boids * boids // math.prod(own) * math.prod(2 * cell + 1 for cell in reach)
    return max(boids, int(visits // VISITS_PER_BOID))


def threads_for(boids: int) -> int:
    """How many threads so many boids are worth."""
    allowed: int = config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]  # made while numba is imported
    return max(1, min(allowed, boids // BOIDS_PER_THREAD))


def in_parallel(action: Callable[[int], object], threads: int) -> None:
    """Do all parts of something, one of them in this thread; all of them, where the system allows no more threads."""
    pool = _pool(os.getpid()) if threads > 1 else None
    if pool is None:
        for part in range(threads):
            action(part)
        return
    others = [pool.submit(action, part) for part in range(1, threads)]
    action(0)
    for other in others:
        other.result()


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor | None:
    """The threads of this process, all of them begun; a fork has none of those of its parent."""
    del process
    threads: int = config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    pool, gate = ThreadPoolExecutor(threads), Event()
    try:
        for _ in range(threads):
            pool.submit(gate.wait)
    except RuntimeError:  # no more threads: the parts are done one after the other, and nobody notices but the clock
        return None
    finally:
        gate.set()
    return pool


@lru_cache(maxsize=256)
def parts_of(count: int, parts: int) -> tuple[slice, ...]:
    """So many things in parts of about the same size."""
    borders = [count * part // parts for part in range(parts + 1)]
    return tuple(slice(begin, end) for begin, end in pairwise(borders))
