"""`boidsgen still`: one picture of a scenario, or several frames of it side by side."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from boidsgen.cli.options import (
    LAST,
    AsJson,
    Engine,
    Frames,
    NoClobber,
    OneScenario,
    Open,
    Quiet,
    Seed,
    Set,
    Size,
    frame_numbers,
    overrides,
)
from boidsgen.cli.report import STANDARD_OUTPUT, Reporter
from boidsgen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boidsgen.cli.jobs import RenderJob
    from boidsgen.pipeline import Progress


def still(
    scenario: OneScenario,
    *,
    at: Annotated[
        str,
        typer.Option(
            metavar="FRAME|last",
            help="Number of the frame, counted from 0; several, as in 0,60,120, for a film strip.",
        ),
    ] = LAST,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="A .png, a figure as .svg or .pdf, a folder/ (created if missing), or - for standard output.",
        ),
    ] = None,
    settings: Set = None,
    frames: Frames = None,
    size: Size = None,
    seed: Seed = None,
    engine: Engine = "auto",
    no_clobber: NoClobber = False,
    show: Open = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Draw one picture of a scenario, without encoding the rest.

    Examples:
        boidsgen still trefoil --at 300 -o trefoil.png
        boidsgen still quickstart --at 0,60,120 -o strip.png
    """
    from boidsgen import pipeline
    from boidsgen.cli.jobs import make_directories, plan_still
    from boidsgen.simulation import engine_name

    engine_name(engine)
    if as_json and output == STANDARD_OUTPUT:
        raise UsageError("--json and -o - both want standard output; choose one")
    job = plan_still(scenario, overrides(settings, frames=frames, size=size, seed=seed), output)
    numbers = [pipeline.frame_number(job.scenario, number) for number in frame_numbers(at)]
    make_directories([output] if output else [], job.targets)
    began = time.monotonic()
    reporter = Reporter(quiet, as_json, show)
    with reporter.progress(job.source.stem, max(numbers) + 1) as progress:
        notices = _draw(job, numbers, engine=engine, no_clobber=no_clobber, progress=progress)
    entries = {
        "at": numbers,
        "seed": job.scenario.seed,
        "seconds": round(time.monotonic() - began, 3),
        "engine": engine_name(engine, job.scenario) if job.states is None else None,
    }
    reporter.finish([job.targets[0].path], notices, entries)


def _draw(
    job: "RenderJob", numbers: "Sequence[int]", *, engine: str, no_clobber: bool, progress: "Progress | None"
) -> tuple[str, ...]:
    """Draw one frame, or several side by side; gives notices."""
    from boidsgen import pipeline
    from boidsgen.studies.strip import strip

    path = job.targets[0].path
    if len(numbers) > 1:
        return strip(
            job.scenario,
            path,
            at=numbers,
            engine=engine,
            no_clobber=no_clobber,
            progress=progress,
            states=job.states,
        )
    return pipeline.still(
        job.scenario,
        path,
        at=numbers[0],
        engine=engine,
        no_clobber=no_clobber,
        progress=progress,
        states=job.states,
    )
