"""Measurements beside the animals: numbers of the frame, and a chart over time."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field, field_validator
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.colorings import COLORINGS, Coloring
from boidsgen.drawing.scene import Foreground, Rectangle, Scene, Slot, flow
from boidsgen.drawing.text import width
from boidsgen.simulation.geometry import Array, circle
from boidsgen.simulation.measures import MEASURES, is_fraction, measure
from boidsgen.simulation.setup import Setup, State
from boidsgen.tables import Text

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

    words: Mapping[str, Text] = {}
    """Translations of the words of HUD, chart and legend, such as { time = "Zeit" }."""

    @field_validator("words")
    @classmethod
    def _known(cls, words: Mapping[str, Text]) -> Mapping[str, Text]:
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
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        size, place = scene.text, scene.place(self)
        values = counts(state.setup, state) | {
            name: measure_text(name, value) for name, value in measure(state, set(self.names) & {*MEASURES}).items()
        }
        for name, label, left, start, top in self.numbers(scene.beginning, place, size):
            canvas.write(label, (left, top), scene.tone("muted"), size)
            canvas.write(values.get(name, "-"), (start, top), scene.tone("text"), size)

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


WIDE, HIGH = 28.0, 5.4  # Size of the chart, in heights of a letter
RIM = 1.2  # Between the chart and what is beside it, in heights of a letter
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
        return max(min(WIDE * text, wide), MIN_WIDTH * text, least), (HIGH + RIM) * text

    @override
    def measures(self) -> tuple[str, ...]:
        return () if self.chart is None else (self.chart,)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        # In the middle of its place; the lowest number on the axis reaches below its end.
        size, place = scene.text, scene.place(self)
        half, middle = min(WIDE * size, place.right - place.left) / 2, (place.left + place.right) / 2
        box = Rectangle(np.floor(middle - half), place.top, np.floor(middle + half), place.bottom - 0.6 * size)
        if self.chart is None or 2 * half < MIN_WIDTH * size:
            return
        value = scene.history.until(self.chart, state.frame)
        highest = 1.0 if is_fraction(self.chart) else rounded_up(float(np.nanmax(value, initial=0.0)))
        now = "-" if np.isnan(value[-1]) else measure_text(self.chart, value[-1])
        left = np.floor(box.left + width(f"{highest:g}", size) + 0.4 * size)
        plot = Rectangle(left, np.floor(box.top + 1.9 * size), box.right, box.bottom)
        canvas.write(self.word(measure_label(self.chart)), (box.left, box.top), scene.tone("text"), size)
        canvas.write(now, (box.right, box.top), scene.tone("text"), size, (1, 0))
        for end, level in ((f"{highest:g}", plot.top), ("0", plot.bottom)):
            canvas.write(end, (plot.left - 0.4 * size, level), scene.tone("muted"), size, (1, 0.5))
        corner = np.array([(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)])
        canvas.path(corner, scene.tone("muted"), 1.2 * scene.pen)
        canvas.lines(corner[:1], np.array([(plot.right, plot.top)]), scene.tone("muted", 0.35), 1.0 * scene.pen)
        _curve(canvas, scene, plot, value / highest, state.setup.time.frames)


def rounded_up(value: float) -> float:
    """The next round number: 1, 2 or 5 times a power of ten, at least 1."""
    power = exact.tens(max(value, 1.0))
    return float(next(power * step for step in (1, 2, 5, 10) if power * step >= value))


def _curve(canvas: Canvas, scene: Scene, plot: Rectangle, part: Array, frames: int) -> None:
    """The curve through values from 0 to 1, one for each frame so far; broken where there is no value."""
    # No more points than pixels, and always the newest.
    frame = np.unique(np.linspace(0, len(part) - 1, round(plot.right - plot.left)).round().astype(np.intp))
    x = plot.left + frame / max(frames - 1, 1) * (plot.right - plot.left)
    y = plot.bottom - np.clip(part[frame], 0.0, 1.0) * (plot.bottom - plot.top)
    point = np.column_stack((x, y))
    known = np.isfinite(y)
    whole = known[:-1] & known[1:]
    canvas.lines(point[:-1][whole], point[1:][whole], scene.tone("text"), 1.6 * scene.pen)
    if known[-1]:
        canvas.fill(point[-1] + 0.22 * scene.text * circle(24), scene.tone("text"))
