"""Cucker and Smale's flock of 2007: every velocity approaches all others, by weights that fall with the distance.

The weight of a pair is K / (σ² + r²)^β over all pairs, without 1/N; places and velocities of a step both come from
the old state (Euler). Nothing is random, nobody is repelled, and there is neither speed limit nor boundary.

Traps: places with the new velocity make another scheme; many texts divide by N, which needs another K; β is a power
of the squared distance. The paper proves theorems and gives no numbers: all of them are chosen here.
"""

import math
from dataclasses import dataclass

import numpy as np

SOURCE = "F. Cucker and S. Smale, Emergent behavior in flocks, IEEE Transactions on Automatic Control 52 (2007) 852-862"


@dataclass(frozen=True)
class Parameters:
    """Chosen numbers; `scheme` euler (both from the old state) or semi-implicit (places with the new velocity)."""

    count: int = 20
    dimension: int = 3
    side: float = 10.0
    strength: float = 1.0
    sigma: float = 1.0
    beta: float = 0.3
    dt: float = 0.01
    scheme: str = "euler"

    @property
    def view(self):
        """Distance beyond which the weights fall; all see all."""
        return self.sigma

    torus = None
    """The world is open."""


@dataclass(frozen=True)
class State:
    """Positions and velocities (N, d)."""

    positions: np.ndarray
    velocities: np.ndarray


def start(random, parameters, count=None):
    """Places uniform in a cube, components of the velocity uniform in [-1, 1): our choice."""
    shape = (parameters.count if count is None else count, parameters.dimension)
    return State(random.uniform(0, parameters.side, shape), random.uniform(-1, 1, shape))


def draws(_random, _state, _parameters):
    """Nothing is random in a step."""
    return {}


def pulls(positions, velocities, parameters):
    """Accelerations (N, d): the sum over all others of weight times difference of velocities."""
    places, rates = positions.tolist(), velocities.tolist()
    found = []
    for place, rate in zip(places, rates, strict=True):
        pull = [0.0] * len(place)
        for other, other_rate in zip(places, rates, strict=True):
            square = sum((one - two) ** 2 for one, two in zip(place, other, strict=True))
            weight = parameters.strength / (parameters.sigma**2 + square) ** parameters.beta
            for axis, (one, two) in enumerate(zip(rate, other_rate, strict=True)):
                pull[axis] += weight * (two - one)
        found.append(pull)
    return np.array(found)


def spread(velocities):
    """Half the sum over all ordered pairs of squared differences, which the theorems call Λ (and Γ of places)."""
    rows = velocities.tolist()
    return sum(math.dist(one, two) ** 2 for one in rows for two in rows) / 2


def step(state, parameters):
    """One step of `dt`."""
    velocities = state.velocities + parameters.dt * pulls(state.positions, state.velocities, parameters)
    used = state.velocities if parameters.scheme == "euler" else velocities
    return State(state.positions + parameters.dt * used, velocities)
