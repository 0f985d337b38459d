"""World, obstacles and attractors as records of the kernel, in the order of the fields in `kernel/world.c`."""

from typing import Any

import numpy as np

from boidsgen.simulation.obstacles import Box, Circle, Ellipse, Obstacle, Polygon, Segment
from boidsgen.simulation.paths import Attractor, CircleCurve, Curve, Waypoints
from boidsgen.simulation.records import Memory, UnknownToKernelError, packed, point_of, usual, usual_point
from boidsgen.simulation.world import Boundary, Open, Reflect, Soft, Teleport, Torus, World, Wrap

BOUNDARIES: tuple[type[Boundary], ...] = (Open, Reflect, Soft, Teleport, Torus, Wrap)
OBSTACLES: tuple[type[Obstacle], ...] = (Box, Circle, Ellipse, Polygon, Segment)


def world_fields(world: World) -> tuple[Any, ...]:
    """The fields of a world; UnknownToKernelError if its boundary is not one of ours."""
    boundary = world.boundary
    if type(boundary) not in BOUNDARIES:
        raise UnknownToKernelError(f"the boundary {boundary.kind}")
    return (
        *(3 - world.dimension, BOUNDARIES.index(type(boundary)), boundary.before_turns),
        point_of(world.size),
        point_of(world.periods.tolist()),
        float(min(world.size)),
        boundary.restitution if isinstance(boundary, Reflect) else 1.0,
        (boundary.margin, boundary.strength) if isinstance(boundary, Soft) else (1.0, 0.0),
    )


def obstacle_record(obstacle: Obstacle, memory: Memory) -> bytes:
    """The record of an obstacle; UnknownToKernelError if it is not one of ours."""
    if type(obstacle) not in OBSTACLES:
        raise UnknownToKernelError(f"the obstacle {type(obstacle).__name__}")
    radius, corners = 0.0, np.zeros((0, 2))
    center, half, second = point_of((0.0, 0.0)), point_of((0.0, 0.0)), point_of((0.0, 0.0))
    if isinstance(obstacle, Box):
        center, half = point_of(obstacle.center), point_of(obstacle.size)
    elif isinstance(obstacle, Circle):
        center, radius = point_of(obstacle.center), obstacle.radius
    elif isinstance(obstacle, Ellipse):
        center, half = point_of(obstacle.center), point_of(obstacle.radii)
    elif isinstance(obstacle, Segment):
        center, radius, second = point_of(obstacle.start), obstacle.radius, point_of(obstacle.end)
    elif isinstance(obstacle, Polygon):
        corners = np.array(obstacle.points)
    return packed(
        (OBSTACLES.index(type(obstacle)), 1, obstacle.solid),
        (float(obstacle.weight), usual(obstacle.margin), float(radius)),
        (center, half, second, 0.0),
        (len(corners), memory.put(corners)),
    )


def attractor_record(attractor: Attractor, world: World, memory: Memory) -> bytes:
    """The record of an attractor."""
    path = attractor.path
    kind = 0 if path is None else 1 if isinstance(path, Curve) else 2
    curve = path if isinstance(path, Curve) else CircleCurve()
    ways = np.zeros((0, 4))
    if isinstance(path, Waypoints):
        ways = np.zeros((len(path.points), 4))
        ways[:, 0], ways[:, 4 - len(path.points[0]) :] = path.times, path.points
    point, repeats = usual_point(attractor.point, world.dimension), isinstance(path, Waypoints) and path.repeat
    start = packed((kind, 1), point, float(attractor.weight), float(attractor.radius))
    return start + curve.record(world) + packed(len(ways), repeats, memory.put(ways))
