"""The trefoil knot."""

from typing import ClassVar, Literal

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.paths.path import Path


class Trefoil(Path):
    """The trefoil knot; in a flat world its projection with three lobes."""

    extent: ClassVar[float] = 3.0

    kind: Literal["trefoil"] = "trefoil"

    @override
    def curve(self, angle: Array) -> Array:
        """((2 + cos 3a)·cos 2a, (2 + cos 3a)·sin 2a, sin 3a), shape (n, 3)."""
        ring = 2 + np.cos(3 * angle)
        return np.stack((ring * np.cos(2 * angle), ring * np.sin(2 * angle), np.sin(3 * angle)), axis=1)
