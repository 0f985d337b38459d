"""Any flat shape with straight sides."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.obstacles.obstacle import Obstacle, outward_from
from boidsgen.simulation.world import World
from boidsgen.tables import Vector


class Polygon(Obstacle):
    """A polygon without holes, convex or not; in flat worlds only."""

    dimensions: ClassVar[tuple[int, ...]] = (2,)

    kind: Literal["polygon"] = "polygon"
    points: Annotated[tuple[Vector, ...], Field(min_length=3)]
    """The corners in order, in world units; the last is joined to the first."""

    @override
    def surface(self, position: Array, world: World) -> tuple[Array, Array]:
        corner = np.array(self.points)
        side = np.roll(corner, -1, axis=0) - corner
        middle = (corner.min(axis=0) + corner.max(axis=0)) / 2
        place = middle + world.shortest(position - middle)
        offset = place[:, None, :] - corner
        squared = np.maximum((side**2).sum(axis=1), np.finfo(float).tiny)
        part = np.clip((offset * side).sum(axis=2) / squared, 0.0, 1.0)
        across = offset - part[:, :, None] * side
        distance = length(across)
        nearest = distance.argmin(axis=1)
        own = np.arange(len(position))
        sign = np.where(_inside(place, corner, side), -1.0, 1.0)
        gap = sign * distance[own, nearest]
        return gap, outward_from(sign[:, None] * across[own, nearest], np.abs(gap))


def _inside(place: Array, corner: Array, side: Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether a ray to the right crosses the outline an odd number of times, shape (n,)."""
    above = place[:, None, 1] >= corner[None, :, 1]
    crossing = above != np.roll(above, -1, axis=1)
    rise = np.where(side[:, 1] == 0, 1.0, side[:, 1])
    at = corner[:, 0] + (place[:, None, 1] - corner[:, 1]) / rise * side[:, 0]
    inside: np.ndarray[tuple[int], np.dtype[np.bool_]] = (crossing & (place[:, None, 0] < at)).sum(axis=1) % 2 == 1
    return inside
