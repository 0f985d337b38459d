"""The native engine: the kernel does many steps in one call; numpy remains for what only numpy knows.

Between events a call does as many steps as take about `SECONDS`, so that signals are heard and progress is shown, and
returns the states of their frames. A large group's animals are shared out over threads; a boid's numbers never depend
on the thread that computes them.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_int, c_void_p
from functools import cache, lru_cache
from time import perf_counter
from typing import Any

import numpy as np

from boidsgen.kernel.library import entry
from boidsgen.simulation.geometry import Array, zeros
from boidsgen.simulation.motion import Group
from boidsgen.simulation.neighbors.sums import Request, Sum
from boidsgen.simulation.program import CELL, Program, Sums
from boidsgen.simulation.setup import State

SECONDS, BYTES = 0.05, 1 << 25  # Time and memory that one call takes, about
BOIDS_PER_THREAD = 4096  # Fewer boids than this are done sooner than another thread has begun
BOIDS_PER_SLICE = 2048
THREADS = "BOIDSGEN_THREADS"
"""Environment variable for the maximum number of threads; by default all processors that the process may use."""


def threads_for(boids: int) -> int:
    """The number of threads that so many boids are worth."""
    named = os.environ.get(THREADS, "")
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    allowed = int(named) if named.isdigit() and int(named) else processors
    return max(1, min(allowed, boids // BOIDS_PER_THREAD))


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of this process; a fork has none of those of its parent."""
    del process
    return ThreadPoolExecutor()


@cache
def _calls() -> dict[str, Callable[..., int]]:
    """The entry points of the kernel that move animals; memories are addresses."""
    memory, number = c_void_p, c_int
    arguments = {
        "arrange": (memory, number, number, memory, number, memory),
        "answer": (memory, number, number, number, number, memory),
        "draw": (memory, number),
        "move": (memory, number, number, number, memory),
        "settle": (memory, number),
        "finish": (memory,),
        "march": (memory, memory, number, memory, memory, number, number),
    }
    calls = {name: entry(name) for name in arguments}
    for name, call in calls.items():
        call.argtypes, call.restype = arguments[name], number if name in {"arrange", "move", "settle", "march"} else None
    return calls


class Runner:
    """A program, with the memory that its calls need."""

    def __init__(self, program: Program | Sums) -> None:
        """Memory for one thread or, where there are enough animals, for several."""
        self.program, self.cells = program, program.cells.ctypes.data
        self.threads = threads_for(program.largest)
        self._scratch = [np.empty(program.scratch) for _ in range(self.threads)]
        self._starts = np.empty(16 * program.largest + 4096, dtype=np.int64)
        self._calls = _calls()

    def march(self, kept: Array, steps: int) -> bool:
        """Do the steps of some frames and write their states to `kept`, (frames, size); false if one is not finite."""
        self.program.restart()
        if self.threads > 1:
            return all(self._march_together(frame, steps) for frame in kept)
        return self._with_room("march", self.cells, kept.ctypes.data, len(kept), steps) == 0

    def arrange(self, group: int, question: int) -> None:
        """Make a question of a group ready."""
        self._with_room("arrange", self.cells, group, question)

    def shared(self, name: str, count: int, *which: int) -> bool:
        """Call an entry for `count` animals, shared out over the threads; false if a call returned 0."""
        call, slices = self._calls[name], iter(range(0, count, BOIDS_PER_SLICE))

        def work(scratch: Array) -> bool:
            memory, good = scratch.ctypes.data, True
            for first in slices:
                good &= call(self.cells, *which, first, min(first + BOIDS_PER_SLICE, count), memory) != 0
            return good

        workers = self._scratch[1 : -(-count // BOIDS_PER_SLICE)]
        others = [_pool(os.getpid()).submit(work, scratch) for scratch in workers]
        try:
            return all([work(self._scratch[0]), *[other.result() for other in others]])
        finally:
            for _ in slices:  # after a signal nobody begins another one
                pass

    def _march_together(self, frame: Array, steps: int) -> bool:
        """The same for one frame with several threads."""
        program, calls = self.program, self._calls
        for _ in range(steps):
            for group, plan in enumerate(program.plans):
                for question, apart in enumerate(plan.apart):
                    self.arrange(group, question)
                    if apart:
                        self.shared("answer", plan.count, group, question)
                calls["draw"](self.cells, group)
                alone = calls["move"](self.cells, group, 0, plan.count, self._scratch[0].ctypes.data) if plan.alone else 1
                moved = alone if plan.alone else self.shared("move", plan.count, group)
                if not moved or not calls["settle"](self.cells, group):
                    program.fail(group)
                    return False
            calls["finish"](self.cells)
        program.copy_state(frame)
        return True

    def _with_room(self, name: str, cells: int, *rest: int) -> int:
        """Call an entry that may need a larger grid."""
        while True:
            room = self._starts.ctypes.data, len(self._starts)
            scratch = self._scratch[0].ctypes.data
            if name == "march":
                needed = self._calls[name](cells, *room, scratch, *rest)
            else:
                needed = self._calls[name](cells, *rest, *room, scratch)
            if needed <= 0:
                return needed
            self._starts = np.empty(2 * needed, dtype=np.int64)


class March:
    """Steps of a setup from a state on, by the kernel."""

    def __init__(self, program: Program) -> None:
        """Steps of a program."""
        self._program, self._runner = program, Runner(program)
        self._per_frame = 0.0

    def states(self, state: State, frames: int, steps: int, refuse: Callable[[Group, int], None]) -> Iterator[State]:
        """The states of the next frames, each so many steps after the one before.

        Raises:
            NotFiniteError: when a position or velocity is no longer a finite number.
        """
        size = sum(2 * group.position.size for group in (*state.predators, *state.flocks))
        done = 0
        while done < frames:
            fitting = min(BYTES // (CELL * size + 1), int(SECONDS / self._per_frame) if self._per_frame else 1)
            count = 1 if self._program.accumulates else max(1, min(frames - done, fitting))
            kept, began = np.empty((count, size)), perf_counter()
            finite = self._runner.march(kept, steps)
            self._per_frame = (perf_counter() - began) / count
            self._program.store_streams()
            if not finite:
                refuse(*self._program.failed(state))
            for row in kept:
                state = self._program.state(state, row, steps)
                yield state
            done += count


def neighbor_sums(
    position: Array,
    velocity: Array,
    source_position: Array,
    source_velocity: Array,
    requests: Sequence[Request],
    periods: Array,
) -> list[Sum]:
    """Answer all requests by the kernel, as `vectorized.neighbor_sums`."""
    count, dimension = position.shape
    if not count or not len(source_position) or not requests:
        return [Sum(np.zeros(count), zeros(count, dimension)) for _ in requests]
    own = position is source_position
    program = Sums((position, velocity), None if own else (source_position, source_velocity), requests, periods)
    runner = Runner(program)
    runner.arrange(0, 0)
    runner.shared("answer", count, 0, 0)
    return program.answers()


