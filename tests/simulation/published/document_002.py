"""Document 002, "Flocking from Three Rules": its quick start, and the flock of its fragments.

`boids.py` itself is a download that the text does not show. It leaves open the personal space, the largest force
(pitfall 1, line 109), a lowest speed, and whether boids take turns; as its other loops do, all move at once.
"""

import math

import numpy as np


class QuickStart:
    def __init__(self, positions, velocities):
        self.positions = np.array(positions)
        self.velocities = np.array(velocities)
        assert self.positions.shape == (30, 2)  # 15
        assert ((self.positions >= 0) & (self.positions < 400)).all()
        assert (abs(self.velocities) <= 2).all()  # 16

    def tick(self):
        centre = self.positions.mean(axis=0)  # 24
        self.positions += (centre - self.positions) * 0.01 + self.velocities * 0.5
        self.positions %= 400

    @property
    def flock(self):
        return self.positions.tolist(), self.velocities.tolist()


def minus(a, b):
    return [a[0] - b[0], a[1] - b[1]]


def plus(a, b):
    return [a[0] + b[0], a[1] + b[1]]


def times(a, factor):
    return [a[0] * factor, a[1] * factor]


def length(a):
    return math.sqrt(a[0] ** 2 + a[1] ** 2)


def clipped(a, most):
    """Cut to a largest length: forgetting to is pitfall 1 (109)."""
    return times(a, most / length(a)) if length(a) > most else a


def shortest(a):
    """Wrapped "in the neighbour search" too, as pitfall 5 demands (113)."""
    return [x - 400 if x > 200 else x + 400 if x < -200 else x for x in a]


def mean(vectors):
    return [sum(x for x, _ in vectors) / len(vectors), sum(y for _, y in vectors) / len(vectors)]


class ThreeRules:
    """Three rules and, in the order of the exercises, an obstacle, a predator and soft edges.

    `weights` are those of the table (45-47) and of the exercises (66-68). The caps, the lowest speed, the personal
    space, the radius of the obstacle, fear and its radius, margin and strength of the edge are open.
    """

    perception_radius = 50  # 44
    max_speed = 4  # 48
    OBSTACLE_X, OBSTACLE_Y, OBSTACLE_WEIGHT = 200, 200, 2.5  # 76: "at the centre of the canvas"; 101

    def __init__(
        self,
        positions,
        velocities,
        *,
        personal_space,
        weights=(1.5, 1.0, 1.0),
        max_force=math.inf,
        max_sum=math.inf,
        min_speed=0,
        obstacle_radius=0,
        predator=None,
        fear=None,
        soft=None,
    ):
        self.positions, self.velocities = positions, velocities
        assert all(0 <= x < 400 for p in positions for x in p)
        self.personal_space, self.weights = personal_space, weights
        self.max_force, self.max_sum, self.min_speed = max_force, max_sum, min_speed
        self.OBSTACLE_RADIUS = obstacle_radius
        self.predator, self.fear, self.soft = predator, fear, soft

    def across(self, a):
        return a if self.soft else shortest(a)

    def forces(self, i):
        """The rules on boid `i`, weights included."""
        my_position, my_velocity = self.positions[i], self.velocities[i]
        neighbours = []
        separation_force = [0.0, 0.0]
        for j, neighbour_position in enumerate(self.positions):
            away = self.across(minus(my_position, neighbour_position))  # 35
            distance = length(away)
            if j == i or not distance > 0:  # 112: "a distance > 0 guard"
                continue
            if distance < self.perception_radius:  # 30
                neighbours.append((times(away, -1), self.velocities[j]))
            if distance < self.personal_space:  # 34
                separation_force = plus(separation_force, times(away, 1 / distance))  # 36
        alignment_force = cohesion_force = [0.0, 0.0]
        if neighbours:
            average_velocity = mean([velocity for _, velocity in neighbours])  # 37
            alignment_force = minus(average_velocity, my_velocity)
            cohesion_force = mean([offset for offset, _ in neighbours])  # 39, 40: centre_of_mass - my_position
        forces = [separation_force, alignment_force, cohesion_force]
        return [times(clipped(f, self.max_force), w) for f, w in zip(forces, self.weights, strict=True)]

    def obstacle_avoidance(self, positions):
        steering = [[0.0, 0.0] for _ in positions]  # 92
        obstacle_centre = [self.OBSTACLE_X, self.OBSTACLE_Y]
        for i in range(len(positions)):
            direction = minus(positions[i], obstacle_centre)  # 95
            distance = length(direction)
            if 0 < distance < self.OBSTACLE_RADIUS * 1.5:
                unit = times(direction, 1 / distance)
                strength = (self.OBSTACLE_RADIUS * 1.5 - distance) / distance  # 99
                steering[i] = times(unit, strength)
        return steering

    def fleeing(self, position):
        """The steering directly away of boids within a large fear radius (103)."""
        weight, radius = self.fear
        away = self.across(minus(position, self.predator.position))
        if not length(away) < radius:
            return [0.0, 0.0]
        return times(clipped(times(away, 1 / length(away)), self.max_force), weight)

    def inward(self, position):
        """The soft repulsive force at the border of the canvas (104)."""
        margin, strength = self.soft
        return [strength * (max(0, 1 - x / margin) - max(0, 1 - (400 - x) / margin)) for x in position]

    def tick(self):
        if self.predator:
            self.predator.tick(self.positions)
        avoidance = self.obstacle_avoidance(self.positions)
        positions, velocities = [], []
        for i, (position, velocity) in enumerate(zip(self.positions, self.velocities, strict=True)):
            steering = [0.0, 0.0]
            for force in self.forces(i):  # 30: "sums the resulting forces, and updates its velocity"
                steering = plus(steering, force)
            steering = plus(steering, times(avoidance[i], self.OBSTACLE_WEIGHT))  # 101
            if self.predator:
                steering = plus(steering, self.fleeing(position))
            if self.soft:
                steering = plus(steering, self.inward(position))
            velocity = clipped(plus(velocity, clipped(steering, self.max_sum)), self.max_speed)  # 48
            if 0 < length(velocity) < self.min_speed:
                velocity = times(velocity, self.min_speed / length(velocity))
            position = plus(position, velocity)
            positions.append(position if self.soft else [x % 400 for x in position])  # 26
            velocities.append(velocity)
        self.positions, self.velocities = positions, velocities

    @property
    def flock(self):
        return self.positions, self.velocities

    @property
    def predators(self):
        return [self.predator.position] if self.predator else []


class Predator:
    """The predator that moves toward the nearest boid (103), by steering: speed and largest force are open."""

    def __init__(self, position, velocity, *, speed, max_force):
        self.position, self.velocity = position, velocity
        self.speed, self.max_force = speed, max_force

    def tick(self, positions):
        to = min((shortest(minus(p, self.position)) for p in positions), key=length)
        desired = times(to, self.speed / length(to))
        velocity = plus(self.velocity, clipped(minus(desired, self.velocity), self.max_force))
        self.velocity = times(velocity, self.speed / length(velocity))
        self.position = [x % 400 for x in plus(self.position, self.velocity)]
