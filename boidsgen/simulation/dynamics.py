"""Groups of animals, how a desired direction becomes steering, and how a drive becomes a new position.

In one step a drive (the weighted sum of all rules, shape (n, d)) changes velocity and position:
  v' = inertia · v + drive, its length brought into [min_speed, max_speed]
  p' = p + dt · v' (semi-implicit) or p + dt · v (explicit)
The drive is an acceleration per step: it is not multiplied by dt.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from boidsgen.simulation.geometry import Array, length, limited, scaled

BOIDS_PER_BLOCK = 1 << 14
"""Boids steered together: what is computed on the way stays in the second-level cache."""


Steering = Literal["reynolds", "direct"]
"""Forms in which the vector of a rule becomes a change of velocity."""

FORMULAS: Mapping[Steering, str] = {
    "reynolds": "lim(max_speed · unit(x) - v, max_force); zero where x is zero",
    "direct": "x itself; lim(x, max_force) if the rule has a max_force of its own",
}
"""Result of each form for a raw vector x before the weight; the first is Reynolds' desired velocity minus velocity."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Animals of one kind: a flock, or the predators of one table.

    Attributes:
        name: what the scenario calls them.
        position: (n, d) world units, read-only.
        velocity: (n, d) world units per unit of time, read-only.
        drive: (n, d) what has steered them so far, read-only, where it is never set back; else None.
    """

    name: str
    position: Array
    velocity: Array
    drive: Array | None = None


class Limits(NamedTuple):
    """Bounds on a step of a group.

    Attributes:
        inertia: how much of the old velocity is kept, 0 to 1.
        max_acceleration: longest drive in one step; inf = no bound.
        min_speed: lowest speed, in world units per unit of time; only a boid at rest stays at rest.
        max_speed: highest speed, in world units per unit of time.
        explicit: whether the old velocity moves them rather than the new one.
        dt: time that the step covers.
    """

    inertia: float
    max_acceleration: float
    min_speed: float
    max_speed: float
    explicit: bool
    dt: float


def reynolds(desired: Array, velocity: Array, max_speed: float, max_force: float) -> Array:
    """Steering toward the desired direction, lim(max_speed · unit(desired) - v, max_force), shape (..., n, d).

    Zero where no direction is desired. Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999.
    """
    lengths = length(desired)
    steering = scaled(desired, lengths, max_speed)
    steering -= velocity
    steering *= np.sign(lengths)[..., None]
    return limited(steering, max_force)


def steer(desired: Array, velocity: Array, max_speed: float, max_force: float) -> Array:
    """The steering toward k desired directions of each boid, shape (k, n, d), written over them."""
    for first in range(0, len(velocity), BOIDS_PER_BLOCK):
        block = slice(first, first + BOIDS_PER_BLOCK)
        desired[:, block] = reynolds(desired[:, block], velocity[block], max_speed, max_force)
    return desired


def move(position: Array, velocity: Array, drive: Array, limits: Limits) -> tuple[Array, Array]:
    """Positions and velocities one step later, before any boundary condition, shape (n, d) each."""
    new = accelerated(velocity, drive, limits)
    return position + limits.dt * (velocity if limits.explicit else new), new


def accelerated(velocity: Array, drive: Array, limits: Limits) -> Array:
    """The new velocity, its length within the speeds, shape (n, d)."""
    new = limits.inertia * velocity + limited(drive, limits.max_acceleration)
    speed = length(new)
    return scaled(new, speed, np.minimum(np.maximum(speed, limits.min_speed), limits.max_speed))
