"""Run a scenario: one state per frame."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from typing_extensions import override

from boidsgen.errors import UsageError
from boidsgen.records import library
from boidsgen.simulation import backend
from boidsgen.simulation.engines import Engine, load
from boidsgen.simulation.geometry import Array, keep_freed_memory
from boidsgen.simulation.groups import own_rules
from boidsgen.simulation.randomness import Randomness
from boidsgen.simulation.setup import Setup, State, Timeline
from boidsgen.simulation.stepping import Stepper


def simulate(setup: Setup, engine: str = "auto") -> "Run":
    """The states of a scenario, one per frame, the first before any step beyond warm-up.

    Every engine gives the same states; `auto` takes the one that is done first.

    Raises:
        UsageError: when there is no such engine.
        NotFiniteError: when the simulation leaves the finite numbers.
    """
    keep_freed_memory()
    return Run(setup, load(engine, setup))


class Run(Iterator[State]):
    """The states of a scenario, one after the other.

    Attributes:
        notices: what a user should know about how they were computed, one line each.
        engine: the name of the engine that computes them.
        own_rules: the names of rules that a program has given, and that no scenario tells.
    """

    def __init__(self, setup: Setup, engine: Engine) -> None:
        """A run with an engine."""
        self.engine = engine.name
        self.own_rules = tuple(dict.fromkeys(name for flock in setup.flock for name in own_rules(flock)))
        self.notices: list[str] = backend.notices()
        self._states = _frames(Stepper(engine, setup.world.periods, Randomness(setup.seed)), setup)

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


def _frames(stepper: Stepper, setup: Setup) -> Iterator[State]:
    timeline = Timeline(setup)
    state = stepper.arrived(stepper.first(setup), timeline.at(0), 0)
    for frame in range(setup.time.frames):
        for _ in range(setup.time.steps_per_frame if frame else setup.time.warmup):
            state = stepper.next(state)
        state = stepper.arrived(state, timeline.at(frame), frame)
        yield state
