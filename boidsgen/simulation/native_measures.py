"""Measures by the kernel: those that it knows, all that are asked of a state in one call, equal to `measures.py`'s."""

from collections.abc import Callable
from ctypes import c_int, c_void_p
from functools import cache
from struct import pack

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


@cache
def _call() -> Callable[..., None] | None:
    """The entry point of the kernel; memories are addresses, or bytes."""
    call = entry("measure")
    if call:
        memory, number = c_void_p, c_int
        call.argtypes = (memory, number, memory, memory, memory, number, number, memory, number)
        call.restype = None
    return call  # type: ignore[no-any-return]


def _compute(population: Population, wanted: int) -> Array | None:
    """The kernel's memory after it has computed what is wanted; None without the kernel."""
    call, flocks = _call(), population.flocks
    if call is None:
        return None
    periods = population.world.periods.tolist()
    record = [3.0 - len(periods), *point_of(periods)]
    for flock, table in zip(flocks, population.tables, strict=True):
        record += len(flock.position), *table.radii
    boids = flocks[0] if len(flocks) == 1 else population
    predators = population.predators.tobytes("F") if population.hunters else None
    room = 8 * len(population) + 1024
    memory = np.empty(VALUES + ROWS * (len(population) + PADDING) + OF_FLOCK * len(flocks) + room)
    call(
        pack(f"{len(record)}d", *record), len(flocks), boids.position.tobytes("F"), boids.velocity.tobytes("F"),
        predators, len(population.predators) if predators else 0, wanted, memory.ctypes.data, room,
    )  # fmt: skip
    return memory


def kernel_values(population: Population, names: tuple[str, ...]) -> dict[str, float | None]:
    """Those of the measures with these names that the kernel knows; None for one that is not defined."""
    known = {name: NAMES.index(name) for name in names if name in NAMES}
    memory = _compute(population, sum(1 << number for number in known.values())) if known else None
    if memory is None:
        return {}
    found = memory[: len(NAMES)].tolist()
    return {name: None if found[number] == UNDEFINED else found[number] for name, number in known.items()}


def kernel_members(population: Population) -> NDArray[np.intp] | None:
    """The number of the first boid of each one's group, shape (n,); None without the kernel."""
    memory = _compute(population, 1 << NAMES.index("groups"))
    return None if memory is None else memory.view(np.intp)[VALUES : VALUES + len(population)].copy()
