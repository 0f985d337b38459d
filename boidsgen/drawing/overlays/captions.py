"""Words in the picture: title, caption, and the legend of colors."""

from collections.abc import Iterable
from typing import ClassVar, Literal

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layout import Layout, Room
from boidsgen.drawing.scene import Foreground, OverlayLayer, Scene
from boidsgen.drawing.text import lines, width
from boidsgen.simulation.geometry import Array, circle
from boidsgen.simulation.setup import Setup, State
from boidsgen.tables import Text

TITLE, CAPTION = 1.4, 4 / 3
"""Letters of both, in heights of a letter: 0.042 and 0.040 of the smaller side of the picture."""
MARGIN = 0.9
"""Distance of the title from the left edge, in heights of a letter."""


class Title(Foreground):
    """The title at the top left."""

    roles: ClassVar[tuple[str, ...]] = ("text",)
    in_world: ClassVar[bool] = False

    title: str = ""
    """Name of the scenario, shown at the top left of every frame; empty = none."""

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
        events = state.setup.events
        spoken = any(event.at <= state.frame and event.caption is not None for event in events)
        caption = state.setup.caption(state.frame) if spoken else self.caption
        written = _caption_lines(caption, columns, scene.text)
        for number, line in enumerate(reversed(written[: _fitting(rows - 2.2 * scene.text, 1.4 * size)])):
            bottom = rows - 2.2 * scene.text - 1.4 * size * number
            canvas.write(line, (columns / 2, bottom), scene.tone("text"), size, (0.5, 1.0))

    def lines(self, setup: Setup, columns: int, text: int) -> list[str]:
        """The lines of all captions that there are in a run, in a picture so wide with letters so high."""
        return [line for caption in self._captions(setup) for line in _caption_lines(caption, columns, text)]

    def _captions(self, setup: Setup) -> list[str]:
        return [self.caption, *(event.caption for event in setup.events if event.caption is not None)]


def side_by_side(layers: Iterable[OverlayLayer], setup: Setup, layout: Layout) -> bool:
    """True if the title, at the left, and every caption, in the middle, fit into the same lines of a picture."""
    columns, text = layout.stage[0], layout.text
    titles = [line for layer in layers if isinstance(layer, Title) for line in layer.lines(columns, text)]
    captions = [line for layer in layers if isinstance(layer, Caption) for line in layer.lines(setup, columns, text)]
    if not titles or not captions:
        return True
    right = MARGIN * text + max(width(line, _title_size(text)) for line in titles)
    left = (columns - max(width(line, _caption_size(text)) for line in captions)) / 2
    return right < left


def _fitting(rows: float, line: float) -> int:
    """Number of lines of this height that fit into some rows; at least one."""
    return max(int(rows / line), 1)


def _caption_size(text: int) -> int:
    return round(CAPTION * text)


def _caption_lines(caption: str, columns: int, text: int) -> tuple[str, ...]:
    """The caption in lines that fit into the picture."""
    return lines(caption, _caption_size(text), columns - 2 * _caption_size(text))


EDGE = 0.5
"""Between the plate and what stands on it, in heights of a letter."""
LINE, STEP = 1.5, 0.75
"""Heights of a line with a word, and of a step of a ramp, in heights of a letter."""
SWATCH = 1.2
"""Room for a color before its word, in heights of a letter."""
WHEEL, HUB = 1.9, 0.75
"""Radius of the wheel of directions and of the hole in it, in heights of a letter."""


class Legend(Foreground):
    """Colors and their meaning at the top right."""

    roles: ClassVar[tuple[str, ...]] = ("text",)
    in_world: ClassVar[bool] = False

    legend: bool | Literal["scale"] = False
    """Show what the colors of boids and predators mean, at the top right; "scale" = those of boids alone, in one row at
    the bottom right, a ramp as a bar from one word to another, such as slow and fast."""

    @override
    def room(self, setup: Setup, columns: int, text: int) -> Room:
        return Room(bottom=2.0) if self.legend == "scale" else Room(right=6.5)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        if self.legend == "scale":
            _draw_scale(canvas, scene)
        else:
            _draw_column(canvas, scene)


def _draw_column(canvas: Canvas, scene: Scene) -> None:
    """Colors and their words below each other on a plate; of a ramp the highest on top."""
    size, edge = scene.text, EDGE * scene.text
    # Directions in the picture are a wheel; kinds of predators have a line each.
    wheel = scene.round and scene.setup.world.dimension == 2
    stepped = any(not label for label, _ in scene.key)
    entries = [] if wheel else list(scene.key[::-1] if stepped else scene.key)
    entries += [
        (table.name, scene.inks.role("predator", number)) for number, table in enumerate(scene.beginning.predators)
    ]
    high = [(LINE if label else STEP) * size for label, _ in entries]
    wide = size * SWATCH + max(width(word, size) for word in (scene.colored, *(label for label, _ in entries)))
    wide = max(wide, 2 * WHEEL * size) if wheel else wide
    left, top = scene.size[0] - wide - 1.6 * edge, 1.2 * edge
    above = (LINE if scene.colored else 0.0) + (2 * WHEEL + EDGE if wheel else 0.0)
    canvas.plate((left - edge, top - edge), (left + wide + edge, top + above * size + sum(high) + edge))
    if scene.colored:
        canvas.write(scene.colored, (left, top), scene.tone("text"), size)
        top += LINE * size
    if wheel:  # a ring in which each direction has its color, as it is seen in the picture
        middle, count, fine = np.array([left + wide / 2, top + WHEEL * size]), len(scene.key), 6
        rim = circle(count * fine) * np.array([1.0, -1.0]) * size
        for number, (_, role) in enumerate(scene.key):
            piece = rim.take(np.arange(fine + 1) + number * fine - fine // 2, axis=0, mode="wrap")
            canvas.fill(middle + np.concatenate((WHEEL * piece, HUB * piece[::-1])), scene.tone(role))
        top += (2 * WHEEL + EDGE) * size
    for (label, role), room in zip(entries, high, strict=True):
        outline, level = scene.outlines.get(role), top + room / 2
        corner = swatch(left, level, 0.7 * size, STEP * size)
        if outline is not None:
            low, far = outline.min(axis=0), outline.max(axis=0)
            scaled = (outline - (low + far) / 2) * (0.95 * size / float((far - low).max()))
            corner = np.array([left + 0.5 * size, level]) + scaled * np.array([1.0, -1.0])
        canvas.fill(corner, scene.tone(role))
        canvas.write(label, (left + SWATCH * size, level), scene.tone("text"), size, (0.0, 0.5))
        top += room


def _draw_scale(canvas: Canvas, scene: Scene) -> None:
    """Colors and their words in one row, from the right edge on."""
    size, middle = scene.text, scene.size[1] - 1.4 * scene.text
    right: float = scene.size[0] - 1.2 * size
    low, high = scene.ends or ("", "")
    labels = [low, *[""] * (len(scene.key) - 2), high] if scene.ends else [label for label, _ in scene.key]
    wide = (10 * size) // len(labels) if scene.ends else size
    for number in range(len(labels) - 1, -1, -1):
        # The word of the lowest color stands before it, that of any other behind it.
        before = bool(scene.ends) and number == 0
        if labels[number] and not before:
            canvas.write(labels[number], (right, middle), scene.tone("text"), size, (1.0, 0.5))
            right -= width(labels[number], size) + 0.5 * size
        canvas.fill(swatch(right - wide, middle, wide, 0.5 * size), scene.tone(scene.key[number][1]))
        right -= wide if scene.ends else wide + size
        if labels[number] and before:
            canvas.write(labels[number], (right - 0.5 * size, middle), scene.tone("text"), size, (1.0, 0.5))


def swatch(left: float, middle: float, wide: float, high: float) -> Array:
    """Corners of a swatch that joins its neighbors within a ramp."""
    low, top = round(left), round(middle - high / 2)
    right, bottom = round(left + wide), round(middle + high / 2)
    return np.array([(low, top), (right, top), (right, bottom), (low, bottom)], dtype=np.float64)
