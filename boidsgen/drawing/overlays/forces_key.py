"""Key of the forces: what the arrows on a boid mean, and which rules are on."""

from typing import ClassVar

from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.forces import Forces, Row, breadth, steering, write
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class ForcesKey(Forces):
    """The colors of the arrows at the top left, each with the state of its rule."""

    in_world: ClassVar[bool] = False

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.forces == "boid" and self.exists(setup)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        left, top, wide, _ = scene.open
        rows = [*steering(scene, state), Row("velocity", "", "text")]
        if breadth(scene, rows) < 0.6 * wide:
            write(canvas, scene, rows, (left + 0.9 * scene.text, top + 0.5 * scene.text), breadth(scene, rows))
