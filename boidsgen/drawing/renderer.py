"""Renderer: one state in, one frame out."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.camera import Viewport
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.colorings import COLORINGS
from boidsgen.drawing.frame import Frame
from boidsgen.drawing.inks import Inks
from boidsgen.drawing.layer import Backdrop, Foreground, Layer
from boidsgen.drawing.look import Look
from boidsgen.drawing.overlays import layers
from boidsgen.drawing.projection import Projection, Seen
from boidsgen.drawing.scene import Scene, faded
from boidsgen.drawing.shapes import SHAPES
from boidsgen.drawing.sprites import Sprites, reach
from boidsgen.drawing.style import Style
from boidsgen.drawing.theme import Theme
from boidsgen.drawing.themes import THEMES
from boidsgen.drawing.title import Title
from boidsgen.drawing.trails import Trails
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import Group, State

PREDATOR = 1.75
"""Length of a predator in boids."""
CLEARING = 1.3
"""How much larger than a predator the rim is that is kept clear round it."""

Integers = NDArray[np.intp]


class _Stamps(NamedTuple):
    """What to stamp: whose it is (k,), where (k, 2) and which sprite (k,)."""

    animal: Integers
    xy: Array
    sprite: Integers


class Renderer:
    """Draws the frames of one run, in order: trails remember the frames before.

    Attributes:
        palette: (colors, 3) uint8, the palette of all frames.
    """

    def __init__(self, setup: Setup, look: Look, size: tuple[int, int]) -> None:
        theme, style = THEMES[look.style.theme].model_validate({}), look.style
        self._setup = setup
        self._size = size
        self._coloring = COLORINGS[style.color_by]()
        colors = self._coloring.colors(theme, setup)
        self._layers = tuple(
            layer for layer in (Title(title=look.title), *layers(look.overlay, setup)) if layer.wanted(setup)
        )
        self._text = letter_height(size)
        self._viewport = viewport(size, self._text, self._layers)
        self._view = look.camera.aim(setup.world, self._viewport)
        self._inks = Inks(theme.background, _roles(theme, colors, self._layers, setup))
        self._key = tuple(zip(self._coloring.labels(setup), _boid_roles(colors), strict=True))
        self._brush(style, sum(flock.count for flock in setup.flock))
        self._trails = [Trails(style.trails) for _ in (*setup.flock, *setup.predators)] if style.trails else []
        self._projection: Projection | None = None
        self.palette = self._inks.colors

    def __call__(self, state: State) -> Frame:
        """The picture of one state."""
        scene = self._scene(state)
        self._canvas.begin()
        self._draw_flocks(state, scene)
        self._draw_predators(state, scene)
        for layer in self._layers:
            if isinstance(layer, Foreground):
                layer.draw(self._canvas, scene, state)
        return Frame(self._canvas.picture(), self.palette)

    def _brush(self, style: Style, count: int) -> None:
        """Sprites and canvas; the margin lets a sprite stand wholly outside the picture."""
        shape, length = SHAPES[style.shape](), style.length(self._size, count)
        largest = CLEARING * PREDATOR * self._view.closest
        self._reach = reach(shape, length, largest)
        margin = 2 * self._reach + 2
        self._canvas = Canvas(self._size, margin, self._inks)
        self._sprites = Sprites(shape, length, largest, self._canvas.stride)

    def _scene(self, state: State) -> Scene:
        moved = self._projection is None or not self._view.steady
        projection = (
            self._view.projection(max(state.frame, 0)) if moved or self._projection is None else self._projection
        )
        scene = Scene(self._setup, projection, self._viewport, self._size, self._inks, self._text, self._key)
        if moved:
            self._draw_ground(scene)
        self._projection = projection
        return scene

    def _draw_ground(self, scene: Scene) -> None:
        self._canvas.wipe()
        for layer in self._layers:
            if isinstance(layer, Backdrop):
                layer.draw(self._canvas, scene)
        self._canvas.settle()

    def _draw_flocks(self, state: State, scene: Scene) -> None:
        first = self._inks.ink("boid 0")
        for number, flock in enumerate(state.flocks):
            seen = scene.projection(flock.position)
            ink = first + self._coloring.pick(state, number, seen)
            strength = faded(seen.depth)
            self._draw_trails(number, flock, scene, ink, strength)
            stamps = self._stamps(flock, scene, seen, 1.0)
            self._canvas.stamp(self._sprites, stamps.sprite, stamps.xy, self._inks.tone(ink, strength)[stamps.animal])

    def _draw_predators(self, state: State, scene: Scene) -> None:
        groups = [(group, scene.projection(group.position)) for group in state.predators]
        for number, group in enumerate(state.predators, start=len(state.flocks)):
            ink = np.full(len(group.position), self._inks.ink("predator"))
            self._draw_trails(number, group, scene, ink, np.ones(len(ink)))
        for group, seen in groups:
            rim = self._stamps(group, scene, seen, CLEARING * PREDATOR)
            self._canvas.clear(self._sprites, rim.sprite, rim.xy)
        for group, seen in groups:
            stamps = self._stamps(group, scene, seen, PREDATOR)
            strength = faded(0.5 * seen.depth)
            self._canvas.stamp(self._sprites, stamps.sprite, stamps.xy, scene.tone("predator", strength)[stamps.animal])

    def _draw_trails(self, number: int, group: Group, scene: Scene, ink: Integers, strength: Array) -> None:
        if not self._trails:
            return
        self._trails[number].follow(group.position, self._setup.world)
        self._trails[number].draw(self._canvas, scene.projection, self._inks, ink, strength)

    def _stamps(self, group: Group, scene: Scene, seen: Seen, size: float) -> _Stamps:
        """The sprites of a group, copies beyond the edges included, and whose they are."""
        low, high = -self._reach, np.array(self._size) + self._reach
        visible = np.flatnonzero(seen.shown & ((seen.xy > low) & (seen.xy < high)).all(axis=1))
        which, xy = scene.projection.repeated(seen.xy[visible], self._reach)
        animal = visible[which]
        heading, apparent = scene.projection.heading(group.position[visible], group.velocity[visible])
        relative = size * seen.scale[animal] / scene.projection.scale
        return _Stamps(animal, xy, self._sprites.number(xy, heading[which], relative, apparent[which]))


def letter_height(size: tuple[int, int]) -> int:
    """Height of letters in a picture of (width, height) pixels."""
    return round(float(np.clip(11.5 * (min(size) / 400) ** 0.55, 10, 40)))


def viewport(size: tuple[int, int], text: int, shown: Sequence[Layer]) -> Viewport:
    """The part of the picture for the world: all of it, unless a layer needs a border."""
    borders = np.array([layer.border for layer in shown]).reshape(-1, 4)
    if not borders.any():
        return Viewport(0, 0, *size)
    border, room = borders.max(axis=0), np.array([layer.room for layer in shown]).max(axis=0)
    # Lines of text stand above and below the border; at the sides they may share it.
    sides, ends = text * np.maximum(border, room), text * (border + room)
    left, top, right, bottom = sides[0], ends[1], sides[2], ends[3]
    return Viewport(left, top, max(size[0] - left - right, 8), max(size[1] - top - bottom, 8))


def _roles(theme: Theme, colors: Sequence[str], shown: Sequence[Layer], setup: Setup) -> dict[str, str]:
    """Colors by role, from what may be covered to what must be read; only the roles that occur."""
    used = {role for layer in shown for role in layer.roles} | ({"predator"} if setup.predators else set())
    below = {role: getattr(theme, role) for role in ("obstacle", "muted") if role in used}
    boids = dict(zip(_boid_roles(colors), colors, strict=True))
    above = {role: getattr(theme, role) for role in ("accent", "predator", "text") if role in used}
    return below | boids | above


def _boid_roles(colors: Sequence[str]) -> list[str]:
    return [f"boid {number}" for number in range(len(colors))]
