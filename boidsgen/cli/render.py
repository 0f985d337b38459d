"""`boidsgen render`, `still`, `replay` and `compare`: clips and pictures; their jobs, and the paths of all outputs."""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

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
from boidsgen.errors import BoidsgenError, PackageError, ScenarioError, StorageError, SweepError, UsageError

if TYPE_CHECKING:
    from boidsgen.output.formats import Target
    from boidsgen.output.recording import SavedRun
    from boidsgen.pipeline import Report
    from boidsgen.scenario.layers import Override
    from boidsgen.scenario.scenario import Scenario
    from boidsgen.scenario.sources import Source

LIVE_INTERVAL = 0.1  # Seconds between two looks of `live` at its file


class RenderJob(NamedTuple):
    """One scenario with its warnings, the states of a saved run, and the destinations of its pictures.

    Every scenario of a command line is read and every destination settled before the first step of the first one, so
    that errors in the last scenario are reported at once, together with those in all others.
    """

    source: "Source"
    scenario: "Scenario"
    states: "SavedRun | None"
    warnings: Sequence[str]
    targets: "tuple[Target, ...]" = ()
    options: Options = Options()

    def do(self) -> "Report | BoidsgenError":
        """Render the scenario, with a bar of progress.

        Whatever is no bug is raised in words for the user, or returned where the others are to go on.
        """
        from boidsgen.pipeline import render
        from boidsgen.plugins import boundary

        reporter, frames = self.options.reporter(), self.scenario.time.frames
        try:
            with boundary(), reporter.progress(self.source.stem, frames) as progress:
                options = self.options.run(progress=progress, states=self.states)
                return render(self.scenario, *self.targets, options=options)
        except (Exception, SystemExit) as error:
            reported = user_error(error)
            if reported and self.options.keep_going:
                return reported
            if reported and reported is not error:
                raise reported from error
            raise

    @property
    def shown(self) -> "Scenario":
        """The scenario as its targets show it."""
        return self.scenario.looping_in({one.format for one in self.targets})

    @property
    def alt(self) -> str:
        """The sentence about its clip."""
        return self.scenario.alt_in({one.format for one in self.targets})

    def refuse_warnings(self) -> None:
        """Raise ScenarioError with its warnings and doubts, where there are any."""
        if lines := [*self.warnings, *self.doubts]:
            raise ScenarioError(lines)

    @property
    def doubts(self) -> list[str]:
        """One line where the states of a saved run may not come from its scenario."""
        return [self.states.doubt] if self.states and self.states.doubt else []


def read_job(name: str, overrides: "Sequence[Override]", *, strict: bool = False) -> RenderJob:
    """A scenario without destinations; ScenarioError with its errors, and where it is `strict` with its warnings."""
    from boidsgen.scenario.loading import draft, saved_states, supplied
    from boidsgen.scenario.sources import find

    source = supplied(find(name))
    document = draft(source, overrides)
    scenario = document.scenario()
    job = RenderJob(source, scenario, saved_states(source, scenario, overrides), document.warnings(scenario))
    if strict:
        job.refuse_warnings()
    return job


def plan_jobs(
    names: Sequence[str], overrides: "Sequence[Override]", outputs: Texts, options: Options
) -> tuple[list[RenderJob], list[BoidsgenError]]:
    """The jobs, one per scenario, and why scenarios have none; outputs are as written after -o.

    Raises:
        ScenarioError: with the errors of all scenarios, and where they are `strict` with their warnings, unless what
            can be done is to go on.
        UsageError: when two outputs are the same, or an output is a scenario.
        LimitError: when a scenario asks for too much, likewise.
    """
    from boidsgen.scenario.sources import refuse_repeated_input

    refuse_repeated_input(names)
    jobs: list[RenderJob] = []
    failures: list[BoidsgenError] = []
    for name in names:
        try:
            jobs.append(_planned(name, overrides, outputs, options))
        except BoidsgenError as error:
            if not (options.keep_going or isinstance(error, ScenarioError)):
                raise
            failures.append(error)
    if failures and not options.keep_going:
        raise ScenarioError([line for error in failures if isinstance(error, ScenarioError) for line in error.errors])
    refuse_paths(one.path for job in jobs for one in job.targets)
    return jobs, failures


def _planned(name: str, overrides: "Sequence[Override]", outputs: Texts, options: Options) -> RenderJob:
    """The job of one scenario with its destinations."""
    from boidsgen.output.formats import default_target, refuse_unnamed, target
    from boidsgen.scenario.loading import draft

    job = read_job(name, overrides)
    usual, stem = job.scenario.output.format, job.source.stem
    targets = [target(path, stem=stem, explicit=options.format, default=usual) for path in outputs or ()]
    targets = targets or [default_target(stem, options.format or usual)]
    if options.keep_going:  # otherwise it stops all of them, once every scenario has been read
        refuse_unnamed(outputs or (), targets)
    job.scenario.refuse_excess(job.source.label)
    if unfit := list(job.scenario.unfit_for(one.format for one in targets)):
        draft(job.source, overrides).refuse(unfit)
    if options.strict:  # what cannot be rendered comes before what looks wrong
        job.refuse_warnings()
    return job._replace(targets=tuple(targets), options=options)


def report_failures(failures: Sequence[BoidsgenError], total: int, *, as_json: bool) -> None:
    """Print why scenarios of a batch failed.

    Raises:
        SweepError: when any has failed, with their number.
    """
    for error in failures:
        failure(str(error), error.exit_code, as_json=as_json, plain=isinstance(error, ScenarioError))
    if failures:
        rest = "; the others are done" if len(failures) < total else ""
        raise SweepError(f"{len(failures)} of {total} scenarios failed{rest}")


def make_directories(outputs: Sequence[str] | None, targets: "Iterable[Target]") -> None:
    """Make the directories that outputs name by a "/" at the end, and without any output the usual one.

    A folder of pictures is not made here: it takes its name when it is complete.
    """
    from boidsgen.output.formats import DIRECTORY, names_folder, refuse_unnamed
    from boidsgen.output.publish import make_folder

    targets = [*targets]
    refuse_unnamed(outputs or (), targets)
    for output, one in zip(outputs or [f"{DIRECTORY}/"], targets, strict=False):
        if names_folder(output) and Path(one.path) != Path(output):
            make_folder(str(Path(output)))


def usual_path(stem: str, ending: str) -> str:
    """The destination of an output without `-o`."""
    from boidsgen.output.formats import DIRECTORY

    return str(Path(DIRECTORY) / f"{stem}{ending}")


def by_extension(paths: Sequence[str], *extensions: str) -> dict[str, list[str]]:
    """The paths with each of these file extensions, and all others under an empty one."""
    found: dict[str, list[str]] = {extension: [] for extension in (*extensions, "")}
    for path in paths:
        extension = Path(path).suffix.lower()
        found[extension if extension in found else ""].append(path)
    return found


def settle(paths: Sequence[str], given: Sequence[str] | str | None) -> None:
    """Refuse paths as `refuse_paths` does, or without a directory; where none was given, make the usual one for them.

    Raises:
        StorageError: there is no such directory.
    """
    from boidsgen.output.formats import DIRECTORY, Target, refuse_unnamed
    from boidsgen.output.publish import make_folder

    refuse_paths(paths)
    if given is None:
        refuse_unnamed((), (Target(path, "") for path in paths if Path(path).parent == Path(DIRECTORY)))
        make_folder(DIRECTORY)
    if absent := [path for path in paths if not Path(path).parent.is_dir()]:
        raise StorageError(f"{absent[0]}: there is no directory {Path(absent[0]).absolute().parent}; create it first")


def refuse_paths(paths: Iterable[str]) -> None:
    """Stop before an output replaces an input or another output; to be called when everything has been read.

    Raises:
        UsageError: when one would.
    """
    from boidsgen.system import identity, refuse_input

    taken = set[str]()
    for path in paths:
        refuse_input(path)
        if identity(path) in taken:
            raise UsageError(f"{path}: is already an output; give each output its own name")
        taken.add(identity(path))


@sharing(*CLIP, "format", "engine", "keep_going", "strict", *RESULT)
def render_command(
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
    from boidsgen.jobs import DeadWorkerError, Here, Workers

    jobs, failures = plan_jobs(scenarios, overrides, outputs, options)
    make_directories(outputs, (one for job in jobs for one in job.targets))
    count, told = min(count, len(jobs)), set[str]()
    with Workers(count) if count > 1 else Here() as backend:
        reports = backend.in_order(jobs)
        for number, job in enumerate(jobs):
            before = shortened(job.source.stem, overrides, job.shown.pictures, job.shown.seam)
            for line in (*(f"warning: {warning}" for warning in job.warnings), *job.doubts, *before):
                reporter.notice(line)
            report = _awaited(reports, number, len(jobs), reporter) if count > 1 else next(reports)
            if isinstance(report, DeadWorkerError | RuntimeError):  # which does not name the scenario
                report = type(report)(f"{job.source.label}: {report}")
            if options.keep_going and isinstance(report, BoidsgenError):
                failures.append(report)
                continue
            if isinstance(report, Exception):
                raise report
            named = f"{job.source.stem}: " if len(jobs) > 1 else ""
            notices = [f"{named}{line}" if line.startswith("frame ") else line for line in report.notices]
            new = [line for line in notices if line not in told]  # no earlier scenario of the command had them
            told.update(new)
            reporter.finish(report.paths, new, report_entries(report) | {"alt": job.alt})
    report_failures(failures, len(scenarios), as_json=reporter.as_json)
    if count == 1:
        reporter.invite(job.targets[0].path for job in jobs)


def _awaited(reports: "Iterator[Any]", number: int, total: int, reporter: Reporter) -> Any:  # noqa: ANN401  any outcome
    """The next outcome of worker processes, with a bar of the scenarios done meanwhile."""
    with reporter.progress("render", total, "scenarios") as progress:
        if progress:
            progress(number)
        return next(reports)


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


def live_command(
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
def still_command(
    scenario: OneScenario,
    *,
    at: Annotated[
        Text, option("--at FRAME|last", "Frame number, from 0; several, as in 0,60,120, for a film strip.")
    ] = None,
    output: Annotated[
        Text, option("--output -o OUT", "A .png, .svg or .pdf, a folder/, or - for standard output.")
    ] = None,
    options: Options,
) -> None:
    """Draw one frame of a scenario as a picture.

    Without --at it is its poster, or the last one where it has none.

    Examples:
        boidsgen still trefoil --at 300 -o trefoil.png
        boidsgen still quickstart --at 0,60,120 -o strip.png
        boidsgen still murmuration --at 209 --exposure 5s -o paths.png
    """
    from boidsgen import pipeline
    from boidsgen.output.formats import Target

    reporter = options.reporter([output or ""])
    job = read_job(scenario, options.overrides(), strict=options.strict)
    job.scenario.refuse_excess(job.source.label)
    path = _picture_path(job.source.stem, output)
    wanted = [job.scenario.poster] if at is None else frame_numbers(at)
    numbers = [pipeline.frame_number(job.scenario, number) for number in wanted]
    make_directories([output] if output else None, [Target(path, "png")])
    for doubt in job.doubts:
        reporter.notice(doubt)
    began = time.monotonic()
    with reporter.progress(job.source.stem, max(numbers) + 1) as progress:
        manner = options.run(progress=progress, states=job.states)
        if len(numbers) > 1:
            from boidsgen.comparison import strip

            notices = strip(job.scenario, path, at=numbers, options=manner)
        else:
            notices = pipeline.still(job.scenario, path, at=None if at is None else numbers[0], options=manner)
    entries = {
        "at": numbers,
        "alt": job.scenario.alt_at(numbers),
        "seed": job.scenario.seed,
        "seconds": round(time.monotonic() - began, 3),
        "engine": manner.simulator,
    }
    reporter.finish([path], notices, entries)


def _picture_path(stem: str, output: str | None) -> str:
    """The path of a still, as written after -o; UsageError when it is not that of a picture, or is the scenario."""
    from boidsgen.output.figures import FIGURE_ENDINGS
    from boidsgen.output.formats import DIRECTORY, names_folder
    from boidsgen.pipeline import STILL_ENDING, is_figure, is_still
    from boidsgen.system import STANDARD_OUTPUT, refuse_name

    path = f"{DIRECTORY}/" if output is None else output
    refuse_name(path)
    if names_folder(path) or Path(path).is_dir():
        path = str(Path(path) / f"{stem}{STILL_ENDING}")
    elif not (is_still(path) or is_figure(path) or path == STANDARD_OUTPUT) and (
        Path(path).is_file() or not Path(path).exists()
    ):
        endings = ", ".join([STILL_ENDING, *FIGURE_ENDINGS])
        raise UsageError(f"{path}: a still must be a picture or a figure; end its name with one of {endings}")
    refuse_paths([path])
    return path


@sharing("engine", "trust", *RESULT)
def replay_command(
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
    from boidsgen.replays import original as read_original
    from boidsgen.replays import replay_file

    reporter = options.reporter([output])
    with storing(original):
        one = read_original(Path(original))
    with reporter.progress(one.path.stem, one.drawn) as progress:
        made = replay_file(one, output, options.run(progress=progress))
    verdict = [] if made.identical is None else [f"identical: {made.identical} frame{'s' * (made.identical != 1)}"]
    entries = {"frames": one.frames, "original": original, "identical": made.identical}
    reporter.finish([output], [*made.notices, *verdict], entries)


@sharing(*CLIP, "engine", *RESULT)
def compare_command(
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
    from boidsgen.comparison import comparison_of
    from boidsgen.scenario.sources import find, refuse_repeated_input

    manner, reporter = options.run(), options.reporter(output or ())
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
                "engine": manner.simulator,
            }
            made[path] = (path, entries)
    reporter.finish((), notices)
    for wanted in paths:  # in the order in which they were named
        path, entries = made[wanted]
        reporter.finish([path], (), entries)
