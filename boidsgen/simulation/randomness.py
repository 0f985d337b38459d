"""Random numbers: one independent stream per purpose, all from the scenario's seed.

A stream is named by its purpose and a number (of the flock, of the predators), so that adding noise to one flock
changes neither its start nor anything of another. The generator states are the only thing in the simulation that
changes in place. Random directions and angular noise are drawn from such a stream.
"""

from functools import cache
from typing import Literal, NamedTuple
from zlib import crc32

import numpy as np

from boidsgen import exact
from boidsgen.simulation.geometry import Array, columns, dot, length, read_only, unit


class Randomness:
    """The streams of one run."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.stream = cache(self._stream)
        self._drawn: dict[tuple[str, int], Array] = {}

    def _stream(self, purpose: str, number: int) -> "np.random.Generator":
        """The generator for one purpose; the same object every time, so that it goes on where it stopped."""
        return np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=(crc32(purpose.encode()), number)))

    def fixed(self, purpose: str, number: int, shape: tuple[int, ...]) -> Array:
        """Uniform numbers in [0, 1) that stay the same for the whole run, also when the last axis grows or shrinks."""
        drawn = self._drawn.get((purpose, number), np.empty((*shape[:-1], 0)))
        missing = shape[-1] - drawn.shape[-1]
        if missing > 0:
            new = self.stream(purpose, number).random((*shape[:-1], missing))
            drawn = read_only(np.concatenate((drawn, new), axis=-1)) if drawn.size else read_only(new)
            self._drawn[purpose, number] = drawn
        return drawn[..., : shape[-1]]


class GroupRandomness(NamedTuple):
    """The streams of one group of animals, so that its rules need not know which group it is."""

    randomness: Randomness  # the streams of the run
    kind: str  # what precedes a purpose, empty for flocks
    number: int  # of the group among those of its kind

    def stream(self, purpose: str) -> "np.random.Generator":
        """The group's generator for one purpose; the same object every time."""
        return self.randomness.stream(self.kind + purpose, self.number)

    def fixed(self, purpose: str, shape: tuple[int, ...]) -> Array:
        """Uniform numbers in [0, 1) that stay the same for the whole run."""
        return self.randomness.fixed(self.kind + purpose, self.number, shape)


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


Spread = Literal["angle", "solid_angle"]  # Quantities over which random turns are evenly spread


def scattered(
    velocity: Array, drive: Array, inertia: float, width: float, spread: Spread, generator: "np.random.Generator"
) -> Array:
    """The drive after which the direction of each animal is off by a random angle, shape (n, d).

    Args:
        velocity: of the animals, shape (n, d).
        drive: everything else that steers them, shape (n, d).
        inertia: how much of the velocity is kept.
        width: of the interval of angles in degrees, half of it to either side.
        spread: angle: the angle is evenly spread; solid_angle: in 3D the directions in their cone are.
        generator: of the random numbers.
    """
    course = inertia * velocity + drive
    ahead = unit(course)
    sideways = directions(generator, *course.shape)
    sideways = unit(sideways - dot(sideways, ahead)[:, None] * ahead)
    if spread == "solid_angle" and course.shape[1] == 3:
        cosine = exact.uniform(generator, float(exact.cosine(np.radians(width / 2))), 1.0, (len(course),))
        sine = np.sqrt(1.0 - cosine * cosine)
    else:
        angle = exact.uniform(generator, -0.5, 0.5, (len(course),)) * np.radians(width)
        cosine, sine = exact.cosine(angle), exact.sine(angle)
    turned = cosine[:, None] * ahead + sine[:, None] * sideways
    return length(course)[:, None] * turned - inertia * velocity
