"""Rows and columns."""

from typing import Literal

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.starts.start import Start
from boidsgen.simulation.world import World


class Grid(Start):
    """Evenly spaced over the world, row by row."""

    layout: Literal["grid"] = "grid"

    @override
    def position(self, count: int, world: World, generator: np.random.Generator) -> Array:
        del generator
        spacing = (np.prod(world.extent) / max(count, 1)) ** (1 / world.dimension)
        sides = np.maximum(1, np.rint(world.extent / spacing)).astype(int)
        while np.prod(sides) < count:
            sides[np.argmax(world.extent / sides)] += 1
        numbers = np.indices(sides.tolist()).reshape(world.dimension, -1).T[:count]
        centers: Array = (numbers + 0.5) * world.extent / sides
        return centers
