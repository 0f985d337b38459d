"""Measures by the kernel: those that it knows, all that are asked of a state in one call, equal to `measures.py`'s."""

from collections.abc import Callable, Sequence
from ctypes import c_int, c_void_p
from functools import cache, lru_cache
from operator import itemgetter
from struct import pack
from threading import local

import numpy as np
from numpy.typing import NDArray

from boidsgen.kernel.library import entry
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.profiles import Population
from boidsgen.simulation.records import point_of

NAMES = (
    *("polarization", "rotation", "angular_momentum", "dispersion", "mean_speed", "speed_spread", "predator_distance"),
    *("nearest_neighbor_distance", "groups", "largest_group", "close_encounters", "collisions_avoided"),
)
"""Measures of the kernel, in the order of its own numbers."""

VALUES, PADDING, ROWS, OF_FLOCK = 16, 8, 18, 5
"""Numbers in memory before those of boids, behind each row, rows, and numbers of each flock, as in the kernel."""


UNDEFINED = -1.0  # No measure is below zero


class _Memory(local):
    """The kernel's memory, one for each thread: asking numpy for an address takes longer than most of the rest."""

    numbers, address, room = np.empty(0), 0, 0
    tables: Sequence[object] = ()
    world: object = None
    counts: Sequence[int] = ()
    record = b""

    def prepare(self, population: Population, counts: list[int]) -> None:
        """Write what is the same for one state and the next, and make room."""
        self.tables, self.world, self.counts = population.tables, population.world, counts
        periods = population.world.periods.tolist()
        record = [3.0 - len(periods), *point_of(periods)]
        for count, table in zip(counts, population.tables, strict=True):
            record += count, table.perception.radius, table.separation.reach(table.perception)[0]
        self.record = pack(f"{len(record)}d", *record)
        self.room = 8 * sum(counts) + 1024
        needed = VALUES + ROWS * (sum(counts) + PADDING) + OF_FLOCK * len(counts) + self.room
        if len(self.numbers) < needed:
            self.numbers = np.empty(needed)
            self.address = self.numbers.ctypes.data


_MEMORY = _Memory()


@cache
def _call() -> Callable[..., None] | None:
    """The entry point of the kernel; memories are addresses, or bytes."""
    call = entry("measure")
    if call:
        memory, number = c_void_p, c_int
        call.argtypes = (memory, number, memory, memory, memory, number, number, memory, number)
        call.restype = None
    return call  # type: ignore[no-any-return]


@lru_cache(maxsize=64)
def _wanted(names: tuple[str, ...]) -> tuple[int, tuple[str, ...], Callable[[list[float]], tuple[float, ...]]]:
    """A bit for each measure among these that the kernel knows, their names, and what picks their values."""
    known = tuple([name for name in dict.fromkeys(names) if name in NAMES])
    numbers = [NAMES.index(name) for name in known]
    return sum(1 << number for number in numbers), known, itemgetter(*numbers, -1, -1)  # of one it would be no tuple


def _compute(population: Population, wanted: int) -> Array | None:
    """The kernel's memory after it has computed what is wanted, until the next call; None without the kernel."""
    call, memory, flocks = _call(), _MEMORY, population.flocks
    if call is None:
        return None
    counts = [len(flock.position) for flock in flocks]
    if counts != memory.counts or population.tables is not memory.tables or population.world is not memory.world:
        memory.prepare(population, counts)
    boids = flocks[0] if len(flocks) == 1 else population
    predators, hunters = population.predators.tobytes("F") if population.hunters else None, 0
    if predators:
        hunters = len(population.predators)
    call(
        memory.record, len(counts), boids.position.tobytes("F"), boids.velocity.tobytes("F"),
        predators, hunters, wanted, memory.address, memory.room,
    )  # fmt: skip
    return memory.numbers


def kernel_values(population: Population, names: tuple[str, ...]) -> dict[str, float | None]:
    """Those of the measures with these names that the kernel knows; None for one that is not defined."""
    wanted, known, picked = _wanted(names)
    memory = _compute(population, wanted) if known else None
    if memory is None:
        return {}
    found = picked(memory[: len(NAMES)].tolist())
    if UNDEFINED in found:
        return {name: None if value == UNDEFINED else value for name, value in zip(known, found, strict=False)}
    return dict(zip(known, found, strict=False))


def kernel_members(population: Population) -> NDArray[np.intp] | None:
    """The number of the first boid of each one's group, shape (n,); None without the kernel."""
    memory = _compute(population, _wanted(("groups",))[0])
    return None if memory is None else memory.view(np.intp)[VALUES : VALUES + len(population)].copy()
