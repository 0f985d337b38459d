"""Themes: the colors of everything that is drawn.

A theme gives a color for each role in the picture, and may describe a light; without one it has the flat look. Ours are
in `themes.toml`, one table each. `MIN_CONTRAST` is the least contrast to the background, as a WCAG ratio; a test holds
every theme to it: letters are easy to read, no animal is hard to see.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib.resources import files
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from pydantic import Field

from boidsgen import exact
from boidsgen.drawing.frame import rgb
from boidsgen.plugins import Family
from boidsgen.simulation.geometry import Array
from boidsgen.tables import InWords, with_tuples

_HEXADECIMAL = Field(pattern="^#[0-9a-fA-F]{6}$")
_IN_WORDS = InWords('a color as in "#0b1020"', 'colors as in "#0b1020"', example="#ffffff")

Color: TypeAlias = Annotated[str, _HEXADECIMAL, _IN_WORDS]
"""Red, green and blue as in "#0b1020"."""
BackgroundColor: TypeAlias = Annotated[str, _HEXADECIMAL, _IN_WORDS._replace(example="#000000")]
"""The same; only the example differs, because nothing would be seen on the other."""

MIN_CONTRAST = {
    "text": 7.0,
    "accent": 7.0,
    "cyclic": 4.0,
    "predator": 3.5,
    "predators": 3.5,
    "forces": 3.5,
    "flocks": 3.0,
    "focus": 3.0,
    "muted": 3.0,
    "obstacle": 3.0,
    "sequential": 2.0,
}
"""Smallest ratio between a role's luminance and the background's, as `contrast` measures it."""

OWN_CONTRAST = {**MIN_CONTRAST, "forces": 3.0, "divider": 1.2}
"""The same for colors that a scenario names. Arrows of forces owe what WCAG 2.2 asks of graphics that carry meaning
(1.4.11: 3 to 1). A line that only parts one thing from another is decoration, of which it asks nothing; it must be
visible."""
LETTERED = ("text", "muted")  # Roles that letters are written in

GIVEN = ("style", "camera", "overlay")  # Tables for whose keys a theme may have defaults
FLOCK_COLORS, FORCE_COLORS, SEQUENTIAL_COLORS, CYCLIC_COLORS = 6, 8, 8, 12
"""Number of colors for flocks, for forces, from little to much, and around the color circle."""


class Light(NamedTuple):
    """The light of a lit theme."""

    background: Mapping[str, Any]
    """Behind the animals: a kind, `depths`, `marsh` or `reef`, and the fields of its class."""
    glows: bool
    """True if animals shine and predators glow; false if everything is dark before a bright background."""
    levels: int
    """Number of levels of density."""
    density: float
    """Exponent of the tone curve per animal."""
    fog: float
    """Exponent by which strength falls from the near end of the world to the far one."""
    ember: str = "#000000"
    """The color of trails and paths of predators, where it glows."""
    opacity: float = 0.96
    """Part of the ground that the densest crowd hides."""
    flat_density: float | None = None
    """The same as `density` for a flat world, where nobody is lost with depth. Default: no other."""
    back: str = ""
    """The color of backs, where animals have a dark back and flanks that catch the light; empty = one tone for all."""
    gleam: str = "#ffffff"
    """That of a flank that faces the light."""
    shade: str = "#000000"
    """That of shadows on the ground."""

    def strength(self, depth: Array) -> Array:
        """Strength of what is seen at a depth from 0 to 1."""
        return exact.exponential(-self.fog * depth)


@dataclass(frozen=True, kw_only=True)
class Theme:
    """The colors of a picture, by role."""

    background: Color
    """Behind everything else."""
    text: Color
    """Title, numbers, captions."""
    muted: Color
    """Axes and their numbers: there when looked for."""
    obstacle: Color
    """Obstacles."""
    predator: Color
    """Hunters; no boid looks like this."""
    accent: Color
    """The center of mass, which the eye should find first."""
    focus: Color
    """The boid in focus, whose neighbors or forces are shown."""
    forces: tuple[Color, ...]
    """FORCES colors, taken in turn: red, green and blue for separation, alignment and cohesion, then others."""
    flocks: tuple[Color, ...]
    """FLOCKS colors, taken in turn."""
    sequential: tuple[Color, ...]
    """SEQUENTIAL colors from little to much."""
    cyclic: tuple[Color, ...]
    """CYCLIC colors, equally bright and once round the color circle, from heading along x against the clock."""
    divider: Color | None = None
    """The line between world and panel; None = the muted color at part of its strength."""
    predators: tuple[Color, ...] = ()
    """Of the kinds of hunters in their order, where they are to be told apart."""
    plate: Color | None = None
    """The brightest background of letters, where `background` is too bright for them. Default: `background`."""
    light: Light | None = None
    """None = the flat look: inks over a plain background."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Values of keys of [style], [camera] and [overlay], such as "style.trails", where a scenario has none."""
    defaults_3d: Mapping[str, Any] = field(default_factory=dict)
    """The same in 3D alone; these win."""

    def behind(self, role: str) -> Color:
        """The color against which a role must stand out."""
        return self.plate if self.plate and role in LETTERED else self.background

    def hunter(self, number: int) -> Color:
        """The color of a kind of predators, by its number."""
        return self.predators[number] if number < len(self.predators) else self.predator

    @property
    def unplated(self) -> tuple[Color, Color]:
        """Colors of titles and of axes, for a background without a plate."""
        if not self.plate:
            return self.text, self.muted
        clearest = max(self.text, self.accent, self.obstacle, key=lambda color: contrast(color, self.background))
        return clearest, clearest

    def shade(self, share: float) -> Color:
        """The color of a share from 0 to 1 on the way from little to much."""
        shades = np.stack([rgb(color) for color in self.sequential])
        place = share * (len(shades) - 1)
        return "#" + bytes(round(float(np.interp(place, range(len(shades)), part))) for part in shades.T).hex()

    @staticmethod
    def letters_on(color: Color) -> Color:
        """Black or white, whichever stands out more from a color."""
        return max(("#000000", "#ffffff"), key=lambda letters: contrast(letters, color))


def contrast(color: Color, background: Color) -> float:
    """Ratio of the luminances of two colors, from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    dark, bright = sorted(luminance(np.stack([rgb(color), rgb(background)])).tolist())
    return (bright + 0.05) / (dark + 0.05)


def luminance(colors: Array) -> Array:
    """Relative luminance from 0 to 1 (WCAG 2.2) of red, green, blue up to 255 in the last axis."""
    part = colors / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


_TABLES = tomllib.loads(files("boidsgen.drawing").joinpath("themes.toml").read_text(encoding="utf-8"))
_OWN = {
    name: Theme(**colors, light=Light(**light) if light else None)
    for name, colors in with_tuples(_TABLES).items()
    for light in [colors.pop("light", None)]
}


def _fault(name: str, theme: object) -> str:
    if not isinstance(theme, Theme):
        return "is not a Theme"
    for role, count in (
        ("flocks", FLOCK_COLORS),
        ("forces", FORCE_COLORS),
        ("sequential", SEQUENTIAL_COLORS),
        ("cyclic", CYCLIC_COLORS),
    ):
        if len(getattr(theme, role)) != count:
            return f"has {len(getattr(theme, role))} colors in {role}, and must have {count}"
    others = {"light", "defaults", "defaults_3d"}
    named = [(field.name, getattr(theme, field.name)) for field in fields(Theme) if field.name not in others]
    several = [(role, value if isinstance(value, tuple) else (value,)) for role, value in named if value is not None]
    colors = [(role, color) for role, values in several for color in values]
    wrong = [f"{role} {color!r}" for role, color in colors if not re.fullmatch("#[0-9a-fA-F]{6}", str(color))]
    if wrong:
        return f'has {wrong[0]}, which is not a color as in "#0b1020"'
    if strange := [key for key in {**theme.defaults, **theme.defaults_3d} if key.split(".")[0] not in GIVEN]:
        return f"has a default for {strange[0]!r}, and may have some for keys of {', '.join(GIVEN)}"
    for role, color in colors:
        least = MIN_CONTRAST.get(role, 0.0)
        if (found := contrast(str(color), theme.behind(role))) < least:
            return f"has {role} {color}, of contrast {found:.1f} with what is behind it; it must be at least {least}"
    return ""


THEMES: Mapping[str, Theme] = Family("themes", _OWN, _fault)
"""All members by the names that scenarios use, those of installed packages last."""
