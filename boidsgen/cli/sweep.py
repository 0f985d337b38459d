"""`boidsgen sweep`: many runs of one scenario."""

from typing import Annotated

import typer

from boidsgen.cli.options import (
    After,
    AsJson,
    ClipFormat,
    Engine,
    Every,
    First,
    Fps,
    Frames,
    Measures,
    OneScenario,
    Quality,
    Quiet,
    Seed,
    Set,
    Size,
    letters,
    measuring,
    overrides,
)
from boidsgen.cli.report import Reporter
from boidsgen.cli.terminal import result
from boidsgen.errors import UsageError


def sweep(
    scenario: OneScenario,
    *,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES", help="Values of a key, as in flock.count=50,100 or KEY=START:STOP:COUNT. Repeatable."
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Repeat each combination with the same N independent seeds.")
    ] = None,
    zipped: Annotated[
        bool | None, typer.Option("--zip/--no-zip", help="Pair the values of the keys instead of crossing them.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="DIR", help="The directory for all results.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Runs at a time; by default as many as there are cores.")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on the Dask cluster with this scheduler.")
    ] = None,
    collect: Annotated[
        bool, typer.Option("--collect", help="With --dask: bring the results back, where no directory is shared.")
    ] = False,
    settings: Set = None,
    frames: Frames = None,
    fps: Fps = None,
    size: Size = None,
    seed: Seed = None,
    quality: Quality = None,
    output_format: ClipFormat = None,
    engine: Engine = "auto",
    measures: Measures = None,
    first: First = None,
    after: After = None,
    every: Every = None,
    chunk: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Do only every N-th run, beginning with the I-th: one task of an array of N."),
    ] = None,
    plots: Annotated[
        list[str] | None,
        typer.Option("--plot", metavar="FIGURE", help="Also draw what was measured: .png, .svg, .pdf. Repeatable."),
    ] = None,
    series: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT", help="Also keep the measures of every frame of each run: csv, jsonl, npz, parquet."
        ),
    ] = None,
    measures_only: Annotated[bool, typer.Option("--measures-only", help="Measure the runs and draw nothing.")] = False,
    sheet: Annotated[
        bool | None,
        typer.Option(
            "--sheet/--no-sheet", help="Also show all runs in one picture, which is the default for up to 64."
        ),
    ] = None,
    only_list: Annotated[bool, typer.Option("--list", help="Print the runs, and do nothing.")] = False,
    commands: Annotated[
        bool, typer.Option("--commands", help="With --list: a `boidsgen render` command for each.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Do all runs, including those done before.")] = False,
    owned: Annotated[
        bool, typer.Option("--force-directory", help="Also replace files in the directory that boidsgen did not make.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Render a scenario many times, with other values and other seeds.

    A second call does only what is missing.

    Examples:
        boidsgen sweep quickstart --vary flock.count=20,40,80 --seeds 2 -o runs
        boidsgen sweep quickstart --vary flock.count=20:80:4 --measures-only -o counts
    """
    from boidsgen.cli.sweep_runs import BackendOptions, list_runs, refuse_contradictions, run_sweep
    from boidsgen.scenario.sources import find
    from boidsgen.simulation import engine_name
    from boidsgen.studies.sweep.axes import axis_from_text
    from boidsgen.studies.sweep.plan import SweepOptions, chunk_of, plan_sweep

    engine_name(engine)
    where = BackendOptions(dask, jobs, collect=collect)
    refuse_contradictions(where, only_list=only_list, commands=commands, measures_only=measures_only)
    where_from = {"frames": frames, "fps": fps, "size": size, "seed": seed, "quality": quality, "format": output_format}
    given = overrides(settings, **where_from, **measuring(measures, first, after, every))
    axes = tuple(axis_from_text(letters(text)) for text in vary or ())
    plan = plan_sweep(find(scenario), given, SweepOptions(axes, seeds, zipped, drawn=not measures_only))
    if chunk is not None:
        if sheet:
            raise UsageError("--sheet shows all runs, and --chunk does some of them; choose one")
        plan, sheet = chunk_of(plan, chunk), False
    if only_list:
        for line in list_runs(plan, scenario, output, engine, commands=commands, as_json=as_json):
            result(line)
        return
    run_sweep(
        plan,
        output,
        where,
        Reporter(quiet, as_json),
        engine=engine,
        sheet=sheet,
        force=force,
        owned=owned,
        series=series or "",
        plots=plots or (),
    )
