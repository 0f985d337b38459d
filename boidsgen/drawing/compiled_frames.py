"""Finished frames, by compiled code: what writers do with each of them.

  changed_words(now, before)   which words of a picture are others than in the picture before
  recolor(pairs, before, …)    colors of what is another than before
See `quickness.compiled_frames`.
"""

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing import frame_kernel
from boidsgen.simulation.neighbors.compiled import machine_code

Words = NDArray[np.uint64]
Planes = NDArray[np.uint8]


def changed_words(now: Words, before: Words) -> tuple[NDArray[np.uint32], Words]:
    """The numbers of words that are others than before, shape (k,), and these words; `before` becomes `now`."""
    number, word = np.empty(len(now) + 1, np.uint32), np.empty(len(now) + 1, np.uint64)
    count = machine_code(frame_kernel.changed_words)(now, before, number, word)
    return number[:count], word[:count]


def recolor(
    pairs: NDArray[np.uint32],
    before: NDArray[np.uint32],
    tables: tuple[Planes, NDArray[np.uint32]],
    planes: tuple[Planes, Planes, Planes],
) -> None:
    """Work out blocks of two by two pixels in which a pair of entries is another than before; `before` becomes `pairs`.

    Args:
        pairs: (height, width / 2) entries of two bytes, two in each.
        before: the same.
        tables: for every entry its brightness and both colors, as in `writers.planes`.
        planes: (height, width) brightness, and for every block blue and red, (height / 2, width / 2).
    """
    machine_code(frame_kernel.recolor)(pairs, before, *tables, *planes)
