"""Drawing: from one state to one frame; knows no physics.

Names are imported when they are first used, so that a package with shapes can import what shapes are made of.
"""

from typing import TYPE_CHECKING

from boidsgen.lazy import of_package

if TYPE_CHECKING:
    from boidsgen.drawing.frame import Frame
    from boidsgen.drawing.look import Drawable, Look
    from boidsgen.drawing.renderer import Renderer

__all__ = ["Drawable", "Frame", "Look", "Renderer"]

__getattr__ = of_package(
    __name__,
    {
        "Drawable": "boidsgen.drawing.look",
        "Frame": "boidsgen.drawing.frame",
        "Look": "boidsgen.drawing.look",
        "Renderer": "boidsgen.drawing.renderer",
    },
)
