"""Painter: the base of the looks, and the flat look.

The renderer knows when to draw what, a painter how. The flat look lays inks over a plain background, put together by
`max`, exact in every format.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.animals import (
    MAX_STRENGTH,
    NO_TRACE,
    Placed,
    Trail,
    Turning,
    attitudes,
    beating,
    in_front,
    placed,
)
from boidsgen.drawing.camera import Seen
from boidsgen.drawing.canvas import Canvas, Hidden
from boidsgen.drawing.frame import Codes, Palette, PaletteIndex
from boidsgen.drawing.look import Drawable
from boidsgen.drawing.scene import OverlayLayer, Scene, strength_at
from boidsgen.drawing.shapes import SHAPES, Sprites, reach, variety_of
from boidsgen.drawing.solids import hides
from boidsgen.drawing.strokes import Integers, Trace
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import State


class Painter(ABC):
    """Draws animals in one look.

    Args:
        scenario: what happens, and how it looks.
        size: (width, height) of the pictures, in pixels.
        closest: magnification of what is nearest in a run, against the center of the world.
        inks: all colors.
        body: length of a boid in the center of the world, in pixels.
    """

    leaning: ClassVar[bool] = True
    """True if birds lean into their turns in a flat world, too; so small they would only seem to shrink."""

    canvas: Canvas
    canvases: list[Canvas]
    """All that are drawn on; the first is `canvas`."""
    palette: NDArray[np.uint8]

    def __init__(self, scenario: Drawable, size: tuple[int, int], closest: float, inks: Palette, body: float) -> None:
        del closest
        self._size, self.inks, self.body = size, inks, body
        style, hunters = scenario.style, len(scenario.predators)
        self._predator_size = style.predator_size
        names = [*map(style.shape_of, range(len(scenario.flock))), *[style.hunter] * hunters]
        kinds = {name: SHAPES[name]() for name in names}
        self._shapes = [kinds[name] for name in names]  # of all groups, flocks first
        frames = [style.trails] * len(scenario.flock) + [style.hunters_trails] * hunters
        self._trails = [Trail(count) for count in frames]
        self._trail_width = style.trail_pen(self._size)
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

    def body_length(self, scene: Scene, number: int) -> float:
        """Length of a body of a group, flocks first, in world units for velocities in units a frame."""
        clock, flocks = scene.setup.time, len(scene.setup.flock)
        size = self.body if number < flocks else self.body * self._predator_size
        return size / (scene.projection.scale * clock.dt * clock.steps_per_frame)

    def wipe(self) -> None:
        """Start over with nothing on the ground."""
        for canvas in self.canvases:
            canvas.wipe()

    def settle(self) -> None:
        """Make what is drawn so far the ground."""
        for canvas in self.canvases:
            canvas.settle()

    def begin(self) -> None:
        """Begin a new picture."""
        for canvas in self.canvases:
            canvas.begin()

    @abstractmethod
    def draw(self, state: State, scene: Scene) -> None:
        """Draw the animals of a new picture."""

    def placed(self, number: int, group: Group, seen: Seen, state: State, scene: Scene, reach: int) -> Placed:
        """The animals of a group, flocks first, that are in the picture or within reach of it, in pixels."""
        shape, turning = self._shapes[number], Turning(group.velocity, self._before[number], scene.projection.axes)
        leans = shape.winged and (self.leaning or group.velocity.shape[1] == 3)
        each = placed(group, scene.projection, seen, self._size, reach, attitudes(*turning) if leans else None)
        return beating(each, shape, turning, state.frame + state.share, self.body_length(scene, number))

    def trail(self, number: int, scene: Scene) -> Trace:
        """The pixels of the trails of a group that nothing hides, lines as in `Trail.trace`."""
        trail = self._trails[number]
        if not trail.pieces:
            return NO_TRACE
        trace = trail.trace(self.canvas, scene.projection, self._trail_width)
        return self.canvas.visible(trace, self.hidden(scene, *(piece.end for piece in trail.pieces)))

    def surface(self, layer: OverlayLayer, scene: Scene) -> tuple[Canvas, Scene]:
        """The canvas of a layer, and the scene as it is seen there."""
        return self.canvas, scene

    def crop(self, window: Array) -> None:
        """Take away what was drawn outside a window."""
        for canvas in self.canvases:
            canvas.crop(window)

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


CLEARING, OUTLINED = 1.3, 1.25  # Sizes of the clear rims round a predator and a disc, in sizes of them


class FlatPainter(Painter):
    """Stamps animals in flat inks."""

    leaning: ClassVar[bool] = False

    layers: ClassVar[int] = 24
    """Into how many layers discs with depth are sorted."""
    draws_on: ClassVar[type[Canvas]] = Canvas

    def __init__(self, scenario: Drawable, size: tuple[int, int], closest: float, inks: Palette, body: float) -> None:
        super().__init__(scenario, size, closest, inks, body)
        style = scenario.style
        self.palette = self.inks.colors
        self._colors_depth = style.color_by == "depth"
        hunter = SHAPES[style.hunter]()
        largest = max(CLEARING * style.predator_size, 1.0) * closest
        self._reach = max(reach(shape, body, largest, variety_of(shape)) for shape in (*self._shapes, hunter))
        # The margin lets a sprite stand wholly outside the picture.
        self.canvas = self.draws_on(self._size, 2 * self._reach + 2, self.inks)
        self.canvases = [self.canvas]
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
        roles = [self.inks.role("predator", number) for number in range(len(hunters))]
        for number, (role, (seen, _)) in enumerate(zip(roles, hunters, strict=True), start=len(flocks)):
            ink = np.full(len(seen.depth), self.inks.ink(role))
            self._draw_trail(number, ink, np.ones(len(ink)), scene)
        for _, each in hunters:
            self._clear(self._sprites[-1], each, CLEARING * self._predator_size)
        for role, (seen, each) in zip(roles, hunters, strict=True):
            self._stamp(self._sprites[-1], each, self._predator_size, scene.tone(role, strength_at(0.5 * seen.depth)))
        for sprites, each, seen, tone in drawn if hunters and scene.setup.world.dimension == 3 else ():
            nearer = each.of(in_front(each, seen, [(one, by) for by, one in hunters], self._reach))
            self._clear(sprites, nearer, 1.0)
            self._stamp_from_afar(sprites, nearer, seen, tone, scene)

    @override
    def picture(self) -> Codes:
        return self.canvas.picture()

    def _stamp_from_afar(self, sprites: Sprites, each: Placed, seen: Seen, tone: PaletteIndex, scene: Scene) -> None:
        """Stamp boids; discs with depth in layers, the farthest first, each outlined against those behind it."""
        if not sprites.always_long or scene.setup.world.dimension == 2 or self.layers == 1:
            self._stamp(sprites, each, 1.0, tone)
            return
        layers = min(self.layers, len(each.animal) // 24 + 1)
        for rows in np.array_split(np.argsort(-seen.depth[each.animal], kind="stable"), layers):
            self._clear(sprites, each.of(rows), OUTLINED)
            self._stamp(sprites, each.of(rows), 1.0, tone)

    def _draw_trail(self, number: int, ink: Integers, strength: Array, scene: Scene) -> None:
        tone = self.inks.tone(ink, strength * (MAX_STRENGTH * self._trails[number].life)[:, None])
        self.canvas.draw(self.trail(number, scene), tone.reshape(-1))

    def _clear(self, sprites: Sprites, each: Placed, size: float) -> None:
        self.canvas.clear(self.canvas.sprites(sprites, each.sprites(sprites, size), each.xy, each.hidden))

    def _stamp(self, sprites: Sprites, each: Placed, size: float, tone: PaletteIndex) -> None:
        self.canvas.stamp(sprites, each.sprites(sprites, size), each.xy, each.hidden, tone[each.animal])
