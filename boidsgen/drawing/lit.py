"""The lit look: density and light over a painted ground, for everything that should be beautiful.

Boids thicken where they are many and fade with depth. In bright themes they darken the ground, in dark ones they shine,
and the trails of predators are ribbons that taper and glow. Predators have a shape of their own, drawn anew in each
frame, so that they turn and grow without steps. Everything that moves is whole numbers in planes of one size.

A pixel holds a few of them: the tone of the background, how much animal lies on it, in which of the hues of this run,
and how much glow (the light of predators). Together they are its code; one table, made beforehand in linear light,
gives the color of every code. What overlays write lies above all that, in flat inks over a coarse choice of the
background's tones.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.animals import BEAT, GOLDEN, LIFT, Painter, attitudes, in_front, placed
from boidsgen.drawing.backgrounds import BRIGHTEST, NO_PLANE, Ground, Tones, Turn, lay_background
from boidsgen.drawing.camera import RIM, Seen
from boidsgen.drawing.canvas import OVERLAY_CODES, GlassCanvas, OverlayLayer, Plane, Scene, Surface, add_overlays
from boidsgen.drawing.frame import (
    FULL_LIGHT,
    SIDE,
    SUBLEVELS,
    Codes,
    GlassInks,
    Numbers,
    WholeLight,
    fine_numbers,
    grain,
    light,
    light_of,
    numbers_of,
    representatives,
    whole_light,
)
from boidsgen.drawing.glow import (
    HEAD,
    PEN,
    SHIFT,
    AccumulationBuffer,
    FlatBuffer,
    Front,
    Glow,
    Sums,
    add_glow,
    add_levels,
    front,
    whole,
)
from boidsgen.drawing.shapes import (
    SHAPES,
    Integers,
    Placed,
    QuickSprites,
    Sprites,
    Trace,
    body_of,
    parts_of,
    reach,
    variety_of,
)
from boidsgen.drawing.sheen import sheen_of
from boidsgen.drawing.themes import Light
from boidsgen.kernel.library import accelerated
from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import State

MAX_CODES = 1 << 16
COARSE_TONES = 32  # Tones of the ground below overlays
MAX_TONES = 2048
THICKEST = 4096  # From this accumulated coverage on, all is alike
FULL_COVERAGE = 64  # Accumulated coverage of one animal that fills a pixel near the viewer


GLOW_LEVELS = 20  # Levels of the light of predators
POWER = 1.5
"""Power of its level that the light of animals is: the eye tells faint lights apart that differ little. That of embers
is the square."""
DIM, DENSE = 0.9, 0.3  # Brightness of few animals, and by how much more many shine
LEFT_BITS = 16
UNHIDDEN = 1 << LEFT_BITS  # All of the ground's light


def tone_curve(light: Light) -> NDArray[np.uint8]:
    """Fine levels by accumulated coverage 0 to THICKEST - 1.

    In bright themes SUBLEVELS * (levels - 1) * (1 - exp(-density * animals)); what shines has more levels where it
    is faint.
    """
    part = 1.0 - exact.exponential(-light.density * np.arange(THICKEST) / FULL_COVERAGE)
    share = exact.powers(part, 1 / POWER) if light.glows else part
    return np.rint(SUBLEVELS * (light.levels - 1) * share).astype(np.uint8)


def cover_curve(light: Light) -> NDArray[np.uint8]:
    """Fine levels by accumulated coverage, in proportion to it up to one animal, so that edges are smooth."""
    covered = np.minimum(np.arange(THICKEST) / (FULL_COVERAGE - 1), 1.0)
    return np.rint(SUBLEVELS * (light.levels - 1) * covered).astype(np.uint8)


class ToneMapping:
    """The codes of one run."""

    def __init__(self, light: Light, inks: GlassInks, hues: tuple[str, ...], plate: str) -> None:
        self._light = light
        self.hues, self.levels = len(hues), light.levels  # how many there are, of animals and of density
        self.glow_levels = GLOW_LEVELS if light.glows else 1  # levels of the predators' light, 1 where there is none
        self.step = self.levels * self.hues * self.glow_levels  # codes from one tone to the next
        # Maximum number of tones of the background
        self.tones = min((MAX_CODES - COARSE_TONES * OVERLAY_CODES) // self.step, MAX_TONES)
        self._colors = hues
        self._inks = inks
        self._plate = plate

    def paint(self, tones: Array) -> None:
        """Make the table for a ground of these tones, (n, 3)."""
        glows = self._light.glows
        share = np.arange(self.levels) / (self.levels - 1)
        part = (exact.powers(share, POWER) if glows else share)[:, None, None]
        opacity = self._light.opacity * part
        shine = part * (DIM + DENSE * part) if glows else opacity
        # Light by tone, level and hue, (tones, levels, hues, 3).
        own = np.stack([light(color) for color in self._colors]) * shine
        left = np.broadcast_to(1.0 - opacity, (*own.shape[:2], 1))
        if glows:
            share = np.arange(self.glow_levels) / (self.glow_levels - 1)
            part = (share * share)[:, None]
            own = own[..., None, :] * (1.0 - 0.8 * part * part) + light(self._light.ember) * part
            left = left[..., None] * (1.0 - 0.8 * part * part)
        own, left = own.reshape(-1, 3), left.reshape(-1, 1)
        self.overlays = len(tones) * len(own)  # where the codes of what overlays write begin
        color, place = np.unique(numbers_of(tones), axis=0, return_inverse=True)
        few, member = representatives(color, np.ones(len(color), np.int64), COARSE_TONES)
        # The coarse tone below overlays for every tone of the ground, (tones,)
        coarse, self.coarse = light_of(few), member[place.reshape(-1)]
        # Light of overlays by coarse tone and code of ink, (COARSE_TONES, OVERLAYS, 3).
        ink, thickness = self._inks.layers()
        above, through = np.zeros((OVERLAY_CODES, 3)), np.zeros((len(coarse), OVERLAY_CODES, 1))
        above[: len(ink)], through[:, : len(ink), 0] = light_of(ink) * thickness[:, None], 1.0 - thickness
        # What has to be read stands on tones that are no brighter than the plate.
        luminance = np.array([0.2126, 0.7152, 0.0722])
        allowed, bright = (light(self._plate) * luminance).sum(), (coarse * luminance).sum(axis=1)
        through[:, self._inks.cleared, 0] = np.minimum(allowed / np.maximum(bright, 1e-9), 1.0)
        # The light of a code is that of what is drawn, and what it lets through of the ground.
        ground = np.concatenate((tones.repeat(len(own), axis=0), coarse.repeat(OVERLAY_CODES, axis=0)))
        own = np.concatenate((np.tile(own, (len(tones), 1)), np.tile(above, (len(coarse), 1))))
        left = np.concatenate((np.tile(left, (len(tones), 1)), through.reshape(-1, 1)))
        self.palette = numbers_of(own + left * ground)  # (codes, 3) uint8, the color of every code
        layers = np.rint(np.hstack((FULL_LIGHT * own, UNHIDDEN * left))).astype(np.int32)
        self.layers = np.concatenate((layers[: self.step], layers[self.overlays :]))
        """The light of what is drawn by the codes of one tone and of overlays, as a whole number, and the part of the
        ground's, of UNHIDDEN; (n, 4)."""


class Bodies(NamedTuple):
    """Bodies in front of a ground."""

    shade: Plane  # (height, width), from 1 on; 0 without one; or none
    light: WholeLight  # (shades, 3)


@accelerated("=u1 u1 u2 int int int u1 u2 u2 u1 int")
def paint_ground(
    picture: Numbers, ground: Ground, bodies: Bodies, numbers: NDArray[np.uint16], finest: Plane, columns: int
) -> None:
    """Fill a picture, (height, columns, 3), with the light of a ground and of bodies, dithered; see `compose`."""
    light, finer = light_with_bodies(ground, bodies, columns), _over(finest, picture)
    picture[:] = (numbers[light] + finer[..., None]) >> 8


def light_with_bodies(ground: Ground, bodies: Bodies, columns: int) -> WholeLight:
    """The light of every pixel of a ground with bodies before it, (height, columns, 3)."""
    light = ground.seen(columns)
    if bodies.shade.size:
        place = bodies.shade.nonzero()
        light[place] = bodies.light[bodies.shade[place] - 1]
    return light


def _over(finest: Plane, picture: Numbers) -> NDArray[np.int32]:
    """A pattern, repeated over a picture."""
    row, column = (np.arange(side) % SIDE for side in picture.shape[:2])
    return finest[np.ix_(row, column)].astype(np.int32)


class Covering(NamedTuple):
    """Everything over a ground: animals, the light of predators, overlays, and what the water mirrors."""

    sums: Sums  # of animals, see `FlatBuffer`
    fronts: Front
    touched: Plane
    curve: Plane  # see `tone_curve`
    glowing: Plane  # levels of light, with a margin, or none
    halo: Plane  # the same round predators, (height, columns)
    inks: Plane  # codes of overlays, flat, with a margin
    below: Plane  # those that cover no animals, likewise
    cover: NDArray[np.uint16]  # the body in front, likewise, or none
    coarse: Integers  # see `ToneMapping`
    above: NDArray[np.int32]  # rows that those below the shore mirror, or none
    rippled: Plane  # levels in the water, by the sum of nine


class Form(NamedTuple):
    """Numbers of all pictures of a run."""

    columns: int  # the width, in pixels
    margin: int  # of what has one
    hues: int  # see `ToneMapping`
    glow_levels: int
    step: int
    brightest: int  # level of light
    shore: int  # the row below which no animals are drawn


def draw_over(codes: Tones, levels: Plane, grain: Plane, drawn: Covering, form: Form) -> None:
    """Draw over codes, of two of them the higher where the grain, below SUBLEVELS, is large; levels are at first 0."""
    columns, margin, hues, glow_levels, step, brightest, shore = form
    buffer, box = FlatBuffer(drawn.sums, drawn.fronts, drawn.touched), (0, shore, 0, columns)
    add_levels(codes, levels, buffer, drawn.curve, grain, box, columns, margin, hues, glow_levels)
    if len(drawn.above):
        # The animals in the sky appear in the water, too. Sums of nine levels; a byte holds them.
        seen = [levels[np.maximum(drawn.above - back, 0)] for back in (0, 2, DEEPEST)]
        total = seen[0] + seen[1] + seen[2]
        total[:, 1:-1] += total[:, :-2] + total[:, 2:]
        levels[shore:] = drawn.rippled.take(total)
        codes[shore:] += levels[shore:] * np.uint16(glow_levels)
    if glow_levels > 1:
        add_glow(codes, drawn.glowing, drawn.halo, grain, (0, 0, columns), columns, margin, brightest)
    inks = drawn.inks, drawn.below, drawn.cover
    add_overlays(codes, levels, *inks, drawn.coarse, columns, margin, step, step * len(drawn.coarse))


@accelerated(
    "=u1 =u1 =u1 =u2 u1 u2 int int int u1 u2 u2 u8 u2 u1 u1 u1 u1 u1 u1 u2 i8 i4 u1" + 7 * " int" + " i4 u2 u1"
)
def compose(
    picture: Numbers,
    scratch: tuple[Plane, Plane, NDArray[np.uint16]],
    ground: Ground,
    bodies: Bodies,
    empty: Tones,
    drawn: Covering,
    form: Form,
    layers: NDArray[np.int32],
    numbers: NDArray[np.uint16],
    finest: Plane,
) -> None:
    """Draw over a picture of a ground in full color: the mean light of four codes of every pixel, dithered.

    Args:
        picture: red, green and blue, (height, width, 3), from `paint_ground`; where nothing is drawn it stays as it is.
        scratch: room for the levels of a picture, or none if nothing is mirrored; for four rows of it; and for colors
            by light and brightness, (brightest + 1, 256, 4), at first 0, which one picture leaves to the next, or none
            if anything is mirrored.
        ground: its light.
        bodies: before it.
        empty: codes of both, (height, width).
        drawn: over them.
        form: of the run.
        layers: see `ToneMapping.layers`.
        numbers: see `fine_numbers`.
        finest: of the dither, in 256 steps, (SIDE, SIDE).
    """
    del scratch
    every = np.repeat(empty[None], len(SHARES), axis=0)
    for codes, share in zip(every, SHARES, strict=True):
        draw_over(codes, np.zeros_like(empty, np.uint8), np.full_like(empty, share, np.uint8), drawn, form)
    place = (every != empty).any(axis=0).nonzero()
    code, first = every[:, *place].astype(np.intp), form.step * len(drawn.coarse)
    total = layers[np.where(code < first, code % form.step, code - first + form.step)].sum(axis=0, dtype=np.int64)
    below = light_with_bodies(ground, bodies, form.columns)[place]
    sums = total[:, :3] + (total[:, 3:] * below >> LEFT_BITS)
    light = np.minimum((sums + len(SHARES) // 2) // len(SHARES), FULL_LIGHT)
    picture[place] = (numbers[light] + _over(finest, picture)[place][:, None]) >> 8


ZERO = np.zeros(1, np.uint16)

DEEPEST = 5  # Over how many rows of the sky the water blurs
DEPTHS = 255  # Depths between which strength does not change
TRAIL = 0.16  # Strength of the newest piece of a boid's trail
FAINTEST = -(-(1 << SHIFT) // 255)  # A piece of less strength adds nothing to any pixel, however much of it it covers
BEATS = 195  # Parts of a wing beat that pass in a frame: small birds of a large flock
SHARES = range(0, SUBLEVELS, SUBLEVELS // 4)  # Thresholds between the two codes of a pixel whose mean is its full color
SOLIDS = 10  # Shades of bodies, in worlds that have any
LIGHT_SHARE, DARK_SHARE = (0.02, 0.42), (0.3, 0.9)
"""Share of the color of obstacles in the first and the last of them, over the background, where it is light or dark."""
SHADED = 0.6  # Missing part of the strength of a fish whose back is seen, against one that shows its flank
FOLDED, RAISED = 0.3, 0.42  # Missing part of the span of raised wings, and the visible part from the side


class LitPainter(Painter):
    """Adds animals to planes of density and light."""

    canvas: GlassCanvas
    inks: GlassInks
    stain: Callable[[WholeLight], WholeLight] | None = None
    """Adds what lies on the ground and on bodies, below the animals, to their light, (height, width, 3)."""

    @override
    def __post_init__(self) -> None:
        super().__post_init__()
        scenario, size, closest, body = self.scenario, self.size, self.closest, self.body
        theme, style, coloring = scenario.style.colors, scenario.style, scenario.coloring
        theirs: Light = theme.light  # type: ignore[assignment]  # who asks for this painter knows that there is one
        flat = theirs.flat_density if scenario.world.dimension == 2 else None
        self._light = theirs._replace(density=flat or theirs.density)
        self._hunter = SHAPES[style.hunter]()
        kinds = [(shape, variety_of(shape, lit=True)) for shape in self._shapes[: len(scenario.flock)]]
        self.reach = max(reach(shape, body, closest, variety) for shape, variety in kinds)
        longest = float(length(body_of(self._hunter)).max()) * body * style.predator_size
        self.hunter_reach = int(np.ceil(longest * closest)) + 2
        margin = 2 * max(self.reach, self.hunter_reach) + 2
        self.canvas = GlassCanvas(size, margin, self.inks)
        stride = self.canvas.stride
        self.sprites = [QuickSprites(shape, body, closest, stride, variety) for shape, variety in kinds]
        self._hunters = Sprites(self._hunter, body, 1.0, self.canvas.stride)
        hues = coloring.colors(theme, scenario)
        self.sheen = sheen_of(self._light, hues, scenario.world.dimension)
        hues = self.sheen.hues if self.sheen else hues
        deep = scenario.world.dimension == 3 and not self.sheen
        self.flashes = [
            deep and bool(shape.beat) and not shape.winged and len(parts_of(shape, body)) > 1 for shape, _ in kinds
        ]
        """Whether flanks are brighter than backs and bellies in each flock: those of large fish without a sheen."""
        self.mapping = ToneMapping(self._light, self.inks, hues, theme.plate or theme.background)
        solids = SOLIDS if scenario.obstacles and scenario.world.dimension == 3 else 0
        camera, turns = scenario.camera, scenario.world.dimension == 3
        turn = Turn(camera.azimuth, camera.orbit * scenario.time.frames if turns else 0.0)
        self.background = lay_background(
            self._light, size, self.mapping.tones - solids, self.mapping.step, turn, self.layout.shore, self.viewpoint
        )
        share = np.linspace(*(LIGHT_SHARE if self._light.glows else DARK_SHARE), solids)[:, None]
        self.solids = light(theme.background) * (1.0 - share) + light(theme.obstacle) * share  # (solids, 3), of bodies
        self._tones = np.concatenate((self.background.tones, self.solids))
        self.mapping.paint(self._tones)
        self.palette = self.mapping.palette
        self.curve = tone_curve(self._light)
        self.smooth = cover_curve(self._light) if flat else self.curve
        """The curve in full color: there flat animals hide as much as they cover."""
        self.nearest = len(hues) > 1 and not (coloring.ordered and not self.sheen)
        """Whether a pixel shows the hue of the nearest animal."""
        self._buffer = AccumulationBuffer(size, margin, nearest=self.nearest)
        self.glow = Glow(size, self.canvas, self.mapping.glow_levels) if self._light.glows else None
        self.marks = self.kind.above(self.canvas, (not self._light.glows and theme.plate) or theme.background)
        self.surfaces = [*{self.canvas, self.marks, self.glow.canvas if self.glow else self.canvas}]
        self._grain = grain(size, SUBLEVELS)
        mapping, shore = self.mapping, self.background.mirror.start or size[1]
        brightest = self.glow.brightest if self.glow else 0
        self._form = Form(size[0], margin, mapping.hues, mapping.glow_levels, mapping.step, brightest, shore)
        self._bare: tuple[Ground, Bodies, Numbers] | None = None  # the ground and bodies, and their picture
        self._empty: Tones | None = None  # codes of these, for the picture at hand
        self._known = np.zeros((brightest + 1, BRIGHTEST + 1, 4), np.uint16)
        self._levels = np.zeros_like(self._grain)
        self.fading = whole(self._light.strength(np.arange(DEPTHS + 1) / DEPTHS))

    @override
    def settle(self) -> None:
        super().settle()
        place, code = self.canvas.solid()
        _, thickness = self.inks.layers()
        shade = np.rint(np.minimum(thickness[code] / RIM, 1.0) * (SOLIDS - 1)).astype(np.uint16)
        self._solid = place, (shade + np.uint16(len(self.background.tones))) * np.uint16(self.mapping.step)
        self._bare = None
        shades = np.zeros(self._grain.shape if len(place) else (0, 0), np.uint8)
        shades.reshape(-1)[place] = shade + 1
        self._bodies = Bodies(shades, whole_light(self.solids))

    @override
    def draw(self, state: State, scene: Scene) -> None:
        self._empty = None
        self._buffer.begin()
        if self.glow:
            self.glow.begin()
        flocks = [scene.projection(flock.position) for flock in state.flocks]
        everybody = np.concatenate([flock.position for flock in state.flocks])
        self.background.begin(scene, everybody)
        self._buffer.shade(self.background.shadows(scene, everybody, self.size), self._grain, self._solid[0])
        drawn = [
            self._draw_flock(number, flock, seen, state, scene)
            for number, (flock, seen) in enumerate(zip(state.flocks, flocks, strict=True))
        ]
        hunters = [self._draw_predators(number, group, state, scene) for number, group in enumerate(state.predators)]
        for (each, sprite), seen, sprites in zip(drawn, flocks, self.sprites, strict=True):
            if hunters and scene.setup.world.dimension == 3 and len(each.xy):  # who is nearer is seen through them
                rows = in_front(each, seen, hunters, self.hunter_reach)
                shown = np.zeros((len(rows), len(self.canvas.bodies) + 1), np.bool_)
                self.canvas.draw(self.canvas.sprites(sprites, sprite[rows], each.xy[rows], shown), None)

    @override
    def surface(self, layer: OverlayLayer, scene: Scene) -> tuple[Surface, Scene]:
        if layer.glows and self.glow:
            return self.glow.canvas, scene._replace(inks=self.glow.inks, pen=PEN * scene.pen)
        return self.canvas if layer.glows else self.marks, scene

    @override
    def crop(self, window: Array) -> None:
        super().crop(window)
        self._buffer.crop(window)

    @override
    def picture(self) -> Codes:
        codes = self._ground().copy()
        self._levels.fill(0)
        draw_over(codes, self._levels, self._grain, self._drawn(self.curve), self._form)
        return codes

    def _ground(self) -> Tones:
        """The codes of the ground and of bodies."""
        if self._empty is None:
            self._empty = self.background.codes()
            self._empty.reshape(-1)[self._solid[0]] = self._solid[1]
        return self._empty

    def _drawn(self, curve: Plane) -> Covering:
        light, (inks, below, cover) = self.glow.planes() if self.glow else (NO_PLANE, NO_PLANE), self.canvas.planes()
        above, rippled = self.background.water()
        mirrors = above[: 0 if self.mapping.hues > 1 else None]  # of several hues each pixel there would need its own
        planes = *light, inks, below
        return Covering(*self._buffer.flat, curve, *planes, cover, self.mapping.coarse, mirrors, rippled)

    @override
    def full_color(self) -> Numbers:
        empty, columns, dither = self._ground(), self.size[0], (fine_numbers(), 255 - grain((SIDE, SIDE), 256))
        if self._bare is None or self.stain or not self.background.still:
            ground, bodies, picture = self.background.ground(), self._bodies, np.empty((*empty.shape, 3), np.uint8)
            if self.stain:
                light, bodies = self.stain(light_with_bodies(ground, bodies, columns)), bodies._replace(shade=NO_PLANE)
                ground = Ground(NO_PLANE, light, wide=columns)
            paint_ground(picture, ground, bodies, *dither, columns)
            self._bare = ground, bodies, picture
        ground, bodies, bare = self._bare
        picture = bare.copy()
        drawn = self._drawn(self.smooth)
        levels = self._levels if len(drawn.above) else NO_PLANE
        levels.fill(0)
        scratch = levels, np.empty(len(SHARES) * columns, np.uint8), self._known if ground.bright.size else ZERO[:0]
        compose(picture, scratch, ground, bodies, empty, drawn, self._form, self.mapping.layers, *dither)
        return picture

    def _draw_flock(self, number: int, flock: Group, seen: Seen, state: State, scene: Scene) -> tuple[Placed, Integers]:
        """Add a flock, and return where its boids are and their sprites."""
        strength = self.fading.take(np.rint(seen.depth * DEPTHS).astype(np.intp))
        if self.flashes[number]:
            back = attitudes(flock.velocity, flock.velocity, scene.projection.axes).width  # upright in turns, too
            strength = np.rint(strength * (1.0 - SHADED * back * back)).astype(np.uint16)
        # What each boid looks like in front of others; nothing where all have one color.
        several = self.mapping.hues > 1
        hue = scene.coloring.pick(state, number, seen) if several else np.zeros(len(seen.xy), np.intp)
        each = self.placed(number, flock, seen, state, scene, self.reach)
        drawn = [(each, hue)]
        if self.sheen:
            first, axes = 1 + hue * self.sheen.flanks, scene.projection.axes
            drawn = [(each, first + self.sheen.flank(flock.velocity, axes))]
            # The back wins where it is as near, and is no thicker than what is below it.
            backs = self.sheen.raised(each, flock.velocity, axes, self.body)
            drawn += [(part, np.full_like(hue, number)) for part, number in backs]
        before = front(seen.depth, drawn[0][1]) if several else ZERO.repeat(len(seen.xy))
        sprites = self.sprites[number]
        sprite = each.sprites(sprites)
        for part, hues in drawn:
            thick = strength[part.animal] * np.uint16(part is each)
            own = thick, front(seen.depth, hues)[part.animal] if several else before[part.animal]
            chosen = sprite if part is each else part.sprites(sprites)
            if self.canvas.bodies:
                hidden = self.hidden(scene, flock.position)[part.animal]
                self._buffer.trace(self.canvas.sprites(sprites, chosen, part.xy, hidden), *own)
            else:
                self._buffer.stamp(sprites, chosen, self.canvas.pixel(part.xy), *own)
        trail = self._trails[number]
        if trail.pieces:
            trace = Trace(*trail.trace(self.canvas, scene.projection, self._trail_width))
            trace = self.canvas.visible(trace, self.hidden(scene, *(piece.end for piece in trail.pieces)))
            tone = np.rint(strength * (TRAIL * trail.life**2)[:, None]).astype(np.uint16)
            tone = tone[(tone >= FAINTEST).any(axis=1)]  # the newest
            self._buffer.trace(trace, tone.reshape(-1), np.tile(before, len(tone)))
        return each, sprite

    def _draw_predators(self, number: int, group: Group, state: State, scene: Scene) -> tuple[Placed, Seen]:
        seen, hidden = scene.projection(group.position), self.hidden(scene, group.position)
        trails = self._trails[len(state.flocks) + number]
        if self.glow:
            span = self.body * self._predator_size
            strength = self._light.strength(0.6 * seen.depth)
            self.glow.glow(seen.xy[seen.shown], HEAD * strength[seen.shown], hidden[seen.shown])
            if trails.pieces:
                pieces = self.hidden(scene, *(piece.end for piece in trails.pieces))
                self.glow.ribbons(trails, scene, strength, span, pieces)
        each = self.placed(len(state.flocks) + number, group, seen, state, scene, self.hunter_reach)
        tone = scene.tone(self.inks.hunter(number), np.maximum(self._light.strength(0.3 * seen.depth), 0.75))
        shown = each._replace(pose=np.maximum(each.pose, 0.3)) if self._hunter.winged else each
        for rows, parts in self._hunters.outlines(shown, self._predator_size):
            for row, animal in enumerate(each.animal[rows].tolist()):
                body, *details = (part._replace(corners=part.corners[row]) for part in parts)
                self.canvas.fill(body.corners, tone[animal], hidden[animal], *details)
        return each, seen

    @override
    def placed(self, number: int, group: Group, seen: Seen, state: State, scene: Scene, reach: int) -> Placed:
        if not self._shapes[number].winged:
            return super().placed(number, group, seen, state, scene, reach)
        attitude = attitudes(group.velocity, self._before[number], scene.projection.axes)
        each = placed(group, scene.projection, seen, self.size, reach, attitude)
        # Wings where they are in this frame: up or down, they are narrower, and seen from the side.
        beats = BEATS if number < len(state.flocks) else self._hunter.beat * BEAT
        lift = LIFT.take((each.animal * GOLDEN + int((state.frame + state.share) * beats)) % BEAT)
        high = np.float32(RAISED * RAISED) * lift
        spread = each.pose * (np.float32(1.0) - np.float32(FOLDED) * lift)
        apparent = np.sqrt(each.apparent * each.apparent + high)
        return each._replace(apparent=apparent, pose=np.sqrt(spread * spread + high))
