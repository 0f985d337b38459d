"""`boidsgen measure`: a scenario to numbers."""

from typing import TYPE_CHECKING, Annotated

import typer

from boidsgen.cli.options import (
    After,
    AsJson,
    Engine,
    Every,
    First,
    Frames,
    Measures,
    NoClobber,
    OneScenario,
    Open,
    Quiet,
    Seed,
    Set,
    measuring,
    overrides,
)
from boidsgen.cli.report import Reporter, refuse_two_streams
from boidsgen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from boidsgen.output.series import Row
    from boidsgen.scenario.overrides import Override
    from boidsgen.scenario.sources import Source
    from boidsgen.studies.plot import Curves
    from boidsgen.studies.series import Measured


def measure(
    scenario: OneScenario,
    *,
    output: Annotated[
        list[str] | None,
        typer.Option("--output", "-o", metavar="OUT", help="A file (.csv, .jsonl, .npz, .parquet), or -. Repeatable."),
    ] = None,
    plots: Annotated[
        list[str] | None, typer.Option("--plot", metavar="FIGURE", help="A figure: .png, .svg or .pdf. Repeatable.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, max=10_000, metavar="N", help="Number of runs, each with an independent seed.")
    ] = None,
    settings: Set = None,
    measures: Measures = None,
    first: First = None,
    after: After = None,
    every: Every = None,
    frames: Frames = None,
    seed: Seed = None,
    output_format: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="csv, jsonl, npz or parquet.")
    ] = None,
    engine: Engine = "auto",
    no_clobber: NoClobber = False,
    show: Open = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Measure every frame without drawing, as a table and as a figure.

    Polarization, groups, distances and more; the reference defines each of them.

    Examples:
        boidsgen measure quickstart --seeds 6 -o series.csv
        boidsgen measure quickstart --measure polarization --plot polarization.png
    """
    from boidsgen.cli.jobs import make_usual_directory, refuse_paths, usual_path
    from boidsgen.scenario.sources import find
    from boidsgen.simulation import engine_name
    from boidsgen.studies.plot import Curves, require_matplotlib, write_plot
    from boidsgen.studies.series import columns, write_series

    engine_name(engine)
    refuse_two_streams(output or (), as_json=as_json)
    for plot in plots or ():
        require_matplotlib(plot)
    source = find(scenario)
    paths = output or ([] if plots else [usual_path(source.stem, f".{output_format or 'csv'}")])
    wanted = measuring(measures, first, after, every)
    given = overrides(settings, frames=frames, seed=seed, **wanted)
    measured = _measured(source, given, seeds, engine)
    refuse_paths([*paths, *(plots or ())])
    if not (output or plots):
        make_usual_directory()
    curves = Curves()
    reporter = Reporter(quiet, as_json, show)
    with reporter.progress(source.stem, measured.rows) as progress:
        notices = write_series(
            measured.series(),
            paths,
            names=columns(measured.scenario),
            output_format=output_format,
            no_clobber=no_clobber,
            observe=_observer(curves if plots else None, progress),
        )
    for plot in plots or ():
        notices += write_plot(curves, measured.scenario, plot, no_clobber=no_clobber)
    entries = {
        "rows": measured.rows,
        "seed": measured.scenario.seed,
        "engine": measured.engine,
    }
    reporter.finish([*paths, *(plots or ())], notices, entries)


def _measured(source: "Source", given: "Sequence[Override]", seeds: int | None, engine: str) -> "Measured":
    from boidsgen.cli.jobs import saved_states
    from boidsgen.scenario.loading import draft
    from boidsgen.studies.series import Measured, measured

    scenario = draft(source, given).scenario()
    states = saved_states(source, scenario, given)
    if states is None:
        return measured(scenario, seeds, engine)
    if seeds is not None:
        raise UsageError(f"--seeds {seeds}: {source.label} is a finished run and has one seed")
    return Measured(scenario, {scenario.seed: states})


def _observer(curves: "Curves | None", progress: "Callable[[int], None] | None") -> "Callable[[Row], None]":
    """Passes every row to the curves, where a figure is wanted, and counts it."""
    numbers: Iterator[int] = iter(range(1, 1 << 62))

    def observe(row: "Row") -> None:
        if curves:
            curves.add(row)
        if progress:
            progress(next(numbers))

    return observe
