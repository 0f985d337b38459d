"""Renderer: one state in, one frame out.

`Renderer(scenario, size)` chooses palette, layout and layers once, or draws some of the layers where they are among
all; each call then draws one state. What seldom changes is drawn below the animals and kept until it does; then come
trails, flocks, predators, and what stands above them.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from boidsgen.drawing.arrangement import arrange
from boidsgen.drawing.camera import Projection, Tracker, Viewpoint
from boidsgen.drawing.frame import Frame, GlassInks, Palette
from boidsgen.drawing.look import Drawable, inks
from boidsgen.drawing.painter import FlatPainter, Painter
from boidsgen.drawing.quantization import Blend, dissolved, faded
from boidsgen.drawing.scene import Backdrop, Foreground, MeasureHistory, OverlayLayer, Scene
from boidsgen.drawing.shapes import SHAPES, outline_of
from boidsgen.drawing.text import typeface
from boidsgen.drawing.themes import FLOCKS
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import State

Drawn = TypeVar("Drawn", Backdrop, Foreground)

_View = tuple[Projection, Array, Array]
"""The view of a frame: projection, and the part of the world and of the picture as in `Scene`."""


class Renderer:
    """Draws the frames of one run, in order: trails remember the frames before.

    Attributes:
        palette: (colors, 3) uint8, the palette of all frames.
        inks: (colors, 4) uint8, the same without ground; None where the pictures have one.
        notices: about the pictures, one line each.
        painter: that draws.
    """

    notices: tuple[str, ...] = ()

    def __init__(
        self,
        scenario: Drawable,
        size: tuple[int, int],
        paints: type[Painter] | None = None,
        layers: Sequence[OverlayLayer] | None = None,
    ) -> None:
        style, theme, every = scenario.style, scenario.style.colors, scenario.layers
        self._scenario, self._size, self._layers = scenario, size, every if layers is None else layers
        self._layout = arrange(size, every, scenario)
        self._viewpoint = scenario.camera.aim(scenario.world, self._layout.viewport)
        self._tracker = Tracker(scenario.world) if scenario.camera.follows else None
        self._view: _View | None = None
        self._ground: tuple[Projection, tuple[object, ...]] | None = None
        names = {name for layer in self._layers for name in layer.measures()}
        self._history = MeasureHistory(names, scenario.time.frames)
        roles = inks(scenario)
        ramp = scenario.coloring.colors(theme, scenario)
        mixed = GlassInks(theme.background, roles, ramp) if theme.light else Palette(theme.background, roles)
        if theme.light and not paints:
            from boidsgen.drawing.lit import LitPainter  # noqa: PLC0415  few themes need it

            paints = LitPainter
        body = style.length(self._layout.stage, sum(flock.count for flock in scenario.flock))
        closest = _closest(scenario, self._viewpoint)
        self.painter = (paints or FlatPainter)(scenario, size, closest, mixed, body)
        # Outlines of flocks and predators by the role of their color, where each has one of its own.
        hunters = range(len(scenario.predators))
        self._outlines = {mixed.role("predator", number): outline_of(SHAPES[style.hunter]()) for number in hunters}
        if style.color_by == "flock":
            flocks = range(min(len(scenario.flock), FLOCKS))
            self._outlines |= {f"boid {number}": outline_of(SHAPES[style.shape_of(number)]()) for number in flocks}
        self.palette = self.painter.palette
        self.inks = mixed.alone() if style.transparent else None

    @property
    def blend(self) -> Blend:
        """Cross-fade of two pictures; without a background there is nothing to fade into."""
        style = self._scenario.style
        return dissolved if style.colors.light or style.transparent else partial(faded, self.painter.inks)

    def __call__(self, state: State) -> Frame:
        """The picture of one state."""
        self.draw(state)
        codes = self.painter.picture()
        full = partial(self.painter.full_color, codes) if self._scenario.style.colors.light else None
        return Frame(codes, self.palette, self.inks, full)

    def draw(self, state: State) -> None:
        """Draw one state on the painter's canvas."""
        with typeface(self._scenario.style.font):
            self.note(state)
            scene = self._scene(state)
            self.painter.begin()
            self.painter.draw(state, scene)
            for layer in self._in_order(Foreground, scene):
                if strength := layer.strength(state.frame + state.share):
                    canvas, seen = self.painter.surface(layer, scene)
                    layer.draw(canvas, seen._replace(strength=strength), state)

    def note(self, state: State) -> None:
        """Remember a state for the pictures to come, whether it is drawn itself or not."""
        if not state.share:
            self._history.note(state)
            if self._tracker:
                self._tracker.note(state)
        self.painter.note(state)

    def _scene(self, state: State) -> Scene:
        """The scene of a state, on a ground that is drawn anew when it has changed."""
        shown = tuple(layer.shows(state.setup) for layer in self._layers if isinstance(layer, Backdrop))
        projection, part, window = self._seen(state)
        scene = Scene(
            setup=state.setup,
            beginning=self._scenario,
            projection=projection,
            part=part,
            window=window,
            layout=self._layout,
            inks=self.painter.inks,
            coloring=self._scenario.coloring,
            outlines=self._outlines,
            history=self._history,
            body=self.painter.body,
            pen=self._scenario.style.pen(self._layout.stage),
        )
        if self._ground is None or self._ground[0] is not projection or self._ground[1] != shown:
            self._ground = projection, shown
            self.painter.wipe()
            for layer in self._in_order(Backdrop, scene):
                canvas = self.painter.canvas if layer.in_world else self.painter.surface(layer, scene)[0]
                layer.draw(canvas, scene)
            self.painter.settle()
        return scene

    def _in_order(self, kind: type[Drawn], scene: Scene) -> Iterator[Drawn]:
        """The layers of a kind: those that show something in the world, cropped to its window, then those round it."""
        chosen = [layer for layer in self._layers if isinstance(layer, kind)]
        yield from (layer for layer in chosen if layer.in_world)
        self.painter.crop(scene.window)
        yield from (layer for layer in chosen if not layer.in_world)

    def _seen(self, state: State) -> _View:
        """The view of a state; the same object as before while the camera stands still."""
        setup, known = state.setup, self._viewpoint.camera
        # That it is the same is seen at once; to compare what it says takes as long as a dozen calls of numpy.
        if isinstance(setup, Drawable) and setup.camera is not known and setup.camera != known:
            self._viewpoint, self._view = setup.camera.aim(setup.world, self._layout.viewport), None
        if self._view is None or not self._viewpoint.steady:
            here = self._viewpoint.on(self._tracker.ahead(state.share)) if self._tracker else self._viewpoint
            projection = here.projection(max(state.frame, 0) + state.share)
            viewport, stage = self._layout.viewport, self._layout.stage
            self._view = projection, here.part(viewport), np.clip(here.window(viewport), 0.0, np.array(stage))
        return self._view


def _closest(scenario: Drawable, viewpoint: Viewpoint) -> float:
    """Magnification of what is nearest in a run, given its first viewpoint."""
    moves = [(key, value) for event in scenario.events for key, value in event.set.items() if "camera." in key]
    reaching = viewpoint.widest if moves and scenario.world.dimension == 3 else viewpoint
    usual = scenario.camera.distance
    nearest: float = min(value for key, value in [("camera.distance", usual), *moves] if "dist" in key)
    return reaching._replace(distance=reaching.distance * nearest / usual).closest
