"""The family of small presets concept-*: each caption is a claim, and each claim a measure over seeds.

Bounds hold for every single seed, not for the median only that the course page gives.
"""

from functools import cache

import numpy as np

from boidsgen import load_scenario
from boidsgen.simulation.measures import measure
from boidsgen.simulation.run import simulate

WORLD = np.array([480.0, 360.0])


@cache
def played(name, seed, changes=()):
    """All groups of one run by name: positions and velocities, (frames, n, 2) each."""
    states = list(simulate(load_scenario(f"concept-{name}", overrides={**dict(changes), "seed": seed})))
    frames = [(*state.flocks, *state.predators) for state in states]
    return {
        groups[0].name: tuple(np.array([getattr(group, what) for group in groups]) for what in ("position", "velocity"))
        for groups in zip(*frames, strict=True)
    }


def size(vectors):
    """The lengths of vectors, (..., 2)."""
    return np.linalg.norm(vectors, axis=-1)


def unit(vectors):
    """The directions of vectors, (..., 2); zero stays zero."""
    return vectors / np.maximum(size(vectors), 1e-12)[..., None]


def across_edges(offset):
    """Offsets by the shortest way on the torus that these presets fly on."""
    return offset - WORLD * np.round(offset / WORLD)


def nearest(position, others):
    """How far each is from the nearest of the others, (frames, n)."""
    return size(position[:, :, None] - others[:, None, :]).min(axis=-1)


def test_seek_flies_past_the_goal_and_comes_back(seeds):
    """Every boid passes the goal at full speed, gets more than 80 units beyond it, and passes it again."""
    for seed in seeds:
        position, velocity = played("seek", seed)["moths"]
        away = size(position - (240, 170))
        passed = (away[1:-1] < away[:-2]) & (away[1:-1] <= away[2:]) & (away[1:-1] < 5)
        for boid, first in enumerate(passed.argmax(axis=0) + 1):
            assert size(velocity[first, boid]) > 4.4
            assert away[first:, boid].max() > 80
        assert passed.sum(axis=0).min() >= 2


def test_arrive_comes_to_rest_on_the_goal(seeds):
    """Before the goals move, and at the end: everyone at rest within half a unit of its goal, after flying fast."""
    goals = {"left": [(110, 250), (100, 120)], "middle": [(240, 110), (240, 270)], "right": [(370, 250), (380, 120)]}
    for seed in seeds:
        for name, (before, after) in goals.items():
            position, velocity = played("arrive", seed)[name]
            for frame, goal in ((119, before), (239, after)):
                assert size(velocity[frame]).max() < 0.1
                assert size(position[frame] - goal).max() < 0.5
            assert size(velocity).max() > 3


def test_flee_leaves_the_hunter_alone(seeds):
    """From frame 30 on nobody is within 40 units of the hunter, and few within 80, where one boid in eight would be."""
    by_chance = np.pi * 80**2 / WORLD.prod()
    for seed in seeds:
        found = played("flee", seed)
        apart = size(across_edges(found["prey"][0] - found["hunter"][0]))[30:]
        assert apart.min() > 40
        assert (apart < 80).mean() < by_chance / 3


def test_wander_bends_smoothly_and_leads_away(seeds):
    """Nobody turns by more than 20° in a frame, all turn, and the mean distance from the start keeps growing."""
    for seed in seeds:
        position, velocity = played("wander", seed)["boids"]
        turn = np.abs(np.diff(np.unwrap(np.arctan2(velocity[..., 1], velocity[..., 0]), axis=0), axis=0))
        moved = size(position - position[0]).mean(axis=1)
        assert np.degrees(turn).max() < 20
        assert np.degrees(turn.sum(axis=0)).min() > 180
        assert moved[239] > moved[120] > moved[60]


def meeting(seed, hunter):
    """The first frame in which a hunter is within 8 units of its prey."""
    found = played("pursuit", seed)
    return int((size(found["prey"][0] - found[hunter][0])[:, 0] < 8).argmax())


def test_pursuit_meets_before_seek(seeds):
    """Who aims at where the prey will be meets it in less than three quarters of the time."""
    for seed in seeds:
        assert 0 < meeting(seed, "pursuit") < 0.75 * meeting(seed, "seek")


def passing(seed, flock, hunter):
    """How near the hunter comes to each boid, (n,)."""
    found = played("evasion", seed)
    return size(across_edges(found[flock][0] - found[hunter][0])).min(axis=0)


def test_evasion_keeps_farther_than_flee(seeds):
    """In the mean over a flock evading keeps the hunter farther away in every run, and so does its unluckiest boid."""
    fleeing = np.array([passing(seed, "fleeing", "upper hunter") for seed in seeds])
    evading = np.array([passing(seed, "evading", "lower hunter") for seed in seeds])

    assert (evading.mean(axis=1) > fleeing.mean(axis=1)).mean() >= 0.9
    assert np.median(evading.min(axis=1)) > 1.4 * np.median(fleeing.min(axis=1))


def along_the_road(position, velocity):
    """Distance of each boid from the middle of the road, and the cosine between its flight and the nearest leg."""
    points = load_scenario("concept-path-following").flock[0].follow_path.points
    corner = np.array((*points, points[0]))
    leg = np.diff(corner, axis=0)
    offset = position[:, :, None] - corner[:-1]
    part = np.clip((offset * leg).sum(axis=-1) / size(leg) ** 2, 0, 1)
    apart = size(offset - part[..., None] * leg)
    cosine = (unit(velocity)[:, :, None] * unit(leg)).sum(axis=-1)
    return apart.min(axis=-1), np.take_along_axis(cosine, apart.argmin(axis=-1)[..., None], axis=-1)[..., 0]


def test_path_following_stays_on_the_road(seeds):
    """Boids start anywhere; from frame 80 on nobody leaves the road, 24 to each side, and they fly along it."""
    for seed in seeds:
        apart, cosine = along_the_road(*played("path-following", seed)["boids"])
        assert apart[0].max() > 24
        assert apart[80:].max() < 24
        assert (cosine[80:] > 0).mean() > 0.95


def test_followers_stay_behind_their_leader(seeds):
    """From frame 120 on the followers are 30 to 60 units behind the leader in the middle, 95 % behind it, none lost."""
    for seed in seeds:
        found = played("leader-following", seed)
        (leader, course), (followers, _) = found["leader"], found["followers"]
        offset = (followers - leader)[120:]
        ahead = (offset * unit(course)[120:]).sum(axis=-1)
        assert -60 < np.median(ahead) < -30
        assert (ahead < 0).mean() > 0.95
        assert 10 < size(offset).min() < size(offset).max() < 120


def lag(first, second):
    """By how many frames the second direction of flight comes after the first: where they agree best."""
    return max(range(100), key=lambda late: (first[: len(first) - late] * second[late:]).sum(axis=-1).mean())


def test_turns_run_down_the_hierarchy(seeds):
    """The captains turn after the leader, the soldiers after the captains, and soldiers keep to captains."""
    for seed in seeds:
        found = played("hierarchy", seed)
        way = {name: unit(unit(velocity).sum(axis=1))[60:] for name, (_, velocity) in found.items()}
        assert 5 < lag(way["leader"], way["captains"]) < lag(way["leader"], way["soldiers"]) - 5
        captain = np.median(nearest(found["soldiers"][0], found["captains"][0])[120:])
        leader = np.median(nearest(found["soldiers"][0], found["leader"][0])[120:])
        assert captain < leader / 2


def test_avoidance_keeps_everybody_out(seeds):
    """Nobody is ever inside a disc; without the look ahead nearly everybody flies through one."""
    blind = (("flock.avoid.weight", 0.0),)
    for seed in seeds:
        assert to_discs(seed).min() > 5
        assert (to_discs(seed, blind).min(axis=0) < 0).mean() > 0.5


def to_discs(seed, changes=()):
    """How far each boid is from the rim of the nearest disc, (frames, n)."""
    discs = load_scenario("concept-avoidance").obstacles
    position, _ = played("avoidance", seed, changes)["boids"]
    return np.min([size(position - disc.center) - disc.radius for disc in discs], axis=0)


def judged(name, seed):
    """Mean distance to the nearest neighbor and polarization of every frame."""
    for state in simulate(load_scenario(f"concept-{name}", overrides={"seed": seed})):
        found = measure(state, ["nearest_neighbor_distance", "polarization"])
        yield found["nearest_neighbor_distance"], found["polarization"]


def test_separation_spreads_the_crowd(seeds):
    """Until it is switched on they fly in a bunch; 60 frames later the nearest neighbor is over three times as far."""
    for seed in seeds:
        spacing, polarization = zip(*judged("separation", seed), strict=True)
        assert polarization[59] > 0.99
        assert spacing[120] > 3 * spacing[59]
        assert spacing[239] > 35


def test_alignment_turns_all_headings_into_one(seeds):
    """Until it is switched on headings are random; at the end all fly one way, and none has been gathered for it."""
    for seed in seeds:
        spacing, polarization = zip(*judged("alignment", seed), strict=True)
        assert polarization[59] < 0.4
        assert polarization[239] > 0.95
        assert spacing[239] > 15


def test_cohesion_gathers_but_does_not_align(seeds):
    """The nearest neighbor comes to less than three quarters of its distance, and headings stay as they were: mixed."""
    for seed in seeds:
        spacing, polarization = zip(*judged("cohesion", seed), strict=True)
        assert spacing[239] < 0.75 * spacing[59]
        assert polarization[239] < 0.5
