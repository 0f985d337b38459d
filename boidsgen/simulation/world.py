"""The world: its size, its dimension, and what happens at its edges."""

from functools import cached_property
from typing import Annotated

import numpy as np
from pydantic import Field

from boidsgen.simulation.boundaries import AnyBoundary
from boidsgen.simulation.boundaries.torus import Torus
from boidsgen.simulation.geometry import Array, read_only
from boidsgen.tables import Positive, Table


class World(Table):
    """A box from the origin to `size`; two numbers make it flat, three give it depth."""

    size: Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3)] = (400.0, 400.0)
    """Extent along each axis, in world units; its length is the dimension of the world."""
    boundary: AnyBoundary = Torus.usual()
    """What happens at the edges."""

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.size)

    @cached_property
    def extent(self) -> Array:
        """The size as an array, shape (d,)."""
        return read_only(np.array(self.size))

    @cached_property
    def periods(self) -> Array:
        """After what distance each axis repeats, 0 where it does not, shape (d,)."""
        return read_only(np.array(self.boundary.periods(self.extent)))

    def shortest(self, offset: Array) -> Array:
        """The offset as the crow flies in this world, shape (..., d)."""
        return self.boundary.shortest(offset, self.extent)
