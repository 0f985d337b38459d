"""Overlays about the boid in focus, and links between boids; arrows and rows of words for the others."""

from abc import ABC
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import PaletteIndex
from boidsgen.drawing.scene import Foreground, Scene
from boidsgen.drawing.text import width
from boidsgen.simulation.geometry import Array, circle, dot, magnitude, unit
from boidsgen.simulation.measures import influences, neighbors_of
from boidsgen.simulation.run import tracks
from boidsgen.simulation.setup import Setup, State

MIN_LENGTH = 1.5  # Shorter arrows, in pixels, are not drawn
RIM = 2.0  # By how many pixels the clear rim is wider than the arrow, both sides together
MAX_LINKS = 1000
BoidNumber = Annotated[int, Field(ge=0)]


def draw_arrow(
    canvas: Canvas, start: Array, way: Array, tone: PaletteIndex, thickness: float, room: float = np.inf
) -> None:
    """Draw an arrow from `start` along `way`; one longer than `room` pixels ends there with a second head."""
    size = magnitude(way)
    if min(size, room) < MIN_LENGTH:
        return
    beyond = size > room * (1 + 1e-9)
    if beyond:
        way, size = way * (room / size), room
    head = min(4.0 * thickness, 0.75 * size)
    ahead, neck = way / size, start + way * (1 - 0.8 * head / size)
    begin, end = np.stack((start, neck - 0.1 * head * ahead)), np.stack((start + way, neck + 0.4 * head * ahead))
    canvas.erase(canvas.trace(begin, end, np.array([thickness + RIM, 0.6 * head + RIM])))
    canvas.lines(start[None], neck[None], tone, thickness)
    _draw_head(canvas, start + way, ahead * head, tone)
    if beyond:
        _draw_head(canvas, start + way - 0.8 * head * ahead, ahead * head, tone)


def _draw_head(canvas: Canvas, tip: Array, ahead: Array, tone: PaletteIndex) -> None:
    """Draw the head of an arrow that ends at `tip` and is as long as `ahead`."""
    aside = 0.42 * np.array([-ahead[1], ahead[0]])
    canvas.fill(np.stack((tip, tip - ahead + aside, tip - ahead - aside)), tone)


FADE = 12  # Frames in which the boid in focus fades in
PITCH = 1.45  # From one row to the next, in heights of a letter


class WordRow(NamedTuple):
    """A line of words."""

    label: str  # what the row is about
    value: str  # its value in words
    role: str = ""  # ink of the arrow that shows it, empty without one
    ink: str = "text"  # ink of the words


def rule_rows(beginning: Setup, setup: Setup, flock: int) -> list[WordRow]:
    """A row for each rule that may steer the flock of the boid in focus: if it is on in this setup, and its weight."""
    rows = []
    for name in influences(beginning, flock):
        rule = getattr(setup.flock[flock], name, None)
        there = rule.weight != 0 if rule is not None else name in influences(setup, flock)
        state = "ON" if rule is None else f"weight {rule.weight:.3g} · ON"
        label = name.replace("_", " ")
        rows.append(WordRow(label, state, rule_role(name)) if there else WordRow(label, "off", ink="muted"))
    return rows


def write_rows(
    canvas: Canvas, scene: Scene, rows: list[WordRow], corner: tuple[float, float], wide: float, flock: int
) -> None:
    """Write rows about a flock, of this width, below each other, from a corner at the top left."""
    left, size = corner[0], scene.text
    indent = 1.6 * size if any(row.role for row in rows) else 0.0
    for number, row in enumerate(rows):
        top = corner[1] + PITCH * size * number
        label = f"{rule_letters(scene.beginning, flock)[row.role]}: {row.label}" if row.role else row.label
        canvas.write(label, (left + indent, top), scene.tone(row.ink), size)
        if row.value:
            canvas.write(row.value, (left + wide, top), scene.tone(row.ink), size, (1, 0))
        if row.role:
            middle = np.array([left, top + 0.65 * size])
            scene.put_under(canvas, middle + size * np.array([[-0.15, -0.5], [1.35, -0.5], [1.35, 0.5], [-0.15, 0.5]]))
            draw_arrow(canvas, middle, np.array([1.2 * size, 0.0]), scene.tone(row.role), 0.2 * size)


def rows_width(text: int, rows: list[WordRow]) -> float:
    """Width that these rows need, with letters of a height."""
    letter = width("m: ", text) if any(row.role for row in rows) else 0
    return letter + max((width(row.label, text) + width(row.value, text) for row in rows), default=0) + 3.0 * text


def rule_letters(beginning: Setup, flock: int) -> dict[str, str]:
    """The letters at arrows, by ink, v for the velocity: of each rule the first letter still free; those on choose."""
    letters, table = {"text": "v"}, beginning.flock[flock]
    names = influences(beginning, flock)
    for name in sorted(names, key=lambda name: getattr(getattr(table, name, None), "weight", 1.0) == 0):
        free = (letter for letter in name if letter.isalpha() and letter not in letters.values())
        letters[rule_role(name)] = next(free, name)
    return letters


def rule_role(name: str) -> str:
    """The ink of the arrow that shows a rule."""
    return f"force {name}"


class FocusLayer(Foreground, ABC):
    """A layer about the boid in focus."""

    roles: ClassVar[tuple[str, ...]] = ("focus",)

    focus: Annotated[int, Field(ge=0)] = 0
    """Number of the boid in focus, counted from 0 through all flocks."""
    focus_from: Annotated[int, Field(ge=0)] = 0
    """Frame from which the overlays of the boid in focus fade in."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return super().wanted(setup) and self.focus < sum(flock.count for flock in setup.flock)

    @override
    def strength(self, frame: float) -> float:
        return 1.0 if not self.focus_from else min(max((frame - self.focus_from) / FADE, 0.0), 1.0)

    def which(self, setup: Setup) -> tuple[int, int]:
        """The flock of the boid in focus, and its number there."""
        ends = np.cumsum([flock.count for flock in setup.flock])
        flock = int(np.searchsorted(ends[:-1], self.focus, side="right"))
        return flock, self.focus - int(ends[flock]) + setup.flock[flock].count

    def position(self, state: State) -> Array:
        """Its position, shape (d,)."""
        flock, boid = self.which(state.setup)
        return state.flocks[flock].position[boid]

    def velocity(self, state: State) -> Array:
        """Its velocity, shape (d,)."""
        flock, boid = self.which(state.setup)
        return state.flocks[flock].velocity[boid]

    def seen(self, state: State) -> Array:
        """Positions of those of its own kind that it perceives, shape (k, d)."""
        flock, boid = self.which(state.setup)
        return state.flocks[flock].position[neighbors_of(state, flock, boid)]

    def ring(self, canvas: Canvas, scene: Scene, state: State) -> Array | None:
        """Draw a ring round it, and return where it is in the picture; None if it is behind the camera."""
        seen = scene.projection(self.position(state)[None])
        if not seen.shown[0]:
            return None
        rim = seen.xy + 0.75 * scene.text * circle(32)
        canvas.lines(rim, np.roll(rim, -1, axis=0), scene.tone("focus"), 1.6 * scene.pen)
        return seen.xy[0]


class Perception(FocusLayer):
    """The outline of what the boid in focus perceives."""

    perception: bool = False
    """Outline what the boid in focus perceives: a disc, or a sector when its field of view is less than all round."""

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        self.ring(canvas, scene, state)
        table = scene.setup.flock[self.which(state.setup)[0]].perception
        if not np.isfinite(table.radius):
            return
        outline = sector(self.velocity(state), table.radius, np.radians(table.field_of_view))
        seen = scene.projection(self.position(state) + outline)
        for copy in scene.projection.copies(seen.xy) if seen.shown.all() else ():
            canvas.fill(copy, scene.tone("focus", 0.09))
            canvas.path(copy, scene.tone("focus", 0.8), 1.2 * scene.pen)


def sector(velocity: Array, radius: float, angle: float) -> Array:
    """Offsets round a sector that opens in the direction of flight, shape (k, d); a disc when it opens all round.

    The sector lies in the plane that holds the direction of flight and the level line across it.
    """
    ahead = unit(velocity[None])[0] if velocity.any() else np.eye(len(velocity))[0]
    across = np.zeros_like(ahead)
    across[:2] = -ahead[1], ahead[0]
    across = unit(across[None])[0] if across.any() else np.eye(len(velocity))[1]
    turn = np.linspace(-angle / 2, angle / 2, 73)[:, None]
    rim: Array = radius * (exact.cosine(turn) * ahead + exact.sine(turn) * across)
    tip = np.zeros((1, len(velocity)))
    return rim if angle >= 2 * np.pi else np.vstack((tip, rim, tip))


class Neighbors(FocusLayer):
    """Links from the boid in focus to its neighbors, the shortest way."""

    neighbors: bool = False
    """Link the boid in focus to the boids of its own kind that it perceives."""

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        self.ring(canvas, scene, state)
        place, others = self.position(state), self.seen(state)
        if not len(others):
            return
        ends = place + scene.setup.world.shortest(others - place)
        seen = scene.projection(np.vstack((place, ends)))
        for copy in scene.projection.copies(seen.xy) if seen.shown.all() else ():
            start = np.broadcast_to(copy[0], (len(ends), 2))
            canvas.lines(start, copy[1:], scene.tone("focus", 0.7), 1.2 * scene.pen)


class Links(Foreground):
    """Arrows between pairs of boids, the shortest way; none to or from those that are absent."""

    roles: ClassVar[tuple[str, ...]] = ("focus",)

    links: Annotated[tuple[tuple[BoidNumber, BoidNumber], ...], Field(max_length=MAX_LINKS)] = ()
    """Pairs of boids, counted from 0 through all flocks: an arrow from the first to the second of each, as
    `boidsgen leaders` draws them from followers to leaders. Pages do not show them."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return bool(self.links)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        flocks = [track.full(state, "position") for track in tracks(state.setup) if track.kind == "flock"]
        start, end = np.concatenate(flocks)[np.array(self.links).T]
        there = np.isfinite(start[:, 0]) & np.isfinite(end[:, 0])
        way = scene.setup.world.shortest(end[there] - start[there])
        begin, tip = scene.projection(start[there]), scene.projection(start[there] + way)
        for line in np.stack((begin.xy, tip.xy), axis=1)[begin.shown & tip.shown]:
            way = line[1] - line[0]
            gap = 0.6 * scene.body * unit(way[None])[0]  # the animals at both ends stay in sight
            for copy in scene.projection.copies(line) if dot(way, way - 2 * gap) > 0 else ():
                draw_arrow(canvas, copy[0] + gap, way - 2 * gap, scene.tone("focus", 0.7), 1.2 * scene.pen)
