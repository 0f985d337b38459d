"""Animated WebP: exact in all colors there are, where a GIF has 255; streamed picture by picture.

The text stands at the end, in a chunk of its own, as the format has it for what it does not know.
"""

import io
import struct
from collections.abc import Iterator, Mapping
from io import SEEK_END
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.caps import MAX_COMMENT
from boidsgen.drawing.frame import Codes, Frame
from boidsgen.output.animation import Animation, Box, changed
from boidsgen.output.contract import DAMAGE, Clip, Makes, Part, Quality, Sign

if TYPE_CHECKING:
    from imageio.core.request import Request

MAX_FPS = 90

_ANIMATED, _TRANSPARENT = 1 << 1, 1 << 4
_NOT_BLENDED = 1 << 1
_TEXT, _FRAME = b"boid", b"ANMF"
_EFFORT: dict[Quality, dict[str, Any]] = {
    "draft": {"quality": 80, "method": 0},
    "standard": {"lossless": True, "quality": 30, "method": 0},
    "high": {"lossless": True, "quality": 75, "method": 4},
}
"""Pillow's options for one picture."""


class Webp(Animation):
    """One picture a frame, lossless unless a draft is enough."""

    name: ClassVar[str] = "webp"
    called: ClassVar[str] = "a webp"
    extensions: ClassVar[tuple[str, ...]] = (".webp",)
    makes: ClassVar[Makes] = "file"
    signs: ClassVar[tuple[Sign, ...]] = ((8, b"WEBPVP8X"),)
    max_side: ClassVar[int] = 16383
    max_fps: ClassVar[int] = MAX_FPS
    ticks: ClassVar[int] = 1000
    usage: ClassVar[str] = "-o flock.webp"
    suits: ClassVar[str] = "web pages; exact in lit themes too, in files about twice as large as a gif's"
    remarks: ClassVar[Mapping[str, str]] = {
        "fps": f"at most {MAX_FPS} for webp",
        "quality": "but a draft in webp loses detail",
    }

    def __init__(self, request: "Request", *, part: Part, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
        self._shown: Codes | None = None

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        with path.open("rb") as file:
            try:
                return sum(kind == _FRAME for kind, _ in _chunks(file))
            except DAMAGE:  # it is cut off, or is none
                return 0

    @classmethod
    @override
    def duration(cls, path: Path) -> float:
        with path.open("rb") as file:
            heads = (file.read(16) for kind, _ in _chunks(file) if kind == _FRAME)
            return sum(int.from_bytes(head[12:15], "little") for head in heads) / 1000

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        for kind, size in _chunks(file):
            if kind == _TEXT and size > MAX_COMMENT:
                raise ValueError("the text is too long")
            if kind == _TEXT:
                return file.read(size)
        return b""

    @override
    def write(self, entry: Frame) -> None:
        if self._shown is None:
            self._file.write(_header(self._clip))
            self._shown = entry.index.copy()
            box = Box(0, 0, *self._clip.size)
        else:
            box = changed(self._shown, entry.index)
            np.copyto(self._shown, entry.index)
        even = Box(box.left & ~1, box.top & ~1, box.right, box.bottom)  # where a crop begins is told in pairs of pixels
        self._file.write(_image(entry, even, self._delay(), self._clip.quality))
        self._number += 1

    @override
    def close(self) -> None:
        if self._clip.provenance:
            self._file.write(_chunk(_TEXT, self._clip.provenance.encode()))
        size = self._file.tell() - 8
        self._file.seek(4)
        self._file.write(struct.pack("<I", size))
        super().close()


def _header(clip: Clip) -> bytes:
    flags = _ANIMATED | (_TRANSPARENT if clip.transparent else 0)
    canvas = struct.pack("<I", flags) + _three(clip.size[0] - 1) + _three(clip.size[1] - 1)
    animation = struct.pack("<IH", 0, min(clip.loop, 65535))
    return b"RIFF\0\0\0\0WEBP" + _chunk(b"VP8X", canvas) + _chunk(b"ANIM", animation)


def _image(frame: Frame, box: Box, delay: int, quality: Quality) -> bytes:
    from PIL import Image  # noqa: PLC0415  who only checks a scenario must not wait for it

    colors = frame.palette if frame.inks is None else frame.inks
    crop = Image.fromarray(colors[frame.index[box.top : box.bottom, box.left : box.right]])
    content = io.BytesIO()
    crop.save(content, "WEBP", **_EFFORT[quality])
    numbers = (box.left // 2, box.top // 2, crop.width - 1, crop.height - 1, delay)
    return _chunk(_FRAME, b"".join(map(_three, numbers)) + bytes([_NOT_BLENDED]) + content.getvalue()[12:])


def _three(number: int) -> bytes:
    return number.to_bytes(3, "little")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def _chunks(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Kind and size of each chunk; while one is looked at, the file stands at its content.

    Raises:
        ValueError, struct.error: the file is cut off, or a chunk reaches over its end.
    """
    (size,) = struct.unpack("<4xI4x", file.read(12))
    end = file.seek(0, SEEK_END)
    if end != size + 8:
        raise ValueError("the file is cut off")
    place = 12
    while place < end:
        file.seek(place)
        kind, length = struct.unpack("<4sI", file.read(8))
        place += 8 + length + length % 2
        if place > end:
            raise ValueError("a chunk reaches over the end")
        yield kind, length
