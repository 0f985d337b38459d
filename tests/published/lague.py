"""Sebastian Lague's Boids with the settings of his scene: synchronous steering, each capped, and a minimum speed.

All read the same old places and headings, then all move. A boid with neighbors adds three steerings, each the maximum
speed in a direction minus the velocity, capped at 8 before its weight; one without feels nothing. Speeds are held
between 5 and 8 after each step, and nothing bounds the world but obstacles. Whoever's ball of .27 would meet one within
5 ahead turns, with weight 20, into the first free direction of the spiral, or straight on where none is free; obstacles
that the ball overlaps at the start do not count. They are balls here: (center, radius).

Traps: separation from nobody is still a steering, to speed zero, so flocks brake to the minimum speed; the settings
file replaces the defaults of the code; the cap is on each steering, not on the sum.
"""

import math
from dataclasses import dataclass

import numpy as np

SOURCE = (
    "SebLague/Boids, Assets/Scripts/{Boid,BoidManager,BoidHelper,Spawner}.cs, BoidCompute.compute, "
    "Assets/Settings/Settings.asset, Assets/Scenes/Obstacles.unity, commit fdda4db1"
)


@dataclass(frozen=True)
class Parameters:
    """The scene's settings and a fixed time step; `order` together, index or shuffled, `limit` of each or sum."""

    count: int = 350
    dt: float = 1 / 60
    spawn_radius: float = 2.37
    minimum_speed: float = 5.0
    maximum_speed: float = 8.0
    perception_radius: float = 2.5
    avoidance_radius: float = 1.0
    maximum_force: float = 8.0
    align_weight: float = 2.0
    cohesion_weight: float = 1.0
    separate_weight: float = 2.5
    order: str = "together"
    limit: str = "each"
    balls: tuple = ()
    collision_weight: float = 20.0
    collision_distance: float = 5.0
    bounds_radius: float = 0.27
    tried: int = 300

    @property
    def view(self):
        """Distance within which boids see each other."""
        return self.perception_radius

    torus = None
    """The world is open."""


CODE = Parameters(80, 1 / 60, 4.0, 2.0, 5.0, 2.5, 1.0, 3.0, 1.0, 1.0, 1.0)
"""The defaults of the code, and of the spawner's prefab."""


@dataclass(frozen=True)
class State:
    """Positions and velocities (N, 3)."""

    positions: np.ndarray
    velocities: np.ndarray


def units(random, count):
    """Uniform directions (count, 3)."""
    vectors = random.normal(size=(count, 3))
    return vectors / np.sqrt((vectors**2).sum(axis=1, keepdims=True))


def start(random, parameters, count=None):
    """Places uniform in a ball, directions uniform, at the mean of the two speeds."""
    count = parameters.count if count is None else count
    radii = parameters.spawn_radius * random.random((count, 1)) ** (1 / 3)
    speed = (parameters.minimum_speed + parameters.maximum_speed) / 2
    return State(radii * units(random, count), speed * units(random, count))


def draws(random, state, parameters):
    """The random input of a step: an order, where it is shuffled."""
    return {"order": random.permutation(len(state.positions)) if parameters.order == "shuffled" else None}


def directions(count=300):
    """Directions (x, y, z) that obstacles are looked for in, forward (z) first, in a spiral to the back."""
    found = []
    for number in range(count):
        inclination = math.acos(1 - 2 * number / count)
        azimuth = math.pi * (1 + math.sqrt(5)) * number
        side = math.sin(inclination)
        found.append((side * math.cos(azimuth), side * math.sin(azimuth), math.cos(inclination)))
    return found


def is_free(place, way, parameters):
    """True if a ball on this way meets no obstacle within the collision distance."""
    for center, radius in parameters.balls:
        offset = [at - own for at, own in zip(center, place, strict=True)]
        touching = radius + parameters.bounds_radius
        along = sum(a * b for a, b in zip(offset, way, strict=True))
        beside = math.hypot(*offset) ** 2 - along**2
        if math.hypot(*offset) <= touching or along <= 0 or beside >= touching**2:
            continue
        if along - math.sqrt(touching**2 - beside) < parameters.collision_distance:
            return False
    return True


def way_out(place, ahead, spiral, parameters):
    """The first free direction in the boid's own frame, with the third axis of the world upward."""
    side = [value / math.hypot(ahead[0], ahead[1]) for value in (-ahead[1], ahead[0], 0.0)]
    above = np.cross(ahead, side)
    for x, y, z in spiral:
        way = [x * side[axis] + y * above[axis] + z * ahead[axis] for axis in range(3)]
        if is_free(place, way, parameters):
            return way
    return ahead


def limited(vector, most):
    """The vector, no longer than that."""
    length = math.hypot(*vector)
    return [value / length * most for value in vector] if length > most else vector


def steering(direction, velocity, parameters):
    """Maximum speed in a direction (none of a vanishing one) minus the velocity, capped unless the sum is."""
    length = math.hypot(*direction)
    scale = parameters.maximum_speed / length if length > 1e-5 else 0.0
    wanted = [value * scale - old for value, old in zip(direction, velocity, strict=True)]
    return limited(wanted, parameters.maximum_force) if parameters.limit == "each" else wanted


def step(state, parameters, order=None):
    """One frame of all at once, or in the given order (by index without one) if the parameters say so."""
    places, velocities = state.positions.tolist(), state.velocities.tolist()
    together = parameters.order == "together"
    seen_places, seen_velocities = (list(places), list(velocities)) if together else (places, velocities)
    spiral = directions(parameters.tried)
    weights = (parameters.align_weight, parameters.cohesion_weight, parameters.separate_weight)
    for own in range(len(places)) if order is None else order:
        place, velocity = places[own], velocities[own]
        count = 0
        heading, center, away = [0.0] * 3, [0.0] * 3, [0.0] * 3
        for other, seen in enumerate(seen_places):
            distance = math.dist(seen, place)
            if other == own or distance >= parameters.perception_radius:
                continue
            count += 1
            speed = math.hypot(*seen_velocities[other])
            for axis in range(3):
                heading[axis] += seen_velocities[other][axis] / speed
                center[axis] += seen[axis] - place[axis]
                if distance < parameters.avoidance_radius:
                    away[axis] -= (seen[axis] - place[axis]) / distance**2
        force = [0.0] * 3
        if count:
            for direction, weight in zip((heading, [value / count for value in center], away), weights, strict=True):
                steer = steering(direction, velocity, parameters)
                force = [old + weight * new for old, new in zip(force, steer, strict=True)]
        ahead = [value / math.hypot(*velocity) for value in velocity]
        if not is_free(place, ahead, parameters):
            steer = steering(way_out(place, ahead, spiral, parameters), velocity, parameters)
            force = [old + parameters.collision_weight * new for old, new in zip(force, steer, strict=True)]
        if parameters.limit == "sum":
            force = limited(force, parameters.maximum_force)
        velocity = [old + new * parameters.dt for old, new in zip(velocity, force, strict=True)]
        speed = math.hypot(*velocity)
        scale = min(parameters.maximum_speed, max(parameters.minimum_speed, speed)) / speed
        velocities[own] = [value * scale for value in velocity]
        places[own] = [old + new * parameters.dt for old, new in zip(place, velocities[own], strict=True)]
    return State(np.array(places), np.array(velocities))
