"""OpenSteer's Boids: three unit vectors with weights, a cone at low speed, a smoothed force, and a ball that wraps.

Boids act in the order of the list, and each sees earlier ones moved. Each rule has a radius and a cone, which those
nearer than three radii of a boid need not be in; its vector is normalized before it is weighted, so that one far
neighbor counts like a crowd. The acceleration is smoothed per frame, at a rate of 0.15 for any time step of 1/60 and
below.

Traps: cosines are given, not angles; a boid beyond the ball moves by a diameter toward the other side and keeps its
heading, and nobody sees across; there is no minimum speed; coincident boids are undefined (NaN there, an error here).
"""

import math
from dataclasses import dataclass

import numpy as np

SOURCE = (
    "meshula/OpenSteer, plugins/Boids.cpp, include/OpenSteer/SteerLibrary.h, src/SimpleVehicle.cpp, commit 71043234"
)


@dataclass(frozen=True)
class Parameters:
    """Numbers of the plug-in and a fixed time step; `order` index, shuffled or together."""

    count: int = 200
    dt: float = 1 / 60
    world_radius: float = 50.0
    start_radius: float = 20.0
    start_speed: float = 2.7
    radius: float = 0.5
    maximum_force: float = 27.0
    maximum_speed: float = 9.0
    separation: tuple = (5.0, -0.707, 12.0)  # radius, cosine of the cone, weight
    alignment: tuple = (7.5, 0.7, 8.0)
    cohesion: tuple = (9.0, -0.15, 8.0)
    slow: float = 0.2  # of the maximum speed, up to which the force is held in a cone
    smoothing: tuple = (9.0, 0.15, 0.4)  # rate per second, and its least and most per frame
    order: str = "index"

    @property
    def view(self):
        """Largest radius of a rule."""
        return max(self.separation[0], self.alignment[0], self.cohesion[0])

    torus = None
    """The ball wraps, but nobody sees across."""


@dataclass(frozen=True)
class State:
    """Positions, velocities, headings (units) and smoothed accelerations, each (N, 3)."""

    positions: np.ndarray
    velocities: np.ndarray
    headings: np.ndarray
    smoothed: np.ndarray


def units(random, count):
    """Uniform directions (count, 3)."""
    vectors = random.normal(size=(count, 3))
    return vectors / np.sqrt((vectors**2).sum(axis=1, keepdims=True))


def start(random, parameters, count=None):
    """Places uniform in a ball, directions uniform, one speed."""
    count = parameters.count if count is None else count
    headings, radii = units(random, count), parameters.start_radius * random.random((count, 1)) ** (1 / 3)
    return State(radii * units(random, count), parameters.start_speed * headings, headings, np.zeros((count, 3)))


def draws(random, state, parameters):
    """The random input of a step: an order, where it is shuffled."""
    return {"order": random.permutation(len(state.positions)) if parameters.order == "shuffled" else None}


def scaled(vector, length):
    """The vector at that length; zero stays zero."""
    norm = math.hypot(*vector)
    return [value / norm * length for value in vector] if norm > 0 else vector


def within_cone(force, cosine, heading):
    """The force, turned toward the heading onto the cone of that cosine if it is outside, its length kept."""
    length, along = math.hypot(*force), sum(map(math.prod, zip(force, heading, strict=True)))
    if length == 0 or along / length >= cosine:
        return force
    across = scaled([one - along * other for one, other in zip(force, heading, strict=True)], math.sqrt(1 - cosine**2))
    return [length * (cosine * one + other) for one, other in zip(heading, across, strict=True)]


def steering(own, places, headings, parameters):
    """The sum of the three rules of a boid."""
    rules = (parameters.separation, parameters.alignment, parameters.cohesion)
    place, heading = places[own], headings[own]
    sums, numbers = [[0.0] * 3 for _ in rules], [0, 0, 0]
    for other, seen in enumerate(places):
        offset = [one - two for one, two in zip(seen, place, strict=True)]
        distance = math.hypot(*offset)
        if other == own or distance >= parameters.view:
            continue
        forwardness = sum(map(math.prod, zip(heading, offset, strict=True))) / distance
        addends = ([-value / distance**2 for value in offset], headings[other], seen)
        for rule, (reach, cosine, _) in enumerate(rules):
            if distance < 3 * parameters.radius or (distance <= reach and forwardness > cosine):
                numbers[rule] += 1
                sums[rule] = [one + two for one, two in zip(sums[rule], addends[rule], strict=True)]
    force = [0.0] * 3
    for total, number, base, (_, _, weight) in zip(sums, numbers, ([0.0] * 3, heading, place), rules, strict=True):
        if number:
            wanted = [one / number - two for one, two in zip(total, base, strict=True)]
            force = [one + two for one, two in zip(force, scaled(wanted, weight), strict=True)]
    return force


def step(state, parameters, order=None):
    """One frame in the given order (by index without one)."""
    dt, most = parameters.dt, parameters.maximum_speed
    per_second, least, largest = parameters.smoothing
    rate = min(largest, max(least, per_second * dt))
    arrays = (state.positions, state.velocities, state.headings, state.smoothed)
    places, velocities, headings, smoothed = (array.tolist() for array in arrays)
    together = parameters.order == "together"
    seen = (list(places), list(headings)) if together else (places, headings)
    for own in range(len(places)) if order is None else order:
        force = steering(own, *seen, parameters)
        slowness = math.hypot(*velocities[own]) / (parameters.slow * most)
        if slowness <= 1:
            force = within_cone(force, 1 - 2 * slowness**20, headings[own])
        force = scaled(force, min(parameters.maximum_force, math.hypot(*force)))
        smoothed[own] = [old + (new - old) * rate for old, new in zip(smoothed[own], force, strict=True)]
        velocity = [old + new * dt for old, new in zip(velocities[own], smoothed[own], strict=True)]
        velocity = scaled(velocity, min(most, math.hypot(*velocity)))
        place = [old + new * dt for old, new in zip(places[own], velocity, strict=True)]
        headings[own] = scaled(velocity, 1) if any(velocity) else headings[own]
        distance = math.hypot(*place)
        if distance > parameters.world_radius:
            place = scaled(place, distance - 2 * parameters.world_radius)
        velocities[own], places[own] = velocity, place
    return State(*map(np.array, (places, velocities, headings, smoothed)))
