"""Animated WebP: exact in any number of colors, where a GIF has 255; written picture by picture.

The scenario is in a chunk of its own at the end, which readers of the format skip.
"""

import io
import struct
from collections.abc import Iterator, Mapping
from io import SEEK_END
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from typing_extensions import override

from boidsgen.hard_limits import MAX_COMMENT
from boidsgen.output.base import DAMAGE, Quality, Sign
from boidsgen.output.gif import Animation, changed
from boidsgen.output.publish import Makes

if TYPE_CHECKING:
    from PIL import Image

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
    """One picture per frame, lossless except in drafts."""

    name: ClassVar[str] = "webp"
    called: ClassVar[str] = "a webp"
    extensions: ClassVar[tuple[str, ...]] = (".webp",)
    makes: ClassVar[Makes] = "file"
    signs: ClassVar[tuple[Sign, ...]] = ((8, b"WEBPVP8X"),)
    max_side: ClassVar[int] = 16383
    max_fps: ClassVar[int] = 90
    ticks: ClassVar[int] = 1000
    usage: ClassVar[str] = "-o flock.webp"
    suits: ClassVar[str] = "web pages; exact in lit themes too, in files about twice as large as a gif's"
    remarks: ClassVar[Mapping[str, str]] = {
        "fps": "at most 90 for webp",
        "quality": "but a draft in webp loses detail",
    }

    @override
    def _put(self, image: "Image.Image", shown: "Image.Image | None", delay: int) -> None:
        if shown is None:
            flags = _ANIMATED | (_TRANSPARENT if self._clip.transparent else 0)
            canvas = struct.pack("<I", flags) + _three(image.width - 1) + _three(image.height - 1)
            loop = struct.pack("<IH", 0, min(self._clip.loop, 65535))
            self._file.write(b"RIFF\0\0\0\0WEBP" + _chunk(b"VP8X", canvas) + _chunk(b"ANIM", loop))
        left, top, right, bottom = changed(shown, image) if shown else (0, 0, *image.size)
        left, top = left & ~1, top & ~1  # the format counts offsets in pairs of pixels
        crop = image.crop((left, top, right, bottom)).convert("RGBA" if self._clip.transparent else "RGB")
        content = io.BytesIO()
        crop.save(content, "WEBP", **_EFFORT[self._clip.quality])
        head = b"".join(map(_three, (left // 2, top // 2, crop.width - 1, crop.height - 1, delay)))
        self._file.write(_chunk(_FRAME, head + bytes([_NOT_BLENDED]) + content.getvalue()[12:]))

    @override
    def close(self) -> None:
        if self._clip.provenance:
            self._file.write(_chunk(_TEXT, self._clip.provenance.encode()))
        size = self._file.tell() - 8
        self._file.seek(4)
        self._file.write(struct.pack("<I", size))
        super().close()

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        with path.open("rb") as file:
            try:
                return sum(kind == _FRAME for kind, _ in _chunks(file))
            except DAMAGE:  # truncated, or no WebP
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
        size = next((size for kind, size in _chunks(file) if kind == _TEXT), 0)
        if size > MAX_COMMENT:
            raise ValueError("the text is too long")
        return file.read(size)


def _three(number: int) -> bytes:
    return number.to_bytes(3, "little")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def _chunks(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Kind and size of each chunk; after each the file is at its content.

    Raises:
        ValueError, struct.error: the file is truncated, or a chunk reaches over its end.
    """
    (size,) = struct.unpack("<4xI4x", file.read(12))
    end = file.seek(0, SEEK_END)
    if end != size + 8:
        raise ValueError("the file is truncated")
    place = 12
    while place < end:
        file.seek(place)
        kind, length = struct.unpack("<4sI", file.read(8))
        place += 8 + length + length % 2
        if place > end:
            raise ValueError("a chunk reaches over the end")
        yield kind, length
