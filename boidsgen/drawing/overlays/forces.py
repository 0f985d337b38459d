"""Forces: what steers the boid in focus, as arrows, in words, and as a chart of strength against distance.

One key, `forces`, asks for arrows on the boid with a key of their colors, or for a panel beside the world; each layer
is a part of the one or the other. All arrows share one scale, so that those of two frames can be compared. The curves
of the chart are the rules' own forces on a boid at rest with a single neighbor (`observe.strengths`), each as far as
its rule looks; the dots on them are the present neighbors. A line marks the distance at which separation pushes as hard
as cohesion pulls. In a flock pushes add up over all neighbors, so boids keep further apart than a pair.
"""

from abc import ABC
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.colorings import Coloring
from boidsgen.drawing.overlays.focus import (
    PITCH,
    FocusLayer,
    WordRow,
    draw_arrow,
    rows_width,
    rule_letters,
    rule_role,
    rule_rows,
    write_rows,
)
from boidsgen.drawing.scene import Rectangle, Scene, Slot, flow
from boidsgen.drawing.text import width
from boidsgen.drawing.themes import FORCES, Theme
from boidsgen.simulation.geometry import Array, circle, dot, length, magnitude
from boidsgen.simulation.measures import contributions, influences, measure, strengths
from boidsgen.simulation.rules.rule import NeighborRule
from boidsgen.simulation.setup import Setup, State

BOID_ROOM = 5.0  # Length of the longest arrow on a boid, in heights of a letter
PANEL_ROOM = 0.36  # Length of the longest arrow in the panel, in widths of the panel
VELOCITY = WordRow("velocity", "", "text")
LETTERED, LETTER_BEYOND = 0.8, 0.7
"""Arrows as long as this have a letter, and how far beyond the tip its middle is, in heights of a letter."""
MIN_SCALE = 1e-9  # Arrows need a length to be measured by, even where nothing ever steers


def largest_force(setup: Setup, flock: int = 0) -> float:
    """The contribution, as change of velocity in a step, that the longest arrow stands for.

    It is the largest of weight times max_force among the rules of a flock; a rule without such a bound counts
    with the highest speed, beyond which no velocity goes. Rules that are off at the beginning count with a weight of 1.
    """
    table = setup.flock[flock]
    highest = min(table.max_acceleration, table.max_speed)
    bounds: list[float] = []
    for name in influences(setup, flock):
        if name in type(table).model_fields:
            rule = getattr(table, name)
            usual = table.max_force if table.steering_of(rule) == "reynolds" else np.inf
            bound = min(usual if rule.max_force is None else rule.max_force, table.max_speed)
            bounds.append(abs(rule.weight or 1.0) * bound)
    return max(min(max(bounds, default=highest), highest), MIN_SCALE)


class Forces(FocusLayer, ABC):
    """Base of the layers about the forces on the boid in focus.

    An arrow for each rule shows what it adds to the velocity in the next step, weight included: separation red,
    alignment green, cohesion blue, others in further colors; the velocity itself is in the color of text. Without a
    scale of the user's, the longest arrow there is room for stands for `largest_force`, or for the highest speed. What
    is longer than that room ends there with a double head.
    """

    roles: ClassVar[tuple[str, ...]] = ("focus", "muted", "text")
    kinds: ClassVar[tuple[str, ...]] = ()
    """The values of `forces` that ask for it."""
    dot: ClassVar[float] = 0.42
    """Radius of the dot in which the arrows begin, in heights of a letter."""

    force_scale: Annotated[float, Field(gt=0, le=1e6)] | None = None
    """Length of the arrow of a rule that changes the velocity by 1 in a step, in pixels. Default: the largest force
    that a rule may have fills the space."""
    velocity_scale: Annotated[float, Field(gt=0, le=1e6)] | None = None
    """Length of the arrow of a velocity of 1, in pixels. Default: the maximum speed fills the space."""
    forces: Literal["boid", "arrows", "panel", "chart"] | None = None
    """Show the forces on the boid in focus: as arrows on the boid itself with a key of their colors, or without
    (arrows), as arrows in a panel beside the world, or there as a chart of strength against distance. The panel
    widens the picture unless output.size is given. Default: not at all."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.forces in self.kinds and super().wanted(setup)

    @override
    def inks(self, theme: Theme, setup: Setup) -> Mapping[str, str]:
        names = influences(setup, self.which(setup)[0])
        arrows = {rule_role(name): theme.forces[number % FORCES] for number, name in enumerate(names)}
        return arrows | ({"divider": theme.divider} if self.panel and theme.divider else {})

    def draw_panel(self, canvas: Canvas, scene: Scene) -> Rectangle:
        """Clear the panel, draw the line that parts it from the world, and return what its texts leave of it."""
        free = scene.layout.panel
        canvas.blank((free.left, 0), free[2:])
        tone = scene.tone("divider") if scene.inks.has("divider") else scene.tone("muted", 0.6)
        canvas.lines(np.array([(free.left, 0.0)]), np.array([(free.left, free.bottom)]), tone, 1.2 * scene.pen)
        return free

    def draw_arrows(self, canvas: Canvas, scene: Scene, state: State, center: Array, room: float) -> None:
        """Draw the arrows from a point in the picture, none longer than `room` pixels."""
        flock, boid = self.which(state.setup)
        longest, fastest = largest_force(scene.beginning, flock), scene.beginning.flock[flock].max_speed
        force_room = room if self.force_scale is None else self.force_scale * longest
        speed_room = room if self.velocity_scale is None else self.velocity_scale * fastest
        flat = scene.projection.axes[:2] * np.array([[1.0], [-1.0]])
        given = contributions(state, flock, boid)
        ways = {rule_role(name): force_room * dot(flat, vector / longest) for name, vector in given.items()}
        ways["text"] = speed_room * dot(flat, self.velocity(state) / fastest)
        # The shorter ones come later, and so stay visible where arrows point the same way.
        for role, way in sorted(ways.items(), key=lambda entry: -magnitude(entry[1])):
            draw_arrow(canvas, center, way, scene.tone(role), 0.19 * scene.text, room)
        for role, way in ways.items():
            size = magnitude(way)
            if size >= LETTERED * scene.text:  # for those who cannot tell the colors apart
                place = center + way / size * (min(size, room) + LETTER_BEYOND * scene.text)
                letter = rule_letters(scene.beginning, flock)[role]
                canvas.write(letter, tuple(place.tolist()), scene.tone(role), scene.text, (0.5, 0.5))
        if self.forces != "arrows":
            canvas.fill(center + self.dot * scene.text * circle(32), scene.tone("focus"))


class ForcesOnBoid(Forces):
    """A ring round the boid in focus, and the arrows on it unless a panel has them."""

    kinds: ClassVar[tuple[str, ...]] = ("boid", "arrows", "panel", "chart")

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        place = self.ring(canvas, scene, state)
        if place is not None and self.forces in {"boid", "arrows"}:
            self.draw_arrows(canvas, scene, state, place, BOID_ROOM * scene.text)


class ForcesKey(Forces):
    """The colors of the arrows, each with the state of its rule, below the world."""

    kinds: ClassVar[tuple[str, ...]] = ("boid",)
    slot: ClassVar[Slot] = "numbers"

    @override
    def extent(self, setup: Setup, coloring: Coloring, wide: float, text: int) -> tuple[float, float]:
        places = self._places(setup, wide, text)
        return max(place.right for place in places), places[-1].bottom

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        left, top, right, _ = scene.place(self)
        flock = self.which(state.setup)[0]
        rows = rule_rows(scene.beginning, state.setup, flock)
        places = self._places(scene.beginning, right - left, scene.text)
        for row, place in zip([*rows, VELOCITY], places, strict=True):
            corner = left + place.left, top + place.top
            write_rows(canvas, scene, [row], corner, place.right - place.left, flock)

    def _places(self, setup: Setup, wide: float, text: int) -> list[Rectangle]:
        """Places of its rows, as wide as each other."""
        rows = [*rule_rows(setup, setup, self.which(setup)[0]), VELOCITY]
        return flow([(rows_width(text, rows), PITCH * text)] * len(rows), wide, 2.0 * text)


class ForcesBeside(Forces):
    """The boid in focus as a dot in a panel, its arrows round it, words above and numbers below.

    The ring is where the longest arrows end; there is none where arrows have scales of the user's.
    """

    kinds: ClassVar[tuple[str, ...]] = ("panel",)
    dot: ClassVar[float] = 0.57
    panel: ClassVar[bool] = True

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        left, high, right, low = self.draw_panel(canvas, scene)
        speed = float(length(self.velocity(state)[None])[0])
        flock = self.which(state.setup)[0]
        above = [*rule_rows(scene.beginning, state.setup, flock), VELOCITY._replace(value=f"{speed:.3g}")]
        longest = WordRow("longest force", f"{largest_force(scene.beginning, flock):.2g} per step", ink="muted")
        fastest = WordRow("highest speed", f"{scene.beginning.flock[flock].max_speed:g}", ink="muted")
        below = [
            WordRow("arrow of force 1", f"{self.force_scale:g} px", ink="muted") if self.force_scale else longest,
            WordRow("arrow of speed 1", f"{self.velocity_scale:g} px", ink="muted") if self.velocity_scale else fastest,
            WordRow("average speed", f"{measure(state, ['mean_speed'])['mean_speed']:.3g}"),
            WordRow("neighbors", f"{len(self.seen(state))}"),
            WordRow("boids", f"{sum(len(flock.position) for flock in state.flocks)}"),
        ]
        margin, pitch, wide = 1.2 * scene.text, PITCH * scene.text, right - left
        top, bottom = high + margin + pitch * len(above), low - margin - pitch * len(below)
        readable = rows_width(scene.text, above + below) < wide - 2 * margin and bottom - top > 8 * scene.text
        if readable:
            write_rows(canvas, scene, above, (left + margin, high + margin), wide - 2 * margin, flock)
            write_rows(canvas, scene, below, (left + margin, bottom), wide - 2 * margin, flock)
        else:
            top, bottom = high, low
        center, room = np.array([left + wide / 2, (top + bottom) / 2]), min(PANEL_ROOM * wide, 0.46 * (bottom - top))
        if self.force_scale is None or self.velocity_scale is None:
            rim = center + room * circle(96)
            canvas.lines(rim, np.roll(rim, -1, axis=0), scene.tone("muted", 0.5), 1.0 * scene.pen)
        scene.put_under(canvas, center + (room + 1.4 * scene.text) * circle(96))
        self.draw_arrows(canvas, scene, state, center, room)


POINTS = 160  # Distances at which the curves are computed
HEADROOM = 2.5  # Height of the chart in strengths of the strongest rule at half its reach; 1/r grows beyond any chart
MIN_HEIGHT = 6.0  # A chart less high or wide than this, in heights of a letter, is not drawn
BALANCE = "push = pull, for a pair"  # Label of the distance at which separation is as strong as cohesion
WIDTH = 0.2  # Width of a curve, in heights of a letter


class ForcesChart(Forces):
    """Curves of strength against distance, with the present neighbors of the boid in focus as dots."""

    kinds: ClassVar[tuple[str, ...]] = ("chart",)
    panel: ClassVar[bool] = True

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        left, top, right, bottom = self.draw_panel(canvas, scene)
        flock, margin, size = self.which(state.setup)[0], 1.2 * scene.text, scene.text
        rows = rule_rows(scene.beginning, state.setup, flock)
        wide = right - left - 2 * margin
        top += margin
        if rows_width(size, rows) < wide:
            write_rows(canvas, scene, rows, (left + margin, top), wide, flock)
            top += PITCH * size * len(rows)
        plot = Rectangle(left + 2.2 * size, top + 2.4 * size, right - margin, bottom - margin - 2.8 * size)
        reach = reaches(state.setup, flock)
        if not reach or min(plot.right - plot.left, plot.bottom - plot.top) <= MIN_HEIGHT * size:
            return
        farthest = max(reach.values())
        curves = _curves_of(_Flock(state.setup, flock), farthest)
        middle = [strength[int(POINTS * 0.5 * reach[name] / farthest)] for name, strength in curves.items()]
        highest = HEADROOM * float(max([*middle, MIN_SCALE]))
        _frame(canvas, scene, plot, farthest)
        _balance(canvas, scene, plot, curves, farthest)
        scale = np.array([(plot.right - plot.left) / farthest, (plot.bottom - plot.top) / highest])
        for name, strength in curves.items():
            distance = np.linspace(0, farthest, POINTS + 1)[1:]
            inside = (distance < reach[name]) & (strength <= highest)
            points = _placed(plot, scale, distance[inside], strength[inside])
            canvas.path(points, scene.tone(rule_role(name)), WIDTH * scene.text)
        # A dot on each curve for each neighbor; those stronger than the chart is high stand at its top.
        others = self.seen(state)
        distance = length(state.setup.world.shortest(others - self.position(state)))
        for name, strength in strengths(state.setup, flock, distance).items():
            felt = strength > 0
            level = np.minimum(strength[felt], (plot.bottom - plot.top) / scale[1])
            for point in _placed(plot, scale, distance[felt], level):
                canvas.fill(point + 0.42 * scene.text * circle(24), scene.tone("focus"))
                canvas.fill(point + 0.28 * scene.text * circle(24), scene.tone(rule_role(name)))


def reaches(setup: Setup, number: int = 0) -> Mapping[str, float]:
    """Radius of each active rule about neighbors of a flock; without bound, across the world."""
    flock, across = setup.flock[number], magnitude(setup.world.extent) / 2
    rules = {name: rule for name, rule in flock.rules.items() if isinstance(rule, NeighborRule)}
    steering = {name: rule for name, rule in rules.items() if rule.acts_on == "velocity"}
    return {name: min(rule.reach(flock.perception)[0], across) for name, rule in steering.items()}


@lru_cache(maxsize=4)
def _curves_of(key: "_Flock", farthest: float) -> Mapping[str, Array]:
    return strengths(key.setup, key.flock, np.linspace(0, farthest, POINTS + 1)[1:])


class _Flock:
    """A setup that is equal to another if this flock is the same in both, for curves change with nothing else."""

    def __init__(self, setup: Setup, flock: int) -> None:
        self.setup, self.flock = setup, flock

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Flock) and self.setup.flock[self.flock] == other.setup.flock[other.flock]

    def __hash__(self) -> int:
        return hash(self.setup.flock[self.flock].name)


def _placed(plot: Rectangle, scale: Array, distance: Array, strength: Array) -> Array:
    """Points in the picture, shape (k, 2)."""
    return np.column_stack((plot.left + distance * scale[0], plot.bottom - strength * scale[1]))


def _frame(canvas: Canvas, scene: Scene, plot: Rectangle, farthest: float) -> None:
    """Both axes, what they mean, and how far the farthest rule looks."""
    size, muted = scene.text, scene.tone("muted")
    canvas.path(
        np.array([(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)]), muted, 1.6 * scene.pen
    )
    canvas.write("strength", (plot.left - size, plot.top - 0.5 * size), scene.tone("text"), size, (0, 1))
    canvas.write("0", (plot.left, plot.bottom + 0.3 * size), scene.tone("text"), size, (0.5, 0))
    canvas.write(f"{farthest:.3g}", (plot.right, plot.bottom + 0.3 * size), scene.tone("text"), size, (1, 0))
    middle = (plot.left + plot.right) / 2, plot.bottom + 1.6 * size
    canvas.write("distance of a neighbor", middle, scene.tone("text"), size, (0.5, 0))


def _balance(canvas: Canvas, scene: Scene, plot: Rectangle, curves: Mapping[str, Array], farthest: float) -> None:
    """A line at the distance beyond which cohesion is stronger than separation, with words where they have room."""
    if not {"separation", "cohesion"} <= curves.keys():
        return
    pull = curves["cohesion"] > curves["separation"]
    turns = np.flatnonzero(pull[1:] & ~pull[:-1])
    if not len(turns):
        return
    distance = float((turns[0] + 2) * farthest / POINTS)
    x, size, tone = plot.left + distance / farthest * (plot.right - plot.left), scene.text, scene.tone("text")
    canvas.lines(np.array([(x, plot.top)]), np.array([(x, plot.bottom)]), scene.tone("muted", 0.8), 1.2 * scene.pen)
    if x + 0.4 * size + width(BALANCE, size) <= plot.right:
        canvas.write(BALANCE, (x + 0.4 * size, plot.top), tone, size)
    if plot.left + 2 * size < x < plot.right - 4 * size:
        canvas.write(f"{distance:.2g}", (x, plot.bottom + 0.3 * size), tone, size, (0.5, 0))
