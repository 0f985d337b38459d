"""The lit look: density and light over a painted ground, for everything that should be beautiful.

Boids thicken where they are many and fade with depth. In bright themes they darken the ground, in dark ones they shine,
and the trails of predators are ribbons that taper and glow. Predators have a shape of their own, drawn anew in each
frame, so that they turn and grow without steps. Everything that moves is whole numbers in planes of one size; how they
become colors stands in `light`.
"""

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.accumulation import SHIFT, AccumulationBuffer, front, whole
from boidsgen.drawing.animals import GOLDEN, LIFT, Placed, attitudes, in_front, placed
from boidsgen.drawing.camera import Seen
from boidsgen.drawing.canvas import Canvas, GlassCanvas
from boidsgen.drawing.frame import Codes, GlassInks, light
from boidsgen.drawing.glow import HEAD, PEN, Glow
from boidsgen.drawing.marsh import lay_background
from boidsgen.drawing.painter import Painter, PainterSettings
from boidsgen.drawing.scene import OverlayLayer, Scene
from boidsgen.drawing.shapes import SHAPES, body_of
from boidsgen.drawing.solids import RIM
from boidsgen.drawing.sprites import QuickSprites, Sprites, reach, variety_of
from boidsgen.drawing.strokes import Integers
from boidsgen.drawing.themes import Light
from boidsgen.drawing.tone_mapping import ToneMapping, tone_curve
from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import State

ZERO = np.zeros(1, np.uint16)

DEPTHS = 255  # Depths between which strength does not change
TRAIL = 0.16  # Strength of the newest piece of a boid's trail
FAINTEST = -(-(1 << SHIFT) // 255)  # A piece of less strength adds nothing to any pixel, however much of it it covers
BEATS = 195  # Parts of a wing beat that pass in a frame: small birds of a large flock
BAND = 64  # Rows that are worked out at once in full color
SOLIDS = 10  # Shades of bodies, in worlds that have any
LIGHT_SHARE, DARK_SHARE = (0.02, 0.42), (0.3, 0.9)
"""Share of the color of obstacles in the first and the last of them, over the background, where it is light or dark."""
FOLDED, RAISED = 0.3, 0.42  # Missing part of the span of raised wings, and the visible part from the side


class LitPainter(Painter):
    """Adds animals to planes of density and light."""

    canvas: GlassCanvas
    inks: GlassInks

    def __init__(self, settings: PainterSettings) -> None:
        super().__init__(settings)
        scenario, size, viewpoint, coloring, _, body = settings
        theme, style, inks = scenario.style.colors, scenario.style, self.inks
        self._light: Light = theme.light  # type: ignore[assignment]  # who asks for this painter knows that there is one
        self._hunter = SHAPES[style.hunter]()
        kinds = [(shape, variety_of(shape, lit=True)) for shape in self._shapes[: len(scenario.flock)]]
        self._reach = max(reach(shape, body, viewpoint.closest, variety) for shape, variety in kinds)
        longest = float(length(body_of(self._hunter)).max()) * body * style.predator_size
        self._hunter_reach = int(np.ceil(longest * viewpoint.closest)) + 2
        margin = 2 * max(self._reach, self._hunter_reach) + 2
        self.canvas = GlassCanvas(size, margin, inks)
        stride = self.canvas.stride
        self._sprites = [QuickSprites(shape, body, viewpoint.closest, stride, variety) for shape, variety in kinds]
        self._hunters = Sprites(self._hunter, body, 1.0, self.canvas.stride)
        hues = coloring.colors(theme, scenario)
        self._mapping = ToneMapping(self._light, inks, hues, theme.plate or theme.background)
        solids = SOLIDS if scenario.obstacles and scenario.world.dimension == 3 else 0
        self._background = lay_background(self._light, size, self._mapping.tones - solids, self._mapping.step)
        share = np.linspace(*(LIGHT_SHARE if self._light.glows else DARK_SHARE), solids)[:, None]
        shades = light(theme.background) * (1.0 - share) + light(theme.obstacle) * share
        self._tones = np.concatenate((self._background.tones, shades))
        self._mapping.paint(self._tones)
        self._solid: tuple[Integers, Codes] = np.zeros(0, np.intp), np.zeros(0, np.uint16)
        self.palette = self._mapping.palette
        curve = tone_curve(self._light)
        nearest = len(hues) > 1 and not coloring.ordered
        self._buffer = AccumulationBuffer(size, margin, curve, nearest=nearest)
        self._glow = Glow(size, self.canvas, self._mapping.glow_levels) if self._light.glows else None
        self._fading = whole(self._light.strength(np.arange(DEPTHS + 1) / DEPTHS))

    @override
    def settle(self) -> None:
        super().settle()
        place, code = self.canvas.solid()
        _, thickness = self.inks.layers()
        shade = np.rint(np.minimum(thickness[code] / RIM, 1.0) * (SOLIDS - 1)).astype(np.uint16)
        self._solid = place, (shade + np.uint16(len(self._background.tones))) * np.uint16(self._mapping.step)
        if self._glow:
            self._glow.canvas.wipe()

    @override
    def draw(self, state: State, scene: Scene) -> None:
        self.canvas.begin()
        self._buffer.begin()
        if self._glow:
            self._glow.canvas.begin()
        flocks = [scene.projection(flock.position) for flock in state.flocks]
        self._background.begin(scene, np.concatenate([flock.position for flock in state.flocks]), Seen.together(flocks))
        drawn = [
            self._draw_flock(number, flock, seen, state, scene)
            for number, (flock, seen) in enumerate(zip(state.flocks, flocks, strict=True))
        ]
        hunters = [self._draw_predators(number, group, state, scene) for number, group in enumerate(state.predators)]
        for (each, sprite), seen, sprites in zip(drawn, flocks, self._sprites, strict=True):
            if hunters and scene.setup.world.dimension == 3 and len(each.xy):  # who is nearer is seen through them
                rows = in_front(each, seen, hunters, self._hunter_reach)
                shown = np.zeros((len(rows), len(self.canvas.bodies) + 1), np.bool_)
                self.canvas.erase(self.canvas.sprites(sprites, sprite[rows], each.xy[rows], shown))

    @override
    def surface(self, layer: OverlayLayer, scene: Scene) -> tuple[Canvas, Scene]:
        if layer.glows and self._glow:
            return self._glow.canvas, scene._replace(inks=self._glow.inks, pen=PEN * scene.pen)
        return super().surface(layer, scene)

    @override
    def crop(self, window: Array) -> None:
        super().crop(window)
        self._buffer.crop(window)
        if self._glow:
            self._glow.canvas.crop(window)

    @override
    def picture(self) -> Codes:
        mapping, mirror = self._mapping, self._background.mirror
        codes = self._background.codes()
        codes.reshape(-1)[self._solid[0]] = self._solid[1]
        self._buffer.add_to(codes, mapping.hues, mapping.glow_levels, mirror.start or self._size[1])
        if mirror.stop:
            levels = self._buffer.levels
            self._background.reflect(levels, self._buffer.box)
            codes[mirror] += levels[mirror] * np.uint16(mapping.hues * mapping.glow_levels)
        if self._glow:
            self._glow.add_to(codes)
        self.canvas.add_to(codes, self._buffer.levels, mapping.coarse, mapping.step, mapping.overlays)
        return codes

    @override
    def full_color(self, codes: Codes) -> NDArray[np.uint8]:
        picture = np.zeros((*codes.shape, 3), np.uint8)
        place, shade = self._solid[0], self._solid[1] // np.uint16(self._mapping.step)
        for top in range(0, len(codes), BAND):
            rows = slice(top, top + BAND)
            ground = self._background.light(rows)
            within = slice(*np.searchsorted(place, np.array([top, top + BAND]) * self._size[0]).tolist())
            ground.reshape(-1, 3)[place[within] - top * self._size[0]] = self._tones[shade[within]]
            picture[rows] = self._mapping.full_color(codes[rows], ground)
        return picture

    def _draw_flock(self, number: int, flock: Group, seen: Seen, state: State, scene: Scene) -> tuple[Placed, Integers]:
        """Add a flock, and return where its boids are and their sprites."""
        strength = self._fading.take(np.rint(seen.depth * DEPTHS).astype(np.intp))
        # What each boid looks like in front of others; nothing where all have one color.
        several = self._mapping.hues > 1
        before = front(seen.depth, self._coloring.pick(state, number, seen)) if several else ZERO.repeat(len(seen.xy))
        each = self.placed(number, flock, seen, state, scene, self._reach)
        sprites = self._sprites[number]
        sprite = sprites.number(each.xy, each.heading, each.scale, each.apparent, each.pose)
        own = strength[each.animal], before[each.animal]
        if self.canvas.bodies:
            hidden = self.hidden(scene, flock.position)[each.animal]
            self._buffer.trace(self.canvas.sprites(sprites, sprite, each.xy, hidden), *own)
        else:
            self._buffer.stamp(sprites, sprite, self.canvas.pixel(each.xy), *own)
        trace = self.trail(number, scene)
        tone = np.rint(strength * (TRAIL * self._trails[number].life ** 2)[:, None]).astype(np.uint16)
        lines = len(strength) * int((tone >= FAINTEST).any(axis=1).sum())
        self._buffer.trace(trace.of(trace.line < lines), tone.reshape(-1), np.tile(before, len(tone)))
        return each, sprite

    def _draw_predators(self, number: int, group: Group, state: State, scene: Scene) -> tuple[Placed, Seen]:
        seen, hidden = scene.projection(group.position), self.hidden(scene, group.position)
        trails = self._trails[len(state.flocks) + number]
        if self._glow:
            span = self.body * self._predator_size
            strength = self._light.strength(0.6 * seen.depth)
            self._glow.glow(seen.xy[seen.shown], HEAD * strength[seen.shown], hidden[seen.shown])
            if trails.pieces:
                pieces = self.hidden(scene, *(piece.end for piece in trails.pieces))
                self._glow.ribbons(trails, scene.projection, strength, span, pieces)
        each = self.placed(len(state.flocks) + number, group, seen, state, scene, self._hunter_reach)
        tone = scene.tone(self.inks.role("predator", number), np.maximum(self._light.strength(0.3 * seen.depth), 0.75))
        for corner, animal in zip(self._outlines(each), each.animal.tolist(), strict=True):
            own = slice(animal, animal + 1)
            self.canvas.draw(self.canvas.visible(self.canvas.area(corner), hidden[own]), tone[own])
        return each, seen

    @override
    def placed(self, number: int, group: Group, seen: Seen, state: State, scene: Scene, reach: int) -> Placed:
        if not self._shapes[number].winged:
            return super().placed(number, group, seen, state, scene, reach)
        attitude = attitudes(group.velocity, self._before[number], scene.projection.axes)
        each = placed(group.position, group.velocity, scene.projection, seen, self._size, reach, attitude)
        # Wings where they are in this frame: up or down, they are narrower, and seen from the side.
        lift = LIFT.take((each.animal * GOLDEN + int((state.frame + state.share) * BEATS)) % len(LIFT))
        high = np.float32(RAISED * RAISED) * lift
        spread = each.pose * (np.float32(1.0) - np.float32(FOLDED) * lift)
        apparent = np.sqrt(each.apparent * each.apparent + high)
        return each._replace(apparent=apparent, pose=np.sqrt(spread * spread + high))

    def _outlines(self, each: Placed) -> list[Array]:
        """The outlines of predators in the picture, (k, 2) each."""
        pose = np.maximum(each.pose, 0.3) if self._hunter.winged else each.pose
        size = self._predator_size * each.scale
        return list(each.xy[:, None] + self._hunters.outlines(each.heading, size, each.apparent, pose))
