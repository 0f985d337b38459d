"""Drawing: from one state to one frame; knows no physics.

Names are imported when they are first used, so that a package with shapes can import what shapes are made of.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boidsgen.drawing.frame import Frame
    from boidsgen.drawing.look import Drawable, Look
    from boidsgen.drawing.renderer import Renderer

__all__ = ["Drawable", "Frame", "Look", "Renderer"]

_HOMES = {
    "Drawable": "boidsgen.drawing.look",
    "Frame": "boidsgen.drawing.frame",
    "Look": "boidsgen.drawing.look",
    "Renderer": "boidsgen.drawing.renderer",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
