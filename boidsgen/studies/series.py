"""Series: the measures of a run frame by frame, or of several runs with independent seeds, without drawing.

The table `[measure]` of the scenario names the measures and frames. A row is `{"seed": …, "frame": …, "time": …,
NAME: …}`; a measure that is not defined in a frame is None. Rows come frame by frame and seed by seed, one at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from boidsgen.errors import LimitError, UsageError
from boidsgen.output.formats import format_of
from boidsgen.output.outputs import open_pending
from boidsgen.output.series import SERIES_WRITERS, Row
from boidsgen.pipeline import preflight
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.engines import engine_name
from boidsgen.simulation.measures import INSTANT
from boidsgen.simulation.measuring import KNOWN, Measurement, StateMeasure
from boidsgen.simulation.rules.rule import Rule
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup, State, with_rules
from boidsgen.tables import value_at

SEED_BITS = 48  # Bits of a spawned seed: at most fifteen digits, which spreadsheets and JavaScript keep exactly


@lru_cache(maxsize=4)
def spawn_seeds(seed: int, number: int) -> tuple[int, ...]:
    """Independent seeds; the first ones stay the same when more are wanted."""
    children = np.random.SeedSequence(seed).spawn(number)
    return tuple(int(child.generate_state(1, np.uint64)[0]) >> (64 - SEED_BITS) for child in children)


def columns(scenario: Scenario) -> tuple[str, ...]:
    """Columns of a row of this scenario, in order; numbers that events set come last."""
    return (*INSTANT, *scenario.measure.names, *moved_keys(scenario))


def moved_keys(setup: Setup) -> tuple[str, ...]:
    """The keys with numbers that events of a setup change, in the order of the events."""
    settings = (setting for event in setup.events for setting in event.set.items())
    return tuple(dict.fromkeys(key for key, value in settings if isinstance(value, int | float)))


def series_row(seed: int, state: State, names: Iterable[str], values: Mapping[str, float]) -> Row:
    """The row of one state."""
    moved = {key: value_at(state.setup, key.split(".")) for key in moved_keys(state.setup)}
    return {"seed": seed, "frame": state.frame, "time": state.time, **dict.fromkeys(names), **values, **moved}


def refuse_unmeasured(scenario: Scenario) -> None:
    """Stop when no frame would be measured; UsageError if measuring begins after the last frame."""
    first, last = scenario.measure.first(scenario.time), scenario.time.frames - 1
    if first > last:
        key = "from" if scenario.measure.from_ == first else "after"
        raise UsageError(f"measure.{key}: nothing is left to measure from frame {first} on; the last one is {last}")


class Own(NamedTuple):
    """What a program adds to a scenario, and no scenario can tell."""

    rules: tuple[Rule, ...] = ()  # that also steer every flock
    measures: Mapping[str, StateMeasure] = {}  # further measures by their names

    def steered(self, scenario: Scenario) -> Scenario:
        """The scenario with these rules; UsageError if one is no rule, or has a name that is taken."""
        if not self.rules:
            return scenario
        return scenario.model_copy(update={"flock": tuple(with_rules(flock, self.rules) for flock in scenario.flock)})


NOTHING = Own()


def own_parts(rules: Sequence[Rule], measures: Sequence[StateMeasure]) -> Own:
    """Rules and measures of a program, the measures under the names of their functions.

    Raises:
        UsageError: when a measure is no function of a state, or its name is taken.
    """
    named: dict[str, StateMeasure] = {}
    for measure in measures:
        name = getattr(measure, "__name__", "")
        if not callable(measure) or not name.isidentifier():
            raise UsageError(f"measures: {measure!r} is not a function with a name, of a state")
        if name in named or name in (*INSTANT, *KNOWN):
            raise UsageError(f"measures: {name} already exists; give the function another name")
        named[name] = measure
    return Own(tuple(rules), named)


@dataclass(frozen=True)
class Measured:
    """Runs to measure."""

    scenario: Scenario  # of all runs
    runs: Mapping[int, Iterable[State]]  # the states of each run by its seed; the runs differ in nothing else
    engine: str | None = None  # of the simulation; None for a saved run
    own: Own = NOTHING  # what a program adds

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of a row, in order."""
        return tuple(dict.fromkeys((*columns(self.scenario), *self.own.measures)))

    @property
    def rows(self) -> int:
        """Number of rows in the series."""
        return len(self.runs) * len(self.scenario.measure.frames(self.scenario.time))

    def series(self) -> Iterator[Row]:
        """The rows of all runs, one run after the other."""
        for seed, states in self.runs.items():
            measurement = Measurement(self.scenario.measure, self.scenario.time, own=self.own.measures)
            for state in states:
                if (values := measurement.of(state)) is not None:
                    yield series_row(seed, state, measurement.names, values)


def measured(scenario: Scenario, seeds: int | None, engine: str = "auto", own: Own = NOTHING) -> Measured:
    """Runs with this number of seeds spawned from the scenario's, or one run with the scenario's own.

    Raises:
        LimitError: they exceed the limits, each or together.
        UsageError: there is no such engine, or nothing to measure.
    """
    preflight(scenario, drawn=False)
    runs = seeds or 1
    if (wanted := runs * max(scenario.steps, scenario.time.frames)) > scenario.limits.steps:
        allowed = f"{scenario.limits.steps:,} allowed; --set limits.steps={wanted} allows it"
        raise LimitError(f"{wanted:,} steps wanted by {runs:,} runs together, {allowed}")
    refuse_unmeasured(scenario)
    chosen = [scenario.seed] if seeds is None else spawn_seeds(scenario.seed, seeds)
    steered = own.steered(scenario)
    states = {seed: simulate(steered.model_copy(update={"seed": seed}), engine) for seed in chosen}
    return Measured(scenario, states, engine_name(engine), own)


def write_series(
    rows: Iterable[Row],
    paths: Sequence[str],
    *,
    names: Sequence[str],
    output_format: str | None = None,
    no_clobber: bool = False,
    observe: Callable[[Row], None] | None = None,
) -> None:
    """Write rows to all paths as they come, complete or not at all.

    Args:
        rows: of a series.
        paths: files whose extensions select the format; "-" is standard output.
        names: columns in order.
        output_format: the format where an extension selects none.
        no_clobber: leave existing files as they are.
        observe: called with every row after it is written.

    Raises:
        BoidsgenError: one of its kinds; then every file is as it was before.
    """
    kinds = [(path, SERIES_WRITERS[format_of(path, SERIES_WRITERS, output_format)]) for path in paths]
    with open_pending(kinds, lambda kind, part: kind(part, names), no_clobber=no_clobber) as outputs:
        for row in rows:
            for output in outputs:
                output.write(row)
            if observe:
                observe(row)
