"""Run a scenario: one state per frame."""

from collections.abc import Iterator

from boidsgen.errors import UsageError
from boidsgen.simulation.neighbors import ENGINES, Neighbors
from boidsgen.simulation.randomness import Randomness
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State
from boidsgen.simulation.stepping import Stepper
from boidsgen.simulation.timeline import Timeline


def simulate(setup: Setup, engine: str = "auto") -> Iterator[State]:
    """The states of a scenario, one per frame, the first before any step beyond warm-up.

    Every engine gives the same states; `auto` takes the fastest there is.

    Raises:
        UsageError: when there is no such engine.
        NotFiniteError: when the simulation leaves the finite numbers.
    """
    stepper = Stepper(Neighbors(ENGINES[engine_name(engine)], setup.world.periods), Randomness(setup.seed))
    return _frames(stepper, setup)


def engine_name(engine: str) -> str:
    """The engine that a wish stands for.

    Raises:
        UsageError: when there is no such engine.
    """
    if engine == "auto":
        return "numpy"
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}; use one of auto, {', '.join(ENGINES)}")
    return engine


def _frames(stepper: Stepper, setup: Setup) -> Iterator[State]:
    timeline = Timeline(setup)
    state = stepper.arrived(stepper.first(setup), timeline.at(0), 0)
    for frame in range(setup.time.frames):
        for _ in range(setup.time.steps_per_frame if frame else setup.time.warmup):
            state = stepper.next(state)
        state = stepper.arrived(state, timeline.at(frame), frame)
        yield state
