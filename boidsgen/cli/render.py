"""`boidsgen render`: scenarios to clips."""

from typing import TYPE_CHECKING, Annotated

import typer

from boidsgen.cli.options import (
    AsJson,
    ClipFormat,
    Engine,
    Fps,
    Frames,
    NoClobber,
    Quality,
    Quiet,
    Scenarios,
    Seed,
    Set,
    Size,
    Strict,
    overrides,
)
from boidsgen.cli.report import STANDARD_OUTPUT, Reporter
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
    frames: Frames = None,
    fps: Fps = None,
    size: Size = None,
    seed: Seed = None,
    quality: Quality = None,
    output_format: ClipFormat = None,
    engine: Engine = "auto",
    no_clobber: NoClobber = False,
    strict: Strict = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Render scenarios; the paths of the results go to standard output."""
    from boidsgen import pipeline
    from boidsgen.cli.jobs import OutputOptions, make_directories, plan_jobs
    from boidsgen.simulation import engine_name, hint

    engine_name(engine)
    if as_json and STANDARD_OUTPUT in (output or ()):
        raise UsageError("--json and -o - both want standard output; choose one")
    given = overrides(settings, frames=frames, fps=fps, size=size, seed=seed, quality=quality, format=output_format)
    jobs = plan_jobs(scenarios, given, OutputOptions(output or (), output_format), strict=strict)
    make_directories(output or (), jobs[0].targets)
    reporter = Reporter(quiet, as_json)
    for job in jobs:
        for doubt in job.doubts:
            reporter.notice(f"surely not meant: {doubt}")
        if advice := hint(job.scenario, engine):
            reporter.notice(advice)
        with reporter.progress(job.source.stem, job.scenario.time.frames) as progress:
            report = pipeline.render(
                job.scenario,
                *job.targets,
                engine=engine,
                no_clobber=no_clobber,
                progress=progress,
                states=job.states,
            )
        reporter.finish(report.paths, report.notices, _entries(report))


def _entries(report: "Report") -> dict[str, object]:
    """What `--json` says about each output of a rendering."""
    return {
        "frames": report.frames,
        "duration": report.duration,
        "seed": report.seed,
        "digest": report.digest,
        "seconds": round(report.seconds, 3),
        "engine": report.engine,
    }
