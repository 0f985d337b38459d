"""`boidsgen simulate`: a scenario to a saved run."""

from typing import Annotated

import typer

from boidsgen.cli.options import AsJson, Engine, Frames, NoClobber, OneScenario, Quiet, Seed, Set, overrides
from boidsgen.cli.report import Reporter, refuse_two_streams


def simulate(
    scenario: OneScenario,
    *,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="OUT", help="A file (.npz, .csv, .xyz), or - for standard output."),
    ] = None,
    settings: Set = None,
    frames: Frames = None,
    seed: Seed = None,
    output_format: Annotated[str | None, typer.Option("--format", metavar="FORMAT", help="npz, csv or xyz.")] = None,
    engine: Engine = "auto",
    no_clobber: NoClobber = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Simulate without drawing, and save all positions and velocities.

    `render` draws a saved .npz without simulating again.

    Examples:
        boidsgen simulate quickstart -o run.npz
        boidsgen simulate trefoil --frames 100 -o trefoil.csv
    """
    from boidsgen.cli.jobs import make_usual_directory, refuse_paths, usual_path
    from boidsgen.output.targets import format_of
    from boidsgen.output.trajectory_formats import TRAJECTORY_WRITERS
    from boidsgen.recording import record
    from boidsgen.scenario.loading import draft
    from boidsgen.scenario.sources import find
    from boidsgen.simulation import engine_name

    refuse_two_streams([output or ""], as_json=as_json)
    source = find(scenario)
    path = usual_path(source.stem, f".{output_format or 'npz'}") if output is None else output
    format_of(path, TRAJECTORY_WRITERS, output_format)
    given = draft(source, overrides(settings, frames=frames, seed=seed)).scenario()
    refuse_paths([path])
    if output is None:
        make_usual_directory()
    reporter = Reporter(quiet, as_json)
    with reporter.progress(source.stem, given.time.frames) as progress:
        notices = record(
            given, path, output_format=output_format, engine=engine, no_clobber=no_clobber, progress=progress
        )
    entries = {"frames": given.time.frames, "seed": given.seed, "engine": engine_name(engine, given)}
    reporter.finish([path], notices, entries)
