"""Species: whom among the other flocks to hunt, to flee and to ignore."""

from collections.abc import Container, Iterator
from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array, length, unit
from boidsgen.simulation.neighbors import Request
from boidsgen.simulation.rules.rule import FlockName, Rule, View
from boidsgen.simulation.steering import Steering
from boidsgen.tables import PositiveOrInfinite


class Species(Rule):
    """Toward the nearest boid of the hunted flocks, and away from every boid of the feared ones, each by a unit vector.

    Flocks that are ignored do not count in separation either, from which all other flocks keep their distance.
    """

    usual_steering: ClassVar[Steering | None] = "reynolds"

    radius: PositiveOrInfinite = 100.0
    """How far away the boids of other flocks are hunted and fled from, in world units; inf = everywhere."""
    hunt: tuple[FlockName, ...] = ()
    """Flocks to go after, by their names."""
    flee: tuple[FlockName, ...] = ()
    """Flocks to flee from, by their names."""
    ignore: tuple[FlockName, ...] = ()
    """Flocks to take no notice of, by their names; separation does not keep clear of them."""

    @override
    def notices(self, flock: str) -> bool:
        return flock not in self.ignore

    @override
    def desired(self, view: View) -> Array:
        """The unit vector to the nearest hunted boid in range minus the sum of those to all feared ones in range."""
        away = -sum(self._sums(self.flee, Request(self.radius, 360.0, "constant"), view), np.zeros_like(view.position))
        return unit(self._to_prey(view)) + away

    def _to_prey(self, view: View) -> Array:
        """The offset to the nearest hunted boid in range, zero without one, shape (n, d)."""
        nearest = np.zeros_like(view.position)
        for offset in self._sums(self.hunt, Request(self.radius, 360.0, "offset", nearest=1), view):
            distance, so_far = length(offset), length(nearest)
            nearer = (distance > 0) & ((distance < so_far) | (so_far == 0))
            nearest = np.where(nearer[:, None], offset, nearest)
        return nearest

    def _sums(self, names: Container[str], request: Request, view: View) -> Iterator[Array]:
        """The answers to a request about each of the other flocks with these names, shape (n, d) each."""
        for number, flock in enumerate(view.flocks):
            if flock.name in names and number != view.flock:
                seen = flock.position, flock.velocity
                yield view.neighbors.sums(view.position, view.velocity, *seen, [request])[request].total
