"""The contract of every boundary.

A boundary hides itself from everyone else behind four answers; `size` is the world's extent along each axis, shape
(d,):
  periods(size)                       after what distance each axis repeats, 0 where it does not, shape (d,)
  shortest(offset, size)              the offset as the crow flies here, shape (..., d)
  push(position, size)                what steers boids away from the edges before they meet them, shape (n, d), or
  nothing
  confine(position, velocity, size)   both after the edges have had their say, shape (n, d) each
Lengths are world units.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from boidsgen.simulation.geometry import Array
from boidsgen.tables import Table


class Boundary(Table, ABC):
    """What happens at the edges of the world."""

    leads_round: ClassVar[bool] = False
    """Whether who leaves on one side enters on the other."""

    def periods(self, size: Array) -> Array:
        """After what distance each axis repeats: never, shape (d,)."""
        return np.zeros_like(size)

    def shortest(self, offset: Array, size: Array) -> Array:
        """The offset as the crow flies, shape (..., d)."""
        del size
        return offset

    def push(self, position: Array, size: Array) -> Array | None:
        """Steering away from the edges, shape (n, d), or nothing at all."""
        del position, size
        return None

    @abstractmethod
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        """Positions and velocities after the edges have had their say, shape (n, d) each."""
