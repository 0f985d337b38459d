"""`boidsgen render`, `still`, `replay` and `compare`: clips and pictures."""

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boidsgen.cli.main import DASH, Reporter, browse, failure, notice, result, user_error
from boidsgen.cli.options import (
    CLIP,
    LAST,
    PICTURE,
    RESULT,
    Number,
    OneScenario,
    Options,
    Scenarios,
    Text,
    Texts,
    decoded,
    frame_numbers,
    option,
    sharing,
)
from boidsgen.errors import BoidsgenError, LimitError, PackageError, ScenarioError, UsageError

if TYPE_CHECKING:
    from boidsgen.cli.jobs import RenderJob
    from boidsgen.pipeline import Report, RunOptions
    from boidsgen.scenario.layers import Override
    from boidsgen.studies.manifest import Outcome

LIVE_INTERVAL = 0.1  # Seconds between two looks of `live` at its file


@sharing(*CLIP, "format", "engine", "strict", *RESULT)
def render(
    scenarios: Scenarios,
    *,
    output: Annotated[
        Texts, option("--output -o OUT", "A file, a folder/, or - for standard output. Repeatable.")
    ] = None,
    jobs: Annotated[int, option("--jobs N", "Scenarios to render at a time, each in its own process.", min=1)] = 1,
    watch: Annotated[bool, option("--watch", "Render a draft again after every change, until Ctrl-C.")] = False,
    options: Options,
) -> None:
    """Render scenarios, and print the paths of the results.

    Examples:
        boidsgen render hunt -o hunt.gif
        boidsgen render quickstart --set flock.count=80 --size 640x360 -o flock.mp4
        boidsgen render quickstart trefoil --jobs 2
    """
    reporter = options.reporter(output or ())
    if not watch:
        _render(scenarios, options.overrides(), output, options, jobs, reporter)
        return
    from boidsgen.cli.author import changes, files_of, refuse_presets

    if options.no_clobber or DASH in (*(output or ()), *scenarios):
        raise UsageError("--watch replaces files; it cannot be combined with --no-clobber or standard streams")
    refuse_presets(scenarios, "--watch")
    overrides = [*Options(quality="draft").overrides(), *options.overrides()]
    for number, _ in enumerate(changes(lambda: files_of(scenarios, overrides))):
        try:
            _render(scenarios, overrides, output, options, jobs, reporter)
        except BoidsgenError as error:  # which waits for the next change
            if not number and isinstance(error, UsageError) and not isinstance(error, PackageError):
                raise  # the command line itself is wrong, and no change of a file can mend that
            failure(str(error), error.exit_code, as_json=reporter.as_json, plain=isinstance(error, ScenarioError))
        reporter = reporter._replace(shows=False)  # a viewer that is open follows its file


def _render(
    scenarios: Sequence[str],
    overrides: "Sequence[Override]",
    outputs: Texts,
    options: Options,
    count: int,
    reporter: Reporter,
) -> None:
    """Render scenarios, so many at a time, and report in their order."""
    from boidsgen.cli.jobs import make_directories, plan_jobs
    from boidsgen.pipeline import RunOptions

    jobs = plan_jobs(scenarios, overrides, outputs, options)
    make_directories(outputs, (one for job in jobs for one in job.targets))
    manner, count, told = RunOptions(options.engine, options.no_clobber), min(count, len(jobs)), set[str]()
    rendering = _rendered_apart(jobs, manner, count) if count > 1 else _rendered(jobs, manner, reporter)
    with closing(rendering) as reports:
        for job in jobs:
            before = shortened(job.source.stem, overrides, job.shown.pictures, job.shown.seam)
            for line in (*(f"warning: {warning}" for warning in job.warnings), *job.doubts, *before):
                reporter.notice(line)
            report = next(reports)
            named = f"{job.source.stem}: " if len(jobs) > 1 else ""
            notices = [f"{named}{line}" if line.startswith("frame ") else line for line in report.notices]
            new = [line for line in notices if line not in told]  # no earlier scenario of the command had them
            told.update(new)
            reporter.finish(report.paths, new, report_entries(report) | {"alt": job.alt})
    if count == 1:
        reporter.invite(job.targets[0].path for job in jobs)


def shortened(name: str, overrides: "Sequence[Override]", frames: int, seam: int) -> Iterator[str]:
    """A line about a clip that has fewer frames than an override asks for."""
    if seam and any(one.key in {"time.frames", "time.duration"} for one in overrides):
        taken = f"the cross-fade takes {seam} of {frames} (output.loop_seam)"
        yield f"{name}: {frames - seam} frames in the clip: {taken}; --frames {frames + seam} makes up for it"


def report_entries(report: "Report") -> dict[str, object]:
    """Entries of `--json` about each output of a rendering."""
    return {
        "frames": report.frames,
        "duration": report.duration,
        "seed": report.seed,
        "digest": report.digest,
        "seconds": round(report.seconds, 3),
        "engine": report.engine,
    }


def _rendered(jobs: "Sequence[RenderJob]", manner: "RunOptions", reporter: Reporter) -> "Generator[Report]":
    """Render one scenario after the other."""
    from boidsgen.pipeline import render

    for job in jobs:
        with reporter.progress(job.source.stem, job.scenario.time.frames) as progress:
            options = manner._replace(progress=progress, states=job.states)
            report = render(job.scenario, *job.targets, options=options)
        yield report


def _rendered_apart(jobs: "Sequence[RenderJob]", manner: "RunOptions", count: int) -> "Generator[Report]":
    """Render in so many processes; the first failure ends what still runs."""
    from boidsgen.studies.sweep import Workers

    orders = [(number, job, manner._replace(states=job.states)) for number, job in enumerate(jobs)]
    with Workers(count) as workers:
        ended, outcomes = workers.run(render_task, orders), dict[int, "Outcome"]()
        for number, job in enumerate(jobs):
            while number not in outcomes:
                order, outcome = next(ended)
                outcomes[order[0]] = outcome
            outcome = outcomes.pop(number)
            if "reason" in outcome:
                kind = LimitError if "exit_code" in outcome else RuntimeError  # a bug
                raise kind(f"{job.source.label}: {outcome['reason']}")
            if "error" in outcome:
                raise outcome["error"]
            yield outcome["report"]


def render_task(order: "tuple[int, RenderJob, RunOptions]") -> "Outcome":
    """Render one job in a process."""
    from boidsgen.pipeline import render
    from boidsgen.plugins import boundary

    _, job, options = order
    try:
        with boundary():
            return {"report": render(job.scenario, *job.targets, options=options)}
    except (Exception, SystemExit) as error:
        if reported := user_error(error):
            return {"error": reported}
        raise


def live(
    scenario: Annotated[str, typer.Argument(metavar="FILE", help="The scenario that you edit.")],
    *,
    port: Annotated[int, option("--port N", "Port of the server; by default any free port.", min=0, max=65535)] = 0,
    opens: Annotated[bool, option("--open/--no-open", "Open the browser, or only print the address.")] = True,
) -> None:
    """Show a scenario in the browser while you edit it, until Ctrl-C.

    After a save the flock continues with the new values; an error is shown with its line, and the last flock stays.
    Slider values can be written back to the file.

    Examples:
        boidsgen live mine.toml
        boidsgen live mine.toml --port 8765 --no-open
    """
    from boidsgen.cli.author import Author, changes, files_of, refuse_presets, serving

    refuse_presets([scenario], "live")
    author = Author(scenario)
    with serving(author, port) as address:
        result(address)
        if opens and not browse(address):
            notice("no browser was found; open the address above in one")
        for _ in changes(lambda: files_of([scenario]), LIVE_INTERVAL):
            author.read()


@sharing(*PICTURE, "engine", "strict", *RESULT)
def still(
    scenario: OneScenario,
    *,
    at: Annotated[
        str, option("--at FRAME|last", "Frame number, from 0; several, as in 0,60,120, for a film strip.")
    ] = LAST,
    output: Annotated[
        Text, option("--output -o OUT", "A .png, .svg or .pdf, a folder/, or - for standard output.")
    ] = None,
    options: Options,
) -> None:
    """Draw one frame of a scenario as a picture.

    Examples:
        boidsgen still trefoil --at 300 -o trefoil.png
        boidsgen still quickstart --at 0,60,120 -o strip.png
    """
    from boidsgen import pipeline
    from boidsgen.cli.jobs import make_directories, plan_still
    from boidsgen.simulation.run import engine_name

    reporter = options.reporter([output or ""])
    job = plan_still(scenario, options.overrides(), output, strict=options.strict)
    numbers = [pipeline.frame_number(job.scenario, number) for number in frame_numbers(at)]
    make_directories([output] if output else None, job.targets)
    for doubt in job.doubts:
        reporter.notice(doubt)
    path, began = job.targets[0].path, time.monotonic()
    with reporter.progress(job.source.stem, max(numbers) + 1) as progress:
        manner = pipeline.RunOptions(options.engine, options.no_clobber, progress, states=job.states)
        if len(numbers) > 1:
            from boidsgen.comparison import strip

            notices = strip(job.scenario, path, at=numbers, options=manner)
        else:
            notices = pipeline.still(job.scenario, path, at=numbers[0], options=manner)
    entries = {
        "at": numbers,
        "alt": job.scenario.alt_at(numbers),
        "seed": job.scenario.seed,
        "seconds": round(time.monotonic() - began, 3),
        "engine": engine_name(options.engine) if job.states is None else None,
    }
    reporter.finish([path], notices, entries)


@sharing("engine", "trust", *RESULT)
def replay(
    original: Annotated[str, typer.Argument(metavar="FILE", help="A clip or picture that boidsgen has made.")],
    *,
    output: Annotated[str, option("--output -o OUT", "The new file: a .png, .svg or .pdf for a picture, else a clip.")],
    options: Options,
) -> None:
    """Render a file again from its embedded scenario, and compare.

    Examples:
        boidsgen replay flock.gif -o again.gif
    """
    from boidsgen.output.publish import storing
    from boidsgen.pipeline import RunOptions
    from boidsgen.replays import original as read_original
    from boidsgen.replays import replay as make_again

    reporter = options.reporter([output])
    with storing(original):
        one = read_original(Path(original))
    with reporter.progress(one.path.stem, one.drawn) as progress:
        made = make_again(one, output, RunOptions(options.engine, options.no_clobber, progress))
    verdict = [] if made.identical is None else [f"identical: {made.identical} frame{'s' * (made.identical != 1)}"]
    entries = {"frames": one.frames, "original": original, "identical": made.identical}
    reporter.finish([output], [*made.notices, *verdict], entries)


@sharing(*CLIP, "engine", *RESULT)
def compare(
    scenarios: Scenarios,
    *,
    output: Annotated[
        Texts, option("--output -o OUT", "A clip, an .html page, or a .png for one frame. Repeatable.")
    ] = None,
    variants: Annotated[
        Texts, option("--with 'KEY=VALUE ...'", "Keys of a variant; '' is the unmodified scenario. Repeatable.")
    ] = None,
    ablate: Annotated[bool, option("--ablate", "The scenario, and copies that each lack one rule.")] = False,
    labels: Annotated[Text, option("--labels A,B,...", "Text above each, instead of titles.")] = None,
    columns: Annotated[Number, option("--columns N", "Pictures per row; by default to suit a screen.", min=1)] = None,
    measure: Annotated[Text, option("--measure NAME", "The measure below each; by default the chart's.")] = None,
    at: Annotated[str, option("--at FRAME|last", "The frame that a .png shows.")] = LAST,
    options: Options,
) -> None:
    """Render scenarios side by side, in sync, each with its title.

    --size is the size of each picture, not of the whole.

    Examples:
        boidsgen compare quickstart --ablate -o rules.gif
        boidsgen compare quickstart --with flock.count=20 --with '' -o two.html
    """
    from boidsgen import comparison as comparing
    from boidsgen import pipeline
    from boidsgen.cli.jobs import settle, usual_path
    from boidsgen.comparison import comparison_of
    from boidsgen.scenario.sources import find, refuse_repeated_input
    from boidsgen.simulation.run import engine_name

    manner, reporter = pipeline.RunOptions(options.engine, options.no_clobber), options.reporter(output or ())
    number, *more = frame_numbers(at)
    if more:
        raise UsageError(f"--at {at}: must be the number of a frame, counted from 0, or last")
    given = options.overrides()
    refuse_repeated_input(scenarios)
    sources = [find(name) for name in scenarios]
    paths = output or [usual_path(comparing.COMPARISON, ".gif")]
    comparison = comparison_of(
        sources,
        given,
        [*map(decoded, variants or ())],
        ablated=ablate,
        labels=decoded(labels).split(",") if labels is not None else None,
        columns=columns,
        measure=measure,
    )
    comparing.refuse_frame(number, paths)
    settle(paths, output)
    notices, made = list[str](), dict[str, tuple[str, dict[str, object]]]()
    if clips := [path for path in paths if not pipeline.is_still(path)]:
        with reporter.progress(comparing.COMPARISON, comparison.longest.time.frames) as progress:
            report = comparing.compare(comparison, *clips, options=manner._replace(progress=progress))
        frames = comparison.longest.time.frames
        notices += [*shortened(comparing.COMPARISON, given, frames, frames - report.frames), *report.notices]
        made |= {clip: (str(path), report_entries(report)) for clip, path in zip(clips, report.paths, strict=True)}
    for path in paths:
        if path not in clips:
            began = time.monotonic()
            notices += comparing.compare_still(comparison, path, at=number, options=manner)
            entries: dict[str, object] = {
                "frames": 1,
                "at": [pipeline.frame_number(comparison.longest, number)],
                "seed": comparison.first.seed,
                "seconds": round(time.monotonic() - began, 3),
                "engine": engine_name(options.engine),
            }
            made[path] = (path, entries)
    reporter.finish((), notices)
    for wanted in paths:  # in the order in which they were named
        path, entries = made[wanted]
        reporter.finish([path], (), entries)
