"""Obstacles: solids that boids steer around.

`surface(position, world)` returns the distance of each position from the surface (negative inside), shape (n,), and the
outward direction there, shape (n, d), unit length; `silhouette()` returns the shape to draw. The push that steers boids
around obstacles, the balls that look for a free way, and the guarantee that no boid ends a step inside one all follow
from `surface`. Lengths are world units.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import FailFast, Field
from typing_extensions import override

from boidsgen.errors import MAX_POINTS
from boidsgen.plugins import made_of
from boidsgen.simulation.geometry import Array, circle, corners, dot, edges, length, numbers, scaled, unit
from boidsgen.simulation.world import Lifetime, World
from boidsgen.tables import Finite, InWorld, NotNegative, Positive, Vector, by_name, keys_of

MAX_PUSH = 20.0  # Bound on the push at and below the surface, where the formula has no finite value
ROUND_POINTS = 96  # Number of points that approximate a circle
NEWTON_STEPS = 16  # Newton iterations for the nearest point of an ellipse; for radii of 1 and 300 twelve are enough
MIN_ASIDE = 1e-12  # Minimum distance from the axes of an ellipse, in radii
SURFACE_ROUNDING = 1e-9  # Depth below a surface up to which a place counts as on it, in smallest sides of the world
LATTICE = {2: 64, 3: 16}  # Steps along each axis of the places that are tried, by dimension
TOUCHING = 1e-6  # Distance from a surface within which a ball touches it, in smallest sides of the world
CASTS = 100  # Maximum number of sphere-tracing steps along the way of a ball
HALVINGS = 30  # of the way from a free place of the lattice


class Silhouette(NamedTuple):
    """Shape of an obstacle for drawing: the outline of its points, and ribs within it."""

    points: Array  # (k, d) points whose convex hull is the obstacle; if it is not convex, the corners of its outline
    ribs: tuple[Array, Array]  # starts and ends of lines that show its form, (j, d) each
    radius: float | None = None  # of the ball that stands at each point; None: the bare points
    convex: bool = True  # false where the points are the corners of an outline, in order


def no_ribs(dimension: int) -> tuple[Array, Array]:
    """No lines at all."""
    return np.zeros((0, dimension)), np.zeros((0, dimension))


def equator(center: Array, radii: Array) -> tuple[Array, Array]:
    """The lines round the middle of a round body, at the level of its center."""
    rim = center + radii * (circle(ROUND_POINTS) @ np.eye(2, len(center)))
    return rim, np.roll(rim, -1, axis=0)


class Obstacle(Lifetime, ABC):
    """Something that boids and hunting predators fly round."""

    margin: Positive | None = None
    """Distance from the surface within which the obstacle is felt, in world units. Default: a tenth of the world's
    smallest side."""
    weight: Finite = 2.5
    """Factor on the push away from the surface."""
    solid: bool = True
    """If true, no boid ends a step inside: it is put back on the surface and loses its velocity into it. Whom another
    obstacle or the boundary would put inside stays where it was or, where that is inside too, as where an obstacle
    appears, goes to a free place nearby."""

    @property
    @override
    def idle(self) -> Collection[str]:
        return () if self.weight else ("margin",)

    @abstractmethod
    def surface(self, position: Array, world: World) -> tuple[Array, Array]:
        """Distance from the surface, negative inside, shape (n,), and the outward direction there, shape (n, d)."""

    @abstractmethod
    def silhouette(self) -> Silhouette:
        """Shape for drawing, in world units."""

    def reach(self, world: World) -> float:
        """Distance from the surface within which the obstacle is felt, in world units."""
        return 0.1 * min(world.size) if self.margin is None else self.margin

    def strength(self, gap: Array, margin: float) -> Array:
        """Push at this distance from the surface: (margin - gap)/gap within the margin, bounded near the surface."""
        ratio = np.divide(margin - gap, gap, out=np.full_like(gap, MAX_PUSH), where=gap > 0)
        return np.where(gap < margin, np.minimum(ratio, MAX_PUSH), 0.0)

    def push(self, position: Array, world: World) -> Array:
        """The steering away from the obstacle, weight included, shape (n, d)."""
        gap, outward = surface_of(self, position, world)
        return outward * (self.weight * self.strength(gap, self.reach(world)))[:, None]

    def blocks(self, position: Array, direction: Array, reach: float, radius: float, world: World) -> NDArray[np.bool_]:
        """True for each ball that meets the obstacle within reach on its way from a position, shape (n,).

        A ball that overlaps the obstacle at the start does not count. By sphere tracing: it goes forward by its
        distance from the obstacle, again and again. Source: J. C. Hart, Sphere tracing, The Visual Computer 12, 1996.
        """
        near, way = TOUCHING * min(world.size), np.zeros(len(position))
        gap, outward = surface_of(self, position, world)
        room = gap - radius
        apart = room > 0
        for _ in range(CASTS):
            going = (room > near) & (way < reach)
            if not going.any():
                break
            way = np.where(going, way + room, way)
            gap, outward = surface_of(self, position + direction * way[:, None], world)
            room = np.where(going, gap - radius, room)
        # Whoever is still on the way toward the surface after all casts grazes it, and counts as touching.
        return apart & (way < reach) & (dot(outward, direction) < 0)

    def keep_out(self, position: Array, velocity: Array, world: World) -> tuple[Array, Array]:
        """Positions and velocities outside a solid obstacle, shape (n, d) each."""
        if not self.solid:
            return position, velocity
        gap, outward = surface_of(self, position, world)
        if not (gap < 0).any():
            return position, velocity
        # Not by maximum and minimum, whose zeros have the sign that the processor likes.
        depth, along = np.where(gap < 0, -gap, 0.0), dot(velocity, outward)
        inward = np.where(along < 0, along, 0.0) * (gap < 0)
        return position + outward * depth[:, None], velocity - outward * inward[:, None]


def surface_of(obstacle: Obstacle, position: Array, world: World) -> tuple[Array, Array]:
    """The answer of `surface`, shapes (n,) and (n, d). Raises PackageError where one of a package is anything else."""
    gap, outward = obstacle.surface(position, world)
    return (
        numbers(gap, position.shape[:1], obstacle, "one distance for each place"),
        numbers(outward, position.shape, obstacle, "one direction for each place"),
    )


def inside(position: Array, obstacles: Sequence[Obstacle], world: World) -> NDArray[np.bool_]:
    """True for each position that is inside a solid obstacle, shape (n,)."""
    taken, deepest = np.zeros(len(position), dtype=bool), -SURFACE_ROUNDING * min(world.size)
    for obstacle in obstacles:
        if obstacle.solid:
            taken |= surface_of(obstacle, position, world)[0] < deepest
    return taken


def free_lattice(obstacles: Sequence[Obstacle], world: World) -> Array:
    """The places of a lattice over the world that are inside no solid obstacle, shape (k, d)."""
    steps, none = LATTICE[world.dimension], np.zeros((1, world.dimension))
    lattice = np.indices((steps + 1,) * world.dimension).reshape(world.dimension, -1).T / steps * world.extent
    lattice, _ = world.boundary.confine(lattice, none, world.extent)
    return lattice[~inside(lattice, obstacles, world)]


def free_places(position: Array, obstacles: Sequence[Obstacle], world: World) -> Array:
    """Places near positions that are inside no solid obstacle, shape (n, d).

    They are sought on the way from the position to the nearest free place of a lattice over the world. If that has
    none, positions stay as they are.
    """
    lattice, none = free_lattice(obstacles, world), np.zeros((1, world.dimension))
    if not len(lattice):
        return position
    away = [world.shortest(place - lattice) for place in position]
    nearest = [int(dot(offset, offset).argmin()) for offset in away]
    start = lattice[nearest]
    way = np.array([offset[number] for offset, number in zip(away, nearest, strict=True)])
    part, step = np.zeros((len(position), 1)), 1.0
    for _ in range(HALVINGS):
        step /= 2
        part += step * ~inside(start + way * (part + step), obstacles, world)[:, None]
    return world.boundary.confine(start + way * part, none, world.extent)[0]


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
    size: Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3), InWorld]
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

    @override
    def silhouette(self) -> Silhouette:
        size = np.array(self.size)
        low = np.array(self.center) - size / 2
        return Silhouette(corners(low, size), edges(low, size))


class Circle(Obstacle):
    """A disc; in 3D a ball."""

    kind: Literal["circle"] = "circle"
    center: Vector
    """Middle of the disc, in world units."""
    radius: Positive
    """Radius, in world units."""
    margin: Positive | None = None
    """Distance from the surface within which the obstacle is felt, in world units. Default: half its radius."""

    @override
    def reach(self, world: World) -> float:
        return self.radius / 2 if self.margin is None else self.margin

    @override
    def strength(self, gap: Array, margin: float) -> Array:
        """(radius + margin - d)/d at distance d from the center, where d is less than radius + margin."""
        distance = gap + self.radius
        ratio = np.divide(margin - gap, distance, out=np.full_like(gap, MAX_PUSH), where=distance > 0)
        return np.clip(ratio, 0.0, MAX_PUSH)

    @override
    def surface(self, position: Array, world: World) -> tuple[Array, Array]:
        offset = world.shortest(position - np.array(self.center))
        distance = length(offset)
        return distance - self.radius, outward_from(offset, distance)

    @override
    def blocks(self, position: Array, direction: Array, reach: float, radius: float, world: World) -> NDArray[np.bool_]:
        """By the nearer root of a quadratic equation, the place at which a ball on its way first touches."""
        offset, touching = world.shortest(np.array(self.center) - position), self.radius + radius
        along, squared = dot(offset, direction), dot(offset, offset)
        room = touching * touching - (squared - along * along)
        meeting = along - np.sqrt(np.where(room > 0, room, 0.0))
        return (squared > touching * touching) & (along > 0) & (room > 0) & (meeting < reach)

    @override
    def silhouette(self) -> Silhouette:
        center = np.array(self.center)
        return Silhouette(center[None], equator(center, np.full(len(center), self.radius)), self.radius)


class Ellipse(Obstacle):
    """An ellipse with axes along those of the world; in 3D an ellipsoid."""

    kind: Literal["ellipse"] = "ellipse"
    center: Vector
    """Middle of the ellipse, in world units."""
    radii: Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3), InWorld]
    """Half the extent along each axis, in world units."""

    @override
    def surface(self, position: Array, world: World) -> tuple[Array, Array]:
        radii = np.array(self.radii)
        offset = world.shortest(position - np.array(self.center))
        side = np.where(offset < 0, -1.0, 1.0)
        place = np.abs(offset)
        nearest = _nearest_on_ellipse(place, radii)
        sign = np.where(((place / radii) ** 2).sum(axis=1) < 1, -1.0, 1.0)
        return sign * length(place - nearest), unit(side * nearest / radii**2)

    @override
    def silhouette(self) -> Silhouette:
        center, radii = np.array(self.center), np.array(self.radii)
        points = circle(ROUND_POINTS)
        if len(radii) == 3:
            levels = points[: ROUND_POINTS // 2 + 1 : 2]
            points = np.vstack([np.column_stack((across * points, np.full(ROUND_POINTS, up))) for up, across in levels])
        return Silhouette(center + radii * points, equator(center, radii))


def _nearest_on_ellipse(place: Array, radii: Array) -> Array:
    """The points of an ellipse round the origin that are nearest to places, shape (n, d), no coordinate negative.

    The nearest point to y is x with x_i = r_i^2 y_i / (t + r_i^2), where t is the largest root of |x/r| = 1 (D. Eberly,
    Distance from a Point to an Ellipse, 2013). 1/|x/r| - 1 is concave in t, so that Newton's steps from below never
    pass the root, and almost linear, so that a few are enough (J. J. Moré and D. C. Sorensen, Computing a Trust Region
    Step, 1983). Lengths are counted in smallest radii and t from the pole at -1, where it would lose its digits.
    """
    smallest = radii.min()
    ratio = (radii / smallest) ** 2
    # On an axis of symmetry several points are equally near, and the formula divides zero by zero: step aside a little.
    stretched = np.maximum(place, MIN_ASIDE * radii) / radii * ratio
    root = (stretched * (ratio == 1)).max(axis=1)
    for _ in range(NEWTON_STEPS):
        part = stretched / (root[:, None] + (ratio - 1))
        size = length(part)
        slope = (part**2 / (root[:, None] + (ratio - 1))).sum(axis=1)
        root = root + np.maximum(size - 1, 0.0) * size**2 / slope
    return radii * unit(stretched / (root[:, None] + (ratio - 1)))


class Polygon(Obstacle):
    """A polygon without holes, convex or not; in flat worlds only."""

    dimensions: ClassVar[tuple[int, ...]] = (2,)

    kind: Literal["polygon"] = "polygon"
    points: Annotated[tuple[Vector, ...], FailFast(), Field(min_length=3, max_length=MAX_POINTS)]
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
        # Inside by the even-odd rule for a ray to the right.
        above = place[:, None, 1] >= corner[None, :, 1]
        rise = np.where(side[:, 1] == 0, 1.0, side[:, 1])
        at = corner[:, 0] + (place[:, None, 1] - corner[:, 1]) / rise * side[:, 0]
        crossings = ((above != np.roll(above, -1, axis=1)) & (place[:, None, 0] < at)).sum(axis=1)
        sign = np.where(crossings % 2 == 1, -1.0, 1.0)
        gap = sign * distance[own, nearest]
        return gap, outward_from(sign[:, None] * across[own, nearest], np.abs(gap))

    @override
    def silhouette(self) -> Silhouette:
        return Silhouette(np.array(self.points), no_ribs(2), convex=False)


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
        along = np.array(self.end) - np.array(self.start)
        offset = world.nearest_image(position - np.array(self.start), along / 2)
        squared = float(dot(along, along))
        part = np.clip(dot(offset, along) / squared, 0.0, 1.0) if squared else np.zeros(len(position))
        across = offset - part[:, None] * along
        distance = length(across)
        return distance - self.radius, outward_from(across, distance)

    @override
    def silhouette(self) -> Silhouette:
        ends = np.array((self.start, self.end))
        return Silhouette(ends, no_ribs(len(self.start)), self.radius)


OBSTACLES = by_name(Box, Circle, Ellipse, Polygon, Segment, tag="kind")
"""Obstacles by the name in a scenario; those of installed packages are added in `setup`."""


def fault(name: str, kind: object) -> str:
    """Error in a package's obstacle of this name; empty if there is none."""
    if not made_of(kind, Obstacle):
        return "is not a class made of Obstacle with methods `surface` and `silhouette`"
    tag = keys_of(kind).get("kind")
    wanted = f'kind: Literal["{name}"] = "{name}"'
    return "" if tag and tag.is_tag and tag.default == name else f"has no field {wanted}"
