"""Color by flock: one color per species."""

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.colorings.coloring import Coloring
from boidsgen.drawing.projection import Seen
from boidsgen.drawing.theme import FLOCKS, Theme
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Flock(Coloring):
    """One color per flock; more flocks than colors share them."""

    @override
    def colors(self, theme: Theme, setup: Setup) -> tuple[str, ...]:
        return theme.flocks[: len(setup.flock)]

    @override
    def labels(self, setup: Setup) -> tuple[str, ...]:
        names = [flock.name for flock in setup.flock]
        return tuple(", ".join(names[color::FLOCKS]) for color in range(min(len(names), FLOCKS)))

    @override
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        del seen
        return np.full(len(state.flocks[flock].position), flock % FLOCKS)
