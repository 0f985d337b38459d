"""Turns: what compiled code is told about boids of one flock that move one after the other.

`sequential` says what a turn is and makes a `Plan` of it; an engine that has `turns` carries it out:
  turns(plan, first, last)   the turns of the boids from number `first` up to before `last`, in place
Arrays have one row per coordinate. Everything is an ordinary number or array, so that machine code can take it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.simulation.dynamics import Limits
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors.request import Request

GIVEN, AWAY, TO_CENTER, TO_HEADING, TO_VELOCITY = range(5)
"""What an influence adds: what is given; minus the sum over neighbors and what is given of others; the mean over
neighbors, of offsets or of velocities; the mean velocity minus one's own."""

OPEN_EDGES, WRAPPED_EDGES, TELEPORT_EDGES = range(3)
"""What the edges do with positions: nothing, modulo the size, or what `boundaries.Teleport` does."""


class Influence(NamedTuple):
    """One thing that steers or moves boids.

    Attributes:
        kind: what it adds.
        drifts: whether it moves the position instead of changing the velocity.
        request: which neighbors it is about; None where nothing but what is given counts.
        include_self: whether the boid itself is in the mean.
        desired_speed: speed of the reynolds form; nan in the direct form.
        max_force: longest vector before the weight; inf = no bound.
        weight: factor on it.
        given: (n, d) the vector itself, or the sum over others that is added to that over neighbors.
    """

    kind: int
    drifts: bool
    request: Request | None
    include_self: bool
    desired_speed: float
    max_force: float
    weight: float
    given: Array


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A step of one flock.

    Attributes:
        position: (d, n) where they are, changed turn by turn.
        velocity: (d, n) how they fly, changed turn by turn.
        drive: (d, n) the sum of what steers each boid, written turn by turn.
        influences: in the order in which they are added up.
        limits: what a drive can do.
        periods: (d,) after what distance each axis repeats, 0 where it does not.
        size: (d,) of the world.
        edges: one of the edges above.
    """

    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    drive: NDArray[np.float64]
    influences: tuple[Influence, ...]
    limits: Limits
    periods: Array
    size: Array
    edges: int
