"""Claims of the showpieces: true for their seed, and in the slow form for twenty."""

import numpy as np
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.drawing.camera import Tracker
from boidsgen.drawing.renderer import arrange

SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 21))]
FRAMES = range(60, 121, 10)  # Frames that are measured, after the cloud has met the predators
NEAR = 6.0  # Distance to a predator that counts as near, in world units
OUTSIDE = 0.01  # The part of the birds that may be out of the picture
BETWEEN = np.radians(36)  # From a predator to the middle between it and the next, along the knot


@pytest.mark.parametrize("seed", SEEDS)
def test_predators_carve_their_way(seed):
    """Near the predators of the trefoil there is hardly a boid; near places between them there are many."""
    scenario = load_scenario("trefoil", {"seed": seed, "time.frames": FRAMES.stop})
    looked_at = [state for state in simulate(scenario) if state.frame in FRAMES]
    near = sum(_count(state, state.predators[0].position) for state in looked_at)
    between = sum(_count(state, _between(state, scenario.predators[0].path)) for state in looked_at)

    assert between > 200
    assert near < 0.05 * between


@pytest.mark.parametrize(
    ("seed", "frames"), [(9, 41), *(pytest.param(seed, 241, marks=pytest.mark.slow) for seed in range(1, 21))]
)
def test_starlings_stay_in_the_picture(seed, frames):
    """The camera of the murmuration keeps nearly all birds in the picture, in every frame that is looked at."""
    scenario = load_scenario("murmuration", {"seed": seed, "time.frames": frames})
    size, tracker = np.array(scenario.picture_size), Tracker(scenario.world)
    layout = arrange(scenario.picture_size, scenario.layers, scenario)
    viewpoint = scenario.camera.aim(scenario.world, layout.viewport)
    outside = []
    for state in simulate(scenario):
        tracker.note(state)
        xy = viewpoint.on(tracker.ahead(0.0)).projection(state.frame)(state.flocks[0].position).xy
        outside.append(((xy < 0) | (xy > size)).any(axis=1).mean())

    assert max(outside[::10]) < OUTSIDE


def test_the_word_comes_together_again():
    """At the end all boids are where they began, to a third of a unit, and all but at rest."""
    first, *_, last = (state.flocks[0] for state in simulate(load_scenario("word")))

    assert np.linalg.norm(last.position - first.position, axis=1).max() < 1 / 3
    assert np.abs(last.velocity).max() < 0.05


def _count(state, places):
    """Number of boids near these places."""
    distance = np.linalg.norm(state.flocks[0].position[:, None] - places, axis=2)
    return int((distance < NEAR).sum())


def _between(state, path):
    """Places on the knot halfway between predators."""
    angle = 2 * np.pi * state.time / path.period + np.radians(path.phase) * np.arange(5) + BETWEEN
    wide = 2 + np.cos(3 * angle)
    knot = np.column_stack((wide * np.cos(2 * angle), wide * np.sin(2 * angle), np.sin(3 * angle)))
    return state.setup.world.extent / 2 + path.scale / 3 * knot
