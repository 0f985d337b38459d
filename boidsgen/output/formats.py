"""The formats of clips, and the table `[output]`, whose descriptions follow from their classes."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field

from boidsgen.output.animations import Gif, Webp
from boidsgen.output.base import Clip, ClipWriter, Quality, Refusal
from boidsgen.output.png import Png
from boidsgen.output.video import Mp4, Webm
from boidsgen.tables import Table

WRITERS: dict[str, type[ClipWriter]] = {writer.name: writer for writer in (Gif, Mp4, Webp, Webm, Png)}
"""Every format by its name."""

SIDES = lcm(*(writer.multiple for writer in WRITERS.values()))
"""Every format supports pictures whose sides are multiples of this."""


def spoken(names: Iterable[str], last: str = "or") -> str:
    """An enumeration, such as `gif, mp4 or png`."""
    *others, final = names
    return f"{', '.join(others)} {last} {final}" if others else final


def _remarks(key: str) -> str:
    """Additions of all formats to the description of a key of `[output]`."""
    return "".join(f", {writer.remarks[key]}" for writer in WRITERS.values() if key in writer.remarks)


def format_table() -> str:
    """Markdown table of the formats."""
    head = ["| format | written as | good for |", "| --- | --- | --- |"]
    rows = [f"| `{writer.name}` | `{writer.usage}` | {writer.suits} |" for writer in WRITERS.values()]
    return "\n".join([*head, *rows])


_EXACT = [name for name, writer in WRITERS.items() if writer.exact]
_LOSSY = [name for name, writer in WRITERS.items() if not writer.exact]
_LOOPS = [name for name, writer in WRITERS.items() if writer.loops]
_EACH = [f"{name}{writer.remarks.get('format', '')}" for name, writer in WRITERS.items()]

if TYPE_CHECKING:
    Format = str
else:
    Format = Literal[tuple(WRITERS)]

Side = Annotated[int, Field(ge=1)]
"""A width or height in pixels."""

MAX_SEAM = 250
"""Maximum frames of a cross-fade, which are kept in memory."""

SIZES = {"square": (1080, 1080), "vertical": (1080, 1920)}
"""Named sizes in pixels, of feeds and of telephones."""


def sized(size: tuple[int, int] | str) -> tuple[int, int]:
    """Width and height of a size, which may be a name."""
    return SIZES[size] if isinstance(size, str) else size


if TYPE_CHECKING:
    Size = tuple[Side, Side]
else:
    Size = Annotated[tuple[Side, Side] | Literal[tuple(SIZES)], AfterValidator(sized)]


class Output(Table):
    """Size, rate and format of the output."""

    size: Annotated[
        Size | None,
        Field(
            description=f"Width and height in pixels{_remarks('size')}, or square (1080 by 1080) or vertical (1080 by "
            "1920); the size of the world unless given."
        ),
    ] = None
    fps: Annotated[
        float,
        Field(
            ge=0.01,
            le=1000,
            allow_inf_nan=False,
            description=f"Frames a second, 0.01 to 1000{_remarks('fps')}; "
            "23.976, 29.97 and 59.94 mean 24000/1001 and so on.",
        ),
    ] = 25
    format: Annotated[
        Format,
        Field(
            description="The kind of file, unless the name of the output tells: "
            f"{', '.join(_EACH[:-1])}, or {_EACH[-1]}."
        ),
    ] = "gif"
    loop: Annotated[
        int,
        Field(
            ge=0,
            le=65536,
            description=f"How often a {spoken(_LOOPS)} plays: 0 for ever, 1 once, 3 three times; "
            "other formats leave that to the player.",
        ),
    ] = 0
    loop_seam: Annotated[int, Field(ge=0, le=MAX_SEAM)] = 0
    """Number of frames at the end that cross-fade into the first ones, so that a looping clip has no jump; 0 = none.
    The clip is shorter by them, and they are kept in memory, each with one byte per pixel, or two in lit themes;
    `boidsgen check` prints how much that is. A camera with an orbit must come round in the remaining frames."""
    max_bytes: Annotated[int, Field(ge=1)] | None = None
    """Maximum size of a gif in bytes; it gets as many pixels and frames per second as fit. The clip is rendered several
    times to find that out, always with the same result. Comparisons are not fitted."""
    quality: Annotated[
        Quality,
        Field(
            description=f"Effort of an {spoken(_LOSSY)} to keep to the drawing: draft, standard or high, the slowest; "
            f"{spoken(_EXACT, 'and')} are exact{_remarks('quality')}."
        ),
    ] = "standard"

    def clip(self, size: tuple[int, int], frames: int, provenance: str = "", *, transparent: bool = False) -> Clip:
        """The clip of this size in pixels and number of frames that embeds this text."""
        return Clip(size, self.fps, frames, self.loop, self.quality, provenance, transparent)


def opaque(output_format: str) -> Iterator[str]:
    """An error if the format does not support pictures without background."""
    if not WRITERS[output_format].transparent:
        able = spoken(name for name, writer in WRITERS.items() if writer.transparent)
        yield f"an {output_format} always has a ground; use {able}"


def refusals(output_format: str, size: tuple[int, int], fps: float) -> list[Refusal]:
    """Keys of `[output]` that the format does not support, each with what it would support."""
    return list(WRITERS[output_format].refusals(size, fps))


MAX_EMBEDDED = 50_000_000
"""Bytes of an output that is embedded in a page; of a larger one the page has the name."""


def shown_in_html(path: Path) -> str:
    """HTML element that shows a file without any other, as in a notebook; its name if it is absent or too large."""
    from html import escape  # noqa: PLC0415  it comes with the names of two thousand letters

    kind = next((writer for writer in WRITERS.values() if path.suffix.lower() in writer.extensions), None)
    if kind is None or not path.is_file() or path.stat().st_size > MAX_EMBEDDED:
        return f"<code>{escape(str(path))}</code>"
    content = b64encode(path.read_bytes()).decode()
    if kind.element == "img":
        return f'<img src="data:image/{kind.name};base64,{content}">'
    return f'<video src="data:video/{kind.name};base64,{content}" autoplay loop muted controls></video>'
