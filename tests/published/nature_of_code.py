"""The Nature of Code, second edition, example 5.9: Reynolds' steering, each capped, on a canvas that wraps.

Boids act in the order of the array; each flocks, moves and wraps before the next one, which sees it moved. A steering
is the maximum speed in the wanted direction minus the velocity, capped at 0.05 by itself; their sum is not capped.
All boids start in the middle of the canvas, where only those at a distance above zero count: the first one is free in
frame 1.

Traps: separation without a direction steers not at all, while alignment and cohesion brake; distances do not wrap; an
edge sets the coordinate to the other edge and forgets the overshoot; there is no minimum speed.
"""

import math
from dataclasses import dataclass

import numpy as np

SOURCE = "nature-of-code/noc-book-2, content/examples/05_steering/example_5_9_flocking, commit 03b9a7ee"


@dataclass(frozen=True)
class Parameters:
    """Numbers of the sketch; `order` index, shuffled or together, `limit` of each steering or of their sum."""

    count: int = 120
    width: float = 640.0
    height: float = 240.0
    radius: float = 3.0
    maximum_speed: float = 3.0
    maximum_force: float = 0.05
    separation_distance: float = 25.0
    neighbor_distance: float = 50.0
    separation_weight: float = 1.5
    alignment_weight: float = 1.0
    cohesion_weight: float = 1.0
    order: str = "index"
    limit: str = "each"

    @property
    def view(self):
        """Distance within which boids see each other."""
        return self.neighbor_distance

    torus = None
    """Boids wrap, but see nobody across an edge."""


@dataclass(frozen=True)
class State:
    """Positions (N, 2), velocities (N, 2) in pixels per frame."""

    positions: np.ndarray
    velocities: np.ndarray


def start(random, parameters, count=None):
    """All in the middle; components of the velocity uniform in [-1, 1)."""
    count = parameters.count if count is None else count
    middle = np.array([parameters.width / 2, parameters.height / 2])
    return State(np.tile(middle, (count, 1)), random.uniform(-1, 1, (count, 2)))


def draws(random, state, parameters):
    """The random input of a step: an order, where it is shuffled."""
    return {"order": random.permutation(len(state.positions)) if parameters.order == "shuffled" else None}


def limited(x, y, most):
    """The vector, no longer than that."""
    length = math.hypot(x, y)
    return (x / length * most, y / length * most) if length > most else (x, y)


def steering(x, y, velocity, parameters):
    """Maximum speed in a direction (none of a zero vector) minus the velocity, capped unless the sum is."""
    length = math.hypot(x, y)
    scale = parameters.maximum_speed / length if length > 0 else 0.0
    u, v = x * scale - velocity[0], y * scale - velocity[1]
    return limited(u, v, parameters.maximum_force) if parameters.limit == "each" else (u, v)


def across(value, most, radius):
    """The other edge, once a coordinate is beyond one."""
    if value < -radius:
        return most + radius
    return -radius if value > most + radius else value


def step(state, parameters, order=None):
    """One frame in the given order (by index without one)."""
    places, velocities = state.positions.tolist(), state.velocities.tolist()
    together = parameters.order == "together"
    seen_places, seen_velocities = (list(places), list(velocities)) if together else (places, velocities)
    for own in range(len(places)) if order is None else order:
        (x, y), velocity = places[own], velocities[own]
        close = near = 0
        away_x = away_y = with_x = with_y = to_x = to_y = 0.0
        for other, (u, v) in enumerate(seen_places):
            distance = math.hypot(x - u, y - v)
            if 0 < distance < parameters.separation_distance:
                close += 1
                away_x, away_y = away_x + (x - u) / distance**2, away_y + (y - v) / distance**2
            if 0 < distance < parameters.neighbor_distance:
                near += 1
                to_x, to_y = to_x + u, to_y + v
                with_x, with_y = with_x + seen_velocities[other][0], with_y + seen_velocities[other][1]
        force_x = force_y = 0.0
        if close and math.hypot(away_x, away_y) > 0:
            u, v = steering(away_x, away_y, velocity, parameters)
            force_x, force_y = parameters.separation_weight * u, parameters.separation_weight * v
        if near:
            u, v = steering(with_x, with_y, velocity, parameters)
            force_x, force_y = force_x + parameters.alignment_weight * u, force_y + parameters.alignment_weight * v
            u, v = steering(to_x / near - x, to_y / near - y, velocity, parameters)
            force_x, force_y = force_x + parameters.cohesion_weight * u, force_y + parameters.cohesion_weight * v
        if parameters.limit == "sum":
            force_x, force_y = limited(force_x, force_y, parameters.maximum_force)
        u, v = limited(velocity[0] + force_x, velocity[1] + force_y, parameters.maximum_speed)
        velocities[own] = [u, v]
        places[own] = [
            across(x + u, parameters.width, parameters.radius),
            across(y + v, parameters.height, parameters.radius),
        ]
    return State(np.array(places), np.array(velocities))
