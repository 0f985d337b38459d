"""Neighbor sums: the one pairwise kernel of the simulation, with one file per engine.

`Neighbors` answers requests; it is where closed form and engine are chosen, and nowhere else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors import everyone, vectorized
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
        pairwise = [request for request in requests if not everyone.answers(request)]
        found = self.engine(position, velocity, source_position, source_velocity, pairwise, self.periods)
        answers = dict(zip(pairwise, found, strict=True))
        for request in requests:
            if request not in answers:
                answers[request] = everyone.sum_over_everyone(
                    position, source_position, source_velocity, request, self.periods
                )
        return answers
