"""Perception: what one boid sees."""

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layer import Foreground
from boidsgen.drawing.outlines import circle
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.geometry import Array, unit
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Perception(Foreground):
    """The outline of what the boid in focus perceives."""

    roles: ClassVar[tuple[str, ...]] = ("accent",)

    perception: bool = False
    """Outline what the boid in focus perceives: a disc, or a sector when its field of view is less than all round."""
    focus: Annotated[int, Field(ge=0)] = 0
    """Number of the boid in focus, counted from 0 within the first flock."""

    @override
    def wanted(self, setup: Setup) -> bool:
        flock = setup.flock[0]
        return self.perception and bool(np.isfinite(flock.perception.radius)) and self.focus < flock.count

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        table, flock = state.setup.flock[0], state.flocks[0]
        place, flight = flock.position[self.focus], flock.velocity[self.focus]
        outline = place + sector(flight, table.perception.radius, np.radians(table.perception.field_of_view))
        seen = scene.projection(outline)
        if not seen.shown.all():
            return
        spot = scene.projection(place[None]).xy + 0.6 * scene.text * circle(32)
        canvas.lines(spot, np.roll(spot, -1, axis=0), scene.tone("accent"), 1.2)
        for copy in scene.projection.copies(seen.xy):
            canvas.fill(copy, scene.tone("accent", 0.07))
            canvas.path(copy, scene.tone("accent", 0.8), 1.2)


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
