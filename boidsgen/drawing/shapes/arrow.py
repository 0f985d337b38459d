"""An arrow with shaft and head, as in a plot of velocities."""

import numpy as np
from typing_extensions import override

from boidsgen.drawing.shapes.shape import Shape, mirrored
from boidsgen.simulation.geometry import Array


class Arrow(Shape):
    """An arrow with shaft and head, as in a plot of velocities."""

    @override
    def outline(self) -> Array:
        upper = np.array([(0.55, 0.0), (0.08, 0.30), (0.08, 0.085), (-0.45, 0.085)])
        return np.vstack((upper, mirrored(upper)))
