"""NPZ: the array "scenario" of a saved run."""

from typing import BinaryIO
from zipfile import ZipFile

import numpy as np

STARTS = ((0, b"PK\x03\x04"),)
LARGEST = 1_000_000
"""Characters that the text may have."""
MEMBER = "scenario"
_BYTES_PER_CHARACTER = 4


def text(file: BinaryIO) -> bytes:
    """The text of the file, empty when there is no such array; ValueError when it is something else than a text."""
    with ZipFile(file) as archive:
        if f"{MEMBER}.npy" not in archive.namelist():
            return b""
        with archive.open(f"{MEMBER}.npy") as member:
            if np.lib.format.read_magic(member) != (1, 0):
                raise ValueError("not an array of the first version")
            shape, _, kind = np.lib.format.read_array_header_1_0(member)
            if shape != () or kind.kind != "U" or kind.itemsize > _BYTES_PER_CHARACTER * LARGEST:
                raise ValueError("not a text")
            content = member.read(kind.itemsize)
    return str(np.frombuffer(content, kind)[0]).encode() if kind.itemsize else b""
