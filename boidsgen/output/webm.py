"""WebM: VP9 by ffmpeg, which needs no license where H.264 does, and which browsers play.

ffmpeg would put a random number into the file; it is told to be exact instead.

Elements are walked by leaping: nothing but their heads and the text is read, however large the film.
"""

from collections.abc import Iterator, Mapping, Sequence
from io import SEEK_END
from pathlib import Path
from typing import BinaryIO, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.caps import MAX_COMMENT
from boidsgen.output.contract import DAMAGE, Clip, Quality, Sign
from boidsgen.output.ffmpeg import decoded
from boidsgen.output.film import THREADS, Film, colors

_EFFORT: dict[Quality, tuple[str, int, int]] = {
    "draft": ("realtime", 8, 40),
    "standard": ("good", 5, 28),
    "high": ("good", 2, 18),
}
"""libvpx's deadline, its speed, and its rate factor: lower loses less."""
_MUXER = ("-fflags", "+bitexact", "-f", "webm")

_SEGMENT, _INFO, _TRACKS, _TRACK, _VIDEO = 0x18538067, 0x1549A966, 0x1654AE6B, 0xAE, 0xE0
_CLUSTER, _GROUP, _BLOCK, _SIMPLE_BLOCK = 0x1F43B675, 0xA0, 0xA1, 0xA3
_SCALE, _DURATION, _WIDTH, _HEIGHT = 0x2AD7B1, 0x4489, 0xB0, 0xBA
_TAGS, _TAG, _SIMPLE_TAG, _TAG_NAME, _TAG_TEXT = 0x1254C367, 0x7373, 0x67C8, 0x45A3, 0x4487
_HEAD = 0x1A45DFA3
_PARENTS = {_SEGMENT, _INFO, _TRACKS, _TRACK, _VIDEO, _CLUSTER, _GROUP, _TAGS, _TAG, _SIMPLE_TAG}
"""Elements that hold elements of which something is asked."""


class Webm(Film):
    """VP9 video."""

    name: ClassVar[str] = "webm"
    called: ClassVar[str] = "a webm"
    extensions: ClassVar[tuple[str, ...]] = (".webm",)
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"\x1a\x45\xdf\xa3"),)
    usage: ClassVar[str] = "-o flock.webm"
    decoded: ClassVar[Sequence[str]] = ("-t", "0.2")  # the frames that stand alone cannot be had without the others
    suits: ClassVar[str] = "web pages; plays in browsers (VP9), a little larger than an mp4; sides must be even"
    remarks: ClassVar[Mapping[str, str]] = {"size": "both even for webm"}

    @classmethod
    @override
    def result(cls, clip: Clip) -> list[str]:
        deadline, speed, rate_factor = _EFFORT[clip.quality]
        effort = ["-deadline", deadline, "-cpu-used", str(speed), "-crf", str(rate_factor), "-b:v", "0"]
        # libvpx looks ahead for references that it cannot have for the plane of transparency.
        ahead = ["-auto-alt-ref", "0"] if clip.transparent else []
        return [*colors(clip), "-c:v", "libvpx-vp9", *effort, *ahead, "-threads", str(THREADS), *_MUXER]

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        with path.open("rb") as file:
            try:
                return sum(element.kind in {_BLOCK, _SIMPLE_BLOCK} for element in _elements(file))
            except DAMAGE:  # it is cut off, or is none
                return 0

    @classmethod
    @override
    def duration(cls, path: Path) -> float:
        with path.open("rb") as file:
            found = _found(file, _SCALE, _DURATION)
        scale = int.from_bytes(found.get(_SCALE, b"\x0f\x42\x40"))
        value = found[_DURATION]
        ticks = np.frombuffer(value, ">f8" if len(value) == 8 else ">f4")[0]
        return float(ticks) * scale / 1e9

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        name = b""
        for element in _elements(file):
            if element.kind == _TAG_NAME:
                name = element.content(file)
            elif element.kind == _TAG_TEXT and name.upper() == b"COMMENT":
                return element.content(file)
        return b""

    @classmethod
    @override
    def pictures(cls, path: Path) -> Iterator[NDArray[np.uint8]]:
        with path.open("rb") as file:
            found = _found(file, _WIDTH, _HEIGHT)
        return decoded(path, (int.from_bytes(found[_WIDTH]), int.from_bytes(found[_HEIGHT])))


class _Element(NamedTuple):
    """An element: its kind, and where its content begins and ends."""

    kind: int
    begin: int
    end: int

    def content(self, file: BinaryIO) -> bytes:
        if self.end - self.begin > MAX_COMMENT:
            raise ValueError("the text is too long")
        file.seek(self.begin)
        return file.read(self.end - self.begin)


def _found(file: BinaryIO, *kinds: int) -> dict[int, bytes]:
    """The contents of the first elements of these kinds, by kind."""
    found: dict[int, bytes] = {}
    for element in _elements(file):
        if element.kind in kinds and element.kind not in found:
            found[element.kind] = element.content(file)
        if len(found) == len(kinds):
            break
    return found


def _elements(file: BinaryIO) -> Iterator[_Element]:
    """All elements of which something is asked, those inside after those around them.

    Raises:
        ValueError, IndexError: the file is cut off, or an element reaches over the end of what it stands in.
    """
    size = file.seek(0, SEEK_END)
    file.seek(0)
    if _number(file, keep=True) != _HEAD:
        raise ValueError("it does not begin as it must")
    place, ends = 0, [size]
    while place < size:
        file.seek(place)
        kind = _number(file, keep=True)
        length = _number(file, keep=False)
        begin = file.tell()
        while place >= ends[-1]:
            ends.pop()
        if begin + length > ends[-1]:
            raise ValueError("an element reaches over the end of what it stands in")
        yield _Element(kind, begin, begin + length)
        if kind in _PARENTS:
            ends.append(begin + length)
        place = begin if kind in _PARENTS else begin + length


def _number(file: BinaryIO, *, keep: bool) -> int:
    """A number of as many bytes as the first one tells by its zeros; kinds keep the bit that tells it."""
    first = file.read(1)[0]
    more = 8 - first.bit_length()
    if more > 7:
        raise ValueError("a number is too long")
    rest = file.read(more)
    if len(rest) < more:
        raise ValueError("the file is cut off")
    head = first if keep else first ^ (0x80 >> more)
    return int.from_bytes(bytes([head]) + rest)
