"""APNG: a PNG that moves, which shows its first frame where it cannot.

As in other containers that are written here, Pillow encodes each picture, cropped to what has changed; its own
animations keep every frame in memory and merge equal neighbors.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from typing_extensions import override

from boidsgen.output.pictures import PNG_SIGNATURE, Animation, Clip, Sign, changed, encoded, texts_of
from boidsgen.output.publish import Destination, Makes

if TYPE_CHECKING:
    from imageio.core.request import Request
    from PIL import Image

_UNPACKED = 17  # Colors from which on a pixel has a byte of its own


class Apng(Animation):
    """A PNG that moves: exact in all colors, with opacity; what cannot play it shows the first frame."""

    name: ClassVar[str] = "apng"
    extensions: ClassVar[tuple[str, ...]] = (".apng",)
    makes: ClassVar[Makes] = "file"
    signs: ClassVar[tuple[Sign, ...]] = ((37, b"acTL"),)
    max_fps: ClassVar[float] = 90
    ticks: ClassVar[int] = 600  # so that 24, 25, 30, 50 and 60 frames a second take a whole number of them
    usage: ClassVar[str] = "-o flock.apng"
    suits: ClassVar[str] = "slides and web pages; exact in all colors and soft edges, several times as large as a webp"

    def __init__(self, request: "Request", *, part: Destination, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
        self._pieces = 0  # frames and their pixels are numbered alike

    @override
    def _put(self, image: "Image.Image", shown: "Image.Image | None", delay: int) -> None:
        left, top, right, bottom = changed(shown, image) if shown else (0, 0, *image.size)
        crop = image.crop((left, top, right, bottom))
        if crop.mode == "P":  # with fewer colors Pillow packs several pixels into a byte, which ffmpeg puts amiss
            crop.putpalette(bytes(crop.getpalette() or ()).ljust(_UNPACKED * 3, b"\0"))
        content = encoded(crop, "" if shown else self._clip.provenance)
        chunks = [*_chunks(content)]
        if shown is None:
            self._file.write(PNG_SIGNATURE + chunks[0][1] + _chunk(b"acTL", bytes(8)))
            self._file.write(b"".join(whole for kind, whole in chunks[1:] if kind not in {b"IDAT", b"IEND"}))
        place = struct.pack(">IIIIHHBB", *crop.size, left, top, delay, self.ticks, 0, 0)  # in place of what was there
        self._file.write(_chunk(b"fcTL", self._next() + place))
        for kind, whole in chunks:
            if kind == b"IDAT":
                self._file.write(_chunk(b"fdAT", self._next() + whole[8:-4]) if shown else whole)

    def _next(self) -> bytes:
        self._pieces += 1
        return struct.pack(">I", self._pieces - 1)

    @override
    def close(self) -> None:
        self._file.write(_chunk(b"IEND", b""))
        self._file.seek(self.signs[0][0] - 4)
        self._file.write(_chunk(b"acTL", struct.pack(">II", self._number, self._clip.loop)))
        super().close()

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        return texts_of(file).get("Comment", "").encode()


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks of a PNG of our own, each with its kind."""
    place = len(PNG_SIGNATURE)
    while place < len(content):
        size, kind = struct.unpack_from(">I4s", content, place)
        yield kind, content[place : place + size + 12]
        place += size + 12
