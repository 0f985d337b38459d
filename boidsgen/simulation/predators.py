"""Predators: animals that boids flee from; they follow a path, hunt, or both."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.hunt import Hunt
from boidsgen.simulation.motion import Motion
from boidsgen.simulation.neighbors.engines import Neighbors
from boidsgen.simulation.paths import AnyPath
from boidsgen.simulation.randomness import Randomness
from boidsgen.simulation.world import Lasting, World
from boidsgen.tables import Finite, NotNegativeOrInfinite, Positive, Table


class Jitter(Table):
    """Random unrest of a predator: a new vector every step, each component evenly spread between -1 and 1."""

    weight: Finite = 0.2
    """Factor on the random vector."""


class Predators(Motion, Lasting):
    """Predators of one kind. Without path and hunt tables they hunt the nearest boid."""

    name: str = "predators"
    """What they are called in the legend and in trajectories."""
    count: Annotated[int, Field(ge=0)] = 1
    """How many predators there are."""
    max_speed: Positive = 5.0
    """Highest speed, in world units per unit of time; carried along a path by position, they keep the path's own
    speed."""
    max_force: NotNegativeOrInfinite = 0.3
    """Longest steering of the hunt in one step, before its weight; inf = no bound."""
    path: AnyPath | None = None
    """The curve that carries or drives them."""
    hunt: Hunt | None = None
    """What they are after."""
    noise: Jitter | None = None
    """Random unrest."""

    @field_validator("hunt", "noise")
    @classmethod
    def _free_to_move(cls, value: Table | None, info: ValidationInfo) -> Table | None:
        path = info.data.get("path")
        if value is not None and path is not None and path.mode == "position":
            raise ValueError('has no effect on predators carried along a path; use path mode = "velocity"')
        return value

    @property
    def carried(self) -> bool:
        """Whether a path carries them along, so that nothing else moves them."""
        return self.path is not None and self.path.mode == "position"

    def drive(self, chase: "Chase") -> Array:
        """The weighted sum of path, hunt and noise, shape (n, d)."""
        total = np.zeros_like(chase.velocity)
        if self.path is not None:
            total += self.path.drive(chase.time, len(total), chase.world)
        if hunt := self._hunt():
            desired = hunt.desired(
                chase.position, chase.velocity, chase.prey, chase.prey_velocity, chase.world, chase.neighbors
            )
            given = desired if self.steering == "direct" else self.reynolds(desired, chase.velocity)
            total += hunt.weight * given
        if self.noise is not None:
            stream = chase.randomness.stream("predator noise", chase.number)
            total += self.noise.weight * stream.uniform(-1.0, 1.0, total.T.shape).T
        return total

    def _hunt(self) -> Hunt | None:
        return Hunt() if self.hunt is None and self.path is None else self.hunt


@dataclass(frozen=True, slots=True, eq=False)
class Chase:
    """What predators of one kind perceive in one step.

    Attributes:
        number: of the predators' table.
        position: (n, d) world units.
        velocity: (n, d) world units per unit of time.
        prey: (m, d) positions of all boids.
        prey_velocity: (m, d) velocities of all boids.
        time: simulated time at the beginning of the step.
        world: the world.
        neighbors: answers about boids in range.
        randomness: the streams of random numbers.
    """

    number: int
    position: Array
    velocity: Array
    prey: Array
    prey_velocity: Array
    time: float
    world: World
    neighbors: Neighbors
    randomness: Randomness
