"""Sentences in the picture: title above, caption below.

Both are broken into lines where they are too long, and ask for as much room as their lines need.
"""

from collections.abc import Iterable
from typing import ClassVar

from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layout import Layout, Room
from boidsgen.drawing.lettering import lines, width
from boidsgen.drawing.overlays.layer import Foreground, Layer
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State
from boidsgen.tables import Text

TITLE, CAPTION = 1.4, 4 / 3
"""Letters of both, in heights of a letter: 0.042 and 0.040 of the smaller side of the picture."""
MARGIN = 0.9
"""How far the title is from the left edge, in heights of a letter."""


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
        return Room(top=0.8 + 1.8 * len(self.lines(columns, text)))

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        size = _title_size(scene.text)
        written = self.lines(scene.size[0], scene.text)
        top = 0.4 * size
        if scene.layout.titled_below:
            top = scene.size[1] - (2.2 * scene.text + 1.3 * len(written) * size)
        for number, line in enumerate(written[: _fitting(scene.size[1], 1.3 * size)]):
            canvas.write(line, (round(MARGIN * scene.text), top + 1.3 * number * size), scene.tone("text"), size)

    def lines(self, columns: int, text: int) -> tuple[str, ...]:
        """The title in lines that leave room for a legend beside them, in a picture so wide with letters so high."""
        return lines(self.title, _title_size(text), round(0.7 * columns))


def _title_size(text: int) -> int:
    return round(TITLE * text)


class Caption(Foreground):
    """A sentence at the bottom, above the line of numbers."""

    roles: ClassVar[tuple[str, ...]] = ("text",)
    in_world: ClassVar[bool] = False

    caption: Text = ""
    """Text at the bottom of every frame until an event brings its own, broken into lines where it is too long."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return any(self._captions(setup))

    @override
    def room(self, setup: Setup, columns: int, text: int) -> Room:
        count = max(len(_caption_lines(caption, columns, text)) for caption in self._captions(setup))
        return Room(bottom=2.4 + 1.7 * count)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        columns, rows = scene.size
        size = _caption_size(scene.text)
        written = _caption_lines(self._at(state), columns, scene.text)
        for number, line in enumerate(reversed(written[: _fitting(rows - 2.2 * scene.text, 1.4 * size)])):
            bottom = rows - 2.2 * scene.text - 1.4 * size * number
            canvas.write(line, (columns / 2, bottom), scene.tone("text"), size, (0.5, 1.0))

    def lines(self, setup: Setup, columns: int, text: int) -> list[str]:
        """The lines of all captions that there are in a run, in a picture so wide with letters so high."""
        return [line for caption in self._captions(setup) for line in _caption_lines(caption, columns, text)]

    def _at(self, state: State) -> str:
        events = state.setup.events
        spoken = any(event.at <= state.frame and event.caption is not None for event in events)
        return state.setup.caption(state.frame) if spoken else self.caption

    def _captions(self, setup: Setup) -> list[str]:
        return [self.caption, *(event.caption for event in setup.events if event.caption is not None)]


def side_by_side(layers: Iterable[Layer], setup: Setup, layout: Layout) -> bool:
    """Whether the title, at the left, and every caption, in the middle, have room in the same lines of a picture."""
    columns, text = layout.stage[0], layout.text
    titles = [line for layer in layers if isinstance(layer, Title) for line in layer.lines(columns, text)]
    captions = [line for layer in layers if isinstance(layer, Caption) for line in layer.lines(setup, columns, text)]
    if not titles or not captions:
        return True
    right = MARGIN * text + max(width(line, _title_size(text)) for line in titles)
    left = (columns - max(width(line, _caption_size(text)) for line in captions)) / 2
    return right < left


def _fitting(rows: float, line: float) -> int:
    """How many lines of such a height fit into so many rows; one at least."""
    return max(int(rows / line), 1)


def _caption_size(text: int) -> int:
    return round(CAPTION * text)


def _caption_lines(caption: str, columns: int, text: int) -> tuple[str, ...]:
    """The caption in lines that fit into the picture."""
    return lines(caption, _caption_size(text), columns - 2 * _caption_size(text))
