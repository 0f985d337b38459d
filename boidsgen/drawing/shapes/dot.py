"""A disc, as wide as half a body length; says where, not whither."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.drawing.shapes.shape import Shape
from boidsgen.simulation.geometry import Array


class Dot(Shape):
    """A disc, as wide as half a body length; says where, not whither."""

    alike_all_round: ClassVar[bool] = True

    @override
    def outline(self) -> Array:
        turn = np.linspace(0.0, 2 * np.pi, 48, endpoint=False)
        return 0.25 * np.column_stack((np.cos(turn), np.sin(turn)))
