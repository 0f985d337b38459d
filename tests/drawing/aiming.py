"""Cameras aimed at worlds, and how points of these are seen."""

import numpy as np

from boidsgen.drawing.camera import Camera
from boidsgen.drawing.layout import Viewport
from boidsgen.simulation.world import World

PICTURE = Viewport(20, 10, 600, 340)
"""Where in the picture the world is, unless told otherwise."""


def view(size, viewport=PICTURE, boundary="open", **camera):
    """The viewpoint of a camera, by its keys, on a world of this size."""
    return Camera.model_validate(camera).aim(World(size=size, boundary={"kind": boundary}), viewport)


def seen(size, points, frame=0, **camera):
    """How points of a world of this size are seen in a frame."""
    return view(size, **camera).projection(frame)(np.array(points, dtype=float))
