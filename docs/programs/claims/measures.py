"""Measures of one recorded run, by the names that claims use, independent of those of the package.

`NAME at N` is a measure of frame N; a measure without a frame is the mean over the last fifty frames, of which every
fifth counts. Measures of a whole run are in `WHOLE`. "Near" is within the preset's perception radius.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

SPAN, EVERY = 50, 5
SEPARATION_000 = 25
"""How far separation reaches in document 000."""


@dataclass(frozen=True)
class Run:
    """One run: shapes (frames, n, d), sizes of the world (d,); `periods` is zero where the world does not repeat.

    `disc` and `fear` are the radii of the obstacle and of fear in document 002, by default those of its presets.
    """

    positions: np.ndarray
    velocities: np.ndarray
    hunters: np.ndarray
    periods: np.ndarray
    size: np.ndarray
    near: float
    disc: float = 60.0
    fear: float = 80.0

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


def shapes(run, frame):
    """For each group of five or more: members, length over width, |cos| between axis and flight, radius of gyration."""
    first = run.labels(frame)
    for number in np.flatnonzero(np.bincount(first) >= 5):
        members = first == number
        across = run.wrapped(run.positions[frame][members] - run.positions[frame][number])
        across = across - across.mean(axis=0)
        spread, axes = np.linalg.eigh(across.T @ across / len(across))
        heading = unit(run.velocities[frame][members].mean(axis=0))
        long = np.sqrt(max(spread[-1], 1e-12) / max(spread[0], 1e-12))
        yield members.sum(), long, abs(axes[:, -1] @ heading), np.sqrt(spread.sum())


def group_shape(which):
    """Mean of one column of `shapes` over all boids in such groups."""

    def measure(run, frame):
        rows = np.array(list(shapes(run, frame)))
        return np.average(rows[:, which], weights=rows[:, 0]) if len(rows) else np.nan

    return measure


def lanes(run, frame):
    """Number of groups that are at least twice as long as wide, with the long axis within 45 degrees of flight."""
    return sum(long >= 2 and along >= np.sqrt(0.5) for _, long, along, _ in shapes(run, frame))


def spacing_in_groups(run, frame):
    """Mean distance to the nearest boid, over all that have one within reach."""
    nearest = run.distances(frame).min(axis=-1)
    return nearest[nearest < run.near].mean()


def unevenness(run, frame):
    """Standard deviation over mean of the distance to the nearest boid."""
    nearest = run.distances(frame).min(axis=-1)
    return nearest.std() / nearest.mean()


def between_any_two(apart):
    """The distances of all pairs, each once."""
    return apart[np.triu_indices(len(apart), 1)]


def with_neighbors(run, frame):
    """True for a boid that has a neighbor."""
    return run.distances(frame).min(axis=-1) < run.near


INSTANT = {
    "polarization": lambda run, frame: length(unit(run.velocities[frame]).mean(axis=0)),
    "local polarization": local_polarization,
    "spread": lambda run, frame: between_any_two(run.distances(frame)).mean(),
    "off center": lambda run, frame: length(run.to_neighbors(frame))[with_neighbors(run, frame)].mean(),
    "groups": lambda run, frame: len(np.unique(run.labels(frame))),
    "largest group": lambda run, frame: np.bincount(run.labels(frame)).max() / len(run.positions[frame]),
    "spacing": lambda run, frame: run.distances(frame).min(axis=-1).mean(),
    "speed": lambda run, frame: length(run.velocities[frame]).mean(),
    "from center": lambda run, frame: length(run.positions[frame] - run.positions[frame].mean(axis=0)).mean(),
    "near the middle": lambda run, frame: (length(run.positions[frame] - run.size / 2) < 100).mean(),
    "from middle": lambda run, frame: length(run.positions[frame] - run.size / 2).mean(),
    "elongation": group_shape(1),
    "along flight": group_shape(2),
    "gyration": group_shape(3),
    "spacing in groups": spacing_in_groups,
    "unevenness": unevenness,
    "share alone": lambda run, frame: (run.distances(frame).min(axis=-1) >= run.near).mean(),
}
"""Measures of one frame."""


def swings(run):
    """Number of times in a hundred frames that a boid turns back toward the center of its neighbors."""
    return 100 * turning_points(run).sum(axis=0).mean() / SPAN


def swings_across(run):
    """Share of the times that a boid turns back toward that center on the other side than the time before."""
    offset, turning = to_neighbors(run), turning_points(run)
    across = pairs = 0
    for boid in range(offset.shape[1]):
        ends = offset[1:-1, boid][turning[:, boid]]
        across += ((ends[1:] * ends[:-1]).sum(axis=-1) < 0).sum()
        pairs += max(len(ends) - 1, 0)
    return across / pairs if pairs else np.nan


def swing_depth(run):
    """Standard deviation over mean of a boid's distance from the center of its neighbors."""
    distance = length(to_neighbors(run))
    return (distance.std(axis=0) / np.maximum(distance.mean(axis=0), 1e-12)).mean()


def turning_points(run):
    """True where the distance from the center of the neighbors is greatest for a while, shape (frames - 2, n)."""
    rising = np.diff(length(to_neighbors(run)), axis=0) > 0
    return rising[:-1] & ~rising[1:]


def to_neighbors(run):
    """Vector from each boid to the center of its neighbors in the last frames, shape (frames, n, d)."""
    return np.array([run.to_neighbors(frame) for frame in range(-SPAN, 0)])


def alone(run, frame):
    """True for a boid without neighbors in this frame and the next, with room to spare for what moves in between."""
    return (run.distances(frame).min(axis=-1) > 1.2 * run.near) & (run.distances(frame + 1).min(axis=-1) > run.near)


def change_of_speed(of_the_lonely):
    """Mean change of speed in a frame, of boids without neighbors or of all others."""

    def measure(run):
        rows = []
        for frame in range(-SPAN, -1):
            change = abs(length(run.velocities[frame + 1]) - length(run.velocities[frame]))
            rows.append(change[alone(run, frame) == of_the_lonely])
        return np.concatenate(rows).mean()

    return measure


def frames_to_merge(run):
    """Frames from the first contact of two groups until they are one and their headings within five degrees.

    The number of all frames where they never are.
    """
    half = run.velocities.shape[1] // 2
    headings = unit(np.stack([run.velocities[:, :half].mean(axis=1), run.velocities[:, half:].mean(axis=1)]))
    alike = (headings[0] * headings[1]).sum(axis=-1) > np.cos(np.radians(5))
    one = np.array([INSTANT["largest group"](run, frame) == 1 for frame in range(len(alike))])
    met = np.argmax(one)
    merged_at = met + np.argmax((one & alike)[met:])
    return merged_at - met if (one & alike)[merged_at] else len(alike)


def lag_of_the_tail(run):
    """Frames by which the rear quarter heads most nearly where the front quarter headed: up to 100, within the run."""
    ends = []
    for place, velocity in zip(run.positions[SPAN:], run.velocities[SPAN:], strict=True):
        ahead = np.argsort(run.wrapped(place - place[0]) @ unit(velocity).mean(axis=0))
        quarter = len(ahead) // 4
        ends.append([unit(velocity[part].mean(axis=0)) for part in (ahead[-quarter:], ahead[:quarter])])
    front, rear = np.array(ends).swapaxes(0, 1)
    lags = range(min(101, len(front)))
    return np.argmax([(front[: len(front) - lag] * rear[lag:]).sum(axis=-1).mean() for lag in lags])


def turn(run):
    """Mean angle between successive velocities of the same boid, in degrees; without those at rest."""
    angles = []
    for before, after in pairwise(run.velocities[-SPAN:]):
        moving = (length(before) > 0) & (length(after) > 0)
        cosine = np.clip((unit(before) * unit(after)).sum(axis=-1), -1, 1)
        angles.append((np.degrees(np.arccos(cosine)) * moving).sum() / max(moving.sum(), 1))
    return np.mean(angles)


def hunted(run):
    """Distances from the predator over the last two thirds of its stay in document 002, shape (frames, n)."""
    here = present(run)
    apart = length(run.wrapped(run.positions[here] - run.hunters[here][:, :1]))[:-1]
    return apart[len(apart) // 3 :]


def steering_away(run):
    """Mean cosine between the change of velocity of a boid within its fear radius and the direction away."""
    here = present(run)[:-1]
    away = run.wrapped(run.positions[here] - run.hunters[here + 1][:, :1])  # predators move first
    change = unit(run.velocities[here + 1] - run.velocities[here])
    return (change * unit(away)).sum(axis=-1)[length(away) < run.fear].mean()


def present(run):
    """Numbers of the frames in which there are predators."""
    return np.flatnonzero(np.isfinite(run.hunters[:, 0, 0]))


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


def rounds(run):
    """Rounds about the middle of the world, in the plane of the first two axes; of the predator with the fewest."""
    arm = (run.hunters - run.size / 2)[..., :2]
    swept = np.unwrap(np.arctan2(arm[..., 1], arm[..., 0]), axis=0)
    return (abs(swept[-1] - swept[0]) / (2 * np.pi)).min()


def approach_of_pairs(run):
    """Mean distance after ten frames, over that in the first frame, of all pairs that are within reach then."""
    before, after = (between_any_two(run.distances(frame)) for frame in (0, 10))
    return after[before < run.near].mean() / before[before < run.near].mean()


def longest_step(run):
    """The longest way of any boid in a frame."""
    return max(length(run.wrapped(after - before)).max() for before, after in pairwise(run.positions))


def push(least, most):
    """Mean change of velocity in a frame of boids that are pushed, the nearest so far off, in separation distances."""

    def measure(run):
        changes = []
        for frame in range(len(run.positions) - 1):
            nearest = run.distances(frame).min(axis=-1) / SEPARATION_000
            change = length(run.velocities[frame + 1] - run.velocities[frame])
            changes.append(change[(change > 0) & (least <= nearest) & (nearest < most)])
        return np.concatenate(changes).mean()

    return measure


def in_the_disc(run):
    """Share of boids and frames within the obstacle of document 002, after the first quarter."""
    return (length(run.positions[len(run.positions) // 4 :] - run.size / 2) < run.disc).mean()


def share_inside(places, size):
    """Share of places and frames within the world."""
    return ((places >= 0) & (places <= size)).all(axis=-1).mean()


WHOLE = {
    "turn": turn,
    "lag of the tail": lag_of_the_tail,
    "swings": swings,
    "share of swings across": swings_across,
    "swing depth": swing_depth,
    "rounds": rounds,
    "approach of pairs": approach_of_pairs,
    "longest step": longest_step,
    "push, near": push(0, 1 / 3),
    "push, comfortable": push(2 / 3, 1),
    "inside the disc": in_the_disc,
    "nearest predator in the hunt": lambda run: hunted(run).min(axis=1).mean(),
    "steering away": steering_away,
    "largest group at the least": lambda run: min(
        INSTANT["largest group"](run, frame) for frame in range(*present(run)[[0, -1]] + 1)
    ),
    "share inside": lambda run: share_inside(run.positions[1:], run.size),
    "merged": merged,
    "merged in heading": lambda run: float(frames_to_merge(run) < len(run.positions)),
    "frames to merge": frames_to_merge,
    "two or three lanes": lambda run: float(2 <= lanes(run, -1) <= 3),
    "closest approach": lambda run: min(run.distances(frame).min() for frame in range(1, len(run.positions))),
    "change of speed, alone": change_of_speed(of_the_lonely=True),
    "change of speed, in company": change_of_speed(of_the_lonely=False),
    "pull at the rim": pull(at_the_rim=True),
    "pull inside": pull(at_the_rim=False),
}
"""Measures of a whole run."""

SHARES = ("merged", "merged in heading", "two or three lanes")
"""Measures that are 1 or 0 in a run; over the seeds their mean stands for them, not their median."""


def measured(run, name):
    """The value of a measure, nan where it is not defined."""
    if name in WHOLE:
        return WHOLE[name](run)
    kind, _, frame = name.partition(" at ")
    frames = [int(frame)] if frame else range(-min(SPAN, len(run.positions)), 0, EVERY)
    values = np.array([INSTANT[kind](run, number) for number in frames], float)
    return np.nan if np.isnan(values).all() else np.nanmean(values)
