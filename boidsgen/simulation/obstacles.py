"""Obstacles: solid things that boids steer around.

`surface(position, world)` says how far each position is from the obstacle's surface (negative inside), shape (n,),
and which way is straight out, shape (n, d), length 1. From these two follow the push that steers boids round it and
the rule that none ends a step inside.
"""

from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen.simulation.geometry import Array, dot, length, scaled
from boidsgen.simulation.world import Lifetime, World
from boidsgen.tables import Finite, NotNegative, OfWorldDimension, Positive, Vector, by_name, short_form

STRONGEST_PUSH = 20.0
"""Bound on the push at and below the surface, where the formula has no finite value."""


class Obstacle(Lifetime, ABC):
    """Something that boids and hunting predators fly round."""

    margin: Positive | None = None
    """How far beyond the surface the obstacle is felt, in world units. Default: half its radius, or a tenth of the
    world."""
    weight: Finite = 2.5
    """Factor on the push away from the surface."""
    solid: bool = True
    """Whether a boid may never end a step inside: it is put back on the surface and loses its velocity into it."""

    @abstractmethod
    def surface(self, position: Array, world: World) -> tuple[Array, Array]:
        """Distance from the surface, negative inside, shape (n,), and the outward direction there, shape (n, d)."""

    def reach(self, world: World) -> float:
        """How far beyond the surface the obstacle is felt, in world units."""
        return 0.1 * min(world.size) if self.margin is None else self.margin

    def strength(self, gap: Array, margin: float) -> Array:
        """Push at this distance from the surface: (margin - gap)/gap within the margin, bounded near the surface."""
        ratio = np.divide(margin - gap, gap, out=np.full_like(gap, STRONGEST_PUSH), where=gap > 0)
        return np.where(gap < margin, np.minimum(ratio, STRONGEST_PUSH), 0.0)

    def push(self, position: Array, world: World) -> Array:
        """The steering away from the obstacle, weight included, shape (n, d)."""
        gap, outward = self.surface(position, world)
        return outward * (self.weight * self.strength(gap, self.reach(world)))[:, None]

    def keep_out(self, position: Array, velocity: Array, world: World) -> tuple[Array, Array]:
        """Positions and velocities after a solid obstacle has had its say, shape (n, d) each."""
        if not self.solid:
            return position, velocity
        gap, outward = self.surface(position, world)
        if not (gap < 0).any():
            return position, velocity
        depth = np.maximum(-gap, 0.0)
        inward = np.minimum(dot(velocity, outward), 0.0) * (gap < 0)
        return position + outward * depth[:, None], velocity - outward * inward[:, None]


def outward_from(offset: Array, distance: Array) -> Array:
    """Directions away from a center; who is exactly there leaves along the first axis."""
    direction = scaled(offset, distance, 1.0)
    direction[distance == 0, 0] = 1.0
    return direction


class Box(Obstacle):
    """A rectangle with sides along the axes; in 3D a box."""

    kind: Literal["box"] = "box"
    center: Vector
    """Middle of the box, in world units."""
    size: Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3), OfWorldDimension()]
    """Full extent along each axis, in world units."""

    @override
    def surface(self, position: Array, world: World) -> tuple[Array, Array]:
        offset = world.shortest(position - np.array(self.center))
        beyond = np.abs(offset) - np.array(self.size) / 2
        side = np.where(offset < 0, -1.0, 1.0)
        outside = np.maximum(beyond, 0.0)
        distance = length(outside)
        inside = distance == 0
        outward = outward_from(outside * side, distance)
        # Inside, the way out leads through the nearest face.
        nearest = np.eye(world.dimension)[beyond.argmax(axis=1)] * side
        outward[inside] = nearest[inside]
        return np.where(inside, beyond.max(axis=1), distance), outward


class Circle(Obstacle):
    """A disc; in 3D a ball."""

    kind: Literal["circle"] = "circle"
    center: Vector
    """Middle of the disc, in world units."""
    radius: Positive
    """Radius, in world units."""

    @override
    def reach(self, world: World) -> float:
        return self.radius / 2 if self.margin is None else self.margin

    @override
    def strength(self, gap: Array, margin: float) -> Array:
        """(radius + margin - d)/d at distance d from the center, where d is less than radius + margin."""
        distance = gap + self.radius
        ratio = np.divide(margin - gap, distance, out=np.full_like(gap, STRONGEST_PUSH), where=distance > 0)
        return np.clip(ratio, 0.0, STRONGEST_PUSH)

    @override
    def surface(self, position: Array, world: World) -> tuple[Array, Array]:
        offset = world.shortest(position - np.array(self.center))
        distance = length(offset)
        return distance - self.radius, outward_from(offset, distance)


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


class Segment(Obstacle):
    """A straight wall with round ends; in 3D a rod."""

    kind: Literal["segment"] = "segment"
    start: Vector
    """One end, in world units."""
    end: Vector
    """The other end, in world units."""
    radius: NotNegative = 3.0
    """Half the thickness of the wall, in world units."""

    @override
    def surface(self, position: Array, world: World) -> tuple[Array, Array]:
        offset = world.shortest(position - np.array(self.start))
        along = np.array(self.end) - np.array(self.start)
        squared = float(along @ along)
        part = np.clip(offset @ along / squared, 0.0, 1.0) if squared else np.zeros(len(position))
        across = offset - part[:, None] * along
        distance = length(across)
        return distance - self.radius, outward_from(across, distance)


OBSTACLES = by_name(Box, Circle, Polygon, Segment, tag="kind")
"""What there is, by the name that a scenario writes."""

AnyObstacle = Annotated[Box | Circle | Polygon | Segment, Field(discriminator="kind"), short_form()]
"""Any of them, told apart by `kind`."""
