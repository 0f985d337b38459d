"""Themes: the colors of everything that is drawn.

A theme names a color for each role in the picture, and says how it is lit; one that says nothing has the flat look.
`MIN_CONTRAST` is what every color owes the background, as a WCAG ratio, and a test holds every theme to it: letters are
easy to read, no animal is hard to see.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, TypeAlias

import numpy as np
from pydantic import Field

from boidsgen.drawing.frame import rgb
from boidsgen.drawing.grounds import Depths, Marsh
from boidsgen.drawing.light import Light
from boidsgen.plugins import Family
from boidsgen.tables import InWords

_HEXADECIMAL = Field(pattern="^#[0-9a-fA-F]{6}$")
_IN_WORDS = InWords('a color as in "#0b1020"', 'colors as in "#0b1020"', example="#ffffff")

Color: TypeAlias = Annotated[str, _HEXADECIMAL, _IN_WORDS]
"""Red, green and blue as in "#0b1020"."""
BackgroundColor: TypeAlias = Annotated[str, _HEXADECIMAL, replace(_IN_WORDS, example="#000000")]
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
LETTERED = ("text", "muted")
"""Roles that letters are written in."""

FLOCKS, FORCES, SEQUENTIAL, CYCLIC = 6, 8, 8, 12
"""How many colors a theme has for flocks, for forces, from little to much, and once round."""


@dataclass(frozen=True, kw_only=True)
class Theme:
    """The colors of a picture, by role."""

    background: Color
    """What everything else is drawn on."""
    text: Color
    """Title, numbers, captions."""
    muted: Color
    """Axes and their numbers: there when looked for."""
    obstacle: Color
    """What boids steer around."""
    predator: Color
    """Hunters; no boid looks like this."""
    accent: Color
    """What the eye should find first: the center of mass."""
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
    """What letters stand on at the brightest, where the background is too bright for them. Default: the background."""
    light: Light | None = None
    """How it is lit; None = the flat look: inks over a plain background."""

    def behind(self, role: str) -> Color:
        """The color against which a role must stand out."""
        return self.plate if self.plate and role in LETTERED else self.background


def contrast(color: Color, background: Color) -> float:
    """Ratio of the luminances of two colors, from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    dark, bright = sorted((_luminance(color), _luminance(background)))
    return (bright + 0.05) / (dark + 0.05)


def _luminance(color: Color) -> float:
    """Relative luminance from 0 to 1 (WCAG 2.2)."""
    part = rgb(color) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))


_OWN: Mapping[str, Theme] = {
    # Chalk on a blackboard.
    "chalk": Theme(
        background="#26352f",
        text="#f6f4ea",
        muted="#94a69b",
        obstacle="#a3b0a4",
        predator="#ff8d7e",
        accent="#ffffff",
        focus="#ffc864",
        forces=("#ff5050", "#50e878", "#6f8cff", "#ffa040", "#ff70d0", "#40e0e0", "#f0e050", "#b890ff"),
        flocks=("#f4f0dd", "#f1c933", "#c2f0fe", "#ecacc5", "#d4f9a5", "#cab2f6"),
        sequential=("#718bc3", "#61a3cb", "#5db9c8", "#70cbbd", "#95d9b0", "#c0e2aa", "#e2e9b6", "#fcf2cd"),
        cyclic=(
            "#fdb5b4",
            "#f9bb99",
            "#e8c58b",
            "#cdd08f",
            "#aed9a4",
            "#91ddc2",
            "#84dce0",
            "#8fd5f8",
            "#aeccfc",
            "#c9c2ff",
            "#e4b9ed",
            "#f6b4d2",
        ),
    ),
    # Light in the dark.
    "deep": Theme(
        background="#17233f",
        plate="#34467a",
        text="#ecf0fa",
        muted="#9eaed0",
        obstacle="#8fa3cf",
        predator="#ffb090",
        accent="#ffffff",
        focus="#ffb454",
        forces=("#ff5050", "#50e878", "#7c98ff", "#ffa040", "#ff70d0", "#40e0e0", "#f0e050", "#b890ff"),
        flocks=("#4f9dff", "#d9a520", "#66ffcc", "#e05ab4", "#bf7c93", "#5ae0e0"),
        sequential=("#2c74e6", "#2f7df0", "#3a87f2", "#5094ee", "#78a3e4", "#a6b8d4", "#d6ccbc", "#ffe3a0"),
        cyclic=(
            "#fd9696",
            "#fe9b61",
            "#e6ac3d",
            "#bdbf48",
            "#85cd75",
            "#3ad4aa",
            "#17d0d8",
            "#3ac7ff",
            "#8eb8fe",
            "#b6aaff",
            "#df99ef",
            "#f990c4",
        ),
        light=Light(
            ground=Depths(
                ramp=((0.0, "#060912"), (0.25, "#17233f"), (0.55, "#2a4078"), (1.0, "#5b86d8")),
                middle=0.25,
                floor=0.36,
                grid=0.42,
                crowd=0.2,
            ),
            glows=True,
            levels=11,
            density=1.1,
            fog=1.5,
            ember="#ff5a36",
        ),
    ),
    # Dark birds before a low sun over still water.
    "dusk": Theme(
        background="#a99fb4",
        plate="#5a4a50",
        text="#fff1dc",
        muted="#d3b8a4",
        obstacle="#4a3f45",
        predator="#900e1a",
        accent="#08080e",
        focus="#7a3d00",
        forces=("#8c1010", "#0c541e", "#1a2f96", "#6e3c00", "#7a0f6a", "#0a4e60", "#3c4c08", "#4b2a8a"),
        flocks=("#11131d", "#320446", "#1e4d57", "#2f2797", "#181300", "#2c5648"),
        sequential=("#7d4a6b", "#754564", "#6c405d", "#613a55", "#56344b", "#482c40", "#352232", "#11131d"),
        cyclic=(
            "#751717",
            "#563411",
            "#3e3e0c",
            "#28430d",
            "#0e450e",
            "#0e4429",
            "#0d4242",
            "#143d66",
            "#2222ab",
            "#521b89",
            "#671567",
            "#701643",
        ),
        light=Light(
            ground=Marsh(
                stops=(
                    (0.0, "#5a78a6"),
                    (0.22, "#7f92b4"),
                    (0.45, "#a99fb4"),
                    (0.64, "#d9aca4"),
                    (0.82, "#f2b184"),
                    (1.0, "#f9b368"),
                ),
                sun=(0.30, 0.86),
                glow="#ffd39c",
                ink="#11131d",
            ),
            glows=False,
            levels=24,
            density=2.4,
            fog=0.45,
        ),
    ),
    # Bright birds on a clear night sky.
    "night": Theme(
        background="#0b1020",
        text="#e8ecf6",
        muted="#7483a6",
        obstacle="#7d8bb0",
        predator="#ff5c5c",
        accent="#ffffff",
        focus="#ffb454",
        forces=("#ff5050", "#50e878", "#6f8cff", "#ffa040", "#ff70d0", "#40e0e0", "#f0e050", "#b890ff"),
        flocks=("#7fd4ff", "#ffc857", "#92e0ac", "#bf7cbf", "#e092ac", "#a6ffff"),
        sequential=("#636ed8", "#257cce", "#0f9ecc", "#02bbc3", "#34d4a9", "#94e18f", "#d0e98f", "#fef1a1"),
        cyclic=(
            "#fd9696",
            "#fe9b61",
            "#e6ac3d",
            "#bdbf48",
            "#85cd75",
            "#3ad4aa",
            "#17d0d8",
            "#3ac7ff",
            "#8eb8fe",
            "#b6aaff",
            "#df99ef",
            "#f990c4",
        ),
    ),
    # Pale fish in deep water.
    "ocean": Theme(
        background="#052b3b",
        text="#e6f6f7",
        muted="#6ba0ae",
        obstacle="#6fa3a0",
        predator="#ff7a5a",
        accent="#ffffff",
        focus="#ffc864",
        forces=("#ff5050", "#50e878", "#6f8cff", "#ffa040", "#ff70d0", "#40e0e0", "#f0e050", "#b890ff"),
        flocks=("#acf2eb", "#ffd466", "#7b9ad4", "#d299ab", "#84f5b8", "#ddc2ff"),
        sequential=("#5188cd", "#39a2d5", "#28bcd4", "#3dd0cc", "#67e0bf", "#9aecb1", "#d0f1ab", "#f9f6b7"),
        cyclic=(
            "#feaaa9",
            "#feaf83",
            "#edbb64",
            "#c9cb6b",
            "#9ad78c",
            "#68ddb8",
            "#4cdbe3",
            "#72d1fe",
            "#a2c5ff",
            "#c3bafe",
            "#e7aaf5",
            "#ffa3cf",
        ),
    ),
    # Print: Okabe and Ito's colors, safe for color-blind readers, on white.
    "paper": Theme(
        background="#ffffff",
        text="#1a1a1a",
        muted="#707070",
        obstacle="#8c8c8c",
        predator="#d55e00",
        accent="#000000",
        focus="#b8860b",
        forces=("#d81e1e", "#128a2a", "#2040e0", "#b85c00", "#b0148c", "#007c8a", "#7a6a00", "#6a3fc0"),
        flocks=("#0072b2", "#009e73", "#cc79a7", "#7d5a7a", "#233c4a", "#754f00"),
        sequential=("#57bc8a", "#02af9f", "#169cab", "#0086af", "#016cb5", "#2f4fa7", "#343389", "#311969"),
        cyclic=(
            "#c34e54",
            "#be5a0a",
            "#9f7100",
            "#7f8006",
            "#438f31",
            "#009070",
            "#138b90",
            "#0386b1",
            "#4278d2",
            "#7b67cc",
            "#a059b1",
            "#b94f87",
        ),
    ),
    # A scientific plot: blue boids and red predators on white, with grey axes.
    "plot": Theme(
        background="#ffffff",
        text="#1a1a1a",
        muted="#707070",
        obstacle="#8c8c8c",
        predator="#e00000",
        accent="#000000",
        focus="#d07800",
        forces=("#d81e1e", "#128a2a", "#2040e0", "#b85c00", "#b0148c", "#007c8a", "#7a6a00", "#6a3fc0"),
        flocks=("#1f3fe0", "#209c58", "#6d317d", "#0d7f95", "#765f48", "#4a4a4a"),
        sequential=("#57bc8a", "#02af9f", "#169cab", "#0086af", "#016cb5", "#2f4fa7", "#343389", "#311969"),
        cyclic=(
            "#c34e54",
            "#be5a0a",
            "#9f7100",
            "#7f8006",
            "#438f31",
            "#009070",
            "#138b90",
            "#0386b1",
            "#4278d2",
            "#7b67cc",
            "#a059b1",
            "#b94f87",
        ),
    ),
}


def _fault(name: str, theme: object) -> str:
    del name
    if not isinstance(theme, Theme):
        return "is not a Theme"
    for role, count in (("flocks", FLOCKS), ("forces", FORCES), ("sequential", SEQUENTIAL), ("cyclic", CYCLIC)):
        if len(getattr(theme, role)) != count:
            return f"has {len(getattr(theme, role))} colors in {role}, and must have {count}"
    colors = [(field.name, color) for field in fields(Theme) for color in _colors(getattr(theme, field.name))]
    wrong = [f"{role} {color!r}" for role, color in colors if not re.fullmatch("#[0-9a-fA-F]{6}", str(color))]
    if wrong:
        return f'has {wrong[0]}, which is not a color as in "#0b1020"'
    return _pale(theme, colors)


def _colors(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else () if value is None or isinstance(value, Light) else (value,)


def _pale(theme: Theme, colors: Iterable[tuple[str, Any]]) -> str:
    """Which color has too little contrast; empty if none has."""
    for role, color in colors:
        least = MIN_CONTRAST.get(role, 0.0)
        if (found := contrast(color, theme.behind(role))) < least:
            return f"has {role} {color}, of contrast {found:.1f} with what is behind it; it must be at least {least}"
    return ""


THEMES: Mapping[str, Theme] = Family("themes", _OWN, _fault)
"""What there is, by the name that a scenario writes, those of installed packages last."""
