"""The formats of figures, and how one is written."""

from collections.abc import Sequence
from pathlib import Path

from boidsgen.drawing.figure import Figure
from boidsgen.output.base import Part
from boidsgen.output.figure import FigureWriter
from boidsgen.output.outputs import open_output
from boidsgen.output.pdf import Pdf
from boidsgen.output.svg import Svg

FIGURE_WRITERS: dict[str, type[FigureWriter]] = {kind.name: kind for kind in (Svg, Pdf)}
"""Every format by its name."""

FIGURE_ENDINGS = tuple(ending for kind in FIGURE_WRITERS.values() for ending in kind.extensions)
"""How the names of figures end."""


def write_figure(
    path: str, figure: Figure, *, at: Sequence[int] = (), provenance: str = "", no_clobber: bool = False
) -> tuple[str, ...]:
    """Write a figure, complete or not at all; its name tells the format.

    Args:
        path: the file, or a pipe.
        figure: the figure.
        at: the numbers of the frames that it shows, counted from 0.
        provenance: a text to store, empty for none.
        no_clobber: leave an existing file as it is.

    Returns:
        Lines the user should see, such as what was tidied up.

    Raises:
        StorageError: it cannot be written.
        OutputExistsError: it exists, under `no_clobber`.
    """

    def begin(kind: type[FigureWriter], part: Part) -> FigureWriter:
        return kind(part, provenance, at)

    ending = Path(path).suffix.lower()
    kind = next(kind for kind in FIGURE_WRITERS.values() if ending in kind.extensions)
    with open_output(path, kind, begin, no_clobber=no_clobber) as output:
        output.write(figure)
    return output.notices
