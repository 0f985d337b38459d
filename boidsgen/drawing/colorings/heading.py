"""Color by heading: a flock that flies as one has one color."""

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.colorings.coloring import Coloring
from boidsgen.drawing.projection import Seen
from boidsgen.drawing.theme import CYCLIC, Theme
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Heading(Coloring):
    """Direction of flight in the plane of x and y, in twelve steps of 30 degrees."""

    @override
    def colors(self, theme: Theme, setup: Setup) -> tuple[str, ...]:
        return theme.cyclic

    @override
    def labels(self, setup: Setup) -> tuple[str, ...]:
        return tuple(f"{30 * step}°" if step % 3 == 0 else "" for step in range(CYCLIC))

    @override
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        del seen
        velocity = state.flocks[flock].velocity
        turn = np.arctan2(velocity[:, 1], velocity[:, 0]) / (2 * np.pi)
        return np.rint(turn * CYCLIC).astype(np.intp) % CYCLIC
