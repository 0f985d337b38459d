"""Population: the boids that are measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from boidsgen import exact
from boidsgen.simulation.dynamics import Group
from boidsgen.simulation.geometry import Array, by_column, length, mean_of_rows, scaled, zeros
from boidsgen.simulation.world import World

if TYPE_CHECKING:  # at run time they would bring the rules of packages, which may just be loading
    from boidsgen.simulation.groups import Flock
    from boidsgen.simulation.setup import State


@dataclass(frozen=True, eq=False)
class Population:
    """Some of the flocks of a state, taken together.

    Attributes:
        flocks: the boids.
        tables: what the scenario says about each of these flocks.
        hunters: all predators.
        world: the world.
    """

    flocks: tuple[Group, ...]
    tables: "tuple[Flock, ...]"
    hunters: tuple[Group, ...]
    world: World

    def __len__(self) -> int:
        return sum(len(flock.position) for flock in self.flocks)

    @cached_property
    def position(self) -> Array:
        """Positions of the boids, shape (n, d)."""
        return self._together([flock.position for flock in self.flocks])

    @cached_property
    def velocity(self) -> Array:
        """Velocities of the boids, shape (n, d)."""
        return self._together([flock.velocity for flock in self.flocks])

    @cached_property
    def heading(self) -> Array:
        """Directions of flight, of length 1, or zero at rest, shape (n, d)."""
        return scaled(self.velocity, self.speed, 1.0)

    @cached_property
    def speed(self) -> Array:
        """Speeds of the boids, shape (n,)."""
        return length(self.velocity)

    @cached_property
    def center(self) -> Array:
        """The center of the boids, at least one, shape (d,).

        Along an axis that repeats it is the circular mean: the direction of the mean of all positions laid on a
        circle. Source: K. V. Mardia and P. E. Jupp, Directional Statistics, 2000.
        """
        center = mean_of_rows(self.position)
        for axis, period in enumerate(self.world.periods):
            if period:
                angle = 2 * np.pi / period * (self.position[:, axis] % period)
                turn = exact.heading(exact.sine(angle).mean(), exact.cosine(angle).mean())
                center[axis] = period / (2 * np.pi) * turn % period
        return center

    @cached_property
    def from_center(self) -> Array:
        """The offsets of the boids from their center, shape (n, d)."""
        return self.world.shortest(self.position - self.center)

    @cached_property
    def predators(self) -> Array:
        """Positions of all predators, shape (m, d)."""
        return self._together([hunters.position for hunters in self.hunters])

    @cached_property
    def perception_radius(self) -> Array:
        """Perception radius of each boid, shape (n,)."""
        return self._of_each(lambda table: table.perception.radius)

    @cached_property
    def separation_radius(self) -> Array:
        """Separation radius of each boid, also where separation is off, shape (n,)."""
        return self._of_each(lambda table: table.separation.reach(table.perception)[0])

    def _together(self, vectors: Sequence[Array]) -> Array:
        if len(vectors) == 1:
            return vectors[0]
        return by_column(np.concatenate([zeros(0, self.world.dimension), *vectors]))

    def _of_each(self, value: "Callable[[Flock], float]") -> Array:
        counts = [len(flock.position) for flock in self.flocks]
        return np.repeat(np.array([value(table) for table in self.tables]), counts)


def everybody(state: "State") -> Population:
    """All boids of a state."""
    return Population(state.flocks, state.setup.flock, state.predators, state.setup.world)


def only(state: "State", flock: int) -> Population:
    """The boids of one flock."""
    return Population(
        state.flocks[flock : flock + 1], state.setup.flock[flock : flock + 1], state.predators, state.setup.world
    )
