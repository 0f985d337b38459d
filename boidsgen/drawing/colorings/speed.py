"""Color by speed: from the slowest to the fastest that the flock may fly."""

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.colorings.coloring import Coloring, graded, ramp
from boidsgen.drawing.projection import Seen
from boidsgen.drawing.theme import SEQUENTIAL, Theme
from boidsgen.simulation.geometry import length
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Speed(Coloring):
    """From min_speed to max_speed."""

    @override
    def colors(self, theme: Theme, setup: Setup) -> tuple[str, ...]:
        return theme.sequential

    @override
    def labels(self, setup: Setup) -> tuple[str, ...]:
        low, high = _range(setup)
        return ramp(f"{low:g}", f"{high:g}", SEQUENTIAL)

    @override
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        del seen
        low, high = _range(state.setup)
        return graded((length(state.flocks[flock].velocity) - low) / max(high - low, 1e-9), SEQUENTIAL)


def _range(setup: Setup) -> tuple[float, float]:
    """The lowest and the highest speed that any flock may fly at."""
    low, high = zip(*(flock.speeds for flock in setup.flock), strict=True)
    return min(low), max(high)
