"""Conrad Parker's pseudocode: two means over all others and a sum over near ones, without any speed limit.

Boids act in the order of the list, as written in place: each sees earlier ones moved. A flock that moves then sees
its center ahead, by half a step on average, and speeds up by a factor of about e^0.5 in 100 steps (1.707 where nobody
is near). Together, which is the other common reading, the mean velocity never changes.

Traps: the number 100 divides rule 1 and is the distance of rule 2; rule 2 is a sum without a mean; the 8 divides a
difference of velocities; N, dimension, start and limit are left open by the source, and chosen here.
"""

import math
from dataclasses import dataclass

import numpy as np

SOURCE = "Conrad Parker, Boids Pseudocode, http://www.kfish.org/boids/pseudocode.html"


@dataclass(frozen=True)
class Parameters:
    """Numbers of the page, and a start of our choice; `order` index, together or shuffled."""

    count: int = 50
    dimension: int = 2
    side: float = 1000.0
    start_speed: float = 5.0
    center_divisor: float = 100.0
    distance: float = 100.0
    velocity_divisor: float = 8.0
    speed_limit: float = math.inf
    order: str = "index"

    @property
    def view(self):
        """Distance of rule 2; the others see all."""
        return self.distance

    torus = None
    """The world is open."""


@dataclass(frozen=True)
class State:
    """Positions and velocities (N, d), in units and units per step."""

    positions: np.ndarray
    velocities: np.ndarray


def start(random, parameters, count=None):
    """Places uniform in a square or cube around the origin, components of the velocity uniform, too."""
    shape = (parameters.count if count is None else count, parameters.dimension)
    half, most = parameters.side / 2, parameters.start_speed
    return State(random.uniform(-half, half, shape), random.uniform(-most, most, shape))


def draws(random, state, parameters):
    """The random input of a step: an order, where it is shuffled."""
    return {"order": random.permutation(len(state.positions)) if parameters.order == "shuffled" else None}


def step(state, parameters, order=None):
    """One step in the given order (by index without one)."""
    places, velocities = state.positions.tolist(), state.velocities.tolist()
    together, others = parameters.order == "together", len(places) - 1
    seen_places, seen_velocities = (list(places), list(velocities)) if together else (places, velocities)
    for own in range(len(places)) if order is None else order:
        place, velocity = places[own], velocities[own]
        axes = range(len(place))
        center, away, mean = [0.0] * len(place), [0.0] * len(place), [0.0] * len(place)
        for other, seen in enumerate(seen_places):
            if other == own:
                continue
            near = math.dist(seen, place) < parameters.distance
            for axis in axes:
                center[axis] += seen[axis] / others
                mean[axis] += seen_velocities[other][axis] / others
                away[axis] -= seen[axis] - place[axis] if near else 0.0
        moved = [
            velocity[axis]
            + (center[axis] - place[axis]) / parameters.center_divisor
            + away[axis]
            + (mean[axis] - velocity[axis]) / parameters.velocity_divisor
            for axis in axes
        ]
        speed = math.hypot(*moved)
        if speed > parameters.speed_limit:
            moved = [value / speed * parameters.speed_limit for value in moved]
        velocities[own], places[own] = moved, [place[axis] + moved[axis] for axis in axes]
    return State(np.array(places), np.array(velocities))
