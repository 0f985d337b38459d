"""Sums over everyone, in closed form: what a boid that sees the whole world needs, without looking at pairs.

The sum of all offsets is the sum of all positions minus n times one's own. Where the world repeats, the boids more
than half a period ahead are nearer the other way round: each of them takes one period off the sum, and sorting counts
them. With radius inf and all-round view everybody counts as a neighbor, even who is in the same place.
"""

import numpy as np

from boidsgen.simulation.geometry import Array, columns
from boidsgen.simulation.neighbors.request import Request, Sum


def answers(request: Request) -> bool:
    """Whether a request is about everyone and has a closed form."""
    everyone = request.whom == (np.inf, 360.0, None)
    return everyone and request.quantity in ("offset", "linear", "velocity")


def sum_over_everyone(
    position: Array, source_position: Array, source_velocity: Array, request: Request, periods: Array
) -> Sum:
    """The answer to a request about everyone, for boids at `position`, shape (n, d)."""
    own = position is source_position
    count = np.full(len(position), float(len(source_position) - own))
    if request.quantity == "velocity":
        total = source_velocity.sum(axis=0) - (source_velocity if own else 0.0)
        return Sum(count, np.broadcast_to(total, position.shape))
    total = columns(*position.shape)
    for axis, period in enumerate(periods):
        total[:, axis] = _offsets(position[:, axis], source_position[:, axis], float(period))
    return Sum(count, total)


def _offsets(own: Array, others: Array, period: float) -> Array:
    total = others.sum() - len(others) * own
    if not period:
        return np.asarray(total)
    ranked = np.sort(others)
    ahead = len(others) - np.searchsorted(ranked, own + period / 2, side="right")
    behind = np.searchsorted(ranked, own - period / 2, side="left")
    return np.asarray(total + period * (behind - ahead))
