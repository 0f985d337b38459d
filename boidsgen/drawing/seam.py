"""Seam: the last pictures of a clip fade into its first ones, so that it can be played round and round.

  seamless(pictures, frames, seam, blend)    the pictures of the loop, `seam` fewer than there are
  dissolved, Fading(inks)                    two ways to blend

The loop begins with picture number `seam`; toward its end the pictures before that one are blended in, more with each,
until the last of them is nearly all that is seen. So what comes after the end is what came after it in the run. `seam`
pictures are kept in memory, however long the clip. The palette stays as it is: inks over a plain background fade from
level to level; of others a pixel takes the entry of the one picture or of the other, as static thresholds decide.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from boidsgen.drawing.dither import grain
from boidsgen.drawing.frame import Frame, Inks

Blend = Callable[[Frame, Frame, float], Frame]
"""A picture in which another one has this share, from 0 to 1."""

STEPS = 256
"""Steps from one picture to another."""


def seamless(pictures: Iterable[Frame], frames: int, seam: int, blend: Blend) -> Iterator[Frame]:
    """The pictures of a loop.

    Args:
        pictures: of a run.
        frames: how many there are.
        seam: how many of them are blended; at most half of them. Without any they stay as they are.
        blend: how two pictures are laid over each other.
    """
    beginning: list[Frame] = []
    for number, picture in enumerate(pictures):
        left = frames - number
        if number < seam:
            beginning.append(replace(picture, index=picture.index.copy()))
        elif left > seam:
            yield picture
        else:
            yield blend(picture, beginning[seam - left], (seam - left + 1) / (seam + 1))


def dissolved(picture: Frame, other: Frame, share: float) -> Frame:
    """A picture in which another one has this share of the pixels."""
    rows, columns = picture.index.shape
    taken = grain((columns, rows), STEPS) < share * STEPS
    return replace(picture, index=np.where(taken, other.index, picture.index))


class Fading:
    """Lays pictures in these inks over each other, each at a part of its strength; what is alike in both stays."""

    def __init__(self, inks: Inks) -> None:
        self._inks = inks

    def __call__(self, picture: Frame, other: Frame, share: float) -> Frame:
        """A picture in which another one has this share."""
        going, coming = self._inks.faded(1.0 - share)[picture.index], self._inks.faded(share)[other.index]
        both = np.maximum(going, coming)
        return replace(picture, index=np.where(picture.index == other.index, picture.index, both))
