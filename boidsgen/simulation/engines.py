"""Engines: what computes a step, and which one is worth its start.

`numpy` is the definition and runs everywhere; `numba` gives the same bits, sooner where a run is long enough. `auto`
compiles only where the run is expected to gain at least twice what compiling takes. The gain follows from an estimate
of the neighbors that are looked at (`visits`): at the start those in reach are counted, and from then on boids are
taken to spread at their speed until they are even.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from boidsgen.errors import UsageError
from boidsgen.simulation import backend, steering
from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.layouts import Uniform
from boidsgen.simulation.neighbors import vectorized
from boidsgen.simulation.neighbors.sums import NeighborSums, is_about_everyone
from boidsgen.simulation.rules.rule import View
from boidsgen.simulation.setup import Flock, Setup
from boidsgen.simulation.steering import Advanced, SteeredGroup

SAMPLE = 200  # Boids of a flock that are placed to see how dense it begins
MOMENTS = 64  # Steps, evenly chosen, for which neighbors in reach are worked out


def animals(setup: Setup) -> int:
    """Boids and predators together, the most that there are."""
    return sum(setup.most_boids) + sum(setup.most_predators)


def visits(setup: Setup) -> int:
    """Neighbors looked at in the whole run; at least one per boid and step."""
    total = animals(setup)
    seen = 0.0
    groups: tuple[SteeredGroup, ...] = (*setup.flock, *setup.predators)
    for size, group in zip((*setup.most_boids, *setup.most_predators), groups, strict=True):
        requests = (*group.own_requests, *group.other_requests)
        # Sums over everyone are free.
        reach = max((request.radius for request in requests if not is_about_everyone(request)), default=0.0)
        even = math.prod(min(1.0, 2 * reach / side) for side in setup.world.size)  # of the world, as a box
        crowd = _share_at_start(group, size, reach, setup) if isinstance(group, Flock) else 0.0
        shares = [crowd]
        if crowd and 0 < reach < math.inf:
            ways = group.max_speed * setup.time.dt * np.linspace(0, max(setup.steps - 1, 0), MOMENTS)
            shares = (crowd / (1 + ways / reach) ** setup.world.dimension).tolist()
        seen += size * sum(max(1.0, (total - size) * even + size * max(even, share)) for share in shares) / len(shares)
    return math.ceil(setup.steps * seen)


def _share_at_start(flock: Flock, size: int, reach: float, setup: Setup) -> float:
    """The part of a flock that is in reach of one of it at the start, where that is not the even one."""
    if isinstance(flock.start, Uniform) or size < 2:
        return 0.0
    generator = np.random.default_rng(setup.seed)
    position, _ = flock.start.place(min(size, SAMPLE), setup.world, flock.speeds, generator)
    if len(position) > SAMPLE:  # a start that says itself how many there are
        position = position[np.linspace(0, len(position) - 1, SAMPLE).astype(int)]
    away = length(setup.world.shortest(position[None, :, :] - position[:, None, :]))
    return float((away <= reach).mean())


ENGINES = ("numpy", *(["numba"] if backend.INSTALLED else []))
"""The names of the engines that are installed; all give the same to the last bit."""

SAVED_PER_STEP, SAVED_PER_BOID, SAVED_PER_VISIT, SAVED_PER_TURN = 0.1e-3, 0.5e-6, 1.5e-7, 0.3e-3
"""Seconds that compiled code saves in a step, for a boid in it, for a neighbor that is looked at, and for a boid that
moves alone."""

COMPILING = 6.0  # Seconds that compiling takes, at most, on an ordinary machine

STEPS, TURNS = "sum_kernel.add_up", "step_kernel.take_turns"
"""Functions whose machine code is the last to be compiled, for boids that move at once and for others."""

LONG = 10.0  # Seconds that a run must lose without numba before it is worth a hint


class Engine(NamedTuple):
    """Computes steps."""

    name: str  # of the engine
    neighbor_sums: NeighborSums  # answers what rules ask about neighbors
    # does the step of a group, as `steering.advance` does
    advance: Callable[[SteeredGroup, View, Sequence[Array], float], Advanced]
    take_turns: Callable[[steering.Turns], None]  # does the step of a flock whose boids move one after the other


NUMPY = Engine("numpy", vectorized.neighbor_sums, steering.advance, steering.take_turns)


def gain(setup: Setup, runs: int = 1) -> float:
    """Estimated gain of compiled code in some runs of a scenario, in seconds."""
    each = SAVED_PER_STEP + SAVED_PER_BOID * sum(setup.most_boids) + SAVED_PER_TURN * sum(setup.most_turns)
    return runs * (setup.steps * each + SAVED_PER_VISIT * visits(setup))


def engine_name(engine: str, setup: Setup | None = None, runs: int = 1) -> str:
    """The engine for some runs, or `auto` itself if no scenario is known; UsageError if there is no such engine."""
    if engine == "auto":
        if setup is None:
            return engine
        last = TURNS if any(setup.most_turns) else STEPS
        return "numba" if backend.worthwhile(gain(setup, runs), COMPILING, __file__, last) else "numpy"
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}; use one of auto, {', '.join(ENGINES)}")
    return engine


def engine_of(name: str) -> Engine:
    """An engine, whose code is loaded or compiled when it is first needed; numpy if numba cannot be used."""
    if name == "numpy" or not backend.usable():
        return NUMPY
    from boidsgen.simulation import compiled, compiled_step  # noqa: PLC0415  numba takes long to import

    return Engine("numba", compiled.neighbor_sums, compiled_step.advance, compiled_step.take_turns)


def load(engine: str, setup: Setup, runs: int = 1) -> Engine:
    """The engine with all its machine code, numpy where that cannot be had; UsageError if there is no such engine."""
    found = engine_of(engine_name(engine, setup, runs))
    if found is NUMPY:
        return NUMPY
    from boidsgen.simulation import compiled  # noqa: PLC0415

    try:
        turns = any(setup.most_turns)
        at_once = not turns or bool(setup.events) or len(setup.flock) + len(setup.predators) > 1
        compiled.load(setup.world.dimension, at_once=at_once, turns=turns)
    except backend.UnusableEngineError as error:
        backend.give_up(error)
        return NUMPY
    return found


def prepare(engine: str, setup: Setup, runs: int = 1) -> str:
    """The name of the engine for each of some runs, compiled now for other processes; UsageError if there is none."""
    return load(engine, setup, runs).name


def hint(setup: Setup, engine: str) -> str | None:
    """A line for the user if a large scenario would be faster with numba, which is not installed."""
    if engine != "auto" or backend.INSTALLED or gain(setup) < LONG:
        return None
    return 'this is a large simulation: it runs several times faster with numba (pip install "boidsgen[fast]")'
