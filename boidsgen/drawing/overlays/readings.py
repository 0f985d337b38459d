"""Overlays with text: measurements of the frame, a chart over time, title, caption, and the legend of colors."""

from abc import ABC
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.canvas import Foreground, OverlayLayer, Rectangle, Scene, Slot, Surface, flow
from boidsgen.drawing.colorings import COLORINGS, Coloring
from boidsgen.drawing.frame import thresholds
from boidsgen.drawing.text import SMALLEST, cached, lines, width
from boidsgen.simulation.geometry import Array, circle
from boidsgen.simulation.measures import MEASURES, is_fraction, measure
from boidsgen.simulation.setup import Setup, State
from boidsgen.tables import BoundedText

DEFAULT_MEASUREMENTS = ("boids", "mean_speed", "polarization")  # Measurements by default
COUNTS = ("boids", "obstacles", "predators", "fps")  # Counts; fps is the frames in a unit of simulated time

MeasureName: TypeAlias = Literal[tuple(MEASURES)]  # type: ignore[valid-type]  # packages bring more
Reading: TypeAlias = Literal[(*COUNTS, *MEASURES)]  # type: ignore[valid-type]

WHOLE_NUMBER_UNITS = ("groups", "pairs")  # Units of measures that are whole numbers


def measure_label(name: str) -> str:
    """The name of a measure as it stands in a picture."""
    return name.replace("_", " ")


def measure_text(name: str, value: float) -> str:
    """The value of a measure as it stands in a picture."""
    return f"{value:.0f}" if MEASURES[name].unit in WHOLE_NUMBER_UNITS else f"{value:.2f}"


NUMBER_LINE = 1.5  # Height of a line of numbers, in heights of a letter
LABELS = {"mean_speed": "speed"}  # Names that may be shorter in a line


_WORDS = {
    word for kind in COLORINGS.values() for word in (kind.title, *(kind.ends or ()), *kind.words) if word.isalpha()
}
OUR_WORDS = tuple(sorted({"frame", "time", *COUNTS, *LABELS.values(), *map(measure_label, MEASURES)} | _WORDS))
"""The words of numbers, chart and legend, which a scenario may have in a language of its own."""


class Worded(Foreground):
    """A layer with words of ours."""

    words: Mapping[str, BoundedText] = {}
    """Translations of the words of HUD, chart and legend, such as { time = "Zeit" }."""

    @field_validator("words")
    @classmethod
    def _known(cls, words: Mapping[str, BoundedText]) -> Mapping[str, BoundedText]:
        for word in words:
            if word not in OUR_WORDS:
                raise ValueError(f"{word} is not one of the words {', '.join(OUR_WORDS)}")
        return words

    def word(self, word: str) -> str:
        """The text that stands for a word."""
        return self.words.get(word, word)


class Hud(Worded):
    """Numbers of the frame at the bottom left."""

    roles: ClassVar[tuple[str, ...]] = ("text", "muted")
    slot: ClassVar[Slot] = "numbers"

    hud: bool | Annotated[tuple[Reading, ...], Field(min_length=1)] = False
    """Show frame, time, number of boids, mean speed and polarization (0 = all ways, 1 = all fly the same way); a list
    of measures, such as ["rotation", "groups"], replaces the last two; it may also contain the counts "obstacles" and
    "predators", and "fps", the frames per unit of simulated time. If it contains "boids", that number is shown
    there."""

    @override
    def extent(self, setup: Setup, coloring: Coloring, wide: float, text: int) -> tuple[float, float]:
        places = self._places(setup, wide, text)
        return max(place.right for place in places), max(place.bottom for place in places)

    @property
    def names(self) -> tuple[str, ...]:
        """The counts and measures that it shows."""
        names = DEFAULT_MEASUREMENTS if isinstance(self.hud, bool) else self.hud
        return ("frame", "time", *(() if "boids" in names else ("boids",)), *names)

    @override
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        size, place = scene.text, scene.place(self)
        values = counts(state.setup, state) | {
            name: measure_text(name, value) for name, value in measure(state, set(self.names) & {*MEASURES}).items()
        }
        for name, label, left, start, top in self.numbers(scene.beginning, place, size):
            surface.write(label, (left, top), scene.tone("muted"), size)
            surface.write(values.get(name, "-"), (start, top), scene.tone("text"), size)

    def numbers(self, setup: Setup, place: Rectangle, size: int) -> Iterator[tuple[str, str, float, float, float]]:
        """Name and label of each number, the left sides of label and value, and their top."""
        for name, (left, top, right, _) in zip(
            self.names, self._places(setup, place.right - place.left, size), strict=True
        ):
            # Room for the widest value keeps the line from twitching; digits are equally wide in this font.
            start = place.left + right - width(_widest(setup, name), size)
            yield name, self.word(_label(name)), place.left + left, start, place.top + top

    def _places(self, setup: Setup, wide: float, size: int) -> list[Rectangle]:
        """Places of the numbers with their names, from the corner of all of them."""
        words = [(self.word(_label(name)), _widest(setup, name)) for name in self.names]
        sizes = [(width(label, size) + size // 3 + width(widest, size), NUMBER_LINE * size) for label, widest in words]
        return flow(sizes, wide, size)


def _label(name: str) -> str:
    return LABELS.get(name, measure_label(name))


def counts(setup: Setup, state: State | None = None) -> dict[str, str]:
    """Frame, time and counts of a state, or without one their widest values in a run."""
    clock = setup.time
    last, rate = clock.frames - 1, 1 / (clock.dt * clock.steps_per_frame)
    end = (clock.warmup + last * clock.steps_per_frame) * clock.dt
    boids, predators = sum(setup.most_boids), sum(table.count for table in setup.predators)
    if state:
        boids, predators = (sum(len(one.position) for one in kind) for kind in (state.flocks, state.predators))
    return {
        "frame": f"{state.frame if state else last}",
        "time": f"{state.time if state else end:.1f}",
        "boids": f"{boids}",
        "obstacles": f"{len(setup.obstacles)}",
        "predators": f"{predators}",
        # An integer where decimals such as 0.0333 stand for one.
        "fps": f"{round(rate) if abs(rate - round(rate)) < 0.005 * rate else round(rate, 2)}",
    }


def _widest(setup: Setup, name: str) -> str:
    """About the widest value that there may be."""
    if name == "mean_speed":
        return f"{max(table.max_speed for table in setup.flock):.2f}"
    if name in MEASURES and MEASURES[name].unit not in WHOLE_NUMBER_UNITS:
        return "0.00" if is_fraction(name) else "000.00"
    return "000" if name in MEASURES else counts(setup)[name]


CHART_WIDTH, CHART_HEIGHT = 28.0, 5.4  # Size of the chart, in heights of a letter
CHART_RIM = 1.2  # Between the chart and what is beside it, in heights of a letter
MIN_WIDTH = 11.0  # A chart has at least this width, in heights of a letter


class Chart(Worded):
    """A plot below the world: the whole run from left to right, the curve up to the frame shown."""

    roles: ClassVar[tuple[str, ...]] = ("muted", "text")
    slot: ClassVar[Slot] = "chart"

    chart: MeasureName | None = None
    """The measure whose curve is drawn beside the world as it grows: from 0 to 1, or up to a round number above the
    largest value so far. Default: none."""

    @override
    def extent(self, setup: Setup, coloring: Coloring, wide: float, text: int) -> tuple[float, float]:
        least = width(self.word(measure_label(self.chart or "")), text) + 4 * text
        return max(min(CHART_WIDTH * text, wide), MIN_WIDTH * text, least), (CHART_HEIGHT + CHART_RIM) * text

    @override
    def measures(self) -> tuple[str, ...]:
        return () if self.chart is None else (self.chart,)

    @override
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        # In the middle of its place; the lowest number on the axis reaches below its end.
        size, place = scene.text, scene.place(self)
        half, middle = min(CHART_WIDTH * size, place.right - place.left) / 2, (place.left + place.right) / 2
        box = Rectangle(np.floor(middle - half), place.top, np.floor(middle + half), place.bottom - 0.6 * size)
        if self.chart is None or 2 * half < MIN_WIDTH * size:
            return
        value = scene.history[self.chart][: state.frame + 1]
        # The next round number: 1, 2 or 5 times a power of ten, at least 1.
        largest = 1.0 if is_fraction(self.chart) else max(float(np.nanmax(value, initial=0.0)), 1.0)
        highest = float(next(step for step in exact.tens(largest) * np.array([1, 2, 5, 10]) if step >= largest))
        now = "-" if np.isnan(value[-1]) else measure_text(self.chart, value[-1])
        left = np.floor(box.left + width(f"{highest:g}", size) + 0.4 * size)
        plot = Rectangle(left, np.floor(box.top + 1.9 * size), box.right, box.bottom)
        surface.write(self.word(measure_label(self.chart)), (box.left, box.top), scene.tone("text"), size)
        surface.write(now, (box.right, box.top), scene.tone("text"), size, (1, 0))
        for end, level in ((f"{highest:g}", plot.top), ("0", plot.bottom)):
            surface.write(end, (plot.left - 0.4 * size, level), scene.tone("muted"), size, (1, 0.5))
        corner = np.array([(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)])
        surface.stroke(corner[:-1], corner[1:], scene.tone("muted"), 1.2 * scene.pen)
        surface.stroke(corner[:1], np.array([(plot.right, plot.top)]), scene.tone("muted", 0.35), 1.0 * scene.pen)
        _curve(surface, scene, plot, value / highest, state.setup.time.frames)


def _curve(surface: Surface, scene: Scene, plot: Rectangle, part: Array, frames: int) -> None:
    """The curve through values from 0 to 1, one for each frame so far; broken where there is no value."""
    # No more points than pixels, and always the newest.
    frame = np.unique(np.linspace(0, len(part) - 1, round(plot.right - plot.left)).round().astype(np.intp))
    x = plot.left + frame / max(frames - 1, 1) * (plot.right - plot.left)
    y = plot.bottom - np.clip(part[frame], 0.0, 1.0) * (plot.bottom - plot.top)
    point = np.column_stack((x, y))
    known = np.isfinite(y)
    whole = known[:-1] & known[1:]
    surface.stroke(point[:-1][whole], point[1:][whole], scene.tone("text"), 1.6 * scene.pen)
    if known[-1]:
        surface.fill(point[-1] + 0.22 * scene.text * circle(24), scene.tone("text"))


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
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        _write(surface, scene, self, (self.title, round(TITLE * scene.text), TITLE_LINE))


class Caption(Foreground):
    """A sentence below the title."""

    roles: ClassVar[tuple[str, ...]] = ("text",)
    letters: ClassVar[float] = CAPTION
    slot: ClassVar[Slot] = "words"

    caption: BoundedText = ""
    """Text below the title of every frame until an event sets another one, wrapped if it is too long."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return any(self._captions(setup))

    @override
    def extent(self, setup: Setup, coloring: Coloring, wide: float, text: int) -> tuple[float, float]:
        return _extent((*self._captions(setup),), caption_size(text), CAPTION_LINE, wide)

    @override
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        events = state.setup.events
        spoken = any(event.at <= state.frame and event.caption is not None for event in events)
        caption = state.setup.caption(state.frame) if spoken else self.caption
        _write(surface, scene, self, (caption, caption_size(scene.text), CAPTION_LINE))

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


def _write(surface: Surface, scene: Scene, layer: OverlayLayer, sentence: tuple[str, int, float]) -> None:
    """Write a sentence in its place, with letters and lines of these heights."""
    (text, size, line), place = sentence, scene.place(layer)
    left, anchor = (place.right, 1.0) if type(layer).__name__ in scene.layout.flush else (place.left, 0.0)
    for number, one in enumerate(lines(text, size, round(place.right - place.left))):
        surface.write(one, (left, place.top + number * round(line * size)), scene.tone("text"), size, (anchor, 0.0))


BELOW_WHEEL = 0.5  # Below the wheel, in heights of a letter
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
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        place = scene.place(self)
        wide = place.right - place.left
        for part, (left, top, *_) in self._placed(scene.setup, scene.coloring, wide, scene.text):
            part.draw(surface, scene, place.left + left, place.top + top)

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
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        place = scene.place(self)
        size, middle, right = scene.text, (place.top + place.bottom) / 2, place.right
        for number, word in reversed([*enumerate(self._labels(scene.setup, scene.coloring))]):
            if word:
                surface.write(word, (right, middle), scene.tone("text"), size, (1.0, 0.5))
                right -= width(word, size) + 0.5 * size
            if not scene.coloring.ends:
                surface.fill(swatch(right - size, middle, size, 0.5 * size), scene.tone(f"boid {number}"))
                right -= 2 * size
            elif number:  # between both words
                _draw_ramp(surface, scene, right - RAMP * size, middle, RAMP * size)
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
        lines = [LINE for _ in range(bool(self.title))] + [2 * WHEEL + BELOW_WHEEL] * self.wheel
        lines += [] if self.wheel else [LINE for _ in self.entries]
        return max(wide, 2 * WHEEL * size if self.wheel else 0), size * sum(lines)

    def draw(self, surface: Surface, scene: Scene, left: float, top: float) -> None:
        """Draw it from a corner on."""
        size = scene.text
        if self.ramp:
            self._draw_ramp(surface, scene, left, top + LINE / 2 * size)
            return
        if self.title:
            surface.write(self.title, (left, top), scene.tone("text"), size)
            top += LINE * size
        if self.wheel:  # a ring in which each direction has its color, as it is seen in the picture
            middle, count, fine = np.array([left + WHEEL * size, top + WHEEL * size]), len(self.entries), 6
            rim = circle(count * fine) * np.array([1.0, -1.0]) * size
            for number, (_, role) in enumerate(self.entries):
                piece = rim.take(np.arange(fine + 1) + number * fine - fine // 2, axis=0, mode="wrap")
                surface.fill(middle + np.concatenate((WHEEL * piece, HUB * piece[::-1])), scene.tone(role))
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
            surface.fill(corner, scene.tone(role))
            surface.write(label, (left + SWATCH * size, level), scene.tone("text"), size, (0.0, 0.5))
            top += room

    def _draw_ramp(self, surface: Surface, scene: Scene, left: float, middle: float) -> None:
        """Title, the word at its lower end, the colors, and the word at its upper end, from left to right."""
        size, low = scene.text, 0 if scene.coloring.ordered else -1  # a ramp is listed from its highest color on
        words = self.title, self.entries[-1 - low][0], "", self.entries[low][0]
        for number, word in enumerate(words):
            if number == 2:
                if scene.coloring.ordered:
                    _draw_ramp(surface, scene, left, middle, RAMP * size)
                else:
                    step = RAMP * size / len(self.entries)
                    for place, (_, role) in enumerate(self.entries[:: 1 if low else -1]):
                        surface.fill(swatch(left + place * step, middle, step, 0.5 * size), scene.tone(role))
                left += (RAMP + 0.5) * size
            elif word:
                surface.write(word, (left, middle), scene.tone("text"), size, (0.0, 0.5))
                left += width(word, size) + 0.5 * size


def _draw_ramp(surface: Surface, scene: Scene, left: float, middle: float, wide: float) -> None:
    """A smooth ramp: of two colors each pixel has that to which it is nearer the more often."""
    low, _, high, _ = corner = swatch(left, middle, wide, 0.5 * scene.text)
    surface.fill(corner, scene.tone("boid 0"))
    if scene.inks.has("ramp"):
        tones = scene.tone("ramp", np.arange(1, scene.inks.levels + 1) / scene.inks.levels)
        # A ramp is an ink of its own, whose lower levels would be hidden.
        surface.blank((low[0], low[1]), (high[0], high[1]))
    else:
        tones = np.array([scene.tone(f"boid {color}") for color, _ in enumerate(scene.coloring.labels(scene.setup))])
    pixel, number = _ramp(*(high - low).astype(int).tolist(), len(tones))
    surface.dot(low + pixel, tones.take(number, mode="clip"))


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
