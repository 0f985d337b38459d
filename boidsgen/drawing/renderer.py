"""Renderer: arrange the picture, then draw one frame per state.

`arrange` finds room for texts beside the world, so that the world stays as large as possible. Texts stand in rows above
and below the world, a legend beside it where the rows are then so much lower, or all in a column at its left: whichever
shows the world larger, rows unless another way gains much. Title and caption stand at the top of a panel where there is
one. Where texts would leave too little room, letters are made smaller, as far as they stay legible; beyond that texts
stand over the world. Lit themes fill the picture, with their texts over it: at the edges, title and caption in dark
water where there is some.

`Renderer(scenario, size)` chooses palette, layout and layers once, or draws only some of the layers, in the layout of
all; each call then draws one state. Layers that seldom change are drawn below the animals and kept until they do; then
come trails, flocks, predators, and the layers above them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np

from boidsgen.drawing.animals import FlatPainter, Painter
from boidsgen.drawing.camera import Projection, Tracker, Viewport
from boidsgen.drawing.canvas import (
    Backdrop,
    Canvas,
    Foreground,
    Layout,
    OverlayLayer,
    Rectangle,
    Room,
    Scene,
    Slot,
    Surface,
    stage_size,
    widened,
)
from boidsgen.drawing.frame import Blend, Codes, Frame, GlassInks, Numbers, Palette, dissolved, faded, mixed, sifted
from boidsgen.drawing.look import Drawable, inks
from boidsgen.drawing.shapes import SHAPES, outline_of
from boidsgen.drawing.text import DESCENT, SMALLEST, letter_height, typeface
from boidsgen.drawing.themes import FLOCK_COLORS, Light
from boidsgen.simulation.geometry import Array, length, magnitude
from boidsgen.simulation.measures import measure
from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import State
from boidsgen.simulation.world import World

PICTURE_MARGIN, LIT_MARGIN, GAP = 0.9, 1.75, 0.5
"""Distances of texts from the sides of the picture, and from all else, in heights of a letter."""
COLUMNS = (14, 19, 25)  # Widths of a column that are tried, in heights of a letter
COLUMN_GAIN, ASIDE_GAIN = 1.15, 1.05
"""A column, or a key beside the world, is taken if it shows the world so many times as large as rows do."""
LARGE, LEAST = 0.55, 0.35
"""Parts of the world's largest scale that texts leave it: with smaller letters if it were less, and over it at last."""
WORDY = 0.75  # Part of the height of a lit picture that texts may take, before letters are made smaller


class Arrangement(NamedTuple):
    """One way to arrange texts."""

    places: dict[str, Rectangle]  # of the texts, by the names of their layers
    room: Room  # what they take at the edges of the stage, in pixels
    fits: bool  # whether each has the room that it needs


class PictureTexts(NamedTuple):
    """The texts of a picture, with letters of one height."""

    scenario: Drawable  # what they are about
    shown: Sequence[OverlayLayer]  # the layers of the picture
    stage: tuple[int, int]  # (width, height) of the picture without its panel, in pixels
    panel: int  # width of the panel beside it, in pixels; 0 = none
    text: int  # height of the letters, in pixels
    margin: float = PICTURE_MARGIN  # to the sides of the picture, in heights of a letter

    def rows(self) -> Arrangement:
        """Rows above and below the world; the key above it, at the right if it is narrow."""
        (wide, high), margin, gap = self.stage, round(self.margin * self.text), round(GAP * self.text)
        full = wide - 2 * margin
        key, scale = self._extent("key", full), self._extent("scale", full)
        narrow = key[0] <= full / 2
        words_end = wide - margin - (key[0] + margin if key[0] and narrow else 0)
        numbers_end = wide - margin - (scale[0] + margin if scale[0] else 0)
        words_left, words_end = (wide + margin, wide + self.panel - margin) if self.panel else (margin, words_end)
        words, numbers = self._extent("words", words_end - words_left), self._extent("numbers", numbers_end - margin)
        words = (0, 0) if self.panel else words
        chart = self._extent("chart", full)
        above = max(words[1], key[1]) if narrow else words[1] + key[1]
        top = _even(above + 2 * gap) if above else 0
        rows = [part for part in (chart[1], max(numbers[1], scale[1])) if part]
        bottom = _even(sum(rows) + gap * (len(rows) + 1)) if rows else 0
        key_left, key_top = (wide - margin - key[0], gap) if narrow else (margin, gap + words[1])
        foot = high - bottom + gap
        last = foot + (chart[1] + gap if chart[1] else 0)
        places = {
            **self._stack("words", words_left, gap, words_end),
            **self._stack("key", key_left, key_top, wide - margin),
            **self._stack("chart", margin, foot, wide - margin),
            **self._stack("numbers", margin, last, numbers_end),
            **self._stack("scale", wide - margin - scale[0], last, wide - margin),
        }
        fits = top + bottom < high and self._wide_enough(places)
        return Arrangement(places, Room(0, top, 0, bottom), fits)

    def aside(self) -> Iterator[Arrangement]:
        """Rows, but the key at the right of the world, which is in the middle of the picture or of what is left."""
        if not (key := self._of("key")):
            return
        rows = self._replace(shown=[layer for layer in self.shown if layer not in key]).rows()
        margin, gap, (across, down) = round(self.margin * self.text), round(GAP * self.text), self._extent("key", 0.0)
        right, top = self.stage[0] - margin, rows.room.top + gap
        places = rows.places | self._stack("key", right - across, top, right)
        fits = rows.fits and top + down + gap + rows.room.bottom <= self.stage[1]
        wide = _even(across + 2 * margin)
        for left in (wide, 0):
            yield Arrangement(places, rows.room._replace(left=left, right=wide), fits)

    def column(self, letters: float) -> Arrangement:
        """A column at the left of the world, so many letters wide."""
        margin, gap = round(self.margin * self.text), round(GAP * self.text)
        end, upper, lower = margin + round(letters * self.text), margin, self.stage[1] - margin
        places: dict[str, Rectangle] = {}
        above: tuple[Slot, ...] = ("words", "key")
        below: tuple[Slot, ...] = ("numbers", "chart", "scale")
        for slot in above:
            places |= self._stack(slot, margin, upper, end)
            upper = max((round(place.bottom) + gap for place in places.values()), default=upper)
        for slot in below:
            high = self._extent(slot, end - margin)[1]
            places |= self._stack(slot, margin, lower - high, end)
            lower -= high + gap if high else 0
        return Arrangement(places, Room(left=_even(end + margin)), upper <= lower and self._wide_enough(places))

    def line(self, bottom: float, high: float) -> dict[str, Rectangle] | None:
        """Title at the left and caption at the right on one baseline, above `bottom`; None if too wide or too high."""
        left, right = round(self.margin * self.text), self.stage[0] - round(self.margin * self.text)
        words, places = self._of("words"), dict[str, Rectangle]()
        for layer in words:
            across, down = (ceil(side) for side in self._size(layer, right - left))
            if across > right - left or down > high:
                return None
            start = right - across if places else left
            base = bottom - ceil(DESCENT * self.text * (words[0].letters - layer.letters))
            places[type(layer).__name__] = Rectangle(start, base - down, start + across, base)
            left = start + across + 2 * self.text
        return places

    def _size(self, layer: OverlayLayer, wide: float) -> tuple[float, float]:
        with typeface(self.scenario.style.font):
            return layer.extent(self.scenario, self.scenario.coloring, wide, self.text)

    def _of(self, slot: Slot) -> list[OverlayLayer]:
        return [layer for layer in self.shown if layer.slot == slot]

    def _extent(self, slot: Slot, wide: float) -> tuple[int, int]:
        """Width and height of the texts of a slot below each other, where they have a width."""
        sizes = [self._size(layer, wide) for layer in self._of(slot)]
        return ceil(max((size[0] for size in sizes), default=0)), sum(ceil(size[1]) for size in sizes)

    def _stack(self, slot: Slot, left: float, top: float, right: float) -> dict[str, Rectangle]:
        """The places of the texts of a slot below each other, between two edges."""
        places: dict[str, Rectangle] = {}
        for layer in self._of(slot):
            high = ceil(self._size(layer, right - left)[1])
            places[type(layer).__name__] = Rectangle(left, top, right, top + high)
            top += high
        return places

    def _wide_enough(self, places: dict[str, Rectangle]) -> bool:
        """True if no word is wider than its place."""
        rooms = [(layer, places[type(layer).__name__]) for layer in self.shown if layer.slot]
        sides = [(layer, place.right - place.left) for layer, place in rooms]
        return all(self._size(layer, side)[0] <= side for layer, side in sides)


def arrange(size: tuple[int, int], shown: Sequence[OverlayLayer], scenario: Drawable) -> Layout:
    """The layout of a picture of this size, in pixels, with these layers."""
    stage = stage_size(size) if any(layer.panel for layer in shown) else size
    wide = size[0] - stage[0]
    world, smallest = natural_world(scenario), round(SMALLEST)
    # A picture that has grown by its texts has the letters of its world: larger ones would make it grow again.
    side = world if world and size == natural_size(world, shown, scenario) else stage
    sizes = range(max(letter_height(side, scenario.style.enlarged), smallest), smallest - 1, -1)
    if light := scenario.style.colors.light:
        return _arrange_lit(light, [PictureTexts(scenario, shown, stage, wide, text, LIT_MARGIN) for text in sizes])
    whole = _scale(scenario, Viewport(0, 0, *stage))
    for text in sizes:
        border, texts = _border(shown, text), PictureTexts(scenario, shown, stage, wide, text)
        rows = texts.rows()
        ways = [(_scale(scenario, _view(stage, rows.room, border)), rows)]
        columns = map(texts.column, COLUMNS if rows.places and not wide else ())
        ways += [(_scale(scenario, _view(stage, way.room, border)) / ASIDE_GAIN, way) for way in texts.aside()]
        ways += [(_scale(scenario, _view(stage, column.room, border)) / COLUMN_GAIN, column) for column in columns]
        scale, best = max(ways, key=lambda way: (way[1].fits, way[0]))
        if best.fits and scale >= LARGE * whole:
            break
    room = best.room if best.fits and scale >= LEAST * whole else Room()
    view = _view(stage, _set_off(scenario, stage, room, border, text), border)
    return Layout(stage, _panel(stage, wide, best.places), view, text, best.places)


def _set_off(scenario: Drawable, stage: tuple[int, int], room: Room, border: Room, text: int) -> Room:
    """Room at the edges that keeps a flat world clear of those of the picture, or lets it end there.

    A bar thinner than a letter looks like a mistake: it goes to the side where the texts stand. Beside a column a world
    that has bars above and below has a margin at its right, too.
    """
    view, camera = _view(stage, room, border), scenario.camera
    if scenario.world.dimension == 3 or camera.center or camera.zoom < 1.0:
        return room
    (_, top), (right, bottom) = camera.aim(scenario.world, view).window(view).tolist()
    below, beside = stage[1] - bottom, stage[0] - right
    if room.top and not room.bottom and below < text:
        room = room._replace(top=room.top + 2 * below)
    if room.left and not room.right and beside < text:
        margin = _even(PICTURE_MARGIN * text) if not beside and top > room.top + border.top else 0
        room = room._replace(left=room.left + 2 * beside, right=margin)
    return room


def natural_world(scenario: Drawable) -> tuple[int, int] | None:
    """(width, height) of a flat world with a pixel for each unit; None where it has depth."""
    across, down, *deep = (max(1, round(side)) for side in scenario.world.size)
    return None if deep else (across, down)


def natural_size(world: tuple[int, int], shown: Sequence[OverlayLayer], scenario: Drawable) -> tuple[int, int]:
    """(width, height) of the picture in which the world has this size, in pixels, and its texts and panel have room."""
    stage, beyond = world, widened(world)[0] - world[0] if any(layer.panel for layer in shown) else 0
    text = letter_height(world, scenario.style.enlarged)
    margin = LIT_MARGIN if scenario.style.colors.light else PICTURE_MARGIN
    room, border = PictureTexts(scenario, shown, world, beyond, text, margin).rows().room, _border(shown, text)
    left, top, right, bottom = map(sum, zip(room, border, strict=True))
    stage = round(world[0] + left + right), round(world[1] + top + bottom)
    return widened(stage) if beyond else stage


def _arrange_lit(light: Light, several: Sequence[PictureTexts]) -> Layout:
    """The layout of a picture that a lit theme fills, with the largest of several letters.

    A flat world lies between its texts, and the shore above those at its foot; one with depth lies below them, but for
    a chart.
    """
    from boidsgen.drawing.backgrounds import shore_of, sky  # noqa: PLC0415  few themes need it

    for texts in several:
        found = texts.rows()
        if found.fits and found.room.top + found.room.bottom < WORDY * texts.stage[1]:
            break
    high, places = texts.stage[1], found.places
    chart = places.get("Chart")
    lowest, shore = high - (found.room.bottom or texts.text), shore_of(light, high, texts.scenario.world.dimension)
    # Capitals may reach into the reeds.
    low = None if texts.panel else texts.line(lowest, lowest + texts.text - shore)
    border = Room()

    def view(room: Room, shore: float) -> Viewport:
        left, top, across, down = sky(light, _view(texts.stage, room, Room()), high, shore)
        within = _view((round(across), round(down)), Room(), border)
        return within._replace(left=left + within.left, top=top + within.top)

    viewport = view(Room(bottom=high - chart.top if chart else 0), shore)
    if texts.scenario.world.dimension == 2:
        above = texts._replace(shown=[layer for layer in texts.shown if not (low and layer.slot == "words")])
        border = _border(texts.shown, texts.text)
        ways = [(1.0, above.rows()), *((ASIDE_GAIN, way) for way in above.aside())]
        seen = [(view(way.room, min(shore, high - way.room.bottom)), gain, way) for gain, way in ways]
        viewport, _, best = max(seen, key=lambda one: (one[2].fits, _scale(texts.scenario, one[0]) / one[1]))
        places, shore = places | best.places, min(shore, high - best.room.bottom)
    panel = _panel(texts.stage, texts.panel, places)
    flush = ("Caption",) if low and len(low) > 1 else ()
    return Layout(texts.stage, panel, viewport, texts.text, places | (low or {}), flush, shore)


def _panel(stage: tuple[int, int], wide: int, places: dict[str, Rectangle]) -> Rectangle:
    """The part of the panel that the texts at its top leave."""
    top = max((place.bottom for place in places.values() if wide and place.left >= stage[0]), default=0)
    return Rectangle(stage[0], top, stage[0] + wide, stage[1])


def _border(shown: Sequence[OverlayLayer], text: int) -> Room:
    """Space that layers need between the world and all else, in pixels."""
    return Room(*(_even(text * max(sides)) for sides in zip(Room(), *(layer.border for layer in shown), strict=True)))


def _view(stage: tuple[int, int], room: Room, border: Room) -> Viewport:
    """The part that is left for the world."""
    left, top, right, bottom = map(sum, zip(room, border, strict=True))
    return Viewport(left, top, max(stage[0] - left - right, 8), max(stage[1] - top - bottom, 8))


def _scale(scenario: Drawable, viewport: Viewport) -> float:
    return scenario.camera.aim(scenario.world, viewport).scale


def _even(size: float) -> int:
    """The next even number: the picture of an even world stays even, as some formats want it."""
    return 2 * ceil(size / 2)


Drawn = TypeVar("Drawn", Backdrop, Foreground)

FrameView = tuple[Projection, Array, Array]
"""The view of a frame: projection, and the part of the world and of the picture as in `Scene`."""


INSTANTS, LARGEST_STEP = (2, 4, 8, 16), 1.5
"""Numbers of instants of which a picture with motion blur is the mean, and how far apart two may be, in pixels."""
Drawing = TypeVar("Drawing", Codes, Numbers)


def way_of(before: Group, now: Group, world: World) -> Array:
    """Displacements of animals since a frame before, (n, d); 0 for who was put elsewhere, for all if some are new."""
    if len(before.position) != len(now.position) or not np.array_equal(before.numbers, now.numbers):
        return np.zeros_like(now.position)
    way = world.displacement(now.position - before.position)
    way[(np.abs(way) > world.extent / 2).any(axis=1)] = 0.0
    return way


class Renderer:
    """Draws the frames of one run, in order: trails remember the frames before.

    Attributes:
        palette: (colors, 3) uint8, the palette of all frames.
        inks: (colors, 4) uint8, the same without ground; None where the pictures have one.
        notices: about the pictures, one line each.
        painter: that draws.
    """

    notices: tuple[str, ...] = ()
    flat_inks: ClassVar[type[Palette]] = Palette
    """Inks of the flat look."""

    def __init__(
        self,
        scenario: Drawable,
        size: tuple[int, int],
        kind: type[Surface] = Canvas,
        layers: Sequence[OverlayLayer] | None = None,
        paints: type[Painter] | None = None,
    ) -> None:
        style, theme, every = scenario.style, scenario.style.colors, scenario.layers
        self._scenario, self._size, self._layers = scenario, size, every if layers is None else layers
        self._layout = arrange(size, every, scenario)
        self._viewpoint = scenario.camera.aim(scenario.world, self._layout.viewport)
        self._tracker = Tracker(scenario.world) if scenario.camera.follows else None
        self._view: FrameView | None = None
        self._earlier: State | None = None
        self._now: State | None = None
        self._ground: tuple[Projection, tuple[object, ...]] | None = None
        names = {name for layer in self._layers for name in layer.measures()}
        self._history = {name: np.full(scenario.time.frames, np.nan) for name in names}
        self._pen = style.pen(self._layout.stage)
        roles = inks(scenario)
        ramp = scenario.coloring.colors(theme, scenario)
        mixed = GlassInks(theme.background, roles, ramp) if theme.light else self.flat_inks(theme.background, roles)
        if theme.light and not paints:
            from boidsgen.drawing.lit import LitPainter  # noqa: PLC0415  few themes need it

            paints = LitPainter
        body = style.length(self._layout.stage, sum(flock.count for flock in scenario.flock))
        # Magnification of what is nearest in a run: an event may turn the camera, or move it closer.
        moves = [(key, value) for event in scenario.events for key, value in event.set.items() if "camera." in key]
        nearest = min([scenario.camera.distance, *(value for key, value in moves if "dist" in key)])
        view = self._viewpoint
        reach = view.reach
        if moves and scenario.world.dimension == 3:
            reach = magnitude(view.box.size * scenario.world.extent) / 2
        closest = 1.0 / (1.0 - reach / (view.distance * nearest / scenario.camera.distance))
        self.painter = (paints or FlatPainter)(scenario, size, closest, mixed, body, self._layout, view, kind)
        # Outlines of flocks and predators by the role of their color, where each has one of its own.
        hunters = range(len(scenario.predators))
        self._outlines = {mixed.hunter(number): _upright(style.hunter) for number in hunters}
        if style.color_by == "flock":
            flocks = range(min(len(scenario.flock), FLOCK_COLORS))
            self._outlines |= {f"boid {number}": _upright(style.shape_of(number)) for number in flocks}
        self.palette = self.painter.palette
        self.inks = mixed.alone() if style.transparent else None

    @property
    def blend(self) -> Blend:
        """Cross-fade of two pictures; without a background there is nothing to fade into."""
        style = self._scenario.style
        return dissolved if style.colors.light or style.transparent else partial(faded, self.painter.inks)

    def __call__(self, state: State) -> Frame:
        """The picture of one state, or the mean of some instants while the shutter is open until then."""
        self.draw(state)
        painter, earlier, lit = self.painter, [*self._instants(state)], self._scenario.style.colors.light
        codes = painter.picture()
        if not earlier:
            return Frame(codes, self.palette, self.inks, painter.full_color if lit else None)
        pictures = [codes.copy(), *(codes.copy() for codes in self._drawn(earlier, state, painter.picture))]
        codes = sifted(pictures) if lit else painter.inks.averaged(pictures)
        return Frame(codes, self.palette, self.inks, partial(self._mean_color, [*earlier, state]) if lit else None)

    def _mean_color(self, instants: Sequence[State]) -> Numbers:
        """The mean of the pictures of so many instants as a power of two."""
        colors = [*self._drawn(instants, instants[-1], self.painter.full_color)]
        while len(colors) > 1:
            colors = [mixed(*pair, 0.5) for pair in zip(colors[::2], colors[1::2], strict=True)]
        return colors[0]

    def _drawn(self, instants: Sequence[State], state: State, picture: Callable[[], Drawing]) -> Iterator[Drawing]:
        """The picture of each instant, with the layers of a state above."""
        with typeface(self._scenario.style.font):
            scene = self._scene(state)
            for instant in instants:
                self._paint(instant, state, scene)
                yield picture()

    def draw(self, state: State) -> None:
        """Draw one state on the painter's canvas."""
        with typeface(self._scenario.style.font):
            self.note(state)
            self._paint(state, state, self._scene(state))

    def _paint(self, instant: State, state: State, scene: Scene) -> None:
        """Draw the animals of an instant, and the layers above them as they are in a state."""
        for surface in self.painter.surfaces:
            surface.begin()
        self.painter.draw(instant, scene)
        for layer in self._in_order(Foreground, scene):
            if strength := layer.strength(state.frame + state.share):
                surface, seen = self.painter.surface(layer, scene)
                layer.draw(surface, seen._replace(strength=strength), state)

    def _instants(self, state: State) -> Iterator[State]:
        """The instants before a state while the shutter is open, the earliest first, the camera at rest.

        With the state they are so many that the fastest animal moves by few pixels from one to the next.
        """
        shutter, before, world = self._scenario.style.shutter, self._earlier, state.setup.world
        if not (shutter and before and self._view):
            return
        now = (*state.flocks, *state.predators)
        ways = [way_of(*pair, world) for pair in zip((*before.flocks, *before.predators), now, strict=True)]
        fastest = max(float(length(way).max(initial=0.0)) for way in ways) * self._view[0].scale
        count = next((many for many in INSTANTS if shutter * fastest <= LARGEST_STEP * many), INSTANTS[-1])
        for number in range(count - 1, 0, -1):
            part = shutter * number / count
            moved = [replace(group, position=group.position - part * way) for group, way in zip(now, ways, strict=True)]
            yield replace(state, flocks=(*moved[: len(state.flocks)],), predators=(*moved[len(state.flocks) :],))

    def note(self, state: State) -> None:
        """Remember a state for the pictures to come, whether it is drawn itself or not."""
        self._earlier, self._now = self._now, state
        if not state.share:
            for name, value in measure(state, self._history).items():
                self._history[name][state.frame] = value
            if self._tracker:
                self._tracker.note(state)
        self.painter.note(state)

    def _scene(self, state: State) -> Scene:
        """The scene of a state, on a ground that is drawn anew when it has changed."""
        shown = tuple(layer.shows(state) for layer in self._layers if isinstance(layer, Backdrop))
        projection, part, window = self._seen(state)
        scene = Scene(
            setup=state.setup,
            time=state.time,
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
            pen=self._pen,
        )
        if self._ground is None or self._ground[0] is not projection or self._ground[1] != shown:
            self._ground = projection, shown
            for surface in self.painter.surfaces:
                surface.wipe()
            for layer in self._in_order(Backdrop, scene):
                layer.draw(self.painter.canvas if layer.in_world else self.painter.surface(layer, scene)[0], scene)
            self.painter.settle()
        return scene

    def _in_order(self, kind: type[Drawn], scene: Scene) -> Iterator[Drawn]:
        """The layers of a kind: those that show something in the world, cropped to its window, then those round it."""
        chosen = [layer for layer in self._layers if isinstance(layer, kind)]
        yield from (layer for layer in chosen if layer.in_world)
        self.painter.crop(scene.window)
        yield from (layer for layer in chosen if not layer.in_world)

    def _seen(self, state: State) -> FrameView:
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


def _upright(name: str) -> Array:
    """The outline of a shape as a sign among words, where wings have room to the sides: what flies, flies upward."""
    shape = SHAPES[name]()
    outline = outline_of(shape)
    return outline[:, ::-1] * np.array([-1.0, 1.0]) if shape.winged else outline
