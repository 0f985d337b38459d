"""A mill: a ring whose boids fly round and round."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen.simulation.geometry import Array, by_column, unit
from boidsgen.simulation.starts.start import Start
from boidsgen.simulation.world import World
from boidsgen.tables import Positive, Vector


class Ring(Start):
    """A ring in the x-y plane, turning together counterclockwise."""

    layout: Literal["ring"] = "ring"
    center: Vector | None = None
    """Middle of the ring, in world units. Default: the middle of the world."""
    radius: Positive | None = None
    """Outer radius, in world units. Default: a third of the world's smallest side."""
    width: Annotated[float, Field(gt=0, le=1)] = 0.4
    """Width of the ring as a fraction of its radius."""

    @override
    def position(self, count: int, world: World, generator: np.random.Generator) -> Array:
        outer = min(world.size) / 3 if self.radius is None else self.radius
        angle = generator.uniform(0, 2 * np.pi, count)
        # Even over the area: the square of the radius is uniform.
        radius = outer * np.sqrt(generator.uniform((1 - self.width) ** 2, 1, count))
        height = (generator.uniform(-0.5, 0.5, count)) * outer * self.width
        around = np.stack((radius * np.cos(angle), radius * np.sin(angle), height), axis=1)
        return self._middle(world) + around[:, : world.dimension]

    @override
    def direction(self, position: Array, world: World, generator: np.random.Generator) -> Array:
        """Tangential, counterclockwise seen from above."""
        del generator
        across = position - self._middle(world)
        tangent = np.zeros_like(across)
        tangent[:, 0], tangent[:, 1] = -across[:, 1], across[:, 0]
        return unit(by_column(tangent))

    def _middle(self, world: World) -> Array:
        return world.extent / 2 if self.center is None else np.array(self.center)
