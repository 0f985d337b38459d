"""The contract of every shape.

`outline()` is one closed polygon, shape (k, 2), of a body that flies along +x: x forward, y to its left. Its unit is
the body length the user sets. Where its origin lies does not matter: sprites put the middle of the area on the boid's
position.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from boidsgen.simulation.geometry import Array
from boidsgen.tables import Table


class Shape(Table, ABC):
    """What a boid looks like."""

    alike_all_round: ClassVar[bool] = False
    """Whether it looks the same from every side, so that flying at the viewer does not shorten it."""

    @abstractmethod
    def outline(self) -> Array:
        """The corners in order, shape (k, 2), body flying along +x, unit: body length."""


def mirrored(upper: Array) -> Array:
    """The other side of a body, from tail to head, given the corners of its left side from head to tail."""
    lower: Array = upper[::-1] * np.array([1.0, -1.0])
    return lower
