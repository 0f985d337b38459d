"""Engines: what computes a step, and which one is worth its start.

An engine has three parts, each of which may be replaced without the others:
  neighbor_sums(position, velocity, source_position, source_velocity, requests, periods)   one Sum per request
  steer(desired, velocity, max_speed, max_force)                                           see `dynamics`
  move(position, velocity, drive, limits)                                                  see `dynamics`
numpy defines them, and every engine gives the same bits. `Neighbors` answers requests with an engine: it is where
closed form and engine are chosen, and nowhere else.

numba takes a moment to be imported and to load its code, and some seconds the very first time, when it compiles. A
short run is over before that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import NamedTuple, Protocol

from boidsgen.simulation import dynamics
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors import unbounded, unusable, vectorized
from boidsgen.simulation.neighbors.request import Falloff, Request, Sum

INSTALLED = find_spec("numba") is not None
"""Whether the compiled engine can be had at all; asking does not import it."""

WORTHWHILE = 0.8
"""Seconds that the compiled engine must save to be worth its start, a third of a second, and its memory, 100 MB."""

SAVED_PER_BOID = 2e-6
"""Seconds that the compiled engine saves in one step for one boid: a quarter of this with few neighbors, ten times as
much in the middle of a dense flock."""

SAVED_PER_STEP = 0.15e-3
"""Seconds that it saves in one step whatever the size of the flock."""

LONG = 20.0
"""Seconds that a run must lose without the compiled engine before it is worth a hint."""


class Work(NamedTuple):
    """How much there is to do.

    Attributes:
        boids: how many there are in all flocks.
        steps: how many steps there are in all.
    """

    boids: int
    steps: int

    @property
    def saved(self) -> float:
        """Seconds that the compiled engine saves, roughly."""
        return self.steps * (SAVED_PER_STEP + SAVED_PER_BOID * self.boids)


def best_engine(work: Work) -> str:
    """The engine that is done first."""
    return "numba" if INSTALLED and work.saved > WORTHWHILE else "numpy"


def hint(work: Work) -> str | None:
    """What would make a large run without numba faster, if anything would."""
    if INSTALLED or work.saved < LONG:
        return None
    return 'this is a large simulation: it runs several times faster with numba (pip install "boidsgen[fast]")'


__all__ = ["ENGINES", "Falloff", "Neighbors", "Request", "Sum"]


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


class Steer(Protocol):
    """Turns desired directions into steering, as `dynamics.steer` does."""

    def __call__(self, desired: Array, velocity: Array, max_speed: float, max_force: float) -> Array:
        """The steering, shape (k, n, d)."""


class Move(Protocol):
    """Moves a group by a drive, as `dynamics.move` does."""

    def __call__(self, position: Array, velocity: Array, drive: Array, limits: dynamics.Limits) -> tuple[Array, Array]:
        """Positions and velocities one step later, shape (n, d) each."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What computes a step.

    Attributes:
        neighbor_sums: answers what rules ask about neighbors.
        steer: turns the directions that rules desire into steering.
        move: turns a drive into the next positions and velocities.
    """

    neighbor_sums: NeighborSums
    steer: Steer = dynamics.steer
    move: Move = dynamics.move


def _compiled(
    position: Array,
    velocity: Array,
    source_position: Array,
    source_velocity: Array,
    requests: Sequence[Request],
    periods: Array,
) -> list[Sum]:

    if not unusable.given_up():
        try:
            from boidsgen.simulation.neighbors import compiled  # noqa: PLC0415  numba takes long to import

            return compiled.neighbor_sums(position, velocity, source_position, source_velocity, requests, periods)
        except unusable.UnusableEngineError as error:
            unusable.give_up(error)
    return vectorized.neighbor_sums(position, velocity, source_position, source_velocity, requests, periods)


ENGINES: dict[str, Engine] = {
    "numpy": Engine(vectorized.neighbor_sums),
    **({"numba": Engine(_compiled)} if INSTALLED else {}),
}
"""The engines that are installed, by name; all give the same to the last bit."""


@dataclass(frozen=True, slots=True)
class Neighbors:
    """Answers requests about neighbors with one engine in one world.

    Attributes:
        engine: computes the sums that have no closed form; rules find its other parts here.
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
            return self.engine.neighbor_sums(
                position, velocity, source_position, source_velocity, requests, self.periods
            )

        answers: dict[Request, Sum] = {}
        about_everyone, about_nearest, bounded = _by_kind(tuple(requests))
        for request in about_everyone:
            answers[request] = unbounded.sum_over_everyone(
                position, source_position, source_velocity, request, self.periods
            )
        for alike in about_nearest:
            found = unbounded.sums_of_nearest(position, velocity, source_position, alike, self.periods, search)
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
        if unbounded.is_about_everyone(request):
            kinds.about_everyone.append(request)
        elif unbounded.is_about_nearest(request):
            groups.setdefault(request.whom, []).append(request)
        else:
            kinds.bounded.append(request)
    kinds.about_nearest.extend(groups.values())
    return kinds
