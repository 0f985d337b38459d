"""Perception: what one boid sees."""

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.focus import OfOneBoid
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.geometry import Array, unit
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Perception(OfOneBoid):
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
        outline = sector(self.flight(state), table.radius, np.radians(table.field_of_view))
        seen = scene.projection(self.place(state) + outline)
        for copy in scene.projection.copies(seen.xy) if seen.shown.all() else ():
            canvas.fill(copy, scene.tone("focus", 0.09))
            canvas.path(copy, scene.tone("focus", 0.8), 1.2)


def sector(flight: Array, radius: float, view: float) -> Array:
    """Offsets round a sector that opens in the direction of flight, shape (k, d); a disc when it opens all round.

    The sector lies in the plane that holds the direction of flight and the level line across it.
    """
    ahead = unit(flight[None])[0] if flight.any() else np.eye(len(flight))[0]
    across = np.zeros_like(ahead)
    across[:2] = -ahead[1], ahead[0]
    across = unit(across[None])[0] if across.any() else np.eye(len(flight))[1]
    turn = np.linspace(-view / 2, view / 2, 73)[:, None]
    rim: Array = radius * (np.cos(turn) * ahead + np.sin(turn) * across)
    tip = np.zeros((1, len(flight)))
    return rim if view >= 2 * np.pi else np.vstack((tip, rim, tip))
