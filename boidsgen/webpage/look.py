"""The look of a page: what its drawing needs beside the states, ready for JSON.

Lengths are pixels of the picture unless said otherwise. What the pictures of a clip settle once (layout, lines of text,
colors, outlines, camera) is settled by the same code, so that the page draws the same.

Of a lit theme the page has the tables and planes with which the painter of clips draws; the kernel works on them in
both. Planes are bytes, one after the other, deflated; numbers of two bytes have the lower one first.
"""

import math
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing import backgrounds, camera, glow, sheen
from boidsgen.drawing import lit as lit_look
from boidsgen.drawing.animals import BEAT, FlatPainter, stroke
from boidsgen.drawing.backgrounds import (
    DARKEST,
    DRIFT,
    FADING,
    MIDDLE,
    SHADE,
    SHADE_GAIN,
    SKY_STEP,
    SLOPES,
    LaidDepths,
    LaidMarsh,
    LaidReef,
)
from boidsgen.drawing.camera import LAMP, Camera
from boidsgen.drawing.canvas import Layout, Scene, Surface
from boidsgen.drawing.colorings import Coloring, SpeedColoring
from boidsgen.drawing.frame import FINE_LEVELS, SIDE, SUBLEVELS, Palette, grain, lit_stops, whole_light
from boidsgen.drawing.glow import GAIN, HALO, borders, square
from boidsgen.drawing.lit import SOLIDS, LitPainter
from boidsgen.drawing.overlays import readings
from boidsgen.drawing.overlays.focus import largest_force, rule_letters, rule_role
from boidsgen.drawing.overlays.readings import (
    CAPTION_LINE,
    LINE,
    RAMP,
    Hud,
    LegendLayer,
    LegendPart,
    caption_size,
    counts,
)
from boidsgen.drawing.reef import LEVEL, specks
from boidsgen.drawing.renderer import Renderer, arrange
from boidsgen.drawing.shapes import (
    HEADINGS,
    SHAPES,
    Shape,
    Sprites,
    body_of,
    contours,
    detailed_from,
    parts_of,
    variety_of,
)
from boidsgen.drawing.text import EM, chosen_font, lines
from boidsgen.drawing.themes import FLOCK_COLORS, FORCE_COLORS
from boidsgen.drawing.vector import DARKENED, Figure, VectorCanvas
from boidsgen.output.figures import Svg
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.measures import influences
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup, Timeline

WORDS, IN_WORLD = {"Title", "Legend", "Scale"}, {"Axes", "Fields", "WorldEdges"}
"""Layers of words, which a small page has beside its picture, and those that stay while the camera stands still."""
PATH_PIECES, PATH_DIGITS = 240, 6  # Straight lines of a path, and decimals of their ends
STROKES = 128  # Of a beat of wings or tails, in each of which animals have one pose
OUTLINE_STEPS = 1000  # Steps of outlines in the length of a body
OUTLINE_DIGITS = 4  # Decimals of those of lit themes


def without_panels(scenario: Scenario) -> Scenario:
    """The scenario as a page shows it: forces on the boid itself, and curves below the picture."""
    output, overlay = scenario.output, scenario.overlay
    if output.size is not None and overlay.forces in {"panel", "chart"}:
        stage = arrange(output.size, scenario.layers, scenario).stage
        output = output.model_copy(update={"size": stage})
    plain = overlay.model_copy(update={"forces": None, "chart": None, "perception": False, "neighbors": False})
    return scenario.model_copy(update={"overlay": plain, "output": output})


def look(scenario: Scenario) -> dict[str, Any]:
    """Layout, colors, outlines, texts and camera of a scenario's pictures."""
    shown = without_panels(scenario)
    style, overlay, theme = shown.style, shown.overlay.model_dump(), shown.style.colors
    layout = arrange(shown.picture_size, shown.layers, shown)
    cameras = [*_cameras(shown, layout)]
    given, ramp = scenario.overlay, theme.light.background.get("ramp") if theme.light else None
    return {
        "title": shown.title,
        "size": layout.stage,
        "fps": shown.output.fps,
        "world": {
            "size": shown.world.size,
            "periods": shown.world.periods.tolist(),
            "leadsRound": shown.world.boundary.jumps,
        },
        "letter": layout.text,
        "em": EM,
        "font": chosen_font(),
        "colors": {
            "background": theme.background,
            "plate": theme.plate or theme.background,
            "around": ramp[0][1] if ramp else theme.background,
            **{role: getattr(theme, role) for role in ("text", "muted", "obstacle", "accent", "focus", "predator")},
        },
        "arrows": [*_arrows(shown)],
        "grounds": [*_grounds(shown)],
        "window": (0, 0, *layout.stage) if theme.light else _window(cameras, layout),
        "least": layout.text * min((one.letters for one in shown.layers if not one.in_world), default=1.0),
        "legend": [*_legend(shown)],
        "ramp": _ramp(shown, layout),
        "inks": theme.flocks,
        "paths": [*_paths(shown)],
        "roads": shown.overlay.roads,
        "coloring": style.color_by,
        "boids": shown.coloring.colors(theme, shown),
        "groups": [*drawn_groups(shown)],
        "body": style.length(layout.stage, sum(flock.count for flock in shown.flock)),
        "pen": style.pen(layout.stage),
        "trailWidth": style.trail_pen(layout.stage),
        "cameras": cameras,
        "captions": [*_captions(shown, layout)],
        "places": layout.places,
        "flush": layout.flush,
        "captionSize": [caption_size(layout.text), round(CAPTION_LINE * caption_size(layout.text))],
        "hud": [
            number
            for layer in shown.layers
            if isinstance(layer, Hud)
            for number in layer.numbers(shown, layout.places["Hud"], layout.text)
        ],
        "rate": counts(shown)["fps"],
        "shows": {name: overlay[name] for name in ("center_of_mass", "obstacles", "attractors", "moving_attractors")},
        "edges": _turns(shown) and any(type(layer).__name__ in {"Axes", "WorldEdges"} for layer in shown.layers),
        "focus": given.focus if given.forces or given.perception or given.neighbors else None,
    }


def _grounds(shown: Scenario) -> Iterator[str]:
    """Images of what stays below the animals, as shapes over a lit picture or the background, and at last words."""
    nobody = {
        "flock": tuple(flock.model_copy(update={"count": 0}) for flock in shown.flock),
        "predators": tuple(table.model_copy(update={"count": 0}) for table in shown.predators),
        "time": shown.time.model_copy(update={"frames": 1, "warmup": 0}),
        "events": (),
        "tracks": None,
    }
    state = next(simulate(shown.model_copy(update=nobody), "numpy"))
    light = shown.style.colors.light
    staying = {"Border"} if _turns(shown) else {"Border"} | IN_WORLD

    def figure_of(names: set[str]) -> Figure:
        # Without the pixels of a lit theme, which the page draws itself.
        here = (layer for layer in shown.layers if type(layer).__name__ in names)
        layers = [layer for layer in here if not (light and layer.glows)]
        if isinstance(shown.coloring, SpeedColoring):
            legends = (
                Legend.model_construct(**dict(one)) if isinstance(one, readings.Legend) else one for one in layers
            )
            layers = [layer for layer in legends if not isinstance(layer, readings.Scale)]
        renderer = Renderer(shown, shown.picture_size, VectorCanvas, layers, FlatPainter)
        renderer.draw(state)
        figure: Figure = renderer.painter.marks.picture()
        return figure

    behind = None if light else shown.style.colors.background
    for one, below in ((figure_of(staying), behind), (figure_of(WORDS), None)):
        # The page has a shadow of its own for what is written over a picture.
        seen = (
            layer._replace(shapes=tuple(shape for shape in layer.shapes if shape.opacity != DARKENED))
            for layer in one.layers
        )
        shapes = Svg.encoded(replace(one, picture=None, background=below, layers=(*seen,)), "")
        yield f"data:image/svg+xml;base64,{b64encode(shapes).decode()}"


def _legend(shown: Scenario) -> Iterator[dict[str, Any]]:
    """The parts of the legend: a title, whether its colors are directions, and words with their colors."""
    theme, coloring = shown.style.colors, shown.coloring
    inks = {f"boid {number}": ink for number, ink in enumerate(coloring.colors(theme, shown))}
    inks |= {f"predator {number}": theme.hunter(number) for number, _ in enumerate(shown.predators)}
    for layer in shown.layers:
        for part in layer.parts(shown, coloring) if isinstance(layer, LegendLayer) else ():
            yield part._asdict() | {"entries": [(word, inks[role]) for word, role in part.entries]}


def _turns(shown: Scenario) -> bool:
    """True if the camera may show the world from elsewhere in another frame."""
    return shown.world.dimension == 3 or shown.camera.follows


def _paths(shown: Scenario) -> Iterator[tuple[int, list[list[float]]]]:
    """The curves that carry predators, where they are shown: the number of their table, and points for a scale of 1."""
    if not shown.overlay.paths:
        return
    for number, table in enumerate(shown.predators):
        if table.path is not None and table.carried:
            middle = (0.0,) * shown.world.dimension
            whole = table.path.model_copy(update={"phase": 360.0 / PATH_PIECES, "scale": 1.0, "center": middle})
            yield number, whole.position(0.0, PATH_PIECES + 1, shown.world).round(PATH_DIGITS).tolist()


def _arrows(shown: Scenario) -> Iterator[dict[str, Any]]:
    """For each flock the force and the speed that the longest arrows stand for, and the color and letter of each."""
    for number, flock in enumerate(shown.flock):
        names, letters = influences(shown, number), rule_letters(shown, number)
        colors = {name: shown.style.colors.forces[place % FORCE_COLORS] for place, name in enumerate(names)}
        rules = {name: (colors[name], letters[rule_role(name)]) for name in names}
        yield {"force": largest_force(shown, number), "speed": flock.max_speed, "rules": rules}


def _ramp(shown: Scenario, layout: Layout) -> dict[str, Any] | None:
    """A legend of speeds, which change: its place, the words before and after its colors, and these."""
    for layer in shown.layers if isinstance(shown.coloring, SpeedColoring) else ():
        if isinstance(layer, LegendLayer):
            place, flush = layout.places[type(layer).__name__], layer.legend == "scale"
            low, high = (layer.word(end) for end in SpeedColoring.ends)
            title = layer.word(SpeedColoring.title)
            return {
                "left": place.left,
                "right": place.right if flush else None,
                "middle": (place.top + place.bottom) / 2 if flush else place.top + LINE / 2 * layout.text,
                "before": [f"{low} {{low}}"] if flush else [title, "{low}"],
                "after": f"{{high}} {high}" if flush else "{high}",
                "long": RAMP * layout.text,
            }
    return None


class _Unseen(LegendPart):
    """A part that keeps its place."""

    @override
    def draw(self, surface: Surface, scene: Scene, left: float, top: float) -> None:
        pass


class Legend(readings.Legend):
    """The legend of speeds as a page has it below what moves: without them."""

    @override
    def parts(self, setup: Setup, coloring: Coloring) -> list[LegendPart]:
        first, *others = super().parts(setup, coloring)
        return [_Unseen(*first), *others]


def drawn_groups(shown: Scenario) -> Iterator[dict[str, Any]]:
    """Outline, color and trails of every group: flocks, then predators."""
    style, theme = shown.style, shown.style.colors
    layout = arrange(shown.picture_size, shown.layers, shown)
    pixels = style.length(layout.stage, sum(flock.count for flock in shown.flock))
    for number, flock in enumerate(shown.flock):
        color = theme.flocks[number % FLOCK_COLORS]
        body = _body(style.shape_of(number), pixels)
        yield {"name": flock.name, **body, "color": color, "trails": style.trails, "size": 1.0}
    for number, table in enumerate(shown.predators):
        kind = {"name": table.name, **_body(style.hunter, pixels * style.predator_size), "color": theme.hunter(number)}
        yield {**kind, "trails": style.hunters_trails, "size": style.predator_size}


def _body(name: str, pixels: float) -> dict[str, Any]:
    """The parts of a shape so many pixels long in some poses, and what of them is filled how strongly.

    The poses are those of a picture. One is told by its steps from the one before it, in thousandths of a body, which
    are small numbers. Besides, the order of the poses in one beat of wings or tail, and beats in a frame.
    """
    shape = SHAPES[name]()
    drawn = np.array(variety_of(shape).poses)
    beat = stroke(shape, np.arange(STROKES) * BEAT // STROKES) if shape.beat else np.ones(1)
    used, order = np.unique(np.digitize(beat, (drawn[:-1] + drawn[1:]) / 2), return_inverse=True)
    pose = drawn[used]
    parts = parts_of(shape, pixels)
    posed = [np.rint(OUTLINE_STEPS * shape.posed(part.corners, pose[:, None])).astype(int) for part in parts]
    steps = [np.diff(part, axis=0, prepend=np.zeros_like(part[:1])).tolist() for part in posed]
    return {"poses": [*zip(*steps, strict=True)], "fills": contours(parts), "order": order.tolist(), "beat": shape.beat}


def _cameras(shown: Scenario, layout: Layout) -> Iterator[dict[str, Any]]:
    """The camera of the first frame, and of each frame in which events have changed it."""
    moved = any(key.startswith("camera.") for event in shown.events for key in event.set)
    timeline, before = Timeline(shown), None
    for frame in range(shown.time.frames if moved else 1):
        setup = timeline.at(frame)
        camera = setup.camera if isinstance(setup, Scenario) else shown.camera
        if camera != before:
            yield {"at": frame, **_camera(camera, shown, layout)}
        before = camera


def _window(cameras: Sequence[Mapping[str, Any]], layout: Layout) -> tuple[float, ...]:
    """Left, top, width and height of the part of the picture that a page shows: the world, where it stays there."""
    if len(cameras) > 1 or cameras[0]["window"] is None:
        return layout.viewport
    (left, top), (right, bottom) = np.round(cameras[0]["window"], 6).tolist()
    return left, top, right - left, bottom - top


def _camera(camera: Camera, shown: Scenario, layout: Layout) -> dict[str, Any]:
    """A camera aimed at the world, as `Viewpoint` has it; an infinite distance is null."""
    seen = camera.aim(shown.world, layout.viewport)
    return {
        "azimuth": camera.azimuth,
        "elevation": camera.elevation,
        "orbit": camera.orbit,
        "follows": camera.follows,
        "center": seen.box.center.tolist(),
        "origin": seen.origin.tolist(),
        "scale": seen.scale,
        "distance": None if seen.distance == float("inf") else seen.distance,
        "reach": seen.reach,
        "period": seen.period.tolist(),
        "window": None if shown.world.dimension == 3 else seen.window(layout.viewport).tolist(),
    }


def _captions(shown: Scenario, layout: Layout) -> Iterator[dict[str, Any]]:
    """All captions in the order of their frames, in lines; that of the scenario itself first."""
    events = sorted(shown.events, key=lambda event: event.at)
    said = [(-1, shown.overlay.caption), *((event.at, event.caption) for event in events if event.caption is not None)]
    place, size = layout.places.get("Caption"), caption_size(layout.text)
    for at, text in said:
        broken = lines(text, size, round(place.right - place.left)) if text and place else ()
        yield {"at": at, "lines": broken, "text": text}


CROWD_GAIN, SHADOW_GAIN = 2.3, 2.0  # How soon the glow of the crowd and its shadow are dense, as in `LaidDepths.begin`
NAMED = {
    backgrounds: ("CELLS", "FLOOR", "LIT", "PIECES", "REACH", "STRIPS"),
    glow: ("FADE", "HEAD", "NARROWEST", "PEN", "SOFT_END", "STRONGEST", "TAPER", "UNIT", "WIDTH"),
    lit_look: ("FAINTEST", "TRAIL"),
    camera: ("LIGHT", "RIM", "SHADOW"),
}
"""Numbers with which clips are drawn, and pages too."""
NUMBERS = {name: getattr(module, name) for module, names in NAMED.items() for name in names}


def lit(shown: Scenario) -> dict[str, Any] | None:
    """Tables and planes for the pictures of a scenario in a lit theme; None in a flat one."""
    light, size, style = shown.style.colors.light, shown.picture_size, shown.style
    if light is None:
        return None
    painter = Renderer(shown, size).painter
    assert isinstance(painter, LitPainter)  # noqa: S101  for mypy: a theme with a light has this painter
    mapping, ground = painter.mapping, painter.background
    hunter, side = SHAPES[style.hunter](), -1.0 if painter.inks.dark else 1.0
    planes: dict[str, NDArray[Any]] = {
        "coarse": mapping.coarse.astype(np.int64),
        "finest": 255 - grain((SIDE, SIDE), 256),
        # Of all tones alike: what is drawn without overlays, and these.
        "layers": mapping.layers,
        "solids": whole_light(painter.solids),
        "smooth": painter.smooth,
        "fading": painter.fading.astype(np.uint8),
        "inks": painter.inks.codes,
        "lamp": np.array((*(side * part for part in LAMP[:2]), LAMP[2])),
    }
    flocks = zip(map(style.shape_of, range(len(shown.flock))), painter.sprites, painter.flashes, strict=True)
    found: dict[str, Any] = {
        "size": size,
        "margin": painter.canvas.margin,
        "hues": mapping.hues,
        "step": mapping.step,
        "glowLevels": mapping.glow_levels,
        "interval": shown.time.dt * shown.time.steps_per_frame,
        "nearest": painter.nearest,
        "fog": light.fog,
        "reach": painter.reach,
        "hunterReach": painter.hunter_reach,
        "predatorSize": style.predator_size,
        "flocks": [_flock(SHAPES[name](), sprites) | {"flashes": flashes} for name, sprites, flashes in flocks],
        "hunter": _drawn(hunter, hunter.beat * BEAT),
        "hunters": [painter.inks.ink(painter.inks.hunter(number)) for number in range(len(shown.predators))],
        "obstacle": painter.inks.ink("obstacle") if painter.inks.has("obstacle") else 0,
        "square": square(size),
        "soft": glow.SOFT,
        "tones": len(ground.tones),
        "shades": SOLIDS if shown.obstacles and shown.world.dimension == 3 else 0,
        "glow": None,
        "depths": None,
        "sheen": [0.0, *sheen.SUN, 1.0, *[0.0] * 4],
        "shade": None,
        "marsh": None,
        "painting": None,
        "numbers": NUMBERS,
    }
    if painter.sheen:
        backs = np.array(painter.sheen.backs).reshape(-1, 3)
        shades = sheen.SIDEWAYS, sheen.PALE, sheen.FACING, sheen.FLASH
        found["sheen"] = [painter.sheen.flanks, *sheen.SUN, *shades, len(backs), *backs.ravel().tolist()]
    if painter.glow:
        planes["glow"] = painter.glow.inks.codes
        found["glow"] = {"brightest": painter.glow.brightest, "halo": borders(GAIN, HALO).tolist()}
    if isinstance(ground, LaidDepths):
        depths = ground.depths
        planes["dither"] = ground.grain[:SIDE, :SIDE]
        planes["grid"] = Palette("#000000", {"grid": "#ffffff"}, FINE_LEVELS).codes
        planes["painted"] = ground.ramp
        found["depths"] = {
            "brightest": len(ground.tones) - 1,
            "crowd": borders(CROWD_GAIN, depths.crowd * 255).tolist(),
            "shadow": borders(SHADOW_GAIN, DARKEST * 256).tolist(),
            "middle": [*MIDDLE, depths.middle * 255],
            "fall": [slope / math.sqrt(FADING) for slope in SLOPES],
            "floor": depths.floor,
            "grid": depths.grid,
        }
    elif isinstance(ground, LaidReef):
        # Like a marsh that nothing is mirrored in and that does not move.
        planes["ground"] = ground.numbers
        found["marsh"] = {"shore": size[1], "room": 0, "start": 0, "drift": 1.0, "sky": 0, "skyStep": 1}
        planes["record"] = ground.record
        if shown.world.dimension == 3:
            planes |= {"stops": lit_stops(ground.reef.stops), "specks": specks(size)}
            found["painting"] = {"entry": "paint_aside", "arrays": "stops specks record", "numbers": size[:1]}
            found["shade"] = {"borders": borders(SHADE_GAIN, SHADE).tolist(), "level": LEVEL, "parts": SUBLEVELS}
        else:
            planes["stops"] = lit_stops(ground.reef.shallow)
            found["painting"] = {"entry": "paint_above", "arrays": "stops record", "numbers": size[:1]}
    elif isinstance(ground, LaidMarsh):
        scenery = ground.scenery
        planes |= {"ground": ground.numbers, "rippled": ground.rippled, "land": scenery.land, "record": scenery.record}
        planes["above"] = scenery.above.astype(np.int32)
        # Half of the bytes are zeros, which take no room.
        for name in ("gradient", "water", "reeds"):
            planes[name] = getattr(scenery, name).astype(np.float32).astype(np.float64)
        wide = size[0] + ground.room, size[0] + ground.room, ground.start
        names = "gradient land above water reeds record"
        found["painting"] = {"entry": "paint_marsh", "arrays": names, "numbers": wide}
        found["marsh"] = {
            "shore": ground.mirror.start,
            "room": ground.room,
            "start": ground.start,
            "drift": DRIFT,
            "sky": ground.sky,
            "skyStep": SKY_STEP,
        }
    return found | _packed(planes)


def _packed(planes: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Planes as text, and the number of bytes of each, and of each of its numbers."""
    text = b64encode(zlib.compress(b"".join(map(np.ndarray.tobytes, planes.values())), 9)).decode()
    return {"lengths": {name: (plane.nbytes, plane.itemsize) for name, plane in planes.items()}, "planes": text}


def _flock(shape: Shape, sprites: Sprites) -> dict[str, Any]:
    """The same of boids, and the number of kinds of their sprites."""
    kinds = len(sprites.between) + 1, sprites.variety.forms, HEADINGS
    return _drawn(shape, lit_look.BEATS if shape.winged else shape.beat * BEAT, sprites) | {"kinds": math.prod(kinds)}


def _drawn(shape: Shape, beats: float, sprites: Sprites | None = None) -> dict[str, Any]:
    """A shape as the kernel of pages draws it, `Body` in animals.c, and the parts of a beat that pass in a frame."""
    parts = [(part, corners.round(OUTLINE_DIGITS)) for part, corners in parts_of(shape, np.inf)]
    curved, detailed = detailed_from(shape) or (math.inf, math.inf)
    body = [float(shape.winged), shape.beat, curved, detailed, len(parts) + 1.0]
    body += _forms(sprites) if sprites else [1.0, 0.0, *[0.0] * 3]
    for strength, corners in ((1.0, body_of(shape)), *parts):
        body += [strength, len(corners), *corners.ravel().tolist()]
    return {"body": body, "beats": beats}


def _forms(sprites: Sprites) -> list[float]:
    """The largest size and the faintest pixel of sprites, numbers of forms, these, and the borders between them.

    There are as many borders as forms, of which the last one is not asked for.
    """
    variety, around = sprites.variety, sprites.always_long
    steps = np.arange(len(sprites.between) + 1) - variety.shrinking
    sizes = (sprites.plain * variety.grown(steps)).tolist()
    lengths = variety.lengths[-1:] if around else variety.lengths
    longer = [] if around else sprites.longer.tolist()
    counts = float(len(sizes)), float(len(lengths)), float(len(variety.poses))
    borders = *sprites.between.tolist(), 0.0, *longer, 0.0, *sprites.higher.tolist(), 0.0
    first = float(variety.grown(steps[-1])), float(sprites.faintest)
    return [*first, *counts, *sizes, *lengths, *variety.poses, *borders]
