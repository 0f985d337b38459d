"""`boidsgen still`: one picture of a scenario."""

from pathlib import Path
from typing import Annotated

import typer

from boidsgen.cli.options import LAST, NoClobber, OneScenario, Quiet, Set, frame_number, overrides
from boidsgen.cli.report import Reporter


def still(
    scenario: OneScenario,
    *,
    at: Annotated[str, typer.Option(metavar="FRAME|last", help="Number of the frame, counted from 0.")] = LAST,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="OUT.png", help="A file, a directory, or - for standard output."),
    ] = None,
    settings: Set = None,
    no_clobber: NoClobber = False,
    quiet: Quiet = False,
) -> None:
    """Draw one picture of a scenario, without encoding the rest."""
    from boidsgen import pipeline
    from boidsgen.cli.jobs import make_usual_directory, plan_still

    reporter = Reporter(quiet)
    job = plan_still(scenario, overrides(settings), output)
    number = pipeline.frame_number(job.scenario, frame_number(at))
    if output is None:
        make_usual_directory()
    path = job.targets[0].path
    with reporter.progress(Path(path).stem, number + 1) as progress:
        notices = pipeline.still(
            job.scenario, path, at=number, no_clobber=no_clobber, progress=progress, states=job.states
        )
    reporter.finish([path], notices)
