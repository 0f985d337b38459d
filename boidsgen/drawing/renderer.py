"""Renderer: one state in, one frame out.

`Renderer(scenario, size)` chooses palette, layout and layers once, or draws some of the layers where they are among
all; each call then draws one state. What seldom changes is drawn below the animals and kept until it does; then come
trails, flocks, predators, and what stands above them.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from boidsgen.drawing.arrangement import arrange
from boidsgen.drawing.camera import Projection, Tracker, Viewpoint
from boidsgen.drawing.colorings import Coloring
from boidsgen.drawing.fonts import typeface
from boidsgen.drawing.frame import FINE_LEVELS, Frame, GlassInks, Inks
from boidsgen.drawing.layout import Layout
from boidsgen.drawing.look import Drawable, inks
from boidsgen.drawing.painter import FlatPainter, Painter, PainterSettings
from boidsgen.drawing.quantization import Blend, dissolved, faded
from boidsgen.drawing.scene import Backdrop, Foreground, MeasureHistory, OverlayLayer, Scene
from boidsgen.drawing.shapes import SHAPES, outline_of
from boidsgen.drawing.themes import FLOCKS
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import State

Drawn = TypeVar("Drawn", Backdrop, Foreground)
Paints = Callable[[PainterSettings], Painter]
"""Makes a painter."""


class _View(NamedTuple):
    """The view of a frame: projection, and the part of the world and of the picture as in `Scene`."""

    projection: Projection
    part: Array
    window: Array


class Renderer:
    """Draws the frames of one run, in order: trails remember the frames before.

    Attributes:
        palette: (colors, 3) uint8, the palette of all frames.
        inks: (colors, 4) uint8, the same without ground; None where the pictures have one.
        painter: that draws.
    """

    def __init__(
        self,
        scenario: Drawable,
        size: tuple[int, int],
        paints: Paints | None = None,
        layers: Sequence[OverlayLayer] | None = None,
    ) -> None:
        self._scenario = scenario
        self._coloring = scenario.coloring
        self._layout = arrange(size, scenario.layers, scenario)
        self._layers = scenario.layers if layers is None else layers
        viewpoint = scenario.camera.aim(scenario.world, self._layout.viewport)
        self._viewpoint = viewpoint
        self._tracker = Tracker(scenario.world) if scenario.camera.follows else None
        self._view: _View | None = None
        moves = [(key, value) for event in scenario.events for key, value in event.set.items() if "camera." in key]
        reaching = viewpoint.widest if moves and scenario.world.dimension == 3 else viewpoint
        nearest: float = min(
            value for key, value in [("camera.distance", scenario.camera.distance), *moves] if "dist" in key
        )
        reaching = reaching._replace(distance=reaching.distance * nearest / scenario.camera.distance)
        self.painter = _painter(scenario, size, reaching, self._layout, self._coloring, paints)
        self._history = MeasureHistory(
            {name for layer in self._layers for name in layer.measures()}, scenario.time.frames
        )
        style, inks = scenario.style, self.painter.inks
        self._lit = style.colors.light is not None
        # Outlines of flocks and predators by the role of their color, where each has one of its own.
        hunters = range(len(scenario.predators))
        self._outlines = {inks.role("predator", number): outline_of(SHAPES[style.hunter]()) for number in hunters}
        if style.color_by == "flock":
            flocks = range(min(len(scenario.flock), FLOCKS))
            self._outlines |= {f"boid {number}": outline_of(SHAPES[style.shape_of(number)]()) for number in flocks}
        self._ground: tuple[_View, tuple[object, ...]] | None = None
        self.palette = self.painter.palette
        self.inks = inks.alone() if style.transparent else None

    @property
    def blend(self) -> Blend:
        """Cross-fade of two pictures; without a background there is nothing to fade into."""
        style = self._scenario.style
        return dissolved if style.colors.light or style.transparent else partial(faded, self.painter.inks)

    def __call__(self, state: State) -> Frame:
        """The picture of one state."""
        self.draw(state)
        codes = self.painter.picture()
        return Frame(codes, self.palette, self.inks, partial(self.painter.full_color, codes) if self._lit else None)

    def draw(self, state: State) -> None:
        """Draw one state on the painter's canvas."""
        with typeface(self._scenario.style.font):
            self._draw(state)

    def _draw(self, state: State) -> None:
        self.note(state)
        scene = self._scene(state)
        self.painter.draw(state, scene)
        inside, outside = _split(self._layers, Foreground)
        for layer in inside:
            if strength := layer.strength(state.frame + state.share):
                canvas, seen = self.painter.surface(layer, scene)
                layer.draw(canvas, seen._replace(strength=strength), state)
        self.painter.crop(scene.window)
        for layer in outside:
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
            inks=self.painter.inks,
            coloring=self._coloring,
            outlines=self._outlines,
            history=self._history,
            body=self.painter.body,
            pen=self._scenario.style.pen(self._layout.stage),
        )
        if self._ground is None or self._ground[0] is not view or self._ground[1] != shown:
            self._ground = view, shown
            self.painter.wipe()
            inside, outside = _split(self._layers, Backdrop)
            for layer in inside:
                layer.draw(self.painter.canvas, scene)
            self.painter.canvas.crop(scene.window)
            for layer in outside:
                layer.draw(self.painter.surface(layer, scene)[0], scene)
            self.painter.settle()
        return scene

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
            self._view = _View(projection, here.part(viewport), np.clip(here.window(viewport), 0.0, np.array(stage)))
        return self._view


def _painter(
    scenario: Drawable,
    size: tuple[int, int],
    viewpoint: Viewpoint,
    layout: Layout,
    coloring: Coloring,
    paints: Paints | None,
) -> Painter:
    """The painter of the look that the theme has."""
    style = scenario.style
    theme = style.colors
    body = style.length(layout.stage, sum(flock.count for flock in scenario.flock))
    roles = inks(scenario)
    mixed = GlassInks(theme.background, roles, FINE_LEVELS) if theme.light else Inks(theme.background, roles)
    if theme.light and not paints:
        from boidsgen.drawing.lit import LitPainter  # noqa: PLC0415  few themes need it

        paints = LitPainter
    return (paints or FlatPainter)(PainterSettings(scenario, size, viewpoint, coloring, mixed, body))


def _split(shown: Sequence[OverlayLayer], kind: type[Drawn]) -> tuple[list[Drawn], list[Drawn]]:
    """The layers of one kind that show something in the world, and those that stand round it."""
    chosen = [layer for layer in shown if isinstance(layer, kind)]
    return [layer for layer in chosen if layer.in_world], [layer for layer in chosen if not layer.in_world]
