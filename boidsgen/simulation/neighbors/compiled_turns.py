"""The turns of boids that move one after the other, compiled by numba: the loop that the documents have.

Every operation on floating-point numbers is the one that `sequential.take_turns` and the functions it calls do, in
their order, and the compiler may not rearrange any; hence equal bits. What an influence is stands in a row of
  chosen   (k, 6) kind, whether it drifts, whether everyone counts, how many of the nearest (0 = all), quantity, and
           whether the boid itself is in the mean
  numbers  (k, 5) square of the radius, cosine of half the field of view, desired speed or nan, largest force, weight
"""

# numba keeps machine code by the time of this file alone, so all parts of it stand here.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-overload"

from functools import cache
from typing import Any

import numpy as np
from numba import njit, types

from boidsgen.simulation.geometry import SHORTEST
from boidsgen.simulation.neighbors.request import COINCIDENT, Quantity
from boidsgen.simulation.neighbors.turns import (
    AWAY,
    GIVEN,
    TELEPORT_EDGES,
    TO_HEADING,
    TO_VELOCITY,
    WRAPPED_EDGES,
    Influence,
    Plan,
)
from boidsgen.simulation.neighbors.unbounded import is_about_everyone
from boidsgen.simulation.neighbors.unusable import usable
from boidsgen.simulation.neighbors.vectorized import half_angle_cosine

QUANTITIES: tuple[Quantity, ...] = ("offset", "linear", "velocity", "constant", "inverse", "inverse_square")
"""Quantities by their numbers."""
VELOCITY, CONSTANT, INVERSE = 2, 3, 4
ALL_ROUND = -2.0
"""In place of a cosine: no bound on the field of view."""
MIN_SQUARED = COINCIDENT * COINCIDENT

_rows = types.float64[:, ::1]
_given = types.Array(types.float64, 1, "C", readonly=True)
SIGNATURE = types.void(
    _rows, _rows, _rows, types.int64, types.int64, types.int64[:, ::1], _rows, types.float64[:, :, ::1],
    types.float64[::1], _given, _given, types.int64,
)  # fmt: skip

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
part = njit(**OPTIONS, _nrt=False)
"""Marks a part of the compiled function; it is compiled and kept with it."""


def take_turns(plan: Plan, first: int, last: int) -> None:
    """Move the boids from number `first` up to before `last`, one after the other."""
    rows = [_row(influence) for influence in plan.influences]
    chosen = np.array([whole for whole, _ in rows], dtype=np.int64).reshape(-1, 6)
    numbers = np.array([real for _, real in rows], dtype=np.float64).reshape(-1, 5)
    given = np.array([influence.given.T for influence in plan.influences], order="C")
    given = given.reshape(len(rows), *plan.position.shape)
    limits = np.array([float(limit) for limit in plan.limits])
    crowd = plan.position, plan.velocity, plan.drive
    _machine_code()(*crowd, first, last, chosen, numbers, given, limits, plan.periods, plan.size, plan.edges)


def _row(influence: Influence) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """One influence in whole numbers and in others."""
    form = influence.desired_speed, influence.max_force, influence.weight
    head = influence.kind, influence.drifts
    request = influence.request
    if request is None:
        return (*head, 0, 0, 0, 0), (0.0, ALL_ROUND, *form)
    view = request.field_of_view
    about = is_about_everyone(request), request.nearest or 0, QUANTITIES.index(request.quantity)
    cosine = half_angle_cosine(view) if view < 360 else ALL_ROUND
    return (*head, *about, influence.include_self), (request.radius * request.radius, cosine, *form)


@cache
def _machine_code() -> Any:  # noqa: ANN401  numba has no types for its own types
    """The loop, compiled when first wanted, and kept for the next process where there is a place to keep it.

    Raises:
        UnusableEngineError: when it can be neither loaded nor compiled.
    """
    with usable():
        try:
            return njit(SIGNATURE, cache=True, **OPTIONS)(turns)
        except RuntimeError:  # neither the package nor the user's cache directory can be written to
            return njit(SIGNATURE, **OPTIONS)(turns)


@part
def length_of(vector):
    """The length of a vector."""
    squared = vector[0] * vector[0]
    for axis in range(1, len(vector)):
        squared += vector[axis] * vector[axis]
    return np.sqrt(squared)


@part
def shorten(vector, maximum):
    """Bring a vector to at most this length; as `geometry.limited`."""
    if maximum == np.inf:
        return
    factor = maximum / max(length_of(vector), maximum, SHORTEST)
    for axis in range(len(vector)):
        vector[axis] *= factor


@part
def look_around(position, boid, periods, near):
    """Leave the offsets to everyone, and their squares in row 3; as `sequential.own_sums`."""
    dimension, boids = position.shape
    for other in range(boids):
        near[3, other] = 0.0
    for axis in range(dimension):
        period = periods[axis]
        for other in range(boids):
            along = position[axis, other] - position[axis, boid]
            if period > 0:
                along -= period * np.rint(along / period)
            near[axis, other] = along
            near[3, other] += along * along


@part
def keep_nearest(near, kept, most, choice, ranked):
    """Keep the `most` nearest, in their order; among equally near ones the first."""
    ranks = 0
    for i in range(kept):
        squared = near[3, choice[i]]
        if ranks == most and squared >= ranked[most - 1]:
            continue
        ranks = min(ranks + 1, most)
        slot = ranks - 1
        while slot > 0 and ranked[slot - 1] > squared:
            ranked[slot] = ranked[slot - 1]
            slot -= 1
        ranked[slot] = squared
    furthest = ranked[most - 1]
    places = 0
    for rank in range(most):
        places += ranked[rank] == furthest
    left = 0
    for i in range(kept):
        squared = near[3, choice[i]]
        if squared < furthest or (squared == furthest and places > 0):
            places -= squared == furthest
            choice[left] = choice[i]
            left += 1
    return left


@part
def choose(near, boid, velocity, everyone, most, max_squared, cosine, choice, ranked):
    """How many neighbors an influence is about; which ones is left in `choice`, in their order."""
    dimension, boids = velocity.shape
    squared = velocity[0, boid] * velocity[0, boid]
    for axis in range(1, dimension):
        squared += velocity[axis, boid] * velocity[axis, boid]
    speed = np.sqrt(squared)
    kept = 0
    for other in range(boids):
        squared = near[3, other]
        if other == boid or not (everyone or (MIN_SQUARED <= squared < max_squared)):
            continue
        if cosine != ALL_ROUND and speed > 0:
            ahead = near[0, other] * velocity[0, boid]
            for axis in range(1, dimension):
                ahead += near[axis, other] * velocity[axis, boid]
            if not ahead > speed * np.sqrt(squared) * cosine:
                continue
        choice[kept] = other
        kept += 1
    if 0 < most < kept:
        kept = keep_nearest(near, kept, most, choice, ranked)
    return kept


@part
def add_up(near, velocity, choice, kept, quantity, total):
    """The sum over the chosen neighbors, one after the other."""
    for axis in range(len(total)):
        added = 0.0
        for i in range(kept):
            other = choice[i]
            if quantity == VELOCITY:
                added += velocity[axis, other]
            elif quantity < VELOCITY:
                added += near[axis, other]
            elif quantity == CONSTANT:
                added += near[axis, other] / np.sqrt(near[3, other])
            elif quantity == INVERSE:
                added += near[axis, other] / near[3, other]
            else:
                added += near[axis, other] / (near[3, other] * np.sqrt(near[3, other]))
        total[axis] = added


@part
def wish(kind, include_self, kept, velocity, boid, given, which, vector):
    """Turn the sum over neighbors into the rule's vector; as the rules in `rules.flocking`."""
    members = kept + 1.0 if include_self else max(float(kept), 1.0)
    seen = 1.0 if kept > 0 else 0.0
    for axis in range(len(vector)):
        if kind == AWAY:
            vector[axis] = -(vector[axis] + given[which, axis, boid])
            continue
        if include_self and kind >= TO_HEADING:
            vector[axis] += velocity[axis, boid] * seen
        vector[axis] /= members
        if kind == TO_VELOCITY:
            vector[axis] -= velocity[axis, boid] * seen


@part
def steer(vector, velocity, boid, desired_speed, max_force):
    """Give a rule's vector its form; as `dynamics.reynolds`, or as it is where no speed is desired."""
    if not np.isnan(desired_speed):
        size = length_of(vector)
        factor = desired_speed / max(size, SHORTEST)
        for axis in range(len(vector)):
            vector[axis] = (vector[axis] * factor - velocity[axis, boid]) * np.sign(size)
    shorten(vector, max_force)


@part
def accelerate(velocity, boid, drive, limits, new):
    """The new velocity, its length within the speeds; as `dynamics.accelerated`."""
    for axis in range(len(new)):
        new[axis] = drive[axis, boid]
    shorten(new, limits[1])
    for axis in range(len(new)):
        new[axis] = limits[0] * velocity[axis, boid] + new[axis]
    speed = length_of(new)
    factor = min(max(speed, limits[2]), limits[3]) / max(speed, SHORTEST)
    for axis in range(len(new)):
        new[axis] *= factor


@part
def confined(coordinate, size, edges):
    """A coordinate after the edges have had their say; as `boundaries.wrapped` and `boundaries.Teleport`."""
    if edges == WRAPPED_EDGES and not 0.0 <= coordinate < size:
        remainder = coordinate % size
        return 0.0 if remainder >= size else remainder
    if edges == TELEPORT_EDGES:
        return size if coordinate < 0 else (0.0 if coordinate > size else coordinate)
    return coordinate


@part
def influence(which, boid, near, velocity, chosen, numbers, given, choice, ranked, vector):
    """Leave in `vector` what one influence does to one boid."""
    dimension, kind = len(vector), chosen[which, 0]
    if kind == GIVEN:
        for axis in range(dimension):
            vector[axis] = given[which, axis, boid]
        return
    everyone, most, quantity = chosen[which, 2] != 0, chosen[which, 3], chosen[which, 4]
    kept = choose(near, boid, velocity, everyone, most, numbers[which, 0], numbers[which, 1], choice, ranked)
    add_up(near, velocity, choice, kept, quantity, vector)
    wish(kind, chosen[which, 5] != 0, kept, velocity, boid, given, which, vector)
    steer(vector, velocity, boid, numbers[which, 2], numbers[which, 3])
    for axis in range(dimension):
        vector[axis] *= numbers[which, 4]


def turns(position, velocity, drive, first, last, chosen, numbers, given, limits, periods, size, edges):
    """Move one boid after the other, in place."""
    dimension, boids = position.shape
    near = np.zeros((4, boids))
    choice = np.empty(boids, np.int64)
    ranked = np.empty(boids)
    vector, new, drift = np.zeros(dimension), np.zeros(dimension), np.zeros(dimension)
    for boid in range(first, last):
        look_around(position, boid, periods, near)
        steered, drifted = False, False
        for which in range(len(chosen)):
            influence(which, boid, near, velocity, chosen, numbers, given, choice, ranked, vector)
            drifts = chosen[which, 1] != 0
            for axis in range(dimension):
                if drifts:
                    drift[axis] = drift[axis] + vector[axis] if drifted else vector[axis]
                else:
                    drive[axis, boid] = drive[axis, boid] + vector[axis] if steered else vector[axis]
            steered, drifted = steered or not drifts, drifted or drifts
        accelerate(velocity, boid, drive, limits, new)
        for axis in range(dimension):
            moving = velocity[axis, boid] if limits[4] != 0 else new[axis]
            place = position[axis, boid] + limits[5] * moving
            if drifted:
                place = place + drift[axis]
            position[axis, boid] = confined(place, size[axis], edges)
            velocity[axis, boid] = new[axis]
