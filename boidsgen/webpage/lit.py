"""The lit look of a page: the tables and planes with which it draws the same pixels as a clip.

The painter of clips makes them, and the kernel works on them in both. Planes are bytes, one after the other, deflated;
numbers of two bytes have the lower one first.
"""

import zlib
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing import accumulation, animals, backgrounds, glow, shapes, solids
from boidsgen.drawing import lit as look
from boidsgen.drawing.backgrounds import DARKEST, DRIFT, LaidDepths, LaidMarsh
from boidsgen.drawing.frame import FINE_LEVELS, Inks
from boidsgen.drawing.glow import GAIN, HALO, borders, square
from boidsgen.drawing.lit import SOLIDS, LitPainter, tone_curve
from boidsgen.drawing.quantization import SIDE, SUBLEVELS, grain
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.shapes import SHAPES, Shape, Sprites, body_of
from boidsgen.drawing.solids import LAMP
from boidsgen.scenario.scenario import Scenario

CROWD, SHADOW = 2.3, 2.0  # How soon the glow of the crowd and its shadow are dense, as in `LaidDepths.begin`
NAMED = {
    accumulation: ("NEAREST", "HUES"),
    animals: ("BANK", "BEAT", "FLAT_BANK", "GOLDEN", "LEANING", "WAG"),
    backgrounds: ("CELLS", "FLOOR", "LIT", "PIECES", "REACH"),
    glow: ("FADE", "HEAD", "NARROWEST", "PEN", "STRONGEST", "TAPER", "UNIT", "WIDTH"),
    look: ("BEATS", "FAINTEST", "FOLDED", "RAISED", "TRAIL"),
    shapes: ("MAX_BEND",),
    solids: ("LIGHT", "RIM", "SHADOW"),
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
        "palette": painter.palette.T,
        "coarse": mapping.coarse.astype(np.uint8),
        "grain": grain((SIDE, SIDE), SUBLEVELS),
        "curve": tone_curve(light),
        "fading": painter.fading.astype(np.uint8),
        "inks": painter.inks.codes,
    }
    flocks = zip(map(style.shape_of, range(len(shown.flock))), painter.sprites, strict=True)
    found: dict[str, Any] = {
        "size": size,
        "margin": painter.canvas.margin,
        "hues": mapping.hues,
        "step": mapping.step,
        "glowLevels": mapping.glow_levels,
        "interval": shown.time.dt * shown.time.steps_per_frame,
        "overlays": mapping.overlays,
        "nearest": mapping.hues > 1 and not shown.coloring.ordered,
        "fog": light.fog,
        "reach": painter.reach,
        "hunterReach": painter.hunter_reach,
        "predatorSize": style.predator_size,
        "flocks": [_outlined(SHAPES[name]()) | _sized(sprites) for name, sprites in flocks],
        "hunter": _outlined(hunter),
        "hunters": [painter.inks.ink(painter.inks.role("predator", number)) for number in range(len(shown.predators))],
        "obstacle": painter.inks.ink("obstacle") if painter.inks.has("obstacle") else 0,
        "square": square(size),
        "tones": len(ground.tones),
        "shades": SOLIDS if shown.obstacles and shown.world.dimension == 3 else 0,
        "lamp": (*(side * part for part in LAMP[:2]), LAMP[2]),
        "glow": None,
        "depths": None,
        "marsh": None,
        "numbers": NUMBERS,
    }
    if painter.glow:
        planes["glow"] = painter.glow.inks.codes
        found["glow"] = {"brightest": painter.glow.brightest, "halo": borders(GAIN, HALO).tolist()}
    if isinstance(ground, LaidDepths):
        depths = ground.depths
        planes |= {"ground": ground.vignette, "dither": ground.grain[:SIDE, :SIDE]}
        planes["grid"] = Inks("#000000", {"grid": "#ffffff"}, FINE_LEVELS).codes
        found["depths"] = {
            "brightest": len(ground.tones) - 1,
            "crowd": borders(CROWD, depths.crowd * 255).tolist(),
            "shadow": borders(SHADOW, DARKEST * 256).tolist(),
            "floor": depths.floor,
            "grid": depths.grid,
        }
    elif isinstance(ground, LaidMarsh):
        planes |= {"ground": ground.numbers, "rippled": ground.rippled}
        found["marsh"] = {
            "shore": ground.mirror.start,
            "above": ground.above.tolist(),
            "room": ground.room,
            "start": ground.start,
            "drift": DRIFT,
        }
    return found | _packed(planes)


def _packed(planes: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Planes as text, and the number of bytes of each."""
    parts = {name: np.ascontiguousarray(plane).tobytes() for name, plane in planes.items()}
    text = b64encode(zlib.compress(b"".join(parts.values()), 9)).decode()
    return {"lengths": {name: len(part) for name, part in parts.items()}, "planes": text}


def _outlined(shape: Shape) -> dict[str, Any]:
    """The corners of a shape, in lengths of a body, and how it moves."""
    return {"outline": body_of(shape).tolist(), "winged": shape.winged, "beat": shape.beat}


def _sized(sprites: Sprites) -> dict[str, Any]:
    """The sizes and forms of sprites, and the borders between them."""
    variety, around = sprites.variety, sprites.always_long
    sizes = np.arange(len(sprites.between) + 1) - variety.shrinking
    return {
        "sizes": (sprites.plain * variety.grown(sizes)).tolist(),
        "lengths": variety.lengths[-1:] if around else variety.lengths,
        "poses": variety.poses,
        "between": sprites.between.tolist(),
        "longer": [] if around else sprites.longer.tolist(),
        "higher": sprites.higher.tolist(),
        "largest": float(variety.grown(sizes[-1])),
        "faintest": sprites.faintest,
    }
