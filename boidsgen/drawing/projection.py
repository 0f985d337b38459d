"""Projection: from places in the world to places in the picture.

World points have shape (n, d) in world units, y (in 3D z) upward; places in the picture have shape (n, 2) in pixels
from the top left, y downward. A flat world is seen from straight above and all at one depth: the same formulas serve
both.
"""

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.simulation.geometry import Array, dot, length, unit

MIN_DISTANCE = 0.05
"""Closest that anything is shown, as a part of the camera's distance from the middle of the world."""


def along(axes: Array, point: Array) -> Array:
    """How far points, shape (n, d), lie along each of the axes, shape (k, d) or (k, ..., 1, d): shape (k, ..., n).

    Sums that are written out have the same last bit everywhere; how a product of matrices is added up depends on the
    processor.
    """
    return np.array([dot(axis, point) for axis in axes])  # half the time of `stack`


class Seen(NamedTuple):
    """Points of the world as the camera sees them.

    Attributes:
        xy: (n, 2) pixels.
        scale: (n,) pixels per world unit there.
        depth: (n,) 0 for the near end of the world, 1 for the far end.
        shown: (n,) false for what lies behind the camera.
    """

    xy: Array
    scale: Array
    depth: Array
    shown: NDArray[np.bool_]

    def of(self, which: NDArray[np.intp]) -> "Seen":
        """Some of them, by their numbers."""
        return Seen(self.xy[which], self.scale[which], self.depth[which], self.shown[which])


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """How the world is seen at one instant.

    Attributes:
        axes: (3, d) directions in the world that point right, up and toward the viewer.
        center: (d,) the point of the world that the camera turns about.
        origin: (2,) where in the picture the center is, in pixels.
        scale: pixels per world unit at the center.
        distance: of the camera from the center, in world units; inf: parallel rays.
        reach: how far the world extends toward the viewer, and away, from the center, in world units.
        period: (2,) after how many pixels the picture repeats itself, 0 = never.
    """

    axes: Array
    center: Array
    origin: Array
    scale: float
    distance: float
    reach: float
    period: Array

    def __call__(self, point: Array) -> Seen:
        """Where points of the world, shape (n, d), are seen."""
        right, up, toward = along(self.axes, point - self.center)
        nearness = 1.0 - toward / self.distance
        scale = self.scale / np.maximum(nearness, MIN_DISTANCE)
        xy = np.empty((len(scale), 2))
        xy[:, 0], xy[:, 1] = right * scale, -up * scale
        xy += self.origin
        return Seen(xy, scale, self._depth(toward), nearness > MIN_DISTANCE)

    def heading(self, position: Array, velocity: Array, here: Seen) -> tuple[Array, Array]:
        """How animals fly on the screen, shape (n,) each: direction and the part of their length that is seen.

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
        return [figure for figure in figures if self._shows(figure)]

    def _shows(self, figure: Array) -> bool:
        within = (figure.max(axis=0) > 0) & (figure.min(axis=0) < self.period)
        return bool((within | (self.period == 0)).all())

    def repeated(self, xy: Array, reach: float) -> tuple[NDArray[np.intp], Array]:
        """Places (n, 2), and those within reach of an edge again beyond the opposite one: which each is, and where."""
        which = np.arange(len(xy))
        for axis in np.flatnonzero(self.period):
            shift = np.zeros(2)
            shift[axis] = self.period[axis]
            low, high = xy[:, axis] < reach, xy[:, axis] > self.period[axis] - reach
            which = np.concatenate((which, which[low], which[high]))
            xy = np.concatenate((xy, xy[low] + shift, xy[high] - shift))
        return which, xy

    def _depth(self, toward: Array) -> Array:
        if self.reach == 0:
            return np.zeros(len(toward))  # several times faster than `zeros_like`
        return np.minimum(np.maximum((self.reach - toward) / (2 * self.reach), 0.0), 1.0)
