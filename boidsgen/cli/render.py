"""`boidsgen render`: scenarios to clips."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from boidsgen.cli.options import (
    AsJson,
    ClipFormat,
    Engine,
    Fps,
    Frames,
    NoClobber,
    Open,
    Quality,
    Quiet,
    Scenarios,
    Seed,
    Set,
    Size,
    Strict,
    overrides,
)
from boidsgen.cli.report import STANDARD_OUTPUT, Reporter, failure, refuse_two_streams
from boidsgen.errors import BoidsgenError, PackageError, ScenarioError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boidsgen.cli.at_once import Manner
    from boidsgen.cli.jobs import RenderJob
    from boidsgen.scenario.overrides import Override


class Request(NamedTuple):
    """What one call asks for.

    Attributes:
        scenarios: their names.
        overrides: of keys in each of them.
        outputs: as written after -o.
        format: as written after --format, if it was.
        engine: that computes.
        no_clobber: leave what exists as it is.
        strict: doubts are mistakes.
        jobs: how many scenarios at a time.
    """

    scenarios: Sequence[str]
    overrides: "Sequence[Override]"
    outputs: Sequence[str]
    format: str | None
    engine: str
    no_clobber: bool
    strict: bool
    jobs: int


def render(
    scenarios: Scenarios,
    *,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="A file, a folder/ (created if missing), or - for standard output. Repeatable.",
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
    jobs: Annotated[
        int, typer.Option(min=1, metavar="N", help="Scenarios to render at a time, each in its own process.")
    ] = 1,
    watch: Annotated[
        bool, typer.Option("--watch", help="Render a draft again whenever a scenario changes, until Ctrl-C.")
    ] = False,
    no_clobber: NoClobber = False,
    strict: Strict = False,
    show: Open = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Render scenarios; the paths of the results go to standard output.

    Examples:
        boidsgen render hunt -o hunt.gif
        boidsgen render quickstart --set flock.count=80 --size 640x360 -o flock.mp4
        boidsgen render quickstart trefoil --jobs 2
    """
    from boidsgen.simulation import engine_name

    engine_name(engine)
    refuse_two_streams(output or (), as_json=as_json)
    usual = overrides(None, quality="draft") if watch else []
    given = overrides(settings, frames=frames, fps=fps, size=size, seed=seed, quality=quality, format=output_format)
    request = Request(scenarios, [*usual, *given], output or (), output_format, engine, no_clobber, strict, jobs)
    reporter = Reporter(quiet, as_json, show)
    if watch:
        _watch(request, reporter)
    else:
        _render(request, reporter)


def _render(request: Request, reporter: Reporter) -> None:
    from boidsgen.cli.at_once import Manner
    from boidsgen.cli.jobs import OutputOptions, make_directories, plan_jobs

    options = OutputOptions(request.outputs, request.format)
    jobs = plan_jobs(request.scenarios, request.overrides, options, strict=request.strict)
    make_directories(request.outputs, jobs[0].targets)
    manner = Manner(request.overrides, request.engine, request.no_clobber)
    if min(request.jobs, len(jobs)) > 1:
        _at_once(jobs, manner, request.jobs, reporter)
        return
    for job in jobs:
        _one(job, manner, reporter)


def _one(job: "RenderJob", manner: "Manner", reporter: Reporter) -> None:
    """Render one scenario here."""
    from boidsgen import pipeline
    from boidsgen.cli.at_once import entries

    _advise(job, manner.engine, reporter)
    with reporter.progress(job.source.stem, job.scenario.time.frames) as progress:
        report = pipeline.render(
            job.scenario,
            *job.targets,
            engine=manner.engine,
            no_clobber=manner.no_clobber,
            progress=progress,
            states=job.states,
        )
    reporter.finish(report.paths, report.notices, entries(report))


def _at_once(jobs: "Sequence[RenderJob]", manner: "Manner", count: int, reporter: Reporter) -> None:
    """Render several scenarios in processes; each is told of when those before it have been."""
    from boidsgen.cli.at_once import rendered

    for job, outcome in zip(jobs, rendered(jobs, manner, count), strict=True):
        _advise(job, manner.engine, reporter)
        reporter.finish(outcome["paths"], outcome["notices"], outcome["entries"])


def _advise(job: "RenderJob", engine: str, reporter: Reporter) -> None:
    from boidsgen.simulation import hint

    for doubt in job.doubts:
        reporter.notice(f"probably not intended: {doubt}")
    if advice := hint(job.scenario, engine):
        reporter.notice(advice)


def _watch(request: Request, reporter: Reporter) -> None:
    """Render again and again; mistakes are told, and wait for the next change."""
    from boidsgen.cli.watching import changes
    from boidsgen.scenario.sources import find

    if request.no_clobber or STANDARD_OUTPUT in (*request.outputs, *request.scenarios):
        raise UsageError("--watch replaces files by newer ones; it goes with neither --no-clobber nor standard streams")
    for name in request.scenarios:
        with suppress(ScenarioError):  # it is told below, and waits for a change like any other
            if find(name).path is None:
                made = f"`boidsgen new {name}.toml --from {name}`"
                raise UsageError(f"--watch: {name} is no file that could change; {made} makes one")
    for number, _ in enumerate(changes(lambda: _files(request))):
        try:
            _render(request, reporter)
        except BoidsgenError as error:
            if not number and isinstance(error, UsageError) and not isinstance(error, PackageError):
                raise  # the command line itself is wrong, and no change of a file can mend that
            failure(str(error), error.exit_code, as_json=reporter.as_json, plain=isinstance(error, ScenarioError))
        reporter = replace(reporter, shows=False)  # what shows a picture follows its file


def _files(request: Request) -> "Iterator[Path]":
    """The scenarios, and the files that they name, as far as they can be read, whether those are there or not."""
    from boidsgen.scenario.loading import draft
    from boidsgen.scenario.sources import find, paths_to

    for name in request.scenarios:
        yield from paths_to(name)
        with suppress(BoidsgenError):
            yield from draft(find(name), request.overrides).files
