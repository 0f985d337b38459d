"""`boidsgen fit` and `sensitivity`: what a study says about the keys of a scenario."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from boidsgen.cli.options import MEASURING, RESULT, Number, OneScenario, Options, Text, Texts, option, sharing
from boidsgen.errors import BoidsgenError, UsageError
from boidsgen.studies.requests import FitRequest


@sharing("settings", *MEASURING, "seed", "engine", "trust", "quiet", "as_json")
def fit(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A recording, a clip, or a table of measure: .csv.")],
    scenario: OneScenario,
    *,
    request: FitRequest,
    output: Annotated[Text, option("--output -o DIR", "The directory for all results.")] = None,
    plots: Annotated[Texts, option("--plot FIGURE", "Draw the posterior: .png, .svg or .pdf. Repeatable.")] = None,
    jobs: Annotated[Number, option("--jobs N", "Runs at a time; by default as many as there are cores.", min=1)] = None,
    dask: Annotated[Text, option("--dask ADDRESS", "Run on the Dask cluster with this scheduler.")] = None,
    options: Options,
) -> None:
    """Find the values with which a scenario moves like a film.

    First reports what no run can match, then an interval for each key. A second call does only missing runs.

    Examples:
        boidsgen fit film.gif quickstart --vary flock.cohesion.weight=0:3 -o fitted
    """
    from boidsgen.cli.jobs import refuse_paths, settle
    from boidsgen.inputs import open_input, refuse_name
    from boidsgen.output.formats import DIRECTORY
    from boidsgen.scenario.sources import find
    from boidsgen.studies.fit import fit as fitted
    from boidsgen.studies.fit_report import lines_of, write_fit
    from boidsgen.studies.results import require_matplotlib

    if dask is not None and jobs is not None:
        raise UsageError("--jobs applies to this machine; leave out --jobs or --dask")
    source, reporter = find(scenario), options.reporter()
    directory = Path(DIRECTORY, f"{source.stem}-fit") if output is None else Path(output)
    refuse_name(str(directory))
    for path in plots or ():
        require_matplotlib(path)
    with suppress(OSError, BoidsgenError):  # reported when it is read; a figure that would replace it before any run
        open_input(target).close()
    refuse_paths(plots or ())
    settle([path for path in plots or () if Path(path).parent != directory], output)  # which the fit makes
    with reporter.progress("fit", request.runs, "runs") as progress:
        found = fitted(
            target,
            source,
            options.overrides(),
            request,
            directory.absolute() if dask else directory,
            engine=options.engine,
            jobs=jobs,
            dask=dask or "",
            progress=progress,
        )
    paths = write_fit(found, directory, plots or (), engine=options.engine)
    reporter.finish(paths, lines_of(found))


@sharing(*RESULT)
def sensitivity(
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
    from boidsgen.cli.jobs import settle, usual_path
    from boidsgen.studies.design import index_records, write_index_figure
    from boidsgen.studies.design import sensitivity as indices_of
    from boidsgen.studies.results import read_results, require_matplotlib, write_table

    results = read_results(runs)
    found, keys = indices_of(results, measures or ()), [*results.keys]
    paths, notices = output or [usual_path("sensitivity", ".csv")], list[str](results.notices)
    figures = [path for path in paths if not path.endswith(".csv")]
    for path in figures:
        require_matplotlib(path, "")
    settle(paths, output)
    for path in paths:
        if path in figures:
            notices += write_index_figure(found, keys, path, no_clobber=options.no_clobber)
        else:
            write_table(path, index_records(found, keys), no_clobber=options.no_clobber)
    options.reporter().finish(paths, notices)
