"""GIF: exact colors, constant memory, no encoder to install.

The LZW of each picture is Pillow's, done while the next picture is made. A picture is cropped to what has changed;
within the crop unchanged pixels may be marked as transparent. On a ground of one color that breaks up the runs that LZW
lives on, and files grow by up to a third; on one that shades, and is dithered here, they shrink to about half. So the
first picture decides.
"""

import io
import struct
from array import array
from collections.abc import Iterator, Mapping, Sequence
from io import SEEK_CUR
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import system
from boidsgen.caps import MAX_COMMENT
from boidsgen.drawing.frame import Codes, Frame
from boidsgen.drawing.reduction import Reduction
from boidsgen.output.animation import Animation, Box, changed
from boidsgen.output.contract import DAMAGE, Clip, Part, Sign, spread

if TYPE_CHECKING:
    from imageio.core.request import Request
    from PIL import Image

MAX_FPS = 50
MAX_BLOCKS = MAX_COMMENT // 255 + 2
"""Blocks of at most 255 bytes that a comment may have."""

_TABLE_OF_256_COLORS = 0xF7
_NO_COLORS_OF_ITS_OWN, _BITS = 0, 8
_KEEP_WHEN_DONE, _CLEAR_WHEN_DONE = 1 << 2, 2 << 2
_TRANSPARENT = 1
_UNCHANGED = 255
"""No color of ours, of which there are 255 at most."""
UNEVEN = 0.2
"""Part of the pixels that differ from the one to their left above which what has not changed is marked: with grounds of
one color it is up to 0.07, with dithered ones 0.4."""
_BLOCK = 255
_EXTENSION, _IMAGE, _TRAILER = b"!", b",", b";"
_COMMENT, _CONTROL = b"!\xfe", b"!\xf9"
_END_OF_BLOCKS = b"\0"
_DESCRIPTOR = 10
"""Bytes of what stands before the data of a picture without colors of its own: box, flags, size of the codes."""


class _Picture(NamedTuple):
    """A picture that is to be encoded.

    Attributes:
        control: the block that stands before it.
        box: where it is laid.
        crop: the entries in there.
    """

    control: bytes
    box: Box
    crop: Codes


class Gif(Animation):
    """One global palette, one block a frame, delays whose rounding errors cancel."""

    name: ClassVar[str] = "gif"
    called: ClassVar[str] = "a gif"
    extensions: ClassVar[tuple[str, ...]] = (".gif",)
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"GIF87a"), (0, b"GIF89a"))
    max_side: ClassVar[int] = 65535
    max_fps: ClassVar[int] = MAX_FPS
    ticks: ClassVar[int] = 100
    usage: ClassVar[str] = "-o flock.gif"
    suits: ClassVar[str] = (
        f"slides and web pages; colors are exact, the total duration too; at most {MAX_FPS} frames a second"
    )
    remarks: ClassVar[Mapping[str, str]] = {"fps": f"at most {MAX_FPS} for gif"}

    def __init__(self, request: "Request", *, part: Part, clip: Clip) -> None:
        super().__init__(request, part=part, clip=clip)
        self._shown: Codes | None = None
        self._reduction: Reduction | None = None
        self._marking = False
        from boidsgen.output.beside import Beside  # noqa: PLC0415  who only checks a scenario must not wait for it

        self._encoder = _Encoder()
        self._pictures = Beside(self._encoder)

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        try:
            with path.open("rb") as file:
                places = _images(file)
                return len(places) if all(_decodes(file, places[number]) for number in spread(len(places))) else 0
        except DAMAGE:  # an empty file, one that stops within a block
            return 0

    @classmethod
    @override
    def duration(cls, path: Path) -> float:
        with path.open("rb") as file:
            delays: Iterator[int] = (
                struct.unpack("<xxHxx", file.read(6))[0] for kind in _walk(file) if kind == _CONTROL
            )
            return sum(delays) / 100

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        comments = (_blocks(file) for kind in _walk(file) if kind == _COMMENT)
        return next(filter(None, comments), b"")

    @override
    def write(self, entry: Frame) -> None:
        palette, index = self._few(entry)
        whole = Box(0, 0, *self._clip.size)
        if self._shown is None:
            self._file.write(_header(self._clip, palette))
            self._shown = np.zeros_like(index)
            self._marking = bool(np.count_nonzero(index[:, 1:] != index[:, :-1]) > UNEVEN * index.size)
            self._put(index, whole, _CLEAR_WHEN_DONE | _TRANSPARENT if self._clip.transparent else _KEEP_WHEN_DONE)
        elif self._clip.transparent:
            # What is transparent cannot be laid over what was there: each picture goes before the next one comes.
            self._put(index, changed(np.zeros_like(index), index), _CLEAR_WHEN_DONE | _TRANSPARENT)
        else:
            self._lay_over(self._shown, index)
        np.copyto(self._shown, index)
        self._number += 1

    def _lay_over(self, shown: Codes, index: Codes) -> None:
        """Put what makes these entries of those that are shown."""
        box = changed(shown, index)
        if self._marking:
            self._put(_marked(shown, index, box), box, _KEEP_WHEN_DONE | _TRANSPARENT, _UNCHANGED)
        else:
            self._put(index, box, _KEEP_WHEN_DONE)

    def _put(self, index: Codes, box: Box, handling: int, transparent: int = 0) -> None:
        crop = index[box.top : box.bottom, box.left : box.right].copy()
        before = self._pictures.exchange(_Picture(_control(self._delay(), handling, transparent), box, crop))
        self._file.write(before or b"")

    def _few(self, frame: Frame) -> tuple[NDArray[np.uint8], Codes]:
        """Palette and entries of the frame in as few colors as there may be; those of the first decide which."""
        if frame.index.dtype == np.uint8:
            return frame.palette, frame.index.view(np.uint8)
        if self._reduction is None:
            weight = np.bincount(frame.index.reshape(-1), minlength=len(frame.palette))
            self._reduction = Reduction(frame.palette, weight)
        self._reduction(frame)
        return self._reduction.palette, self._reduction.index

    @override
    def close(self) -> None:
        self._file.write((self._pictures.last() or b"") + _TRAILER)
        super().close()

    @override
    def abandon(self) -> None:
        self._pictures.end()
        self._encoder.close()
        super().abandon()


def _header(clip: Clip, palette: NDArray[np.uint8]) -> bytes:
    start = struct.pack("<6sHHBBB", b"GIF89a", *clip.size, _TABLE_OF_256_COLORS, 0, 0)
    return start + palette.tobytes().ljust(3 * 256, b"\0") + _repetition(clip.loop) + _comment(clip.provenance)


def _repetition(loop: int) -> bytes:
    """The block that tells how often to play *again*; a clip without it plays once."""
    if loop == 1:
        return b""
    return b"!\xff\x0bNETSCAPE2.0" + struct.pack("<BBHB", 3, 1, max(loop - 1, 0), 0)


def _comment(text: str) -> bytes:
    return _COMMENT + _in_blocks(text.encode()) if text else b""


def _in_blocks(content: bytes) -> bytes:
    pieces = (content[start : start + _BLOCK] for start in range(0, len(content), _BLOCK))
    return b"".join(bytes([len(piece)]) + piece for piece in pieces) + _END_OF_BLOCKS


def _control(delay: int, handling: int, transparent: int) -> bytes:
    return _CONTROL + struct.pack("<BBHBB", 4, handling, delay, transparent, 0)


def _marked(shown: Codes, index: Codes, box: Box) -> Codes:
    """The entries, those within the box that have not changed marked as such."""
    marked, part = index.copy(), np.s_[box.top : box.bottom, box.left : box.right]
    np.copyto(marked[part], _UNCHANGED, where=shown[part] == index[part])
    return marked


class _Encoder:
    """Makes the blocks of a picture, its LZW by Pillow's encoder: one picture after the other, none is kept.

    That encoder gives other threads their turn only as it writes to a file; where there are files in memory it does.
    """

    def __init__(self) -> None:
        self._file: BinaryIO | None = None
        self._begun = False

    def __call__(self, picture: _Picture) -> bytes:
        from PIL import Image  # noqa: PLC0415  who only checks a scenario must not wait for it

        if not self._begun:
            self._begun, self._file = True, system.memory_file()
        crop, box = Image.fromarray(picture.crop), picture.box
        head = struct.pack("<sHHHHBB", _IMAGE, box.left, box.top, *crop.size, _NO_COLORS_OF_ITS_OWN, _BITS)
        codes = _through(self._file, crop) if self._file else crop.tobytes("gif", crop.mode)
        return picture.control + head + codes + _END_OF_BLOCKS

    def close(self) -> None:
        """Give the memory back."""
        if self._file:
            self._file.close()


def _through(file: BinaryIO, crop: "Image.Image") -> bytes:
    """What the encoder makes of a picture, by way of a file, which holds nothing else afterwards."""
    from PIL import ImageFile  # noqa: PLC0415  who only checks a scenario must not wait for it

    file.seek(0)
    file.truncate()
    ImageFile._save(crop, file, [ImageFile._Tile("gif", (0, 0, *crop.size), 0, crop.mode)])  # noqa: SLF001  Pillow's formats do
    file.seek(0)
    return file.read()


def _walk(file: BinaryIO) -> Iterator[bytes]:
    """The kind of each part of a gif up to its trailer; while one is looked at, the file stands at its data.

    Raises IndexError if a part reaches over the end. Nothing but the heads of blocks is read: a mapped file would count
    as memory of ours, and a long clip takes no more than a short one.
    """
    file.seek(_table_size(file.read(13)[10]), SEEK_CUR)
    while (kind := file.read(1)) in {_EXTENSION, _IMAGE}:
        kind += file.read(1) if kind == _EXTENSION else b""
        if kind == _IMAGE:
            file.seek(_table_size(file.read(9)[8]) + 1, SEEK_CUR)
        data = file.tell()
        yield kind
        file.seek(data)
        while size := file.read(1)[0]:
            file.seek(size, SEEK_CUR)
    yield kind


def _images(file: BinaryIO) -> Sequence[int]:
    """Where the data of each picture begins; nothing without a trailer. Raises IndexError if a block has no end."""
    places, kind = array("Q"), b""
    for kind in _walk(file):
        if kind == _IMAGE:
            places.append(file.tell())
    return places if kind == _TRAILER and not file.read(1) else ()


def _decodes(file: BinaryIO, place: int) -> bool:
    """Whether the codes of one picture fill its box and end as they must, read as a gif of its own."""
    from PIL.GifImagePlugin import GifImageFile  # noqa: PLC0415  `Image.open` would import four more formats

    file.seek(place - _DESCRIPTOR)
    descriptor = file.read(_DESCRIPTOR)
    width, height = struct.unpack_from("<HH", descriptor, 4)
    data = _raw_blocks(file)
    alone = struct.pack("<6sHHBBB", b"GIF89a", width, height, _TABLE_OF_256_COLORS, 0, 0) + bytes(3 * 256)
    picture = _IMAGE + struct.pack("<HHHHBB", 0, 0, width, height, 0, descriptor[-1]) + data + _TRAILER
    try:
        with GifImageFile(io.BytesIO(alone + picture)) as image:
            image.load()
    except (OSError, SyntaxError):
        return False
    return True


def _raw_blocks(file: BinaryIO) -> bytes:
    """The blocks of one part as they stand, with their lengths and the empty one at their end."""
    pieces = []
    while size := file.read(1)[0]:
        pieces.append(bytes([size]) + file.read(size))
    return b"".join([*pieces, _END_OF_BLOCKS])


def _table_size(flags: int) -> int:
    """Bytes of a table of colors, by the flags before it."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _blocks(file: BinaryIO) -> bytes:
    """What the blocks of one part hold together."""
    content = bytearray()
    for _ in range(MAX_BLOCKS):
        length = file.read(1)[0]
        if not length:
            return bytes(content)
        content += file.read(length)
    raise ValueError("the comment has no end")
