"""Painter: the base of the looks, and the flat look.

The renderer knows when to draw what, a painter how. The flat look lays inks over a plain background, put together by
`max`, exact in every format.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.animals import MAX_STRENGTH, Placed, Trail, beating, in_front, placed_together, trace_trails
from boidsgen.drawing.camera import Seen, Viewpoint
from boidsgen.drawing.canvas import Canvas, Hidden
from boidsgen.drawing.colorings import Coloring
from boidsgen.drawing.frame import Codes, Inks, Tone
from boidsgen.drawing.scene import OverlayLayer, Scene, strength_at
from boidsgen.drawing.shapes import SHAPES
from boidsgen.drawing.solids import hides
from boidsgen.drawing.sprites import Sprites, reach, variety_of
from boidsgen.drawing.strokes import Integers
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import State

if TYPE_CHECKING:
    from boidsgen.drawing.look import Drawable


class Painter(ABC):
    """Draws animals in one look."""

    canvas: Canvas
    inks: Inks
    palette: NDArray[np.uint8]
    body: float
    _predator_size: float

    def __init__(self, scenario: "Drawable", size: tuple[int, int]) -> None:
        style = scenario.style
        frames = [style.trails] * len(scenario.flock) + [style.hunters_trails] * len(scenario.predators)
        self._trails = [Trail(count) if count else None for count in frames]
        self._trail_width = style.trail_pen(size)
        self._noted: list[list[Array]] = []
        self._velocity: list[Array] = []
        self._before: list[Array] = []

    def note(self, state: State) -> None:
        """Remember a state."""
        now = [group.velocity for group in (*state.flocks, *state.predators)]
        if not state.share:
            self._noted = [*self._noted[-1:], now]
        # A frame ago, in slow motion too, and for who is new their own.
        ago, since = (self._noted[0], self._noted[-1])
        self._before = [
            old + state.share * (new - old) if len(old) == len(new) == len(own) else own
            for old, new, own in zip(ago, since, now, strict=True)
        ]
        self._velocity = now
        for trails, group in zip(self._trails, (*state.flocks, *state.predators), strict=True):
            if trails:
                trails.follow(group, state.setup.world)

    def body_length(self, scene: Scene, number: int) -> float:
        """Length of a body of a group, flocks first, in world units for velocities in units a frame."""
        clock, flocks = scene.setup.time, len(scene.setup.flock)
        size = self.body if number < flocks else self.body * self._predator_size
        return size / (scene.projection.scale * clock.dt * clock.steps_per_frame)

    def wipe(self) -> None:
        """Start over with nothing on the ground."""
        self.canvas.wipe()

    def settle(self) -> None:
        """Make what is drawn so far the ground."""
        self.canvas.settle()

    @abstractmethod
    def draw(self, state: State, scene: Scene) -> None:
        """Begin a new picture with its animals."""

    def surface(self, layer: OverlayLayer, scene: Scene) -> tuple[Canvas, Scene]:
        """The canvas of a layer, and the scene as it is seen there."""
        del layer
        return self.canvas, scene

    def crop(self, window: Array) -> None:
        """Take away what was drawn outside a window."""
        self.canvas.crop(window)

    @abstractmethod
    def picture(self) -> Codes:
        """The finished picture."""

    def full_color(self, codes: Codes) -> NDArray[np.uint8]:
        """The picture that has just been finished in all its colors, (height, width, 3)."""
        return self.palette[codes]

    def hidden(self, scene: Scene, *position: Array) -> Hidden:
        """Which bodies hide what is at these places, (n, d) each."""
        hidden = np.zeros((sum(map(len, position)), len(self.canvas.bodies) + 1), np.bool_)
        for number, body in enumerate(self.canvas.bodies, start=1):
            hidden[:, number] = hides(body, np.concatenate(position), scene.projection, scene.setup.world)
        return hidden


CLEARING = 1.3  # Size of the clear rim round a predator, in sizes of it


class FlatPainter(Painter):
    """Stamps animals in flat inks."""

    def __init__(
        self,
        scenario: "Drawable",
        size: tuple[int, int],
        viewpoint: Viewpoint,
        coloring: Coloring,
        inks: Inks,
        body: float,
    ) -> None:
        super().__init__(scenario, size)
        style = scenario.style
        self.inks, self.body, self.palette = inks, body, inks.colors
        self._size, self._coloring, self._predator_size = size, coloring, style.predator_size
        self._colors_depth = style.color_by == "depth"
        flocks = [style.shape_of(number) for number in range(len(scenario.flock))]
        shapes = {name: SHAPES[name]() for name in (*flocks, style.hunter)}
        largest = max(CLEARING * style.predator_size, 1.0) * viewpoint.closest
        self._reach = max(reach(shape, body, largest, variety_of(shape)) for shape in shapes.values())
        # The margin lets a sprite stand wholly outside the picture.
        self.canvas = self._canvas(size, 2 * self._reach + 2)
        stride = self.canvas.stride
        sprites = {n: Sprites(shape, body, largest, stride, variety_of(shape)) for n, shape in shapes.items()}
        self._boids, self._hunters = [sprites[name] for name in flocks], sprites[style.hunter]
        self._shapes = [shapes[name] for name in (*flocks, *[style.hunter] * len(scenario.predators))]

    @override
    def draw(self, state: State, scene: Scene) -> None:
        self.canvas.begin()
        every, when = (*state.flocks, *state.predators), state.frame + state.share
        stiff = placed_together(every, scene.projection, self._size, self._reach)
        hidden = [self.hidden(scene, group.position) for group in every]
        lengths = [self.body_length(scene, number) for number in range(len(every))]
        alive = zip(hidden, stiff, self._shapes, self._velocity, self._before, lengths, strict=True)
        groups = [
            (seen, beating(each._replace(hidden=rows[each.animal]), shape, now, past, when, length))
            for rows, (seen, each), shape, now, past, length in alive
        ]
        trace_trails(self._trails, [seen for seen, _ in groups], self.canvas, scene.projection, self._trail_width)
        flocks, hunters = groups[: len(state.flocks)], groups[len(state.flocks) :]
        first, drawn = self.inks.ink("boid 0"), list[tuple[Sprites, Placed, Seen, Tone]]()
        for number, (seen, each) in enumerate(flocks):
            ink = first + self._coloring.pick(state, number, seen)
            strength = np.ones(len(seen.depth)) if self._colors_depth else strength_at(seen.depth)
            self._draw_trail(number, ink, strength, scene)
            drawn.append((self._boids[number], each, seen, self.inks.tone(ink, strength)))
            self._stamp(self._boids[number], each, 1.0, drawn[-1][-1])
        roles = [self.inks.role("predator", number) for number in range(len(hunters))]
        for number, (role, (seen, _)) in enumerate(zip(roles, hunters, strict=True), start=len(flocks)):
            ink = np.full(len(seen.depth), self.inks.ink(role))
            self._draw_trail(number, ink, np.ones(len(ink)), scene)
        for _, each in hunters:
            self._clear(self._hunters, each, CLEARING * self._predator_size)
        for role, (seen, each) in zip(roles, hunters, strict=True):
            self._stamp(self._hunters, each, self._predator_size, scene.tone(role, strength_at(0.5 * seen.depth)))
        for sprites, each, seen, tone in drawn if hunters and scene.setup.world.dimension == 3 else ():
            nearer = each.of(in_front(each, seen, [(one, by) for by, one in hunters], self._reach))
            self._clear(sprites, nearer, 1.0)
            self._stamp(sprites, nearer, 1.0, tone)

    @override
    def picture(self) -> Codes:
        return self.canvas.picture()

    def _draw_trail(self, number: int, ink: Integers, strength: Array, scene: Scene) -> None:
        trail = self._trails[number]
        if trail and trail.pieces:
            tone = self.inks.tone(ink, strength * (MAX_STRENGTH * trail.life)[:, None])
            hidden = self.hidden(scene, *(piece.end for piece in trail.pieces))
            self.canvas.draw(self.canvas.visible(trail.trace, hidden), tone.reshape(-1))

    def _canvas(self, size: tuple[int, int], margin: int) -> Canvas:
        return Canvas(size, margin, self.inks)

    def _clear(self, sprites: Sprites, each: Placed, size: float) -> None:
        self.canvas.clear(self.canvas.sprites(sprites, _sprite(sprites, each, size), each.xy, each.hidden))

    def _stamp(self, sprites: Sprites, each: Placed, size: float, tone: Tone) -> None:
        self.canvas.stamp(sprites, _sprite(sprites, each, size), each.xy, each.hidden, tone[each.animal])


def _sprite(sprites: Sprites, each: Placed, size: float) -> Integers:
    return sprites.number(each.xy, each.heading, size * each.scale, each.apparent, each.pose)
