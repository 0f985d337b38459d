"""Outlines: what bodies in the world look like in the picture.

A body is known by its silhouette in world units; its outline is a closed path of pixels, shape (k, 2), and its ribs are
lines from start to end, shape (j, 2) each. Nothing in here knows what kinds of bodies there are.
"""

import numpy as np

from boidsgen.drawing.projection import Projection, along
from boidsgen.simulation.geometry import Array, circle
from boidsgen.simulation.obstacles import Silhouette

ROUND = 96
"""How many corners a round outline has."""
EXTREMES = 24
"""In how many directions the outermost points are looked for, which enclose most of the others."""


def outline(silhouette: Silhouette, projection: Projection) -> Array:
    """The outline of a body in the picture."""
    if silhouette.radius is not None:
        return _around([ball(point, silhouette.radius, projection) for point in silhouette.points])
    seen = projection(silhouette.points).xy
    return hull(seen) if silhouette.convex else seen


def ribs(silhouette: Silhouette, projection: Projection) -> tuple[Array, Array]:
    """Starts and ends of the lines that show the form of a body within its outline."""
    start, end = silhouette.ribs
    return projection(start).xy, projection(end).xy


def ball(center: Array, radius: float, projection: Projection) -> Array:
    """The outline of a disc, or a ball, of a radius in world units."""
    seen = projection(center[None])
    return seen.xy + radius * seen.scale * circle(ROUND)


def _around(outlines: list[Array]) -> Array:
    return outlines[0] if len(outlines) == 1 else hull(np.vstack(outlines))


def hull(point: Array) -> Array:
    """The convex hull of points, shape (n, 2), in order (Andrew's monotone chain)."""
    ordered = sorted(map(tuple, _not_enclosed(point).tolist()))
    return np.array([*_chain(ordered), *_chain(ordered[::-1])])


def _not_enclosed(point: Array) -> Array:
    """The points that may belong to the hull: not inside the polygon of a few that do (Akl and Toussaint 1978)."""
    extreme = point[along(circle(EXTREMES), point).argmax(axis=1)]
    side = np.roll(extreme, -1, axis=0) - extreme
    real = side.any(axis=1)
    if real.sum() < 3:
        return point
    offset = point[:, None] - extreme[real]
    enclosed = (side[real, 0] * offset[..., 1] > side[real, 1] * offset[..., 0]).all(axis=1)
    kept: Array = point[~enclosed]
    return kept


def _chain(ordered: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    chain: list[tuple[float, ...]] = []
    for place in ordered:
        while len(chain) > 1 and not _turns_left(chain[-2], chain[-1], place):
            chain.pop()
        chain.append(place)
    return chain[:-1]


def _turns_left(start: tuple[float, ...], middle: tuple[float, ...], end: tuple[float, ...]) -> bool:
    ahead, aside = (middle[0] - start[0], middle[1] - start[1]), (end[0] - start[0], end[1] - start[1])
    return ahead[0] * aside[1] - ahead[1] * aside[0] > 0
