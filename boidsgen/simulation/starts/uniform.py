"""Spread over the whole world."""

from typing import Literal

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.starts.start import Start
from boidsgen.simulation.world import World


class Uniform(Start):
    """Anywhere in the world, every place equally likely."""

    layout: Literal["uniform"] = "uniform"

    @override
    def position(self, count: int, world: World, generator: np.random.Generator) -> Array:
        return generator.random((count, world.dimension)) * world.extent
