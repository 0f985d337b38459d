"""Palette: the colors of one scenario, its own over those of its theme.

Every color that a scenario names is held to `OWN_CONTRAST`, as those of the themes are to `MIN_CONTRAST`. A background
of its own is held to all colors of the theme that the picture shows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from boidsgen.drawing.colorings import Coloring
from boidsgen.drawing.scene import OverlayLayer
from boidsgen.drawing.themes import (
    FLOCKS,
    FORCES,
    MIN_CONTRAST,
    OWN_CONTRAST,
    THEMES,
    BackgroundColor,
    Color,
    Theme,
    contrast,
)
from boidsgen.simulation.setup import Setup
from boidsgen.tables import Table

if TYPE_CHECKING:
    ThemeName = str
else:
    ThemeName = Literal[tuple(THEMES)]

EXTREMES = {"black": "#000000", "white": "#ffffff"}
"""The colors of which one has the most contrast against any background."""


class Colors(Table):
    """The theme, and colors of the scenario's own that stand in for some of it."""

    theme: ThemeName = "night"
    """Colors: night, ocean and chalk are dark, paper is white and safe for color-blind readers, plot is white with blue
    boids and red predators. Two are lit: at dusk birds darken the sky over a marsh, in the deep boids shine and
    predators leave glowing ribbons."""
    background: BackgroundColor | None = None
    """Color behind everything. Default: the theme's, as for all colors; each must stand out from the background as
    those of the themes do."""
    flocks: Annotated[tuple[Color, ...], Field(min_length=1, max_length=FLOCKS)] | None = None
    """The colors of the flocks in their order; those of the theme go on after the last."""
    predator: Color | None = None
    """The color of predators."""
    predators: Annotated[tuple[Color, ...], Field(min_length=1, max_length=FLOCKS)] | None = None
    """The colors of the kinds of predators in their order; those after the last have the color of all."""
    obstacle: Color | None = None
    """The color of obstacles."""
    focus: Color | None = None
    """The color of the boid in focus and of what it perceives."""
    forces: Annotated[tuple[Color, ...], Field(min_length=1, max_length=FORCES)] | None = None
    """The colors of the arrows that show forces: separation, alignment, cohesion, then the others."""
    accent: Color | None = None
    """The color of the center of mass."""
    muted: Color | None = None
    """The color of axes and of names of numbers."""
    text: Color | None = None
    """The color of title, caption and numbers."""
    divider: Color | None = None
    """The color of the line between world and panel."""

    @property
    def colors(self) -> Theme:
        """The theme with the scenario's own colors in it."""
        theme = THEMES[self.theme]
        own: dict[str, Any] = {
            role: value if isinstance(value, str) else (*value, *getattr(theme, role)[len(value) :])
            for role, value in self.own.items()
        }
        return replace(theme, **own)

    @property
    def own(self) -> Mapping[str, Color | tuple[Color, ...]]:
        """The colors that the scenario names, by role."""
        named = {field.name: getattr(self, field.name, None) for field in fields(Theme)}
        return {role: value for role, value in named.items() if value is not None}


class Faint(NamedTuple):
    """A color that could not be seen."""

    key: tuple[str | int, ...]  # of [style], with the number of an entry
    wording: str  # what is wrong and what would be right


def inks(theme: Theme, coloring: Coloring, shown: Sequence[OverlayLayer], setup: Setup) -> dict[str, Color]:
    """Colors by role, from what may be covered to what must be read; only the roles that occur."""
    used = _used(shown, setup)
    below = {role: getattr(theme, role) for role in ("obstacle", "muted") if role in used}
    boids = {f"boid {number}": color for number, color in enumerate(coloring.colors(theme, setup))}
    above = {role: getattr(theme, role) for role in ("accent", "focus", "predator") if role in used}
    kinds = {f"predator {number}": color for number, color in enumerate(theme.predators[: len(setup.predators)])}
    own = {role: color for layer in shown for role, color in layer.inks(theme, setup).items()}
    return below | boids | above | kinds | own | {role: getattr(theme, role) for role in ("text",) if role in used}


def faint(colors: Colors, coloring: Coloring, shown: Sequence[OverlayLayer], setup: Setup) -> Iterator[Faint]:
    """Every color of the scenario's own that could not be seen, and a background on which the theme's could not."""
    theme, flat = colors.colors, [name for name, other in THEMES.items() if not other.light]
    for role, value in colors.own.items():
        behind, least = theme.behind(role), OWN_CONTRAST.get(role, 0.0)
        ratios = ((name, contrast(extreme, behind)) for name, extreme in EXTREMES.items())
        best, most = max(ratios, key=itemgetter(1))
        for number, color in enumerate([value] if isinstance(value, str) else value):
            if role != "background" and contrast(color, behind) < least:
                wanted = f"must have a contrast of at least {least:g} to 1 against the background {behind}"
                found = f"{_rounded(contrast(color, behind))}; {best} has {_rounded(most)}"
                yield Faint((role,) if isinstance(value, str) else (role, number), f"{wanted}, not {found}")
    if colors.background is None:
        return
    if theme.light:
        if colors.background != THEMES[colors.theme].background:
            advice = f"take theme {' or '.join(flat)} instead"
            yield Faint(("background",), f"theme {colors.theme} paints a ground of its own; {advice}")
    elif lost := _lost(colors, coloring, shown, setup):
        others = [colors.model_copy(update={"theme": name}) for name in flat]
        fitting = [other.theme for other in others if not _lost(other, coloring, shown, setup)]
        advice = f"take theme {' or '.join(fitting)}" if fitting else "name these, too, or another background"
        ratio = ", ".join(f"{role} {_rounded(ratio)} (at least {MIN_CONTRAST[role]:g})" for role, ratio in lost.items())
        wording = f"colors of theme {colors.theme} have too little contrast against {theme.background}: {ratio}"
        yield Faint(("background",), f"{wording}; {advice}")


def _used(shown: Sequence[OverlayLayer], setup: Setup) -> set[str]:
    return {role for layer in shown for role in layer.roles} | ({"predator"} if setup.predators else set())


def _lost(colors: Colors, coloring: Coloring, shown: Sequence[OverlayLayer], setup: Setup) -> dict[str, float]:
    """The roles of the theme's own colors that the picture shows and that nobody would see, each with its contrast."""
    theme = colors.colors
    seen = {role: [getattr(theme, role)] for role in _used(shown, setup)}
    seen["forces"] = [color for layer in shown for color in layer.inks(theme, setup).values()]
    seen[coloring.role] = list(coloring.colors(theme, setup))
    named = {color for value in colors.own.values() for color in ([value] if isinstance(value, str) else value)}
    lowest = {
        role: min((contrast(color, theme.behind(role)) for color in shades if color not in named), default=np.inf)
        for role, shades in seen.items()
    }
    return {role: ratio for role, ratio in lowest.items() if ratio < MIN_CONTRAST[role]}


def _rounded(ratio: float) -> str:
    """Rounded down, so that what is too little never looks like enough."""
    return f"{int(ratio * 10) / 10:g}"
