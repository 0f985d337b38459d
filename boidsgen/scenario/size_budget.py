"""Size budget: the best size and rate of a clip that stays within `output.max_bytes`.

The rate is lowered by leaving out frames, so that the clip lasts as long as before and the run is the same. A better
reduction has a longer side times more frames a second, which decides the bytes, too; of equal ones the one with more
frames is better. Nothing is guessed: the size of a GIF depends on every pixel. Bisection takes six clips at most, and
the result depends on the scenario alone.
"""

from collections.abc import Callable
from typing import NamedTuple

from boidsgen.errors import LimitError
from boidsgen.scenario.scenario import Scenario

SHARES = (1.0, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3, 0.25)
"""Factors of width and height."""
RATES = (1, 2, 3)
"""One of this many frames may be kept."""
MIN_FPS = 8.0
"""Frames a second below which motion is no longer smooth."""
MIN_SIDE = 48
"""Pixels of a side below which boids are no longer distinguishable."""


class Reduction(NamedTuple):
    """The size and rate of a reduced clip.

    Attributes:
        size: width and height in pixels.
        every: one of this many frames is kept, the first among them.
    """

    size: tuple[int, int]
    every: int = 1

    def kept(self, frames: int) -> int:
        """The number of frames that are kept of this many."""
        return -(-frames // self.every)


def reductions_of(size: tuple[int, int], fps: float) -> list[Reduction]:
    """The reductions of a clip of this size and rate, the best one first, which is the clip as it is."""
    sizes = [(max(1, round(size[0] * share)), max(1, round(size[1] * share))) for share in SHARES]
    rates = [every for every in RATES if every == 1 or fps / every >= MIN_FPS]
    found = [Reduction(one, every) for one in sizes for every in rates if one == size or min(one) >= MIN_SIDE]
    return sorted(found, key=lambda one: (-one.size[0] / one.every, one.every))


def best_reduction(scenario: Scenario, bytes_of: Callable[[Reduction], int], label: str = "") -> Reduction:
    """The best reduction of a scenario's clip that fits.

    Args:
        scenario: of the clip.
        bytes_of: makes a reduced clip, and returns its size.
        label: its name in messages, where there may be several.

    Raises:
        LimitError: when none fits.
    """
    allowed = scenario.output.max_bytes
    found = reductions_of(scenario.picture_size, scenario.output.fps)
    if allowed is None or bytes_of(found[0]) <= allowed:
        return found[0]
    low, high = 1, len(found)
    least = 0
    while low < high:
        middle = (low + high) // 2
        size = bytes_of(found[middle])
        low, high, least = (low, middle, least) if size <= allowed else (middle + 1, high, size)
    if low < len(found):
        return found[low]
    width, height = found[-1].size
    named = f"{label}: " if label else ""
    raise LimitError(
        f"{named}output.max_bytes: {allowed:,} is too small: with {width} x {height} pixels and "
        f"{scenario.output.fps / found[-1].every:g} frames a second the gif still has {least:,}; make the clip shorter"
    )
