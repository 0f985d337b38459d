"""Title: the scenario's name in the picture."""

from typing import ClassVar

from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layer import Foreground, Room
from boidsgen.drawing.lettering import lines
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Title(Foreground):
    """The title at the top left."""

    roles: ClassVar[tuple[str, ...]] = ("text",)
    room: ClassVar[Room] = Room(top=2.6)

    title: str = ""
    """Name of the scenario, shown at the top left of every frame; empty = none."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return bool(self.title)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        size = round(1.4 * scene.text)
        for number, line in enumerate(lines(self.title, size, round(0.7 * scene.size[0]))):
            canvas.write(line, (round(0.9 * scene.text), (0.4 + 1.3 * number) * size), scene.tone("text"), size)
