"""`boidsgen still`: one picture of a scenario."""

from pathlib import Path
from typing import Annotated

import typer

from boidsgen.cli.options import NoClobber, OneScenario, Quiet, Set, is_number, overrides
from boidsgen.cli.terminal import note, result, watched
from boidsgen.errors import UsageError

LAST = "last"


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
    from boidsgen.cli.jobs import make_usual_directory, plan_still
    from boidsgen.pipeline import frame_number
    from boidsgen.pipeline import still as drawn

    wanted, path, states = plan_still(scenario, overrides(settings), output)
    number = frame_number(wanted, frame_wish(at))
    if output is None:
        make_usual_directory()
    with watched(Path(path).stem, number + 1, quiet=quiet) as progress:
        notices = drawn(wanted, path, at=number, no_clobber=no_clobber, progress=progress, states=states)
    for notice in () if quiet else notices:
        note(f"boidsgen: {notice}")
    if path != "-":
        result(path)


def frame_wish(at: str) -> int | None:
    """The number of a frame, or None for the last one."""
    if at == LAST:
        return None
    if not is_number(at):
        raise UsageError(f"--at {at}: must be the number of a frame, counted from 0, or last")
    return int(at)
