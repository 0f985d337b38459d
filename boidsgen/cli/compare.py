"""`boidsgen compare`: several scenarios side by side."""

import time
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from boidsgen.cli.options import (
    LAST,
    AsJson,
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
    frame_number,
    letters,
    overrides,
)
from boidsgen.cli.report import Reporter, refuse_two_streams

if TYPE_CHECKING:
    from boidsgen.studies.compare.comparison import Comparison


def compare(
    scenarios: Scenarios,
    *,
    output: Annotated[
        list[str] | None,
        typer.Option("--output", "-o", metavar="OUT", help="A clip, or a .png for a picture of one frame. Repeatable."),
    ] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="'KEY=VALUE ...'",
            help="A variant: keys that only it sets; '' is the scenario as it is. Repeatable.",
        ),
    ] = None,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="The scenario, and the scenario without each of its rules.")
    ] = False,
    labels: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="What to write above each, instead of titles and variants.")
    ] = None,
    columns: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many to a row; by default what suits a screen.")
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The measure to write below each; by default that of the chart."),
    ] = None,
    at: Annotated[str, typer.Option(metavar="FRAME|last", help="Which frame a .png shows.")] = LAST,
    settings: Set = None,
    frames: Frames = None,
    fps: Fps = None,
    size: Size = None,
    seed: Seed = None,
    quality: Quality = None,
    engine: Engine = "auto",
    no_clobber: NoClobber = False,
    show: Open = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Render scenarios side by side and in step, each with its title.

    --size is the size of each, not of the whole.

    Examples:
        boidsgen compare quickstart --ablate -o rules.gif
        boidsgen compare quickstart --with flock.count=20 --with '' -o two.gif
    """
    from boidsgen.cli.jobs import make_usual_directory, refuse_paths, usual_path
    from boidsgen.pipeline import is_still
    from boidsgen.scenario.sources import find_all
    from boidsgen.studies.compare.comparison import STEM, refuse_frame
    from boidsgen.studies.compare.request import CompareRequest, comparison_of, measured

    refuse_two_streams(output or (), as_json=as_json)
    number = frame_number(at)
    given = overrides(settings, frames=frames, fps=fps, size=size, seed=seed, quality=quality)
    sources = find_all(scenarios)
    paths = output or [usual_path(STEM, ".gif")]
    request = CompareRequest(sources, given, tuple(map(letters, variants or ())), ablate=ablate)
    comparison = comparison_of(request, letters(labels).split(",") if labels is not None else None, columns)
    refuse_frame(number, paths)
    refuse_paths(paths)
    comparison = measured(comparison, measure)
    if output is None:
        make_usual_directory()
    reporter = Reporter(quiet, as_json, show)
    clips = [path for path in paths if not is_still(path)]
    pictures = [path for path in paths if is_still(path)]
    made = {
        **(_clips(comparison, clips, engine, reporter, no_clobber=no_clobber) if clips else {}),
        **{path: _picture(comparison, path, number, engine, no_clobber=no_clobber) for path in pictures},
    }
    reporter.finish((), [notice for one in made.values() for notice in one.notices])
    for wanted in paths:
        reporter.shown(made[wanted].path, made[wanted].entries)


class _Made(NamedTuple):
    """One output.

    Attributes:
        path: where it is, which need not be what the user wrote.
        entries: what `--json` says about it.
        notices: as in a report.
    """

    path: str
    entries: dict[str, object]
    notices: tuple[str, ...]


def _clips(
    comparison: "Comparison", wanted: list[str], engine: str, reporter: Reporter, *, no_clobber: bool
) -> dict[str, _Made]:
    """Write all clips in one go; gives them by their names as the user wrote them."""
    from boidsgen.cli.at_once import entries
    from boidsgen.studies.compare.comparison import STEM, compare
    from boidsgen.studies.compare.grids import grid_text

    text = grid_text(comparison)
    with reporter.progress(STEM, comparison.longest.time.frames) as progress:
        report = compare(comparison, *wanted, provenance=text, engine=engine, no_clobber=no_clobber, progress=progress)
    return {
        name: _Made(str(path), entries(report), report.notices) for name, path in zip(wanted, report.paths, strict=True)
    }


def _picture(comparison: "Comparison", path: str, at: int | None, engine: str, *, no_clobber: bool) -> _Made:
    """Write a picture."""
    from boidsgen import pipeline
    from boidsgen.simulation import engine_name
    from boidsgen.studies.compare.comparison import compare_still
    from boidsgen.studies.compare.grids import grid_text

    began, text = time.monotonic(), grid_text(comparison)
    notices = compare_still(comparison, path, at=at, provenance=text, engine=engine, no_clobber=no_clobber)
    entries = {
        "frames": 1,
        "at": [pipeline.frame_number(comparison.longest, at)],
        "seed": comparison.first.seed,
        "seconds": round(time.monotonic() - began, 3),
        "engine": engine_name(engine, comparison.longest),
    }
    return _Made(path, entries, notices)
