"""Marks in the world: obstacles, attractors, the center of mass.

Obstacles are drawn by their silhouettes, whatever their kind. Obstacles and attractors lie below the animals and are
drawn anew only when they change; the center of mass lies above them.
"""

from typing import ClassVar, Literal

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.outlines import ball, outline, ribs
from boidsgen.drawing.overlays.layer import Backdrop, Foreground
from boidsgen.drawing.scene import Scene, strength_at
from boidsgen.simulation.geometry import Array, circle
from boidsgen.simulation.obstacles import silhouette_of
from boidsgen.simulation.paths import Attractor
from boidsgen.simulation.population import only
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State

DOT = 0.25
"""Radius of a dot, in lengths of a boid."""
NEAR, FAR = 0.5, 1.25
"""Where the arrowheads round an attractor begin and end, in heights of a letter."""


class Obstacles(Backdrop):
    """Obstacles, softly filled and clearly outlined."""

    roles: ClassVar[tuple[str, ...]] = ("obstacle",)

    obstacles: bool = True
    """Show the obstacles."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.obstacles and bool(setup.obstacles)

    @override
    def shows(self, setup: Setup) -> object:
        return setup.obstacles

    @override
    def draw(self, canvas: Canvas, scene: Scene) -> None:
        for obstacle in scene.setup.obstacles:
            silhouette = silhouette_of(obstacle, scene.setup.world.dimension)
            if not scene.projection(silhouette.points).shown.all():
                continue
            rim = outline(silhouette, scene.projection)
            for copy in scene.projection.copies(rim):
                canvas.fill(copy, scene.tone("obstacle", 0.22))
                canvas.lines(copy, np.roll(copy, -1, axis=0), scene.tone("obstacle", 0.9), 1.4 * scene.pen)
            start, end = ribs(silhouette, scene.projection)
            canvas.lines(start, end, scene.tone("obstacle", 0.6), 1.4 * scene.pen)


class Attractors(Backdrop):
    """A dot with four arrowheads, toward it if it attracts boids, away from it if it repels them."""

    roles: ClassVar[tuple[str, ...]] = ("muted",)

    attractors: bool = True
    """Mark the attractors at rest: arrowheads point toward those that draw near and away from those that drive away."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.attractors and not all(attractor.path for attractor in setup.attractors)

    @override
    def shows(self, setup: Setup) -> object:
        return [attractor for attractor in setup.attractors if attractor.path is None]

    @override
    def draw(self, canvas: Canvas, scene: Scene) -> None:
        for attractor in scene.setup.attractors:
            if attractor.weight and attractor.path is None:
                _attractor_mark(canvas, scene, attractor, attractor.place(0.0, scene.setup.world), "muted")


class MovingAttractors(Foreground):
    """The mark of an attractor where its path has brought it, above the animals that gather round it."""

    roles: ClassVar[tuple[str, ...]] = ("accent", "muted")

    moving_attractors: bool = True
    """Mark the attractors that have a path, as those at rest are marked."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.moving_attractors and any(attractor.path for attractor in setup.attractors)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        for attractor in state.setup.attractors:
            if attractor.weight and attractor.path is not None:
                place = attractor.place(state.time, state.setup.world)
                _attractor_mark(canvas, scene, attractor, place, "accent")


def _attractor_mark(canvas: Canvas, scene: Scene, attractor: Attractor, place: Array, role: str) -> None:
    seen = scene.projection(place[None, :])
    if not seen.shown[0]:
        return
    tone = scene.tone(role, float(strength_at(seen.depth)[0]))
    canvas.fill(seen.xy[0] + 0.2 * scene.text * circle(24), tone)
    for head in _heads(attractor):
        canvas.fill(seen.xy[0] + scene.text * head, tone)
    if np.isfinite(attractor.radius):
        for copy in scene.projection.copies(ball(place, attractor.radius, scene.projection)):
            canvas.lines(copy[::2], copy[1::2], scene.tone("muted", 0.6), 1.0 * scene.pen)


def _heads(attractor: Attractor) -> list[Array]:
    """Corners of four arrowheads in heights of a letter, shape (3, 2) each."""
    tip, tail = (NEAR, FAR) if attractor.weight > 0 else (FAR, NEAR)
    head = np.array([(tip, 0.0), (tail, 0.32), (tail, -0.32)])
    return [head @ np.array([ahead, (-ahead[1], ahead[0])]) for ahead in circle(4)]


class CenterOfMass(Foreground):
    """A ring with a cross, or a dot, on the middle of each flock."""

    roles: ClassVar[tuple[str, ...]] = ("accent",)

    center_of_mass: bool | Literal["dot"] = False
    """Mark the mean position of each flock: true by a ring with a cross, "dot" by a disc as large as a boid of shape
    dot."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.center_of_mass is not False

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        middles = [only(state, number).center for number, flock in enumerate(state.flocks) if len(flock.position)]
        if not middles:
            return
        seen = scene.projection(np.array(middles))
        if self.center_of_mass == "dot":
            radius = DOT * scene.body * seen.scale / scene.projection.scale
            for xy, size in zip(seen.xy[seen.shown], radius[seen.shown].tolist(), strict=True):
                canvas.fill(xy + size * circle(32), scene.tone("accent"))
            return
        for xy in seen.xy[seen.shown]:
            _center_mark(canvas, scene, xy)


def _center_mark(canvas: Canvas, scene: Scene, xy: Array) -> None:
    radius = 0.55 * scene.text
    ring = xy + radius * circle(32)
    arm = np.array([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
    canvas.lines(ring, np.roll(ring, -1, axis=0), scene.tone("accent"), 1.6 * scene.pen)
    canvas.lines(xy + 0.5 * radius * arm, xy + 1.6 * radius * arm, scene.tone("accent"), 1.6 * scene.pen)
