"""Look: the part of a scenario that decides how it looks."""

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from boidsgen import exact
from boidsgen.drawing.camera import Camera
from boidsgen.drawing.colorings import COLORINGS
from boidsgen.drawing.overlays import Overlay
from boidsgen.drawing.shapes import SHAPES
from boidsgen.drawing.themes import THEMES
from boidsgen.simulation.setup import Setup
from boidsgen.tables import Table

if TYPE_CHECKING:
    ThemeName = str
    ShapeName = str
    ColoringName = str
else:
    ThemeName = Literal[tuple(THEMES)]
    ShapeName = Literal[tuple(SHAPES)]
    ColoringName = Literal[tuple(COLORINGS)]


class Style(Table):
    """How the animals look."""

    theme: ThemeName = "night"
    """Colors: night, ocean and chalk are dark, paper is white and safe for color-blind readers, plot is white with blue
    boids and red predators."""
    shape: ShapeName = "dart"
    """What a boid looks like."""
    color_by: ColoringName = "flock"
    """What the color of a boid means; depth in 3D only, group = who flies together."""
    trails: Annotated[int, Field(ge=0, le=1000)] = 0
    """For how many frames the path of each animal stays visible, fading; 0 = no trails."""
    size: Annotated[float, Field(ge=2, le=200)] | None = None
    """Length of a boid, in pixels; in 3D at the middle of the world. Default: from picture size and number of boids."""

    def length(self, size: tuple[int, int], count: int) -> float:
        """Length of a boid in a picture of (width, height) pixels with so many boids, in pixels."""
        if self.size is not None:
            return self.size
        spacing = float(np.sqrt(size[0] * size[1] / max(count, 1)))
        return float(np.clip(min(11.0 * exact.power(min(size) / 400, "0.45"), 0.6 * spacing), 4.0, 28.0))


class Look(Table):
    """Title, camera, style and overlays."""

    title: str = ""
    """Name of the scenario, shown at the top left of every frame; empty = none."""
    camera: Camera = Camera.usual()
    """From where the world is seen."""
    style: Style = Style.usual()
    """How the animals look."""
    overlay: Overlay = Overlay.usual()
    """What is drawn besides the animals."""


class Drawable(Look, Setup):
    """All that a renderer needs to know: what happens, and how it looks."""
