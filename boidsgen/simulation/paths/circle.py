"""The circle."""

from typing import Literal

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.paths.path import Path


class Circle(Path):
    """A circle in the x-y plane, counterclockwise."""

    kind: Literal["circle"] = "circle"

    @override
    def curve(self, angle: Array) -> Array:
        """(cos a, sin a, 0), shape (n, 3)."""
        return np.stack((np.cos(angle), np.sin(angle), np.zeros_like(angle)), axis=1)
