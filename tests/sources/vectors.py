"""Vectors for the documents' loops.

Every array ends in the axis of coordinates and begins with the axis of runs: twenty runs with twenty seeds go through
one loop together, and each gets what it would get alone.
"""

import numpy as np


def length(vector):
    """|x|, shape (...)."""
    return np.sqrt((vector * vector).sum(axis=-1))


def unit(vector):
    """x/|x|, and zero for a zero vector."""
    size = length(vector)[..., None]
    return np.divide(vector, size, out=np.zeros_like(vector), where=size > 0)


def limited(vector, most):
    """The vector, shortened to the length `most` where it is longer."""
    size = length(vector)[..., None]
    return vector * np.divide(most, size, out=np.ones_like(size), where=size > most)


def masked_sum(vectors, mask):
    """Sum over the second-last axis of the vectors where the mask holds, shape (..., d)."""
    return (vectors * mask[..., None]).sum(axis=-2)


def masked_mean(vectors, mask):
    """Mean over the second-last axis where the mask holds, and zero where it holds nowhere."""
    return masked_sum(vectors, mask) / np.maximum(mask.sum(axis=-1), 1)[..., None]


def wrapped(offset, size):
    """The offset by the shortest way in a world that repeats; `size` inf means that it does not."""
    if np.isinf(size).all():
        return offset
    return offset - size * np.round(offset / size)


def generators(seeds):
    """One random generator for each run."""
    return [np.random.default_rng(seed) for seed in seeds]


def drawn(seeds, draw):
    """What `draw(generator)` gives for each seed, stacked: one row of arrays for each run."""
    return [np.stack(parts) for parts in zip(*(draw(generator) for generator in generators(seeds)), strict=True)]


def headings(generator, count, speed):
    """Velocities in random directions of the plane; `speed` is one number or one for each."""
    angle = generator.uniform(0, 2 * np.pi, count)
    return np.stack((np.cos(angle), np.sin(angle)), axis=-1) * np.broadcast_to(speed, count)[:, None]
