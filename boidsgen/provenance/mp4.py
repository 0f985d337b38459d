"""MP4: the comment among the tags of the film, where players show it: moov, udta, meta, ilst, ©cmt, data.

Boxes are walked by leaping, so nothing but the comment is read, however large the film.
"""

import struct
from typing import BinaryIO

STARTS = ((4, b"ftyp"),)
LARGEST = 1_000_000
"""Bytes that the comment may have."""
MOST_BOXES = 100_000
"""Boxes that may stand side by side."""
_WAY = (b"moov", b"udta", b"meta", b"ilst", b"\xa9cmt", b"data")
_BEFORE_BOXES = {b"meta": 4}
"""Bytes of a box that stand before the boxes in it."""
_BEFORE_TEXT = 8


def text(file: BinaryIO) -> bytes:
    """The text of the file, empty where a box on the way is missing; struct.error where the file ends too early."""
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
