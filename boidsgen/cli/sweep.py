"""`boidsgen sweep`: list or do many runs of one scenario; `audit`, `fit` and `sensitivity`: studies of its keys."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boidsgen.cli.main import json_text, print_table, result
from boidsgen.cli.options import (
    CLIP,
    MEASURING,
    RESULT,
    Dask,
    Jobs,
    Number,
    OneScenario,
    Options,
    ScenarioOrNone,
    Text,
    Texts,
    decoded,
    option,
    sharing,
)
from boidsgen.cli.render import refuse_paths, settle, usual_path
from boidsgen.errors import BoidsgenError, SweepError, UsageError, join_words
from boidsgen.studies.requests import AuditRequest, FigureRequest, FitRequest

if TYPE_CHECKING:
    from boidsgen.studies.manifest import ManifestRow
    from boidsgen.studies.plan import SweepPlan
    from boidsgen.studies.sweep import Study

MAX_FAILED_NAMED = 20  # Failed runs that are named; the manifest has all


@sharing(*CLIP, "format", "engine", *MEASURING, "quiet", "as_json")
def sweep_command(
    scenario: OneScenario,
    *,
    vary: Annotated[
        Texts, option("--vary KEY=VALUES", "Values, as in flock.count=50,100 or KEY=START:STOP:COUNT. Repeatable.")
    ] = None,
    seeds: Annotated[Number, option("--seeds N", "Repeat each combination with N independent seeds.", min=1)] = None,
    until: Annotated[
        Texts, option("--until ERROR=E", "Use only as many of the N seeds as needed, as error.groups=0.1. Repeatable.")
    ] = None,
    zipped: Annotated[
        bool | None, option("--zip/--no-zip", "Pair the values of keys instead of crossing them.")
    ] = None,
    design: Annotated[
        Text, option("--design DESIGN", "Fill ranges, --vary KEY=LOW:HIGH: lhs, sobol, grid, random or saltelli.")
    ] = None,
    runs: Annotated[Number, option("--runs N", "Number of points of the design; raising it later keeps them.")] = None,
    output: Annotated[Text, option("--output -o DIR", "The directory for all results.")] = None,
    jobs: Jobs = None,
    dask: Dask = None,
    chunk: Annotated[
        Text, option("--chunk I/N", "Do only every N-th run from the I-th on: one task of an array.")
    ] = None,
    plots: Annotated[Texts, option("--plot FIGURE", "Also draw the measures: .png, .svg or .pdf. Repeatable.")] = None,
    series: Annotated[str, option("--series FORMAT", "Also save all frames' measures: csv, jsonl, npz, parquet.")] = "",
    crate: Annotated[bool, option("--crate", "Also describe all files as an RO-Crate.")] = False,
    measures_only: Annotated[bool, option("--measures-only", "Measure the runs and draw nothing.")] = False,
    only_list: Annotated[bool, option("--list", "Print the runs without doing them.")] = False,
    force: Annotated[bool, option("--force", "Do all runs, including those done before.")] = False,
    owned: Annotated[bool, option("--force-directory", "Also replace files that boidsgen did not make.")] = False,
    options: Options,
) -> None:
    """Render a scenario many times, with different values and seeds.

    A second call does only missing runs.

    Examples:
        boidsgen sweep quickstart --vary flock.count=20,40,80 --seeds 2 -o runs
        boidsgen sweep quickstart --vary flock.count=20:80:4 --measures-only -o many
        boidsgen sweep quickstart --design lhs --runs 8 --vary flock.count=9:40
        boidsgen sweep hunt --vary flock.count=20,40 --format html -o pages
    """
    from boidsgen.output.formats import DIRECTORY
    from boidsgen.output.publish import make_folder
    from boidsgen.scenario.sources import find
    from boidsgen.studies.design import plan_design, read_design
    from boidsgen.studies.manifest import CRATE
    from boidsgen.studies.plan import SweepOptions, parse_axis, parse_until, plan_sweep, select_chunk
    from boidsgen.studies.sweep import Study
    from boidsgen.system import refuse_name

    if dask is not None and jobs is not None:
        raise UsageError(
            "--jobs applies to this machine; with --dask, the number of workers sets how many runs are done at a time"
        )
    source, overrides, texts = find(scenario), options.overrides(), [decoded(text) for text in vary or ()]
    wanted = SweepOptions((), seeds, zipped, drawn=not measures_only, until=parse_until(until or ()))
    if design is not None and runs is not None and zipped is None:
        made = read_design(design, texts, source, overrides)
        plan = plan_design(source, overrides, made, made.points(runs), wanted)
    elif design is None and runs is None:
        plan = plan_sweep(source, overrides, replace(wanted, axes=tuple(map(parse_axis, texts))))
    else:
        raise UsageError("--design DESIGN and --runs N: belong together, and leave out --zip")
    if chunk is not None:
        plan = select_chunk(plan, chunk)
    if output is not None:
        refuse_name(output)
    directory = Path(DIRECTORY, f"{plan.source.stem}-sweep") if output is None else Path(output)
    if only_list:
        for line in _list(plan, directory, options):
            result(line)
        return
    _refuse_impossible(plan, series, plots or (), crate=crate)
    if output is None:
        make_folder(DIRECTORY)
    place = directory.absolute() if dask else directory
    study = Study(plan, place, options.run(jobs=jobs, dask=dask or ""), series, owned=owned, force=force)
    study.more = (CRATE,) if crate else ()
    _run(study, directory, options, plots or [])


@sharing("settings", "frames", "first", "after", "every", "seed", "engine", "trust", *RESULT)
def audit_command(
    scenario: OneScenario,
    *,
    request: AuditRequest,
    output: Annotated[Text, option("--output -o OUT", "Also write the table to a file: .csv.")] = None,
    jobs: Jobs = None,
    options: Options,
) -> None:
    """Find out which changes of a scenario a claim survives.

    Tries other time steps, numbers of boids, update orders, edges and speed limits.
    A variant is undecided if the mean is within three standard errors of the number.

    Examples:
        boidsgen audit parker --claim "final.mean_speed > 100"
        boidsgen audit quickstart --claim "polarization >= 0.9" -o audit.csv
    """
    from boidsgen.output.columns import Columns, write_columns
    from boidsgen.scenario.sources import find
    from boidsgen.scenario.wording import to_toml
    from boidsgen.studies.audit import audit_claim, plan_audit

    source, reporter = find(scenario), options.reporter()
    if output is not None:
        if Path(output).suffix.lower() != ".csv":
            raise UsageError(f"-o {output}: end it with .csv")
        settle([output], output)
    planned, runs = plan_audit(source, options.overrides(), request)
    with reporter.progress("audit", len(runs), "runs") as progress:
        rows = audit_claim(request.claim, planned, runs, options.run(jobs=jobs, progress=progress))
    texts = [" ".join(f"{key}={to_toml(value)}" for key, value in (row.settings or {}).items()) for row in rows]
    table = [["variant", f"{request.claim.kind} {request.claim.measure}", "seeds", "survives", "settings"]]
    for row, text in zip(rows, texts, strict=True):
        if options.as_json:
            result(json_text(row._asdict()))
        mean, holding = "-", "-"
        if row.mean is not None:
            mean, holding = f"{row.mean:.4g} ± {row.error:.3g}", f"{row.holding}/{request.seeds}"
        table.append([row.variant, mean, holding, row.survives, "; ".join(filter(None, (text, row.remark)))])
    if not options.as_json:
        print_table(table)
    if output is not None:
        records = [{**row._asdict(), "settings": text} for row, text in zip(rows, texts, strict=True)]
        write_columns(output, Columns.of(records), no_clobber=options.no_clobber)
    reporter.finish([] if output is None else [output])
    if failed := [row.variant for row in rows if row.survives == "failed"]:
        raise SweepError(f"runs of {len(failed)} of {len(rows)} variants failed: {join_words(failed, 'and')}")


@sharing("trust")
def describe_command(
    directory: Annotated[
        str, typer.Argument(metavar="SWEEP", help="The directory of a sweep, or with --bibtex a scenario.")
    ],
    *,
    latex: Annotated[bool, option("--latex", "Print LaTeX.")] = False,
    entries: Annotated[bool, option("--bibtex", "Print what to cite, as BibTeX.")] = False,
    options: Options,
) -> None:
    """Print the methods section of a study, or sources of a scenario.

    A table of the model, and sentences about runs, seeds, estimators, versions and citing.

    Examples:
        boidsgen describe noise
        boidsgen describe vicsek-2004 --bibtex
    """
    del options  # whose --trust has been heeded
    if not entries:
        from boidsgen.studies.description import methods_section

        result(methods_section(directory, latex=latex))
        return
    from boidsgen.scenario.loading import draft
    from boidsgen.scenario.model_table import bibtex
    from boidsgen.scenario.sources import find
    from boidsgen.studies.manifest import STUDY

    if latex:
        raise UsageError("--bibtex: prints nothing else; leave out --latex")
    study = Path(directory, STUDY)
    source = find(study, foreign=True) if study.is_file() else find(directory)
    result(bibtex(source, draft(source).scenario()))


def _run(study: "Study", directory: Path, options: Options, plots: Sequence[str]) -> None:
    """Do the runs that have not been done yet, and name everything that is there then."""
    from boidsgen.measuring import unsettled_notice
    from boidsgen.studies.manifest import RUN_DONE

    reporter, plan = options.reporter(), study.plan
    with study:
        missing, kept = study.missing(), study.done
        for line in study.notices:
            reporter.notice(line)
        failures: list[ManifestRow] = []
        if missing:
            most = len(plan.runs) - kept
            with study.backend() as workers, reporter.progress("sweep", most, "runs") as progress:
                failures = study.run(workers, progress)
        total = study.done
        if plan.drawn or options.as_json:  # otherwise no run has anything to name, and there may be very many
            for row in study.rows():
                path = str(directory / row["file"]) if row["file"] else ""
                if options.as_json or (path and row["status"] == "done"):
                    reporter.output(path, row)
        notices = list[str]()
        if plots:  # in the colors of the scenario
            from boidsgen.studies.figure import write_sweep_figure
            from boidsgen.studies.results import results_of

            done = results_of(str(study.directory), [row for row in study.rows() if row["status"] == RUN_DONE])
            request = FigureRequest(title=plan.base.title)
            notices += [notice for path in plots for notice in write_sweep_figure(done, request, path)]
        notices += study.shortfall
        notices += unsettled_notice(row.get("settled", {}) for row in study.rows() if row["status"] == RUN_DONE)
    if study.more:
        from boidsgen.studies.reports import write_crate

        write_crate(study)
    reporter.finish(plots if options.as_json else [*study.summaries, *plots], notices)
    count = f"{total} run{'' if total == 1 else 's'}"
    reporter.notice(f"{count}, {total - kept - len(failures)} done now, {kept} kept")
    if failures:
        raise SweepError("\n".join(_failure_lines(failures, total)))


def _refuse_impossible(plan: "SweepPlan", series: str, plots: Sequence[str], *, crate: bool) -> None:
    """Stop when options contradict the plan, or a library is missing."""
    from boidsgen.output.columns import COLUMNS_WRITERS
    from boidsgen.records import optional_package
    from boidsgen.studies.results import require_matplotlib

    if series:
        if series not in COLUMNS_WRITERS:
            raise UsageError(f"--series {series}: use one of {join_words(COLUMNS_WRITERS)}")
        if series == "parquet":
            optional_package("pyarrow", "--series parquet")
    if crate:
        optional_package("rocrate.rocrate", "--crate")
    for path in plots:
        require_matplotlib(path)
        if not plan.keys:
            raise UsageError(f"--plot {path}: shows measures against a key, and --vary names none")


def _failure_lines(failures: "Sequence[ManifestRow]", runs: int) -> Iterator[str]:
    yield f"{len(failures)} of {runs} runs failed; the others are done, and the same command tries these again"
    for row in failures[:MAX_FAILED_NAMED]:
        reason, _, more = str(row["reason"]).partition("\n")
        yield f"{row['run']}: {reason}{' …' if more else ''}"
    if len(failures) > MAX_FAILED_NAMED:
        yield f"and {len(failures) - MAX_FAILED_NAMED} more, which the manifest names"


def _list(plan: "SweepPlan", directory: Path, options: Options) -> Iterator[str]:
    """A line for each run: its name and values as text or JSON."""
    from boidsgen.scenario.wording import to_toml

    for run in plan.runs:
        path = str(directory / run.file) if run.file else ""
        parameters = dict(zip(plan.keys, run.values, strict=True))
        if options.as_json:
            yield json_text({"run": run.name, "path": path, "seed": run.seed, "parameters": parameters})
        else:
            settings = (f"{key}={to_toml(value)}" for key, value in parameters.items())
            yield "  ".join([path or run.name, *settings, f"seed={run.seed}"])


@sharing("settings", *MEASURING, "seed", "engine", "trust", "quiet", "as_json")
def fit_command(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A recording, a clip, or a table of measure: .csv.")],
    scenario: ScenarioOrNone = None,
    *,
    request: FitRequest,
    output: Annotated[Text, option("--output -o DIR", "The directory for all results.")] = None,
    plots: Annotated[Texts, option("--plot FIGURE", "Draw the posterior: .png, .svg or .pdf. Repeatable.")] = None,
    jobs: Jobs = None,
    dask: Dask = None,
    options: Options,
) -> None:
    """Find the values with which a scenario moves like a film.

    First reports what no run can match, then an interval for each key. A second call does only missing runs.

    Examples:
        boidsgen fit film.gif quickstart --vary flock.cohesion.weight=0:3 -o fitted
        boidsgen fit film.gif --models quickstart,couzin-torus --check 20 -o chosen
    """
    from boidsgen.output.formats import DIRECTORY
    from boidsgen.scenario.sources import find
    from boidsgen.studies.choice import choose_model, lines_of_choice, write_choice
    from boidsgen.studies.description import lines_of, write_fit
    from boidsgen.studies.fit import Fit, fit_scenario
    from boidsgen.studies.prediction import beside, predict, refuse_few, write_prediction
    from boidsgen.studies.results import require_matplotlib
    from boidsgen.system import open_input, refuse_name

    if dask is not None and jobs is not None:
        raise UsageError("--jobs applies to this machine; leave out --jobs or --dask")
    if (scenario is None) == (not request.models):
        raise UsageError("fit: name one scenario, or --models with several")
    source, reporter = find(scenario or request.models[0]), options.reporter()
    directory = Path(DIRECTORY, f"{source.stem}-fit" if scenario else "models") if output is None else Path(output)
    refuse_name(str(directory) if output is None else output)
    if request.models and plots:
        raise UsageError("--plot: draws the posterior of one scenario; leave it out, or fit the one that is chosen")
    refuse_few(request)
    found: Fit | None = None
    for path in plots or ():
        require_matplotlib(path)
    with suppress(OSError, BoidsgenError):  # reported when it is read; a figure that would replace it before any run
        open_input(target).close()
    refuse_paths(plots or ())
    figures = [*(plots or ()), *(beside(path) for path in plots or () if request.predict)]
    settle([path for path in figures if Path(path).parent != directory], output)  # which the fit makes
    with reporter.progress("fit", request.runs, "runs") as progress:
        where = directory.absolute() if dask else directory
        manner = options.run(progress=progress, jobs=jobs, dask=dask or "")
        if request.models:
            choice = choose_model(target, options.overrides(), request, where, manner)
            paths, lines = write_choice(choice, directory), lines_of_choice(choice)
        else:
            found = fit_scenario(target, source, options.overrides(), request, where, manner)
            paths, lines = write_fit(found, directory, plots or (), engine=options.engine), lines_of(found)
    if found and request.predict:
        with reporter.progress("predict", request.predict, "runs") as progress:
            predicted = predict(found, request.predict, where, manner._replace(progress=progress))
        paths += write_prediction(found, predicted, directory, plots or ())
        lines += predicted.lines
    reporter.finish(paths, lines)


@sharing(*RESULT)
def sensitivity_command(
    runs: Annotated[str, typer.Argument(metavar="RUNS", help="The directory of a sweep with --design saltelli.")],
    *,
    output: Annotated[Texts, option("--output -o OUT", "A table, .csv, or a .png, .svg or .pdf. Repeatable.")] = None,
    measures: Annotated[Texts, option("--measure NAME", "Only this measure. Repeatable.")] = None,
    options: Options,
) -> None:
    """Find out which keys each measure depends on.

    First-order and total indices with intervals, corrected for seed noise.

    Examples:
        boidsgen sensitivity effects -o indices.csv
    """
    from boidsgen.output.columns import Columns, write_columns
    from boidsgen.studies.design import index_records, sensitivities, write_index_figure
    from boidsgen.studies.results import read_results, require_matplotlib

    results = read_results(runs)
    found, keys = sensitivities(results, measures or ()), [*results.keys]
    paths, notices = output or [usual_path("sensitivity", ".csv")], list[str](results.notices)
    figures = [path for path in paths if not path.endswith(".csv")]
    for path in figures:
        require_matplotlib(path, "")
    settle(paths, output)
    for path in paths:
        if path in figures:
            notices += write_index_figure(found, keys, path, no_clobber=options.no_clobber)
        else:
            write_columns(path, Columns.of(index_records(found, keys)), no_clobber=options.no_clobber)
    options.reporter().finish(paths, notices)
