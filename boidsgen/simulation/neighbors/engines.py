"""Engines: what computes a step, and which one is worth its start.

An engine has these parts, each of which may be replaced without the others:
  neighbor_sums(position, velocity, source_position, source_velocity, requests, periods)   one Sum per request
  steer(desired, velocity, max_speed, max_force)                                           see `dynamics`
  move(position, velocity, drive, limits)                                                  see `dynamics`
  turns(plan, first, last)                                                                 see `turns`; may be absent
  advance(table, view, pushes, dt)                                                         see `advance`
numpy defines them, and every engine gives the same bits. `Neighbors` answers requests with an engine: it is where
closed form and engine are chosen, and nowhere else.

numba takes a moment to be imported and to load its code, and some seconds the very first time, when it compiles. A
short run is over before that.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from typing_extensions import override

from boidsgen.simulation import advance as whole
from boidsgen.simulation import dynamics
from boidsgen.simulation.advance import Advanced
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors import unbounded, unusable, vectorized
from boidsgen.simulation.neighbors.request import Falloff, Request, Sum
from boidsgen.simulation.neighbors.turns import Plan

if TYPE_CHECKING:
    from boidsgen.simulation.rules.rule import View
    from boidsgen.simulation.steering import SteeredGroup

INSTALLED = find_spec("numba") is not None
"""Whether the compiled engine can be had at all; asking does not import it."""

WORTHWHILE = 0.8
"""Seconds that the compiled engine must save to be worth its start, a third of a second, and its memory, 100 MB."""

SAVED_PER_BOID = 0.5e-6
"""Seconds that the compiled engine saves in one step for one boid that has hardly a neighbor."""

SAVED_PER_VISIT = 1.5e-7
"""Seconds that it saves for one neighbor that is looked at."""

SAVED_PER_STEP = 0.1e-3
"""Seconds that it saves in one step whatever the size of the flock."""

SAVED_PER_TURN = 0.3e-3
"""Seconds that it saves for one boid that takes its turn."""

LONG = 10.0
"""Seconds that a run must lose without the compiled engine before it is worth a hint."""


class Work(NamedTuple):
    """How much there is to do.

    Attributes:
        boids: how many there are in all flocks.
        steps: how many steps there are in all.
        turns: how many boids take turns in each step.
        visits: neighbors looked at in all.
    """

    boids: int
    steps: int
    turns: int = 0
    visits: int = 0

    @property
    def saved(self) -> float:
        """Seconds that the compiled engine saves, roughly."""
        each = SAVED_PER_STEP + SAVED_PER_BOID * self.boids + SAVED_PER_TURN * self.turns
        return self.steps * each + self.visits * SAVED_PER_VISIT


def best_engine(work: Work) -> str:
    """The engine that is done first."""
    return "numba" if INSTALLED and work.saved > WORTHWHILE else "numpy"


def hint(work: Work) -> str | None:
    """What would make a large run without numba faster, if anything would."""
    if INSTALLED or work.saved < LONG:
        return None
    return 'this is a large simulation: it runs several times faster with numba (pip install "boidsgen[fast]")'


__all__ = ["ENGINES", "Falloff", "Neighbors", "Request", "Sum"]


Places: TypeAlias = tuple[Array, Array]
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


class Steer(Protocol):
    """Turns desired directions into steering, as `dynamics.steer` does."""

    def __call__(self, desired: Array, velocity: Array, max_speed: float, max_force: float) -> Array:
        """The steering, shape (k, n, d)."""


class Move(Protocol):
    """Moves a group by a drive, as `dynamics.move` does."""

    def __call__(self, position: Array, velocity: Array, drive: Array, limits: dynamics.Limits) -> tuple[Array, Array]:
        """Positions and velocities one step later, shape (n, d) each."""


class Advance(Protocol):
    """Moves a group by its rules and whatever pushes it, as `advance.advance` does."""

    def __call__(self, table: "SteeredGroup", view: "View", pushes: Sequence[Array], dt: float) -> Advanced:
        """The group one step later."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What computes a step.

    Attributes:
        neighbor_sums: answers what rules ask about neighbors.
        steer: turns the directions that rules desire into steering.
        move: turns a drive into the next positions and velocities.
        turns: moves boids one after the other, in place; None = as `sequential` defines it.
        advance: does the whole step of a group.
    """

    neighbor_sums: NeighborSums
    steer: Steer = dynamics.steer
    move: Move = dynamics.move
    advance: Advance = whole.advance
    turns: Callable[[Plan, int, int], None] | None = None


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


def _compiled_turns(plan: Plan, first: int, last: int) -> None:

    from boidsgen.simulation.neighbors import compiled_turns  # noqa: PLC0415  numba takes long to import

    compiled_turns.take_turns(plan, first, last)


def _advanced(table: "SteeredGroup", view: "View", pushes: Sequence[Array], dt: float) -> Advanced:
    step = _compiled_step()
    if step is None:
        return whole.advance(table, view, pushes, dt)
    moved: Advanced = step.advanced(table, view, pushes, dt)
    return moved


@cache
def _compiled_step() -> ModuleType | None:
    """The compiled step with all its machine code; None where it cannot be had, found out before the first step."""
    if unusable.given_up():
        return None

    from boidsgen.simulation import compiled_step  # noqa: PLC0415  numba takes long to import

    try:
        compiled_step.compile_all()
    except unusable.UnusableEngineError as error:
        unusable.give_up(error)
        return None
    return compiled_step


ENGINES: dict[str, Engine] = {
    "numpy": Engine(vectorized.neighbor_sums),
    **({"numba": Engine(_compiled, advance=_advanced, turns=_compiled_turns)} if INSTALLED else {}),
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
        self, neighbors: Neighbors, boids: Places, sources: Sequence[Places], requests: tuple[Request, ...]
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
