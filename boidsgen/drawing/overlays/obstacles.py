"""Obstacles: what boids steer around."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layer import Backdrop
from boidsgen.drawing.outlines import outline, ribs
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.setup import Setup


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
            rim = outline(obstacle, scene.projection)
            for copy in scene.projection.copies(rim):
                canvas.fill(copy, scene.tone("obstacle", 0.22))
                canvas.lines(copy, np.roll(copy, -1, axis=0), scene.tone("obstacle", 0.9), 1.4)
            start, end = ribs(obstacle, scene.projection)
            canvas.lines(start, end, scene.tone("obstacle", 0.6), 1.4)
