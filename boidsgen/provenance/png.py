"""PNG: the text called "Comment"; where there is one called "Frame", its number stands before in a comment of TOML."""

import struct
from collections.abc import Iterator
from typing import BinaryIO

STARTS = ((0, b"\x89PNG\r\n\x1a\n"),)
LARGEST = 1_000_000
"""Bytes that a text may have."""
MOST_CHUNKS = 100_000
"""Chunks that a picture may have."""


def text(file: BinaryIO) -> bytes:
    """The text of the file; struct.error where it ends too early."""
    texts = dict(_texts(file))
    number = texts.get(b"Frame", b"")
    before = b"# frame %s\n" % number if number.isdigit() else b""
    return before + texts[b"Comment"] if texts.get(b"Comment") else b""


def _texts(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """Every text in the file with its name."""
    file.seek(8)
    for _ in range(MOST_CHUNKS):
        length, kind = struct.unpack(">I4s", file.read(8))
        if kind == b"IEND":
            return
        if kind in _READERS:
            if length > LARGEST:
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
