"""Requests about neighbors, and their answers.

A neighbor of a boid is another one nearer than the radius of the request, within its field of view, and not in the very
same place. Offsets are the neighbor's position minus the boid's own, the minimum image. A boid at rest sees all round.

Sums over everyone have a closed form: the sum of all offsets is the sum of all positions minus n times one's own. Where
the world repeats, the boids more than half a period ahead are nearer the other way round: each of them takes one period
off the sum, and sorting counts them. With radius inf and all-round view everybody counts as a neighbor, even in the
same place. Sums over the nearest few without a radius are found by searches whose radius doubles. Everything else is
one search, by the engine's `NeighborSums`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array, columns, zeros

Falloff = Literal["constant", "inverse", "inverse_square", "linear"]
"""Dependence of a push on the distance r: 1, 1/r, 1/r² or r."""

Quantity = Literal["offset", "velocity", "constant", "inverse", "inverse_square", "linear"]
"""Quantities that are added up: offsets, velocities, or offsets brought to the length that a falloff gives."""

COINCIDENT = 1e-15
"""Two boids nearer than this, in world units, are in the same place."""


class Request(NamedTuple):
    """One sum over the neighbors of each boid.

    Attributes:
        radius: neighbors are nearer than this, world units; inf = everyone.
        field_of_view: total angle in degrees around the boid's velocity; 360 = all round.
        quantity: what is added up.
        nearest: only so many of them, the nearest; None = all. Among equally near ones the grid's order decides.
    """

    radius: float
    field_of_view: float
    quantity: Quantity
    nearest: int | None = None

    @property
    def whom(self) -> tuple[float, float, int | None]:
        """Whom the request is about, whatever is added up."""
        return self.radius, self.field_of_view, self.nearest


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """The answer to one request.

    Attributes:
        count: (n,) number of neighbors of each boid.
        total: (n, d) sum over these neighbors.
    """

    count: Array
    total: Array

    def __add__(self, other: "Sum") -> "Sum":
        """Both sums taken together, as over two groups of neighbors."""
        return Sum(self.count + other.count, self.total + other.total)


PositionsAndVelocities: TypeAlias = tuple[Array, Array]
"""Positions and velocities of a group, shape (n, d) each."""


class NeighborSums(Protocol):
    """Answers all requests of boids about sources, as `vectorized.neighbor_sums` does."""

    def __call__(
        self,
        position: Array,
        velocity: Array,
        source_position: Array,
        source_velocity: Array,
        requests: Sequence[Request],
        periods: Array,
    ) -> list[Sum]:
        """One sum per request."""


def is_about_everyone(request: Request) -> bool:
    """True if a request is about everyone and has a closed form."""
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
    """True if a request is about the nearest so many without any bound on their distance."""
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
    """Maximum distance between a boid and a source along each axis, shape (d,)."""
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


@dataclass(frozen=True, slots=True)
class Neighbors:
    """Answers requests about neighbors with one engine in one world.

    Attributes:
        search: computes the sums that have no closed form.
        periods: (d,) after what distance each axis repeats, 0 where it does not.
    """

    search: NeighborSums
    periods: Array

    def sums(
        self,
        position: Array,
        velocity: Array,
        source_position: Array,
        source_velocity: Array,
        requests: Sequence[Request],
    ) -> dict[Request, Sum]:
        """The answer to each request of boids at `position`, shape (n, d), about these sources, shape (m, d)."""

        def search(position: Array, velocity: Array, requests: Sequence[Request]) -> list[Sum]:
            return self.search(position, velocity, source_position, source_velocity, requests, self.periods)

        answers: dict[Request, Sum] = {}
        about_everyone, about_nearest, bounded = _by_kind(tuple(requests))
        for request in about_everyone:
            answers[request] = sum_over_everyone(position, source_position, source_velocity, request, self.periods)
        for alike in about_nearest:
            found = sums_of_nearest(position, velocity, source_position, alike, self.periods, search)
            answers.update(zip(alike, found, strict=True))
        answers.update(zip(bounded, search(position, velocity, bounded), strict=True))
        return answers


class _Kinds(NamedTuple):
    """Requests by how they are answered; those without bound on the distance in groups about the same neighbors."""

    about_everyone: list[Request]
    about_nearest: list[list[Request]]
    bounded: list[Request]


@lru_cache(maxsize=256)
def _by_kind(requests: tuple[Request, ...]) -> _Kinds:
    kinds = _Kinds([], [], [])
    groups: dict[object, list[Request]] = {}
    for request in requests:
        if is_about_everyone(request):
            kinds.about_everyone.append(request)
        elif is_about_nearest(request):
            groups.setdefault(request.whom, []).append(request)
        else:
            kinds.bounded.append(request)
    kinds.about_nearest.extend(groups.values())
    return kinds


def in_one_search(requests: Sequence[Request]) -> tuple[list[Request], list[Request]]:
    """The requests that are answered together by looking around every boid, and those that are answered otherwise."""
    bounded = _by_kind(tuple(requests)).bounded
    return bounded, [request for request in requests if request not in bounded]


def _answered_with(request: Request, requests: tuple[Request, ...]) -> Sequence[Request]:
    """Those of some requests that are answered together with this one."""
    kinds = _by_kind(requests)
    together = (kinds.bounded, *kinds.about_nearest)
    return next((alike for alike in together if request in alike), [request])


class Answers(Mapping[Request, Sum]):
    """The answers to requests of boids about some groups of sources, added up; found when first asked for."""

    __slots__ = ("_boids", "_found", "_neighbors", "_requests", "_sources")

    def __init__(
        self,
        neighbors: Neighbors,
        boids: PositionsAndVelocities,
        sources: Sequence[PositionsAndVelocities],
        requests: tuple[Request, ...],
    ) -> None:
        """All that may be asked; there are no answers without sources."""
        self._neighbors, self._boids = neighbors, boids
        self._sources, self._requests = sources, requests if sources else ()
        self._found: dict[Request, Sum] = {}

    @override
    def __getitem__(self, request: Request) -> Sum:
        if request not in self._found:
            if request not in self._requests:
                raise KeyError(request)
            self._find(_answered_with(request, self._requests))
        return self._found[request]

    @override
    def __iter__(self) -> Iterator[Request]:
        return iter(self._requests)

    @override
    def __len__(self) -> int:
        return len(self._requests)

    def _find(self, requests: Sequence[Request]) -> None:
        total: dict[Request, Sum] = {}
        for source in self._sources:
            sums = self._neighbors.sums(*self._boids, *source, requests)
            total = {request: total[request] + sums[request] if total else sums[request] for request in requests}
        self._found.update(total)
