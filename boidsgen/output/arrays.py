"""Arrays: the heads of numpy's arrays in a zip archive, read without evaluating anything.

numpy evaluates a header as an expression of Python; one from anywhere may be nested without end, or none at all. Here
it must look exactly as numpy writes it.

  header(member)          shape, order and kind of the array whose content comes next
  member(archive, name)   one array of an archive, opened
"""

import re
import struct
from typing import IO, Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np

from boidsgen.caps import MAX_HEADER

_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[a-zA-Z]\d{0,9})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18}, ?){0,31}(?:\d{1,18},?)?)\), ?\} *\n"
)


class Header(NamedTuple):
    """How an array is laid out.

    Attributes:
        shape: how many entries along each axis.
        by_columns: whether the first index changes fastest.
        kind: of its entries.
    """

    shape: tuple[int, ...]
    by_columns: bool
    kind: np.dtype[Any]


def header(member: IO[bytes]) -> Header:
    """The header at which the member stands; ValueError when it is none that numpy writes for plain arrays."""
    if member.read(len(_MAGIC)) != _MAGIC:
        raise ValueError("not an array of the first version")
    (length,) = struct.unpack("<H", member.read(2))
    found = _HEADER.fullmatch(member.read(length)) if length <= MAX_HEADER else None
    if found is None:
        raise ValueError("the header of an array is damaged")
    kind, by_columns, shape = found.groups()
    try:
        entry = np.dtype(kind.decode())
    except TypeError as error:
        raise ValueError(str(error)) from None
    return Header(tuple(int(side) for side in shape.split(b",") if side.strip()), by_columns == b"True", entry)


def member(archive: ZipFile, name: str) -> IO[bytes]:
    """One array of an archive; KeyError when there is none of this name, ValueError when it is packed strangely."""
    entry = archive.getinfo(f"{name}.npy")
    if entry.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        raise ValueError(f"{name} is compressed in a way that numpy does not use")
    return archive.open(entry)
