"""Requests about neighbors, and their answers.

A neighbor of a boid is another one nearer than the radius of the request, within its field of view, and not in the very
same place, unless the request counts those, too. Offsets are the neighbor's position minus the boid's own, the minimum
image. A boid at rest sees all round.

Sums over everyone have a closed form: the sum of all offsets is the sum of all positions minus n times one's own. Where
the world repeats, the boids more than half a period ahead are nearer the other way round: each of them takes one period
off the sum, and sorting counts them. With radius inf and all-round view everybody counts as a neighbor, even in the
same place. Sums over the nearest few without a radius are found by searches whose radius doubles. Everything else is
one search, by the engine's `NeighborSums`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from boidsgen import exact
from boidsgen.simulation.geometry import Array, columns, zeros

Falloff = Literal["constant", "inverse", "inverse_square", "linear"]
"""Dependence of a push on the distance r: 1, 1/r, 1/r² or r."""

Quantity = Literal["offset", "velocity", "constant", "inverse", "inverse_square", "linear"]
"""Quantities that are added up: offsets, velocities, or offsets brought to the length that a falloff gives."""

Coincident = Literal["ignore", "count"]
"""Treatment of boids at the very same place."""

COINCIDENT = 1e-15  # Two boids nearer than this, in world units, are in the same place


class Request(NamedTuple):
    """One sum over the neighbors of each boid."""

    radius: float  # neighbors are nearer than this, world units; inf = everyone
    field_of_view: float  # total angle in degrees around the boid's velocity; 360 = all round
    quantity: Quantity  # what is added up
    # only so many of them, the nearest; None = all. Among equally near ones the grid's order decides.
    nearest: int | None = None
    coincident: Coincident = "ignore"  # whether those at the very same place are neighbors, too

    @property
    def whom(self) -> tuple[float, float, int | None, Coincident]:
        """Whom the request is about, whatever is added up."""
        return self.radius, self.field_of_view, self.nearest, self.coincident

    @property
    def least(self) -> float:
        """The smallest distance of a neighbor, world units."""
        return 0.0 if self.coincident == "count" else COINCIDENT


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """The answer to one request."""

    count: Array  # (n,) number of neighbors of each boid
    total: Array  # (n, d) sum over these neighbors

    def __add__(self, other: "Sum") -> "Sum":
        """Both sums taken together, as over two groups of neighbors."""
        return Sum(self.count + other.count, self.total + other.total)


NeighborSums: TypeAlias = Callable[[Array, Array, Array, Array, Sequence[Request], Array], list[Sum]]
"""Answers all requests of boids about sources, one sum per request, as `vectorized.neighbor_sums` does."""


def is_about_everyone(request: Request) -> bool:
    """True if a request is about everyone and has a closed form."""
    everyone = request.whom[:3] == (np.inf, 360.0, None)
    return everyone and request.quantity in ("offset", "linear", "velocity")


@lru_cache(maxsize=256)  # asked for every request of every step
def kind_of(request: Request) -> Request | tuple[float, float, int | None, Coincident] | None:
    """Requests of one kind are answered together: None = by looking around every boid, within some radius.

    The others are about everyone, which has a closed form, or about the nearest few without any bound.
    """
    if is_about_everyone(request):
        return request
    return request.whom if request.radius == np.inf and request.nearest is not None else None


def sum_over_everyone(
    position: Array, source_position: Array, source_velocity: Array, request: Request, periods: Array
) -> Sum:
    """The answer to a request about everyone, for boids at `position`, shape (n, d)."""
    own = position is source_position
    many = len(source_position)
    count = np.full(len(position), float(many - own))
    if request.quantity == "velocity":
        total = source_velocity.sum(axis=0) - (source_velocity if own else 0.0)
        return Sum(count, np.broadcast_to(total, position.shape))
    total = columns(*position.shape)
    for axis, period in enumerate(periods.tolist()):
        here, there = position[:, axis], source_position[:, axis]
        total[:, axis] = there.sum() - many * here
        if period:
            ranked = np.sort(there)
            ahead = many - np.searchsorted(ranked, here + period / 2, side="right")
            behind = np.searchsorted(ranked, here - period / 2, side="left")
            total[:, axis] += period * (behind - ahead)
    return Sum(count, total)


def sums_of_nearest(
    position: Array,
    velocity: Array,
    source_position: Array,
    requests: Sequence[Request],
    periods: Array,
    search: Callable[[Array, Array, Sequence[Request]], Sequence[Sum]],
) -> list[Sum]:
    """Answer requests of radius inf for the `nearest` so many, all of the same number, with bounded searches."""
    answers = [Sum(np.zeros(len(position)), zeros(*position.shape)) for _ in requests]
    if not len(position) or not len(source_position):
        return answers
    wanted = requests[0].nearest or 0
    both = np.concatenate((position, source_position))
    # No boid and source are further apart along each axis.
    spans: Array = np.where(periods > 0, periods / 2, both.max(axis=0) - both.min(axis=0))
    farthest = float(np.sqrt((spans**2).sum()))
    # There are about twice as many as wanted within the first radius when sources are evenly spread on a flat torus,
    # whose sides are twice the spans: a square with this side has 2.5 / 4 times their number, a circle pi times that.
    volume = float(np.prod(np.maximum(spans, spans.max() * 1e-3)))
    share = min(1.0, 2.5 * wanted / len(source_position))
    root = np.sqrt(share * volume) if len(spans) == 2 else exact.cube_root(share * volume)
    radius = max(float(root), np.finfo(float).tiny)
    pending = np.arange(len(position))
    own = position is source_position and requests[0].coincident == "count"
    while len(pending):
        last = radius >= farthest
        bounded = [request._replace(radius=np.inf if last else radius) for request in requests]
        # Who are the sources themselves are looked up faster than copies, which would count as their own neighbors.
        everyone = own or len(pending) == len(position)
        asking = (position, velocity) if everyone else (position[pending], velocity[pending])
        wanting = pending if everyone else slice(None)
        found = search(*asking, bounded)
        for answer, part in zip(answers, found, strict=True):
            answer.count[pending] = part.count[wanting]
            answer.total[pending] = part.total[wanting]
        pending = pending[(found[0].count[wanting] < wanted) & (not last)]
        radius *= 2
    return answers


class NeighborSearch(NamedTuple):
    """Answers requests about neighbors with one engine in one world."""

    search: NeighborSums  # computes the sums that have no closed form
    periods: Array  # (d,) after what distance each axis repeats, 0 where it does not

    def sums(
        self,
        position: Array,
        velocity: Array,
        source_position: Array,
        source_velocity: Array,
        requests: Sequence[Request],
    ) -> dict[Request, Sum]:
        """The answer to each request of boids at `position`, shape (n, d), about these sources, shape (m, d)."""

        def search(position: Array, velocity: Array, requests: Sequence[Request]) -> Sequence[Sum]:
            return self.search(position, velocity, source_position, source_velocity, requests, self.periods)

        kinds: dict[object, list[Request]] = {}
        for request in requests:
            kinds.setdefault(kind_of(request), []).append(request)
        answers: dict[Request, Sum] = {}
        for kind, alike in kinds.items():
            if kind is None:
                found = search(position, velocity, alike)
            elif kind == alike[0]:
                found = [sum_over_everyone(position, source_position, source_velocity, alike[0], self.periods)]
            else:
                found = sums_of_nearest(position, velocity, source_position, alike, self.periods, search)
            answers.update(zip(alike, found, strict=True))
        return answers

    def over(
        self, boids: tuple[Array, Array], sources: Sequence[tuple[Array, Array]], requests: Sequence[Request]
    ) -> dict[Request, Sum]:
        """The answers about several groups of sources, added up; none without sources.

        Boids and each of the sources: positions and velocities.
        """
        answers: dict[Request, Sum] = {}
        for source in sources:
            found = self.sums(*boids, *source, requests)
            answers = {request: answers[request] + one if answers else one for request, one in found.items()}
        return answers
