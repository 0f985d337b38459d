"""Title: the scenario's name in the picture."""

from typing import ClassVar

from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layer import Foreground
from boidsgen.drawing.layout import Room
from boidsgen.drawing.lettering import lines
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Title(Foreground):
    """The title at the top left."""

    roles: ClassVar[tuple[str, ...]] = ("text",)
    in_world: ClassVar[bool] = False

    title: str = ""
    """Name of the scenario, shown at the top left of every frame; empty = none."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return bool(self.title)

    @override
    def room(self, setup: Setup, columns: int, text: int) -> Room:
        return Room(top=0.8 + 1.8 * len(_broken(self.title, columns, text)))

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        size = _size(scene.text)
        for number, line in enumerate(_broken(self.title, scene.size[0], scene.text)):
            canvas.write(line, (round(0.9 * scene.text), (0.4 + 1.3 * number) * size), scene.tone("text"), size)


def _size(text: int) -> int:
    return round(1.4 * text)


def _broken(title: str, columns: int, text: int) -> list[str]:
    """The title in lines that leave room for a legend beside them."""
    return lines(title, _size(text), round(0.7 * columns))
