"""Engines: `numpy` is the definition and runs everywhere; `native` is the kernel, and gives the same to the last bit.

`auto` takes the kernel where it can be loaded. What only numpy knows, such as rules of packages, numpy computes for
either, with the sums over neighbors of the engine.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boidsgen.errors import UsageError
from boidsgen.kernel import library
from boidsgen.simulation.geometry import length
from boidsgen.simulation.layouts import Uniform
from boidsgen.simulation.neighbors import vectorized
from boidsgen.simulation.neighbors.sums import NeighborSums, is_about_everyone
from boidsgen.simulation.randomness import Randomness
from boidsgen.simulation.setup import Flock, Setup, State
from boidsgen.simulation.steering import SteeredGroup

if TYPE_CHECKING:
    from boidsgen.simulation.native import March

SAMPLE = 200  # Boids of a flock that are placed to see how dense it begins
MOMENTS = 64  # Steps, evenly chosen, for which neighbors in reach are worked out


def animals(setup: Setup) -> int:
    """Boids and predators together, the most that there are."""
    return sum(setup.most_boids) + sum(setup.most_predators)


def neighbor_visits(setup: Setup) -> int:
    """Neighbors looked at in the whole run; at least one per boid and step.

    Boids with sequential updates look at everyone of their kind.
    """
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
    return math.ceil(setup.steps * seen) + setup.steps * sum(turns * turns for turns in setup.most_turns)


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


ENGINES = ("numpy", "native")
"""The names of the engines; both give the same to the last bit."""


class Engine(NamedTuple):
    """Computes steps."""

    name: str  # of the engine
    neighbor_sums: NeighborSums  # answers what rules ask about neighbors
    # the kernel's steps from a state on, or None where numpy does them
    march: Callable[[State, Randomness], "March | None"]
    notices: tuple[str, ...] = ()  # lines for the user


NUMPY = Engine("numpy", vectorized.neighbor_sums, lambda state, randomness: None)  # noqa: ARG005  nothing to prepare


def engine_name(engine: str) -> str:
    """The name of the engine that is meant; UsageError if there is none, or the kernel that is asked for is missing."""
    if engine == "auto":
        return "numpy" if library.missing() else "native"
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}; use one of auto, {', '.join(ENGINES)}")
    if engine == "native" and (reason := library.missing()):
        raise UsageError(f"the engine native cannot be used: {reason}")
    return engine


def engine_of(engine: str) -> Engine:
    """The engine of this name; UsageError if there is none, or the kernel that is asked for is missing."""
    if engine_name(engine) == "numpy":
        line = library.notice() if engine == "auto" else None
        return NUMPY._replace(notices=(line,)) if line else NUMPY
    from boidsgen.simulation import native, records  # noqa: PLC0415  only with the kernel

    def march(state: State, randomness: Randomness) -> "March | None":
        try:
            return native.March(state, randomness)
        except records.UnknownToKernelError:
            return None

    return Engine("native", native.neighbor_sums, march)
