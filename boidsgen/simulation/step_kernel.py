"""The kernel of the compiled step: what `steering`, `dynamics` and `boundaries` do with the sums over neighbors.

Every operation on floating-point numbers is the one that they do, in their order, and the compiler may not rearrange
any; hence equal bits. Boids are taken in blocks whose intermediate results stay in the first-level cache, and each
operation goes through a block at once, which the compiler turns into operations on several boids.

Arrays have one row per coordinate. What steers a group is a list of terms in the order in which they are added up:
  kinds    (k, 7) what the raw vector is, the vector that it is made of and a second one that is added to it or -1, the
           row of counts, whether the boid itself counts, the steering form, what it acts on; see the names below
  factors  (k, 2) weight, and longest steering of the term
  vectors  (v, d, n) sums over neighbors and finished contributions
  counts   (c, n) numbers of neighbors
"""

# numba finds the types of all functions below from the signature in `compiled_step`. It keeps machine code by the time
# of this file alone, so all parts of it stand here: a change in another file would go unnoticed.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-overload"

from typing import Any

import numpy as np
from numba import njit

SHORTEST = 1e-162
"""As `geometry.SHORTEST`; a test holds the two together."""

GIVEN, PUSH, MEAN_OFFSET, MEAN_VELOCITY = 0, 1, 2, 3
"""What a raw vector is: a finished contribution, minus a sum, or a mean."""

KIND, VECTOR, SECOND, COUNT, SELF, FORM, TARGET = range(7)
"""Columns of `kinds`."""

DIRECT, REYNOLDS = 0, 1
"""Steering forms."""

ON_VELOCITY, ON_POSITION = 0, 1
"""What a term acts on."""

INERTIA, MAX_ACCELERATION, MIN_SPEED, MAX_SPEED, EXPLICIT, STEP = range(6)
"""Columns of `limits`, as in `dynamics.Limits`."""

ELSEWHERE, ROUND, REFLECT, TELEPORT = 0, 1, 2, 3
"""Edges: none, or left to others; those that lead round; mirrors; those that put boids on the opposite one."""

BLOCK = 512
"""Boids in a block."""

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
"""Threads may run at the same time; division by zero gives what numpy gives."""

part = njit(**OPTIONS)
"""Marks a part of the compiled function; it is compiled and kept with the one that calls it."""

frugal = njit(**OPTIONS, _nrt=False)
"""Marks a part that neither makes arrays nor counts references to them."""


@frugal
def lengths_of(vector, count, length):
    """As `geometry.length`."""
    for i in range(count):
        length[i] = vector[0, i] * vector[0, i]
    for axis in range(1, len(vector)):
        for i in range(count):
            length[i] += vector[axis, i] * vector[axis, i]
    for i in range(count):
        length[i] = np.sqrt(length[i])


@frugal
def limit(vector, count, maximum, length):
    """As `geometry.limited`, in place."""
    if maximum == np.inf:
        return
    lengths_of(vector, count, length)
    least = max(maximum, SHORTEST)
    for i in range(count):
        length[i] = maximum / (max(length[i], least))
    for axis in range(len(vector)):
        for i in range(count):
            vector[axis, i] *= length[i]


@frugal
def steer(vector, velocity, first, count, max_speed, max_force, length, some):
    """As `dynamics.reynolds`, in place."""
    lengths_of(vector, count, length)
    for i in range(count):
        some[i] = 1.0 if length[i] > 0.0 else length[i]
        length[i] = max_speed / (max(length[i], SHORTEST))
    for axis in range(len(vector)):
        for i in range(count):
            vector[axis, i] = (vector[axis, i] * length[i] - velocity[axis, first + i]) * some[i]
    limit(vector, count, max_force, length)


@frugal
def raw(kinds, term, vectors, counts, velocity, first, count, vector):
    """The raw vector of a term: the `desired` or `direct` of its rule."""
    own, second, kind = kinds[term, VECTOR], kinds[term, SECOND], kinds[term, KIND]
    for axis in range(len(vector)):
        for i in range(count):
            vector[axis, i] = vectors[own, axis, first + i]
        if second >= 0:
            for i in range(count):
                vector[axis, i] += vectors[second, axis, first + i]
        if kind == PUSH:
            for i in range(count):
                vector[axis, i] = -vector[axis, i]
        elif kind != GIVEN:
            mean(kinds, term, counts, velocity, axis, first, count, vector)


@frugal
def mean(kinds, term, counts, velocity, axis, first, count, vector):
    """A sum over neighbors, divided by how many they are; as `flocking.MeanRule`."""
    about_velocity = kinds[term, KIND] == MEAN_VELOCITY
    near = kinds[term, COUNT]
    if kinds[term, SELF]:
        if about_velocity:
            for i in range(count):
                vector[axis, i] += velocity[axis, first + i] * (1.0 if counts[near, first + i] > 0 else 0.0)
        for i in range(count):
            vector[axis, i] /= counts[near, first + i] + 1.0
    else:
        for i in range(count):
            vector[axis, i] /= max(counts[near, first + i], 1.0)
    if about_velocity and kinds[term, FORM] == DIRECT:
        for i in range(count):
            vector[axis, i] -= velocity[axis, first + i] * (1.0 if counts[near, first + i] > 0 else 0.0)


@frugal
def add_up_terms(
    kinds, factors, vectors, counts, velocity, first, count, max_speed, target, total, vector, length, some
):  # fmt: skip
    """The sum of all terms that act on this, as `SteeredGroup.drive` and `drift`; whether there are any."""
    found = False
    for term in range(len(kinds)):
        if kinds[term, TARGET] == target:
            raw(kinds, term, vectors, counts, velocity, first, count, vector)
            if kinds[term, KIND] != GIVEN:
                weigh(kinds, factors, term, velocity, first, count, max_speed, vector, length, some)
            add(vector, count, found, total)
            found = True
    return found


@frugal
def weigh(kinds, factors, term, velocity, first, count, max_speed, vector, length, some):
    """Make a contribution of a raw vector, in place: its steering form, times its weight."""
    if kinds[term, FORM] == REYNOLDS:
        steer(vector, velocity, first, count, max_speed, factors[term, 1], length, some)
    else:
        limit(vector, count, factors[term, 1], length)
    for axis in range(len(vector)):
        for i in range(count):
            vector[axis, i] = factors[term, 0] * vector[axis, i]


@frugal
def add(vector, count, found, total):
    """Add a vector to those found before, or begin with it: zero plus minus zero would be zero."""
    for axis in range(len(vector)):
        if found:
            for i in range(count):
                total[axis, i] += vector[axis, i]
        else:
            for i in range(count):
                total[axis, i] = vector[axis, i]


@frugal
def accelerate(velocity, first, count, limits, drive, new, length):
    """The new velocities, as `dynamics.accelerated`."""
    limit(drive, count, limits[MAX_ACCELERATION], length)
    for axis in range(len(new)):
        for i in range(count):
            drive[axis, i] = limits[INERTIA] * velocity[axis, first + i] + drive[axis, i]
    lengths_of(drive, count, length)
    low, high = limits[MIN_SPEED], limits[MAX_SPEED]
    for i in range(count):
        wanted = max(length[i], low)
        wanted = min(wanted, high)
        length[i] = wanted / (max(length[i], SHORTEST))
    for axis in range(len(new)):
        for i in range(count):
            new[axis, first + i] = drive[axis, i] * length[i]


@frugal
def move(position, velocity, first, count, limits, drift, drifts, new_position, new_velocity):
    """The new positions, as `dynamics.move`, and the drift where there is any."""
    for axis in range(len(position)):
        if limits[EXPLICIT]:
            for i in range(first, first + count):
                new_position[axis, i] = position[axis, i] + limits[STEP] * velocity[axis, i]
        else:
            for i in range(first, first + count):
                new_position[axis, i] = position[axis, i] + limits[STEP] * new_velocity[axis, i]
        if drifts:
            for i in range(count):
                new_position[axis, first + i] += drift[axis, i]


@frugal
def wrap(position, axis, first, count, size):
    """As `boundaries.wrapped`, for one coordinate."""
    for i in range(first, first + count):
        here = position[axis, i]
        if here < 0.0 or here >= size:
            rest = here % size
            position[axis, i] = 0.0 if rest >= size else rest


@frugal
def reflect(position, velocity, axis, first, count, size, restitution):
    """As `boundaries.Reflect`, for one coordinate."""
    for i in range(first, first + count):
        here = position[axis, i]
        bounced = np.floor(here / size)
        if bounced == 0.0 and 0.0 < here < size:
            continue  # what is below would leave it as it is
        folded = here % (2 * size)
        back = 2 * size - folded
        position[axis, i] = min(folded, back)
        turned = -velocity[axis, i] if bounced % 2.0 == 1.0 else velocity[axis, i]
        velocity[axis, i] = turned * whole_power(restitution, int(abs(bounced)))


@frugal
def whole_power(base, exponent):
    """As `exact.whole_power`."""
    result, square = 1.0, base
    while exponent:
        if exponent & 1:
            result = result * square
        exponent >>= 1
        if exponent:
            square = square * square
    return result


@frugal
def teleport(position, axis, first, count, size):
    """As `boundaries.Teleport`, for one coordinate."""
    for i in range(first, first + count):
        if position[axis, i] < 0.0:
            position[axis, i] = size
        elif position[axis, i] > size:
            position[axis, i] = 0.0


@frugal
def confine(position, velocity, first, count, edges, size, restitution):
    """Positions and velocities after the edges have had their say, in place."""
    for axis in range(len(position)):
        if edges == ROUND:
            wrap(position, axis, first, count, size[axis])
        elif edges == REFLECT:
            reflect(position, velocity, axis, first, count, size[axis], restitution)
        elif edges == TELEPORT:
            teleport(position, axis, first, count, size[axis])


@frugal
def finite(position, velocity, first, count):
    """Whether all of a block are finite numbers."""
    beyond = 0
    for axis in range(len(position)):
        for i in range(first, first + count):
            beyond |= not (abs(position[axis, i]) < np.inf)  # also true of what is not a number
            beyond |= not (abs(velocity[axis, i]) < np.inf)
    return beyond == 0


@part
def advance(
    position, velocity, begin, end, kinds, factors, vectors, counts, limits, edges, size, restitution,
    new_position, new_velocity,
):  # fmt: skip
    """Move the boids from number `begin` to `end`; whether all of them are certain to be at finite places."""
    dimension = len(position)
    drive, drift = np.zeros((dimension, BLOCK)), np.zeros((dimension, BLOCK))
    vector = np.empty((dimension, BLOCK))
    length, some = np.empty(BLOCK), np.empty(BLOCK)
    certain = True
    for beginning in range(begin, end, BLOCK):
        # Without a sign: indices that might be negative are looked at twice, and one at a time.
        first, count = np.uint64(beginning), np.uint64(min(BLOCK, end - beginning))
        terms = kinds, factors, vectors, counts, velocity, first, count, limits[MAX_SPEED]
        if not add_up_terms(*terms, ON_VELOCITY, drive, vector, length, some):
            drive[:] = 0.0
        accelerate(velocity, first, count, limits, drive, new_velocity, length)
        drifts = add_up_terms(*terms, ON_POSITION, drift, vector, length, some)
        move(position, velocity, first, count, limits, drift, drifts, new_position, new_velocity)
        confine(new_position, new_velocity, first, count, edges, size, restitution)
        certain &= finite(new_position, new_velocity, first, count)
    return certain
