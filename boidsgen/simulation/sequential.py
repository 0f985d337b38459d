"""Asynchronous update: the boids of a flock move one after the other, as in loops that change each boid in place.

In the order of their numbers each looks at its own kind, steers, moves and meets the boundary; those after it see it
where it has come to. Only what a boid learns of its own kind depends on the order: other flocks and leaders are seen as
they were when the step began, so everything else that steers is computed for all at once.

Neighbors are added up in the order of their numbers. Everybody looks at everybody, so a step costs the square of their
number. `take_turns` is the numpy definition; another engine must give the same bits.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from boidsgen.simulation.dynamics import Limits, move
from boidsgen.simulation.geometry import Array, dot, magnitude
from boidsgen.simulation.neighbors.request import COINCIDENT, Request, Sum
from boidsgen.simulation.neighbors.sums import is_about_everyone
from boidsgen.simulation.neighbors.vectorized import DIVISORS, half_angle_cosine
from boidsgen.simulation.rules.rule import NeighborRule, View
from boidsgen.simulation.steering import SteeredGroup


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """A step of one flock.

    Attributes:
        group: its table.
        view: what its boids perceive as the step begins.
        limits: what a drive can do.
        pushes: what steers besides rules, (n, d) each, in the order in which they are added up.
        confine: positions and velocities, of one boid or of several, after solid obstacles and the boundary condition.
        position: (n, d), changed turn by turn.
        velocity: (n, d), changed turn by turn.
        drive: (n, d) the sum of what steers each boid, written turn by turn.
    """

    group: SteeredGroup
    view: View
    limits: Limits
    pushes: Sequence[Array]
    confine: Callable[[Array, Array], tuple[Array, Array]]
    position: Array
    velocity: Array
    drive: Array


def take_turns(step: Turns) -> None:
    """Move one boid after the other, in place."""
    view, group, requests = step.view, step.group, step.group.own_requests
    steering, drifts = ([*group.awake(view, target)] for target in ("velocity", "position"))
    given = {
        name: group.contribution(name, view)
        for name in (*steering, *drifts)
        if not isinstance(group.rules[name], NeighborRule)
    }
    for boid in range(len(step.position)):
        one = slice(boid, boid + 1)
        here = replace(
            view,
            position=step.position[one],
            velocity=step.velocity[one],
            own=own_sums(step.position, step.velocity, boid, requests, view.world.periods),
            others={request: Sum(sums.count[one], sums.total[one]) for request, sums in view.others.items()},
        )

        def added(names: Sequence[str], pushes: Sequence[Array], here: View = here, one: slice = one) -> Array:
            vectors = [given[name][one] if name in given else group.contribution(name, here) for name in names]
            vectors += [push[one] for push in pushes]
            return sum(vectors[1:], vectors[0]) if vectors else np.zeros_like(here.velocity)

        step.drive[one] = added(steering, step.pushes)
        position, velocity = move(here.position, here.velocity, step.drive[one], step.limits)
        if drifts:
            position = position + added(drifts, ())
        step.position[one], step.velocity[one] = step.confine(position, velocity)


def own_sums(
    position: Array, velocity: Array, boid: int, requests: Sequence[Request], periods: Array
) -> dict[Request, Sum]:
    """The answers to the requests of one boid about its own kind, everybody where they are now."""
    offset = position - position[boid]
    if periods.any():
        period = np.where(periods > 0, periods, inf)
        offset -= np.where(periods > 0, period * np.rint(offset / period), 0.0)
    squared = dot(offset, offset)
    return {
        request: _sum(request, offset, velocity, squared, _neighbors(request, offset, velocity[boid], squared, boid))
        for request in requests
    }


def _neighbors(request: Request, offset: Array, flight: Array, squared: Array, boid: int) -> NDArray[np.intp]:
    """The numbers of those that a request is about."""
    near = (squared < request.radius * request.radius) & (squared >= COINCIDENT * COINCIDENT)
    near |= is_about_everyone(request)
    near[boid] = False
    speed = magnitude(flight)
    if request.field_of_view < 360 and speed > 0:
        near &= dot(offset, flight[None]) > speed * np.sqrt(squared) * half_angle_cosine(request.field_of_view)
    found = near.nonzero()[0]
    if request.nearest is None or len(found) <= request.nearest:
        return found
    return np.sort(found[squared[found].argsort(kind="stable")[: request.nearest]])


def _sum(request: Request, offset: Array, velocity: Array, squared: Array, found: NDArray[np.intp]) -> Sum:
    vectors = (velocity if request.quantity == "velocity" else offset)[found]
    if request.quantity in DIVISORS:
        vectors = vectors / DIVISORS[request.quantity](squared[found])[:, None]
    nowhere = np.zeros(len(found), dtype=np.intp)
    # Adds one after the other, which numpy's sum does not.
    total = [np.bincount(nowhere, along, minlength=1).astype(np.float64) for along in vectors.T]
    return Sum(np.array([float(len(found))]), np.column_stack(total))
