"""Runs of a sweep: how the command line lists them, does them, and reports what came of them.

`list_runs` gives a line for each run and does nothing; `run_sweep` does those that are missing and names all outputs.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from boidsgen import system
from boidsgen.cli.jobs import make_usual_directory
from boidsgen.cli.report import Reporter
from boidsgen.cli.terminal import record
from boidsgen.errors import SweepError, UsageError
from boidsgen.output.formats import WRITERS, spoken
from boidsgen.output.places import refuse_name
from boidsgen.output.series import SERIES_WRITERS
from boidsgen.output.targets import DIRECTORY
from boidsgen.scenario.sources import STANDARD_INPUT
from boidsgen.scenario.wording import written
from boidsgen.simulation.run import announcement
from boidsgen.studies.figure import FigureRequest, write_figure
from boidsgen.studies.plot import require_matplotlib
from boidsgen.studies.results import results
from boidsgen.studies.sweep.jobs import DONE, FAILED
from boidsgen.studies.sweep.local import Workers
from boidsgen.studies.sweep.plan import Plan, Run
from boidsgen.studies.sweep.rows import Row
from boidsgen.studies.sweep.sheet import MAX_RUNS, is_current, write_overview
from boidsgen.studies.sweep.study import Backend, Study
from boidsgen.studies.sweep.tasks import collected

MAX_NAMED = 20
"""Failed runs that are named; the manifest has all."""


class BackendOptions(NamedTuple):
    """Where runs are done.

    Attributes:
        dask: address of the scheduler of a cluster; None for this machine.
        jobs: runs at a time on this machine; None for one per core.
        collect: bring files back from the cluster.
    """

    dask: str | None
    jobs: int | None
    collect: bool


def refuse_contradictions(where: BackendOptions, *, only_list: bool, commands: bool, measures_only: bool) -> None:
    """Stop when options exclude each other.

    Raises:
        UsageError: saying which and why.
    """
    if where.dask is not None and where.jobs is not None:
        raise UsageError(
            "--jobs is for this machine; the workers of the cluster decide how many runs --dask does at a time"
        )
    if where.collect and where.dask is None:
        raise UsageError("--collect brings files back from a cluster; give its address with --dask")
    if commands and not only_list:
        raise UsageError("--commands changes what --list prints; give both")
    if commands and measures_only:
        raise UsageError("--commands prints renders, and --measures-only draws nothing; choose one")


def list_runs(
    plan: Plan, scenario: str, output: str | None, engine: str, *, commands: bool, as_json: bool
) -> Iterator[str]:
    """A line for each run: what it is called and sets, as text or JSON, or the command that renders it alone."""
    if commands and scenario == STANDARD_INPUT:
        raise UsageError("--commands needs a scenario that can be read again; standard input cannot")
    directory = _directory(plan, output)
    for run in plan.runs:
        if commands:
            yield " ".join(map(_quoted, _command(plan, run, scenario, str(directory / run.file), engine)))
        elif as_json:
            yield record(run=run.name, path=_path(directory, run), seed=run.seed, parameters=_parameters(plan, run))
        else:
            settings = (f"{key}={written(value)}" for key, value in _parameters(plan, run).items())
            yield "  ".join([_path(directory, run) or run.name, *settings, f"seed={run.seed}"])


def run_sweep(
    plan: Plan,
    output: str | None,
    where: BackendOptions,
    reporter: Reporter,
    *,
    engine: str,
    sheet: bool | None,
    force: bool,
    owned: bool,
    series: str = "",
    plots: Sequence[str] = (),
) -> None:
    """Do the runs that have not been done yet, and name everything that is there then.

    Raises:
        SweepError: when runs failed.
    """
    _refuse_impossible(plan, where, sheet=sheet)
    _refuse_series(series, where)
    for plot in plots:
        _refuse_figure(plot, plan)
    if output is None:
        make_usual_directory()
    directory = _directory(plan, output)
    with Study(plan, directory.absolute() if where.dask else directory, engine, series, owned=owned) as study:
        for line in study.notices:
            reporter.notice(line)
        runs = list(plan.runs) if force else study.missing()
        announced = announcement(plan.base, engine, len(runs)) if runs and where.dask is None else None
        if announced:
            reporter.notice(announced)
        failures = _do(study, runs, where, reporter) if runs else []
        _renew_sheet(study, {row["run"] for row in failures}, engine, reporter, wanted=_sheet_wanted(plan, sheet))
        if plan.drawn or reporter.as_json:  # otherwise no run has anything to name, and there may be very many
            for row in study.rows():
                _report_run(directory, row, reporter)
        notices = [notice for plot in plots for notice in _draw_plot(study, plot)]
    reporter.finish(plots if reporter.as_json else [*study.summaries, *plots], notices)
    wanted = f"{len(plan.runs)} run{'' if len(plan.runs) == 1 else 's'}"
    reporter.notice(f"{wanted}, {len(runs) - len(failures)} done now, {len(plan.runs) - len(runs)} kept")
    if failures:
        raise SweepError("\n".join(_failure_lines(failures, len(plan.runs))))


def _refuse_figure(path: str, plan: Plan) -> None:
    require_matplotlib(path)
    if not plan.keys:
        raise UsageError(f"--plot {path}: shows measures against a key, and --vary names none")


def _refuse_impossible(plan: Plan, where: BackendOptions, *, sheet: bool | None) -> None:
    if sheet and not plan.drawn:
        raise UsageError("--sheet shows pictures, and --measures-only draws none; choose one")
    if sheet and len(plan.runs) > MAX_RUNS:
        raise UsageError(f"--sheet shows up to {MAX_RUNS} runs, and these are {len(plan.runs)}")
    if where.collect and any(WRITERS[run.format].makes == "folder" for run in plan.runs if run.format):
        files = spoken(name for name, writer in WRITERS.items() if writer.makes != "folder")
        raise UsageError(f"--collect brings back one file a run; choose {files}")


def _refuse_series(series: str, where: BackendOptions) -> None:
    if series and series not in SERIES_WRITERS:
        raise UsageError(f"--series {series}: use one of {spoken(SERIES_WRITERS)}")
    if series and where.collect:
        raise UsageError(
            "--series writes files beside the outputs, and --collect has no directory for them; choose one"
        )
    if series:
        SERIES_WRITERS[series].require(f"--series {series}")


def _sheet_wanted(plan: Plan, sheet: bool | None) -> bool:  # noqa: FBT001  as the option: yes, no or as usual
    return plan.drawn and (len(plan.runs) <= MAX_RUNS if sheet is None else sheet)


def _do(study: Study, runs: Sequence[Run], where: BackendOptions, reporter: Reporter) -> list[Row]:
    """Do these runs; gives the rows of those that failed."""
    failures: list[Row] = []
    with (
        _backend(where, study.directory, len(runs)) as backend,
        reporter.progress("sweep", len(runs), "runs") as progress,
    ):
        for number, row in enumerate(study.run(runs, backend), start=1):
            failures += [row] if row["status"] == FAILED else []
            if progress:
                progress(number)
    return failures


@contextmanager
def _backend(where: BackendOptions, directory: Path, runs: int) -> Iterator[Backend]:
    if where.dask is None:
        count = min(where.jobs or system.usable_cores(), runs)
        with Workers(count) as workers:
            yield Backend(workers, at_once=2 * count, local=True)
        return
    from boidsgen.studies.sweep.cluster import Cluster

    with Cluster(where.dask) as cluster:
        if where.collect:
            yield Backend(cluster, cluster.at_once, collected)
            return
        cluster.refuse_other_directory(directory)
        yield Backend(cluster, cluster.at_once)


def _renew_sheet(study: Study, failed: set[str], engine: str, reporter: Reporter, *, wanted: bool) -> None:
    """Replace a sheet that is out of date, or take it away where none is wanted; until then the old one stands."""
    if not study.plan.drawn or is_current(study.plan, failed, study.sheet):
        return
    if wanted:
        _draw_sheet(study, failed, engine, reporter)
    else:
        study.remove_sheet()


def _draw_sheet(study: Study, failed: set[str], engine: str, reporter: Reporter) -> None:
    total = study.plan.base.time.frames
    with reporter.progress(study.sheet.name, total) as progress:
        write_overview(study.plan, failed, study.sheet, engine=engine, progress=progress)


def _draw_plot(study: Study, path: str) -> tuple[str, ...]:
    """Draw what the finished runs have measured, in the colors of the scenario."""
    done = [row for row in study.rows() if row["status"] == DONE]
    request = FigureRequest(title=study.plan.base.title, theme=study.plan.base.style.theme)
    return write_figure(results(str(study.directory), done), request, path)


def _report_run(directory: Path, row: Row, reporter: Reporter) -> None:
    """Name the output of a run; with `--json` every run, whether or not it has one."""
    path = str(directory / row["file"]) if row["file"] else ""
    if reporter.as_json or (path and row["status"] == DONE):
        reporter.output(path, row)


def _failure_lines(failures: Sequence[Row], runs: int) -> Iterator[str]:
    yield f"{len(failures)} of {runs} runs failed; the others are done, and the same command tries these again"
    for row in failures[:MAX_NAMED]:
        reason, _, more = str(row["reason"]).partition("\n")
        yield f"{row['run']}: {reason}{' …' if more else ''}"
    if len(failures) > MAX_NAMED:
        yield f"and {len(failures) - MAX_NAMED} more, which the manifest names"


def _directory(plan: Plan, output: str | None) -> Path:
    """Where all results go."""
    if output is None:
        return Path(DIRECTORY, f"{plan.source.stem}-sweep")
    refuse_name(output)
    return Path(output)


def _path(directory: Path, run: Run) -> str:
    return str(directory / run.file) if run.file else ""


def _parameters(plan: Plan, run: Run) -> dict[str, object]:
    return dict(zip(plan.keys, run.values, strict=True))


def _quoted(word: str) -> str:
    """A word for a shell, in one line: where it has control characters, printf makes it, which every shell knows."""
    if not any(map(_is_control, word)) or word.endswith("\n"):
        return system.quoted(word)
    escaped = "".join(f"\\{ord(letter):03o}" if _is_control(letter) or letter in "%'\\" else letter for letter in word)
    return f"\"$(printf '{escaped}')\""


def _is_control(letter: str) -> bool:
    return letter < " " or letter == "\x7f"


def _command(plan: Plan, run: Run, scenario: str, path: str, engine: str) -> list[str]:
    if scenario.startswith("-"):  # it would be taken for an option
        scenario = f"./{scenario}"
    settings = [f"{key}={written(value)}" for key, value in plan.settings(run).items()]
    sets = [word for setting in settings for word in ("--set", setting)]
    output = path if run.file != run.name else f"{path}/"
    return ["boidsgen", "render", scenario, *sets, "-o", output, *([] if engine == "auto" else ["--engine", engine])]
