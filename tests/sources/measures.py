"""Measures of one recorded run, by the names that claims use, independent of those of the package.

`NAME at N` is a measure of frame N; a measure without a frame is the mean over the last fifty frames, of which every
fifth counts. Measures of a whole run are in `WHOLE`. "Near" is within the preset's perception radius.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

SPAN, EVERY = 50, 5
MIDDLE_001 = 50.0
MIDDLE_002, SIZE_002, DISC_002, FEAR_002 = 200.0, 400.0, 60.0, 100.0
"""Numbers of the documents 001 and 002: the middle of the world, and the radii of the obstacle and of fear."""


@dataclass(frozen=True)
class Run:
    """One run: shapes (frames, n, d); `periods` is zero where the world does not repeat."""

    positions: np.ndarray
    velocities: np.ndarray
    hunters: np.ndarray
    periods: np.ndarray
    near: float

    def wrapped(self, offset):
        """The minimum-image offset."""
        repeating = self.periods > 0
        return offset - np.where(repeating, self.periods * np.rint(offset / np.where(repeating, self.periods, 1.0)), 0)

    def offsets(self, frame):
        """From each boid to each other one, shape (n, n, d)."""
        place = self.positions[frame]
        return self.wrapped(place[None] - place[:, None])

    def distances(self, frame):
        """Between all boids, shape (n, n); a boid is infinitely far from itself."""
        apart = length(self.offsets(frame))
        np.fill_diagonal(apart, np.inf)
        return apart

    def to_neighbors(self, frame):
        """Vector from each boid to the center of its neighbors, zero without neighbors, shape (n, d)."""
        seen = self.distances(frame) < self.near
        total = (self.offsets(frame) * seen[..., None]).sum(axis=1)
        return total / np.maximum(seen.sum(axis=1), 1)[:, None]

    def labels(self, frame):
        """For each boid the first boid of its group; a chain of neighbors joins a group."""
        seen = self.distances(frame) < self.near
        first = np.arange(len(seen))
        while True:
            lower = np.minimum(first, np.where(seen, first, len(seen)).min(axis=-1))
            if (lower == first).all():
                return first
            first = lower


def length(vectors):
    """Euclidean lengths of the last axis."""
    return np.sqrt((vectors**2).sum(axis=-1))


def unit(vectors):
    """Unit vectors; zero stays zero."""
    size = length(vectors)[..., None]
    return np.divide(vectors, size, out=np.zeros_like(vectors), where=size > 0)


def local_polarization(run, frame):
    """Mean polarization of each boid with its neighbors, over all that have one."""
    seen = run.distances(frame) < run.near
    flight = unit(run.velocities[frame])
    own = length(seen @ flight + flight) / (seen.sum(axis=1) + 1)
    return own[seen.any(axis=1)].mean() if seen.any() else 0.0


def group_shape(which):
    """Length over width of groups of five or more, |cos| between axis and flight, or radius of gyration."""

    def measure(run, frame):
        first = run.labels(frame)
        rows, weights = [], []
        for number in np.flatnonzero(np.bincount(first) >= 5):
            members = first == number
            across = run.wrapped(run.positions[frame][members] - run.positions[frame][number])
            across = across - across.mean(axis=0)
            spread, axes = np.linalg.eigh(across.T @ across / len(across))
            heading = unit(run.velocities[frame][members].mean(axis=0))
            long = np.sqrt(max(spread[-1], 1e-12) / max(spread[0], 1e-12))
            rows.append((long, abs(axes[:, -1] @ heading), np.sqrt(spread.sum()))[which])
            weights.append(members.sum())
        return np.average(rows, weights=weights) if rows else np.nan

    return measure


INSTANT = {
    "polarization": lambda run, frame: length(unit(run.velocities[frame]).mean(axis=0)),
    "local polarization": local_polarization,
    "groups": lambda run, frame: len(np.unique(run.labels(frame))),
    "largest group": lambda run, frame: np.bincount(run.labels(frame)).max() / len(run.positions[frame]),
    "spacing": lambda run, frame: run.distances(frame).min(axis=-1).mean(),
    "speed": lambda run, frame: length(run.velocities[frame]).mean(),
    "from center": lambda run, frame: length(run.positions[frame] - run.positions[frame].mean(axis=0)).mean(),
    "from middle": lambda run, frame: length(run.positions[frame] - MIDDLE_001).mean(),
    "nearest predator": lambda run, frame: length(run.positions[frame][:, None] - run.hunters[frame]).min(),
    "elongation": group_shape(0),
    "along flight": group_shape(1),
    "gyration": group_shape(2),
}
"""Measures of one frame."""


def swings(run):
    """Number of times in a hundred frames that a boid turns back toward the center of its neighbors."""
    rising = np.diff(depths(run), axis=0)
    return 100 * ((rising[:-1] > 0) & (rising[1:] <= 0)).sum(axis=0).mean() / SPAN


def swing_depth(run):
    """Standard deviation over mean of a boid's distance from the center of its neighbors."""
    distance = depths(run)
    return (distance.std(axis=0) / np.maximum(distance.mean(axis=0), 1e-12)).mean()


def depths(run):
    """Distance of each boid from the center of its neighbors in the last frames, shape (frames, n)."""
    return np.array([length(run.to_neighbors(frame)) for frame in range(-SPAN, 0)])


def turn(run):
    """Mean angle between successive velocities of the same boid, in degrees; without those at rest."""
    angles = []
    for before, after in pairwise(run.velocities[-SPAN:]):
        moving = (length(before) > 0) & (length(after) > 0)
        cosine = np.clip((unit(before) * unit(after)).sum(axis=-1), -1, 1)
        angles.append((np.degrees(np.arccos(cosine)) * moving).sum() / max(moving.sum(), 1))
    return np.mean(angles)


def hunted(run):
    """Distances from the first predator over the last two thirds of a run of document 002, shape (frames, n)."""
    apart = length(run.wrapped(run.positions - run.hunters[:, :1]))[:-1]
    return apart[len(apart) // 3 :]


def changes_of_groups(run):
    """Number of times in a hundred frames that the number of groups changes, over the last two thirds."""
    frames = range(1, len(run.positions))
    counts = [INSTANT["groups"](run, frame) for frame in frames]
    return 100 * (np.diff(counts[len(counts) // 3 :]) != 0).mean()


def merged(run):
    """1 if in the last frame one group holds 80 % of all and flies alike, else 0."""
    return float(INSTANT["largest group"](run, -1) >= 0.8 and INSTANT["polarization"](run, -1) >= 0.9)


def pull(at_the_rim):
    """Mean strength of cohesion at the rim or inside; at the rim the unit vectors to the neighbors hardly cancel."""

    def measure(run):
        rows = []
        for frame in range(len(run.positions) // 2, len(run.positions), 10):
            seen = run.distances(frame) < run.near
            lopsided = length((unit(run.offsets(frame)) * seen[..., None]).sum(axis=1)) / np.maximum(
                seen.sum(axis=1), 1
            )
            chosen = (seen.sum(axis=1) >= 3) & (lopsided > 0.6 if at_the_rim else lopsided < 0.3)
            rows.append((length(run.to_neighbors(frame)) * chosen).sum() / max(chosen.sum(), 1))
        return np.mean(rows)

    return measure


def in_the_disc(run):
    """Share of boids and frames within the obstacle of document 002, after the first quarter."""
    return (length(run.positions[len(run.positions) // 4 :] - MIDDLE_002) < DISC_002).mean()


WHOLE = {
    "turn": turn,
    "swings": swings,
    "swing depth": swing_depth,
    "extent x": lambda run: np.ptp(run.hunters[:, 0, 0]),
    "inside the disc": in_the_disc,
    "nearest predator in the hunt": lambda run: hunted(run).min(axis=1).mean(),
    "share within fear": lambda run: (hunted(run) < FEAR_002).mean(),
    "changes of groups": changes_of_groups,
    "share inside": lambda run: ((run.positions[1:] >= 0) & (run.positions[1:] <= SIZE_002)).all(axis=-1).mean(),
    "merged": merged,
    "pull at the rim": pull(at_the_rim=True),
    "pull inside": pull(at_the_rim=False),
}
"""Measures of a whole run."""


def measured(run, name):
    """The value of a measure, nan where it is not defined."""
    if name in WHOLE:
        return WHOLE[name](run)
    kind, _, frame = name.partition(" at ")
    frames = [int(frame)] if frame else range(-min(SPAN, len(run.positions)), 0, EVERY)
    values = np.array([INSTANT[kind](run, number) for number in frames], float)
    return np.nan if np.isnan(values).all() else np.nanmean(values)
