"""`boidsgen replay`: a clip or picture made again."""

from pathlib import Path
from typing import Annotated

import typer

from boidsgen.cli.options import AsJson, Engine, NoClobber, Open, Quiet
from boidsgen.cli.report import Reporter, refuse_two_streams


def replay(
    original: Annotated[str, typer.Argument(metavar="FILE", help="A clip or picture that boidsgen has made.")],
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="OUT", help="The new file: a .png, .svg or .pdf for a picture, else a clip."
        ),
    ],
    engine: Engine = "auto",
    no_clobber: NoClobber = False,
    show: Open = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Make a file again from the scenario it carries, and compare them.

    Examples:
        boidsgen replay flock.gif -o again.gif
    """
    from boidsgen.cli.jobs import refuse_paths
    from boidsgen.output.places import storing
    from boidsgen.studies.replay import original as read_original
    from boidsgen.studies.replay import replay as make_again

    refuse_two_streams([output], as_json=as_json)
    with storing(original):
        one = read_original(Path(original))
    refuse_paths([output])
    reporter = Reporter(quiet, as_json, show)
    with reporter.progress(one.path.stem, one.drawn) as progress:
        notices = make_again(one, output, engine=engine, no_clobber=no_clobber, progress=progress)
    reporter.finish([output], notices, {"frames": one.frames, "original": original})
