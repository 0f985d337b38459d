"""From Python to NumPy's boids: synchronous steering, each capped, in the variant of the published file or of the book.

All read the same old places and velocities, then all move, wrap, and keep a speed between 0.5 and 2. Distances do not
wrap. In the published file a boid steers by all three rules even without neighbors: a missing direction is a brake,
and the mean place of nobody is the origin; the book's text tests the number of neighbors first, and then nothing
acts.

Traps: the cap of 0.03 is on each steering; the start has uniform radii, so it is dense in the middle; the source
computes in single precision, this loop in double, so that single runs part by 1e-4 in a step.
"""

import math
from dataclasses import dataclass

import numpy as np

SOURCE = "rougier/from-python-to-numpy, code/boid_numpy.py and 04-code-vectorization.rst, commit 8a5f0d99"


@dataclass(frozen=True)
class Parameters:
    """Numbers of the file; `variant` file or book, `order` together, index or shuffled, `limit` of each or sum."""

    count: int = 500
    width: float = 640.0
    height: float = 360.0
    minimum_speed: float = 0.5
    maximum_speed: float = 2.0
    maximum_acceleration: float = 0.03
    separation_distance: float = 25.0
    neighbor_distance: float = 50.0
    separation_weight: float = 1.5
    alignment_weight: float = 1.0
    cohesion_weight: float = 1.0
    start_speed: float = 1.0
    variant: str = "file"
    order: str = "together"
    limit: str = "each"

    @property
    def view(self):
        """Distance within which boids see each other."""
        return self.neighbor_distance

    torus = None
    """Boids wrap, but see nobody across an edge."""


@dataclass(frozen=True)
class State:
    """Positions (N, 2) in [0, size), velocities (N, 2) in pixels per frame."""

    positions: np.ndarray
    velocities: np.ndarray


def start(random, parameters, count=None):
    """Headings uniform; places at uniform angles and radii around the middle, in single precision."""
    count = parameters.count if count is None else count
    heading, angle = random.uniform(0, 2 * np.pi, (2, count))
    radius = min(parameters.width, parameters.height) / 2 * random.random(count)
    positions = np.stack(
        [parameters.width / 2 + np.cos(angle) * radius, parameters.height / 2 + np.sin(angle) * radius], 1
    )
    velocities = parameters.start_speed * np.stack([np.cos(heading), np.sin(heading)], 1)
    return State(*(array.astype(np.float32).astype(float) for array in (positions, velocities)))


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
    return limited(u, v, parameters.maximum_acceleration) if parameters.limit == "each" else (u, v)


def step(state, parameters, order=None):
    """One frame of all at once, or in the given order (by index without one) if the parameters say so."""
    places, velocities = state.positions.tolist(), state.velocities.tolist()
    together, always = parameters.order == "together", parameters.variant == "file"
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
        targets = (
            (parameters.separation_weight, close, away_x, away_y),
            (parameters.alignment_weight, near, with_x, with_y),
            (parameters.cohesion_weight, near, to_x / max(near, 1) - x, to_y / max(near, 1) - y),
        )
        force_x = force_y = 0.0
        for weight, number, target_x, target_y in targets:
            if number or always:
                u, v = steering(target_x, target_y, velocity, parameters)
                force_x, force_y = force_x + weight * u, force_y + weight * v
        if parameters.limit == "sum":
            force_x, force_y = limited(force_x, force_y, parameters.maximum_acceleration)
        u, v = limited(velocity[0] + force_x, velocity[1] + force_y, parameters.maximum_speed)
        speed = math.hypot(u, v)
        if speed < parameters.minimum_speed:
            u, v = u / speed * parameters.minimum_speed, v / speed * parameters.minimum_speed
        velocities[own] = [u, v]
        places[own] = [(x + u + parameters.width) % parameters.width, (y + v + parameters.height) % parameters.height]
    return State(np.array(places), np.array(velocities))
