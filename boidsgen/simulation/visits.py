"""Visits: how many neighbors are looked at in a run, by its keys and its actual start, before anything is done.

At the start those in reach are counted: some boids are placed as the run will place them. From then on they are taken
to spread at their speed until they are even.
"""

import math
from collections.abc import Sequence

import numpy as np

from boidsgen.simulation.geometry import length
from boidsgen.simulation.groups import Flock
from boidsgen.simulation.layouts import Uniform
from boidsgen.simulation.neighbors.sums import is_about_everyone
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.steering import SteeredGroup

SAMPLE = 200
"""Boids of a flock that are placed to see how dense it begins."""
MOMENTS = 64
"""Steps, evenly chosen, for which neighbors in reach are worked out."""


def animals(setup: Setup) -> int:
    """Boids and predators together."""
    return sum(sizes(setup))


def sizes(setup: Setup) -> tuple[int, ...]:
    """The most animals that there are of each group."""
    return (*setup.most_boids, *(group.count for group in setup.predators))


def groups_of(setup: Setup) -> tuple[SteeredGroup, ...]:
    """All groups, in the order of `sizes`."""
    return (*setup.flock, *setup.predators)


def visits(setup: Setup) -> int:
    """Neighbors looked at in the whole run; at least one per boid and step."""
    total = animals(setup)
    seen = 0.0
    for size, group in zip(sizes(setup), groups_of(setup), strict=True):
        crowd = _share_at_start(group, size, setup) if isinstance(group, Flock) else 0.0
        even = _share_in_reach(setup, group)
        shares = _spreading(crowd, _reach(group), group.max_speed * setup.time.dt, setup)
        seen += size * sum(max(1.0, (total - size) * even + size * max(even, share)) for share in shares) / len(shares)
    return math.ceil(setup.steps * seen)


def _reach(group: SteeredGroup) -> float:
    """Largest radius of all rules; sums over everyone are free."""
    requests = (*group.own_requests, *group.other_requests)
    return max((request.radius for request in requests if not is_about_everyone(request)), default=0.0)


def _share_in_reach(setup: Setup, group: SteeredGroup) -> float:
    """The part of the world, as a box, that a rule looks through."""
    return math.prod(min(1.0, 2 * _reach(group) / side) for side in setup.world.size)


def _share_at_start(flock: Flock, size: int, setup: Setup) -> float:
    """The part of a flock that is in reach of one of it at the start, where that is not the even one."""
    if isinstance(flock.start, Uniform) or size < 2:
        return 0.0
    generator = np.random.default_rng(setup.seed)
    position, _ = flock.start.place(min(size, SAMPLE), setup.world, flock.speeds, generator)
    if len(position) > SAMPLE:  # a start that says itself how many there are
        position = position[np.linspace(0, len(position) - 1, SAMPLE).astype(int)]
    away = length(setup.world.shortest(position[None, :, :] - position[:, None, :]))
    return float((away <= _reach(flock)).mean())


def _spreading(share: float, reach: float, speed: float, setup: Setup) -> Sequence[float]:
    """The part in reach at some moments of the run, for a crowd that flies apart at this speed."""
    if not share or not 0 < reach < math.inf:
        return [share]
    steps = np.linspace(0, max(setup.steps - 1, 0), MOMENTS)
    shares: list[float] = (share / (1 + speed * steps / reach) ** setup.world.dimension).tolist()
    return shares
