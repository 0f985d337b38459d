"""A round cloud."""

from typing import Literal

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.starts.start import Start, in_ball
from boidsgen.simulation.world import World
from boidsgen.tables import Positive, Vector


class Disc(Start):
    """Spread evenly over a disc, in 3D over a ball."""

    layout: Literal["disc"] = "disc"
    center: Vector | None = None
    """Middle of the disc, in world units. Default: the middle of the world."""
    radius: Positive | None = None
    """Radius of the disc, in world units. Default: a quarter of the world's smallest side."""

    @override
    def position(self, count: int, world: World, generator: np.random.Generator) -> Array:
        center = world.extent / 2 if self.center is None else np.array(self.center)
        radius = min(world.size) / 4 if self.radius is None else self.radius
        return center + radius * in_ball(count, world.dimension, generator)
