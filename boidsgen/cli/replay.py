"""`boidsgen replay`: a clip or picture made again."""

from pathlib import Path
from typing import Annotated

import typer

from boidsgen.cli.options import NoClobber, Quiet
from boidsgen.cli.terminal import note, result, watched


def replay(
    original: Annotated[str, typer.Argument(metavar="FILE", help="A clip or picture that boidsgen has made.")],
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="Another file: a .png for a picture, else a clip.")
    ],
    engine: Annotated[str, typer.Option(metavar="ENGINE", help="auto, or an engine that `doctor` lists.")] = "auto",
    no_clobber: NoClobber = False,
    quiet: Quiet = False,
) -> None:
    """Make a file again from the scenario that it carries, and make sure that it is equal."""
    from boidsgen.cli.jobs import refuse_paths
    from boidsgen.studies.replay import original as read_back
    from boidsgen.studies.replay import replay as replayed
    from boidsgen.writers.places import storing

    with storing(original):
        one = read_back(Path(original))
    refuse_paths([output], [one.path])
    with watched(one.path.stem, one.frames, quiet=quiet) as progress:
        notices = replayed(one, output, engine=engine, no_clobber=no_clobber, progress=progress)
    for notice in () if quiet else notices:
        note(f"boidsgen: {notice}")
    if output != "-":
        result(output)
