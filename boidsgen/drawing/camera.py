"""Camera: from where and how the world is seen. Nothing else in drawing knows whether it is flat.

A `Camera` is the table of a scenario. Aimed at a world it gives a `Viewpoint`, which is the same for the whole run
unless the camera follows the flock (then there is one `on` the box of each frame), and that gives the `Projection` of
each frame.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from boidsgen import exact
from boidsgen.drawing.following import Box
from boidsgen.drawing.layout import Viewport
from boidsgen.drawing.projection import Projection, along
from boidsgen.simulation.geometry import Array, corners, magnitude
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, Positive, Table, Vector

STANDOFF = 2.4
"""Distance of a perspective camera from the middle of the world, in half diagonals of the world."""


class Camera(Table):
    """From where the world is seen; all of it fits into the picture, whatever the camera's turn."""

    azimuth: Finite = -60.0
    """3D: direction from the middle of the world to the camera, in degrees from the x axis toward the y axis."""
    elevation: Annotated[float, Field(ge=-90, le=90)] = 20.0
    """3D: height of the camera above the horizon, in degrees; 90 = from straight above."""
    orbit: Finite = 0.0
    """3D: degrees by which the azimuth grows with each frame; 0 = the camera stands still."""
    projection: Literal["perspective", "orthographic"] = "perspective"
    """3D: whether what is far looks smaller (perspective) or not (orthographic)."""
    zoom: Positive = 1.0
    """Magnification about the middle of the world; 1 = the world just fits."""
    center: Vector | None = None
    """What it looks at and turns about, in world units. Default: the middle of the world, or who is followed."""
    follow: Literal["nothing", "flock"] = "nothing"
    """nothing: the camera shows the world. flock: it stays with the boids wherever they fly, so near that most of them
    fit into the picture, and shows the edges of the world where they are; not where edges lead round."""

    @property
    def follows(self) -> bool:
        """Whether it moves along."""
        return self.follow != "nothing"

    def aim(self, world: World, viewport: Viewport) -> "Viewpoint":
        """The viewpoint on a world that fills this part of the picture."""
        turns = np.arange(0.0, 360.0) if self.orbit else np.array([self.azimuth])
        distance = self._distance(world)
        corner = corners(-world.extent / 2, world.extent)
        seen = along(self._axes(world, turns[:, None]), corner)
        flat = seen[:2] / (1 - seen[2] / distance)
        low, high = flat.min(axis=(1, 2)), flat.max(axis=(1, 2))
        fitting = float(min(np.array(viewport[2:]) / (high - low)))
        scale = fitting * self.zoom
        middle = np.array(viewport[:2]) + np.array(viewport[2:]) / 2
        # To fit, a box seen from above is moved up; the nearer one comes, the more its middle is what one looks at.
        origin = middle + fitting / max(self.zoom, 1.0) * (low + high) / 2 * np.array([-1.0, 1.0])
        reach, period = float(np.abs(seen[2]).max()), self._period(world, viewport, scale)
        center = world.extent / 2 if self.center is None else np.array(self.center)
        return Viewpoint(self, world, Box(center, 1.0), origin, scale, distance, reach, period)

    def axes(self, world: World, frame: int) -> Array:
        """Directions that point right, up and toward the viewer in this frame, shape (3, d)."""
        return self._axes(world, np.array(self.azimuth + self.orbit * frame))

    def _axes(self, world: World, azimuth: Array) -> Array:
        """The same for azimuths in degrees, shape (...): an array of shape (3, ..., d)."""
        if world.dimension == 2:
            return np.eye(3, 2).reshape(3, *azimuth.ndim * [1], 2)  # whatever the azimuth
        turn, tilt = np.radians(azimuth), np.radians(self.elevation)
        aside, ahead = exact.sine(turn), exact.cosine(turn)
        right = np.stack((-aside, ahead, np.zeros_like(turn)), axis=-1)
        raised = np.full_like(turn, exact.sine(tilt))
        toward = np.stack((exact.cosine(tilt) * ahead, exact.cosine(tilt) * aside, raised), axis=-1)
        return np.stack((right, np.cross(toward, right), toward))

    def _distance(self, world: World) -> float:
        if world.dimension == 2 or self.projection == "orthographic":
            return np.inf
        return STANDOFF * magnitude(world.extent) / 2

    def _period(self, world: World, viewport: Viewport, scale: float) -> Array:
        """A flat world that fills the picture to its edges goes on beyond them as it goes on beyond its own."""
        fills = (
            self.center is None
            and world.dimension == 2
            and np.allclose(world.extent * scale, viewport[2:], rtol=0, atol=0.5)
        )
        return scale * world.periods if fills else np.zeros(2)


@dataclass(frozen=True, slots=True, eq=False)
class Viewpoint:
    """A camera aimed at a world: everything about the projection but the turn of the frame.

    Attributes:
        camera: how the world is seen.
        world: what is seen.
        box: the part of it that fits into the picture; the world itself unless the camera follows the flock.
        origin: (2,) where in the picture the middle of the box is, in pixels.
        scale: pixels per world unit there.
        distance: of the camera from the middle, in world units; inf: parallel rays.
        reach: how far the box extends toward the viewer, and away, from its middle, in world units.
        period: (2,) after how many pixels the picture repeats itself, 0 = never.
    """

    camera: Camera
    world: World
    box: Box
    origin: Array
    scale: float
    distance: float
    reach: float
    period: Array

    @property
    def steady(self) -> bool:
        """Whether all frames are seen alike."""
        return not self.camera.follows and (self.camera.orbit == 0 or self.world.dimension == 2)

    def on(self, box: Box) -> "Viewpoint":
        """The same view of a box of the world's shape instead of the world."""
        part = box.size / self.box.size
        return replace(
            self,
            box=box,
            scale=self.scale / part,
            distance=self.distance * part,
            reach=self.reach * part,
            period=np.zeros(2),
        )

    @property
    def widest(self) -> "Viewpoint":
        """The same view of a box that reaches as far toward the viewer as it does in any turn."""
        return replace(self, reach=magnitude(self.box.size * self.world.extent) / 2)

    @property
    def closest(self) -> float:
        """Magnification of what is nearest in the world, against its middle."""
        return 1.0 / (1.0 - self.reach / self.distance)

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
        part: Array = seen if beyond else np.clip(seen, box[0], box[1])
        return part

    def window(self, viewport: Viewport) -> Array:
        """Left and top, right and bottom of what a flat world fills in the picture, shape (2, 2); no limits in 3D."""
        if self.world.dimension == 3:
            return np.array([(-np.inf, -np.inf), (np.inf, np.inf)])
        corner = self.projection(0)(self.part(viewport)).xy
        return np.stack((corner.min(axis=0), corner.max(axis=0)))

    def projection(self, frame: int) -> Projection:
        """How the world is seen in this frame."""
        axes = self.camera.axes(self.world, frame)
        return Projection(axes, self.box.center, self.origin, self.scale, self.distance, self.reach, self.period)
