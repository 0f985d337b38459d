"""Neighbors: whom one boid perceives."""

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.focus import OfOneBoid
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.observe import neighbors_of
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Neighbors(OfOneBoid):
    """Links from the boid in focus to its neighbors, the shortest way."""

    neighbors: bool = False
    """Link the boid in focus to the boids of its own kind that it perceives."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.neighbors and self.exists(setup)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        self.ring(canvas, scene, state)
        place, others = self.place(state), state.flocks[0].position[neighbors_of(state, 0, self.focus)]
        if not len(others):
            return
        ends = place + scene.setup.world.shortest(others - place)
        seen = scene.projection(np.vstack((place, ends)))
        for copy in scene.projection.copies(seen.xy) if seen.shown.all() else ():
            start = np.broadcast_to(copy[0], (len(ends), 2))
            canvas.lines(start, copy[1:], scene.tone("focus", 0.7), 1.2)
