"""Provenance: the scenario that a picture, a clip or a saved run carries, read back.

`origin(path, label)` gives the text, or None when the file is none of these. Files are recognized by how they begin,
not by their names, and come from anywhere: whatever stands in them, the answer is a text or a clear word about what is
wrong. One file per container; each module has

  STARTS                   how such files begin: a place and what stands there
  text(file) -> bytes      the text in UTF-8, empty when there is none; may raise any of `DAMAGE`
"""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO
from zipfile import BadZipFile
from zlib import error as ZlibError  # noqa: N812  an exception, by the name of one

from boidsgen.errors import ScenarioError
from boidsgen.writers import gif, mp4, npz, png

DAMAGE = (
    BadZipFile,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    ZlibError,
    struct.error,
)
"""What reading a file raises that is cut off, altered, or made to harm."""

Reader = Callable[[BinaryIO], bytes]

_CONTAINERS: dict[tuple[int, bytes], Reader] = {
    **{start: module.comment_of for module in (gif, mp4, png) for start in module.STARTS},
    **dict.fromkeys(npz.STARTS, npz.scenario_of),
}
_LONGEST_START = 16


def origin(path: Path, label: str) -> str | None:
    """The text that a file carries; None for a file that is none of ours.

    Raises:
        ScenarioError: when the file carries none, or is damaged.
        OSError: when it cannot be read.
    """
    with path.open("rb") as file:
        read = _reader(file.read(_LONGEST_START))
        if read is None:
            return None
        file.seek(0)
        try:
            text = read(file).decode()
        except DAMAGE:
            raise ScenarioError([f"{label}: is damaged: what it tells of its origin cannot be read"]) from None
    if not text:
        raise ScenarioError([f"{label}: tells nothing about its origin; boidsgen did not make it"])
    return text


def _reader(start: bytes) -> Reader | None:
    return next((read for (place, sign), read in _CONTAINERS.items() if start.startswith(sign, place)), None)
