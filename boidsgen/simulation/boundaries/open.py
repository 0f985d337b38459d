"""A world without bounds: the size is only what the picture shows."""

from typing import Literal

from typing_extensions import override

from boidsgen.simulation.boundaries.boundary import Boundary
from boidsgen.simulation.geometry import Array


class Open(Boundary):
    """Boids may leave and need not come back."""

    kind: Literal["open"] = "open"

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        del size
        return position, velocity
