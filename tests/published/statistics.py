"""Five statistics of a flock, and their mean and standard error over seeds.

Positions and velocities have shape (N, d). `size` is None in an open world, else the sides of a periodic one.
"""

import math

import numpy as np


def distances(positions, size=None):
    """Distances (N, N) of all pairs, by the nearest image where the world is periodic; infinite of one to itself."""
    offsets = positions[np.newaxis] - positions[:, np.newaxis]
    if size is not None:
        offsets = offsets - np.asarray(size) * np.round(offsets / np.asarray(size))
    found = np.sqrt((offsets**2).sum(axis=-1))
    np.fill_diagonal(found, math.inf)
    return found


def polarization(velocities):
    """Length of the mean unit velocity, in [0, 1], without those that do not move."""
    speeds = np.sqrt((velocities**2).sum(axis=-1))
    moving = speeds > 0
    units = velocities[moving] / speeds[moving, np.newaxis]
    return float(np.sqrt((units.mean(axis=0) ** 2).sum())) if moving.any() else 0.0


def mean_speed(velocities):
    """Mean length of the velocities, those that do not move included."""
    return float(np.sqrt((velocities**2).sum(axis=-1)).mean())


def nearest_distance(positions, size=None):
    """Mean distance to the nearest other one."""
    return float(distances(positions, size).min(axis=1).mean())


def neighbors(positions, view, size=None):
    """Mean number of others within the view, its edge included."""
    return float((distances(positions, size) <= view).sum(axis=1).mean())


def groups(positions, view, size=None):
    """Number of groups by single linkage: chains of neighbors within the view."""
    linked = distances(positions, size) <= view
    left, found = set(range(len(positions))), 0
    while left:
        found += 1
        front = [left.pop()]
        while front:
            reached = left.intersection(np.flatnonzero(linked[front.pop()]).tolist())
            left -= reached
            front.extend(reached)
    return found


def measure(positions, velocities, view, size=None):
    """All five by name."""
    return {
        "polarization": polarization(velocities),
        "mean_speed": mean_speed(velocities),
        "nearest_distance": nearest_distance(positions, size),
        "neighbors": neighbors(positions, view, size),
        "groups": groups(positions, view, size),
    }


def over_seeds(samples):
    """Mean and standard error of each statistic; `samples` has one dictionary of `measure` per seed, two at least."""
    found = {}
    for name in samples[0]:
        values = np.array([sample[name] for sample in samples], dtype=float)
        found[name] = (float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values))))
    return found
