"""The reflection questions of the course page: who forms groups, edge against interior, one lucky seed.

The numbers on the page are medians of twenty seeds, measured by the slow form.
"""

from functools import cache
from statistics import median

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.simulation import simulate
from boidsgen.simulation.measures import measure

SHORT, FULL = range(1, 6), range(1, 21)


@pytest.fixture(params=[pytest.param(SHORT, id="short"), pytest.param(FULL, id="full", marks=pytest.mark.slow)])
def seeds(request):
    """The seeds over which a claim is measured."""
    return request.param


@cache
def played(seed, changes=()):
    """All states of one run of the quickstart."""
    return list(simulate(load_scenario("quickstart", overrides={**dict(changes), "seed": seed})))


def alone(rule):
    """What leaves one of the three rules alone."""
    return tuple((f"flock.{other}.weight", 0.0) for other in RULES if other != rule)


RULES = ("separation", "alignment", "cohesion")


def test_alignment_gathers_rather_than_cohesion(seeds):
    """After 200 frames cohesion alone leaves at least five groups that fly all ways, alignment alone two that agree."""
    ends = {rule: [measure(played(seed, alone(rule))[-1]) for seed in seeds] for rule in ("alignment", "cohesion")}

    assert median(end["groups"] for end in ends["cohesion"]) >= 5
    assert median(end["polarization"] for end in ends["cohesion"]) < 0.2
    assert median(end["groups"] for end in ends["alignment"]) <= 2
    assert median(end["polarization"] for end in ends["alignment"]) > 0.95


def surroundings(state, radius=50.0):
    """For each boid the distance to the center of its neighbors, how lopsided they lie (0 to 1), and their number."""
    position = state.flocks[0].position
    count, dimension = position.shape
    every = (position[None] - position[:, None]).reshape(-1, dimension)
    offset = state.setup.world.shortest(every).reshape(count, count, dimension)
    distance = np.linalg.norm(offset, axis=-1)
    seen = ((distance > 0) & (distance < radius))[..., None]
    number = np.maximum(seen.sum(axis=1), 1)
    direction = offset / np.maximum(distance, 1e-9)[..., None]
    pull, lopsided = (np.linalg.norm((each * seen).sum(axis=1) / number, axis=-1) for each in (offset, direction))
    return pull, lopsided, seen.sum(axis=(1, 2))


def pulls(state):
    """How far away the center of the neighbors is, for boids at the edge and for those inside.

    At the edge neighbors lie on one side: the mean of the directions to them is longer than 0.6; inside, shorter than
    0.3. Boids with fewer than three neighbors are neither.
    """
    pull, lopsided, number = surroundings(state)
    return pull[(number >= 3) & (lopsided > 0.6)], pull[(number >= 3) & (lopsided < 0.3)]


def test_the_pull_is_inward_at_the_edge(seeds):
    """In every run the center of the neighbors is over three times as far from boids at the edge."""
    for seed in seeds:
        found = [pulls(state) for state in played(seed)[100::20]]
        edge, inside = (np.concatenate(parts).mean() for parts in zip(*found, strict=True))
        assert edge > 3 * inside


def test_one_seed_teaches_the_wrong_lesson(seeds):
    """With more alignment seeds 1 and 2 are less aligned at frame 60, most seeds more."""
    heavier = (("flock.alignment.weight", 1.5),)
    light, heavy = ([polarized(seed, changes) for seed in seeds] for changes in ((), heavier))

    assert heavy[0] < light[0]
    assert heavy[1] < light[1]
    assert median(heavy) > median(light)


def polarized(seed, changes):
    """The polarization that frame 60, the last of sixty, shows."""
    return measure(played(seed, changes)[59], ["polarization"])["polarization"]


def test_the_picture_shows_an_edge_and_an_inside():
    """The two boids in focus in interior.png are what their labels say."""
    state = list(simulate(load_scenario("quickstart")))[140]
    pull, lopsided, number = surroundings(state)
    edge, inside = 33, 13

    assert min(number[edge], number[inside]) >= 3
    assert lopsided[edge] > 0.6
    assert lopsided[inside] < 0.3
    assert pull[edge] > 2 * pull[inside]
