"""GIF: exact colors, constant memory, no encoder to install.

The container is written here and the LZW of each picture by Pillow: Pillow's own animations keep every frame in memory,
merge equal neighbors and round each delay down. Every frame is one block cropped to what changed since the one before.
Marking unchanged pixels inside the crop as transparent was measured too: it breaks up the runs that LZW lives on, and
files grow by a third.
"""

import struct
from collections.abc import Iterator
from contextlib import suppress
from io import SEEK_CUR
from pathlib import Path
from typing import BinaryIO, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import GifImagePlugin, Image
from typing_extensions import override

from boidsgen.drawing.frame import Frame
from boidsgen.writers.contract import Clip, Makes, Part, Refusal, Writer

LONGEST_SIDE = 65535
FASTEST = 50

_TABLE_OF_256_COLORS = 0xF7
_KEEP_WHEN_DONE = 1 << 2
_BLOCK = 255
_EXTENSION, _IMAGE, _TRAILER = b"!", b",", b";"


class Box(NamedTuple):
    """A rectangle of pixels; right and bottom are the first column and row outside."""

    left: int
    top: int
    right: int
    bottom: int


class Gif(Writer):
    """One global palette, one block a frame, delays whose rounding errors cancel."""

    name: ClassVar[str] = "gif"
    extensions: ClassVar[tuple[str, ...]] = (".gif",)
    makes: ClassVar[Makes] = "stream"

    def __init__(self, part: Part, clip: Clip) -> None:
        self._clip = clip
        self._shown: NDArray[np.uint8] | None = None
        self._number = 0
        self._file = part.open()

    @classmethod
    @override
    def refusals(cls, size: tuple[int, int], fps: float) -> Iterator[Refusal]:
        if max(size) > LONGEST_SIDE:
            yield "size", f"a gif is at most {LONGEST_SIDE} pixels wide and high"
        if fps > FASTEST:
            yield (
                "fps",
                f"a gif shows at most {FASTEST} frames a second: browsers play shorter delays as 100 ms; use mp4",
            )

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        try:
            with path.open("rb") as file:
                return _images(file)
        except (ValueError, IndexError):  # an empty file, one that stops within a block
            return 0

    @override
    def write(self, frame: Frame) -> None:
        if self._shown is None:
            self._file.write(_header(self._clip, frame.palette))
            self._shown = frame.index.copy()
            box = Box(0, 0, *self._clip.size)
        else:
            box = changed(self._shown, frame.index)
            np.copyto(self._shown, frame.index)
        self._file.write(_control(self._delay()) + _image(self._shown, box))
        self._number += 1

    @override
    def close(self) -> None:
        self._file.write(_TRAILER)
        self._file.close()

    @override
    def abandon(self) -> None:
        with suppress(OSError):  # what is still buffered has nowhere to go
            self._file.close()

    def _delay(self) -> int:
        """How long the frame stays, in hundredths of a second, so that the ends of frames never drift."""
        hundredth = 100 / self._clip.rate
        return round((self._number + 1) * hundredth) - round(self._number * hundredth)


def changed(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> Box:
    """The smallest box around every pixel that differs; one pixel where none does, since each frame needs a block."""
    difference = before != after
    rows = np.flatnonzero(difference.any(axis=1))
    if not rows.size:
        return Box(0, 0, 1, 1)
    columns = np.flatnonzero(difference[rows[0] : rows[-1] + 1].any(axis=0))
    return Box(int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)


def _header(clip: Clip, palette: NDArray[np.uint8]) -> bytes:
    start = struct.pack("<6sHHBBB", b"GIF89a", *clip.size, _TABLE_OF_256_COLORS, 0, 0)
    return start + palette.tobytes().ljust(3 * 256, b"\0") + _repetition(clip.loop) + _comment(clip.provenance)


def _repetition(loop: int) -> bytes:
    """The block that tells how often to play *again*; a clip without it plays once."""
    if loop == 1:
        return b""
    return b"!\xff\x0bNETSCAPE2.0" + struct.pack("<BBHB", 3, 1, max(loop - 1, 0), 0)


def _comment(text: str) -> bytes:
    return b"!\xfe" + _in_blocks(text.encode()) if text else b""


def _in_blocks(content: bytes) -> bytes:
    pieces = (content[start : start + _BLOCK] for start in range(0, len(content), _BLOCK))
    return b"".join(bytes([len(piece)]) + piece for piece in pieces) + b"\0"


def _control(delay: int) -> bytes:
    return b"!\xf9" + struct.pack("<BBHBB", 4, _KEEP_WHEN_DONE, delay, 0, 0)


def _image(index: NDArray[np.uint8], box: Box) -> bytes:
    crop = Image.fromarray(np.ascontiguousarray(index[box.top : box.bottom, box.left : box.right]))
    chunks = GifImagePlugin.getdata(crop, (box.left, box.top))
    block = b"".join(chunks)
    chunks.clear()  # Pillow's collector of chunks is a cycle, and would keep them until the next garbage collection
    return block


def _images(file: BinaryIO) -> int:
    """The number of pictures; 0 without a trailer. Raises IndexError if a block reaches over the end."""
    # Read piece by piece: a mapped file would count as memory of ours, and a long clip takes no more than a short one.
    file.seek(_table_size(file.read(13)[10]), SEEK_CUR)
    images = 0
    while (kind := file.read(1)) in {_EXTENSION, _IMAGE}:
        images += kind == _IMAGE
        _skip_head(file, kind)
        while size := file.read(1)[0]:
            file.seek(size, SEEK_CUR)
    return images if kind == _TRAILER and not file.read(1) else 0


def _skip_head(file: BinaryIO, kind: bytes) -> None:
    """Skip what stands between the kind of a block and its data."""
    if kind == _EXTENSION:
        file.seek(1, SEEK_CUR)
        return
    place = file.read(9)
    file.seek(_table_size(place[8]) + 1, SEEK_CUR)


def _table_size(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


STARTS = ((0, b"GIF87a"), (0, b"GIF89a"))
MOST_BLOCKS = 4000
"""Blocks of at most 255 bytes that a comment may have."""
_EXTENSION_, _COMMENT, _IMAGE_ = b"!", b"\xfe", b","


def comment_of(file: BinaryIO) -> bytes:
    """The comment of the file; IndexError where it ends too early."""
    flags = file.read(13)[10]
    file.seek(_table_size_(flags), 1)
    while (kind := file.read(1)) in {_EXTENSION_, _IMAGE_}:
        if kind == _IMAGE_:
            file.seek(_table_size_(file.read(9)[8]) + 1, 1)
            _skip_blocks(file)
        elif file.read(1) == _COMMENT:
            if comment := _blocks(file):
                return comment
        else:
            _skip_blocks(file)
    return b""


def _table_size_(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _blocks(file: BinaryIO) -> bytes:
    content = bytearray()
    for _ in range(MOST_BLOCKS):
        length = file.read(1)[0]
        if not length:
            return bytes(content)
        content += file.read(length)
    raise ValueError("the comment has no end")


def _skip_blocks(file: BinaryIO) -> None:
    while length := file.read(1)[0]:
        file.seek(length, 1)
