"""Measurements beside the animals: numbers of the frame, and a chart over time."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layout import Rectangle, Room
from boidsgen.drawing.scene import Foreground, Scene
from boidsgen.drawing.text import width
from boidsgen.simulation.geometry import Array, circle
from boidsgen.simulation.measures import MEASURES, is_fraction, measure
from boidsgen.simulation.setup import Setup, State

if TYPE_CHECKING:
    MeasureName = str
else:
    MeasureName = Literal[tuple(MEASURES)]

WHOLE_NUMBER_UNITS = ("groups", "pairs")
"""Units of measures that are whole numbers."""


def measure_label(name: str) -> str:
    """The name of a measure as it stands in a picture."""
    return name.replace("_", " ")


def measure_text(name: str, value: float) -> str:
    """The value of a measure as it stands in a picture."""
    return f"{value:.0f}" if MEASURES[name].unit in WHOLE_NUMBER_UNITS else f"{value:.2f}"


def widest_text(name: str) -> str:
    """About the widest text that a value of this measure takes."""
    if MEASURES[name].unit in WHOLE_NUMBER_UNITS:
        return "000"
    return "0.00" if is_fraction(name) else "000.00"


class MeasureHistory:
    """The values of some measures, frame by frame; frames that were not noted have none."""

    def __init__(self, names: Iterable[str], frames: int) -> None:
        self._values = {name: np.full(frames, np.nan) for name in names}

    def note(self, state: State) -> None:
        """Keep the values at the state's frame."""
        for name, value in measure(state, self._values).items():
            self._values[name][state.frame] = value

    def until(self, name: str, frame: int) -> Array:
        """The values of a measure up to and with this frame, nan where it is not defined, shape (frame + 1,)."""
        return self._values[name][: frame + 1]


USUAL = ("boids", "mean_speed", "polarization")
"""Measurements by default."""

COUNTS = ("boids", "obstacles", "predators", "fps")
"""Counts; fps is the frames in a unit of simulated time."""

if TYPE_CHECKING:
    Reading = str
else:
    Reading = Literal[(*COUNTS, *MEASURES)]

LABELS = {"mean_speed": "speed"}
"""Names that may be shorter in a line."""


class Hud(Foreground):
    """Numbers of the frame at the bottom left."""

    roles: ClassVar[tuple[str, ...]] = ("text", "muted")
    in_world: ClassVar[bool] = False

    hud: bool | Annotated[tuple[Reading, ...], Field(min_length=1)] = False
    """Show frame, time, number of boids, mean speed and polarization (0 = all ways, 1 = all fly the same way), as far
    as they fit into one line; a list of measures, such as ["rotation", "groups"], stands in for the last two, and the
    counts "obstacles" and "predators" may stand in it, too, and "fps", the frames in a unit of simulated time. Where
    "boids" stands in it that number is shown there."""

    @override
    def room(self, setup: Setup, columns: int, text: int) -> Room:
        return Room(bottom=2.0)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        names = USUAL if isinstance(self.hud, bool) else self.hud
        size, margin = scene.text, round(0.9 * scene.text)
        left, top = margin, scene.size[1] - 1.8 * size
        for label, value, longest in _readings(state, names if "boids" in names else ("boids", *names)):
            # Room for the widest value keeps the line from twitching; digits are equally wide in this font.
            middle = width(label, size) + size // 3
            wide = middle + width(longest, size)
            if left + wide > scene.size[0] - margin:
                return
            canvas.write(label, (left, top), scene.tone("muted"), size)
            canvas.write(value, (left + middle, top), scene.tone("text"), size)
            left += wide + size


def _readings(state: State, names: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """Label, value and about the widest value there may be, of frame, time, counts and measures."""
    clock = state.setup.time
    last = clock.frames - 1
    end = (clock.warmup + last * clock.steps_per_frame) * clock.dt
    yield "frame", f"{state.frame}", f"{last}"
    yield "time", f"{state.time:.1f}", f"{end:.1f}"
    rate = 1 / (clock.dt * clock.steps_per_frame)
    counts = {
        "boids": sum(len(flock.position) for flock in state.flocks),
        "obstacles": len(state.setup.obstacles),
        "predators": sum(len(group.position) for group in state.predators),
        # An integer where decimals such as 0.0333 stand for one.
        "fps": round(rate) if abs(rate - round(rate)) < 0.005 * rate else round(rate, 2),
    }
    values = measure(state, tuple(name for name in names if name not in counts))
    fastest = max(table.max_speed for table in state.setup.flock)
    for name in names:
        if name in counts:
            yield name, f"{counts[name]}", f"{counts[name]}"
        else:
            now = measure_text(name, values[name]) if name in values else "-"
            longest = f"{fastest:.2f}" if name == "mean_speed" else widest_text(name)
            yield LABELS.get(name, measure_label(name)), now, longest


WIDE, HIGH = 28.0, 5.4
"""Size of the chart, in heights of a letter."""
MARGIN = 1.0
"""Between the chart and all else, in heights of a letter."""
MOST = 0.4
"""The most that it takes of the height of the picture."""
MIN_HEIGHT = 4.0
"""A chart less high than this, in heights of a letter, or less than twice as wide, is not drawn."""


class Chart(Foreground):
    """A plot below the world: the whole run from left to right, the curve up to the frame shown."""

    roles: ClassVar[tuple[str, ...]] = ("muted", "text")
    in_world: ClassVar[bool] = False

    chart: MeasureName | None = None
    """The measure whose curve is drawn below the world as it grows: from 0 to 1, or up to a round number above the
    largest value so far. Default: none."""

    @override
    def below(self, rows: int, text: int) -> float:
        return _height(rows, text) + 2 * MARGIN

    @override
    def measures(self) -> tuple[str, ...]:
        return () if self.chart is None else (self.chart,)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        # In the middle below the world and above lines of text; the lowest number on the axis reaches below its end.
        (columns, rows), half = scene.size, min(WIDE * scene.text, scene.size[0] - 4 * MARGIN * scene.text) / 2
        bottom = np.floor(rows - (max(scene.layout.room.bottom, 0.4) + 0.6) * scene.text)
        top = np.floor(bottom - _height(rows, scene.text) * scene.text)
        box = Rectangle(np.floor(columns / 2 - half), top, np.floor(columns / 2 + half), bottom)
        smallest, size = MIN_HEIGHT * scene.text, scene.text
        if self.chart is None or box.bottom - box.top < smallest or box.right - box.left < 2 * smallest:
            return
        value = scene.history.until(self.chart, state.frame)
        rim = 0.5 * scene.text
        canvas.plate((box.left - 2 * rim, box.top - rim), (box.right + rim, box.bottom + rim))
        highest = 1.0 if is_fraction(self.chart) else rounded_up(float(np.nanmax(value, initial=0.0)))
        now = "-" if np.isnan(value[-1]) else measure_text(self.chart, value[-1])
        left = np.floor(box.left + width(f"{highest:g}", size) + 0.4 * size)
        plot = Rectangle(left, np.floor(box.top + 1.9 * size), box.right, box.bottom)
        canvas.write(measure_label(self.chart), (box.left, box.top), scene.tone("text"), size)
        canvas.write(now, (box.right, box.top), scene.tone("text"), size, (1, 0))
        for end, place in ((f"{highest:g}", plot.top), ("0", plot.bottom)):
            canvas.write(end, (plot.left - 0.4 * size, place), scene.tone("muted"), size, (1, 0.5))
        corner = np.array([(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)])
        canvas.path(corner, scene.tone("muted"), 1.2 * scene.pen)
        canvas.lines(corner[:1], np.array([(plot.right, plot.top)]), scene.tone("muted", 0.35), 1.0 * scene.pen)
        _curve(canvas, scene, plot, value / highest, state.setup.time.frames)


def rounded_up(value: float) -> float:
    """The next round number: 1, 2 or 5 times a power of ten, at least 1."""
    power = exact.tens(max(value, 1.0))
    return float(next(power * step for step in (1, 2, 5, 10) if power * step >= value))


def _height(rows: int, text: int) -> float:
    """Height of the chart in a picture of so many rows, in heights of a letter."""
    return min(HIGH, MOST * rows / text - 2 * MARGIN)


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
