"""Mark of the forces: which boid it is that the panel tells about."""

from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.forces import Forces
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class ForcesMark(Forces):
    """A ring round the boid in focus, whose arrows are elsewhere."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.forces == "panel" and self.exists(setup)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        self.ring(canvas, scene, state)
