"""Boids in numpy: complete the four functions marked TODO; `python check.py` says what is wrong with each.

Rules, names and numbers are those of "Boids: Flocking from Three Rules". A boid sees others relative to itself, the
short way round the edges, so that `my_position` is (0, 0). `python boids_starter.py` draws boids_simulation.gif.
"""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

SIZE, PERCEPTION_RADIUS, PERSONAL_SPACE = 400, 50, 25  # pixels
SEPARATION, ALIGNMENT, COHESION, OBSTACLE_WEIGHT = 1.5, 1.0, 1.0, 2.5
MIN_SPEED, MAX_SPEED, MAX_FORCE = 2.0, 4.0, 0.1  # pixels per frame; the force is that of one rule, before its weight
OBSTACLE_X, OBSTACLE_Y, OBSTACLE_RADIUS = 200, 200, 60


def separation(my_position, neighbour_positions):
    """Steer away from neighbours that are too close; positions have the shapes (2,) and (n, 2).

    For each neighbour nearer than PERSONAL_SPACE take the way from it to you, divided by the distance, and add these
    up. A neighbour at distance 0 does not count.
    """
    raise NotImplementedError("TODO")


def alignment(my_velocity, neighbour_velocities):
    """Match the average velocity of nearby neighbours: what must be added to yours?"""
    raise NotImplementedError("TODO")


def cohesion(my_position, neighbour_positions):
    """Steer toward the centre of mass of nearby neighbours: the way there from your position."""
    raise NotImplementedError("TODO")


def obstacle_avoidance(positions):
    """Steer away from the centre of the obstacle, for all boids: shapes (n, 2) in and out.

    Within 1.5 * OBSTACLE_RADIUS of the centre, and only there, directly away from it, with the strength
    (1.5 * OBSTACLE_RADIUS - distance) / distance. A boid at distance 0 is not steered.
    """
    raise NotImplementedError("TODO")


def neighbours(positions, velocities, i):
    """Positions relative to boid i, and velocities, of all others within PERCEPTION_RADIUS.

    They are sorted by the cells of a grid, as boidsgen adds them up: the order decides the last bit of a sum.
    """
    around = np.rint((positions[i] - positions) / SIZE)
    relative = positions + SIZE * around - positions[i]
    near = (relative**2).sum(axis=1) < PERCEPTION_RADIUS**2
    near[i] = False
    row, column = (np.floor(positions * [0.02, 0.06]) + around * [8, 24]).T
    order = np.lexsort((column, row))
    order = order[near[order]]
    return relative[order], velocities[order]


def clip(vector, low, high):
    """The vector with a length of at least `low` and at most `high`."""
    length = np.sqrt((vector**2).sum())
    return vector * (min(max(length, low), high) / length) if length > 0 else vector


def step(positions, velocities, obstacle_weight=0.0):
    """All boids one frame later; they look at each other as they were before."""
    new = velocities + (obstacle_weight * obstacle_avoidance(positions) if obstacle_weight else 0)
    for i in range(len(positions)):
        near, flying = neighbours(positions, velocities, i)
        if len(near):
            force = ALIGNMENT * clip(alignment(velocities[i], flying), 0, MAX_FORCE)
            force = force + COHESION * clip(cohesion(np.zeros(2), near), 0, MAX_FORCE)
            new[i] += force + SEPARATION * clip(separation(np.zeros(2), near), 0, MAX_FORCE)
        new[i] = clip(new[i], MIN_SPEED, MAX_SPEED)
    return (positions + new) % SIZE, new


if __name__ == "__main__":  # draw the flock with the obstacle
    with np.load(Path(__file__).with_name("flock.npz")) as saved:
        positions, velocities = saved["flock.0.position"][0], saved["flock.0.velocity"][0]
    frames = []
    for _ in range(200):
        frames.append(Image.new("RGB", (SIZE, SIZE), (20, 20, 30)))
        draw = ImageDraw.Draw(frames[-1])
        draw.circle((OBSTACLE_X, OBSTACLE_Y), OBSTACLE_RADIUS, outline=(200, 120, 0))
        for x, y in positions:
            draw.circle((x, y), 3, fill=(0, 200, 200))
        positions, velocities = step(positions, velocities, OBSTACLE_WEIGHT)
    frames[0].save("boids_simulation.gif", save_all=True, append_images=frames[1:], duration=50, loop=0)
