"""Document 002's exercises that stage something: an obstacle, a predator, soft edges, two groups, rim and middle."""

import numpy as np

from tests.sources import measures
from tests.sources.rules_002 import CANONICAL, LIVELY, MAX_SPEED, SIZE, beginning, bounded, combined, flock, rules
from tests.sources.summary import recorded
from tests.sources.vectors import drawn, headings, length, limited, unit, wrapped

RADIUS, OBSTACLE_WEIGHT = 60, 2.5
FEAR, FEAR_WEIGHT, PREDATOR_SPEED = 100, 3.0, 2.0
MARGIN, PUSH = 50, 0.5
MIDDLE = SIZE / 2


def avoided(position, velocity):
    """The exercise's solution: unit(p - c) · (1.5 R - d)/d within 1.5 R, by the plain way, not across the edge."""
    del velocity
    away = position - MIDDLE
    apart = length(away)[..., None]
    strength = np.where((apart > 0) & (apart < 1.5 * RADIUS), (1.5 * RADIUS - apart) / np.maximum(apart, 1e-9), 0.0)
    return OBSTACLE_WEIGHT * unit(away) * strength


def inside(positions, radius):
    """Share of boids and frames within a radius of the middle."""
    return (length(positions - MIDDLE) < radius).mean(axis=(0, 2))


def obstacle(seeds, frames):
    """With the fourth rule and without: how much of the time boids spend inside the disc and inside its reach."""
    found = {}
    for name, extra in (("with", avoided), ("without", None)):
        positions, _ = recorded(flock(seeds, reading=LIVELY, frames=frames, extra=extra))
        found |= about_the_disc(positions, name)
    return found


def about_the_disc(positions, name):
    """The measures of the obstacle, with it or without it, shape (frames, runs, n, 2)."""
    late = positions[len(positions) // 4 :]
    return {f"inside the disc, {name}": inside(late, RADIUS), f"within reach, {name}": inside(late, 1.5 * RADIUS)}


def predator(seeds, frames):
    """A slow predator after the nearest boid; all within its fear radius flee it, straight away.

    The document gives no numbers: a slow predator and a large radius, says its earlier edition.
    """
    position, velocity, hunter = drawn(
        seeds, lambda random: (*beginning(LIVELY, 50)(random), random.random((1, 2)) * SIZE)
    )
    places, hunters = [position], [hunter]
    for _ in range(frames):
        away = wrapped(position - hunter, SIZE)
        apart = length(away)
        fear = FEAR_WEIGHT * limited(unit(away), LIVELY.largest) * (apart < FEAR)[..., None]
        drive = combined(LIVELY, CANONICAL, rules(LIVELY, position, velocity)) + fear
        velocity = bounded(LIVELY, velocity + drive)
        position = (position + velocity) % SIZE
        chased = np.take_along_axis(away, apart.argmin(axis=1)[:, None, None], axis=1)
        hunter = (hunter + unit(chased) * PREDATOR_SPEED) % SIZE
        places.append(position)
        hunters.append(hunter)
    return about_the_hunt(np.stack(places), np.stack(hunters))


def about_the_hunt(positions, hunters):
    """The measures of a hunt from its beginning: shapes (frames, runs, n, 2) and (frames, runs, predators, 2)."""
    apart = length(wrapped(positions - hunters[:, :, :1], SIZE))[:-1]
    groups = [measures.groups(place, SIZE, 50) for place in positions[1:]]
    near, kept = apart.min(axis=-1), (apart < FEAR).mean(axis=-1)
    late = slice(len(apart) // 3, None)
    return {
        "groups": np.mean(groups[late], axis=0),
        "changes of groups": 100 * (np.diff(groups[late], axis=0) != 0).mean(axis=0),
        "nearest predator": np.mean(near[late], axis=0),
        "share within fear": np.mean(kept[late], axis=0),
        "share within fear by chance": np.full(positions.shape[1], np.pi * FEAR**2 / SIZE.prod()),
    }


def softened(seeds, frames):
    """Bounded edges with a soft push inward, on an open plane: nobody sees across, nobody is put elsewhere."""
    position, velocity = drawn(seeds, beginning(LIVELY, 50))
    places = []
    for _ in range(frames):
        depth = np.clip(1 - position / MARGIN, 0, None) - np.clip(1 - (SIZE - position) / MARGIN, 0, None)
        drive = combined(LIVELY, CANONICAL, rules(LIVELY, position, velocity, np.array([np.inf, np.inf])))
        velocity = bounded(LIVELY, velocity + drive + PUSH * depth)
        position = position + velocity
        places.append(position)
    return about_the_edges(np.stack(places))


def about_the_edges(positions):
    """How many boids are on the canvas, shape (frames, runs, n, 2)."""
    shares = ((positions >= 0) & (positions <= SIZE)).all(axis=-1).mean(axis=-1)
    return {"share inside": shares.mean(axis=0), "furthest out": np.ptp(shares, axis=0)}


def two_groups(angle, count=12):
    """A function that draws two groups of one flock, 160 apart, whose headings differ by `angle` degrees."""

    def draw(random):
        half = np.radians(angle) / 2
        places, flights = [], []
        for side in (-1, 1):
            center = MIDDLE + np.array([0.0, 80.0 * side]) if angle < 180 else MIDDLE + np.array([100.0 * side, 0.0])
            way = np.array([np.cos(half), -side * np.sin(half)]) if angle < 180 else np.array([-side * 1.0, 0.0])
            disc = headings(random, count, 22 * np.sqrt(random.random(count)))
            places.append(center + disc)
            flights.append(np.tile(way * 0.75 * MAX_SPEED, (count, 1)))
        return np.concatenate(places), np.concatenate(flights)

    return draw


def meeting(angle):
    """A case's `run`: what becomes of two groups that meet at an angle.

    Merged: one group holds 80 % of all and flies alike. Passed: two groups that fly the ways they came. Tangled: else.
    """

    def run(seeds, frames):
        positions, velocities = recorded(flock(seeds, CANONICAL, LIVELY, frames, count=24, start=two_groups(angle)))
        return outcome(positions, velocities)

    return run


def outcome(positions, velocities):
    """What has become of two groups, shape (frames, runs, n, 2) each."""
    place, flight = positions[-1], velocities[-1]
    together = measures.largest_group(place, SIZE, 50) >= 0.8
    alike = measures.polarization(flight) >= 0.9
    kept = np.array([kept_course(run_, flight[number]) for number, run_ in enumerate(velocities[0])])
    merged, passed = together & alike, ~(together & alike) & (kept > 0.7)
    return {
        "merged": 1.0 * merged,
        "passed": 1.0 * passed,
        "tangled": 1.0 * ~(merged | passed),
        "polarization": measures.polarization(flight),
        "largest group": measures.largest_group(place, SIZE, 50),
        "kept course": kept,
    }


def kept_course(before, after):
    """Mean cosine between where the boids flew and where they fly."""
    return float((unit(before) * unit(after)).sum(axis=-1).mean())


def edge_and_interior(seeds, frames):
    """Cohesion of boids on the rim of their group against those inside, and which way it points."""
    positions, _ = recorded(flock(seeds, CANONICAL, LIVELY, frames))
    return pulls(positions)


def pulls(positions):
    """The strength of cohesion at the rim and inside, shape (frames, runs, n, 2), in the second half of the frames.

    A boid is on the rim when all its neighbors lie within a half plane: the mean direction to them is long.
    """
    rows = {"pull at the rim": [], "pull inside": [], "share at the rim": []}
    for place in positions[len(positions) // 2 :: 10]:
        seen = measures.distances(place, SIZE) < 50
        toward = unit(measures.offsets(place, SIZE))
        lopsided = length((toward * seen[..., None]).sum(axis=2)) / np.maximum(seen.sum(axis=-1), 1)
        pull = length(measures.to_neighbors(place, SIZE, 50))
        social = seen.sum(axis=-1) >= 3
        rim, core = social & (lopsided > 0.6), social & (lopsided < 0.3)
        rows["pull at the rim"].append((pull * rim).sum(axis=1) / np.maximum(rim.sum(axis=1), 1))
        rows["pull inside"].append((pull * core).sum(axis=1) / np.maximum(core.sum(axis=1), 1))
        rows["share at the rim"].append(rim.sum(axis=1) / np.maximum(social.sum(axis=1), 1))
    return {name: np.mean(values, axis=0) for name, values in rows.items()}
