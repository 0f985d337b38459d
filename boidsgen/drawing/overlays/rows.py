"""Rows: lines of words in a table, such as the state of each rule beside the arrow that shows it.

A row is a label at the left, a value at the right, and before them, where there is one, the arrow in its color. Rows
are PITCH heights of a letter apart; all lengths are pixels.
"""

from typing import NamedTuple

import numpy as np

from boidsgen.drawing.arrows import draw_arrow
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.lettering import width
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.observe import influences
from boidsgen.simulation.setup import Setup

PITCH = 1.45
"""From one row to the next, in heights of a letter."""


class Row(NamedTuple):
    """A line of words.

    Attributes:
        label: what the row is about.
        value: its value in words.
        role: ink of the arrow that shows it, empty without one.
        ink: ink of the words.
    """

    label: str
    value: str
    role: str = ""
    ink: str = "text"


def rule_rows(scene: Scene, setup: Setup) -> list[Row]:
    """A row for each rule that may steer the first flock: whether it is on in this setup, and its weight."""
    return [_rule_row(setup, name) for name in influences(scene.beginning, 0)]


def write_rows(canvas: Canvas, scene: Scene, rows: list[Row], corner: tuple[float, float], wide: float) -> None:
    """Write rows of this width below each other, from a corner at the top left."""
    left, size = corner[0], scene.text
    indent = 1.6 * size if any(row.role for row in rows) else 0.0
    for number, row in enumerate(rows):
        top = corner[1] + PITCH * size * number
        label = f"{rule_letter(scene, row.role)}: {row.label}" if row.role else row.label
        canvas.write(label, (left + indent, top), scene.tone(row.ink), size)
        if row.value:
            canvas.write(row.value, (left + wide, top), scene.tone(row.ink), size, (1, 0))
        if row.role:
            middle = np.array([left, top + 0.65 * size])
            draw_arrow(canvas, middle, np.array([1.2 * size, 0.0]), scene.tone(row.role), 0.2 * size)


def rows_width(scene: Scene, rows: list[Row]) -> float:
    """Width that these rows need."""
    letter = width("m: ", scene.text) if any(row.role for row in rows) else 0
    widest = letter + max((width(row.label, scene.text) + width(row.value, scene.text) for row in rows), default=0)
    return widest + 3.0 * scene.text


def rule_letter(scene: Scene, role: str) -> str:
    """The letter at the arrow of a rule, or v for the velocity: its first that no rule before it has."""
    letters: dict[str, str] = {"text": "v"}
    for name in influences(scene.beginning, 0):
        taken = {*letters.values()}
        free = [letter for letter in name if letter.isalpha() and letter not in taken]
        letters[rule_role(name)] = free[0] if free else name
    return letters[role]


def rule_role(name: str) -> str:
    """The ink of the arrow that shows a rule."""
    return f"force {name}"


def _rule_row(setup: Setup, name: str) -> Row:
    rule = getattr(setup.flock[0], name, None)
    there = rule.weight != 0 if rule is not None else name in influences(setup, 0)
    label = name.replace("_", " ")
    if not there:
        return Row(label, "off", ink="muted")
    return Row(label, "ON" if rule is None else f"weight {rule.weight:.3g} · ON", rule_role(name))
