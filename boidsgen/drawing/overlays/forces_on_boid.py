"""Forces on the boid: what steers the boid in focus, drawn where it flies."""

from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.forces import Forces
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State

ROOM = 5.0
"""Length of the longest arrow, in heights of a letter."""


class ForcesOnBoid(Forces):
    """Arrows on the boid in focus itself."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.forces == "boid" and self.exists(setup)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        seen = scene.projection(self.place(state)[None])
        if seen.shown[0]:
            self.ring(canvas, scene, state)
            self.rose(canvas, scene, state, seen.xy[0], ROOM * scene.text)
