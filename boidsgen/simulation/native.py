"""The native engine: the kernel does many steps in one call; numpy remains for what only numpy knows.

Between events a call does as many steps as take about `SECONDS`, so that signals are heard and progress is shown, and
returns the states of their frames. A large group's animals are shared out over threads; a boid's numbers never depend
on the thread that computes them.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_int, c_void_p
from functools import cache, lru_cache, partial
from time import perf_counter

import numpy as np

from boidsgen.kernel.library import entry
from boidsgen.simulation.geometry import Array, by_column, zeros
from boidsgen.simulation.motion import Group
from boidsgen.simulation.neighbors import vectorized
from boidsgen.simulation.neighbors.sums import Request, Sum
from boidsgen.simulation.program import Program
from boidsgen.simulation.records import (
    BOUNDED,
    CELL,
    PROGRAM_CELLS,
    ROWS,
    Memory,
    group_record,
    packed,
    point_of,
    program_record,
    request_record,
    scratch_for,
)
from boidsgen.simulation.setup import State
from boidsgen.system import usable_cores

SECONDS, BYTES = 0.05, 1 << 25  # Time and memory that one call takes, about
BOIDS_PER_THREAD = 4096  # Fewer boids than this are done sooner than another thread has begun
BOIDS_PER_SLICE = 2048
THREADS = "BOIDSGEN_THREADS"
"""Environment variable for the maximum number of threads; by default all processors that the process may use."""


def allowed_threads() -> int:
    """The maximum number of threads."""
    named = os.environ.get(THREADS, "")
    return int(named) if named.isdigit() and int(named) else usable_cores()


def threads_for(boids: int) -> int:
    """The number of threads that so many boids are worth."""
    return max(1, min(allowed_threads(), boids // BOIDS_PER_THREAD))


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
        "march": (memory, memory, number, number, memory, number, memory),
    }
    calls = {name: entry(name) for name in arguments}
    for name, call in calls.items():
        call.argtypes = arguments[name]
        call.restype = number if name in {"arrange", "move", "settle", "march"} else None
    return calls


class Runner:
    """A program, with the memory that its calls need."""

    def __init__(self, program: "Program | Sums") -> None:
        """Memory for one thread or, where there are enough animals, for several."""
        self.cells = program.cells.ctypes.data
        self.threads = threads_for(program.largest)
        self._scratch = [np.empty(program.scratch) for _ in range(self.threads)]
        self._starts = np.empty(16 * program.largest + 4096, dtype=np.int64)
        self._calls = _calls()

    def march(self, program: Program, kept: Array, steps: int) -> bool:
        """Do the steps of some frames and write their states to `kept`, (frames, size); false if one is not finite."""
        program.restart()
        if self.threads > 1:
            return all(self._march_together(program, frame, steps) for frame in kept)
        return self._with_room("march", kept.ctypes.data, len(kept), steps) == 0

    def arrange(self, group: int, question: int) -> None:
        """Make a question of a group ready."""
        self._with_room("arrange", group, question)

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

    def _march_together(self, program: Program, frame: Array, steps: int) -> bool:
        """The same for one frame with several threads."""
        calls = self._calls
        for _ in range(steps):
            for group, plan in enumerate(program.plans):
                for question, apart in enumerate(plan.apart):
                    self.arrange(group, question)
                    if apart:
                        self.shared("answer", plan.animals, group, question)
                calls["draw"](self.cells, group)
                if plan.alone:
                    moved = calls["move"](self.cells, group, 0, plan.animals, self._scratch[0].ctypes.data)
                else:
                    moved = self.shared("move", plan.animals, group)
                if not moved or not calls["settle"](self.cells, group):
                    program.fail(group)
                    return False
            calls["finish"](self.cells)
        program.copy_state(frame)
        return True

    def _with_room(self, name: str, *which: int) -> int:
        """Call an entry that may need a larger grid."""
        while True:
            room = self._starts.ctypes.data, len(self._starts), self._scratch[0].ctypes.data
            needed = self._calls[name](self.cells, *which, *room)
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

        While one block of them is drawn, another thread computes the next one, where there may be one.

        Raises:
            NotFiniteError: when a position or velocity is no longer a finite number.
        """
        size = sum(2 * group.position.size for group in (*state.predators, *state.flocks))
        sooner = allowed_threads() > 1 and not self._program.accumulates
        block: Callable[[], tuple[Array, bool]] = partial(self._block, size, frames, steps)
        while frames:
            kept, finite = block()
            frames -= len(kept)
            self._program.store_streams()
            if not finite:
                refuse(*self._program.failed(state))
            upcoming = partial(self._block, size, frames, steps)
            block = _pool(os.getpid()).submit(upcoming).result if frames and sooner else upcoming
            for row in kept:
                state = self._program.state(state, row, steps)
                yield state

    def _block(self, size: int, frames: int, steps: int) -> tuple[Array, bool]:
        """States of the first of so many frames, (k, size), as many as a call takes; and whether all are finite."""
        fitting = min(BYTES // (CELL * size + 1), int(SECONDS / self._per_frame) if self._per_frame else 1)
        count = 1 if self._program.accumulates else max(1, min(frames, fitting))
        kept, began = np.empty((count, size)), perf_counter()
        finite = self._runner.march(self._program, kept, steps)
        self._per_frame = (perf_counter() - began) / count
        return kept, finite


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
    if len(requests) > ROWS:  # more than the kernel has rows for
        return vectorized.neighbor_sums(position, velocity, source_position, source_velocity, requests, periods)
    own = position is source_position
    program = Sums((position, velocity), None if own else (source_position, source_velocity), requests, periods)
    runner = Runner(program)
    runner.arrange(0, 0)
    runner.shared("answer", count, 0, 0)
    return program.answers()


class Sums:
    """Requests of boids about sources, (n, d) and (m, d) positions and velocities, as the kernel's memory."""

    def __init__(
        self,
        boids: tuple[Array, Array],
        sources: tuple[Array, Array] | None,
        requests: Sequence[Request],
        periods: Array,
    ) -> None:
        """All requests that one search answers; without sources about the boids themselves."""
        count, dimension = boids[0].shape
        self.largest = max(count, len(sources[0]) if sources else 0)
        self._shape = 1 + dimension, count
        memory = Memory(PROGRAM_CELLS)
        groups = [boids, *([sources] if sources else [])]
        records, seen = b"", memory.put(packed(1, 0)) if sources else 0
        self._answers = [memory.room((1 + dimension) * count) for _ in requests]
        asked = memory.put(b"".join(map(request_record, requests, self._answers, (None, *requests))))
        radius = float(max(request.radius for request in requests))
        fields = BOUNDED, not sources, False, 1, seen, 0, 0, len(requests), asked, False, 0, radius
        question = memory.put(packed(fields))
        for position, velocity in groups:
            at = [memory.put(by_column(vectors).T) for vectors in (position, velocity)]
            records += group_record((len(position), *at, *at), questions=(1, question, 0))
        world = 3 - dimension, 0, 0, (1.0,) * 3, point_of(periods.tolist()), (1.0,) * 4
        memory.write(0, program_record(memory, (len(groups), memory.put(records)), world, self.largest))
        self.cells, self.scratch = memory.cells(), scratch_for(self.largest)

    def answers(self) -> list[Sum]:
        """The answers to all requests."""
        rows, count = self._shape
        found = [self.cells[at : at + rows * count].reshape(rows, count) for at in self._answers]
        return [Sum(answer[0], answer[1:].T) for answer in found]
