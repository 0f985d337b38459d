"""D'Orsogna and others' self-propelled particles of 2006: cruising speed and a Morse force between all pairs.

The acceleration is (alpha - beta |v|²) v minus the gradient of the plain sum over all others of Cr exp(-r/lr) - Ca
exp(-r/la), in an open plane, without noise. Integration is Runge-Kutta of order 4 or semi-implicit Euler: velocities
first, places with the new ones.

Traps: later papers divide the sum by N, and patterns depend on it; forces have a factor 1/l each; the force is finite
but has no direction at r = 0 (none here); schemes part within t = 1, since places are chaotic. Start, N and dt are
chosen.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

SOURCE = "M. R. D'Orsogna, Y. L. Chuang, A. L. Bertozzi and L. S. Chayes, Physical Review Letters 96 (2006) 104302"


@dataclass(frozen=True)
class Parameters:
    """A mill; `scale` sum or N (a mean), `scheme` rk4 or semi-implicit."""

    count: int = 100
    alpha: float = 1.6
    beta: float = 0.5
    attraction: float = 0.5
    repulsion: float = 1.0
    attraction_length: float = 2.0
    repulsion_length: float = 0.5
    dt: float = 0.02
    half_side: float = 2.0
    start_speed: float = 1.0
    scale: str = "sum"
    scheme: str = "rk4"

    @property
    def view(self):
        """Length of the attraction; all feel all."""
        return self.attraction_length

    torus = None
    """The plane is open."""


MILL = Parameters()
"""A ring that rotates; below, that of a later paper, a flock whose spacing is fixed, and a swarm that collapses."""
MILL_LARGE = replace(MILL, alpha=1.0, attraction_length=3.0)
STABLE = replace(MILL, repulsion_length=1.5)
SWARM = replace(MILL, alpha=1.5, attraction=1.0, repulsion=0.1, attraction_length=1.0)


@dataclass(frozen=True)
class State:
    """Positions and velocities (N, 2)."""

    positions: np.ndarray
    velocities: np.ndarray


def start(random, parameters, count=None):
    """Places uniform in a square around the origin, components of the velocity uniform, too."""
    shape = (parameters.count if count is None else count, 2)
    half, most = parameters.half_side, parameters.start_speed
    return State(random.uniform(-half, half, shape), random.uniform(-most, most, shape))


def draws(_random, _state, _parameters):
    """Nothing is random in a step."""
    return {}


def potential(positions, parameters):
    """Sum over all pairs of the Morse potential."""
    places, total = positions.tolist(), 0.0
    for own, place in enumerate(places):
        for other in places[:own]:
            distance = math.dist(place, other)
            total += parameters.repulsion * math.exp(-distance / parameters.repulsion_length)
            total -= parameters.attraction * math.exp(-distance / parameters.attraction_length)
    return total / len(places) if parameters.scale == "N" else total


def forces(positions, parameters):
    """Minus the gradient (N, 2) of that sum."""
    places = positions.tolist()
    found = [[0.0, 0.0] for _ in places]
    pull, push = parameters.attraction_length, parameters.repulsion_length
    for own, (x, y) in enumerate(places):
        for other, (u, v) in enumerate(places[:own]):
            distance = math.hypot(x - u, y - v)
            if distance == 0:
                continue
            slope = parameters.attraction / pull * math.exp(-distance / pull)
            slope -= parameters.repulsion / push * math.exp(-distance / push)
            force_x, force_y = -slope * (x - u) / distance, -slope * (y - v) / distance
            found[own][0], found[own][1] = found[own][0] + force_x, found[own][1] + force_y
            found[other][0], found[other][1] = found[other][0] - force_x, found[other][1] - force_y
    return np.array(found) / (len(places) if parameters.scale == "N" else 1)


def acceleration(positions, velocities, parameters):
    """Propulsion, drag and forces (N, 2)."""
    drive = parameters.alpha - parameters.beta * (velocities**2).sum(axis=1, keepdims=True)
    return drive * velocities + forces(positions, parameters)


def step(state, parameters):
    """One step of `dt`."""
    dt, x, v = parameters.dt, state.positions, state.velocities
    if parameters.scheme == "semi-implicit":
        v = v + dt * acceleration(x, v, parameters)
        return State(x + dt * v, v)
    v1, a1 = v, acceleration(x, v, parameters)
    v2, a2 = v + dt / 2 * a1, acceleration(x + dt / 2 * v1, v + dt / 2 * a1, parameters)
    v3, a3 = v + dt / 2 * a2, acceleration(x + dt / 2 * v2, v + dt / 2 * a2, parameters)
    v4, a4 = v + dt * a3, acceleration(x + dt * v3, v + dt * a3, parameters)
    return State(x + dt / 6 * (v1 + 2 * v2 + 2 * v3 + v4), v + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4))
