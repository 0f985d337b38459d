"""`boidsgen measure`, `leaders`, `plot`, `simulate` and `tracks`: numbers, figures of numbers, and saved runs."""

from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

from boidsgen.cli.options import MEASURING, RESULT, Number, OneScenario, Options, Text, Texts, option, sharing
from boidsgen.cli.render import by_extension, read_job, settle, usual_path
from boidsgen.errors import UsageError
from boidsgen.studies.requests import FigureRequest, TrackFormat


@sharing("settings", *MEASURING, "frames", "seed", "engine", "strict", "trust", *RESULT)
def measure_command(
    scenario: OneScenario,
    *,
    output: Annotated[Texts, option("--output -o OUT", "A .csv, .jsonl, .npz or .parquet, or -. Repeatable.")] = None,
    plots: Annotated[Texts, option("--plot FIGURE", "A figure: .png, .svg or .pdf. Repeatable.")] = None,
    x: Annotated[str, option("--x COLUMN", "Plot against a key that events change, or a measure.")] = "",
    histogram: Annotated[bool, option("--histogram", "Plot histograms of all frames.")] = False,
    by: Annotated[str, option("--by ROW", "A row for each frame, or for each animal in it.")] = "frame",
    events: Annotated[
        str, option("--events KINDS", "A row for each animal in each event: all, or as split,turn=60.")
    ] = "",
    seeds: Annotated[Number, option("--seeds N", "Number of runs, with independent seeds.", min=1, max=10000)] = None,
    output_format: Annotated[Text, option("--format FORMAT", "csv, jsonl, npz or parquet.")] = None,
    options: Options,
) -> None:
    """Measure every frame without drawing, as a table or a figure.

    Polarization, groups, distances and more; the reference defines each of them.

    Examples:
        boidsgen measure quickstart --seeds 6 -o series.csv
        boidsgen measure quickstart --by animal -o animals.parquet
        boidsgen measure quickstart --events all -o events.csv
        boidsgen measure quickstart --measure polarization --plot polarization.png
    """
    from boidsgen.measuring import (
        disagreement_notice,
        measured,
        refuse_rows,
        row_columns,
        unsettled_notice,
        write_parts,
        write_series,
    )
    from boidsgen.pipeline import provenance_of, with_progress
    from boidsgen.simulation.run import engine_of
    from boidsgen.simulation.spans import span_kinds
    from boidsgen.studies.results import require_matplotlib, write_plot

    reporter = options.reporter(output or ())
    figures = plots or []
    given = {"--plot": plots, "--x": x, "--histogram": histogram, "--measure": options.measures}
    refuse_rows(by, events, [name for name, value in given.items() if value])
    kinds = span_kinds(events) if events else {}
    for figure in figures:
        require_matplotlib(figure)
    source, checked, states, *_ = job = read_job(scenario, options.overrides(), strict=options.strict)
    paths = output or ([] if figures else [usual_path(source.stem, f".{output_format or 'csv'}")])
    runs = measured(checked, seeds, options.run(states=states))
    settle([*paths, *figures], plots or output)
    # A text that could not be read again is refused before the first frame.
    about = provenance_of(runs.scenario, states or ()) if figures else ""
    for doubt in job.doubts:
        reporter.notice(doubt)
    notices = [*engine_of(options.engine).notices] if runs.engine else []
    if events or by == "animal":
        with reporter.progress(source.stem, runs.rows) as progress:
            write_parts(
                runs.events(kinds, progress) if events else runs.animals(progress),
                paths,
                runs.events_like if events else runs.animals_like,
                output_format=output_format,
                no_clobber=options.no_clobber,
            )
        reporter.finish(paths, notices, {"frames": runs.rows, "seed": runs.scenario.seed, "engine": runs.engine})
        return
    table = list[list[float | None]]()
    with reporter.progress(source.stem, runs.rows) as progress:
        write_series(
            with_progress(runs.series(), progress),
            paths,
            names=row_columns(runs.scenario),
            output_format=output_format,
            no_clobber=options.no_clobber,
            observe=(lambda row: table.append([*row.values()])) if figures else None,
        )
    for figure in figures:
        notices += write_plot(
            table, runs.scenario, figure, about=about, no_clobber=options.no_clobber, x=x, histogram=histogram
        )
    found = runs.summaries()
    notices += unsettled_notice(run["settled"] for run in found)
    notices += disagreement_notice(found)
    entries = {"rows": runs.rows, "seed": runs.scenario.seed, "engine": runs.engine, "runs": found}
    reporter.finish([*paths, *figures], notices, entries)


@sharing("settings", "frames", "seed", "engine", "no_clobber", "trust", "quiet", "as_json")
def simulate_command(
    scenario: OneScenario,
    *,
    output: Annotated[Text, option("--output -o OUT", "A .npz, .csv, .parquet, .nc or .glb, or -.")] = None,
    output_format: Annotated[Text, option("--format FORMAT", "npz, csv, parquet, nc or glb.")] = None,
    first: Annotated[int, option("--from FRAME", "First saved frame.", min=0)] = 0,
    every: Annotated[int, option("--every N", "Save every N-th frame.", min=1)] = 1,
    float32: Annotated[bool, option("--float32", "Save numbers in single precision.")] = False,
    options: Options,
) -> None:
    """Simulate without drawing, and save positions and velocities.

    `render` draws a saved .npz without simulating again.

    Examples:
        boidsgen simulate quickstart -o run.npz
        boidsgen simulate trefoil --frames 100 -o trefoil.csv
    """
    from boidsgen.output.formats import format_of
    from boidsgen.output.recording import TRAJECTORY_WRITERS
    from boidsgen.pipeline import record
    from boidsgen.scenario.loading import draft
    from boidsgen.scenario.sources import find

    reporter = options.reporter([output or ""])
    source = find(scenario)
    path = usual_path(source.stem, f".{output_format or 'npz'}") if output is None else output
    format_of(path, TRAJECTORY_WRITERS, output_format)
    given = draft(source, options.overrides()).scenario()
    settle([path], output)
    with reporter.progress(source.stem, given.time.frames) as progress:
        manner = options.run(progress=progress)
        notices = record(
            given,
            path,
            output_format=output_format,
            first=first,
            every=every,
            float32=float32,
            options=manner,
        )
    entries = {"frames": given.time.frames, "seed": given.seed, "engine": manner.simulator}
    reporter.finish([path], notices, entries)


@sharing("settings", "no_clobber", "quiet", "as_json")
def tracks_command(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Tables: .csv, .tsv, .parquet, .nc or .json.")],
    *,
    output: Annotated[Text, option("--output -o OUT", "A .npz, another format of simulate, or a clip.")] = None,
    output_format: Annotated[Text, option("--format FORMAT", "A format of simulate.")] = None,
    dry_run: Annotated[bool, option("--dry-run", "Print what the tables contain, and write nothing.")] = False,
    form: TrackFormat,
    options: Options,
) -> None:
    """Convert tables of tracked animals or agents to a recording.

    Tracks of animals in a film, or agents of another simulator, can then be measured and drawn like a simulation.

    Examples:
        boidsgen tracks fish.csv --columns frame,id,x,y --y-down --fps 30 -o a.npz
        boidsgen tracks agents.csv --source mesa --fps 1 --set output.fps=25
        boidsgen tracks fish.csv --columns frame,id,x,y --fps 30000/1001 --dry-run
    """
    from boidsgen.observations.tracks import description, observed, record_tracks

    if dry_run:
        found = observed(files, form._replace(fill=0, smooth=0), options.overrides())
        options.reporter().facts(description(files, form, found), found.notices)
        return
    path = usual_path(Path(files[0]).stem, f".{output_format or 'npz'}") if output is None else output
    settle([path], output)
    scenario, notices = record_tracks(
        files, path, form, options.overrides(), output_format=output_format, options=options.run()
    )
    animals = sum(flock.count for flock in scenario.flock)
    options.reporter().finish([path], notices, {"frames": scenario.time.frames, "animals": animals})


@sharing("settings", "first", "after", "frames", "seed", "engine", "trust", *RESULT)
def leaders_command(
    scenario: OneScenario,
    *,
    output: Annotated[Texts, option("--output -o OUT", "A .csv, a figure, or a clip with arrows. Repeatable.")] = None,
    pairs: Annotated[Text, option("--pairs FILE", "A table of all pairs: .csv.")] = None,
    delay: Annotated[float | None, option("--delay TIME", "Longest delay; by default a quarter of the run.")] = None,
    options: Options,
) -> None:
    """Find out who leads and who follows, and with what delay.

    Correlates the directions of all pairs with a delay, in a recording or a simulation, with intervals.

    Examples:
        boidsgen leaders fish.npz -o leaders.csv -o leaders.png -o leaders.mp4
    """
    from boidsgen.observations.leaders import leader_tables, leadership, write_leaders_figure
    from boidsgen.output.columns import Columns, write_columns
    from boidsgen.output.formats import WRITERS, target
    from boidsgen.pipeline import provenance_of, render
    from boidsgen.scenario.layers import Override
    from boidsgen.scenario.loading import draft
    from boidsgen.studies.results import PLOT_ENDINGS, require_matplotlib

    overrides, reporter = options.overrides(), options.reporter()
    source, checked, states, *_ = job = read_job(scenario, overrides)
    paths = output or [usual_path(f"{source.stem}-leaders", ".csv")]
    kinds = by_extension(paths, ".csv", *PLOT_ENDINGS)
    figures = [path for ending in PLOT_ENDINGS for path in kinds[ending]]
    clips = [target(path, stem=source.stem) for path in kinds[""]]
    if unfit := [one.path for one in clips if one.format not in WRITERS]:
        raise UsageError(f"{unfit[0]}: no page shows arrows between boids; name a clip, such as leaders.mp4")
    for path in figures:
        require_matplotlib(path, "")
    settle(outputs := [*paths, *([pairs] if pairs else [])], output)
    manner = options.run(states=states)
    found = leadership(manner.run(checked), checked, delay)
    tables, notices = leader_tables(found, checked), list(job.doubts)
    about = provenance_of(checked, states or ()) if figures else ""
    for path in figures:
        notices += write_leaders_figure(found, checked, path, about=about, no_clobber=options.no_clobber)
    for path in kinds[".csv"]:
        write_columns(path, Columns.of(tables["animals"]), no_clobber=options.no_clobber)
    if pairs:
        write_columns(pairs, Columns.of(tables["pairs"]), no_clobber=options.no_clobber)
    if clips:
        arrows = draft(source, [*overrides, Override("overlay.links", found.links, "overlay.links")]).scenario()
        notices += render(arrows, *clips, options=manner).notices
    told = ", ".join(f"{row['flock']} {row['number']}" for row in tables["animals"] if row["leader"])
    known = "none" if isfinite(found.chance[0]) else "unknown: the animals keep their directions too long; record more"
    reporter.finish(outputs, [f"leaders: {told or known}", *notices])


@sharing("trust", *RESULT)
def plot_command(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SWEEP...", help="The directory of a sweep, or its manifest; several are combined."),
    ],
    *,
    output: Annotated[
        Texts,
        option(
            "--output -o OUT", "A figure: .png, .svg, .pdf or .csv; .parquet of all runs; a map: .html. Repeatable."
        ),
    ] = None,
    request: FigureRequest,
    options: Options,
) -> None:
    """Plot the measures of a sweep, as curves or as a heat map.

    Each point is the mean over the runs with the same values, shown with its spread.
    A .csv has the numbers of the figure, a .parquet a row for each run. A .html
    is a map of two keys: a click starts the simulation of that point.

    Examples:
        boidsgen plot noise -o noise.png
    """
    from boidsgen.output.publish import together
    from boidsgen.studies.figure import refuse_request, write_numbers, write_sweep_figure
    from boidsgen.studies.reports import write_map
    from boidsgen.studies.results import merge_results, read_results, require_matplotlib, write_runs

    refuse_request(request)
    parts = [read_results(source) for source in sources]
    results = merge_results(parts).chosen(request.only)
    paths = output or [usual_path("plot", ".png")]
    kinds = by_extension(paths, ".csv", ".html", ".parquet")
    for path in kinds[""]:
        require_matplotlib(path, "")
    settle(paths, output)
    notices = tuple(notice for part in parts for notice in part.notices)
    with together():
        for path in kinds[".csv"]:
            write_numbers(results, request, path, no_clobber=options.no_clobber)
        for path in kinds[".parquet"]:
            write_runs(results, path, no_clobber=options.no_clobber)
        for path in kinds[".html"]:
            write_map(results, request, path, no_clobber=options.no_clobber)
        for path in kinds[""]:
            notices += write_sweep_figure(results, request, path, no_clobber=options.no_clobber)
    options.reporter().finish(paths, notices)
