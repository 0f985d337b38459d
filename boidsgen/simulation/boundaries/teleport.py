"""Edges that send a boid to the opposite edge and know nothing of each other."""

from typing import ClassVar, Literal

import numpy as np
from typing_extensions import override

from boidsgen.simulation.boundaries.boundary import Boundary
from boidsgen.simulation.geometry import Array


class Teleport(Boundary):
    """Who is past an edge is put exactly on the opposite one, however far past; nobody sees across.

    It is what many lessons do: below 0 becomes the size, beyond the size becomes 0. Boids that leave at different
    places in one step come back in line, and two that are near each other across an edge do not know it.
    """

    leads_round: ClassVar[bool] = True

    kind: Literal["teleport"] = "teleport"

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        return np.where(position < 0, size, np.where(position > size, 0.0, position)), velocity
