"""NetLogo Flocking (Wilensky 1998): turtles of one speed that turn by a few degrees a tick.

Turtles turn in a new random order, and see what earlier ones have turned to; then all move. A turtle whose nearest
mate is closer than the minimum separation turns away from that mate's heading, not from its position, and does
nothing else. Headings are degrees clockwise from north; an exactly opposite one counts as 180 degrees to the right.

Traps: turns are per tick, not per stride of 0.2; cohesion is toward the mean of unit vectors, not the centroid; the
slider of vision is 5 since version 6.1, and was 3 before.
"""

import math
from dataclasses import dataclass

import numpy as np

SOURCE = "NetLogo/models, Sample Models/Biology/Flocking.nlogox, commit 5e492535; primitives: NetLogo/NetLogo, dd5baf4a"
TINY = 3.2e-15  # NetLogo takes sines below as zero


@dataclass(frozen=True)
class Parameters:
    """Sliders of the model; lengths in patches, turns in degrees per tick, `order` shuffled, index or together."""

    count: int = 300
    world: float = 71.0
    vision: float = 5.0
    minimum_separation: float = 1.0
    align_turn: float = 5.0
    cohere_turn: float = 3.0
    separate_turn: float = 1.5
    stride: float = 0.2
    strides: int = 5
    order: str = "shuffled"

    @property
    def view(self):
        """Distance within which turtles see each other."""
        return self.vision

    @property
    def torus(self):
        """Sides of the periodic world."""
        return (self.world, self.world)


@dataclass(frozen=True)
class State:
    """Positions (N, 2) in [-world/2, world/2), headings (N,) in degrees clockwise from north."""

    positions: np.ndarray
    headings: np.ndarray

    @property
    def velocities(self):
        """Unit vectors (N, 2) of the headings: one patch per tick."""
        return np.stack([np.sin(np.radians(self.headings)), np.cos(np.radians(self.headings))], axis=-1)


def start(random, parameters, count=None):
    """Uniform positions, and headings of whole degrees."""
    count = parameters.count if count is None else count
    half = parameters.world / 2
    return State(random.uniform(-half, half, (count, 2)), random.integers(0, 360, count).astype(float))


def draws(random, state, parameters):
    """The random inputs of a step: an order, and ranks that decide between nearest mates of one distance."""
    count = len(state.positions)
    order = random.permutation(count) if parameters.order == "shuffled" else None
    return {"order": order, "ties": random.permutation(count)}


def wrapped(value, world):
    """The coordinate inside of the world, or the shorter of two ways round."""
    if value >= world / 2:
        return value - world
    return value + world if value < -world / 2 else value


def sine(degrees):
    """Sine of an angle, an exact zero where it is one."""
    value = math.sin(math.radians(degrees))
    return 0.0 if abs(value) < TINY else value


def subtract(heading, other):
    """Degrees from the other heading to the heading, in (-180, 180]."""
    return 180 - (180 - heading + other) % 360


def turned(heading, turn, most):
    """The heading after a turn to the right of at most so many degrees."""
    return (heading + max(-most, min(most, turn))) % 360


def toward(x, y, own):
    """Heading of a vector, the own one of an exact zero."""
    return own if x == 0 and y == 0 else math.degrees(math.atan2(x, y)) % 360


def step(state, parameters, order=None, ties=None):
    """One tick; turtles turn in the given order (by index without one), then all move."""
    world, vision = parameters.world, parameters.vision
    places, headings = state.positions.tolist(), state.headings.tolist()
    seen = list(headings) if parameters.order == "together" else headings
    for own in range(len(places)) if order is None else order:
        (x, y), heading = places[own], headings[own]
        mates = []
        for other, (u, v) in enumerate(places):
            dx = wrapped(u - x, world)
            if -vision <= dx <= vision and other != own:
                dy = wrapped(v - y, world)
                distance = math.hypot(dx, dy)
                if distance <= vision:
                    mates.append((distance, other if ties is None else ties[other], other, dx, dy))
        if not mates:
            continue
        distance, _, nearest, _, _ = min(mates)
        if distance < parameters.minimum_separation:
            headings[own] = turned(heading, subtract(heading, seen[nearest]), parameters.separate_turn)
            continue
        goal = toward(*(sum(sine(seen[mate[2]] + quarter) for mate in mates) for quarter in (0, 90)), heading)
        heading = turned(heading, subtract(goal, heading), parameters.align_turn)
        goal = toward(sum(mate[3] / mate[0] for mate in mates), sum(mate[4] / mate[0] for mate in mates), heading)
        headings[own] = turned(heading, subtract(goal, heading), parameters.cohere_turn)
    for _ in range(parameters.strides):
        for own, (x, y) in enumerate(places):
            dx, dy = sine(headings[own]), sine(headings[own] + 90)
            places[own] = [wrapped(x + parameters.stride * dx, world), wrapped(y + parameters.stride * dy, world)]
    return State(np.array(places), np.array(headings))
