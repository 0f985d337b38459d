"""Color by depth: how far from the viewer."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.colorings.coloring import Coloring, graded, ramp
from boidsgen.drawing.projection import Seen
from boidsgen.drawing.theme import SEQUENTIAL, Theme
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Depth(Coloring):
    """From far to near; in worlds with depth only."""

    dimensions: ClassVar[tuple[int, ...]] = (3,)

    @override
    def colors(self, theme: Theme, setup: Setup) -> tuple[str, ...]:
        return theme.sequential

    @override
    def labels(self, setup: Setup) -> tuple[str, ...]:
        return ramp("far", "near", SEQUENTIAL)

    @override
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        return graded(1.0 - seen.depth, SEQUENTIAL)
