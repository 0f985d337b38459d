"""Ben Eater's boids: three rules that change the velocity one after the other, and a push inward at the edges.

Boids act in the order of the array, and each rule sees the velocity that the one before has left. The means of
cohesion and alignment are over all within the visual range, the boid itself included; avoidance is a sum. The
constant push of 1 near an edge comes after the speed limit, so that speeds reach 15 + √2.

Traps: avoidance is no mean; the boid's own place and velocity count in the means; nothing wraps and nothing holds a
boid within the window, whose size nobody has published.
"""

import math
from dataclasses import dataclass

import numpy as np

SOURCE = "beneater/boids, boids.js, commit 86b4cb98"


@dataclass(frozen=True)
class Parameters:
    """Numbers of the script, with a window of our choice; `order` index, shuffled or together."""

    count: int = 100
    width: float = 1600.0
    height: float = 900.0
    visual_range: float = 75.0
    minimum_distance: float = 20.0
    centering: float = 0.005
    avoiding: float = 0.05
    matching: float = 0.05
    speed_limit: float = 15.0
    margin: float = 200.0
    turn: float = 1.0
    start_speed: float = 5.0
    order: str = "index"

    @property
    def view(self):
        """Distance within which boids see each other."""
        return self.visual_range

    torus = None
    """The world is open."""


@dataclass(frozen=True)
class State:
    """Positions (N, 2), velocities (N, 2) in pixels per frame."""

    positions: np.ndarray
    velocities: np.ndarray


def start(random, parameters, count=None):
    """Positions uniform over the window, components of the velocity uniform in [-5, 5)."""
    count = parameters.count if count is None else count
    positions = random.random((count, 2)) * (parameters.width, parameters.height)
    return State(positions, random.uniform(-parameters.start_speed, parameters.start_speed, (count, 2)))


def draws(random, state, parameters):
    """The random input of a step: an order, where it is shuffled."""
    return {"order": random.permutation(len(state.positions)) if parameters.order == "shuffled" else None}


def inward(value, size, parameters):
    """The push of an edge on a coordinate, of both edges in a narrow window."""
    push = parameters.turn if value < parameters.margin else 0.0
    return push - parameters.turn if value > size - parameters.margin else push


def step(state, parameters, order=None):
    """One frame in the given order (by index without one)."""
    places, velocities = state.positions.tolist(), state.velocities.tolist()
    together = parameters.order == "together"
    seen_places, seen_velocities = (list(places), list(velocities)) if together else (places, velocities)
    for own in range(len(places)) if order is None else order:
        (x, y), (u, v) = places[own], velocities[own]
        number = 1
        center_x, center_y, move_x, move_y, mean_u, mean_v = x, y, 0.0, 0.0, 0.0, 0.0
        for other, (other_x, other_y) in enumerate(seen_places):
            distance = math.hypot(x - other_x, y - other_y)
            if other == own:
                continue
            if distance < parameters.visual_range:
                number += 1
                center_x, center_y = center_x + other_x, center_y + other_y
                mean_u, mean_v = mean_u + seen_velocities[other][0], mean_v + seen_velocities[other][1]
            if distance < parameters.minimum_distance:
                move_x, move_y = move_x + x - other_x, move_y + y - other_y
        u, v = u + (center_x / number - x) * parameters.centering, v + (center_y / number - y) * parameters.centering
        u, v = u + move_x * parameters.avoiding, v + move_y * parameters.avoiding
        mean_u, mean_v = (mean_u + u) / number, (mean_v + v) / number
        u, v = u + (mean_u - u) * parameters.matching, v + (mean_v - v) * parameters.matching
        speed = math.hypot(u, v)
        if speed > parameters.speed_limit:
            u, v = u / speed * parameters.speed_limit, v / speed * parameters.speed_limit
        u, v = u + inward(x, parameters.width, parameters), v + inward(y, parameters.height, parameters)
        velocities[own], places[own] = [u, v], [x + u, y + v]
    return State(np.array(places), np.array(velocities))
