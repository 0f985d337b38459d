"""The compiled engine's steps: what `steering`, `motion` and `world` do with the sums over neighbors.

Every operation on floating-point numbers is the one that they do, in their order; hence equal bits. The entry points
are `advance`, which moves a block of boids at once, and `take_turns` for asynchronous updates. A block's intermediate
results stay in the cache, and loops are so plain that the compiler handles several boids at once.

Arrays have one row per coordinate. What steers a group is a list of terms in the order in which they are added up:
  kinds    (k, 7) columns KIND to TARGET
  factors  (k, 3) weight, maximum length of the term before it, and speed of desired velocities
  vectors  (v, d, n) sums over neighbors and finished contributions
  counts   (c, n) numbers of neighbors
"""

# numba finds the types of everything here by itself.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-overload"

import numpy as np

from boidsgen.exact import MAX_POWER
from boidsgen.simulation.geometry import SHORTEST
from boidsgen.simulation.sum_kernel import answer, look, part

GIVEN, PUSH, MEAN_OFFSET, MEAN_VELOCITY = 0, 1, 2, 3
"""Kinds of a raw vector: a finished contribution, minus a sum, or a mean."""
KIND, VECTOR, SECOND, COUNT, SELF, FORM, TARGET = range(7)  # Columns of `kinds`; -1 for no second vector
DIRECT, REYNOLDS = 0, 1
ON_VELOCITY, ON_POSITION = 0, 1
INERTIA, MAX_ACCELERATION, MIN_SPEED, MAX_SPEED, EXPLICIT, STEP = range(6)
"""Elements of `limits`, as in `motion.MotionLimits`."""
ELSEWHERE, ROUND, REFLECT, TELEPORT, TELEPORT_BEFORE = 0, 1, 2, 3, 4
"""Boundaries: none here; torus and wrap; reflect; teleport, and the same before each turn."""
BLOCK = 1024  # Boids that take a step together


@part
def lengths_of(vector, count, length):
    """As `geometry.length`."""
    for i in range(count):
        length[i] = vector[0, i] * vector[0, i]
    for axis in range(1, len(vector)):
        for i in range(count):
            length[i] += vector[axis, i] * vector[axis, i]
    for i in range(count):
        length[i] = np.sqrt(length[i])


@part
def limit(vector, count, maximum, length):
    """As `geometry.limited`, in place."""
    if maximum == np.inf:
        return
    lengths_of(vector, count, length)
    least = max(maximum, SHORTEST)
    for i in range(count):
        length[i] = maximum / max(length[i], least)
    for axis in range(len(vector)):
        for i in range(count):
            vector[axis, i] *= length[i]


@part
def raw(kinds, term, vectors, counts, velocity, first, count, vector):
    """The raw vector of a term; as `rule.evaluate`."""
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


@part
def mean(kinds, term, counts, velocity, axis, first, count, vector):
    """A sum over neighbors, divided by how many they are."""
    about_velocity, near = kinds[term, KIND] == MEAN_VELOCITY, kinds[term, COUNT]
    if about_velocity and kinds[term, SELF]:
        for i in range(count):
            vector[axis, i] += velocity[axis, first + i] * (1.0 if counts[near, first + i] > 0 else 0.0)
    for i in range(count):
        neighbors = counts[near, first + i]
        vector[axis, i] /= neighbors + 1.0 if kinds[term, SELF] else max(neighbors, 1.0)
    if about_velocity and kinds[term, FORM] == DIRECT:
        for i in range(count):
            vector[axis, i] -= velocity[axis, first + i] * (1.0 if counts[near, first + i] > 0 else 0.0)


@part
def steer(kinds, factors, term, velocity, first, count, vector, length, some):
    """Give a raw vector its steering form and weight, in place; as `SteeredGroup.contributions`."""
    if kinds[term, FORM] == REYNOLDS:
        lengths_of(vector, count, length)
        for i in range(count):
            some[i] = 1.0 if length[i] > 0.0 else length[i]
            length[i] = factors[term, 2] / max(length[i], SHORTEST)
        for axis in range(len(vector)):
            for i in range(count):
                vector[axis, i] = (vector[axis, i] * length[i] - velocity[axis, first + i]) * some[i]
    limit(vector, count, factors[term, 1], length)
    for axis in range(len(vector)):
        for i in range(count):
            vector[axis, i] *= factors[term, 0]


@part
def add_terms(terms, velocity, first, count, drive, drift, memory):
    """Add up all terms, those that steer and those that move; whether there are any of either."""
    kinds, factors, vectors, counts = terms
    vector, length, some = memory
    steers = drifts = False
    for term in range(len(kinds)):
        raw(kinds, term, vectors, counts, velocity, first, count, vector)
        if kinds[term, KIND] != GIVEN:
            steer(kinds, factors, term, velocity, first, count, vector, length, some)
        moves = kinds[term, TARGET] == ON_POSITION
        total, found = (drift, drifts) if moves else (drive, steers)
        drifts, steers = drifts or moves, steers or not moves
        for axis in range(len(vector)):
            for i in range(count):
                # It begins with the first: zero plus minus zero would be zero.
                total[axis, i] = total[axis, i] + vector[axis, i] if found else vector[axis, i]
    return steers, drifts


@part
def confine(position, velocity, axis, first, count, boundary, size, restitution):
    """One coordinate after applying the boundary condition, in place; as the class of that name in `boundaries`."""
    for i in range(first, first + count):
        here = position[axis, i]
        if boundary == ROUND and not 0.0 <= here < size:
            rest = here % size
            position[axis, i] = 0.0 if rest >= size else rest
        elif boundary == TELEPORT:
            position[axis, i] = size if here < 0.0 else (0.0 if here > size else here)
        elif boundary == REFLECT:
            bounced = np.floor(here / size)
            if bounced == 0.0 and 0.0 < here < size:
                continue  # what is below would leave it as it is
            folded = here % (2 * size)
            position[axis, i] = min(folded, 2 * size - folded)
            kept, square = 1.0, restitution  # as exact.whole_power
            exponent = int(abs(bounced)) if abs(bounced) < MAX_POWER else int(MAX_POWER)
            while exponent > 0:
                kept = kept * square if exponent & 1 else kept
                exponent >>= 1
                square = square * square if exponent else square
            velocity[axis, i] = (-velocity[axis, i] if bounced % 2.0 == 1.0 else velocity[axis, i]) * kept


def advance(
    position, velocity, first, count, kinds, factors, vectors, counts, limits, boundary, size, restitution, memory,
    new, new_velocity,
):  # fmt: skip
    """Move `count` boids from `first` on, at most BLOCK; whether all of them certainly are at finite places.

    Their drive is left in the first rows of `memory`.
    """
    terms = kinds, factors, vectors, counts
    dimension = len(position)
    drive, drift = memory[:dimension], memory[dimension : 2 * dimension]
    vector, length, some = memory[2 * dimension : 3 * dimension], memory[3 * dimension], memory[3 * dimension + 1]
    steers, drifts = add_terms(terms, velocity, first, count, drive, drift, (vector, length, some))
    if not steers:
        drive[:] = 0.0
    for axis in range(dimension):
        for i in range(count):
            vector[axis, i] = drive[axis, i]
    limit(vector, count, limits[MAX_ACCELERATION], length)
    for axis in range(dimension):
        for i in range(count):
            vector[axis, i] = limits[INERTIA] * velocity[axis, first + i] + vector[axis, i]
    lengths_of(vector, count, length)
    for i in range(count):
        wanted = min(max(length[i], limits[MIN_SPEED]), limits[MAX_SPEED])
        length[i] = wanted / max(length[i], SHORTEST)
    beyond = 0
    for axis in range(dimension):
        for i in range(count):
            fresh = vector[axis, i] * length[i]
            place = position[axis, first + i] + limits[STEP] * (
                velocity[axis, first + i] if limits[EXPLICIT] else fresh
            )
            new[axis, first + i] = place + drift[axis, i] if drifts else place
            new_velocity[axis, first + i] = fresh
        confine(new, new_velocity, axis, first, count, boundary, size[axis], restitution)
        for i in range(first, first + count):  # also true of what is not a number
            beyond |= not (abs(new[axis, i]) < np.inf) or not (abs(new_velocity[axis, i]) < np.inf)
    return beyond == 0


advance_one = part(advance)  # For one boid of those that move one after the other


def take_turns(
    deep, crowd, position, velocity, new_position, new_velocity, drives, begin, end, lengths, bounds, most, wanted,
    near, indices, ranges, shifts, kinds, factors, vectors, counts, limits, boundary, size, restitution, memory,
):  # fmt: skip
    """Let the boids `begin` to `end` move one after the other, each seeing the earlier ones where they have come to.

    Positions and velocities, old and new, are the rows of `crowd` that this world has.
    """
    who, around, choice = indices[0], indices[1], indices[2]
    requests = bounds, most, wanted
    ranges[0, 0], ranges[0, 1], shifts[0] = 0, crowd.shape[1], 0.0
    for boid in range(begin, end):
        if boundary == TELEPORT_BEFORE:
            for axis in range(len(new_position)):
                confine(new_position, new_velocity, axis, boid, 1, TELEPORT, size[axis], restitution)
        place = 0.0 if deep is None else crowd[0, boid], crowd[1, boid], crowd[2, boid]
        flight = 0.0 if deep is None else crowd[3, boid], crowd[4, boid], crowd[5, boid]
        found = look(deep, crowd, ranges, shifts, 1, place, lengths, np.inf, -1.0, near, who, around)
        for k in range(found):
            if who[around[k]] == boid:
                near[3, around[k]] = np.nan  # nobody is a neighbor of itself
        answer(deep, crowd, near, who, around, found, flight, requests, -1.0, choice, boid, counts, vectors)
        first, one = np.uint64(boid), np.uint64(1)
        advance_one(
            position, velocity, first, one, kinds, factors, vectors, counts, limits, boundary, size, restitution,
            memory, new_position, new_velocity,
        )  # fmt: skip
        for axis in range(len(drives)):
            drives[axis, boid] = memory[axis, 0]
