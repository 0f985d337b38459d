"""A world without edges: who leaves on one side enters on the other, and neighbors are seen across."""

from typing import ClassVar, Literal

import numpy as np
from typing_extensions import override

from boidsgen.simulation.boundaries.boundary import Boundary
from boidsgen.simulation.geometry import Array


class Torus(Boundary):
    """Opposite edges are one and the same."""

    leads_round: ClassVar[bool] = True

    kind: Literal["torus"] = "torus"

    @override
    def periods(self, size: Array) -> Array:
        return size

    @override
    def shortest(self, offset: Array, size: Array) -> Array:
        return offset - size * np.rint(offset / size)

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        return wrapped(position, size), velocity


def wrapped(position: Array, size: Array) -> Array:
    """Positions brought back into [0, size) by whole sizes."""
    # Few are outside after one step, and division with remainder is slow: only theirs is done.
    boid, axis = ((position < 0) | (position >= size)).nonzero()
    remainder = np.mod(position[boid, axis], size[axis])
    # A tiny negative coordinate rounds up to the size itself, which is the origin again.
    remainder[remainder >= size[axis]] = 0.0
    inside = position.copy(order="K")
    inside[boid, axis] = remainder
    return inside
