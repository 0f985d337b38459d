"""`boidsgen plot`: from a finished sweep to a figure."""

from collections.abc import Callable, Iterable
from typing import Annotated

import typer

from boidsgen.cli.options import AsJson, NoClobber, Open, Quiet
from boidsgen.cli.report import Reporter
from boidsgen.errors import UsageError


def plot(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SWEEP...", help="The directory of a sweep, or its manifest; several are put together."),
    ],
    *,
    output: Annotated[
        list[str] | None,
        typer.Option("--output", "-o", metavar="FIGURE", help="A figure: .png, .svg or .pdf. Repeatable."),
    ] = None,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure", metavar="NAME", help="A measure, by name or as in final.groups; each gets a panel. Repeatable."
        ),
    ] = None,
    x: Annotated[str, typer.Option("--x", metavar="KEY", help="The key along the horizontal axis.")] = "",
    color: Annotated[str, typer.Option(metavar="KEY", help="The key shown by color.")] = "",
    panels: Annotated[str, typer.Option(metavar="KEY", help="The key shown by panels.")] = "",
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Use only runs with this value of a key, or these. Repeatable."),
    ] = None,
    heat: Annotated[bool, typer.Option("--heat", help="Draw a heat map of two keys.")] = False,
    spread: Annotated[
        str, typer.Option(metavar="SPREAD", help="What to show around each mean: error, deviation, quantiles or range.")
    ] = "error",
    log: Annotated[str, typer.Option(metavar="AXES", help="Logarithmic axes: x, y or xy.")] = "",
    radians: Annotated[bool, typer.Option("--radians", help="Show angles in radians.")] = False,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title above the figure.")] = "",
    theme: Annotated[str, typer.Option(metavar="THEME", help="Theme whose colors are used.")] = "paper",
    no_clobber: NoClobber = False,
    show: Open = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Draw what a sweep has measured, as curves or as a heat map.

    Each point is the mean over the runs with the same values, shown with its spread.

    Examples:
        boidsgen plot noise -o noise.png
    """
    from boidsgen.cli.jobs import make_usual_directory, refuse_paths, usual_path
    from boidsgen.studies.figure import FigureRequest, refuse_request, write_figure
    from boidsgen.studies.plot import require_matplotlib
    from boidsgen.studies.results import read_results, together

    request = FigureRequest(
        tuple(measures or ()),
        x=x,
        color=color,
        panels=panels,
        heat=heat,
        spread=spread,
        log=log,
        radians=radians,
        title=title,
        theme=theme,
    )
    refuse_request(request)
    parts = [read_results(source) for source in sources]
    results = together(parts)
    for key, values in _chosen(only or (), results.key).items():
        results = results.only(key, *values)
    paths = output or [usual_path("plot", ".png")]
    for path in paths:
        require_matplotlib(path, "")
    refuse_paths(paths)
    if not output:
        make_usual_directory()
    notices = tuple(notice for part in parts for notice in part.notices)
    for path in paths:
        notices += write_figure(results, request, path, no_clobber=no_clobber)
    Reporter(quiet, as_json, show).finish(paths, notices)


def _chosen(only: Iterable[str], key_of: Callable[[str], str]) -> dict[str, list[str]]:
    """The values wanted of each key."""
    chosen: dict[str, list[str]] = {}
    for text in only:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--only {text}: must look like KEY=VALUE")
        chosen.setdefault(key_of(key), []).append(value)
    return chosen
