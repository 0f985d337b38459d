"""Renderer: one state in, one frame out.

`Renderer(scenario, size)` chooses palette, layout and layers once; each call then draws one state. What seldom changes
is drawn below the animals and kept until it does; then come trails, flocks, predators, and what stands above them.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.camera import Viewpoint
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.colorings import COLORINGS
from boidsgen.drawing.following import Tracker
from boidsgen.drawing.frame import Frame, Inks, Tone
from boidsgen.drawing.layout import Layout, arrange, stage_size
from boidsgen.drawing.lettering import letter_height
from boidsgen.drawing.look import Drawable, Style
from boidsgen.drawing.measure_history import MeasureHistory
from boidsgen.drawing.overlays.layer import Backdrop, Foreground, Layer
from boidsgen.drawing.palette import inks
from boidsgen.drawing.projection import Projection, Seen
from boidsgen.drawing.scene import Scene, strength_at
from boidsgen.drawing.shapes import SHAPES
from boidsgen.drawing.sprites import Sprites, reach
from boidsgen.drawing.trails import Trails
from boidsgen.simulation.dynamics import Group
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State

CLEARING = 1.3
"""How much larger than a predator the rim is that is kept clear round it."""

Integers = NDArray[np.intp]

Drawn = TypeVar("Drawn", Backdrop, Foreground)


class _Placed(NamedTuple):
    """Animals in the picture, copies beyond the edges included.

    Attributes:
        animal: (k,) whose it is.
        xy: (k, 2) where.
        heading: (k,) radians, counterclockwise from the right.
        scale: (k,) how large it is seen, 1 in the middle of the world.
        apparent: (k,) the part of its length that is seen.
    """

    animal: Integers
    xy: Array
    heading: Array
    scale: Array
    apparent: Array


class _View(NamedTuple):
    """How a frame is seen: projection, and the part of the world and of the picture as in `Scene`."""

    projection: Projection
    part: Array
    window: Array


class Renderer:
    """Draws the frames of one run, in order: trails remember the frames before.

    Attributes:
        palette: (colors, 3) uint8, the palette of all frames.
    """

    def __init__(self, scenario: Drawable, size: tuple[int, int]) -> None:
        theme, style = scenario.style.colors, scenario.style
        self._scenario = scenario
        self._size = size
        self._coloring = COLORINGS[style.color_by].usual()
        self._layers = scenario.layers
        self._layout = _arrange(size, self._layers, scenario)
        self._viewpoint = scenario.camera.aim(scenario.world, self._layout.viewport)
        self._tracker = Tracker(scenario.world) if scenario.camera.follows else None
        self._view: _View | None = None
        self._inks = Inks(theme.background, inks(theme, self._coloring, self._layers, scenario))
        self._brush(style, sum(flock.count for flock in scenario.flock))
        self._trails = (
            [Trails(style.trails, style.trail_width) for _ in (*scenario.flock, *scenario.predators)]
            if style.trails
            else []
        )
        self._history = MeasureHistory(
            {name for layer in self._layers for name in layer.measures()}, scenario.time.frames
        )
        self._ground: tuple[_View, tuple[object, ...]] | None = None
        self.palette = self._inks.colors

    def __call__(self, state: State) -> Frame:
        """The picture of one state."""
        self.note(state)
        scene = self._scene(state)
        self._canvas.begin()
        self._draw_flocks(state, scene)
        self._draw_predators(state, scene)
        inside, outside = _split(self._layers, Foreground)
        for layer in inside:
            layer.draw(self._canvas, scene, state)
        self._canvas.crop(scene.window)
        for layer in outside:
            layer.draw(self._canvas, scene, state)
        return Frame(self._canvas.picture(), self.palette)

    def note(self, state: State) -> None:
        """Remember a state for the pictures to come, whether it is drawn itself or not."""
        self._history.note(state)
        if self._tracker:
            self._tracker.note(state)
        if self._trails:
            for trails, group in zip(self._trails, (*state.flocks, *state.predators), strict=True):
                trails.follow(group.position, state.setup.world)

    def _brush(self, style: Style, count: int) -> None:
        """Sprites and canvas; the margin lets a sprite stand wholly outside the picture."""
        shape, length = SHAPES[style.shape].usual(), style.length(self._layout.stage, count)
        largest = max(CLEARING * style.predator_size, 1.0) * self._viewpoint.closest
        self._length = length
        self._reach = reach(shape, length, largest)
        margin = 2 * self._reach + 2
        self._canvas = Canvas(self._size, margin, self._inks)
        self._sprites = Sprites(shape, length, largest, self._canvas.stride)

    def _scene(self, state: State) -> Scene:
        """The scene of a state, on a ground that is drawn anew when it has changed."""
        backdrops = [layer for layer in self._layers if isinstance(layer, Backdrop)]
        shown = tuple(layer.shows(state.setup) for layer in backdrops)
        view = self._seen(state)
        scene = Scene(
            setup=state.setup,
            beginning=self._scenario,
            projection=view.projection,
            part=view.part,
            window=view.window,
            layout=self._layout,
            inks=self._inks,
            key=tuple((label, f"boid {number}") for number, label in enumerate(self._coloring.labels(state.setup))),
            history=self._history,
            body=self._length,
        )
        if self._ground is None or self._ground[0] is not view or self._ground[1] != shown:
            self._draw_ground(scene)
            self._ground = view, shown
        return scene

    def _seen(self, state: State) -> _View:
        """How a state is seen; the very same as before while the camera stands still."""
        if self._view is None or not self._viewpoint.steady:
            here = self._viewpoint.on(self._tracker.box) if self._tracker else self._viewpoint
            projection = here.projection(max(state.frame, 0))
            self._view = _View(projection, here.part(self._layout.viewport), _window(here, self._layout))
        return self._view

    def _draw_ground(self, scene: Scene) -> None:
        self._canvas.wipe()
        inside, outside = _split(self._layers, Backdrop)
        for layer in inside:
            layer.draw(self._canvas, scene)
        self._canvas.crop(scene.window)
        for layer in outside:
            layer.draw(self._canvas, scene)
        self._canvas.settle()

    def _draw_flocks(self, state: State, scene: Scene) -> None:
        first = self._inks.ink("boid 0")
        for number, flock in enumerate(state.flocks):
            seen = scene.projection(flock.position)
            ink = first + self._coloring.pick(state, number, seen)
            strength = strength_at(seen.depth)
            self._draw_trails(number, scene, ink, strength)
            self._stamp(self._placed(flock, scene, seen), 1.0, self._inks.tone(ink, strength))

    def _draw_predators(self, state: State, scene: Scene) -> None:
        groups = [(group, scene.projection(group.position)) for group in state.predators]
        for number, group in enumerate(state.predators, start=len(state.flocks)):
            role = self._inks.role("predator", number - len(state.flocks))
            ink = np.full(len(group.position), self._inks.ink(role))
            self._draw_trails(number, scene, ink, np.ones(len(ink)))
        placed = [self._placed(group, scene, seen) for group, seen in groups]
        size = self._scenario.style.predator_size
        for each in placed:
            self._canvas.clear(self._sprites, self._sprite(each, CLEARING * size), each.xy)
        for number, ((_, seen), each) in enumerate(zip(groups, placed, strict=True)):
            role = self._inks.role("predator", number)
            self._stamp(each, size, scene.tone(role, strength_at(0.5 * seen.depth)))

    def _draw_trails(self, number: int, scene: Scene, ink: Integers, strength: Array) -> None:
        if self._trails:
            self._trails[number].draw(self._canvas, scene.projection, self._inks, ink, strength)

    def _placed(self, group: Group, scene: Scene, seen: Seen) -> _Placed:
        low, high = -self._reach, np.array(self._size) + self._reach
        visible = np.flatnonzero(seen.shown & ((seen.xy > low) & (seen.xy < high)).all(axis=1))
        here = seen.of(visible)
        which, xy = scene.projection.repeated(here.xy, self._reach)
        heading, apparent = scene.projection.heading(group.position[visible], group.velocity[visible], here)
        scale = here.scale[which] / scene.projection.scale
        return _Placed(visible[which], xy, heading[which], scale, apparent[which])

    def _sprite(self, placed: _Placed, size: float) -> Integers:
        return self._sprites.number(placed.xy, placed.heading, size * placed.scale, placed.apparent)

    def _stamp(self, placed: _Placed, size: float, tone: Tone) -> None:
        self._canvas.stamp(self._sprites, self._sprite(placed, size), placed.xy, tone[placed.animal])


def _arrange(size: tuple[int, int], shown: Sequence[Layer], setup: Setup) -> Layout:
    """The layout of a picture of this size with these layers."""
    stage = stage_size(size) if any(layer.panel for layer in shown) else size
    rooms = [layer.room(setup, stage[0], letter_height(stage)) for layer in shown]
    return arrange(size, stage, [layer.border for layer in shown], rooms)


def _window(viewpoint: Viewpoint, layout: Layout) -> Array:
    """Left and top, right and bottom of the part of the picture outside which nothing in the world is seen, (2, 2)."""
    bordered = layout.viewport[2:] != layout.stage
    seen = viewpoint.window(layout.viewport) if bordered else np.array([(0.0, 0.0), layout.stage])
    window: Array = np.clip(seen, 0.0, np.array(layout.stage))
    return window


def _split(shown: Sequence[Layer], kind: type[Drawn]) -> tuple[list[Drawn], list[Drawn]]:
    """The layers of one kind that show something in the world, and those that stand round it."""
    chosen = [layer for layer in shown if isinstance(layer, kind)]
    return [layer for layer in chosen if layer.in_world], [layer for layer in chosen if not layer.in_world]
