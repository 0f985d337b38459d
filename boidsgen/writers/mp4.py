"""MP4: H.264 by ffmpeg, in the form that plays everywhere.

Frames go to ffmpeg as the planes that x264 works on, yuv420p: half the bytes of RGB, and nothing left to convert. Out
they come with every color tag set to BT.709 and the index in front, so that the film plays before it is loaded to the
end. Half of the color resolution is lost on the way, which thin saturated shapes show; GIF and PNG are exact.

x264 writes other bytes for another number of threads, and by default takes as many as the machine has cores. Here it is
always one: even with two, 13 of 8,574 encodings of the same frames differed on a busy machine, with one none of 8,516.
The second core simulates and draws meanwhile.

Boxes are walked by leaping, so nothing but the comment is read, however large the film.
"""

import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, ClassVar

from typing_extensions import override

from boidsgen.drawing.frame import Frame
from boidsgen.writers.contract import Clip, Makes, Part, Quality, Refusal, Writer
from boidsgen.writers.ffmpeg import Encoder
from boidsgen.writers.planes import Planes

LONGEST_SIDE = 16384

_EFFORT: dict[Quality, tuple[str, int]] = {
    "draft": ("ultrafast", 28),
    "standard": ("veryfast", 20),
    "high": ("slow", 16),
}
"""x264's preset, and its rate factor: lower loses less."""
_THREADS = 1
_TAGS = "range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709"


class Mp4(Writer):
    """H.264 video; sides must be even, since two by two pixels share one color."""

    name: ClassVar[str] = "mp4"
    extensions: ClassVar[tuple[str, ...]] = (".mp4",)
    makes: ClassVar[Makes] = "file"

    def __init__(self, part: Part, clip: Clip) -> None:
        self._encoder = Encoder(part, source=source(clip), result=result(clip), comment=clip.provenance)
        self._planes = Planes(clip.size)

    @classmethod
    @override
    def refusals(cls, size: tuple[int, int], fps: float) -> Iterator[Refusal]:
        del fps
        even = tuple(side + side % 2 for side in size)
        if max(size) > LONGEST_SIDE:
            yield "size", f"an mp4 is at most {LONGEST_SIDE} pixels wide and high"
        elif even != size:
            yield "size", f"an mp4 needs an even width and height; nearest is [{even[0]}, {even[1]}]"

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        with path.open("rb") as file, suppress(KeyError, struct.error):  # a box is missing, or cut off
            return _samples(file)
        return 0

    @override
    def write(self, frame: Frame) -> None:
        self._encoder.feed(self._planes.of(frame))

    @override
    def close(self) -> None:
        self._encoder.finish()

    @override
    def abandon(self) -> None:
        self._encoder.kill()


def source(clip: Clip) -> list[str]:
    """How ffmpeg is to read what it is fed."""
    width, height = clip.size
    return ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-video_size", f"{width}x{height}", "-framerate", str(clip.rate)]


def result(clip: Clip) -> list[str]:
    """What ffmpeg is to make of it."""
    preset, rate_factor = _EFFORT[clip.quality]
    colors = ["-vf", f"setparams={_TAGS}", "-pix_fmt", "yuv420p"]
    codec = ["-c:v", "libx264", "-preset", preset, "-crf", str(rate_factor), "-threads", str(_THREADS)]
    return [*colors, *codec, "-movflags", "+faststart", "-f", "mp4"]


def _samples(file: BinaryIO) -> int:
    """The number of frames by the table of their times. Raises KeyError or struct.error where it is incomplete."""
    content = _movie(file)
    for box in (b"trak", b"mdia", b"minf", b"stbl", b"stts"):
        content = dict(_boxes(content))[box]
    (entries,) = struct.unpack_from(">4xI", content)
    return sum(struct.unpack_from(">I", content, 8 + 8 * entry)[0] for entry in range(entries))


def _movie(file: BinaryIO) -> bytes:
    """The content of the box `moov`, by leaping over all others: they hold the pictures."""
    while header := file.read(8):
        size, kind = struct.unpack(">I4s", header)
        length = struct.unpack(">Q", file.read(8))[0] - 16 if size == 1 else size - 8
        if kind == b"moov":
            return file.read(length)
        file.seek(max(length, 0), 1)
    raise KeyError(b"moov")


def _boxes(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The boxes inside a box: kind and content of each."""
    position = 0
    while position < len(content):
        size, kind = struct.unpack_from(">I4s", content, position)
        yield kind, content[position + 8 : position + size]
        position += max(size, 8)


STARTS = ((4, b"ftyp"),)
LARGEST = 1_000_000
"""Bytes that the comment may have."""
MOST_BOXES = 100_000
"""Boxes that may stand side by side."""
_WAY = (b"moov", b"udta", b"meta", b"ilst", b"\xa9cmt", b"data")
_BEFORE_BOXES = {b"meta": 4}
"""Bytes of a box that stand before the boxes in it."""
_BEFORE_TEXT = 8


def comment_of(file: BinaryIO) -> bytes:
    """The comment of the file, empty where a box on the way is missing; struct.error where the file ends too early."""
    begin, end = 0, file.seek(0, 2)
    for kind in _WAY:
        found = _inside(file, kind, begin, end)
        if found is None:
            return b""
        begin, end = found[0] + _BEFORE_BOXES.get(kind, 0), found[1]
    if end - begin > LARGEST:
        raise ValueError("the comment is too long")
    file.seek(begin + _BEFORE_TEXT)
    return file.read(max(0, end - begin - _BEFORE_TEXT))


def _inside(file: BinaryIO, wanted: bytes, begin: int, end: int) -> tuple[int, int] | None:
    """Where the content of the first box of a kind begins and ends, among the boxes between two places."""
    for _ in range(MOST_BOXES):
        if begin >= end:
            return None
        file.seek(begin)
        size, kind = struct.unpack(">I4s", file.read(8))
        start = begin + 8
        if size == 1:
            (size,) = struct.unpack(">Q", file.read(8))
            start += 8
        after = end if size == 0 else begin + size
        if not start <= after <= end:
            raise ValueError("a box reaches over the end of what it stands in")
        if kind == wanted:
            return start, after
        begin = after
    raise ValueError("there are too many boxes")
