"""Obstacles and attractors as records of the kernel, in the order of the fields in `kernel/world.c`."""

import numpy as np

from boidsgen.simulation.obstacles import Box, Circle, Ellipse, Obstacle, Polygon, Segment
from boidsgen.simulation.paths import Attractor, Curve, Waypoints
from boidsgen.simulation.records import CELL, Memory, UnknownToKernelError, packed, point_of
from boidsgen.simulation.world import World

OBSTACLES: tuple[type[Obstacle], ...] = (Box, Circle, Ellipse, Polygon, Segment)


def obstacle_record(obstacle: Obstacle, world: World, memory: Memory) -> bytes:
    """The record of an obstacle; UnknownToKernelError if it is not one of ours."""
    if type(obstacle) not in OBSTACLES:
        raise UnknownToKernelError(f"the obstacle {type(obstacle).__name__}")
    dimension, radius, second, squared, corners = world.dimension, 0.0, np.zeros(world.dimension), 0.0, np.zeros((0, 6))
    half, center = np.zeros(dimension), np.zeros(dimension)
    if isinstance(obstacle, Box):
        center, half = np.array(obstacle.center), np.array(obstacle.size) / 2
    elif isinstance(obstacle, Circle):
        center, radius = np.array(obstacle.center), obstacle.radius
    elif isinstance(obstacle, Ellipse):
        center, half = np.array(obstacle.center), np.array(obstacle.radii)
    elif isinstance(obstacle, Segment):
        center, radius, second = np.array(obstacle.start), obstacle.radius, np.subtract(obstacle.end, obstacle.start)
        squared = float(sum(part * part for part in second.tolist()))
    elif isinstance(obstacle, Polygon):
        corner = np.array(obstacle.points)
        side = np.roll(corner, -1, axis=0) - corner
        center = (corner.min(axis=0) + corner.max(axis=0)) / 2
        lengths = np.maximum((side**2).sum(axis=1), np.finfo(float).tiny)
        corners = np.column_stack((corner, side, lengths, np.where(side[:, 1] == 0, 1.0, side[:, 1])))
    return packed(
        OBSTACLES.index(type(obstacle)), obstacle.solid, float(obstacle.weight), float(obstacle.reach(world)),
        float(radius), point_of(center.tolist()), point_of(half.tolist()), point_of(second.tolist()), squared,
        len(corners), memory.put(corners),
    )  # fmt: skip


def attractor_record(attractor: Attractor, world: World, memory: Memory) -> bytes:
    """The record of an attractor."""
    path, point = attractor.path, attractor.place(0.0, world)
    kind = 0 if path is None else 1 if isinstance(path, Curve) else 2
    curve = path.record(world) if isinstance(path, Curve) else bytes(7 * CELL)
    ways = np.zeros((0, 4))
    if isinstance(path, Waypoints):
        ways = np.zeros((len(path.points), 4))
        ways[:, 0], ways[:, 4 - world.dimension :] = path.times, path.points
    start = packed(kind, point_of(point.tolist()), float(np.sign(attractor.weight)), float(attractor.radius))
    return start + curve + packed(len(ways), isinstance(path, Waypoints) and path.repeat, memory.put(ways))
