"""Overlays about the boid in focus: perception, neighbors, and the forces on it; links between all boids.

Forces are shown as arrows, in words, and as a chart of strength against distance. One key, `forces`, selects arrows on
the boid with a key of their colors, or a panel beside the world; each layer is a part of one or the other. All arrows
share one scale, so that those of two frames can be compared. The curves of the chart are the rules' own forces on a
boid at rest with a single neighbor (`measures.strengths`), each as far as its rule looks; the dots on them are the
present neighbors. A line marks the distance at which separation pushes as hard as cohesion pulls. In a flock pushes add
up over all neighbors, so boids keep further apart than a pair.
"""

from abc import ABC
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.canvas import Foreground, Rectangle, Scene, Slot, Surface, flow
from boidsgen.drawing.colorings import Coloring
from boidsgen.drawing.frame import PaletteIndex
from boidsgen.drawing.text import width
from boidsgen.drawing.themes import FORCE_COLORS, Theme
from boidsgen.simulation.geometry import Array, circle, dot, length, magnitude, unit
from boidsgen.simulation.measures import contributions, influences, measure, neighbors_of, strengths
from boidsgen.simulation.rules.rule import NeighborRule
from boidsgen.simulation.run import flock_tracks
from boidsgen.simulation.setup import Setup, State
from boidsgen.tables import attributes

MIN_LENGTH = 1.5  # Shorter arrows, in pixels, are not drawn
ARROW_RIM = 2.0  # By how many pixels the clear rim is wider than the arrow, both sides together
MAX_NEIGHBOR_LINKS = 1000
BoidNumber = Annotated[int, Field(ge=0)]


def draw_arrow(
    surface: Surface, start: Array, way: Array, tone: PaletteIndex, thickness: float, room: float = np.inf
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
    surface.stroke(begin, end, None, np.array([thickness + ARROW_RIM, 0.6 * head + ARROW_RIM]))
    surface.stroke(start[None], neck[None], tone, thickness)
    _draw_head(surface, start + way, ahead * head, tone)
    if beyond:
        _draw_head(surface, start + way - 0.8 * head * ahead, ahead * head, tone)


def _draw_head(surface: Surface, tip: Array, ahead: Array, tone: PaletteIndex) -> None:
    """Draw the head of an arrow that ends at `tip` and is as long as `ahead`."""
    aside = 0.42 * np.array([-ahead[1], ahead[0]])
    surface.fill(np.stack((tip, tip - ahead + aside, tip - ahead - aside)), tone)


FADE_FRAMES = 12  # Frames in which the boid in focus fades in
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
    surface: Surface, scene: Scene, rows: list[WordRow], corner: tuple[float, float], wide: float, flock: int
) -> None:
    """Write rows about a flock, of this width, below each other, from a corner at the top left."""
    left, size = corner[0], scene.text
    indent = 1.6 * size if any(row.role for row in rows) else 0.0
    for number, row in enumerate(rows):
        top = corner[1] + PITCH * size * number
        label = f"{rule_letters(scene.beginning, flock)[row.role]}: {row.label}" if row.role else row.label
        surface.write(label, (left + indent, top), scene.tone(row.ink), size)
        if row.value:
            surface.write(row.value, (left + wide, top), scene.tone(row.ink), size, (1, 0))
        if row.role:
            middle = np.array([left, top + 0.65 * size])
            draw_arrow(surface, middle, np.array([1.2 * size, 0.0]), scene.tone(row.role), 0.2 * size)


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
        return 1.0 if not self.focus_from else min(max((frame - self.focus_from) / FADE_FRAMES, 0.0), 1.0)

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

    def ring(self, surface: Surface, scene: Scene, state: State) -> Array | None:
        """Draw a ring round it, and return where it is in the picture; None if it is behind the camera."""
        seen = scene.projection(self.position(state)[None])
        if not seen.shown[0]:
            return None
        rim = seen.xy + 0.75 * scene.text * circle(32)
        surface.stroke(rim, np.roll(rim, -1, axis=0), scene.tone("focus"), 1.6 * scene.pen)
        return seen.xy[0]


class Perception(FocusLayer):
    """The outline of what the boid in focus perceives."""

    perception: bool = False
    """Outline what the boid in focus perceives: a disc, or a sector when its field of view is less than all round."""

    @override
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        self.ring(surface, scene, state)
        table = scene.setup.flock[self.which(state.setup)[0]].perception
        if not np.isfinite(table.radius):
            return
        outline = sector(self.velocity(state), table.radius, np.radians(table.field_of_view))
        seen = scene.projection(self.position(state) + outline)
        for copy in scene.projection.copies(seen.xy) if seen.shown.all() else ():
            surface.veil(copy, scene.tone("focus", 0.09))
            surface.stroke(copy[:-1], copy[1:], scene.tone("focus", 0.8), 1.2 * scene.pen)


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
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        self.ring(surface, scene, state)
        place, others = self.position(state), self.seen(state)
        if not len(others):
            return
        ends = place + scene.setup.world.shortest(others - place)
        seen = scene.projection(np.vstack((place, ends)))
        for copy in scene.projection.copies(seen.xy) if seen.shown.all() else ():
            start = np.broadcast_to(copy[0], (len(ends), 2))
            surface.stroke(start, copy[1:], scene.tone("focus", 0.7), 1.2 * scene.pen)


class Links(Foreground):
    """Arrows between pairs of boids, the shortest way; none to or from those that are absent."""

    roles: ClassVar[tuple[str, ...]] = ("focus",)

    links: Annotated[tuple[tuple[BoidNumber, BoidNumber], ...], Field(max_length=MAX_NEIGHBOR_LINKS)] = ()
    """Pairs of boids, counted from 0 through all flocks: an arrow from the first to the second of each, as
    `boidsgen leaders` draws them from followers to leaders. Pages do not show them."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return bool(self.links)

    @override
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        flocks = [track.full(state, "position") for track in flock_tracks(state.setup)]
        start, end = np.concatenate(flocks)[np.array(self.links).T]
        there = np.isfinite(start[:, 0]) & np.isfinite(end[:, 0])
        way = scene.setup.world.shortest(end[there] - start[there])
        begin, tip = scene.projection(start[there]), scene.projection(start[there] + way)
        for line in np.stack((begin.xy, tip.xy), axis=1)[begin.shown & tip.shown]:
            way = line[1] - line[0]
            gap = 0.6 * scene.body * unit(way[None])[0]  # the animals at both ends stay in sight
            for copy in scene.projection.copies(line) if dot(way, way - 2 * gap) > 0 else ():
                draw_arrow(surface, copy[0] + gap, way - 2 * gap, scene.tone("focus", 0.7), 1.2 * scene.pen)


BOID_ROOM = 5.0  # Length of the longest arrow on a boid, in heights of a letter
PANEL_ROOM = 0.36  # Length of the longest arrow in the panel, in widths of the panel
VELOCITY = WordRow("velocity", "", "text")
LETTERED_FROM, LETTER_BEYOND = 0.8, 0.7
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
        if name in attributes(type(table)):
            rule = getattr(table, name)
            usual = {"reynolds": table.max_force, "unit": 1.0}.get(table.steering_of(rule), np.inf)
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
        arrows = {rule_role(name): theme.forces[number % FORCE_COLORS] for number, name in enumerate(names)}
        return arrows | ({"divider": theme.divider} if self.panel and theme.divider else {})

    def draw_panel(self, surface: Surface, scene: Scene) -> Rectangle:
        """Draw the line that parts the panel from the world, and return what its texts leave of it.

        The panel is cleared, unless its arrows need the bright ground behind them.
        """
        free = scene.layout.panel
        if not scene.inks.dusky:
            surface.blank((free.left, 0), free[2:])
        tone = scene.tone("divider") if scene.inks.has("divider") else scene.tone("muted", 0.6)
        surface.stroke(np.array([(free.left, 0.0)]), np.array([(free.left, free.bottom)]), tone, 1.2 * scene.pen)
        return free

    def draw_arrows(self, surface: Surface, scene: Scene, state: State, center: Array, room: float) -> None:
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
            draw_arrow(surface, center, way, scene.tone(role), 0.19 * scene.text, room)
        for role, way in ways.items():
            size = magnitude(way)
            if size >= LETTERED_FROM * scene.text:  # for those who cannot tell the colors apart
                place = center + way / size * (min(size, room) + LETTER_BEYOND * scene.text)
                letter = rule_letters(scene.beginning, flock)[role]
                tone = scene.tone("text" if scene.inks.dusky else role)
                surface.write(letter, tuple(place.tolist()), tone, scene.text, (0.5, 0.5))
        if self.forces != "arrows":
            surface.fill(center + self.dot * scene.text * circle(32), scene.tone("focus"))


class ForcesOnBoid(Forces):
    """A ring round the boid in focus, and the arrows on it unless a panel has them."""

    kinds: ClassVar[tuple[str, ...]] = ("boid", "arrows", "panel", "chart")

    @override
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        place = self.ring(surface, scene, state)
        if place is not None and self.forces in {"boid", "arrows"}:
            self.draw_arrows(surface, scene, state, place, BOID_ROOM * scene.text)


class ForcesKey(Forces):
    """The colors of the arrows, each with the state of its rule, below the world."""

    kinds: ClassVar[tuple[str, ...]] = ("boid",)
    slot: ClassVar[Slot] = "numbers"

    @override
    def extent(self, setup: Setup, coloring: Coloring, wide: float, text: int) -> tuple[float, float]:
        places = self._places(setup, wide, text)
        return max(place.right for place in places), places[-1].bottom

    @override
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        left, top, right, _ = scene.place(self)
        flock = self.which(state.setup)[0]
        rows = rule_rows(scene.beginning, state.setup, flock)
        places = self._places(scene.beginning, right - left, scene.text)
        for row, place in zip([*rows, VELOCITY], places, strict=True):
            corner = left + place.left, top + place.top
            write_rows(surface, scene, [row], corner, place.right - place.left, flock)

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
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        left, high, right, low = self.draw_panel(surface, scene)
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
            write_rows(surface, scene, above, (left + margin, high + margin), wide - 2 * margin, flock)
            write_rows(surface, scene, below, (left + margin, bottom), wide - 2 * margin, flock)
        else:
            top, bottom = high, low
        center, room = np.array([left + wide / 2, (top + bottom) / 2]), min(PANEL_ROOM * wide, 0.46 * (bottom - top))
        if self.force_scale is None or self.velocity_scale is None:
            rim = center + room * circle(96)
            surface.stroke(rim, np.roll(rim, -1, axis=0), scene.tone("muted", 0.5), 1.0 * scene.pen)
        self.draw_arrows(surface, scene, state, center, room)


CURVE_POINTS = 160  # Distances at which the curves are computed
HEADROOM = 2.5  # Height of the chart in strengths of the strongest rule at half its reach; 1/r grows beyond any chart
MIN_HEIGHT = 6.0  # A chart less high or wide than this, in heights of a letter, is not drawn
BALANCE = "push = pull, for a pair"  # Label of the distance at which separation is as strong as cohesion
CURVE_WIDTH = 0.2  # Width of a curve, in heights of a letter


class ForcesChart(Forces):
    """Curves of strength against distance, with the present neighbors of the boid in focus as dots."""

    kinds: ClassVar[tuple[str, ...]] = ("chart",)
    panel: ClassVar[bool] = True

    @override
    def draw(self, surface: Surface, scene: Scene, state: State) -> None:
        left, top, right, bottom = self.draw_panel(surface, scene)
        flock, margin, size = self.which(state.setup)[0], 1.2 * scene.text, scene.text
        rows = rule_rows(scene.beginning, state.setup, flock)
        wide = right - left - 2 * margin
        top += margin
        if rows_width(size, rows) < wide:
            write_rows(surface, scene, rows, (left + margin, top), wide, flock)
            top += PITCH * size * len(rows)
        plot = Rectangle(left + 2.2 * size, top + 2.4 * size, right - margin, bottom - margin - 2.8 * size)
        reach = reaches(state.setup, flock)
        if not reach or min(plot.right - plot.left, plot.bottom - plot.top) <= MIN_HEIGHT * size:
            return
        farthest = max(reach.values())
        curves = _curves_of(_Flock(state.setup, flock), farthest)
        middle = [strength[int(CURVE_POINTS * 0.5 * reach[name] / farthest)] for name, strength in curves.items()]
        highest = HEADROOM * float(max([*middle, MIN_SCALE]))
        _frame(surface, scene, plot, farthest)
        _balance(surface, scene, plot, curves, farthest)
        scale = np.array([(plot.right - plot.left) / farthest, (plot.bottom - plot.top) / highest])
        for name, strength in curves.items():
            distance = np.linspace(0, farthest, CURVE_POINTS + 1)[1:]
            inside = (distance < reach[name]) & (strength <= highest)
            points = _placed(plot, scale, distance[inside], strength[inside])
            surface.stroke(points[:-1], points[1:], scene.tone(rule_role(name)), CURVE_WIDTH * scene.text)
        # A dot on each curve for each neighbor; those stronger than the chart is high stand at its top.
        others = self.seen(state)
        distance = length(state.setup.world.shortest(others - self.position(state)))
        for name, strength in strengths(state.setup, flock, distance).items():
            felt = strength > 0
            level = np.minimum(strength[felt], (plot.bottom - plot.top) / scale[1])
            for point in _placed(plot, scale, distance[felt], level):
                surface.fill(point + 0.42 * scene.text * circle(24), scene.tone("focus"))
                surface.fill(point + 0.28 * scene.text * circle(24), scene.tone(rule_role(name)))


def reaches(setup: Setup, number: int = 0) -> Mapping[str, float]:
    """Radius of each active rule about neighbors of a flock; without bound, across the world."""
    flock, across = setup.flock[number], magnitude(setup.world.extent) / 2
    rules = {name: rule for name, rule in flock.rules.items() if isinstance(rule, NeighborRule)}
    steering = {name: rule for name, rule in rules.items() if rule.acts_on == "velocity"}
    return {name: min(rule.reach(flock.perception)[0], across) for name, rule in steering.items()}


@lru_cache(maxsize=4)
def _curves_of(key: "_Flock", farthest: float) -> Mapping[str, Array]:
    return strengths(key.setup, key.flock, np.linspace(0, farthest, CURVE_POINTS + 1)[1:])


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


def _frame(surface: Surface, scene: Scene, plot: Rectangle, farthest: float) -> None:
    """Both axes, what they mean, and how far the farthest rule looks."""
    size, muted = scene.text, scene.tone("muted")
    corner = np.array([(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)])
    surface.stroke(corner[:-1], corner[1:], muted, 1.6 * scene.pen)
    surface.write("strength", (plot.left - size, plot.top - 0.5 * size), scene.tone("text"), size, (0, 1))
    surface.write("0", (plot.left, plot.bottom + 0.3 * size), scene.tone("text"), size, (0.5, 0))
    surface.write(f"{farthest:.3g}", (plot.right, plot.bottom + 0.3 * size), scene.tone("text"), size, (1, 0))
    middle = (plot.left + plot.right) / 2, plot.bottom + 1.6 * size
    surface.write("distance of a neighbor", middle, scene.tone("text"), size, (0.5, 0))


def _balance(surface: Surface, scene: Scene, plot: Rectangle, curves: Mapping[str, Array], farthest: float) -> None:
    """A line at the distance beyond which cohesion is stronger than separation, with words where they have room."""
    if not {"separation", "cohesion"} <= curves.keys():
        return
    pull = curves["cohesion"] > curves["separation"]
    turns = np.flatnonzero(pull[1:] & ~pull[:-1])
    if not len(turns):
        return
    distance = float((turns[0] + 2) * farthest / CURVE_POINTS)
    x, size, tone = plot.left + distance / farthest * (plot.right - plot.left), scene.text, scene.tone("text")
    surface.stroke(np.array([(x, plot.top)]), np.array([(x, plot.bottom)]), scene.tone("muted", 0.8), 1.2 * scene.pen)
    if x + 0.4 * size + width(BALANCE, size) <= plot.right:
        surface.write(BALANCE, (x + 0.4 * size, plot.top), tone, size)
    if plot.left + 2 * size < x < plot.right - 4 * size:
        surface.write(f"{distance:.2g}", (x, plot.bottom + 0.3 * size), tone, size, (0.5, 0))
