"""PNG: every frame a picture of its own, in one folder; for slides and LaTeX."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from PIL import Image
from PIL.PngImagePlugin import PngInfo
from typing_extensions import override

from boidsgen.drawing.frame import Frame
from boidsgen.writers.contract import PICTURE, Clip, Makes, Part, Refusal, Writer

_DIGITS_OF_A_CLIP_WITHOUT_END = 6
_END = b"\0\0\0\0IEND\xaeB`\x82"


class Png(Writer):
    """`frame_0001.png` and so on, with as many digits as the last number needs, four or more."""

    name: ClassVar[str] = "png"
    extensions: ClassVar[tuple[str, ...]] = (".png",)
    makes: ClassVar[Makes] = "folder"

    def __init__(self, part: Part, clip: Clip) -> None:
        self._folder = part.path
        self._provenance = clip.provenance
        self._digits = _DIGITS_OF_A_CLIP_WITHOUT_END if clip.frames is None else max(4, len(str(clip.frames)))
        self._number = 0

    @classmethod
    @override
    def refusals(cls, size: tuple[int, int], fps: float) -> Iterator[Refusal]:
        del size, fps  # a folder of pictures has neither limit
        yield from ()

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        return sum(1 for entry in path.iterdir() if PICTURE.fullmatch(entry.name) and _complete(entry))

    @override
    def write(self, frame: Frame) -> None:
        self._number += 1
        picture = self._folder / f"frame_{self._number:0{self._digits}}.png"
        picture.write_bytes(encoded(frame, self._provenance, self._number - 1))

    @override
    def close(self) -> None:
        """Nothing is left to do: every picture is complete when it is written."""

    @override
    def abandon(self) -> None:
        """Nothing is held open between two frames."""


def encoded(frame: Frame, provenance: str, number: int | None = None) -> bytes:
    """The frame as a palette PNG; `provenance`, unless empty, stands in its text "Comment", a number in "Frame"."""
    image = Image.fromarray(frame.index)
    image.putpalette(frame.palette.tobytes())
    notes = PngInfo()
    if provenance:
        notes.add_itxt("Comment", provenance)
    if number is not None:
        notes.add_text("Frame", str(number))
    content = io.BytesIO()
    image.save(content, "PNG", pnginfo=notes)
    return content.getvalue()


def _complete(picture: Path) -> bool:
    with picture.open("rb") as file:
        file.seek(max(file.seek(0, io.SEEK_END) - len(_END), 0))
        return file.read() == _END
