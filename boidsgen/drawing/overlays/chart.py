"""Chart: a curve of one measure that grows with the frames."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layout import Rectangle
from boidsgen.drawing.lettering import width
from boidsgen.drawing.measure_history import MeasureName, measure_label, measure_text
from boidsgen.drawing.overlays.layer import Foreground
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.geometry import Array, circle
from boidsgen.simulation.measures import is_fraction
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State

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
    def wanted(self, setup: Setup) -> bool:
        return self.chart is not None

    @override
    def below(self, rows: int, text: int) -> float:
        return _height(rows, text) + 2 * MARGIN

    @override
    def measures(self) -> tuple[str, ...]:
        return () if self.chart is None else (self.chart,)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        box = _box(scene)
        if self.chart is None or not _readable(scene, box):
            return
        value = scene.history.until(self.chart, state.frame)
        rim = 0.5 * scene.text
        canvas.plate((box.left - 2 * rim, box.top - rim), (box.right + rim, box.bottom + rim))
        highest = 1.0 if is_fraction(self.chart) else rounded_up(float(np.nanmax(value, initial=0.0)))
        now = "-" if np.isnan(value[-1]) else measure_text(self.chart, value[-1])
        _write(canvas, scene, box, (measure_label(self.chart), now, f"{highest:g}"))
        plot = _plot(scene, box, f"{highest:g}")
        _axes(canvas, scene, plot)
        _curve(canvas, scene, plot, value / highest, state.setup.time.frames)


def rounded_up(value: float) -> float:
    """The next round number: 1, 2 or 5 times a power of ten, at least 1."""
    power = exact.tens(max(value, 1.0))
    return float(next(power * step for step in (1, 2, 5, 10) if power * step >= value))


def _readable(scene: Scene, box: Rectangle) -> bool:
    smallest = MIN_HEIGHT * scene.text
    return box.bottom - box.top >= smallest and box.right - box.left >= 2 * smallest


def _box(scene: Scene) -> Rectangle:
    """Where the chart stands: in the middle below the world and above lines of text."""
    (columns, rows), margin, room = scene.size, MARGIN * scene.text, scene.layout.room
    # The lowest number on the axis reaches below its end.
    bottom = np.floor(rows - (max(room.bottom, 0.4) + 0.6) * scene.text)
    half = min(WIDE * scene.text, columns - 4 * margin) / 2
    top = np.floor(bottom - _height(rows, scene.text) * scene.text)
    return Rectangle(np.floor(columns / 2 - half), top, np.floor(columns / 2 + half), bottom)


def _height(rows: int, text: int) -> float:
    """Height of the chart in a picture of so many rows, in heights of a letter."""
    return min(HIGH, MOST * rows / text - 2 * MARGIN)


def _plot(scene: Scene, box: Rectangle, highest: str) -> Rectangle:
    """The part of the box inside the axes."""
    left = box.left + width(highest, scene.text) + 0.4 * scene.text
    return Rectangle(np.floor(left), np.floor(box.top + 1.9 * scene.text), box.right, box.bottom)


def _write(canvas: Canvas, scene: Scene, box: Rectangle, text: tuple[str, str, str]) -> None:
    """The name of the measure, its value now, and the ends of its axis."""
    name, now, highest = text
    size, plot = scene.text, _plot(scene, box, highest)
    canvas.write(name, (box.left, box.top), scene.tone("text"), size)
    canvas.write(now, (box.right, box.top), scene.tone("text"), size, (1, 0))
    canvas.write(highest, (plot.left - 0.4 * size, plot.top), scene.tone("muted"), size, (1, 0.5))
    canvas.write("0", (plot.left - 0.4 * size, plot.bottom), scene.tone("muted"), size, (1, 0.5))


def _axes(canvas: Canvas, scene: Scene, plot: Rectangle) -> None:
    """An axis up the left side and one along the bottom, and a faint line at the top."""
    corner = np.array([(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)])
    canvas.path(corner, scene.tone("muted"), 1.2 * scene.pen)
    canvas.lines(corner[:1], np.array([(plot.right, plot.top)]), scene.tone("muted", 0.35), 1.0 * scene.pen)


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
