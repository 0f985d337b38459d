"""Following: which part of the world a camera shows that stays with the flock.

`Tracker.note(state)` is told every state, drawn or not, and `box` is then what to show: a box of the world's shape,
moved and scaled, round most of the boids. So that it neither twitches nor falls behind, place and size are
smoothed by an alpha-beta filter, which goes on at the speed seen so far and lags behind no steady motion (P. Kalata,
The tracking index, IEEE Transactions on Aerospace and Electronic Systems AES-20, 1984). What is shown depends on the
states noted and on nothing else. Lengths are world units.
"""

from typing import NamedTuple

import numpy as np

from boidsgen import exact
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.state import State
from boidsgen.simulation.world import World

OUTSIDE = 5.0
"""Percentage of the boids that may lie beyond the box on each side."""
MARGIN = 1.2
"""How many times as large the box is as what the other boids need."""
MIN_SIZE = 0.1
"""The smallest box, as a part of the world: a flock that gathers in one point is still seen to do so."""
ALPHA = 0.2
"""The part of what is new that counts at once."""
BETA = 2 * (2 - ALPHA) - 4 * (1 - ALPHA) ** 0.5
"""The part of it that counts as speed; critically damped, so that the camera does not swing to and fro."""


class Box(NamedTuple):
    """A box of the world's shape.

    Attributes:
        center: (d,) its middle.
        size: how many times as large as the world it is.
    """

    center: Array
    size: float


class Tracker:
    """Stays with the boids of one run."""

    def __init__(self, world: World) -> None:
        self._extent = world.extent
        # Middle of the box and logarithm of its size, and by how much they change from frame to frame.
        self._now = np.append(world.extent / 2, 0.0)
        self._change: Array | None = None

    @property
    def box(self) -> Box:
        """What to show now; the world as long as no boids were seen."""
        return Box(self._now[:-1], float(exact.exponential(self._now[-1])))

    def note(self, state: State) -> None:
        """Go on to where the boids of a state are; without boids at the speed so far."""
        aim = self._aim(np.concatenate([flock.position for flock in state.flocks]))
        if self._change is None:
            if aim is not None:
                self._now, self._change = aim, np.zeros_like(aim)
            return
        expected = self._now + self._change
        surprise = np.zeros_like(expected) if aim is None else aim - expected
        self._now = expected + ALPHA * surprise
        self._change = self._change + BETA * surprise

    def _aim(self, position: Array) -> Array | None:
        if not len(position):
            return None
        low, high = _percentiles(position, (OUTSIDE, 100 - OUTSIDE))
        size = max(MARGIN * float(((high - low) / self._extent).max()), MIN_SIZE)
        return np.append((low + high) / 2, exact.logarithm(size))


def _percentiles(position: Array, percentages: tuple[float, ...]) -> list[Array]:
    """What `np.percentile` gives along each axis, to the last bit; sorting is three times as fast as searching."""
    along = np.sort(np.ascontiguousarray(position.T), axis=1)
    last = along.shape[1] - 1
    found = []
    for share in percentages:
        place = last * (share / 100)
        low, part = int(place), place - int(place)
        below, above = along[:, low], along[:, min(low + 1, last)]
        way = above - below
        found.append(below + way * part if part < 0.5 else above - way * (1 - part))
    return found
