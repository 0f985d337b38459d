"""Agents.jl's flocking: Mesa's three sums with other numbers, over an exact radius.

Birds act in a new random order; each sees earlier ones turned and moved. All three sums are divided by the number of
neighbors, at least by one, and the velocity is then normalized, that of a lone bird too. Alignment adds the
neighbors' velocities, not differences.

Traps: the program's search takes whole cells without a test of distance, while its comparison's declaration, as this
loop, takes those at most the visual distance away; velocities of the start are uniform in a square and count
unnormalized in others' alignment until their bird's first turn.
"""

import math
from dataclasses import dataclass

import numpy as np

SOURCE = (
    "JuliaDynamics/Agents.jl, examples/flock.jl, version 6; "
    "JuliaDynamics/ABMFrameworksComparison, Flocking/DECLARATION.md, commit 553c3944"
)


@dataclass(frozen=True)
class Parameters:
    """Those of the documentation; `order` shuffled, index or together."""

    count: int = 100
    extent: float = 100.0
    speed: float = 1.0
    cohere_factor: float = 0.1
    separation: float = 2.0
    separate_factor: float = 0.25
    match_factor: float = 0.04
    visual_distance: float = 5.0
    order: str = "shuffled"

    @property
    def view(self):
        """Distance within which birds see each other."""
        return self.visual_distance

    @property
    def torus(self):
        """Sides of the periodic world."""
        return (self.extent, self.extent)


SMALL = Parameters(200, 100.0, 1.0, 0.03, 1.0, 0.015, 0.05, 5.0)
"""Those of the comparison of frameworks, and below those of its large case."""
LARGE = Parameters(400, 150.0, 1.0, 0.03, 1.0, 0.015, 0.05, 15.0)


@dataclass(frozen=True)
class State:
    """Positions (N, 2) in [0, extent), directions (N, 2), units after a bird's first turn."""

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
    positions = random.random((count, 2)) * parameters.extent
    return State(positions, random.uniform(-1, 1, (count, 2)), parameters.speed)


def draws(random, state, parameters):
    """The random input of a step: its order."""
    return {"order": random.permutation(len(state.positions)) if parameters.order == "shuffled" else None}


def direction(offset, extent):
    """The offset to the nearest image."""
    if offset > extent / 2:
        return offset - extent
    return offset + extent if offset < -extent / 2 else offset


def step(state, parameters, order=None):
    """One step in the given order (by index without one)."""
    extent, reach = parameters.extent, parameters.visual_distance
    cohere, separate, match = parameters.cohere_factor, parameters.separate_factor, parameters.match_factor
    places, directions = state.positions.tolist(), state.directions.tolist()
    together = parameters.order == "together"
    seen_places, seen_directions = (list(places), list(directions)) if together else (places, directions)
    for own in range(len(places)) if order is None else order:
        x, y = places[own]
        number = 0
        sum_x = sum_y = 0.0
        for other, (u, v) in enumerate(seen_places):
            dx = direction(u - x, extent)
            if other == own or abs(dx) > reach:
                continue
            dy = direction(v - y, extent)
            square = dx * dx + dy * dy
            if square > reach * reach:
                continue
            number += 1
            weight = cohere - separate if square < parameters.separation**2 else cohere
            sum_x += weight * dx + match * seen_directions[other][0]
            sum_y += weight * dy + match * seen_directions[other][1]
        u, v = directions[own][0] + sum_x / max(number, 1), directions[own][1] + sum_y / max(number, 1)
        length = math.hypot(u, v)
        u, v = u / length, v / length
        directions[own] = [u, v]
        places[own] = [(x + parameters.speed * u) % extent, (y + parameters.speed * v) % extent]
    return State(np.array(places), np.array(directions), parameters.speed)
