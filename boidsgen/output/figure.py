"""Figure writers: one figure, one file.

A `FigureWriter` turns the figure into bytes (`encoded`); everything else about it is here. Files carry the numbers of
their frames and the scenario, as pictures do.
"""

from abc import abstractmethod
from collections.abc import Sequence

from typing_extensions import override

from boidsgen.drawing.figure import Figure
from boidsgen.output.base import FileWriter, Part


class FigureWriter(FileWriter[Figure]):
    """One kind of file that holds a figure.

    Args:
        part: the file to fill.
        provenance: a text to store in it, empty for none.
        at: the numbers of the frames that it shows.
    """

    def __init__(self, part: Part, provenance: str, at: Sequence[int]) -> None:
        frames = f"# frame {','.join(map(str, at))}\n" if at else ""
        self.text = frames + provenance if provenance else ""
        self._file = part.open()

    @override
    def write(self, entry: Figure) -> None:
        self._file.write(self.encoded(entry))

    @abstractmethod
    def encoded(self, figure: Figure) -> bytes:
        """The whole file."""


def number(value: float, digits: int = 2) -> str:
    """A number as short as it can be written with so many digits behind the point."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text
