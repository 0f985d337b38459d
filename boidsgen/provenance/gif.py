"""GIF: the first comment that says anything."""

from typing import BinaryIO

STARTS = ((0, b"GIF87a"), (0, b"GIF89a"))
MOST_BLOCKS = 4000
"""Blocks of at most 255 bytes that a comment may have."""
_EXTENSION, _COMMENT, _IMAGE = b"!", b"\xfe", b","


def text(file: BinaryIO) -> bytes:
    """The text of the file; IndexError where it ends too early."""
    flags = file.read(13)[10]
    file.seek(_table_size(flags), 1)
    while (kind := file.read(1)) in {_EXTENSION, _IMAGE}:
        if kind == _IMAGE:
            file.seek(_table_size(file.read(9)[8]) + 1, 1)
            _skip_blocks(file)
        elif file.read(1) == _COMMENT:
            if comment := _blocks(file):
                return comment
        else:
            _skip_blocks(file)
    return b""


def _table_size(flags: int) -> int:
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
