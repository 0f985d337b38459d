"""A slender arrowhead with a notched tail: direction at a glance, even when small."""

import numpy as np
from typing_extensions import override

from boidsgen.drawing.shapes.shape import Shape
from boidsgen.simulation.geometry import Array


class Dart(Shape):
    """A slender arrowhead with a notched tail: direction at a glance, even when small."""

    @override
    def outline(self) -> Array:
        return np.array([(0.56, 0.0), (-0.44, 0.31), (-0.26, 0.0), (-0.44, -0.31)])
