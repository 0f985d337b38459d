"""The models of Vicsek et al. 1995 and of Grégoire and Chaté 2004; docs/validation.md compares them with noise."""

from itertools import pairwise

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.simulation.geometry import directions, scattered
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup
from docs.programs.validation.loops import heading_sums


@pytest.mark.parametrize("name", ["vicsek-1995", "vicsek-2004"])
def test_without_noise_every_step_is_that_of_the_paper(name):
    """Without noise a plain loop goes the same way, boid by boid: old velocities move in 1995, new ones in 2004."""
    quiet = {"flock.noise.weight": 0.0} if name == "vicsek-2004" else {"flock.angular_noise": 0.0}
    scenario = load_scenario(name, {"flock.count": 60, "time.frames": 6, "time.steps_per_frame": 1, **quiet})
    states = [state.flocks[0] for state in simulate(scenario)]
    speed, side = scenario.flock[0].max_speed, scenario.world.size[0]

    position, velocity = states[0].position, states[0].velocity
    angle = np.arctan2(velocity[:, 1], velocity[:, 0])
    for state in states[1:]:
        along, across, _ = heading_sums(position, angle, side, 0)
        old, angle = angle, np.arctan2(across, along)
        flown = old if name == "vicsek-1995" else angle
        position = (position + speed * np.stack((np.cos(flown), np.sin(flown)), axis=1)) % side
        np.testing.assert_allclose(state.position, position, atol=1e-9)


@pytest.mark.parametrize("dimension", [2, 3])
def test_directions_are_evenly_spread(dimension):
    """Directions have length 1; their mean is zero, and the mean of each squared component 1/d."""
    direction = directions(np.random.default_rng(1), 20_000, dimension)

    np.testing.assert_allclose((direction**2).sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(direction.mean(axis=0), 0.0, atol=0.02)
    np.testing.assert_allclose((direction**2).mean(axis=0), 1 / dimension, atol=0.02)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_turn_keeps_speed_and_stays_within_its_width(dimension):
    """Speeds stay, and angles between old and new course are evenly spread from 0 to half the width."""
    random = np.random.default_rng(2)
    velocity, drive = random.normal(size=(2, 5000, dimension))

    course, turned = 0.5 * velocity + drive, 0.5 * velocity + scattered(velocity, drive, 0.5, 90.0, "angle", random)

    sizes = np.linalg.norm(course, axis=1), np.linalg.norm(turned, axis=1)
    np.testing.assert_allclose(*sizes, rtol=1e-9)
    angle = np.degrees(np.arccos(np.clip((course * turned).sum(axis=1) / (sizes[0] * sizes[1]), -1, 1)))
    assert angle.max() <= 45 + 1e-6
    np.testing.assert_allclose(np.quantile(angle, [0.25, 0.5, 0.75]), [11.25, 22.5, 33.75], atol=1.5)


@pytest.mark.parametrize("width", [90.0, 360.0])
def test_turns_evenly_spread_over_the_solid_angle(width):
    """In 3D the cosines of the turns are evenly spread down to that of half the width, as areas on a sphere are."""
    random = np.random.default_rng(2)
    velocity = random.normal(size=(20_000, 3))
    turned = velocity + scattered(velocity, np.zeros_like(velocity), 1.0, width, "solid_angle", random)
    squared = (velocity**2).sum(axis=1)
    lowest = np.cos(np.radians(width / 2))

    np.testing.assert_allclose((turned**2).sum(axis=1), squared, rtol=1e-9)
    shares = ((velocity * turned).sum(axis=1) / squared - lowest) / (1 - lowest)
    assert -1e-9 <= shares.min() <= shares.max() <= 1 + 1e-9
    np.testing.assert_allclose(np.histogram(shares, 5, (0, 1))[0] / len(shares), 0.2, atol=0.015)


def test_predators_scatter_too_and_only_as_much_as_their_cap_allows():
    """Angular noise is a key of every group; max_acceleration caps the turn like all steering."""
    table = {"angular_noise": 180.0, "max_acceleration": 0.01, "hunt": {"weight": 0.0}, "count": 20}
    setup = Setup.model_validate({"flock": {"count": 0}, "predators": table, "time": {"frames": 4}})
    velocity = [state.predators[0].velocity for state in simulate(setup)]

    changes = [np.linalg.norm(new - old, axis=1) for old, new in pairwise(velocity)]
    assert 0 < np.max(changes) <= 0.01 + 1e-12
