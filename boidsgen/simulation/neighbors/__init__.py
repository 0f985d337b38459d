"""Neighbor sums: the one pairwise kernel of the simulation, with one file per engine.

`Neighbors` answers requests; it is where closed form and engine are chosen, and nowhere else.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors import everyone, unbounded, vectorized
from boidsgen.simulation.neighbors.request import Falloff, Request, Sum

__all__ = ["ENGINES", "Falloff", "Neighbors", "Request", "Sum"]

Engine: TypeAlias = Callable[[Array, Array, Array, Array, Sequence[Request], Array], list[Sum]]
"""position, velocity, source_position, source_velocity, requests, periods → one Sum per request."""

ENGINES: dict[str, Engine] = {"numpy": vectorized.neighbor_sums}
"""Engines by name; all give the same sums to the last bit."""


@dataclass(frozen=True, slots=True)
class Neighbors:
    """Answers requests about neighbors with one engine in one world.

    Attributes:
        engine: computes the sums that have no closed form.
        periods: (d,) after what distance each axis repeats, 0 where it does not.
    """

    engine: Engine
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
            return self.engine(position, velocity, source_position, source_velocity, requests, self.periods)

        answers: dict[Request, Sum] = {}
        for request in filter(everyone.answers, requests):
            answers[request] = everyone.sum_over_everyone(
                position, source_position, source_velocity, request, self.periods
            )
        for alike in _alike(request for request in requests if unbounded.answers(request)):
            found = unbounded.sums_of_nearest(position, velocity, source_position, alike, self.periods, search)
            answers.update(zip(alike, found, strict=True))
        bounded = [request for request in requests if request not in answers]
        answers.update(zip(bounded, search(position, velocity, bounded), strict=True))
        return answers


def _alike(requests: Iterable[Request]) -> list[list[Request]]:
    """The requests in groups that are about the same neighbors."""
    groups: dict[object, list[Request]] = {}
    for request in requests:
        groups.setdefault(request.whom, []).append(request)
    return list(groups.values())
