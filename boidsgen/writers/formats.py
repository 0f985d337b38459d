"""The formats, the table `[output]`, and which of its values each format refuses."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from boidsgen.tables import Table
from boidsgen.writers.contract import Quality, Refusal, Writer
from boidsgen.writers.gif import Gif
from boidsgen.writers.mp4 import Mp4
from boidsgen.writers.png import Png

WRITERS: dict[str, type[Writer]] = {writer.name: writer for writer in (Gif, Mp4, Png)}
"""Every format by its name."""


if TYPE_CHECKING:
    Format = str
else:
    Format = Literal[tuple(WRITERS)]

Side = Annotated[int, Field(ge=1)]
"""A width or height in pixels."""


class Output(Table):
    """What is written: size, rate and format."""

    size: tuple[Side, Side] | None = None
    """Width and height in pixels, both even for mp4; the size of the world unless given."""
    fps: Annotated[float, Field(ge=0.01, le=1000, allow_inf_nan=False)] = 25
    """Frames a second, 0.01 to 1000, at most 50 for gif; 23.976, 29.97 and 59.94 mean 24000/1001 and so on."""
    format: Format = "gif"
    """The kind of file, unless the name of the output tells: gif, mp4, or png for a folder of pictures."""
    loop: Annotated[int, Field(ge=0, le=65536)] = 0
    """How often a gif plays: 0 for ever, 1 once, 3 three times; other formats leave that to the player."""
    quality: Quality = "standard"
    """Effort of an mp4 to keep to the drawing: draft, standard or high, the slowest; gif and png are exact."""


def refusals(output_format: str, size: tuple[int, int], fps: float) -> list[Refusal]:
    """What `output_format` cannot do: keys of `[output]`, each with what is wrong and what would be right."""
    return list(WRITERS[output_format].refusals(size, fps))
