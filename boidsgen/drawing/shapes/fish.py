"""A fish: a round body, a thin stalk and a forked tail."""

import numpy as np
from typing_extensions import override

from boidsgen.drawing.shapes.shape import Shape, mirrored
from boidsgen.simulation.geometry import Array


class Fish(Shape):
    """A fish: a round body, a thin stalk and a forked tail."""

    @override
    def outline(self) -> Array:
        along = np.array([0.5, 0.46, 0.36, 0.2, 0.02, -0.14, -0.28, -0.5])
        half = np.array([0.0, 0.07, 0.13, 0.17, 0.16, 0.11, 0.045, 0.2])
        upper = np.column_stack((along, half))
        notch = np.array([(-0.4, 0.0)])
        return np.vstack((upper, notch, mirrored(upper)))
