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
    # One coordinate after the other, so that a plain list of places says which are outside.
    inside = position.T.copy()
    flat = inside.reshape(-1)
    outside = ((inside < 0) | (inside >= size[:, None])).reshape(-1).nonzero()[0]
    # Few are outside after one step, and division with remainder is slow: only theirs is done.
    period = size[outside // max(len(position), 1)]
    remainder = np.mod(flat[outside], period)
    # A tiny negative coordinate rounds up to the size itself, which is the origin again.
    remainder[remainder >= period] = 0.0
    flat[outside] = remainder
    return inside.T
