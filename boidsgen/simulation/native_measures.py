"""Measures by the kernel: those that it knows, all that are asked of a state in one call, equal to `measures.py`'s."""

from collections.abc import Callable, Iterable
from ctypes import c_double, c_int, c_void_p
from functools import cache, lru_cache
from math import isnan

import numpy as np
from numpy.typing import NDArray

from boidsgen.kernel.library import entry
from boidsgen.simulation.geometry import Array, by_column
from boidsgen.simulation.profiles import Population

NAMES = (
    *("polarization", "rotation", "angular_momentum", "dispersion", "mean_speed", "speed_spread", "predator_distance"),
    *("nearest_neighbor_distance", "groups", "largest_group", "close_encounters", "collisions_avoided"),
)
"""What the kernel knows, in the order of its own numbers."""

VALUES, PADDING, ROWS = 16, 8, 15  # Numbers before those of boids, behind each row, and rows, as in the kernel


@cache
def _call() -> Callable[..., None] | None:
    """The entry point of the kernel; memories are addresses."""
    call: Callable[..., None] | None = entry("measure")
    if call:
        memory, number = c_void_p, c_int
        call.argtypes = (memory, number, memory, memory, memory, memory, number, number, memory, number)  # type: ignore[attr-defined]
        call.restype = None  # type: ignore[attr-defined]
    return call


@lru_cache(maxsize=64)
def _wanted(names: tuple[str, ...]) -> tuple[int, tuple[tuple[str, int], ...]]:
    """A bit for each measure among these that the kernel knows, and their names and numbers."""
    known = tuple([(name, NAMES.index(name)) for name in dict.fromkeys(names) if name in NAMES])
    return sum(1 << number for _, number in known), known


def _computed(population: Population, wanted: int) -> Array | None:
    """The kernel's memory after it has computed what is wanted; None without the kernel."""
    call = _call()
    if call is None:
        return None
    world, flocks, count = population.world, population.flocks, len(population)
    periods = world.periods.tolist()
    fixed = [3.0 - len(periods), *([0.0] * (3 - len(periods))), *periods]
    for table in population.tables:
        fixed += table.perception.radius, table.separation.reach(table.perception)[0]
    counts = (c_int * len(flocks))(*[len(flock.position) for flock in flocks])
    position, velocity = by_column(population.position), by_column(population.velocity)
    predators = by_column(population.predators) if population.hunters else position
    room = 8 * count + 1024
    memory = np.empty(VALUES + PADDING + ROWS * (count + PADDING) + room)
    call(
        (c_double * len(fixed))(*fixed), len(flocks), counts, position.ctypes.data, velocity.ctypes.data,
        predators.ctypes.data, len(predators) if population.hunters else 0, wanted, memory.ctypes.data, room,
    )  # fmt: skip
    return memory


def kernel_values(population: Population, names: Iterable[str]) -> dict[str, float | None]:
    """Those of the measures with these names that the kernel knows; None for one that is not defined."""
    wanted, known = _wanted(tuple(names))
    memory = _computed(population, wanted) if known else None
    if memory is None:
        return {}
    values = memory[: len(NAMES)].tolist()
    return {name: None if isnan(values[number]) else values[number] for name, number in known}


def kernel_members(population: Population) -> NDArray[np.intp] | None:
    """The number of the first boid of each one's group, shape (n,); None without the kernel."""
    memory = _computed(population, _wanted(("groups",))[0])
    return None if memory is None else memory.view(np.intp)[VALUES : VALUES + len(population)]
