"""Long exposures: the paths of many frames on one sheet, with the last instant as silhouettes.

Every boid leaves the same amount of ink in each frame, spread along its way, so that a path is darker where the boid
was slow, or where others passed. All of it is added up in one plane of whole numbers, whatever the number of frames; a
tone curve that depends on the fullest pixels turns the sums into coverage. Later frames leave more ink than earlier
ones, and raised wings leave less, which makes beads. A predator leaves one line that gets wider.

The camera stands still: all paths are seen as in the last frame. One that follows the flock shows all of its paths, and
so has to wait for the last frame; until then the states are kept.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.animals import BEAT, GOLDEN, LIFT, TINY, Piece, Trail
from boidsgen.drawing.camera import Tracker
from boidsgen.drawing.canvas import Canvas, Scene, Surface, beyond, strength_at
from boidsgen.drawing.frame import FULL_LIGHT, Codes, Frame, Numbers, Palette, WholeLight, light_of, rgb
from boidsgen.drawing.lit import LitPainter
from boidsgen.drawing.look import Drawable
from boidsgen.drawing.overlays.marks import WorldEdges
from boidsgen.drawing.renderer import FrameView, Renderer
from boidsgen.drawing.shapes import SHAPES, Hidden, Integers, Trace, clipped
from boidsgen.drawing.text import typeface
from boidsgen.drawing.vector import (
    Figure,
    FigureLayer,
    FigureRenderer,
    FigureShape,
    VectorCanvas,
    box_path,
    courses,
    hexadecimal,
)
from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import State, Timeline
from boidsgen.simulation.world import World

FINE = 16  # Places per pixel along each axis
INK = 1 << 14  # Ink that a boid leaves in a frame, over FINE * FINE parts of a pixel
DENSITY = 1.5  # Places per pixel of a path at which ink is left
EARLIEST = 0.25  # Part of the ink that is left in the first frame
HELD = 14  # Part of it that raised wings hold back, in parts of FINE
FULL_FROM = 97  # Percentage of the pixels with ink that are not among the fullest
STEPS, FULLEST = 1024, 6  # Steps of the tone curve up to the least of these, and multiples of it that are told apart
CURVE, MOST = 1.5, 0.92  # Exponent of the tone curve there, and the part of the sheet that ink covers at most
OVERLAP = 3.0  # Paths in the fullest pixels, in means over all with ink
AGES = 6  # Opacities of paths as shapes, from the oldest to the newest
THIN, WIDER = 1.2, 1.8  # Width of the line of a predator where it begins, and by how much it grows
BAND = 64  # Rows of the picture whose colors are worked out at once
BELOW = 0.94  # Strength of the line, less than that of silhouettes that it must not cover


class Ways(NamedTuple):
    """The ways of some boids from one frame to the next, as they are seen."""

    start: Array  # (n, 2) pixels
    end: Array  # (n, 2) pixels
    ink: Integers  # (n,) how much of it each leaves
    color: Integers  # (n,) the number of its color
    phase: Integers  # (n,) of its wings at the start, in parts of BEAT
    beat: float  # parts of BEAT that pass, 0 = no wings


class InkPlane:
    """The ink on a surface, in one of these colors, (k, 3), or in means of several; paths are so many pixels wide."""

    def __init__(self, surface: Surface, colors: Numbers, wide: int = 1) -> None:
        self._surface, self.colors, self._wide = surface, colors.astype(np.int64), wide
        rows = surface.size[1] + 2 * surface.margin
        # The ink of every flat pixel, and where there are several colors that times red, green and blue.
        self.sums = np.zeros((1 if len(colors) == 1 else 4, rows * surface.stride), np.int64)
        self._wings = FINE - np.rint(HELD * LIFT).astype(np.int64)

    def add(self, ways: Ways, hidden: Hidden | None = None) -> None:
        """Leave the ink of each way evenly along it, but where a body hides it."""
        way = ways.end - ways.start
        count = (np.abs(way).max(axis=1, initial=0.0) * DENSITY).astype(np.intp) + 1
        line = np.arange(len(way)).repeat(count)
        part = (np.arange(len(line)) - (count.cumsum() - count).repeat(count) + 0.5) / count[line]
        ink = (ways.ink // (count * self._wide))[line]
        if ways.beat:
            ink = ink * self._wings[(ways.phase[line] + (part * ways.beat).astype(np.intp)) % BEAT] // FINE
        aside = way[:, ::-1] * (1.0, -1.0) / np.maximum(length(way), TINY)[:, None]
        for beside in np.arange(self._wide) - (self._wide - 1) / 2:
            place = ways.start[line] + way[line] * part[:, None] + beside * aside[line] - 0.5
            self._drop(place, line, ink, ways.color, hidden)

    def _drop(self, place: Array, line: Integers, ink: Integers, color: Integers, hidden: Hidden | None) -> None:
        """Leave ink at places, (k, 2), on the four pixels nearest to each."""
        surface = self._surface
        fine = np.floor(place * FINE).astype(np.intp) + surface.margin * FINE
        cell, rest = fine // FINE, fine % FINE
        room = np.array(surface.size) + 2 * surface.margin - 1
        kept = np.flatnonzero(((fine >= 0) & (cell < room)).all(axis=1))
        flat = cell[:, 1] * surface.stride + cell[:, 0]
        if hidden is not None and isinstance(surface, Canvas):
            kept = kept[surface.visible(Trace(kept, flat[kept], np.zeros(len(kept), np.uint8)), hidden[line]).line]
        flat, ink, rest, color = flat[kept], ink[kept], rest[kept], self.colors[color[line[kept]]]
        for right, down in np.ndindex(2, 2):
            across, along = (rest[:, axis] if far else FINE - rest[:, axis] for axis, far in enumerate((right, down)))
            pixel, amount = flat + right + down * surface.stride, ink * across * along
            np.add.at(self.sums[0], pixel, amount)
            for number, total in enumerate(self.sums[1:]):
                np.add.at(total, pixel, amount * color[:, number])

    def crop(self, window: Array) -> None:
        """Take away what lies outside a window: left and top, right and bottom, shape (2, 2)."""
        for outside in beyond(window, self._surface.size, self._surface.margin):
            for total in self.sums:
                total.reshape(-1, self._surface.stride)[outside] = 0

    def bands(self) -> Iterator[tuple[slice, Array, Array]]:
        """Rows of the picture, the part of each pixel there that ink covers, (k, width, 1), and its color, (…, 3)."""
        margin, (columns, rows) = self._surface.margin, self._surface.size
        planes = self.sums.reshape(len(self.sums), -1, self._surface.stride)
        planes = planes[:, margin : margin + rows, margin : margin + columns]
        inked = np.sort(planes[0][planes[0] > 0])
        full = int(inked[FULL_FROM * len(inked) // 100]) if len(inked) else 1
        share = MOST * (1.0 - exact.exponential(-CURVE * np.arange(STEPS * FULLEST + 1) / STEPS))
        for top in range(0, rows, BAND):
            band = slice(top, min(top + BAND, rows))
            total, *parts = planes[:, band]
            color = (
                np.stack(parts, axis=-1) / np.maximum(total, 1)[..., None] if parts else self.colors[0].astype(float)
            )
            yield band, share[np.minimum(total * STEPS // full, STEPS * FULLEST)][..., None], color


class SheetInks(Palette):
    """The inks of a flat picture over ink that is seen where they are thin: code 0 is nothing, code 1 cleared."""

    cleared: ClassVar[int] = 1


class LongExposure(Renderer):
    """Draws the last of some frames over the paths of all; it has to be told of all frames up to there."""

    flat_inks: ClassVar[type[Palette]] = SheetInks

    def __init__(self, scenario: Drawable, size: tuple[int, int], frames: range, kind: type[Surface] = Canvas) -> None:
        style = scenario.style.model_copy(update={"trails": 0, "predator_trails": 0, "shutter": 0.0})
        # What stands still in a world with depth needs no edges to show where it moves.
        edges = scenario.camera.follows and scenario.world.dimension == 3
        layers = [layer for layer in scenario.layers if not (edges and isinstance(layer, WorldEdges))]
        super().__init__(scenario.model_copy(update={"style": style}), size, kind, layers)
        theme, canvas = style.colors, self.painter.canvas
        self._wide = max(round(style.trail_pen(size)), 1)  # of paths, in pixels
        self._frames, self._last = frames, Timeline(scenario).at(frames[-1])
        colors = np.stack([rgb(color) for color in scenario.coloring.colors(theme, scenario)]).astype(np.uint8)
        self.plane = InkPlane(canvas, colors, self._wide)
        if isinstance(self.painter, LitPainter):
            shore = self.painter.background.mirror.start or size[1]
            self.painter.stain = partial(self._stained, shore, glows=bool(theme.light and theme.light.glows))
        shapes = [SHAPES[style.shape_of(number)] for number in range(len(scenario.flock))]
        self._beats = [shape.beat * BEAT * shape.winged for shape in shapes]
        self._paths = [Trail(1) for _ in (*scenario.flock, *scenario.predators)]
        self._lined = kind is not Canvas and not theme.light
        # Age, flock, boids, and their ways, where shapes are drawn.
        self._kept: list[tuple[int, int, Integers, Ways]] = []
        self._lines: list[tuple[str, Array, Array, Hidden, int]] = []  # of predators
        self._waiting: list[State] = []
        self._exposed: FrameView | None = None

    @override
    def __call__(self, state: State) -> Frame:
        frame = super().__call__(state)
        return frame if frame.full else replace(frame, full=partial(self._sheet, frame.index))

    def _sheet(self, codes: Codes) -> Numbers:
        """A flat picture in full color."""
        plain, picture = rgb(self._scenario.style.colors.background), np.empty((*codes.shape, 3), np.uint8)
        ink, opaque = self.painter.inks.layers()
        for band, part, color in self.plane.bands():
            code = codes[band]
            ground = plain + part * (code != SheetInks.cleared)[..., None] * (color - plain)
            picture[band] = np.rint(ground + opaque[code][..., None] * (ink[code] - ground))
        return picture

    def _stained(self, shore: int, ground: WholeLight, *, glows: bool) -> WholeLight:
        """The light of a lit ground with ink above a shore, which shines in themes that glow."""
        for band, part, color in self.plane.bands():
            part[max(shore - band.start, 0) :] = 0.0
            own = FULL_LIGHT * part * light_of(np.rint(color).astype(np.uint8))
            ground[band] = np.rint(np.minimum(ground[band] * (1.0 if glows else 1.0 - part) + own, FULL_LIGHT))
        return ground

    @override
    def note(self, state: State) -> None:
        super().note(state)
        if state.frame < self._frames.start:
            return
        if self._tracker:
            self._waiting.append(state)
        else:
            self._expose(state)

    @override
    def _scene(self, state: State) -> Scene:
        """The scene of the last frame, with the lines of predators on the ground."""
        if self._tracker:  # the camera stands where it sees all that have been waiting
            self._tracker = Tracker(state.setup.world)
            flocks = zip(*(one.flocks for one in self._waiting), strict=True)
            position = [np.concatenate([group.position for group in flock]) for flock in flocks]
            groups = (Group(own.name, place, place) for own, place in zip(state.flocks, position, strict=True))
            self._tracker.note(replace(state, flocks=(*groups,)))
            waiting, self._tracker = self._waiting, self._tracker
            for one in waiting:
                self._expose(one)
        scene, canvas = super()._scene(state), self.painter.canvas
        self.plane.crop(scene.window)
        for role, start, end, hidden, frame in self._lines:
            age = (frame - self._frames.start) / len(self._frames)
            lines = canvas.trace(start, end, self._pen * (THIN + WIDER * age))
            canvas.draw(lines, np.broadcast_to(scene.tone(role, BELOW), len(start)), hidden)
        canvas.crop(scene.window)
        self.painter.settle()
        return scene

    @override
    def _seen(self, state: State) -> FrameView:
        """The view of the last frame."""
        if self._exposed is None:
            self._exposed = super()._seen(replace(state, frame=self._frames[-1], setup=self._last))
        return self._exposed

    def _expose(self, state: State) -> None:
        """Add the ways of a frame."""
        with typeface(self._scenario.style.font):
            scene = super()._scene(state)
        light, world, flocks = self._scenario.style.colors.light, state.setup.world, len(state.flocks)
        age = (state.frame - self._frames.start) / max(len(self._frames) - 1, 1)
        for number, (trail, group) in enumerate(zip(self._paths, (*state.flocks, *state.predators), strict=True)):
            trail.follow(group, world)
            if not trail.pieces:
                continue
            start, end, share, animal = flown(trail.pieces[0], world)
            here, there = scene.projection(end), scene.projection(start)
            hidden = self.painter.hidden(scene, end)
            if number >= flocks:
                role = self.painter.inks.hunter(number - flocks)
                shown = here.shown & there.shown
                self._lines.append((role, there.xy[shown], here.xy[shown], hidden[shown], state.frame))
                continue
            strength = light.strength(here.depth) if light else strength_at(here.depth)
            strength = strength * share * (EARLIEST + (1.0 - EARLIEST) * age * age) * (here.shown & there.shown)
            ink, beat = np.rint(INK * strength).astype(np.intp), self._beats[number]
            color = scene.coloring.pick(state, number, scene.projection(group.position))[animal]
            phase = group.numbers[animal] * GOLDEN + int((state.frame - 1) * beat)
            ways = Ways(there.xy, here.xy, ink, color, phase, beat)
            self.plane.add(ways, hidden if self.painter.canvas.bodies else None)
            if self._lined:
                self._kept.append((min(int(AGES * age), AGES - 1), number, group.numbers[animal], ways))

    def layers(self) -> Iterator[FigureLayer]:
        """The paths as lines, the oldest first; where most lie, they are about as dark as in a picture of pixels."""
        drawn = sum(float(length(ways.end - ways.start).sum()) for *_, ways in self._kept)
        many = max(OVERLAP * self._wide * drawn / max(int(np.count_nonzero(self.plane.sums[0])), 1), 1.0)
        window = box_path(*np.rint(self._exposed[2])) if self._exposed else ()
        for wanted in range(AGES):
            here = [(number, animal, ways) for age, number, animal, ways in self._kept if age == wanted]
            if not here:
                continue
            each = [np.stack((np.full(len(who), number), who, ways.color)) for number, who, ways in here]
            ends = np.concatenate([np.stack((ways.start, ways.end), axis=1) for *_, ways in here])
            whose, path = np.unique(np.concatenate(each, axis=1), axis=1, return_inverse=True)
            path = path.reshape(-1)
            order = np.argsort(path, kind="stable")
            pieces = np.split(ends[order], np.flatnonzero(np.diff(path[order])) + 1)
            colors = self.plane.colors[whose[2]]
            shapes = (
                FigureShape(tuple(courses([*one])), hexadecimal(color), self._wide)
                for one, color in zip(pieces, colors, strict=True)
            )
            strength = EARLIEST + (1.0 - EARLIEST) * ((wanted + 0.5) / AGES) ** 2
            opacity = 1.0 - float(exact.exponential(-CURVE * strength / many))
            yield FigureLayer((window,), tuple(shapes), opacity)


class ExposedFigureRenderer(FigureRenderer):
    """Draws a long exposure as a figure."""

    def __init__(self, scenario: Drawable, size: tuple[int, int], frames: range) -> None:
        self._style, self._exposure = scenario.style, LongExposure(scenario, size, frames, VectorCanvas)
        self._renderer, self.note = self._exposure, self._exposure.note

    @override
    def __call__(self, state: State) -> Figure:
        figure = super().__call__(state)
        return replace(figure, layers=(*self._exposure.layers(), *figure.layers))


def flown(piece: Piece, world: World) -> tuple[Array, Array, Array, Integers]:
    """The ways of a frame within a world: starts and ends, (k, d), parts of the way that is flown, and by whom.

    Who leaves on one side and enters on the other has two ways, to the edge and from it.
    """
    whole = np.flatnonzero(piece.flown)
    jumped = np.flatnonzero(~piece.flown & (piece.start != piece.end).any(axis=1) & world.boundary.leads_round)
    animal, many = np.concatenate((whole, jumped, jumped)), len(jumped)
    start, end, share = piece.start[animal], piece.end[animal], np.ones(len(animal))
    if not many:
        return start, end, share, animal
    way, edge = world.displacement(piece.end[jumped] - piece.start[jumped]), np.s_[len(whole) :]
    end[-2 * many : -many], start[-many:] = piece.start[jumped] + way, piece.end[jumped] - way
    low, high, inside = clipped(start[edge], end[edge], np.zeros_like(world.extent), world.extent)
    share[edge] = length(high - low) / np.maximum(length(end[edge] - start[edge]), TINY)
    start[edge], end[edge] = low, high
    kept = np.flatnonzero(np.concatenate((np.ones(len(whole), np.bool_), inside)))
    return start[kept], end[kept], share[kept], animal[kept]
