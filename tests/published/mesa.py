"""Mesa's Boid Flockers: three sums over the neighbors, all divided by the number of all of them, then normalized.

Boids act in a new random order; each sees earlier ones turned and moved. Separation is a sum of offsets over the
close neighbors only, but divided by the number of all neighbors. Alignment adds the neighbors' directions, not
differences.

Traps: start directions are uniform in a square and keep their length until a boid first meets a neighbor, so the mean
speed at the start is 0.765; a boid without neighbors is not normalized; a mean over the close ones is another model.
"""

import math
from dataclasses import dataclass

import numpy as np

SOURCE = "mesa/mesa, mesa/examples/basic/boid_flockers and mesa/experimental/continuous_space, commit f8c8e1fe"


@dataclass(frozen=True)
class Parameters:
    """The model's scenario; `order` shuffled, index or together."""

    count: int = 100
    width: float = 100.0
    height: float = 100.0
    speed: float = 1.0
    vision: float = 10.0
    separation: float = 2.0
    cohere: float = 0.03
    separate: float = 0.015
    match: float = 0.05
    order: str = "shuffled"

    @property
    def view(self):
        """Distance within which boids see each other."""
        return self.vision

    @property
    def torus(self):
        """Sides of the periodic world."""
        return (self.width, self.height)


@dataclass(frozen=True)
class State:
    """Positions (N, 2) in [0, size], directions (N, 2), units only after a boid has met another one."""

    positions: np.ndarray
    directions: np.ndarray
    speed: float = 1.0

    @property
    def velocities(self):
        """Displacements (N, 2) of a step in these directions."""
        return self.directions * self.speed


def start(random, parameters, count=None):
    """Uniform positions; directions uniform in the square [-1, 1]², not normalized."""
    count = parameters.count if count is None else count
    positions = random.random((count, 2)) * parameters.torus
    return State(positions, random.uniform(-1, 1, (count, 2)), parameters.speed)


def draws(random, state, parameters):
    """The random input of a step: its order."""
    return {"order": random.permutation(len(state.positions)) if parameters.order == "shuffled" else None}


def nearest_image(offset, size):
    """The shorter of two ways round."""
    around = offset - math.copysign(size, offset)
    return offset if abs(offset) < abs(around) else around


def step(state, parameters, order=None):
    """One step in the given order (by index without one)."""
    width, height = parameters.torus
    vision = parameters.vision
    places, directions = state.positions.tolist(), state.directions.tolist()
    together = parameters.order == "together"
    seen_places, seen_directions = (list(places), list(directions)) if together else (places, directions)
    for own in range(len(places)) if order is None else order:
        x, y = places[own]
        number = 0
        cohere_x = cohere_y = separate_x = separate_y = match_x = match_y = 0.0
        for other, (u, v) in enumerate(seen_places):
            dx = nearest_image(u - x, width)
            if other == own or abs(dx) > vision:
                continue
            dy = nearest_image(v - y, height)
            distance = math.hypot(dx, dy)
            if distance > vision:
                continue
            number += 1
            cohere_x, cohere_y = cohere_x + dx, cohere_y + dy
            match_x, match_y = match_x + seen_directions[other][0], match_y + seen_directions[other][1]
            if distance < parameters.separation:
                separate_x, separate_y = separate_x - dx, separate_y - dy
        if number:
            cohere, separate, match = parameters.cohere, parameters.separate, parameters.match
            u = directions[own][0] + (cohere_x * cohere + separate_x * separate + match_x * match) / number
            v = directions[own][1] + (cohere_y * cohere + separate_y * separate + match_y * match) / number
            length = math.hypot(u, v)
            directions[own] = [u / length, v / length]
        x, y = x + directions[own][0] * parameters.speed, y + directions[own][1] * parameters.speed
        inside = 0 <= x <= width and 0 <= y <= height
        places[own] = [x, y] if inside else [x % width, y % height]
    return State(np.array(places), np.array(directions), parameters.speed)
