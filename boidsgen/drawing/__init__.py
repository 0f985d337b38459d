"""Drawing: from one state to one frame; knows no physics."""

from boidsgen.drawing.frame import Frame
from boidsgen.drawing.look import Drawable, Look
from boidsgen.drawing.renderer import Renderer

__all__ = ["Drawable", "Frame", "Look", "Renderer"]
