"""`boidsgen compare`: several scenarios side by side."""

import time
from typing import Annotated

import typer

from boidsgen.cli.options import CLIP, LAST, RESULT, Options, Scenarios, decoded, frame_numbers, sharing
from boidsgen.errors import UsageError


@sharing(*CLIP, "engine", *RESULT)
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
        str | None, typer.Option(metavar="A,B,...", help="Text above each, instead of titles and variants.")
    ] = None,
    columns: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Number per row; by default what suits a screen.")
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The measure to write below each; by default that of the chart."),
    ] = None,
    at: Annotated[str, typer.Option(metavar="FRAME|last", help="The frame that a .png shows.")] = LAST,
    options: Options,
) -> None:
    """Render scenarios side by side and in step, each with its title.

    --size is the size of each, not of the whole.

    Examples:
        boidsgen compare quickstart --ablate -o rules.gif
        boidsgen compare quickstart --with flock.count=20 --with '' -o two.gif
    """
    from boidsgen import pipeline
    from boidsgen.cli.jobs import make_directory, refuse_paths, usual_path
    from boidsgen.cli.render import report_entries
    from boidsgen.scenario.sources import find_all
    from boidsgen.simulation import engine_name
    from boidsgen.studies import compare as comparing
    from boidsgen.studies.variants import CompareRequest, comparison_of, grid_text

    engine, no_clobber, reporter = options.engine, options.no_clobber, options.reporter()
    reporter.refuse_two_streams(output)
    number, *more = frame_numbers(at)
    if more:
        raise UsageError(f"--at {at}: must be the number of a frame, counted from 0, or last")
    given = options.overrides()
    sources = find_all(scenarios)
    paths = output or [usual_path(comparing.COMPARISON, ".gif")]
    request = CompareRequest(sources, given, tuple(map(decoded, variants or ())), ablate=ablate)
    comparison = comparison_of(request, decoded(labels).split(",") if labels is not None else None, columns, measure)
    comparing.refuse_frame(number, paths)
    refuse_paths(paths)
    if output is None:
        make_directory()
    text, notices, made = grid_text(comparison), list[str](), dict[str, tuple[str, dict[str, object]]]()
    if clips := [path for path in paths if not pipeline.is_still(path)]:
        with reporter.progress(comparing.COMPARISON, comparison.longest.time.frames) as progress:
            report = comparing.compare(
                comparison, *clips, provenance=text, engine=engine, no_clobber=no_clobber, progress=progress
            )
        notices += report.notices
        made |= {clip: (str(path), report_entries(report)) for clip, path in zip(clips, report.paths, strict=True)}
    for path in paths:
        if path not in clips:
            began = time.monotonic()
            notices += comparing.compare_still(
                comparison, path, at=number, provenance=text, engine=engine, no_clobber=no_clobber
            )
            entries: dict[str, object] = {
                "frames": 1,
                "at": [pipeline.frame_number(comparison.longest, number)],
                "seed": comparison.first.seed,
                "seconds": round(time.monotonic() - began, 3),
                "engine": engine_name(engine, comparison.longest),
            }
            made[path] = (path, entries)
    reporter.finish((), notices)
    for wanted in paths:  # in the order in which they were named
        path, entries = made[wanted]
        reporter.finish([path], (), entries)
