"""Half a torus: boids come back on the other side, and see nothing across the edge."""

from typing import ClassVar, Literal

from typing_extensions import override

from boidsgen.simulation.boundaries.boundary import Boundary
from boidsgen.simulation.boundaries.torus import wrapped
from boidsgen.simulation.geometry import Array


class Wrap(Boundary):
    """Positions go round as on a torus, but neighbors and offsets do not.

    It is what many tutorials do, and a trap: a flock that crosses an edge is torn in two halves that do not know each
    other. Use torus unless that is what is to be shown.
    """

    leads_round: ClassVar[bool] = True

    kind: Literal["wrap"] = "wrap"

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        return wrapped(position, size), velocity
