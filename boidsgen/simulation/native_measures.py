"""Measures by the kernel: those that it knows, all that are asked of a state in one call, equal to `measures.py`'s."""

from collections.abc import Callable
from ctypes import c_int, c_void_p
from functools import cache, lru_cache
from math import isnan
from struct import pack
from threading import local

import numpy as np
from numpy.typing import NDArray

from boidsgen.kernel.library import entry
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.profiles import Population

NAMES = (
    *("polarization", "rotation", "angular_momentum", "dispersion", "mean_speed", "speed_spread", "predator_distance"),
    *("nearest_neighbor_distance", "groups", "largest_group", "close_encounters", "collisions_avoided"),
)
"""What the kernel knows, in the order of its own numbers."""

VALUES, PADDING, ROWS, OF_FLOCKS = (
    16,
    8,
    18,
    5,
)  # Numbers before those of boids, behind a row, rows, and of each flock, as there


class _Memory(local):
    """The kernel's memory, one for each thread; asking numpy for an address takes longer than most of the rest."""

    numbers = np.empty(0)
    address = 0


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
def _wanted(names: tuple[str, ...]) -> tuple[int, tuple[tuple[str, int], ...]]:
    """A bit for each measure among these that the kernel knows, and their names and numbers."""
    known = tuple([(name, NAMES.index(name)) for name in dict.fromkeys(names) if name in NAMES])
    return sum(1 << number for _, number in known), known


def _compute(population: Population, wanted: int) -> Array | None:
    """The kernel's memory after it has computed what is wanted, until the next call; None without the kernel."""
    call = _call()
    if call is None:
        return None
    flocks, periods, count = population.flocks, population.world.periods.tolist(), 0
    world = [3.0 - len(periods), *([0.0] * (3 - len(periods))), *periods]
    for flock, table in zip(flocks, population.tables, strict=True):
        world += len(flock.position), table.perception.radius, table.separation.reach(table.perception)[0]
        count += len(flock.position)
    boids = flocks[0] if len(flocks) == 1 else population
    hunters = population.predators if population.hunters else np.zeros((0, population.world.dimension))
    room = 8 * count + 1024
    needed = VALUES + ROWS * (count + PADDING) + OF_FLOCKS * len(flocks) + room
    if len(_MEMORY.numbers) < needed:
        _MEMORY.numbers = np.empty(needed)
        _MEMORY.address = _MEMORY.numbers.ctypes.data
    call(
        pack(f"{len(world)}d", *world), len(flocks), boids.position.tobytes("F"), boids.velocity.tobytes("F"),
        hunters.tobytes("F") if len(hunters) else None, len(hunters), wanted, _MEMORY.address, room,
    )  # fmt: skip
    return _MEMORY.numbers


def kernel_values(population: Population, names: tuple[str, ...]) -> dict[str, float | None]:
    """Those of the measures with these names that the kernel knows; None for one that is not defined."""
    wanted, known = _wanted(names)
    memory = _compute(population, wanted) if known else None
    if memory is None:
        return {}
    values = memory[: len(NAMES)].tolist()
    return {name: None if isnan(values[number]) else values[number] for name, number in known}


def kernel_members(population: Population) -> NDArray[np.intp] | None:
    """The number of the first boid of each one's group, shape (n,); None without the kernel."""
    memory = _compute(population, _wanted(("groups",))[0])
    return None if memory is None else memory.view(np.intp)[VALUES : VALUES + len(population)].copy()
