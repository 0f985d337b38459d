"""Scatter: random directions, and headings that are turned at random.

  directions(generator, count, dimension)                    vectors of length 1, evenly spread over all directions
  scattered(velocity, drive, inertia, width, generator)      a drive that also turns each animal by a random angle

The turn comes after everything else that drives an animal: it acts on the direction of inertia · v + drive, as the
noise of T. Vicsek et al., Novel type of phase transition in a system of self-driven particles, Physical Review
Letters 75, 1995 acts on the mean direction of the neighbors.
"""

import numpy as np

from boidsgen import exact
from boidsgen.simulation.geometry import Array, columns, dot, length, unit


def directions(generator: "np.random.Generator", count: int, dimension: int) -> Array:
    """Vectors of length 1 in two or three dimensions, evenly spread over all directions, shape (count, dimension)."""
    angle = exact.uniform(generator, -np.pi, np.pi, (count,))
    direction = columns(count, dimension)
    direction[:, 0], direction[:, 1] = exact.cosine(angle), exact.sine(angle)
    if dimension == 3:
        # Archimedes: the heights of points on a sphere are evenly spread.
        height = exact.uniform(generator, -1.0, 1.0, (count,))
        direction *= np.sqrt(1.0 - height * height)[:, None]
        direction[:, 2] = height
    return direction


def scattered(velocity: Array, drive: Array, inertia: float, width: float, generator: "np.random.Generator") -> Array:
    """The drive after which the direction of each animal is off by a random angle, shape (n, d).

    Args:
        velocity: of the animals, shape (n, d).
        drive: everything else that steers them, shape (n, d).
        inertia: how much of the velocity is kept.
        width: of the interval in degrees over which the angle is evenly spread, half of it to either side.
        generator: of the random numbers.
    """
    course = inertia * velocity + drive
    ahead = unit(course)
    sideways = directions(generator, *course.shape)
    sideways = unit(sideways - dot(sideways, ahead)[:, None] * ahead)
    angle = exact.uniform(generator, -0.5, 0.5, (len(course),)) * np.radians(width)
    turned = exact.cosine(angle)[:, None] * ahead + exact.sine(angle)[:, None] * sideways
    return length(course)[:, None] * turned - inertia * velocity
