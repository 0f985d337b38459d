"""Digest: a number for all frames of a clip, equal for equal pictures, whatever the format.

Hashing whole pictures took as long as simulating them. So SHA-256 is taken of what changes: for each frame, of the
number of words of eight pixels that are not as in the frame before, of their numbers, and of the words themselves. The
picture before the first is all zeros, as are the pixels that fill up the last word.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.frame import Frame

_WORD = np.dtype(np.uint64)
_NUMBER = np.dtype("<u4")


class Digest:
    """SHA-256 of size, palette and all frames so far.

    Attributes:
        palette: (colors, 3) that of all frames.
    """

    def __init__(self, size: tuple[int, int], palette: NDArray[np.uint8]) -> None:
        width, height = size
        self.palette = palette.copy()
        words = -(-width * height // _WORD.itemsize)
        self._pixels = width * height
        self._before, self._now = np.zeros(words, _WORD), np.zeros(words, _WORD)
        self._hash = hashlib.sha256(f"boidsgen changes {width}x{height}, {len(palette)} colors\n".encode())
        self._hash.update(palette.tobytes())

    def add(self, frame: Frame) -> None:
        """Take one more frame into account."""
        self._now.view(np.uint8)[: self._pixels] = frame.index.reshape(-1)
        changed = np.flatnonzero(self._now != self._before)
        self._hash.update(np.array([len(changed)], _NUMBER).tobytes())
        self._hash.update(changed.astype(_NUMBER).tobytes())
        self._hash.update(self._now[changed].tobytes())
        self._before, self._now = self._now, self._before

    def __str__(self) -> str:
        """In hexadecimal digits."""
        return self._hash.hexdigest()
