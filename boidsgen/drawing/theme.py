"""The contract of every theme.

A theme names a color for each role in the picture. `LEAST_CONTRAST` is what every color owes the background, as a WCAG
ratio, and a test holds every theme to it: letters are easy to read, no animal is hard to see.
"""

from typing import Annotated

from pydantic import Field

from boidsgen.tables import Table

Color = Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")]
"""Red, green and blue as in "#0b1020"."""

LEAST_CONTRAST = {
    "text": 7.0,
    "accent": 7.0,
    "cyclic": 4.0,
    "predator": 3.5,
    "forces": 3.5,
    "flocks": 3.0,
    "focus": 3.0,
    "muted": 3.0,
    "obstacle": 3.0,
    "sequential": 2.0,
}
"""Smallest ratio between a role's luminance and the background's."""

FLOCKS, FORCES, SEQUENTIAL, CYCLIC = 6, 8, 8, 12
"""How many colors a theme has for flocks, for forces, from little to much, and once round."""


class Theme(Table):
    """The colors of a picture; subclasses fill them in."""

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
    """What the eye should go to first: the center of mass."""
    focus: Color
    """The boid that others are told about."""
    forces: tuple[Color, ...]
    """FORCES colors, taken in turn: red, green and blue for separation, alignment and cohesion, then others."""
    flocks: tuple[Color, ...]
    """FLOCKS colors, taken in turn."""
    sequential: tuple[Color, ...]
    """SEQUENTIAL colors from little to much."""
    cyclic: tuple[Color, ...]
    """CYCLIC colors, equally bright and once round the color circle, from heading along x against the clock."""
