"""Forces: what steers the boid in focus, as arrows and in words."""

from abc import ABC
from collections.abc import Mapping
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import Tone
from boidsgen.drawing.lettering import width
from boidsgen.drawing.overlays.focus import OfOneBoid
from boidsgen.drawing.scene import Scene
from boidsgen.drawing.themes import FORCES, Theme
from boidsgen.simulation.figures import circle
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.observe import contributions, influences
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State

SHORTEST = 1.5
"""Shorter arrows, in pixels, are not drawn."""
RIM = 2.0
"""By how many pixels the clear rim is wider than the arrow, both sides together."""


def arrow(canvas: Canvas, start: Array, way: Array, tone: Tone, thickness: float) -> None:
    """Draw an arrow from `start` along `way`, shape (2,) pixels each, with a clear rim round it."""
    size = float(np.hypot(*way))
    if size < SHORTEST:
        return
    head = min(4.0 * thickness, 0.75 * size)
    ahead, neck = way / size, start + way * (1 - 0.8 * head / size)
    canvas.erase(canvas.trace(start[None], (start + way)[None], thickness + RIM))
    canvas.erase(canvas.trace((neck - 0.1 * head * ahead)[None], (neck + 0.4 * head * ahead)[None], 0.6 * head + RIM))
    canvas.lines(start[None], neck[None], tone, thickness)
    head_at(canvas, start + way, ahead * head, tone)


def head_at(canvas: Canvas, tip: Array, ahead: Array, tone: Tone) -> None:
    """Draw the head of an arrow that ends at `tip` and is as long as `ahead`, shape (2,) pixels each."""
    aside = 0.42 * np.array([-ahead[1], ahead[0]])
    canvas.fill(np.stack((tip, tip - ahead + aside, tip - ahead - aside)), tone)


PITCH = 1.45
"""From one line of words to the next, in heights of a letter."""


LEAST = 1e-9
"""Arrows need a length to be measured by, even where nothing ever steers."""


class Row(NamedTuple):
    """A line of words.

    Attributes:
        label: what is told about.
        value: what is told.
        role: ink of the arrow that shows it, empty without one.
        ink: ink of the words.
    """

    label: str
    value: str
    role: str = ""
    ink: str = "text"


class Forces(OfOneBoid, ABC):
    """What steers the boid in focus.

    An arrow for each rule shows what it adds to the velocity in the next step, weight included: separation red,
    alignment green, cohesion blue, others in further colors; the velocity itself is in the color of text. The longest
    arrow there is room for stands for the longest contribution that is usual, `usual`, or for the highest speed; what
    is longer ends there with a double head.
    """

    roles: ClassVar[tuple[str, ...]] = ("focus", "muted", "text")

    forces: Literal["boid", "panel"] | None = None
    """Show what steers the boid in focus as arrows: on the boid itself, or in a panel beside the world, which widens
    the picture unless output.size is given. Default: not at all."""

    @override
    def inks(self, theme: Theme, setup: Setup) -> Mapping[str, str]:
        names = influences(setup, 0)
        return {_role(name): theme.forces[number % FORCES] for number, name in enumerate(names)}

    def rose(self, canvas: Canvas, scene: Scene, state: State, center: Array, room: float) -> None:
        """Draw the arrows from a point in the picture, none longer than `room` pixels."""
        longest, fastest = usual(scene.beginning), scene.beginning.flock[0].max_speed
        given = contributions(state, 0, self.focus)
        part = {_role(name): vector / longest for name, vector in given.items()}
        part["text"] = self.flight(state) / fastest
        flat = scene.projection.axes[:2] * np.array([[1.0], [-1.0]])
        ways = {role: room * (flat @ vector) for role, vector in part.items()}
        # The shorter ones come later, and so stay visible where arrows point the same way.
        for role, way in sorted(ways.items(), key=lambda entry: -float(np.hypot(*entry[1]))):
            _cut(canvas, scene, role, center, way, room)
        canvas.fill(center + 0.42 * scene.text * circle(32), scene.tone("focus"))


def usual(setup: Setup) -> float:
    """The longest contribution of one rule to the first flock that is usual, as change of velocity in a step.

    It is the largest of weight times max_force; a rule without such a bound counts with the highest speed, beyond which
    no velocity goes. Rules that are off at the beginning count with a weight of 1.
    """
    table = setup.flock[0]
    most = min(table.max_acceleration, table.max_speed)
    rules = [getattr(table, name) for name in influences(setup, 0) if name in type(table).model_fields]
    bounds: list[float] = [
        abs(rule.weight or 1.0) * _bound(setup, rule.max_force, table.steering_of(rule)) for rule in rules
    ]
    return max(min(max(bounds), most), LEAST)


def steering(scene: Scene, state: State) -> list[Row]:
    """A line for each that may steer the boid in focus: whether it is on, and its weight."""
    return [_row(state.setup, name) for name in influences(scene.beginning, 0)]


def write(canvas: Canvas, scene: Scene, rows: list[Row], corner: tuple[float, float], wide: float) -> None:
    """Write lines of words from a corner at the top left, the values at the right end of lines so many pixels wide."""
    left, size = corner[0], scene.text
    indent = 1.6 * size if any(row.role for row in rows) else 0.0
    for number, row in enumerate(rows):
        top = corner[1] + PITCH * size * number
        canvas.write(row.label, (left + indent, top), scene.tone(row.ink), size)
        if row.value:
            canvas.write(row.value, (left + wide, top), scene.tone(row.ink), size, (1, 0))
        if row.role:
            middle = np.array([left, top + 0.65 * size])
            arrow(canvas, middle, np.array([1.2 * size, 0.0]), scene.tone(row.role), 0.2 * size)


def breadth(scene: Scene, rows: list[Row]) -> float:
    """Room for these lines, in pixels."""
    widest = max(width(row.label, scene.text) + width(row.value, scene.text) for row in rows)
    return widest + 3.0 * scene.text


def _bound(setup: Setup, max_force: float | None, form: str) -> float:
    """The longest change of velocity by a rule before its weight."""
    table = setup.flock[0]
    if max_force is None:
        max_force = table.max_force if form == "reynolds" else np.inf
    return min(max_force, table.max_speed)


def _row(setup: Setup, name: str) -> Row:
    rule = getattr(setup.flock[0], name, None)
    there = rule.weight != 0 if rule is not None else name in influences(setup, 0)
    words = name.replace("_", " ")
    if not there:
        return Row(words, "off", ink="muted")
    return Row(words, "ON" if rule is None else f"weight {rule.weight:.3g} · ON", _role(name))


def _cut(canvas: Canvas, scene: Scene, role: str, center: Array, way: Array, room: float) -> None:
    """Draw an arrow, or as much of it as there is room for, with a second head."""
    size, thickness = float(np.hypot(*way)), 0.19 * scene.text
    if size <= room * (1 + 1e-9):
        arrow(canvas, center, way, scene.tone(role), thickness)
        return
    way = way * (room / size)
    arrow(canvas, center, way, scene.tone(role), thickness)
    ahead = way / room * min(4.0 * thickness, 0.75 * room)
    head_at(canvas, center + way - 0.8 * ahead, ahead, scene.tone(role))


def _role(name: str) -> str:
    return f"force {name}"
