"""Look: the part of a scenario that decides how it looks, and nothing of what happens."""

from boidsgen.drawing.camera import Camera
from boidsgen.drawing.overlays import Overlay
from boidsgen.drawing.style import Style
from boidsgen.tables import Table


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
