"""Series: the measures of a run frame by frame, or of several runs with independent seeds, without drawing.

What is measured, and at which frames, the table `[measure]` of the scenario says. A row is `{"seed": …, "frame": …,
"time": …, NAME: …}` with the names of these measures; a measure that is not defined at that instant is None. Rows come
frame by frame and seed by seed, one at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from boidsgen.errors import LimitError, UsageError
from boidsgen.output.base import Part
from boidsgen.output.outputs import open_output
from boidsgen.output.tables import SERIES_WRITERS, Row, SeriesWriter
from boidsgen.output.targets import format_of
from boidsgen.pipeline import preflight
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation import State, engine_name, simulate
from boidsgen.simulation.measures import INSTANT, USUAL_MEASURES
from boidsgen.simulation.measuring import Measurement
from boidsgen.studies.axes import spawn_seeds

COLUMNS = (*INSTANT, *USUAL_MEASURES)
"""What a row holds, in this order, where the scenario does not say what is measured."""


def columns(scenario: Scenario) -> tuple[str, ...]:
    """What a row of this scenario holds, in this order."""
    return (*INSTANT, *scenario.measure.names)


def refuse_unmeasured(scenario: Scenario) -> None:
    """Stop when no frame would be measured.

    Raises:
        UsageError: when measuring begins after the last frame.
    """
    first, last = scenario.measure.first(scenario.time), scenario.time.frames - 1
    if first > last:
        key = "from" if scenario.measure.from_ == first else "after"
        raise UsageError(f"measure.{key}: nothing is left to measure from frame {first} on; the last one is {last}")


@dataclass(frozen=True)
class Measured:
    """What is measured.

    Attributes:
        scenario: of all runs.
        runs: the states of each run by its seed; they differ in nothing else.
        engine: that simulates; None for a saved run.
    """

    scenario: Scenario
    runs: Mapping[int, Iterable[State]]
    engine: str | None = None

    @property
    def rows(self) -> int:
        """How many rows there will be."""
        return len(self.runs) * len(self.scenario.measure.frames(self.scenario.time))

    def series(self) -> Iterator[Row]:
        """The rows of all runs, one run after the other."""
        for seed, states in self.runs.items():
            measurement = Measurement(self.scenario.measure, self.scenario.time)
            for state in states:
                if (values := measurement.of(state)) is not None:
                    yield series_row(seed, state, measurement.names, values)


def series_row(seed: int, state: State, names: Iterable[str], values: Mapping[str, float]) -> Row:
    """The row of one state: when it was, and the values of these measures."""
    return {"seed": seed, "frame": state.frame, "time": state.time, **dict.fromkeys(names), **values}


def measured(scenario: Scenario, seeds: int | None, engine: str = "auto") -> Measured:
    """Runs with so many seeds spawned from the scenario's, or one run with the scenario's own.

    Raises:
        LimitError: when they ask for too much.
        UsageError: when there is no such engine, or nothing to measure.
    """
    preflight(scenario)
    _refuse_too_many(scenario, seeds or 1)
    refuse_unmeasured(scenario)
    chosen = [scenario.seed] if seeds is None else spawn_seeds(scenario.seed, seeds)
    runs = {seed: simulate(scenario.model_copy(update={"seed": seed}), engine) for seed in chosen}
    return Measured(scenario, runs, engine_name(engine, scenario))


def _refuse_too_many(scenario: Scenario, runs: int) -> None:
    """Stop when all runs together ask for more than one may."""
    wanted = runs * max(scenario.steps, scenario.time.frames)
    if wanted > scenario.limits.steps:
        allowed = f"{scenario.limits.steps:,} allowed; --set limits.steps={wanted} allows it"
        raise LimitError(f"{wanted:,} steps wanted by {runs:,} runs together, {allowed}")


def write_series(
    rows: Iterable[Row],
    paths: Sequence[str],
    *,
    names: Sequence[str] = COLUMNS,
    output_format: str | None = None,
    no_clobber: bool = False,
    observe: Callable[[Row], None] | None = None,
) -> None:
    """Write rows to all paths as they come, complete or not at all.

    Args:
        rows: of a series.
        paths: files whose names tell the format; "-" is standard output.
        names: what a row holds, in the order of the columns.
        output_format: the format where a name tells none.
        no_clobber: leave what exists as it is.
        observe: is shown every row after it is written.

    Raises:
        BoidsgenError: one of its kinds; then every file is as it was before.
    """

    def begin(kind: type[SeriesWriter], part: Part) -> SeriesWriter:
        return kind(part, names)

    with ExitStack() as stack:
        kinds = [SERIES_WRITERS[format_of(path, SERIES_WRITERS, output_format)] for path in paths]
        outputs = [
            stack.enter_context(open_output(path, kind, begin, no_clobber=no_clobber))
            for path, kind in zip(paths, kinds, strict=True)
        ]
        for row in rows:
            for output in outputs:
                output.write(row)
            if observe:
                observe(row)
