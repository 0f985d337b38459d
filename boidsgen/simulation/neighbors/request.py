"""Requests of rules about the neighbors of each boid.

A neighbor of a boid is another one nearer than the radius of the request, within its field of view, and not in the
very same place: who coincides with a boid lies in no direction from it. Offsets are the neighbor's position minus the
boid's own, by the shortest way in this world. A boid at rest has no direction of flight and sees all round.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from boidsgen.simulation.geometry import Array

Falloff = Literal["constant", "inverse", "inverse_square", "linear"]
"""Dependence of a push on the distance r: 1, 1/r, 1/r² or r."""

Quantity = Literal["offset", "velocity", "constant", "inverse", "inverse_square", "linear"]
"""Quantities that are added up: offsets, velocities, or offsets brought to the length that a falloff gives."""

COINCIDENT = 1e-15
"""Two boids nearer than this, in world units, are in the same place."""


class Request(NamedTuple):
    """One sum over the neighbors of each boid.

    Attributes:
        radius: neighbors are nearer than this, world units; inf = everyone.
        field_of_view: total angle in degrees around the boid's velocity; 360 = all round.
        quantity: what is added up.
        nearest: only so many of them, the nearest; None = all. Among equally near ones the grid's order decides.
    """

    radius: float
    field_of_view: float
    quantity: Quantity
    nearest: int | None = None

    @property
    def whom(self) -> tuple[float, float, int | None]:
        """Whom the request is about, whatever is added up."""
        return self.radius, self.field_of_view, self.nearest


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """The answer to one request.

    Attributes:
        count: (n,) number of neighbors of each boid.
        total: (n, d) sum over these neighbors.
    """

    count: Array
    total: Array

    def __add__(self, other: "Sum") -> "Sum":
        """Both sums taken together, as over two groups of neighbors."""
        return Sum(self.count + other.count, self.total + other.total)
