"""Flashes: whether a clip may cause a seizure, by the general flash threshold of WCAG 2.2, success criterion 2.3.1.

A flash is a pair of opposing changes of relative luminance by 10 % or more, where the darker state is below 0.80, of
more than a quarter of 10 degrees of view at the same time; so animals that fly past are none. More than three in a
second are too many. Of a picture that fills a screen, 10 degrees are a third of its width and of its height. Red
flashes are not looked for.
"""

from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.frame import Frame
from boidsgen.drawing.themes import luminance

CHANGE, DARK, CHANGES, AREA = 0.1, 0.8, 6, 0.25  # Changes in a second: two make a flash
ACROSS = 48  # Points of the picture that are looked at, along its longer side


class Flashes:
    """Looks for flashes in the frames of a clip, one after the other."""

    def __init__(self, fps: float) -> None:
        self._changes = deque[tuple[int, bool]]()  # of the last second: frame, and true where it became brighter
        self._fps, self._count, self.first = fps, 0, -1  # the frame in which there were too many for the first time
        self._table = self._low = self._high = np.zeros(0)
        self._rising = np.zeros(0, np.bool_)

    @property
    def notices(self) -> Iterator[str]:
        """A line if there were too many."""
        if self.first >= 0:
            yield (
                f"frame {self.first}: more than three flashes a second, which can cause seizures (WCAG 2.3.1); "
                "slow it down, or make it smaller or paler"
            )

    def note(self, frame: Frame) -> None:
        """Look at the next frame."""
        step = -(-max(frame.index.shape) // ACROSS)
        if not self._count:
            self._table = luminance(frame.palette.astype(float))
        now = self._table[frame.index[::step, ::step]]
        if not self._count:
            self._low = self._high = now
            self._rising = np.zeros(now.shape, np.bool_)
        # Since the last change, the luminance has been between low and high.
        self._low, self._high = np.minimum(self._low, now), np.maximum(self._high, now)
        up = (now - self._low >= CHANGE) & (self._low < DARK)
        down = (self._high - now >= CHANGE) & (now < DARK)
        changed = np.where(self._rising, down, up)
        self._rising ^= changed
        self._low, self._high = np.where(changed, now, self._low), np.where(changed, now, self._high)
        part = _largest_part(changed * np.where(up, 1, -1))
        opposing = not self._changes or self._changes[-1][1] != (part > 0)
        if opposing and abs(part) > AREA:
            self._changes.append((self._count, part > 0))
        while self._changes and self._changes[0][0] <= self._count - self._fps:
            self._changes.popleft()
        if self.first < 0 and len(self._changes) > CHANGES:
            self.first = self._count
        self._count += 1


def _largest_part(changes: NDArray[np.int_]) -> float:
    """The largest part of a third by a third of the picture that has become brighter, or darker, which is negative.

    What becomes brighter and what becomes darker balance each other, as in a crowd or in noise.
    """
    high, wide = (max(1, side // 3) for side in changes.shape)
    sums = np.pad(changes.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    inside = sums[high:, wide:] - sums[:-high, wide:] - sums[high:, :-wide] + sums[:-high, :-wide]
    return float(max(inside.max(), inside.min(), key=abs) / (high * wide))
