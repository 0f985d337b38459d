"""Outlines: what the bodies in the world look like on the screen, as closed paths of pixels, shape (k, 2)."""

from functools import singledispatch
from itertools import product

import numpy as np

from boidsgen.drawing.projection import Projection
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.obstacles import Box, Circle, Obstacle, Polygon, Segment


@singledispatch
def outline(obstacle: Obstacle, projection: Projection) -> Array:
    """The outline of an obstacle in the picture."""
    raise NotImplementedError(f"no outline for {type(obstacle).__name__} in {projection}")


@outline.register
def _(obstacle: Circle, projection: Projection) -> Array:
    return ball(np.array(obstacle.center), obstacle.radius, projection)


@outline.register
def _(obstacle: Box, projection: Projection) -> Array:
    size = np.array(obstacle.size)
    return hull(projection(corners(np.array(obstacle.center) - size / 2, size)).xy)


@outline.register
def _(obstacle: Segment, projection: Projection) -> Array:
    ends = [ball(np.array(end), obstacle.radius, projection) for end in (obstacle.start, obstacle.end)]
    return hull(np.vstack(ends))


@outline.register
def _(obstacle: Polygon, projection: Projection) -> Array:
    return projection(np.array(obstacle.points)).xy


@singledispatch
def ribs(obstacle: Obstacle, projection: Projection) -> tuple[Array, Array]:
    """Starts and ends of lines that show the form of an obstacle within its outline, shape (k, 2) each: none."""
    del obstacle, projection
    return np.zeros((0, 2)), np.zeros((0, 2))


@ribs.register
def _(obstacle: Box, projection: Projection) -> tuple[Array, Array]:
    size = np.array(obstacle.size)
    start, end = edges(np.array(obstacle.center) - size / 2, size)
    return projection(start).xy, projection(end).xy


@ribs.register
def _(obstacle: Circle, projection: Projection) -> tuple[Array, Array]:
    equator = np.array(obstacle.center) + obstacle.radius * circle(96) @ np.eye(2, len(obstacle.center))
    seen = projection(equator).xy
    return seen, np.roll(seen, -1, axis=0)


def ball(center: Array, radius: float, projection: Projection) -> Array:
    """A disc, or a ball, of a radius in world units."""
    seen = projection(center[None])
    return seen.xy + radius * seen.scale * circle(96)


def circle(points: int) -> Array:
    """Points round the unit circle, shape (points, 2)."""
    turn = np.linspace(0, 2 * np.pi, points, endpoint=False)
    return np.column_stack((np.cos(turn), np.sin(turn)))


def corners(low: Array, size: Array) -> Array:
    """The corners of a box, shape (2**d, d)."""
    return low + np.array(list(product((0.0, 1.0), repeat=len(size)))) * size


def edges(low: Array, size: Array) -> tuple[Array, Array]:
    """Starts and ends of the edges of a box, shape (d * 2**(d-1), d) each."""
    corner = np.array(list(product((0.0, 1.0), repeat=len(size))))
    pairs = [(start, start + way) for way in np.eye(len(size)) for start in corner if not (start @ way)]
    start, end = zip(*pairs, strict=True)
    return low + np.array(start) * size, low + np.array(end) * size


def hull(point: Array) -> Array:
    """The convex hull of points, shape (n, 2), in order (Andrew's monotone chain)."""
    ordered = sorted(map(tuple, point.tolist()))
    return np.array([*_chain(ordered), *_chain(ordered[::-1])])


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
