"""MP4: H.264 by ffmpeg, in the form that plays everywhere.

The index stands in front, so that the film plays before it is loaded to the end.

x264 writes other bytes for another number of threads, and by default takes as many as the machine has cores. Here it is
always one: even with two, 13 of 8,574 encodings of the same frames differed on a busy machine, with one none of 8,516.
The second core simulates and draws meanwhile.

Boxes are walked by leaping, so nothing but the comment is read, however large the film.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import SEEK_END
from itertools import islice, repeat
from pathlib import Path
from typing import BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.caps import MAX_CHUNKS, MAX_COMMENT
from boidsgen.output.contract import DAMAGE, Clip, Quality, Sign
from boidsgen.output.ffmpeg import decoded
from boidsgen.output.film import THREADS, Film, colors

_EFFORT: dict[Quality, tuple[str, str, int]] = {
    "draft": ("ultrafast", "-qp", 28),
    "standard": ("veryfast", "-crf", 20),
    "high": ("slow", "-crf", 16),
}
"""x264's preset, and how coarse it is: lower loses less. A rate factor looks at every picture beforehand to spend bytes
where they are seen; a draft has the same coarseness throughout, which spares a sixth of its time."""
_MEDIA = (b"moov", b"trak", b"mdia")
_COMMENT = (b"moov", b"udta", b"meta", b"ilst", b"\xa9cmt", b"data")
_BEFORE_BOXES = {b"meta": 4}
"""Bytes of a box that stand before the boxes in it."""
_BEFORE_TEXT = 8


class Mp4(Film):
    """H.264 video."""

    name: ClassVar[str] = "mp4"
    called: ClassVar[str] = "an mp4"
    extensions: ClassVar[tuple[str, ...]] = (".mp4",)
    signs: ClassVar[tuple[Sign, ...]] = ((4, b"ftyp"),)
    transparent: ClassVar[bool] = False
    usage: ClassVar[str] = "-o flock.mp4"
    decoded: ClassVar[Sequence[str]] = ("-skip_frame", "nokey")  # the first, one in 250, and the last
    suits: ClassVar[str] = "long and large clips; plays everywhere (H.264, yuv420p); sides must be even"
    remarks: ClassVar[Mapping[str, str]] = {"size": "both even for mp4"}

    @classmethod
    @override
    def result(cls, clip: Clip) -> list[str]:
        preset, control, coarseness = _EFFORT[clip.quality]
        codec = ["-c:v", "libx264", "-preset", preset, control, str(coarseness), "-threads", str(THREADS)]
        # What stands alone can be decoded alone when the film is checked.
        last = ["-force_key_frames", f"expr:eq(n,{clip.frames - 1})"] if clip.frames else []
        return [*colors(clip), *codec, *last, "-movflags", "+faststart", "-f", "mp4"]

    @classmethod
    @override
    def count(cls, path: Path) -> int:
        with path.open("rb") as file:
            try:
                frames = sum(frames for frames, _ in _times(file))
                return frames if frames == _whole_samples(file) else 0
            except DAMAGE:  # a box is missing, or cut off
                return 0

    @classmethod
    @override
    def duration(cls, path: Path) -> float:
        with path.open("rb") as file:
            return sum(frames * ticks for frames, ticks in _times(file)) / _ticks_a_second(file)

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        place = _find(file, _COMMENT)
        if place is None:
            return b""
        begin, end = place
        if end - begin > MAX_COMMENT:
            raise ValueError("the comment is too long")
        file.seek(begin + _BEFORE_TEXT)
        return file.read(max(0, end - begin - _BEFORE_TEXT))

    @classmethod
    @override
    def pictures(cls, path: Path) -> Iterator[NDArray[np.uint8]]:
        with path.open("rb") as file:
            size = _size(file)
        return decoded(path, size)


def _table(file: BinaryIO, way: Sequence[bytes]) -> bytes:
    """The content of the first box at the end of a way from the outside in.

    Raises:
        KeyError: there is no such box.
        ValueError, struct.error: the file is damaged before it.
    """
    place = _find(file, way)
    if place is None:
        raise KeyError(way[-1])
    file.seek(place[0])
    return file.read(place[1] - place[0])


def _times(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """The table of times: how many frames in a row stay how many ticks."""
    table = _table(file, (*_MEDIA, b"minf", b"stbl", b"stts"))
    (entries,) = struct.unpack_from(">4xI", table)
    for entry in range(entries):
        yield struct.unpack_from(">II", table, 8 + 8 * entry)


def _whole_samples(file: BinaryIO) -> int:
    """How many coded frames there are, if they fill the media data to its end and each is made of whole units.

    Raises ValueError where a frame is cut off, or is no H.264.
    """
    place = _find(file, (b"mdat",))
    count = reached = 0
    for begin, size in _samples(file):
        if place is None or not place[0] <= begin <= begin + size <= place[1]:
            raise ValueError("a frame stands outside the media data")
        _refuse_broken_units(file, begin, begin + size)
        count, reached = count + 1, begin + size
    if place is None or reached != place[1]:
        raise ValueError("the media data do not end with the last frame")
    return count


def _samples(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Where each coded frame begins, and how long it is: chunks one after the other, frames within them."""
    inside = (*_MEDIA, b"minf", b"stbl")
    sizes = iter(_sizes(_table(file, (*inside, b"stsz"))))
    runs = list(struct.iter_unpack(">III", _table(file, (*inside, b"stsc"))[8:]))
    wide = _find(file, (*inside, b"co64")) is not None
    chunks = _table(file, (*inside, b"co64" if wide else b"stco"))[8:]
    bounds = [first for first, _, _ in runs[1:]]
    number = 0
    for chunk, (begin,) in enumerate(struct.iter_unpack(">Q" if wide else ">I", chunks), start=1):
        while number < len(bounds) and chunk >= bounds[number]:
            number += 1
        for size in islice(sizes, runs[number][1]):
            yield begin, size
            begin += size  # noqa: PLW2901  the next frame of the chunk


def _sizes(table: bytes) -> Iterable[int]:
    """The length of each coded frame."""
    alike, count = struct.unpack_from(">4xII", table)
    return repeat(alike, count) if alike else (size for (size,) in struct.iter_unpack(">I", table[12:]))


def _refuse_broken_units(file: BinaryIO, begin: int, end: int) -> None:
    """Stop at a coded frame that does not consist of units of H.264, each with its length before it."""
    while begin < end:
        file.seek(begin)
        length, kind = struct.unpack(">IB", file.read(5))
        begin += 4 + length
        if not length or kind & 0x80 or not kind & 0x1F or begin > end:
            raise ValueError("a frame is damaged")


def _ticks_a_second(file: BinaryIO) -> int:
    header = _table(file, (*_MEDIA, b"mdhd"))
    return int(struct.unpack_from(">I", header, 20 if header[0] else 12)[0])


def _size(file: BinaryIO) -> tuple[int, int]:
    """Width and height, by the description of the first kind of sample."""
    width, height = struct.unpack_from(">HH", _table(file, (*_MEDIA, b"minf", b"stbl", b"stsd")), 40)
    return width, height


def _find(file: BinaryIO, way: Sequence[bytes]) -> tuple[int, int] | None:
    """Where the content of a box begins and ends, found by the kinds of the boxes around it; None where one is missing.

    Raises ValueError where a box reaches over the end of what it stands in, and struct.error where the file ends.
    """
    begin, end = 0, file.seek(0, SEEK_END)
    for kind in way:
        found = _find_inside(file, kind, begin, end)
        if found is None:
            return None
        begin, end = found[0] + _BEFORE_BOXES.get(kind, 0), found[1]
    return begin, end


def _find_inside(file: BinaryIO, wanted: bytes, begin: int, end: int) -> tuple[int, int] | None:
    """Where the content of the first box of a kind begins and ends, among the boxes between two places."""
    for _ in range(MAX_CHUNKS):
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
