"""Solids: obstacles as bodies in the picture, with outline, shading, and what they hide.

All bodies in worlds with depth are convex. Then a point is hidden exactly where its line of sight enters the body in
front of it, and of several bodies in one pixel the nearest decides.
"""

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.camera import Projection
from boidsgen.simulation.geometry import Array, circle, dot, magnitude, unit
from boidsgen.simulation.world import Obstacle, Open, Silhouette, World, surface_of

ROUND = 96  # Corners of a round outline
FINE = 1e-6  # What lies less deep in a body is on its surface, as a part of the world
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
    return seen.xy + radius * seen.scale * circle(ROUND)


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
    deep = gap < -FINE * magnitude(world.extent)
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
    turn = circle(ROUND // 2)
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
