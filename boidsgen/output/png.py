"""PNG: every frame a picture of its own, in one folder; for slides and LaTeX."""

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.frame import Frame
from boidsgen.errors import MAX_COMMENT
from boidsgen.output.base import DAMAGE, Clip, ClipWriter, Sign, image_of
from boidsgen.output.publish import Destination, Makes

if TYPE_CHECKING:
    from imageio.core.request import Request
    from PIL import Image

_FRAME_NAME = re.compile(r"frame_[0-9]{4,}\.png")
_NUMBERS = re.compile(r"[0-9]+(,[0-9]+)*")
_DIGITS_OF_AN_UNKNOWN_NUMBER = 6


class Png(ClipWriter):
    """`frame_0001.png` and so on, with as many digits as the last number needs, four or more."""

    name: ClassVar[str] = "png"
    extensions: ClassVar[tuple[str, ...]] = (".png",)
    makes: ClassVar[Makes] = "folder"
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"\x89PNG\r\n\x1a\n"),)
    usage: ClassVar[str] = "-o frames/ --format png"
    suits: ClassVar[str] = "one file per frame, for LaTeX and for editing"

    def __init__(self, request: "Request", *, part: Destination, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
        self._folder = part.path
        self._provenance = clip.provenance
        self._digits = _DIGITS_OF_AN_UNKNOWN_NUMBER if clip.frames is None else max(4, len(str(clip.frames)))
        self._number = 0

    @override
    def image(self, frame: Frame) -> "Image.Image":
        return _image(frame)

    @override
    def write(self, entry: "Image.Image") -> None:
        self._number += 1
        with (self._folder / f"frame_{self._number:0{self._digits}}.png").open("xb") as picture:
            picture.write(encoded(entry, self._provenance, (self._number - 1,)))

    @classmethod
    @override
    def is_own(cls, path: Path) -> bool:
        """True for a picture that embeds the number in its name, as all frames do."""
        if not _FRAME_NAME.fullmatch(path.name):
            return False
        with path.open("rb") as file:
            try:
                return _texts(file).get("Frame") == str(int(path.stem.removeprefix("frame_")) - 1)
            except DAMAGE:
                return False

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        texts = _texts(file)
        number, text = texts.get("Frame", ""), texts.get("Comment", "")
        if len(text) > MAX_COMMENT:
            raise ValueError("the text is too long")
        return f"# frame {number}\n{text}".encode() if text and _NUMBERS.fullmatch(number) else text.encode()


def encoded(picture: "Frame | NDArray[np.uint8] | Image.Image", provenance: str = "", at: Sequence[int] = ()) -> bytes:
    """A picture as PNG that embeds the provenance, unless empty, and the numbers of the frames that it shows."""
    from PIL.PngImagePlugin import PngInfo  # noqa: PLC0415  a GIF must not wait for it

    texts = PngInfo()
    if provenance:
        texts.add_itxt("Comment", provenance)
    if at:
        texts.add_text("Frame", ",".join(map(str, at)))
    content = io.BytesIO()
    image = _image(picture) if isinstance(picture, Frame | np.ndarray) else picture
    image.save(content, "PNG", pnginfo=texts)
    return content.getvalue()


def _image(picture: Frame | NDArray[np.uint8]) -> "Image.Image":
    """A frame in all its colors, or a picture of colors, (height, width, 3)."""
    from PIL import Image  # noqa: PLC0415  checking a scenario must not wait for it

    shown = picture.full() if isinstance(picture, Frame) and picture.full else picture
    return image_of(shown) if isinstance(shown, Frame) else Image.fromarray(shown)


def _texts(file: BinaryIO) -> dict[str, str]:
    """Texts in front of the pixels, by their names; may raise OSError and any of `DAMAGE`."""
    from PIL.PngImagePlugin import PngImageFile  # noqa: PLC0415  most scenarios are no pictures

    with PngImageFile(file) as image:  # `Image.open` would refuse a large picture, whose pixels are not read here
        return {str(name): str(text) for name, text in image.info.items()}
