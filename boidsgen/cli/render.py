"""`boidsgen render`: scenarios to clips."""

from typing import TYPE_CHECKING, Annotated

import typer

from boidsgen.cli.options import NoClobber, Quiet, Scenarios, Seed, Set, Size, overrides
from boidsgen.cli.terminal import note, record, result, watched
from boidsgen.errors import UsageError

if TYPE_CHECKING:
    from boidsgen.pipeline import Report


def render(
    scenarios: Scenarios,
    *,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output", "-o", metavar="OUT", help="A file, a directory, or - for standard output. Repeatable."
        ),
    ] = None,
    settings: Set = None,
    frames: Annotated[int | None, typer.Option(metavar="N", help="Number of frames.")] = None,
    fps: Annotated[float | None, typer.Option(metavar="F", help="Frames a second.")] = None,
    size: Size = None,
    seed: Seed = None,
    quality: Annotated[str | None, typer.Option(metavar="Q", help="draft, standard or high.")] = None,
    output_format: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="A format that `doctor` lists.")
    ] = None,
    engine: Annotated[str, typer.Option(metavar="ENGINE", help="auto, or an engine that `doctor` lists.")] = "auto",
    no_clobber: NoClobber = False,
    quiet: Quiet = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Tell results and failure as one JSON object a line.")
    ] = False,
) -> None:
    """Render scenarios; the paths of the results go to standard output."""
    from boidsgen.cli.jobs import Wishes, make_usual_directory, planned
    from boidsgen.pipeline import render as rendered
    from boidsgen.simulation import engine_name, hint
    from boidsgen.writers.places import STANDARD_OUTPUT

    engine_name(engine)
    if as_json and STANDARD_OUTPUT in (output or ()):
        raise UsageError("--json and -o - both want standard output; choose one")
    given = overrides(settings, frames=frames, fps=fps, size=size, seed=seed, quality=quality, format=output_format)
    jobs = planned(scenarios, given, Wishes(output or (), output_format))
    if not output:
        make_usual_directory()
    for job in jobs:
        if not quiet and (advice := hint(job.scenario, engine)):
            note(f"boidsgen: {advice}")
        with watched(job.source.stem, job.scenario.time.frames, quiet=quiet) as progress:
            report = rendered(
                job.scenario,
                *job.targets,
                engine=engine,
                no_clobber=no_clobber,
                progress=progress,
                states=job.states,
            )
        _tell(report, quiet=quiet, as_json=as_json)


def _tell(report: "Report", *, quiet: bool, as_json: bool) -> None:
    for notice in () if quiet else report.notices:
        note(f"boidsgen: {notice}")
    for path in report.paths:
        if str(path) != "-":
            result(_record(report, str(path)) if as_json else str(path))


def _record(report: "Report", path: str) -> str:
    return record(
        path=path,
        frames=report.frames,
        duration=report.duration,
        seed=report.seed,
        digest=report.digest,
        seconds=round(report.seconds, 3),
        engine=report.engine,
    )
