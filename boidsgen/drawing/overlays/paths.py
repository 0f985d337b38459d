"""Paths: the closed curves that predators follow, and the roads on which boids stay.

A path by position is a curve in the world, and is drawn as such. One by velocity is none: its points are velocities. It
leads predators without inertia, which it alone moves, along a route that follows from where they are; that route is
drawn, once round the path. Of other predators nobody can tell where they will fly, and nothing is drawn.
"""

from functools import lru_cache
from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.outlines import outline
from boidsgen.drawing.overlays.layer import Backdrop, Foreground
from boidsgen.drawing.scene import Scene, strength_at
from boidsgen.simulation.dynamics import Group, accelerated
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.obstacles import Silhouette, no_ribs
from boidsgen.simulation.paths import Curve
from boidsgen.simulation.predators import Predators
from boidsgen.simulation.rules.places import FollowPath
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State
from boidsgen.simulation.world import World
from boidsgen.tables import Positive

PIECES = 480
"""How many straight lines a curve by position is made of."""
MAX_STEPS = 4000
"""How far ahead a route is followed; a longer one stays open."""
STRENGTH = 0.5
"""Strength of what is nearest."""


class Paths(Foreground):
    """The paths of predators, faint."""

    roles: ClassVar[tuple[str, ...]] = ("predator",)
    glows: ClassVar[bool] = True

    paths: bool = False
    """Show the paths of predators: those by position, and those by velocity where nothing else moves the predators and
    they have no inertia."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.paths and any(map(has_route, setup.predators))

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        for table, group in zip(state.setup.predators, state.predators, strict=True):
            if len(group.position) and has_route(table):
                for route in _routes(table, group, state):
                    _draw(canvas, scene, route)


def has_route(table: Predators) -> bool:
    """Whether it is known where a path leads these predators."""
    if table.path is None:
        return False
    alone = list(table.rules) == ["path"] and table.steering_of(table.path) == "direct"
    return table.carried or (alone and table.inertia == 0 and table.path.max_force is None)


def _routes(table: Predators, group: Group, state: State) -> list[Array]:
    """The curve that carries all predators of a table, or the route of each that is driven, shape (k, d) each."""
    path = table.path
    if path is None:
        return []
    if table.carried:
        return [_curve(path, state.setup.world.size)]
    dt = state.setup.time.dt
    time = state.time + dt * np.arange(min(round(path.period / dt), MAX_STEPS))
    turn = 2 * np.pi * time / path.period
    return [
        _route(table, place, path.points(turn + number * np.radians(path.phase)), dt)
        for number, place in enumerate(group.position)
    ]


@lru_cache(maxsize=16)
def _curve(path: Curve, size: tuple[float, ...]) -> Array:
    """The whole path in a world of this size, shape (k, d)."""
    # Predators spread evenly over it.
    return path.model_copy(update={"phase": 360.0 / PIECES}).position(0.0, PIECES + 1, World(size=size))


def _route(table: Predators, place: Array, point: Array, dt: float) -> Array:
    """Where a predator flies that is driven by these points of its path, one after the other, shape (k + 1, d)."""
    drive = table.path.weight * point[:, : len(place)] if table.path else point
    velocity = accelerated(np.zeros_like(drive), drive, table.limits(dt))
    return np.vstack((place, place + dt * np.cumsum(velocity, axis=0)))


def _draw(canvas: Canvas, scene: Scene, route: Array) -> None:
    seen = scene.projection(route)
    shown = seen.shown[:-1] & seen.shown[1:]
    strength = STRENGTH * strength_at((seen.depth[:-1] + seen.depth[1:]) / 2)
    for copy in scene.projection.copies(seen.xy):
        canvas.lines(copy[:-1][shown], copy[1:][shown], scene.tone("predator", strength[shown]), 1.2 * scene.pen)


class Roads(Backdrop):
    """The corridors of the rule follow_path, softly filled."""

    roles: ClassVar[tuple[str, ...]] = ("obstacle",)

    roads: bool | Positive = False
    """Show the corridors on which follow_path keeps boids: true as wide as the rule has them, a number with that
    radius, in world units."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.roads is not False and bool(_followed(setup))

    @override
    def shows(self, setup: Setup) -> object:
        return _followed(setup)

    @override
    def draw(self, canvas: Canvas, scene: Scene) -> None:
        for path in _followed(scene.setup):
            radius = path.radius if self.roads is True else float(self.roads)
            corner = np.array((*path.points, path.points[0]) if path.closed else path.points)
            for leg in np.stack((corner[:-1], corner[1:]), axis=1):
                if scene.projection(leg).shown.all():
                    rim = outline(Silhouette(leg, no_ribs(leg.shape[1]), radius), scene.projection)
                    for copy in scene.projection.copies(rim):
                        canvas.fill(copy, scene.tone("obstacle", 0.3))


def _followed(setup: Setup) -> list[FollowPath]:
    """The paths that animals follow."""
    tables = (*setup.flock, *setup.predators)
    return [table.follow_path for table in tables if table.follow_path and table.follow_path.weight]
