"""Run a scenario: one state per frame."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, cast

import numpy as np
from typing_extensions import override

from boidsgen.errors import UsageError
from boidsgen.records import library
from boidsgen.simulation.compiling import Change, begin, starts_with_numpy
from boidsgen.simulation.flock import own_rules
from boidsgen.simulation.geometry import Array, keep_freed_memory
from boidsgen.simulation.neighbors import engines as choice
from boidsgen.simulation.neighbors.engines import ENGINES, Engine, Neighbors
from boidsgen.simulation.randomness import Randomness
from boidsgen.simulation.setup import Setup, Timeline
from boidsgen.simulation.state import State
from boidsgen.simulation.stepping import Stepper
from boidsgen.simulation.visits import visits


def simulate(setup: Setup, engine: str = "auto") -> "Run":
    """The states of a scenario, one per frame, the first before any step beyond warm-up.

    Every engine gives the same states; `auto` takes the one that is done first.

    Raises:
        UsageError: when there is no such engine.
        NotFiniteError: when the simulation leaves the finite numbers.
    """
    keep_freed_memory()
    if engine != "auto":
        return Run(setup, ENGINES[engine_name(engine)])
    work = _work(setup)
    return Run(setup, begin(work) if choice.best_engine(work) == "numba" else ENGINES["numpy"])


class Run(Iterator[State]):
    """The states of a scenario, one after the other.

    Attributes:
        notices: what a user should know about how they were computed, one line each.
        own_rules: the names of rules that a program has given, and that no scenario tells.
    """

    def __init__(self, setup: Setup, begun: Change | Engine) -> None:
        """A run with an engine, or with one that changes on the way."""
        change = begun if isinstance(begun, Change) else None
        engine = change.engine if change else begun
        stepper = Stepper(Neighbors(cast("Engine", engine), setup.world.periods), Randomness(setup.seed))
        self.own_rules = tuple(dict.fromkeys(name for flock in setup.flock for name in own_rules(flock)))
        self.notices: list[str] = change.notices if change else []
        self._states = _frames(stepper, setup, change)

    @override
    def __next__(self) -> State:
        return next(self._states)

    def to_xarray(self) -> Any:  # noqa: ANN401  a Dataset, of a library that need not be there
        """All states that are still to come as an `xarray.Dataset`, with the dimensions frame, boid and axis.

        It has position and velocity of each flock and of each kind of predators, as in `boids.position`; groups of one
        name are numbered from the second on. Lengths are world units.

        Raises:
            UsageError: when xarray is not installed, or the number of animals changes on the way.
        """
        xarray = library("xarray", "to_xarray()")
        states = list(self)
        axes = list("xyz"[: states[0].setup.world.dimension]) if states else []
        coordinates = {"frame": [s.frame for s in states], "time": ("frame", [s.time for s in states]), "axis": axes}
        return xarray.Dataset(dict(_arrays(states)), coordinates)


def _arrays(states: Sequence[State]) -> Iterator[tuple[str, tuple[tuple[str, str, str], Array]]]:
    """The arrays of all groups by their names, each with its dimensions, shape (frames, n, d)."""
    seen: Counter[str] = Counter()
    for groups in zip(*((*state.flocks, *state.predators) for state in states), strict=True):
        name = groups[0].name
        seen[name] += 1
        label = name if seen[name] == 1 else f"{name} {seen[name]}"
        if len({len(group.position) for group in groups}) > 1:
            raise UsageError(f"to_xarray(): the number of {label} changes; go through the states one by one")
        yield f"{label}.position", (("frame", label, "axis"), np.stack([group.position for group in groups]))
        yield f"{label}.velocity", (("frame", label, "axis"), np.stack([group.velocity for group in groups]))


def engine_name(engine: str, setup: Setup | None = None) -> str:
    """The engine that a wish stands for; as long as the scenario is not known, `auto` stands for itself.

    Raises:
        UsageError: when there is no such engine.
    """
    if engine == "auto":
        return engine if setup is None else choice.best_engine(_work(setup))
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}; use one of auto, {', '.join(ENGINES)}")
    return engine


def engines_for_many(engine: str, setup: Setup, runs: int) -> Iterator[str]:
    """The engine of each of many runs like this one, as it begins; each alone may not be worth numba.

    It is numba where all that are left are worth it together and its code is there, the wish as it is until then: what
    is missing is compiled beside.
    """
    one = _work(setup)
    together = _together(one, runs)
    if engine != "auto" or one.turns or choice.best_engine(together) == "numpy":
        yield from repeat(engine, runs)
        return
    # Whether there is compiled code comes last: numba takes long to import.
    begun = begin(together) if starts_with_numpy(together) else None
    ready = begun is None
    for left in range(runs, 0, -1):
        ready = ready or (isinstance(begun, Change) and begun.ready())
        if ready and choice.best_engine(_together(one, left)) == "numba":
            yield from repeat("numba", left)
            return
        yield engine


def _together(one: choice.Work, runs: int) -> choice.Work:
    return one._replace(steps=one.steps * runs, visits=one.visits * runs)


def hint(setup: Setup, engine: str) -> str | None:
    """What would make a large scenario faster than this wish for an engine does, if anything would."""
    return choice.hint(_work(setup)) if engine == "auto" else None


def announcement(setup: Setup, engine: str, runs: int = 1) -> str | None:
    """A line for the user of so many runs like this one, where they will begin without their compiled code."""
    if engine == "auto" and starts_with_numpy(_together(_work(setup), runs)):
        return "numba: not compiled yet; one process does that for all runs, and those begin with numpy meanwhile"
    return None


def _work(setup: Setup) -> choice.Work:
    return choice.Work(sum(setup.most_boids), setup.steps, sum(setup.most_turns), visits(setup))


def _frames(stepper: Stepper, setup: Setup, change: Change | None) -> Iterator[State]:
    timeline = Timeline(setup)
    state = stepper.arrived(stepper.first(setup), timeline.at(0), 0)
    for frame in range(setup.time.frames):
        for _ in range(setup.time.steps_per_frame if frame else setup.time.warmup):
            began = time.perf_counter()
            state = stepper.next(state)
            if change:
                change.stepped(time.perf_counter() - began)
        state = stepper.arrived(state, timeline.at(frame), frame)
        if change and frame == setup.time.frames - 1:
            change.finish()
        yield state
