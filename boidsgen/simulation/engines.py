"""Engines: what computes a step, and which one is worth its start.

`numpy` is the definition and runs everywhere; `numba` gives the same bits, sooner where a run is long enough. `auto`
compiles only where the run is expected to gain at least twice what compiling takes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from boidsgen.errors import UsageError
from boidsgen.simulation import backend, sequential, steering
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors import vectorized
from boidsgen.simulation.neighbors.sums import NeighborSums
from boidsgen.simulation.rules.rule import View
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.steering import Advanced, SteeredGroup
from boidsgen.simulation.visits import visits

ENGINES = ("numpy", *(["numba"] if backend.INSTALLED else []))
"""The names of the engines that are installed; all give the same to the last bit."""

SAVED_PER_STEP, SAVED_PER_BOID, SAVED_PER_VISIT, SAVED_PER_TURN = 0.1e-3, 0.5e-6, 1.5e-7, 0.3e-3
"""Seconds that compiled code saves in a step, for a boid in it, for a neighbor that is looked at, and for a boid that
moves alone."""

COMPILING = 8.0
"""Seconds that compiling takes, at most, on an ordinary machine."""

STEPS, TURNS = "sum_kernel.add_up", "step_kernel.take_turns"
"""Functions whose machine code is the last to be compiled, for boids that move at once and for others."""

LONG = 10.0
"""Seconds that a run must lose without numba before it is worth a hint."""


class Advance(Protocol):
    """Moves a group by its rules and whatever pushes it, as `steering.advance` does."""

    def __call__(self, table: SteeredGroup, view: View, pushes: Sequence[Array], dt: float) -> Advanced:
        """The group one step later."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Computes steps.

    Attributes:
        name: of the engine.
        neighbor_sums: answers what rules ask about neighbors.
        advance: does the step of a group.
        take_turns: does the step of a flock whose boids move one after the other.
    """

    name: str
    neighbor_sums: NeighborSums
    advance: Advance
    take_turns: Callable[[sequential.Turns], None]


NUMPY = Engine("numpy", vectorized.neighbor_sums, steering.advance, sequential.take_turns)


class Gain(NamedTuple):
    """Estimated gain of compiled code in a run.

    Attributes:
        seconds: in all.
        turns: True if boids move one after the other, for which there is code of its own.
    """

    seconds: float
    turns: bool

    @property
    def worthwhile(self) -> bool:
        """True if that is worth the start of compiled code."""
        return backend.worthwhile(self.seconds, COMPILING, __file__, TURNS if self.turns else STEPS)


def gain(setup: Setup, runs: int = 1) -> Gain:
    """Estimated gain of compiled code in some runs of a scenario."""
    turns = sum(setup.most_turns)
    each = SAVED_PER_STEP + SAVED_PER_BOID * sum(setup.most_boids) + SAVED_PER_TURN * turns
    return Gain(runs * (setup.steps * each + SAVED_PER_VISIT * visits(setup)), bool(turns))


def engine_name(engine: str, setup: Setup | None = None, runs: int = 1) -> str:
    """The engine for some runs of a scenario; as long as that is not known, `auto` stands for itself.

    Raises:
        UsageError: when there is no such engine.
    """
    if engine == "auto":
        return engine if setup is None else "numba" if gain(setup, runs).worthwhile else "numpy"
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}; use one of auto, {', '.join(ENGINES)}")
    return engine


def engine_of(name: str) -> Engine:
    """An engine, whose code is loaded or compiled when it is first needed; numpy if numba cannot be used."""
    if name == "numpy" or not backend.usable():
        return NUMPY
    from boidsgen.simulation import compiled, compiled_step  # noqa: PLC0415  numba takes long to import

    return Engine("numba", compiled.neighbor_sums, compiled_step.advance, compiled_step.take_turns)


def load(engine: str, setup: Setup, runs: int = 1) -> Engine:
    """The engine for some runs of a scenario, with all its machine code; numpy where that cannot be had.

    Raises:
        UsageError: when there is no such engine.
    """
    found = engine_of(engine_name(engine, setup, runs))
    if found is NUMPY:
        return NUMPY
    from boidsgen.simulation import compiled  # noqa: PLC0415

    try:
        compiled.load(setup.world.dimension, turns=any(setup.most_turns))
    except backend.UnusableEngineError as error:
        backend.give_up(error)
        return NUMPY
    return found


def prepare(engine: str, setup: Setup, runs: int = 1) -> str:
    """The name of the engine for each of some runs; its code is compiled here and now, for other processes to load.

    Raises:
        UsageError: when there is no such engine.
    """
    return load(engine, setup, runs).name


def hint(setup: Setup, engine: str) -> str | None:
    """A line for the user if a large scenario would be faster with numba, which is not installed."""
    if engine != "auto" or backend.INSTALLED or gain(setup).seconds < LONG:
        return None
    return 'this is a large simulation: it runs several times faster with numba (pip install "boidsgen[fast]")'
