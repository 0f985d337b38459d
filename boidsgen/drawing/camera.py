"""Camera and projection, and obstacles as solid bodies in the picture.

A `Camera` is a table of the scenario. Aimed at a world it gives a `Viewpoint`, which is the same for the whole run
unless the camera follows the flock (then there is one `on` the box of each frame); a viewpoint gives the `Projection`
of each frame. World points have shape (n, d) in world units, y (in 3D z) upward; places in the picture have shape (n,
2) in pixels from the top left, y downward. A flat world is seen from straight above, all at one depth; no other module
of drawing distinguishes it.

Solids have an outline and shading, and hide what is behind them. All bodies in worlds with depth are convex. So a point
is hidden exactly where its line of sight enters the body in front of it, and of several bodies in one pixel the nearest
decides.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import sqrt
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from boidsgen import exact
from boidsgen.simulation.geometry import Array, circle, corners, dot, length, magnitude, unit
from boidsgen.simulation.obstacles import Obstacle, Silhouette, surface_of
from boidsgen.simulation.world import Open, World
from boidsgen.tables import Finite, Positive, Table, Vector

if TYPE_CHECKING:
    from boidsgen.simulation.setup import State

MIN_DISTANCE = 0.05  # Closest that anything is shown, as a part of the camera's distance from the center of the world


class Viewport(NamedTuple):
    """The part of the picture that shows the world, in pixels from the top left."""

    left: float
    top: float
    width: float
    height: float


def along(axes: Array, point: Array) -> Array:
    """Coordinates of points, shape (n, d), along axes, shape (k, d) or (k, ..., 1, d): shape (k, ..., n).

    Sums that are written out have the same last bit everywhere; how a product of matrices is added up depends on the
    processor.
    """
    return np.array([dot(axis, point) for axis in axes])  # half the time of `stack`


class Seen(NamedTuple):
    """Points of the world as the camera sees them."""

    xy: Array  # (n, 2) pixels
    scale: Array  # (n,) pixels per world unit there
    depth: Array  # (n,) 0 for the near end of the world, 1 for the far end
    shown: NDArray[np.bool_]  # (n,) false for what lies behind the camera

    def of(self, which: NDArray[np.intp] | slice) -> "Seen":
        """Some of them, by their numbers."""
        return Seen(self.xy[which], self.scale[which], self.depth[which], self.shown[which])


class Projection(NamedTuple):
    """The view of the world at one instant."""

    axes: Array  # (3, d) directions in the world that point right, up and toward the viewer
    center: Array  # (d,) the point of the world that the camera turns about
    origin: Array  # (2,) where in the picture the center is, in pixels
    scale: float  # pixels per world unit at the center
    distance: float  # of the camera from the center, in world units; inf: parallel rays
    reach: float  # how far the world extends toward the viewer, and away, from the center, in world units
    period: Array  # (2,) after how many pixels the picture repeats itself, 0 = never

    def __call__(self, point: Array) -> Seen:
        """Project points of the world, shape (n, d)."""
        if point.shape[1] == 2:  # seen from straight above, by parallel rays
            xy = (point - self.center) * (self.scale, -self.scale) + self.origin
            count = len(xy)
            return Seen(xy, np.full(count, self.scale), np.zeros(count), np.ones(count, np.bool_))
        right, up, toward = along(self.axes, point - self.center)
        nearness = 1.0 - toward / self.distance
        scale = self.scale / np.maximum(nearness, MIN_DISTANCE)
        xy = np.empty((len(scale), 2))
        xy[:, 0], xy[:, 1] = right * scale, -up * scale
        xy += self.origin
        # `zeros` is several times faster than `zeros_like`.
        depth = np.minimum(np.maximum((self.reach - toward) / (2 * self.reach), 0.0), 1.0) if self.reach else None
        return Seen(xy, scale, np.zeros(len(toward)) if depth is None else depth, nearness > MIN_DISTANCE)

    def heading(self, position: Array, velocity: Array, here: Seen) -> tuple[Array, Array]:
        """Direction of flight on the screen and the visible part of the length, shape (n,) each.

        The direction is in radians, counterclockwise from the right. `here` is how their positions are seen.
        """
        ahead = position + unit(velocity) * (1.0 / self.scale)
        way = self(ahead).xy - here.xy
        apparent = np.where(velocity.any(axis=1), length(way) * self.scale / here.scale, 1.0)
        return exact.heading(-way[:, 1], way[:, 0]), apparent

    def copies(self, xy: Array) -> list[Array]:
        """A figure, shape (n, 2) pixels, wherever it is seen: several times where the picture repeats itself."""
        steps = product(*((-1, 0, 1) if period else (0,) for period in self.period))
        figures = [xy + np.array(step) * self.period for step in steps]
        low, high = self.origin - self.period / 2, self.origin + self.period / 2
        return [
            figure
            for figure in figures
            if ((figure.max(axis=0) > low) & (figure.min(axis=0) < high) | (self.period == 0)).all()
        ]

    def repeated(self, xy: Array, reach: float) -> tuple[NDArray[np.intp], Array]:
        """Places (n, 2), and those within reach of an edge again beyond the opposite one: which each is, and where."""
        which = np.arange(len(xy))
        first = self.origin - self.period / 2
        for axis in np.flatnonzero(self.period):
            shift = np.zeros(2)
            shift[axis] = self.period[axis]
            place = xy[:, axis] - first[axis]
            low, high = place < reach, place > self.period[axis] - reach
            which = np.concatenate((which, which[low], which[high]))
            xy = np.concatenate((xy, xy[low] + shift, xy[high] - shift))
        return which, xy


OUTSIDE_PERCENTAGE = 0.5  # Percentage of the boids that may lie beyond the box on each side
BOX_MARGIN = 1.1  # Ratio of the box to the space that the other boids take
MIN_SIZE = 0.1  # The smallest box, as a part of the world: a flock that gathers in one point is still seen to do so
ALPHA = 0.2  # The part of what is new that counts at once
BETA = 2 * (2 - ALPHA) - 4 * (1 - ALPHA) ** 0.5
"""The part of it that counts as speed; critically damped, so that the camera does not swing to and fro."""


class ViewBox(NamedTuple):
    """A box of the world's shape."""

    center: Array  # (d,) its middle
    size: float  # how many times as large as the world it is


class Tracker:
    """Stays with the boids of one run."""

    def __init__(self, world: World) -> None:
        self._extent = world.extent
        # Middle of the box and logarithm of its size, and by how much they change from frame to frame.
        self._now = np.append(world.extent / 2, 0.0)
        self._change: Array | None = None

    def ahead(self, share: float) -> ViewBox:
        """The box to show a share of a frame later; the world as long as no boids were seen."""
        now = self._now if self._change is None else self._now + share * self._change
        return ViewBox(now[:-1], float(exact.exponential(now[-1])))

    def note(self, state: "State") -> None:
        """Go on to where the boids of a state are; without boids at the speed so far."""
        position, aim = np.concatenate([flock.position for flock in state.flocks]), None
        if len(position):
            low, high = np.percentile(position, (OUTSIDE_PERCENTAGE, 100 - OUTSIDE_PERCENTAGE), axis=0)
            size = max(BOX_MARGIN * float(((high - low) / self._extent).max()), MIN_SIZE)
            aim = np.append((low + high) / 2, exact.logarithm(size))
        if self._change is None:
            if aim is not None:
                self._now, self._change = aim, np.zeros_like(aim)
            return
        expected = self._now + self._change
        surprise = np.zeros_like(expected) if aim is None else aim - expected
        self._now = expected + ALPHA * surprise
        self._change = self._change + BETA * surprise


STANDOFF = 2.4  # Distance at which a perspective camera sees the whole world, in half diagonals of the world


class Camera(Table):
    """Viewpoint. At zoom 1 the whole world stays in view from any angle."""

    azimuth: Finite = -60.0
    """3D: direction from the center of the world to the camera, in degrees from the x axis toward the y axis."""
    elevation: Annotated[float, Field(ge=-90, le=90)] = 20.0
    """3D: height of the camera above the horizon, in degrees; 90 = from straight above."""
    orbit: Finite = 0.0
    """3D: degrees by which the azimuth grows with each frame; 0 = no turn."""
    projection: Literal["perspective", "orthographic"] = "perspective"
    """3D: perspective (distant objects look smaller) or orthographic."""
    distance: Annotated[float, Field(ge=1.2, le=100)] = STANDOFF
    """3D, perspective: distance from the center of the world, in half diagonals of the world. An event that changes it
    moves the camera in or out (a dolly): near objects grow faster than distant ones."""
    zoom: Positive = 1.0
    """Magnification about the center of the world; 1 = the world just fits."""
    fit: Literal["contain", "cover"] = "contain"
    """contain: all of the world fits into the picture. cover: the world fills the picture and is cropped at its edges:
    for a wide world in a vertical video."""
    center: Vector | None = None
    """Point that the camera looks at and turns about, in world units. Default: the center of the world or of the
    followed flock."""
    follow: Literal["nothing", "flock"] = "nothing"
    """nothing: the camera shows the world. flock: it follows the boids wherever they fly, so close that most of them
    just fit into the picture, and shows the edges of the world where they are, except in periodic worlds."""

    @property
    def follows(self) -> bool:
        """True if it moves along."""
        return self.follow != "nothing"

    def aim(self, world: World, viewport: Viewport) -> "Viewpoint":
        """The viewpoint on a world that fills this part of the picture."""
        turns = np.arange(0.0, 360.0) if self.orbit else np.array([self.azimuth])
        parallel = world.dimension == 2 or self.projection == "orthographic"
        distance = np.inf if parallel else STANDOFF * magnitude(world.extent) / 2
        corner = corners(-world.extent / 2, world.extent)
        seen = along(self.axes(world, turns[:, None]), corner)
        flat = seen[:2] / (1 - seen[2] / distance)
        low, high = flat.min(axis=(1, 2)), flat.max(axis=(1, 2))
        ratios = np.array(viewport[2:]) / (high - low)
        fitting = float(ratios.max() if self.fit == "cover" else ratios.min())
        scale = fitting * self.zoom
        if np.isfinite(distance):
            scale, distance = scale * STANDOFF / self.distance, distance * self.distance / STANDOFF
        middle = np.array(viewport[:2]) + np.array(viewport[2:]) / 2
        # To fit, a box seen from above is moved up; the nearer one comes, the more its middle is what one looks at.
        origin = middle + fitting / max(self.zoom, 1.0) * (low + high) / 2 * np.array([-1.0, 1.0])
        # A flat world that is seen as a whole goes on beyond one edge where it goes on beyond the opposite one.
        period = scale * world.periods if world.dimension == 2 and self.center is None else np.zeros(2)
        center = world.extent / 2 if self.center is None else np.array(self.center)
        reach = float(np.abs(seen[2]).max())
        return Viewpoint(self, world, ViewBox(center, 1.0), origin, scale, distance, reach, period)

    def axes(self, world: World, azimuth: Array) -> Array:
        """Directions that point right, up and toward the viewer at azimuths in degrees, (...): shape (3, ..., d)."""
        if world.dimension == 2:
            return np.eye(3, 2).reshape(3, *azimuth.ndim * [1], 2)  # whatever the azimuth
        turn, tilt = np.radians(azimuth), np.radians(self.elevation)
        aside, ahead = exact.sine(turn), exact.cosine(turn)
        right = np.stack((-aside, ahead, np.zeros_like(turn)), axis=-1)
        raised = np.full_like(turn, exact.sine(tilt))
        toward = np.stack((exact.cosine(tilt) * ahead, exact.cosine(tilt) * aside, raised), axis=-1)
        return np.stack((right, np.cross(toward, right), toward))


class Viewpoint(NamedTuple):
    """A camera aimed at a world: everything about the projection but the turn of the frame."""

    camera: Camera  # how the world is seen
    world: World  # what is seen
    box: ViewBox  # the part of it that fits into the picture; the world itself unless the camera follows the flock
    origin: Array  # (2,) where in the picture the middle of the box is, in pixels
    scale: float  # pixels per world unit there
    distance: float  # of the camera from the middle, in world units; inf: parallel rays
    reach: float  # how far the box extends toward the viewer, and away, from its middle, in world units
    period: Array  # (2,) after how many pixels the picture repeats itself, 0 = never

    @property
    def steady(self) -> bool:
        """True if all frames are seen alike."""
        return not self.camera.follows and (self.camera.orbit == 0 or self.world.dimension == 2)

    def on(self, box: ViewBox) -> "Viewpoint":
        """The same view of a box of the world's shape instead of the world."""
        part = box.size / self.box.size
        return self._replace(
            box=box,
            scale=self.scale / part,
            distance=self.distance * part,
            reach=self.reach * part,
            period=np.zeros(2),
        )

    def part(self, viewport: Viewport) -> Array:
        """Lowest and highest corner of the part of the world that is seen here, in world units, shape (2, d).

        Of a flat world it is what lies within the viewport; one with depth is seen as a whole, or the box of it.
        """
        half = self.box.size * self.world.extent / 2
        box = np.stack((self.box.center - half, self.box.center + half))
        if self.world.dimension == 3:
            return box
        ends = np.array(viewport[:2]) + np.array([(0.0, 1.0), (1.0, 0.0)]) * np.array(viewport[2:])
        seen = np.sort(self.box.center + (ends - self.origin) * np.array([1.0, -1.0]) / self.scale, axis=0)
        # Who follows the flock, or looks aside, may see beyond the world.
        beyond = self.camera.follows or self.camera.center is not None
        return seen if beyond else np.clip(seen, box[0], box[1])

    def window(self, viewport: Viewport) -> Array:
        """Left and top, right and bottom of what a flat world fills in the picture, shape (2, 2); no limits in 3D."""
        if self.world.dimension == 3:
            return np.array([(-np.inf, -np.inf), (np.inf, np.inf)])
        corner = self.projection(0)(self.part(viewport)).xy
        return np.stack((corner.min(axis=0), corner.max(axis=0)))

    def projection(self, frame: float) -> Projection:
        """The projection of this frame."""
        axes = self.camera.axes(self.world, np.array(self.camera.azimuth + self.camera.orbit * frame))
        return Projection(axes, self.box.center, self.origin, self.scale, self.distance, self.reach, self.period)


OUTLINE_CORNERS = 96  # Corners of a round outline
SURFACE_DEPTH = 1e-6  # What lies less deep in a body is on its surface, as a part of the world
LAMP = (-0.35, 0.5, 0.79)  # Direction of the light: right, up and toward the viewer
SHADES = (0.2, 0.4, 0.57, 0.71, 0.82, 0.91, 0.97)
FINE_SHADES = tuple((np.arange(14) / 14 + 0.05).tolist())
"""Borders between the shades of a round body, in flat pictures and in lit ones: cosine of the angle between its surface
and the light."""

SHADOW, LIGHT, RIM = 0.12, 0.42, 0.62
"""Strengths of a solid: where no light falls on it, what full light adds, and at its edges. All are weaker than what
is farthest away, so that whoever flies before it is seen."""


def outline(silhouette: Silhouette, projection: Projection) -> Array:
    """The outline of a body in the picture."""
    if silhouette.radius is not None:
        balls = [ball(point, silhouette.radius, projection) for point in silhouette.points]
        return balls[0] if len(balls) == 1 else hull(np.vstack(balls))
    seen = projection(silhouette.points).xy
    return hull(seen) if silhouette.convex else seen


def ball(center: Array, radius: float, projection: Projection) -> Array:
    """The outline of a disc, or a ball, of a radius in world units."""
    seen = projection(center[None])
    return seen.xy + radius * seen.scale * circle(OUTLINE_CORNERS)


def hull(point: Array) -> Array:
    """The convex hull of points, shape (n, 2), in order (Andrew's monotone chain)."""
    ordered = sorted(map(tuple, point.tolist()))
    chains = []
    for way in (ordered, ordered[::-1]):
        chain: list[tuple[float, ...]] = []
        for right, down in way:
            while len(chain) > 1:
                (x, y), (u, v) = chain[-2:]
                if (u - x) * (down - y) - (v - y) * (right - x) > 0:
                    break
                chain.pop()
            chain.append((right, down))
        chains += chain[:-1]
    return np.array(chains)


def views(point: Array, projection: Projection) -> Array:
    """Directions from points toward the viewer, shape (n, d), of any length."""
    toward: Array = projection.axes[2]
    if np.isinf(projection.distance):
        return np.broadcast_to(toward, point.shape)
    return projection.center + projection.distance * toward - point


def hides(body: Obstacle, point: Array, projection: Projection, world: World) -> NDArray[np.bool_]:
    """True for the points, (n, 3), that lie in or behind a body; also beside it, as far from the viewer."""
    gap, outward = surface_of(body, point, world.model_copy(update={"boundary": Open()}))
    deep = gap < -SURFACE_DEPTH * magnitude(world.extent)
    return deep | (dot(outward, views(point, projection)) < 0)


def shades(
    silhouette: Silhouette, projection: Projection, steps: Sequence[float] = SHADES, *, dark: bool
) -> Iterator[tuple[Array, float]]:
    """Convex polygons in the picture, each with its light from 0 to 1, or its shadow where the ink is dark.

    Flat faces across an axis of the world have one shade each; anything else is a round body, if it is convex.
    """
    if not silhouette.convex:
        return
    right, up, toward = projection.axes
    side = -1.0 if dark else 1.0
    lamp = unit((side * LAMP[0] * right + side * LAMP[1] * up + LAMP[2] * toward)[None])[0]
    faces = []
    for normal in (*np.eye(3), *-np.eye(3)):
        along = dot(silhouette.points, normal)
        face = silhouette.points[along >= along.max() - 1e-9 * np.abs(along).max()]
        if dot(normal, views(face[:1], projection)[0]) > 0:
            faces.append((hull(projection(face).xy), max(float(dot(normal, lamp)), 0.0) ** 2))
    if silhouette.radius is None and all(len(face) > 2 for face, _ in faces):
        yield from faces
        return
    turn = circle(OUTLINE_CORNERS // 2)
    aside = unit(np.cross(lamp, up)[None])[0]
    across = turn[:, :1] * aside + turn[:, 1:] * np.cross(lamp, aside)
    for cosine in steps:
        normal = cosine * lamp + sqrt(1.0 - cosine * cosine) * across
        # What faces away is seen at the rim.
        normal = unit(normal - np.minimum(dot(normal, toward), 0.0)[:, None] * toward)
        # The places on the surface that face these ways.
        farthest = np.array([dot(silhouette.points, each).argmax() for each in normal])
        facing = silhouette.points[farthest] + (silhouette.radius or 0.0) * normal
        yield hull(projection(facing).xy), cosine
