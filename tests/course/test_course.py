"""What presets of collective states show, and what a picture of docs/course/ shows."""

from statistics import median

import pytest

from boidsgen import load_scenario
from boidsgen.simulation.measures import measure
from boidsgen.simulation.run import simulate
from docs.programs.course_numbers import surroundings


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
