"""Caption: a sentence below the picture."""

from typing import ClassVar

from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layer import Foreground, Room
from boidsgen.drawing.lettering import lines
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Caption(Foreground):
    """A sentence at the bottom, above the line of numbers."""

    roles: ClassVar[tuple[str, ...]] = ("text",)
    room: ClassVar[Room] = Room(bottom=4.2)

    caption: str = ""
    """Text at the bottom of every frame, broken into lines where it is too long for one."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return bool(self.caption)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        columns, rows = scene.size
        size = round(1.2 * scene.text)
        for number, line in enumerate(reversed(lines(self.caption, size, columns - 2 * size))):
            bottom = rows - 2.2 * scene.text - 1.4 * size * number
            canvas.write(line, (columns / 2, bottom), scene.tone("text"), size, (0.5, 1.0))
