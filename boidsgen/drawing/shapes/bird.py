"""A bird seen from above with swept wings and a short tail."""

import numpy as np
from typing_extensions import override

from boidsgen.drawing.shapes.shape import Shape, mirrored
from boidsgen.simulation.geometry import Array


class Bird(Shape):
    """A bird seen from above with swept wings and a short tail."""

    @override
    def outline(self) -> Array:
        head_and_wing = [(0.4, 0.0), (0.33, 0.06), (0.2, 0.08), (0.26, 0.24), (0.2, 0.42), (-0.06, 0.68)]
        wing_and_tail = [(0.02, 0.42), (0.0, 0.24), (-0.1, 0.08), (-0.24, 0.06), (-0.44, 0.16), (-0.4, 0.0)]
        upper = np.array(head_and_wing + wing_and_tail)
        return np.vstack((upper, mirrored(upper)))
