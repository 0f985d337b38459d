"""World, boundary conditions, clock and obstacles.

Lengths are world units; `size` is the extent of the world, shape (d,). No other module branches on the type of a
boundary.

An obstacle is a solid that boids steer around. `surface(position, world)` returns the distance of each position from
the surface (negative inside), shape (n,), and the outward direction there, shape (n, d), unit length; `silhouette()`
returns the shape to draw. The push that steers boids around obstacles, and the guarantee that no boid ends a step
inside one, both follow from `surface`.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import FailFast, Field, ValidationInfo, field_validator
from typing_extensions import override

from boidsgen import exact
from boidsgen.errors import MAX_POINTS
from boidsgen.plugins import made_of
from boidsgen.simulation.geometry import Array, circle, corners, dot, edges, length, numbers, read_only, scaled, unit
from boidsgen.tables import (
    OFF_BY_DEFAULT,
    Finite,
    InWords,
    InWorld,
    NotNegative,
    Positive,
    Table,
    Vector,
    by_name,
    keys_of,
    short_form,
)


class Boundary(Table):
    """A boundary condition."""

    leads_round: ClassVar[bool] = False
    """True if boids that leave on one side enter on the other, whole sizes away."""
    jumps: ClassVar[bool] = False
    """True if boids that leave are put elsewhere, so that no line leads from where they were."""

    @property
    def before_turns(self) -> bool:
        """True if sequential updates apply it before a boid's move instead of after it."""
        return False

    def periods(self, size: Array) -> Array:
        """Period of each axis, 0 where it does not repeat, shape (d,)."""
        return np.zeros_like(size)

    def shortest(self, offset: Array, size: Array) -> Array:
        """The minimum-image offset, shape (..., d)."""
        return offset

    def displacement(self, offset: Array, size: Array) -> Array:
        """Displacements of animals whose positions differ by these offsets, shape (..., d)."""
        return minimum_image(offset, size) if self.leads_round else offset

    def push(self, position: Array, size: Array) -> Array | None:
        """Steering away from the edges, shape (n, d), or nothing at all."""
        return None

    def turned(self, position: Array, velocity: Array, size: Array) -> Array:
        """Velocities as the edges change them after every limit on them, before the move, shape (n, d)."""
        return velocity

    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        """Positions and velocities after applying the boundary condition, shape (n, d) each."""
        return position, velocity


class Ball(Boundary):
    """A ball in the middle of the world, as wide as its smallest side: who leaves it enters on the opposite side.

    The boid is put back by one diameter, toward the middle, so that what it overshot is kept; neighbors do not wrap.
    Source: C. Reynolds, OpenSteer, plugin Boids.
    """

    jumps: ClassVar[bool] = True

    kind: Literal["ball"] = "ball"

    @override
    def displacement(self, offset: Array, size: Array) -> Array:
        way, diameter = length(offset), min(size)
        return scaled(offset, way, np.where(way > diameter / 2, way - diameter, way))

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        diameter, middle = min(size), size / 2
        outward = position - middle
        away = length(outward)
        back = scaled(outward, away, np.where(away > diameter / 2, away - diameter, away))
        return np.where((away > diameter / 2)[:, None], middle + back, position), velocity


class Open(Boundary):
    """Boids may leave the world and need not return."""

    kind: Literal["open"] = "open"


class Reflect(Boundary):
    """Hard walls: positions beyond them are mirrored back, and the velocity into the wall is reversed."""

    kind: Literal["reflect"] = "reflect"
    restitution: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Fraction of the speed into the wall that is kept in a bounce."""

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        # A boid may cross the world several times in one long step: fold the way it went like a strip of paper.
        folded = np.mod(position, 2 * size)
        inside = np.minimum(folded, 2 * size - folded)
        bounced = np.floor(position / size)
        turned = np.mod(bounced, 2) == 1
        kept = exact.whole_power(self.restitution, np.abs(bounced))
        return inside, np.where(turned, -velocity, velocity) * kept


class Soft(Boundary):
    """A push inward within a margin of each wall, growing linearly; boids may overshoot and are pushed back harder."""

    kind: Literal["soft"] = "soft"
    margin: Positive = 40.0
    """Distance from a wall at which the push begins, in world units."""
    strength: NotNegative = 1.0
    """Push at the wall itself, as acceleration in one step; it falls to zero at the margin."""

    @override
    def push(self, position: Array, size: Array) -> Array:
        """Inward, strength · (1 - distance/margin) within the margin of a wall; beyond the wall it keeps growing."""
        low = np.maximum(1.0 - position / self.margin, 0.0)
        high = np.maximum(1.0 - (size - position) / self.margin, 0.0)
        return self.strength * (low - high)


class Teleport(Boundary):
    """A boid past an edge is put exactly on the opposite one, however far past; neighbors do not wrap.

    It is what many lessons do: below 0 becomes the size, beyond the size becomes 0. Boids that leave at different
    places in one step come back in line, and two that are near each other across an edge do not know it.
    """

    leads_round: ClassVar[bool] = True
    jumps: ClassVar[bool] = True

    kind: Literal["teleport"] = "teleport"
    applied: Literal["after", "before"] = "after"
    """In sequential updates: after a boid's move, or before its next one, so that until then others see it outside."""
    margin: NotNegative = 0.0
    """Distance beyond the edges, in world units, at which a boid is put on the other side, as far beyond that edge."""

    @property
    @override
    def before_turns(self) -> bool:
        return self.applied == "before"

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        low, high = 0.0 - self.margin, size + self.margin
        return np.where(position < low, high, np.where(position > high, low, position)), velocity


class Torus(Boundary):
    """Opposite edges are joined."""

    leads_round: ClassVar[bool] = True
    jumps: ClassVar[bool] = True

    kind: Literal["torus"] = "torus"

    @override
    def periods(self, size: Array) -> Array:
        return size

    @override
    def shortest(self, offset: Array, size: Array) -> Array:
        return minimum_image(offset, size)

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        return wrapped(position, size), velocity


def minimum_image(offset: Array, size: Array) -> Array:
    """Offsets less whole sizes, so that at most half a size remains along each axis."""
    return offset - size * np.rint(offset / size)


def wrapped(position: Array, size: Array) -> Array:
    """Positions brought back into [0, size) by whole sizes."""
    outside = (position < 0) | (position >= size)
    remainder = np.mod(position, size)
    # A tiny negative coordinate rounds up to the size itself, which is the origin again.
    return np.where(outside, np.where(remainder >= size, 0.0, remainder), position)


class TurnBack(Boundary):
    """A constant turn inward within a margin of each wall, after the limits on speed; boids may overshoot.

    It acts once per step and wall, however near the wall is, and may make a boid faster than max_speed. Source:
    B. Eater, Boids.
    """

    kind: Literal["turn_back"] = "turn_back"
    margin: Positive = 40.0
    """Distance from a wall within which boids are turned, in world units."""
    strength: NotNegative = 1.0
    """Change of the velocity in one step."""

    @override
    def turned(self, position: Array, velocity: Array, size: Array) -> Array:
        low = np.where(position < self.margin, self.strength, 0.0)
        high = np.where(position > size - self.margin, self.strength, 0.0)
        turned: Array = velocity + (low - high)
        return turned


class Wrap(Boundary):
    """Positions wrap as on a torus, but neighbors and offsets do not.

    It is what many tutorials do, and a trap: a flock that crosses an edge is torn in two halves that do not know each
    other. Use torus unless that is what is to be shown.
    """

    leads_round: ClassVar[bool] = True
    jumps: ClassVar[bool] = True

    kind: Literal["wrap"] = "wrap"

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        return wrapped(position, size), velocity


BOUNDARIES = by_name(Ball, Open, Reflect, Soft, Teleport, Torus, TurnBack, Wrap, tag="kind")
"""All boundary conditions by the name that a scenario writes."""

AnyBoundary = Annotated[
    Ball | Open | Reflect | Soft | Teleport | Torus | TurnBack | Wrap, Field(discriminator="kind"), short_form()
]
"""Any of them, told apart by `kind`."""


MAX_QUOTED = 60  # Letters of a text that are quoted
_UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?(ms|s|min)")
A_DURATION = InWords('a duration as in "8s"', 'durations as in "8s"', example="8s")
"""Annotation of durations on the screen."""


class World(Table):
    """A box from the origin to `size`; two numbers make it flat, three give it depth."""

    size: Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3)] = (400.0, 400.0)
    """Extent along each axis, in world units; its length is the dimension of the world."""
    boundary: AnyBoundary = Torus.default()
    """Behavior at the edges of the world. Whom it would put inside a solid obstacle stays where it was."""

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.size)

    @cached_property
    def extent(self) -> Array:
        """The size as an array, shape (d,)."""
        return read_only(np.array(self.size))

    @cached_property
    def periods(self) -> Array:
        """After what distance each axis repeats, 0 where it does not, shape (d,)."""
        return read_only(np.array(self.boundary.periods(self.extent)))

    def shortest(self, offset: Array) -> Array:
        """The minimum-image offset in this world, shape (..., d)."""
        return self.boundary.shortest(offset, self.extent)

    def displacement(self, offset: Array) -> Array:
        """Displacements of animals whose positions differ by these offsets, shape (..., d).

        They lead across the edges of every boundary that puts animals on the opposite side; `shortest`, which is for
        what sees each other, only across those of a torus.
        """
        return self.boundary.displacement(offset, self.extent)

    def unwrapped(self, position: Array) -> Array:
        """Paths without jumps at the edges: positions of the same animals, (frames, n, d), plus whole sizes.

        Where an animal is absent, there is nan; its displacement across such a gap is that between the ends.
        """
        if not self.boundary.leads_round:
            return position
        last = np.where(np.isfinite(position[..., :1]), np.arange(len(position))[:, None, None], 0)
        step = np.diff(np.take_along_axis(position, np.maximum.accumulate(last), axis=0), axis=0)
        path = position.copy()
        path[1:] += np.nan_to_num(self.displacement(step) - step).cumsum(axis=0)
        return path

    def wrapped(self, position: Array) -> Array:
        """Positions of paths, shape (..., d), brought back into the world."""
        return wrapped(position, self.extent) if self.boundary.leads_round else position

    def nearest_image(self, offset: Array, middle: Array) -> Array:
        """The image of an offset that is nearest to the middle, (d,), shape (..., d)."""
        period = self.periods
        turns = np.divide(offset - middle, period, out=np.zeros_like(offset), where=period > 0)
        return offset - period * np.rint(turns)


def seconds_in(text: str) -> float:
    """The seconds of a duration; ValueError if it is no duration above zero."""
    found = _DURATION.fullmatch(text)
    if not found or not float(found[1]):
        raise ValueError(f'must be a number above 0 with its unit (ms, s or min) as in "8s", not "{text[:MAX_QUOTED]}"')
    return float(found[1]) * _UNITS[found[2]]


class Clock(Table):
    """Frames and steps."""

    frames: Annotated[int, Field(ge=1)] = 200
    """Number of frames to render."""
    duration: Annotated[str, A_DURATION] | None = None
    """Playing time of the clip, as in "8s", "500ms" or "2min"; gives the number of frames by `output.fps`."""
    steps_per_frame: Annotated[int, Field(ge=1)] = 1
    """Simulation steps between two frames."""
    dt: Positive = 1.0
    """Time that one step covers, in units of time."""
    warmup: Annotated[int, Field(ge=0)] = 0
    """Steps before the first frame."""
    rate: Annotated[float, Field(ge=0.02, le=1)] = 1.0
    """Slow motion: speed of the clip relative to the simulation, 0.25 = a quarter. The states are unchanged; frames
    between them are interpolated linearly. Events may set it. Trails keep their length in frames, and pages play at
    full speed."""

    @property
    def pictures(self) -> int:
        """Number of pictures from one state to the next."""
        return round(1 / self.rate)

    @field_validator("duration")
    @classmethod
    def _in_seconds(cls, value: str | None) -> str | None:
        if value is not None:
            seconds_in(value)
        return value


class Lifetime(Table):
    """Something that is there for a time."""

    from_: Annotated[int, Field(ge=0, alias="from"), OFF_BY_DEFAULT] = 0
    """First frame in which it is present."""
    until: Annotated[Annotated[int, Field(ge=0)] | None, OFF_BY_DEFAULT] = None
    """First frame in which it is absent. Default: it stays."""

    @field_validator("until")
    @classmethod
    def _after_from(cls, value: int | None, info: ValidationInfo) -> int | None:
        first = info.data.get("from_")
        if value is not None and first is not None and value <= first:
            raise ValueError(f"must be after from, {first}, not {value}")
        return value

    def present(self, frame: float) -> bool:
        """True if it is there in this frame."""
        return self.from_ <= frame and (self.until is None or frame < self.until)


MAX_PUSH = 20.0  # Bound on the push at and below the surface, where the formula has no finite value
ROUND_POINTS = 96  # Number of points that approximate a circle
NEWTON_STEPS = 16  # Newton iterations for the nearest point of an ellipse; for radii of 1 and 300 twelve are enough
MIN_ASIDE = 1e-12  # Minimum distance from the axes of an ellipse, in radii
SURFACE_ROUNDING = 1e-9  # Depth below a surface up to which a place counts as on it, in smallest sides of the world
LATTICE = {2: 64, 3: 16}  # Steps along each axis of the places that are tried, by dimension
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
