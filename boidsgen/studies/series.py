"""Series: every measure of every frame, of one run or of several with independent seeds, without drawing.

A row is `{"seed": …, "frame": …, "time": …, NAME: …}` with the names of all measures; a measure that is not defined at
that instant is None. Rows come frame by frame and seed by seed, one at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from boidsgen.errors import LimitError
from boidsgen.pipeline import preflight
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation import State, simulate
from boidsgen.simulation.measures import MEASURES, measure
from boidsgen.studies.sweep.axes import spawned
from boidsgen.writers.contract import Part
from boidsgen.writers.outputs import open_output
from boidsgen.writers.series import SERIES_WRITERS, Row, SeriesWriter
from boidsgen.writers.targets import format_of

COLUMNS = ("seed", "frame", "time", *MEASURES)
"""What a row holds, in this order."""


@dataclass(frozen=True)
class Measured:
    """What is measured.

    Attributes:
        scenario: of all runs.
        runs: the states of each run by its seed; they differ in nothing else.
    """

    scenario: Scenario
    runs: Mapping[int, Iterable[State]]

    @property
    def rows(self) -> int:
        """How many rows there will be."""
        return len(self.runs) * self.scenario.time.frames

    def series(self) -> Iterator[Row]:
        """The rows of all runs, one run after the other."""
        for seed, states in self.runs.items():
            for state in states:
                row = {"seed": seed, "frame": state.frame, "time": state.time}
                yield {**row, **dict.fromkeys(MEASURES), **measure(state)}


def measured(scenario: Scenario, seeds: int | None, engine: str = "auto") -> Measured:
    """Runs with so many seeds spawned from the scenario's, or one run with the scenario's own.

    Raises:
        LimitError: when they ask for too much.
        UsageError: when there is no such engine.
    """
    preflight(scenario)
    _refuse_too_many(scenario, seeds or 1)
    chosen = [scenario.seed] if seeds is None else spawned(scenario.seed, seeds)
    return Measured(scenario, {seed: simulate(scenario.model_copy(update={"seed": seed}), engine) for seed in chosen})


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
    output_format: str | None = None,
    no_clobber: bool = False,
    observe: Callable[[Row], None] | None = None,
) -> tuple[str, ...]:
    """Write rows to all paths as they come, complete or not at all. Gives notices as in a report.

    Args:
        rows: of a series.
        paths: files whose names tell the format; "-" is standard output.
        output_format: the format where a name tells none.
        no_clobber: leave what exists as it is.
        observe: is shown every row after it is written.

    Raises:
        BoidsgenError: one of its kinds; then every file is as it was before.
    """
    with ExitStack() as stack:
        kinds = [SERIES_WRITERS[format_of(path, SERIES_WRITERS, output_format)] for path in paths]
        outputs = [
            stack.enter_context(open_output(path, kind, _begin, no_clobber=no_clobber))
            for path, kind in zip(paths, kinds, strict=True)
        ]
        for row in rows:
            for output in outputs:
                output.write(row)
            if observe:
                observe(row)
    return tuple(notice for output in outputs for notice in output.notices)


def _begin(kind: type[SeriesWriter], part: Part) -> SeriesWriter:
    return kind(part, COLUMNS)
