"""Color by neighbors: how crowded a boid is."""

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.colorings.coloring import Coloring
from boidsgen.drawing.projection import Seen
from boidsgen.drawing.theme import SEQUENTIAL, Theme
from boidsgen.simulation.observe import neighbor_count
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Neighbors(Coloring):
    """Number of neighbors that a boid perceives: none, then in steps that double."""

    @override
    def colors(self, theme: Theme, setup: Setup) -> tuple[str, ...]:
        return theme.sequential

    @override
    def labels(self, setup: Setup) -> tuple[str, ...]:
        # The least count of each step: 0, 1, 3, 7, …
        return (*(f"{2**step - 1}" for step in range(SEQUENTIAL - 1)), f"{2 ** (SEQUENTIAL - 1) - 1}+")

    @override
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        del seen
        step: NDArray[np.intp] = np.log2(neighbor_count(state, flock) + 1.0).astype(np.intp)
        return np.minimum(step, SEQUENTIAL - 1)
