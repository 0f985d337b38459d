"""Center of mass: the middle of each flock."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layer import Foreground
from boidsgen.drawing.outlines import circle
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State
from boidsgen.simulation.world import World


class CenterOfMass(Foreground):
    """A ring with a cross on the middle of each flock."""

    roles: ClassVar[tuple[str, ...]] = ("accent",)

    center_of_mass: bool = False
    """Mark the mean position of each flock."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.center_of_mass

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        middles = [middle(flock.position, scene.setup.world) for flock in state.flocks if len(flock.position)]
        if not middles:
            return
        seen = scene.projection(np.array(middles))
        for xy in seen.xy[seen.shown]:
            _mark(canvas, scene, xy)


def middle(position: Array, world: World) -> Array:
    """Mean position, shape (d,).

    Along an axis that repeats itself a place is an angle, and the mean is the direction of the summed unit vectors
    (Bai and Breen 2008): the middle of a flock that flies across the edge is where the flock is.
    """
    repeats = world.periods > 0
    period = np.where(repeats, world.periods, 1.0)
    angle = 2 * np.pi * position / period
    turn = np.arctan2(np.sin(angle).mean(axis=0), np.cos(angle).mean(axis=0)) / (2 * np.pi)
    place: Array = np.where(repeats, np.mod(turn, 1.0) * period, position.mean(axis=0))
    return place


def _mark(canvas: Canvas, scene: Scene, xy: Array) -> None:
    radius = 0.55 * scene.text
    ring = xy + radius * circle(32)
    arm = np.array([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
    canvas.lines(ring, np.roll(ring, -1, axis=0), scene.tone("accent"), 1.6)
    canvas.lines(xy + 0.5 * radius * arm, xy + 1.6 * radius * arm, scene.tone("accent"), 1.6)
