"""Overlays about the boid in focus: what it perceives, and which neighbors.

`FocusLayer` is the base of all layers about that boid, those that show its forces included.
"""

from abc import ABC
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.overlays.layer import Foreground
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.geometry import Array, circle, unit
from boidsgen.simulation.observe import neighbors_of
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class FocusLayer(Foreground, ABC):
    """A layer about the boid in focus."""

    roles: ClassVar[tuple[str, ...]] = ("focus",)

    focus: Annotated[int, Field(ge=0)] = 0
    """Number of the boid in focus, counted from 0 within the first flock."""

    def exists(self, setup: Setup) -> bool:
        """Whether there is such a boid."""
        return self.focus < setup.flock[0].count

    def position(self, state: State) -> Array:
        """Where it is, shape (d,)."""
        position: Array = state.flocks[0].position[self.focus]
        return position

    def velocity(self, state: State) -> Array:
        """Its velocity, shape (d,)."""
        velocity: Array = state.flocks[0].velocity[self.focus]
        return velocity

    def ring(self, canvas: Canvas, scene: Scene, state: State) -> None:
        """Draw a ring round it."""
        seen = scene.projection(self.position(state)[None])
        if seen.shown[0]:
            rim = seen.xy + 0.75 * scene.text * circle(32)
            canvas.lines(rim, np.roll(rim, -1, axis=0), scene.tone("focus"), 1.6 * scene.pen)


class Perception(FocusLayer):
    """The outline of what the boid in focus perceives."""

    perception: bool = False
    """Outline what the boid in focus perceives: a disc, or a sector when its field of view is less than all round."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.perception and self.exists(setup)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        self.ring(canvas, scene, state)
        table = scene.setup.flock[0].perception
        if not np.isfinite(table.radius):
            return
        outline = sector(self.velocity(state), table.radius, np.radians(table.field_of_view))
        seen = scene.projection(self.position(state) + outline)
        for copy in scene.projection.copies(seen.xy) if seen.shown.all() else ():
            canvas.fill(copy, scene.tone("focus", 0.09))
            canvas.path(copy, scene.tone("focus", 0.8), 1.2 * scene.pen)


def sector(velocity: Array, radius: float, angle: float) -> Array:
    """Offsets round a sector that opens in the direction of flight, shape (k, d); a disc when it opens all round.

    The sector lies in the plane that holds the direction of flight and the level line across it.
    """
    ahead = unit(velocity[None])[0] if velocity.any() else np.eye(len(velocity))[0]
    across = np.zeros_like(ahead)
    across[:2] = -ahead[1], ahead[0]
    across = unit(across[None])[0] if across.any() else np.eye(len(velocity))[1]
    turn = np.linspace(-angle / 2, angle / 2, 73)[:, None]
    rim: Array = radius * (exact.cosine(turn) * ahead + exact.sine(turn) * across)
    tip = np.zeros((1, len(velocity)))
    return rim if angle >= 2 * np.pi else np.vstack((tip, rim, tip))


class Neighbors(FocusLayer):
    """Links from the boid in focus to its neighbors, the shortest way."""

    neighbors: bool = False
    """Link the boid in focus to the boids of its own kind that it perceives."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.neighbors and self.exists(setup)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        self.ring(canvas, scene, state)
        place, others = self.position(state), state.flocks[0].position[neighbors_of(state, 0, self.focus)]
        if not len(others):
            return
        ends = place + scene.setup.world.shortest(others - place)
        seen = scene.projection(np.vstack((place, ends)))
        for copy in scene.projection.copies(seen.xy) if seen.shown.all() else ():
            start = np.broadcast_to(copy[0], (len(ends), 2))
            canvas.lines(start, copy[1:], scene.tone("focus", 0.7), 1.2 * scene.pen)
