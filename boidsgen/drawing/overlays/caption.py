"""Caption: a sentence below the picture."""

from typing import ClassVar

from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layer import Foreground
from boidsgen.drawing.layout import Room
from boidsgen.drawing.lettering import lines
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Caption(Foreground):
    """A sentence at the bottom, above the line of numbers."""

    roles: ClassVar[tuple[str, ...]] = ("text",)
    in_world: ClassVar[bool] = False

    caption: str = ""
    """Text at the bottom of every frame until an event brings its own, broken into lines where it is too long."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return any(self._captions(setup))

    @override
    def room(self, setup: Setup, columns: int, text: int) -> Room:
        most = max(len(_broken(caption, columns, text)) for caption in self._captions(setup))
        return Room(bottom=2.4 + 1.7 * most)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        columns, rows = scene.size
        size = _size(scene.text)
        for number, line in enumerate(reversed(_broken(self._at(state), columns, scene.text))):
            bottom = rows - 2.2 * scene.text - 1.4 * size * number
            canvas.write(line, (columns / 2, bottom), scene.tone("text"), size, (0.5, 1.0))

    def _at(self, state: State) -> str:
        events = state.setup.events
        spoken = any(event.at <= state.frame and event.caption is not None for event in events)
        return state.setup.caption(state.frame) if spoken else self.caption

    def _captions(self, setup: Setup) -> list[str]:
        return [self.caption, *(event.caption for event in setup.events if event.caption is not None)]


def _size(text: int) -> int:
    return round(1.2 * text)


def _broken(caption: str, columns: int, text: int) -> list[str]:
    """The caption in lines that fit into the picture."""
    return lines(caption, _size(text), columns - 2 * _size(text))
