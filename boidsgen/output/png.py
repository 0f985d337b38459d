"""PNG: every frame a picture of its own, in one folder; for slides and LaTeX."""

import io
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.caps import MAX_CHUNKS, MAX_COMMENT
from boidsgen.drawing.frame import Frame
from boidsgen.output.contract import DAMAGE, FRAME_NAME, Clip, ClipWriter, Makes, Part, Refusal, Sign, spread

if TYPE_CHECKING:
    from imageio.core.request import Request

_SIGN = b"\x89PNG\r\n\x1a\n"
_NUMBERS = re.compile(rb"[0-9]+(,[0-9]+)*")
_DIGITS_OF_A_CLIP_WITHOUT_END = 6
_END = b"\0\0\0\0IEND\xaeB`\x82"
_OURS = re.compile(rb"IHDR(iTXt)?tEXt(PLTE(tRNS)?)?(IDAT)+IEND")
"""The chunks of a picture, in the order in which Pillow puts ours."""


class Png(ClipWriter):
    """`frame_0001.png` and so on, with as many digits as the last number needs, four or more."""

    name: ClassVar[str] = "png"
    extensions: ClassVar[tuple[str, ...]] = (".png",)
    makes: ClassVar[Makes] = "folder"
    signs: ClassVar[tuple[Sign, ...]] = ((0, _SIGN),)
    usage: ClassVar[str] = "-o frames/ --format png"
    suits: ClassVar[str] = "one file per frame, for LaTeX and for editing"
    remarks: ClassVar[Mapping[str, str]] = {"format": " for a folder of pictures"}

    def __init__(self, request: "Request", *, part: Part, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
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
        frames = sorted(entry for entry in path.iterdir() if FRAME_NAME.fullmatch(entry.name) and _complete(entry))
        return len(frames) if all(_decodes(frames[number]) for number in spread(len(frames))) else 0

    @classmethod
    @override
    def is_own(cls, path: Path) -> bool:
        """Whether a picture is put together as `encoded` does it, and carries the number that its name says.

        Every version has done so. A picture that another program has saved again is no longer ours.
        """
        number = path.stem.removeprefix("frame_")
        with path.open("rb") as file:
            try:
                return _is_whole(file) and dict(_texts(file)).get(b"Frame") == b"%d" % (int(number) - 1)
            except DAMAGE:
                return False

    @classmethod
    @override
    def duration(cls, path: Path) -> None:
        """A folder of pictures has no time."""

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        texts = dict(_texts(file))
        number = texts.get(b"Frame", b"")
        before = b"# frame %s\n" % number if _NUMBERS.fullmatch(number) else b""
        return before + texts[b"Comment"] if texts.get(b"Comment") else b""

    @classmethod
    @override
    def pictures(cls, path: Path) -> Iterator[NDArray[np.uint8]]:
        """The frames of a folder in their order, or one picture out of it."""
        from PIL import Image  # noqa: PLC0415  who only checks a scenario must not wait for it

        for picture in sorted(path.iterdir()) if path.is_dir() else [path]:
            with picture.open("rb") as file, Image.open(file) as image:
                yield np.asarray(image.convert("RGB"))

    @override
    def write(self, entry: Frame) -> None:
        self._number += 1
        picture = self._folder / f"frame_{self._number:0{self._digits}}.png"
        picture.write_bytes(encoded(entry, self._provenance, (self._number - 1,)))

    @override
    def close(self) -> None:
        """Nothing is left to do: every picture is complete when it is written."""

    @override
    def abandon(self) -> None:
        """Nothing is held open between two frames."""


def encoded(frame: Frame, provenance: str, at: Sequence[int] = ()) -> bytes:
    """The frame as a PNG, with a palette where entries have one byte.

    The provenance, unless empty, stands in its text "Comment", the numbers of its frames in "Frame".
    """
    from PIL import Image  # noqa: PLC0415  who only checks a scenario must not wait for it
    from PIL.PngImagePlugin import PngInfo  # noqa: PLC0415  a GIF must not wait for it

    if frame.index.itemsize == 1:
        image = Image.fromarray(frame.index)
        image.putpalette((frame.palette if frame.inks is None else frame.inks[:, :3]).tobytes())
    else:
        image = Image.fromarray(frame.palette[frame.index])
    notes = PngInfo()
    if provenance:
        notes.add_itxt("Comment", provenance)
    if at:
        notes.add_text("Frame", ",".join(map(str, at)))
    content = io.BytesIO()
    image.save(content, "PNG", pnginfo=notes, **_opacity(frame))
    return content.getvalue()


def _opacity(frame: Frame) -> dict[str, bytes]:
    """Pillow's option for a picture without ground."""
    return {} if frame.inks is None else {"transparency": frame.inks[:, 3].tobytes()}


def _decodes(picture: Path) -> bool:
    from PIL import Image  # noqa: PLC0415  who only checks a scenario must not wait for it

    try:
        with picture.open("rb") as file, Image.open(file) as image:  # which loses its own when it fails
            image.load()
    except (OSError, SyntaxError, ValueError):
        return False
    return True


def _complete(picture: Path) -> bool:
    with picture.open("rb") as file:
        file.seek(max(file.seek(0, io.SEEK_END) - len(_END), 0))
        return file.read() == _END


def _is_whole(file: BinaryIO) -> bool:
    """Whether the chunks are those that ours have, up to the end of the file."""
    size = file.seek(0, io.SEEK_END)
    place, kinds = file.seek(len(_SIGN)), b""
    while place < size and len(kinds) < 4 * MAX_CHUNKS:
        length, kind = struct.unpack(">I4s", file.read(8))
        kinds += kind
        place = file.seek(length + 4, io.SEEK_CUR)
    return place == size and _OURS.fullmatch(kinds) is not None


def _texts(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """Every text in the file with its name."""
    file.seek(8)
    for _ in range(MAX_CHUNKS):
        length, kind = struct.unpack(">I4s", file.read(8))
        if kind == b"IEND":
            return
        if kind in _READERS:
            if length > MAX_COMMENT:
                raise ValueError("a text is too long")
            name, _, rest = file.read(length).partition(b"\0")
            yield name, _READERS[kind](rest)
            file.seek(4, 1)
        else:
            file.seek(length + 4, 1)
    raise ValueError("there are too many chunks")


def _latin(rest: bytes) -> bytes:
    return rest.decode("latin-1").encode()


def _international(rest: bytes) -> bytes:
    """What stands behind the flags, the language and the translated name; nothing where it is compressed."""
    if rest[0]:
        return b""
    return rest[2:].split(b"\0", 2)[2]


_READERS = {b"tEXt": _latin, b"iTXt": _international}
