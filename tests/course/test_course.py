"""What presets of collective states show, and what a picture of docs/course/ shows."""

from itertools import combinations, islice
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.simulation.measures import measure
from boidsgen.simulation.run import simulate
from docs.programs.course_numbers import surroundings

SEEDS = [pytest.param(range(1, 4), id="short"), pytest.param(range(1, 21), id="full", marks=pytest.mark.slow)]
COURSE = Path(__file__).parents[2] / "docs" / "course"


def at_the_end(name, *names, **overrides):
    """Measures of the last frame of one run."""
    *_, last = simulate(load_scenario(name, overrides=overrides))
    return list(measure(last, names).values())


@pytest.mark.parametrize(
    ("state", "polarized", "rotating"),
    [("swarm", False, False), ("torus", False, True), ("parallel", True, False), ("highly-parallel", True, False)],
)
def test_four_collective_states(state, polarized, rotating):
    """Couzin's four states are told apart by polarization and rotation, with the thresholds in use: 0.7 and 0.5."""
    polarization, rotation = at_the_end(f"couzin-{state}", "polarization", "rotation")

    assert (polarization > 0.7, rotation > 0.5) == (polarized, rotating)


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize(("weight", "ordered"), [(0.1, True), (0.2, True), (0.6, False), (0.8, False)])
def test_vicsek_transition(seeds, weight, ordered):
    """Noise turns order into disorder, steeply: from more than 0.8 to less than 0.35 between weights 0.2 and 0.6."""
    keys = {"flock.noise.weight": weight, "time.warmup": 600, "time.frames": 150}
    order = median(at_the_end("vicsek", "polarization", **keys, seed=seed)[0] for seed in seeds)

    assert order > 0.8 if ordered else order < 0.35


def test_the_picture_shows_an_edge_and_an_inside():
    """The two boids in focus in interior.png are what their labels say."""
    pull, lopsided, number = surroundings(list(simulate(load_scenario("quickstart")))[140])
    edge, inside = 33, 13

    assert min(number[edge], number[inside]) >= 3
    assert lopsided[edge] > 0.6
    assert lopsided[inside] < 0.3
    assert pull[edge] > 2 * pull[inside]


def test_five_programs_have_one_start():
    """The five texts' models begin at the same places with the same headings, and then part."""
    runs = [simulate(load_scenario(str(path))) for path in sorted((COURSE / "five").glob("*.toml"))]
    states = [list(islice(run, 60)) for run in runs]
    first, last = ([each[frame].flocks[0] for each in states] for frame in (0, 59))
    ways = [flock.velocity / np.linalg.norm(flock.velocity, axis=1)[:, None] for flock in first]

    assert len(runs) == 5
    for flock, way in zip(first[1:], ways[1:], strict=True):
        np.testing.assert_array_equal(flock.position, first[0].position)
        np.testing.assert_allclose(way, ways[0], atol=1e-12)
    for one, other in combinations(last, 2):
        assert np.abs(one.position - other.position).max() > 5
