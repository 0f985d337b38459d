"""All in one place."""

from typing import Literal

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.starts.start import Start
from boidsgen.simulation.world import World


class Center(Start):
    """Everyone in the middle of the world, flying apart in random directions."""

    layout: Literal["center"] = "center"

    @override
    def position(self, count: int, world: World, generator: np.random.Generator) -> Array:
        del generator
        return np.broadcast_to(world.extent / 2, (count, world.dimension))
