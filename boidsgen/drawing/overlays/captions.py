"""Words in the picture: title, caption, and the legend of colors."""

from abc import ABC
from collections.abc import Sequence
from functools import cache
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.colorings import Coloring
from boidsgen.drawing.overlays.readings import Worded
from boidsgen.drawing.quantization import thresholds
from boidsgen.drawing.scene import Foreground, OverlayLayer, Rectangle, Scene, Slot, flow
from boidsgen.drawing.text import SMALLEST, cached, lines, width
from boidsgen.simulation.geometry import Array, circle
from boidsgen.simulation.setup import Setup, State
from boidsgen.tables import Text

TITLE, CAPTION = 1.4, 0.84
"""Letters of both, in heights of a letter: 0.042 and 0.025 of the smaller side of the picture."""
TITLE_LINE, CAPTION_LINE = 1.3, 1.45  # Heights of their lines, in heights of their letters


class Title(Foreground):
    """The title at the top left."""

    roles: ClassVar[tuple[str, ...]] = ("text",)
    letters: ClassVar[float] = TITLE
    slot: ClassVar[Slot] = "words"

    title: str = ""
    """Name of the scenario, shown at the top left of every frame; empty = none."""

    @override
    def extent(self, setup: Setup, coloring: Coloring, wide: float, text: int) -> tuple[float, float]:
        return _extent((self.title,), round(TITLE * text), TITLE_LINE, wide)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        _write(canvas, scene, self, (self.title, round(TITLE * scene.text), TITLE_LINE))


class Caption(Foreground):
    """A sentence below the title."""

    roles: ClassVar[tuple[str, ...]] = ("text",)
    letters: ClassVar[float] = CAPTION
    slot: ClassVar[Slot] = "words"

    caption: Text = ""
    """Text below the title of every frame until an event sets another one, wrapped if it is too long."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return any(self._captions(setup))

    @override
    def extent(self, setup: Setup, coloring: Coloring, wide: float, text: int) -> tuple[float, float]:
        return _extent((*self._captions(setup),), caption_size(text), CAPTION_LINE, wide)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        events = state.setup.events
        spoken = any(event.at <= state.frame and event.caption is not None for event in events)
        caption = state.setup.caption(state.frame) if spoken else self.caption
        _write(canvas, scene, self, (caption, caption_size(scene.text), CAPTION_LINE))

    def _captions(self, setup: Setup) -> list[str]:
        return [self.caption, *(event.caption for event in setup.events if event.caption is not None)]


def caption_size(text: int) -> int:
    """Height of letters of a caption, in pixels."""
    return max(round(CAPTION * text), round(SMALLEST))


@cached(32)  # thousands of captions are measured for every arrangement of the picture
def _extent(sentences: tuple[str, ...], size: int, line: float, wide: float) -> tuple[float, float]:
    """Width and height of the largest of several sentences, in lines of this width."""
    several = [lines(sentence, size, round(wide)) for sentence in sentences]
    across = max((width(one, size) for written in several for one in written), default=0)
    return across, round(line * size) * max(map(len, several))


def _write(canvas: Canvas, scene: Scene, layer: OverlayLayer, sentence: tuple[str, int, float]) -> None:
    """Write a sentence in its place, with letters and lines of these heights."""
    (text, size, line), place = sentence, scene.place(layer)
    left, anchor = (place.right, 1.0) if type(layer).__name__ in scene.layout.flush else (place.left, 0.0)
    for number, one in enumerate(lines(text, size, round(place.right - place.left))):
        canvas.write(one, (left, place.top + number * round(line * size)), scene.tone("text"), size, (anchor, 0.0))


EDGE = 0.5  # Below the wheel, in heights of a letter
LINE, RAMP = 1.5, 8.0  # Height of a line with a word, and length of a ramp, in heights of a letter
SWATCH = 1.2  # Room for a color before its word, in heights of a letter
WHEEL, HUB = 1.9, 0.75  # Radius of the wheel of directions and of the hole in it, in heights of a letter


class LegendLayer(Worded, ABC):
    """Base of the layers that say what colors mean."""

    roles: ClassVar[tuple[str, ...]] = ("text",)

    legend: bool | Literal["scale"] = False
    """Show what the colors of boids and predators mean, beside the world; "scale" = those of boids alone, in one row at
    the bottom right, a ramp as a bar from one word to another, such as slow and fast."""

    def parts(self, setup: Setup, coloring: Coloring) -> list["LegendPart"]:
        """Colors and their words: of a ramp the highest first, words that stand for themselves one by one."""
        own = [(self.word(label), f"boid {number}") for number, label in enumerate(coloring.labels(setup))]
        hunters = [(table.name, f"predator {number}") for number, table in enumerate(setup.predators)]
        wheel, stepped = coloring.round and setup.world.dimension == 2, any(not label for label, _ in own)
        parts = [LegendPart("", wheel=False, entries=(entry,)) for entry in (*own, *hunters)]
        if coloring.title or stepped or wheel:
            whole = LegendPart(self.word(coloring.title), wheel, own[::-1] if stepped and not wheel else own)
            parts = [whole, *parts[len(own) :]]
        return parts


class Legend(LegendLayer):
    """Colors and their meaning, side by side or below each other."""

    slot: ClassVar[Slot] = "key"

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.legend is True

    @override
    def extent(self, setup: Setup, coloring: Coloring, wide: float, text: int) -> tuple[float, float]:
        places = [place for _, place in self._placed(setup, coloring, wide, text)]
        return max(place.right for place in places), max(place.bottom for place in places)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        place = scene.place(self)
        wide = place.right - place.left
        for part, (left, top, *_) in self._placed(scene.setup, scene.coloring, wide, scene.text):
            part.draw(canvas, scene, place.left + left, place.top + top)

    def _placed(self, setup: Setup, coloring: Coloring, wide: float, size: int) -> list[tuple["LegendPart", Rectangle]]:
        """Its parts and their places."""
        parts = self.parts(setup, coloring)
        return [*zip(parts, flow([part.extent(size) for part in parts], wide, size), strict=True)]


class Scale(LegendLayer):
    """Colors of boids and their words in one row, from the right edge on."""

    slot: ClassVar[Slot] = "scale"

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.legend == "scale"

    @override
    def extent(self, setup: Setup, coloring: Coloring, wide: float, text: int) -> tuple[float, float]:
        labels = self._labels(setup, coloring)
        steps = RAMP * text if coloring.ends else 2 * text * len(labels)
        return steps + sum(width(label, text) + 0.5 * text for label in labels), LINE * text

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        place = scene.place(self)
        size, middle, right = scene.text, (place.top + place.bottom) / 2, place.right
        for number, word in reversed([*enumerate(self._labels(scene.setup, scene.coloring))]):
            if word:
                canvas.write(word, (right, middle), scene.tone("text"), size, (1.0, 0.5))
                right -= width(word, size) + 0.5 * size
            if not scene.coloring.ends:
                _fill(canvas, scene, swatch(right - size, middle, size, 0.5 * size), f"boid {number}")
                right -= 2 * size
            elif number:  # between both words
                _draw_ramp(canvas, scene, right - RAMP * size, middle, RAMP * size)
                right -= (RAMP + 0.5) * size

    def _labels(self, setup: Setup, coloring: Coloring) -> list[str]:
        labels = [self.word(label) for label in coloring.labels(setup)]
        if not coloring.ends:
            return labels
        low, high = map(self.word, coloring.ends)
        return [low, high] if low == labels[0] else [f"{low} {labels[0]}", f"{labels[-1]} {high}"]


class LegendPart(NamedTuple):
    """Colors and words that stay together, below each other."""

    title: str  # what the colors mean, empty where their words say it
    wheel: bool  # whether the colors stand in a ring, as directions
    entries: Sequence[tuple[str, str]]  # a word and the role of a color each

    @property
    def ramp(self) -> bool:
        """True if its colors stand side by side, with words at both ends."""
        return not self.wheel and any(not label for label, _ in self.entries)

    def extent(self, size: int) -> tuple[float, float]:
        """Width and height with letters of a size."""
        words = [self.title, *(label for label, _ in self.entries if not self.wheel)]
        if self.ramp:
            wide = sum(width(word, size) + 0.5 * size for word in words if word)
            return wide + (RAMP - 0.5) * size, LINE * size
        wide = size * SWATCH + max(width(word, size) for word in words)
        lines = [LINE for _ in range(bool(self.title))] + [2 * WHEEL + EDGE] * self.wheel
        lines += [] if self.wheel else [LINE for _ in self.entries]
        return max(wide, 2 * WHEEL * size if self.wheel else 0), size * sum(lines)

    def draw(self, canvas: Canvas, scene: Scene, left: float, top: float) -> None:
        """Draw it from a corner on."""
        size = scene.text
        if self.ramp:
            self._draw_ramp(canvas, scene, left, top + LINE / 2 * size)
            return
        if self.title:
            canvas.write(self.title, (left, top), scene.tone("text"), size)
            top += LINE * size
        if self.wheel:  # a ring in which each direction has its color, as it is seen in the picture
            middle, count, fine = np.array([left + WHEEL * size, top + WHEEL * size]), len(self.entries), 6
            rim = circle(count * fine) * np.array([1.0, -1.0]) * size
            scene.put_under(canvas, middle + (WHEEL + 0.3) * rim)
            for number, (_, role) in enumerate(self.entries):
                piece = rim.take(np.arange(fine + 1) + number * fine - fine // 2, axis=0, mode="wrap")
                canvas.fill(middle + np.concatenate((WHEEL * piece, HUB * piece[::-1])), scene.tone(role))
            return
        for label, own in self.entries:
            role = own if scene.inks.has(own) else "predator"  # one ink for all kinds
            room = LINE * size
            outline, level = scene.outlines.get(role), top + room / 2
            corner = swatch(left, level, 0.7 * size, 0.75 * size)
            if outline is not None:
                low, far = outline.min(axis=0), outline.max(axis=0)
                scaled = (outline - (low + far) / 2) * (0.95 * size / float((far - low).max()))
                corner = np.array([left + 0.5 * size, level]) + scaled * np.array([1.0, -1.0])
            _fill(canvas, scene, corner, role)
            canvas.write(label, (left + SWATCH * size, level), scene.tone("text"), size, (0.0, 0.5))
            top += room

    def _draw_ramp(self, canvas: Canvas, scene: Scene, left: float, middle: float) -> None:
        """Title, the word at its lower end, the colors, and the word at its upper end, from left to right."""
        size, low = scene.text, 0 if scene.coloring.ordered else -1  # a ramp is listed from its highest color on
        words = self.title, self.entries[-1 - low][0], "", self.entries[low][0]
        for number, word in enumerate(words):
            if number == 2:
                if scene.coloring.ordered:
                    _draw_ramp(canvas, scene, left, middle, RAMP * size)
                else:
                    step = RAMP * size / len(self.entries)
                    for place, (_, role) in enumerate(self.entries[:: 1 if low else -1]):
                        _fill(canvas, scene, swatch(left + place * step, middle, step, 0.5 * size), role)
                left += (RAMP + 0.5) * size
            elif word:
                canvas.write(word, (left, middle), scene.tone("text"), size, (0.0, 0.5))
                left += width(word, size) + 0.5 * size


def _fill(canvas: Canvas, scene: Scene, corner: Array, role: str) -> None:
    """Fill a swatch, on a plate as far as it needs one."""
    rim = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 0.15 * scene.text
    low, high = corner.min(axis=0), corner.max(axis=0)
    scene.put_under(canvas, np.array([low, (high[0], low[1]), high, (low[0], high[1])]) + rim)
    canvas.fill(corner, scene.tone(role))


def _draw_ramp(canvas: Canvas, scene: Scene, left: float, middle: float, wide: float) -> None:
    """A smooth ramp: of two colors each pixel has that to which it is nearer the more often."""
    low, _, high, _ = corner = swatch(left, middle, wide, 0.5 * scene.text)
    _fill(canvas, scene, corner, "boid 0")
    tones = [scene.tone(f"boid {color}") for color, _ in enumerate(scene.coloring.labels(scene.setup))]
    if scene.inks.has("ramp"):
        tones = [scene.tone("ramp", (level + 1) / scene.inks.levels) for level in range(scene.inks.levels)]
        canvas.blank(
            (low[0], low[1]), (high[0], high[1])
        )  # a ramp is an ink of its own, whose lower levels would be hidden
    pixel, number = _ramp(*(high - low).astype(int).tolist(), len(tones))
    tone = np.array(tones).take(number, mode="clip")
    canvas.lines(low + pixel, low + pixel, tone)


@cache
def _ramp(columns: int, rows: int, count: int) -> tuple[Array, NDArray[np.intp]]:
    """The middles of the pixels of a ramp from its corner, and which of so many colors each has."""
    number = (count - 1) * (np.arange(columns) + 0.5) / columns + thresholds((columns, rows))
    return np.mgrid[:rows, :columns].reshape(2, -1)[::-1].T + 0.5, number.astype(np.intp).reshape(-1)


def swatch(left: float, middle: float, wide: float, high: float) -> Array:
    """Corners of a swatch that joins its neighbors within a ramp."""
    low, top = round(left), round(middle - high / 2)
    right, bottom = round(left + wide), round(middle + high / 2)
    return np.array([(low, top), (right, top), (right, bottom), (low, bottom)], dtype=np.float64)
