"""MASON's Flockers: five vectors whose sum is scaled to a jump of 0.7, and one flocker in ten that never moves.

Flockers act in a new random order; each sees earlier ones turned and moved. The neighborhood includes the flocker
itself and the dead ones: the means of cohesion and consistency are over the living with itself, that of avoidance
over all others, dead ones too. Momentum and consistency have the length of a jump, and all flockers start without a
last one.

Traps: cohesion is divided by 10 again; avoidance is 400 times a mean of d / (d⁴ + 1); noise is uniform in a square,
then scaled to 0.05. Neighbors are exact here, as the model means them; the program misses some near the edges of its
cells.
"""

import math
from dataclasses import dataclass

import numpy as np

SOURCE = "eclab/mason, mason/src/main/java/sim/app/flockers/{Flocker,Flockers}.java, commit 43c501ca"


@dataclass(frozen=True)
class Parameters:
    """Properties of the model, and the numbers within its rules; `order` shuffled, index or together."""

    count: int = 200
    width: float = 150.0
    height: float = 150.0
    neighborhood: float = 10.0
    jump: float = 0.7
    cohesion: float = 1.0
    avoidance: float = 1.0
    randomness: float = 1.0
    consistency: float = 1.0
    momentum: float = 1.0
    dead_probability: float = 0.1
    cohesion_divisor: float = 10.0
    avoidance_factor: float = 400.0
    noise_length: float = 0.05
    order: str = "shuffled"

    @property
    def view(self):
        """Distance within which flockers see each other."""
        return self.neighborhood

    @property
    def torus(self):
        """Sides of the periodic world."""
        return (self.width, self.height)


@dataclass(frozen=True)
class State:
    """Positions (N, 2) in [0, size), last displacements (N, 2), and whether dead (N,)."""

    positions: np.ndarray
    velocities: np.ndarray
    dead: np.ndarray


def start(random, parameters, count=None):
    """Uniform positions, no displacements, and a tenth that is dead by chance."""
    count = parameters.count if count is None else count
    positions = random.random((count, 2)) * parameters.torus
    return State(positions, np.zeros((count, 2)), random.random(count) < parameters.dead_probability)


def draws(random, state, parameters):
    """The random inputs of a step: its order, and a vector (N, 2) of the square [-1, 1)² for each flocker by index."""
    count = len(state.positions)
    order = random.permutation(count) if parameters.order == "shuffled" else None
    return {"order": order, "noise": random.uniform(-1, 1, (count, 2))}


def difference(one, other, size):
    """The shortest difference of two coordinates of a periodic world."""
    offset = one - other
    return offset - math.copysign(size, offset) if abs(offset) > size / 2 else offset


def step(state, parameters, order=None, noise=None):
    """One step in the given order (by index without one), without randomness where no noise is given."""
    width, height, reach = parameters.width, parameters.height, parameters.neighborhood
    places, moves = state.positions.tolist(), state.velocities.tolist()
    together = parameters.order == "together"
    seen_places, seen_moves = (list(places), list(moves)) if together else (places, moves)
    for own in range(len(places)) if order is None else order:
        if state.dead[own]:
            continue
        x, y = places[own]
        living = others = 0
        near_x = near_y = away_x = away_y = with_x = with_y = 0.0
        for other, (u, v) in enumerate(seen_places):
            dx, dy = difference(x, u, width), difference(y, v, height)
            square = dx * dx + dy * dy
            if square > reach * reach:
                continue
            if not state.dead[other]:
                living += 1
                near_x, near_y = near_x + dx, near_y + dy
                with_x, with_y = with_x + seen_moves[other][0], with_y + seen_moves[other][1]
            if other != own:
                others += 1
                away_x, away_y = away_x + dx / (square * square + 1), away_y + dy / (square * square + 1)
        cohesion = -parameters.cohesion / living / parameters.cohesion_divisor
        avoidance = parameters.avoidance * parameters.avoidance_factor / max(others, 1)
        consistency, momentum = parameters.consistency / living, parameters.momentum
        u = cohesion * near_x + avoidance * away_x + consistency * with_x + momentum * moves[own][0]
        v = cohesion * near_y + avoidance * away_y + consistency * with_y + momentum * moves[own][1]
        if noise is not None:
            randomness = parameters.randomness * parameters.noise_length / math.hypot(*noise[own])
            u, v = u + randomness * noise[own][0], v + randomness * noise[own][1]
        length = math.hypot(u, v)
        if length > 0:
            u, v = u / length * parameters.jump, v / length * parameters.jump
        moves[own], places[own] = [u, v], [(x + u) % width, (y + v) % height]
    return State(np.array(places), np.array(moves), state.dead)
