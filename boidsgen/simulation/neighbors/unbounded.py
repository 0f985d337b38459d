"""Neighbor sums without a radius: over everyone, and over the nearest so many however far away.

The sum of all offsets is the sum of all positions minus n times one's own. Where the world repeats, the boids more
than half a period ahead are nearer the other way round: each of them takes one period off the sum, and sorting counts
them. With radius inf and all-round view everybody counts as a neighbor, even who is in the same place.

The search begins with a radius in which about twice as many boids live as are wanted, and doubles it for those that
have not yet found enough. Whoever has found enough within a radius has found the nearest: all others are further
away.
"""

from collections.abc import Callable, Sequence

import numpy as np

from boidsgen.simulation.geometry import Array, columns, zeros
from boidsgen.simulation.neighbors.request import Request, Sum


def is_about_everyone(request: Request) -> bool:
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
        total[:, axis] = _offsets_to_all(position[:, axis], source_position[:, axis], float(period))
    return Sum(count, total)


def _offsets_to_all(own: Array, others: Array, period: float) -> Array:
    total = others.sum() - len(others) * own
    if not period:
        return np.asarray(total)
    ranked = np.sort(others)
    ahead = len(others) - np.searchsorted(ranked, own + period / 2, side="right")
    behind = np.searchsorted(ranked, own - period / 2, side="left")
    return np.asarray(total + period * (behind - ahead))


Search = Callable[[Array, Array, Sequence[Request]], Sequence[Sum]]
"""position, velocity, requests → one Sum per request, about the sources that the search was made for."""


def is_about_nearest(request: Request) -> bool:
    """Whether a request is about the nearest so many without any bound on their distance."""
    return request.radius == np.inf and request.nearest is not None


def sums_of_nearest(
    position: Array,
    velocity: Array,
    source_position: Array,
    requests: Sequence[Request],
    periods: Array,
    search: Search,
) -> list[Sum]:
    """Answer requests of radius inf for the `nearest` so many, all of the same number, with bounded searches."""
    answers = [Sum(np.zeros(len(position)), zeros(*position.shape)) for _ in requests]
    if not len(position) or not len(source_position):
        return answers
    wanted = requests[0].nearest or 0
    spans = _spans(position, source_position, periods)
    farthest = float(np.sqrt((spans**2).sum()))
    radius = _first_radius(wanted, len(source_position), spans)
    pending = np.arange(len(position))
    while len(pending):
        last = radius >= farthest
        bounded = [request._replace(radius=np.inf if last else radius) for request in requests]
        everyone = len(pending) == len(position)  # who are the sources themselves are looked up faster than copies
        asking = (position, velocity) if everyone else (position[pending], velocity[pending])
        found = search(*asking, bounded)
        for answer, part in zip(answers, found, strict=True):
            answer.count[pending] = part.count
            answer.total[pending] = part.total
        pending = pending[(found[0].count < wanted) & (not last)]
        radius *= 2
    return answers


def _spans(position: Array, source_position: Array, periods: Array) -> Array:
    """How far apart a boid and a source can be along each axis, shape (d,)."""
    both = np.concatenate((position, source_position))
    spans: Array = np.where(periods > 0, periods / 2, both.max(axis=0) - both.min(axis=0))
    return spans


def _first_radius(wanted: int, sources: int, spans: Array) -> float:
    """Radius within which there are about twice the wanted number when sources are evenly spread on a flat torus.

    Its spans are half its sides: a square with this radius as its side holds 2.5 / 4 times the wanted number, a circle
    pi times that.
    """
    share = min(1.0, 2.5 * wanted / max(sources, 1))
    volume = float(np.prod(np.maximum(spans, spans.max() * 1e-3)))
    return max(float((share * volume) ** (1 / len(spans))), np.finfo(float).tiny)
