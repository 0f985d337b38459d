"""Animals in the picture: places, attitudes and trails, and the painters that draw them.

The renderer decides when each thing is drawn, a painter how. `Painter` is the base of the looks; `FlatPainter`, the
flat look, composites palette indices over a plain background by `max`, which is exact in every format.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.camera import Projection, Seen, Viewpoint, along, hides
from boidsgen.drawing.canvas import Canvas, Layout, Lines, OverlayLayer, Scene, Surface, strength_at
from boidsgen.drawing.frame import Codes, Palette, PaletteIndex
from boidsgen.drawing.look import Drawable
from boidsgen.drawing.shapes import MAX_BEND, SHAPES, Hidden, Integers, Placed, Shape, Short, Sprites, reach, variety_of
from boidsgen.simulation.geometry import Array, dot
from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import State
from boidsgen.simulation.world import World

TINY = 1e-12

BANK, FLAT_BANK, LEANING = 28.0, 8.0, 0.75
"""Bank angle of a bird: its tangent for each radian of turn in a step. In a flat world, where all turns are across the
view, birds lean less, and keep this part of their span, or they would seem to shrink."""


def in_front(each: Placed, seen: Seen, others: Sequence[tuple[Placed, Seen]], reach: float) -> Integers:
    """The rows of those who are within reach of others, in pixels, and nearer to the viewer than all of these."""
    xy = np.concatenate([one.xy for one, _ in others])
    depth = np.concatenate([by.depth[one.animal] for one, by in others])
    # Few others: along the first axis numpy reduces them fast.
    across, down = (np.abs(own - other[:, None]) < reach for own, other in zip(each.xy.T, xy.T, strict=True))
    close = across & down
    nearer = seen.depth[each.animal] < depth[:, None]
    return np.flatnonzero(close.any(axis=0) & (nearer | ~close).all(axis=0))


class Attitude(NamedTuple):
    """Orientation of bodies with wings, as seen in the picture."""

    heading: Array  # (n,) radians, counterclockwise from the right
    apparent: Array  # (n,) the part of the length that is seen
    width: Array  # (n,) the part of the span that is seen


def placed(
    group: Group, projection: Projection, seen: Seen, size: tuple[int, int], reach: int, wings: Attitude | None = None
) -> Placed:
    """The animals in a picture of this size, or within reach of it; `wings` says how all are turned that have some."""
    within = (seen.xy > -reach) & (seen.xy < np.array(size) + reach)
    shown = (seen.shown & within[:, 0] & within[:, 1]).nonzero()[0]
    here = seen.of(shown)
    which, xy = projection.repeated(here.xy, reach)
    inside = ((xy > -reach) & (xy < np.array(size) + reach)).all(axis=1)
    which, xy = which[inside], xy[inside]  # not beyond the edges of a world that is larger than the picture
    animal, scale = shown[which], here.scale[which] / projection.scale
    if wings:
        return Placed(animal, xy, wings.heading[animal], scale, wings.apparent[animal], wings.width[animal])
    heading, apparent = projection.heading(group.position[shown], group.velocity[shown], here)
    return Placed(animal, xy, heading[which], scale, apparent[which])


BEAT = 1024  # Parts of a beat of wings or tails
GOLDEN = 633  # Parts from one animal to the next, in the golden section: neighbors in number do not beat alike
SWING = exact.sine(2 * np.pi * np.arange(BEAT) / BEAT)  # Deflection of a tail in each part, -1 to 1
LIFT = (SWING**2).astype(np.float32)  # Squared elevation of the wings in each part
STROKE = 0.24  # Missing part of the span of raised wings, seen from above
WAG = 0.26  # Deflection of a tail that beats, in poses


class Turning(NamedTuple):
    """Movement of the animals of a group."""

    velocity: Array  # (n, d) now
    before: Array  # (n, d) a frame before
    axes: Array  # (3, d) along which they are seen, as in `Projection`


def beating(each: Placed, shape: Shape, turning: Turning, time: float, length: float) -> Placed:
    """Animals with their wings or tails where they are at a time, in frames.

    `length` is that of a body, in world units for a velocity in units a frame. A body bends into its turn, as far as it
    is seen, so that the tail is where the head was.
    """
    if not shape.beat:
        return each
    pose = stroke(shape, (each.animal * GOLDEN + int(time * shape.beat * BEAT)) % BEAT)
    if shape.winged:
        return each._replace(pose=pose * each.pose)
    now, past = turning.velocity[each.animal], turning.before[each.animal]
    (x, y), (u, v) = along(turning.axes[:2], past), along(turning.axes[:2], now)
    square = np.maximum(dot(now, now), TINY)
    pose = pose + (x * v - y * u) * length / (4.0 * MAX_BEND * square * np.sqrt(square))
    return each._replace(pose=np.minimum(np.maximum(pose, 0.0), 1.0))


def stroke(shape: Shape, part: Integers) -> Array:
    """Poses of a shape in parts of a beat, straight ahead."""
    if shape.glides:
        part = np.where(part < BEAT // 2, 3 * part % BEAT, 0)
    swing: Array = SWING.take(part)
    return 1.0 - STROKE * swing * swing if shape.winged else 0.5 + WAG * swing


def attitudes(velocity: Array, before: Array, axes: Array) -> Attitude:
    """Orientation of bodies by their velocity now and a frame before, (n, d) each, seen along these axes, (3, d).

    Half as long numbers are twice as fast, and good for a thousandth of a turn. The right wing lies across the way and
    across what is up for the bird: the vertical, leaned into the turn.
    """
    if velocity.shape[1] == 2:
        (x, y), (u, v) = velocity.T, before.T
        lean = FLAT_BANK * (u * y - v * x) / np.maximum(x * x + y * y, TINY)
        return Attitude(exact.heading(y, x), np.ones(len(x)), np.maximum(1.0 / np.sqrt(1.0 + lean * lean), LEANING))
    x, y, z = (np.ascontiguousarray(part, np.float32) for part in velocity.T)
    u, v, w = (part - np.ascontiguousarray(past, np.float32) for part, past in zip((x, y, z), before.T, strict=True))
    pace = 1.0 / np.maximum(np.sqrt(x * x + y * y + z * z), np.float32(1e-9))
    x, y, z, lean = x * pace, y * pace, z * pace, np.float32(BANK) * pace
    u, v, w = lean * u, lean * v, lean * w + np.float32(1.0)
    aside = y * w - z * v, z * u - x * w, x * v - y * u
    span = np.sqrt(aside[0] * aside[0] + aside[1] * aside[1] + aside[2] * aside[2])
    upright = span < np.float32(1e-6)
    span = np.where(upright, np.float32(1.0), span)
    right = [np.where(upright, np.float32(axis), part / span) for part, axis in zip(aside, axes[0], strict=True)]
    # What is seen of the axes forward and to the right, each of length 1 in the world.
    (x, y), (u, v) = (_on_screen(vector, axes) for vector in ((x, y, z), right))
    area = np.abs(x * v - y * u)
    long, wide = np.sqrt(x * x + y * y), np.sqrt(u * u + v * v)
    # The longer gives the direction, the area the rest, so that no direction is lost in who flies at the viewer.
    by_length = long >= wide
    across = area / np.maximum(np.maximum(long, wide), np.float32(1e-9))
    # A quarter turn from the right wing against the clock lies the head, unless one sees the body from below.
    below = np.where(u * y - v * x < 0, np.float32(-1.0), np.float32(1.0))
    x, y = np.where(by_length, x, -v * below), np.where(by_length, y, u * below)
    # The direction in whole STEPS of an eighth of a turn.
    wide_x, high_y = np.abs(x), np.abs(y)
    part = (
        np.minimum(wide_x, high_y) * np.float32(TURN_STEPS) / np.maximum(np.maximum(wide_x, high_y), np.float32(1e-9))
    )
    eighth = (x < 0) * 4 + (y < 0) * 2 + (high_y > wide_x)
    turn = TURNS.take(eighth * (TURN_STEPS + 1) + (part + np.float32(0.5)).astype(np.intp))
    return Attitude(turn, np.where(by_length, long, across), np.where(by_length, across, wide))


def _on_screen(vector: Sequence[Short], axes: Array) -> tuple[Short, Short]:
    """Unit vectors along the axes to the right and up."""
    right, up = (
        sum((part * np.float32(share) for part, share in zip(vector[1:], axis[1:], strict=True)), vector[0] * axis[0])
        for axis in axes[:2].astype(np.float32)
    )
    return right, up


TURN_STEPS = 64
_EIGHTH = exact.heading(np.arange(TURN_STEPS + 1) / TURN_STEPS, np.ones(TURN_STEPS + 1))
TURNS = np.concatenate(
    [
        sign * (np.pi - angle if behind else angle)
        for behind in (False, True)
        for sign in (1, -1)
        for angle in (_EIGHTH, np.pi / 2 - _EIGHTH)
    ]
)
"""Angles by whole directions, in radians: twice as fine as the headings of sprites."""


MAX_STRENGTH = 0.65  # Strength of the newest piece of a trail


class Piece(NamedTuple):
    """The ways of all animals of a group from one frame to the next."""

    start: Array  # (n, d) from where
    end: Array  # (n, d) to where
    # (n,) false for who left on one side and entered on the other: that is no flight across the picture
    flown: NDArray[np.bool_]

    def of(self, row: NDArray[np.intp], known: NDArray[np.bool_], position: Array) -> "Piece":
        """The ways of other animals: those in these rows if they are known, none for who is at a position now."""
        if not len(self.flown):
            return Piece(position, position, known)
        start, end = (np.where(known[:, None], each[row], position) for each in (self.start, self.end))
        return Piece(start, end, known & self.flown[row])


class Trail:
    """The trails of one group of animals."""

    def __init__(self, frames: int) -> None:
        self.frames = frames  # for how many frames a piece stays visible; 0 = no trails
        self.pieces: deque[Piece] = deque(maxlen=frames)  # from the newest to the oldest
        self._last: Group | None = None
        self._new = 0  # the number of pieces that are not in the lines yet
        self._lines: Lines = ()
        self._view: Projection | None = None  # of the lines

    @property
    def life(self) -> Array:
        """Remaining strength of each piece, 1 for the newest, shape (pieces,)."""
        return 1.0 - np.arange(len(self.pieces)) / self.frames

    def follow(self, group: Group, world: World) -> None:
        """Go on to where the animals are now; who has come has no trail yet, and who has left has none any more."""
        if not self.frames:
            return
        position, last = group.position, self._last
        if last is not None:
            known, start = np.ones(len(position), np.bool_), last.position
            if group.members is not last.members or len(last.position) != len(position):
                known = np.isin(group.numbers, last.numbers)
                row = np.where(known, np.searchsorted(last.numbers, group.numbers), -1)
                if len(last.position) != len(position) or not known.all():
                    self.pieces = deque([piece.of(row, known, position) for piece in self.pieces], self.frames)
                    self._view = None
                start = np.where(known[:, None], last.position[row], position) if len(last.position) else position
            if world.boundary.jumps:
                # A way of half the world is the way round, whoever is seen there.
                known = known & (np.abs(position - start) < world.extent / 2).all(axis=1)
            self.pieces.appendleft(Piece(start, position, known))
            self._new += 1
        self._last = group

    def trace(self, surface: Surface, projection: Projection, width: float) -> Lines:
        """All pieces that were flown and are seen, as lines that are numbered through from the newest piece on."""
        every, animals = len(self.pieces), len(self.pieces[0].end)
        # While the camera stands still, only new pieces are traced.
        new = min(self._new, every) if self._view is projection else every
        self._new, self._view = 0, projection
        if new:
            pieces = [*islice(self.pieces, new)]
            # Each piece begins where the older one ends, so that every place is projected once.
            seen = projection(np.concatenate([pieces[0].end, *(piece.start for piece in pieces)]))
            start, end = seen.of(slice(animals, None)), seen.of(slice(0, len(seen.xy) - animals))
            flown = np.concatenate([piece.flown for piece in pieces])
            shown = np.flatnonzero(start.shown & end.shown & flown)
            line, *rest = surface.trace(start.xy[shown], end.xy[shown], width)
            added = shown[line], *rest
            if new < every:
                left = self._lines[0] < (every - new) * animals
                count = np.count_nonzero(left)
                kept = slice(count) if left[:count].all() else left  # those that remain come first
                line, *rest = (part[kept] for part in self._lines)
                known = line + new * animals, *rest
                added = tuple(np.concatenate(parts) for parts in zip(added, known, strict=True))
            self._lines = added
        return self._lines


@dataclass(eq=False)
class Painter(ABC):
    """Draws animals in one look."""

    leaning: ClassVar[bool] = True
    """True if birds lean into their turns in a flat world, too; so small they would only seem to shrink."""

    scenario: Drawable
    size: tuple[int, int]
    """(width, height) of the pictures, in pixels."""
    closest: float
    """Magnification of what is nearest in a run, against the center of the world."""
    inks: Palette
    body: float
    """Length of a boid in the center of the world, in pixels."""
    layout: Layout
    """The places of world, texts and panel in the pictures."""
    viewpoint: Viewpoint
    """From where the world is seen at first."""
    kind: type[Surface] = Canvas
    """Of the surface of text and marks, and of all of a flat picture."""
    canvas: Surface = field(init=False)
    """With the animals, and what lies below them."""
    marks: Surface = field(init=False)
    """With text and marks above them: the same, unless shapes lie above a picture of pixels."""
    surfaces: list[Surface] = field(init=False)
    """All that are drawn on."""
    palette: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        scenario, style, hunters = self.scenario, self.scenario.style, len(self.scenario.predators)
        self._predator_size = style.predator_size
        names = [*map(style.shape_of, range(len(scenario.flock))), *[style.hunter] * hunters]
        kinds = {name: SHAPES[name]() for name in names}
        self._shapes = [kinds[name] for name in names]  # of all groups, flocks first
        frames = [style.trails] * len(scenario.flock) + [style.hunters_trails] * hunters
        self._trails = [Trail(count) for count in frames]
        self._trail_width = style.trail_pen(self.size)
        self._noted: list[list[Array]] = []
        self._before: list[Array] = []

    def note(self, state: State) -> None:
        """Remember a state."""
        groups = (*state.flocks, *state.predators)
        now = [group.velocity for group in groups]
        if not state.share:
            self._noted = [*(self._noted or [[*state.before] or now])[-1:], now]
        # A frame ago, in slow motion too, and for who is new their own.
        self._before = [
            old + state.share * (new - old) if len(old) == len(new) == len(own) else own
            for old, new, own in zip(self._noted[0], self._noted[-1], now, strict=True)
        ]
        for trail, group in zip(self._trails, groups, strict=True):
            trail.follow(group, state.setup.world)

    def settle(self) -> None:
        """Make what is drawn so far the ground."""
        for surface in self.surfaces:
            surface.settle()

    @abstractmethod
    def draw(self, state: State, scene: Scene) -> None:
        """Draw the animals of a new picture."""

    def placed(self, number: int, group: Group, seen: Seen, state: State, scene: Scene, reach: int) -> Placed:
        """The animals of a group, flocks first, that are in the picture or within reach of it, in pixels."""
        shape, turning = self._shapes[number], Turning(group.velocity, self._before[number], scene.projection.axes)
        leans = shape.winged and (self.leaning or group.velocity.shape[1] == 3)
        each = placed(group, scene.projection, seen, self.size, reach, attitudes(*turning) if leans else None)
        size = self.body if number < len(scene.setup.flock) else self.body * self._predator_size
        # In world units for velocities in units a frame.
        length = size / (scene.projection.scale * scene.setup.time.dt * scene.setup.time.steps_per_frame)
        return beating(each, shape, turning, state.frame + state.share, length)

    def surface(self, layer: OverlayLayer, scene: Scene) -> tuple[Surface, Scene]:
        """The surface of a layer, and the scene as it is seen there."""
        return self.marks, scene

    def crop(self, window: Array) -> None:
        """Take away what was drawn outside a window."""
        for surface in self.surfaces:
            surface.crop(window)

    def picture(self) -> Codes:
        """The finished picture, where it consists of pixels."""
        codes: Codes = self.canvas.picture()
        return codes

    def full_color(self) -> NDArray[np.uint8]:
        """The same picture in all its colors, (height, width, 3)."""
        return self.palette[self.picture()]

    def hidden(self, scene: Scene, *position: Array) -> Hidden:
        """Which bodies hide what is at these places, (n, d) each."""
        hidden = np.zeros((sum(map(len, position)), len(self.canvas.bodies) + 1), np.bool_)
        for number, body in enumerate(self.canvas.bodies, start=1):
            hidden[:, number] = hides(body, np.concatenate(position), scene.projection, scene.setup.world)
        return hidden


CLEARING, OUTLINED = 1.3, 1.25  # Sizes of the clear rims round a predator and a disc, in sizes of them


class FlatPainter(Painter):
    """Stamps animals in flat inks."""

    leaning: ClassVar[bool] = False

    @override
    def __post_init__(self) -> None:
        super().__post_init__()
        style, body = self.scenario.style, self.body
        self.palette = self.inks.colors
        self._colors_depth = style.color_by == "depth"
        hunter = SHAPES[style.hunter]()
        largest = max(CLEARING * style.predator_size, 1.0) * self.closest
        self._reach = max(reach(shape, body, largest, variety_of(shape)) for shape in (*self._shapes, hunter))
        # The margin lets a sprite stand wholly outside the picture.
        self.canvas = self.marks = self.kind(self.size, 2 * self._reach + 2, self.inks)
        self.surfaces = [self.canvas]
        sprites = {
            shape: Sprites(shape, body, largest, self.canvas.stride, variety_of(shape)) for shape in set(self._shapes)
        }
        self._sprites = [sprites[shape] for shape in self._shapes]

    @override
    def draw(self, state: State, scene: Scene) -> None:
        groups = []
        for number, group in enumerate((*state.flocks, *state.predators)):
            seen = scene.projection(group.position)
            each = self.placed(number, group, seen, state, scene, self._reach)
            groups.append((seen, each._replace(hidden=self.hidden(scene, group.position)[each.animal])))
        flocks, hunters = groups[: len(state.flocks)], groups[len(state.flocks) :]
        first, drawn = self.inks.ink("boid 0"), list[tuple[Sprites, Placed, Seen, PaletteIndex]]()
        for number, (seen, each) in enumerate(flocks):
            ink = first + scene.coloring.pick(state, number, seen)
            strength = np.ones(len(seen.depth)) if self._colors_depth else strength_at(seen.depth)
            self._draw_trail(number, ink, strength, scene)
            drawn.append((self._sprites[number], each, seen, self.inks.tone(ink, strength)))
            self._stamp_from_afar(*drawn[-1], scene)
        roles = [self.inks.hunter(number) for number in range(len(hunters))]
        for number, (role, (seen, _)) in enumerate(zip(roles, hunters, strict=True), start=len(flocks)):
            ink = np.full(len(seen.depth), self.inks.ink(role))
            self._draw_trail(number, ink, np.ones(len(ink)), scene)
        for _, each in hunters:
            self.canvas.stamp(self._sprites[-1], each, CLEARING * self._predator_size, None)
        for role, (seen, each) in zip(roles, hunters, strict=True):
            tone = scene.tone(role, strength_at(0.5 * seen.depth))
            self.canvas.stamp(self._sprites[-1], each, self._predator_size, tone)
        for sprites, each, seen, tone in drawn if hunters and scene.setup.world.dimension == 3 else ():
            nearer = each.of(in_front(each, seen, [(one, by) for by, one in hunters], self._reach))
            self.canvas.stamp(sprites, nearer, 1.0, None)
            self._stamp_from_afar(sprites, nearer, seen, tone, scene)

    def _stamp_from_afar(self, sprites: Sprites, each: Placed, seen: Seen, tone: PaletteIndex, scene: Scene) -> None:
        """Stamp boids; discs with depth in layers, the farthest first, each outlined against those behind it."""
        if not sprites.always_long or scene.setup.world.dimension == 2 or self.canvas.layers == 1:
            self.canvas.stamp(sprites, each, 1.0, tone)
            return
        layers = min(self.canvas.layers, len(each.animal) // 24 + 1)
        for rows in np.array_split(np.argsort(-seen.depth[each.animal], kind="stable"), layers):
            self.canvas.stamp(sprites, each.of(rows), OUTLINED, None)
            self.canvas.stamp(sprites, each.of(rows), 1.0, tone)

    def _draw_trail(self, number: int, ink: Integers, strength: Array, scene: Scene) -> None:
        trail = self._trails[number]
        if trail.pieces:
            tone = self.inks.tone(ink, strength * (MAX_STRENGTH * trail.life)[:, None])
            lines = trail.trace(self.canvas, scene.projection, self._trail_width)
            self.canvas.draw(lines, tone.reshape(-1), self.hidden(scene, *(piece.end for piece in trail.pieces)))
