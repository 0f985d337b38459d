"""What is measured about a run: one number for each run and frame, or one for each run over a span of frames.

A frame is a position and a velocity, shape (runs, n, d) each. `near` is the distance below which two boids count as
neighbors, `size` the sides of a world that repeats (inf where it does not).
"""

import numpy as np

from tests.sources.vectors import length, masked_mean, unit, wrapped


def offsets(position, size):
    """From each boid to each other one, shape (runs, n, n, d)."""
    return wrapped(position[:, None, :, :] - position[:, :, None, :], size)


def distances(position, size):
    """Between all boids, shape (runs, n, n); a boid is infinitely far from itself."""
    apart = length(offsets(position, size))
    apart[:, np.arange(apart.shape[1]), np.arange(apart.shape[1])] = np.inf
    return apart


def polarization(velocity):
    """|sum of unit(v)|/n."""
    return length(unit(velocity).mean(axis=1))


def local_polarization(position, velocity, size, near):
    """The polarization of each boid with its neighbors, averaged over all that have one; 1 means they fly alike."""
    seen = distances(position, size) < near
    social = seen.any(axis=-1)
    around = (seen.astype(float) @ unit(velocity)) + unit(velocity)
    own = length(around) / (seen.sum(axis=-1) + 1)
    return (own * social).sum(axis=-1) / np.maximum(social.sum(axis=-1), 1)


def labels(position, size, near):
    """For each boid the first boid of its group: a chain of neighbors joins them, shape (runs, n)."""
    seen = distances(position, size) < near
    first = np.broadcast_to(np.arange(seen.shape[1]), seen.shape[:2])
    while True:
        nearest = np.where(seen, first[:, None, :], seen.shape[1]).min(axis=-1)
        lower = np.minimum(first, nearest)
        if (lower == first).all():
            return first
        first = lower


def groups(position, size, near, least=1):
    """How many groups have at least `least` members."""
    return np.array([(np.bincount(run) >= least).sum() for run in labels(position, size, near)], float)


def largest_group(position, size, near):
    """Share of all boids in the largest group."""
    return np.array([np.bincount(run).max() / len(run) for run in labels(position, size, near)])


def spacing(position, size):
    """Mean distance from the nearest other boid."""
    return distances(position, size).min(axis=-1).mean(axis=-1)


def from_center(position):
    """Mean distance from the mean of all positions, which knows no edge."""
    return length(position - position.mean(axis=1, keepdims=True)).mean(axis=-1)


def from_point(position, point):
    """Mean distance from a point."""
    return length(position - np.asarray(point)).mean(axis=-1)


def to_neighbors(position, size, near):
    """From each boid to the center of its neighbors, shape (runs, n, d); zero without neighbors."""
    across = offsets(position, size)
    return masked_mean(across, distances(position, size) < near)


def group_shapes(position, velocity, size, near, least=5):
    """Length over width of the groups, |cos| between their long axis and their flight, radius of gyration.

    Averages over boids in groups of at least `least`; nan for a run without one. Shape (3, runs).
    """
    found = []
    for places, flights, first in zip(position, velocity, labels(position, size, near), strict=True):
        rows = []
        for number in np.flatnonzero(np.bincount(first) >= least):
            members = first == number
            across = wrapped(places[members] - places[number], size)
            across = across - across.mean(axis=0)
            spread, axes = np.linalg.eigh(across.T @ across / len(across))
            heading = unit(flights[members].mean(axis=0))
            shape = np.sqrt(max(spread[-1], 1e-12) / max(spread[0], 1e-12))
            rows.append((members.sum(), shape, abs(axes[:, -1] @ heading), np.sqrt(spread.sum())))
        table = np.array(rows).T if rows else np.full((4, 1), np.nan)
        found.append(np.average(table[1:], axis=1, weights=None if np.isnan(table[0, 0]) else table[0]))
    return np.array(found).T


def speed(velocity):
    """Mean |v|."""
    return length(velocity).mean(axis=-1)


def turn(before, after):
    """Mean angle between two velocities of the same boid, degrees; who stands still has none."""
    ways, new_ways = unit(before), unit(after)
    moving = (length(before) > 0) & (length(after) > 0)
    angle = np.degrees(np.arccos(np.clip((ways * new_ways).sum(axis=-1), -1, 1)))
    return (angle * moving).sum(axis=-1) / np.maximum(moving.sum(axis=-1), 1)


def swings(distance):
    """How often in a hundred frames a boid turns back toward the center of its neighbors.

    `distance` is how far it is from there in each frame of a span, shape (frames, runs, n): a swing is a local maximum.
    """
    rising = np.diff(distance, axis=0)
    peaks = ((rising[:-1] > 0) & (rising[1:] <= 0)).sum(axis=0)
    return 100 * peaks.mean(axis=-1) / len(distance)


def swing_depth(distance):
    """Standard deviation over mean of a boid's distance from the center of its neighbors, over a span."""
    return (distance.std(axis=0) / np.maximum(distance.mean(axis=0), 1e-12)).mean(axis=-1)
