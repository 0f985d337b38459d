"""The models of Vicsek et al. 1995 and of Grégoire and Chaté 2004 against plain loops from their definitions."""

from itertools import pairwise

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.simulation.measures import measure
from boidsgen.simulation.randomness import directions, scattered
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup

SEEDS = range(20)
STEPS, FIRST = 80, 40
BOUND = 4.0  # Standard errors between two means that are the same: more happens once in sixteen thousand comparisons


def near(position, side):
    """Pairs within 1 of each other, oneself included, shape (n, n)."""
    offset = position[:, None] - position[None]
    offset -= side * np.round(offset / side)
    return (offset**2).sum(axis=-1) < 1


def angular(position, angle, side, eta, speed, random):
    """One step as in the paper of 1995: old velocities move, directions are averaged by sine and cosine."""
    together = near(position, side)
    mean = np.arctan2(together @ np.sin(angle), together @ np.cos(angle))
    moved = position + speed * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    return moved % side, mean + random.uniform(-eta / 2, eta / 2, len(angle))


def vectorial(position, angle, side, eta, speed, random):
    """One step with the noise of 2004: a vector of length eta for each neighbor, and new velocities move."""
    together = near(position, side)
    push = random.uniform(-np.pi, np.pi, len(angle))
    count = together.sum(axis=1)
    across = together @ np.sin(angle) + eta * count * np.sin(push)
    turned = np.arctan2(across, together @ np.cos(angle) + eta * count * np.cos(push))
    moved = position + speed * np.stack((np.cos(turned), np.sin(turned)), axis=1)
    return moved % side, turned


def plain_order(step, count, side, eta, speed, seed):
    """The mean order parameter of one run of the plain loop."""
    random = np.random.default_rng(seed)
    position, angle = random.random((count, 2)) * side, random.uniform(-np.pi, np.pi, count)
    values = []
    for number in range(STEPS):
        position, angle = step(position, angle, side, eta, speed, random)
        if number >= FIRST:
            values.append(np.hypot(np.cos(angle).sum(), np.sin(angle).sum()) / count)
    return np.mean(values)


def order(name, key, value, count, side, seed):
    """The same of one run of a preset."""
    small = {"flock.count": count, "world.size": (side, side), "time.steps_per_frame": 1, "time.frames": STEPS + 1}
    scenario = load_scenario(name, {**small, key: value, "seed": seed})
    values = [measure(state, ["polarization"])["polarization"] for state in simulate(scenario)]
    return np.mean(values[FIRST + 1 :])


@pytest.mark.parametrize("eta", [0.5, 4.0])
def test_angular_noise_is_that_of_the_paper(eta):
    """The order parameter agrees with the plain loop within what chance allows, from strong order to hardly any."""
    ours = [order("vicsek-1995", "flock.angular_noise", float(np.degrees(eta)), 40, 3.1, seed) for seed in SEEDS]
    theirs = [plain_order(angular, 40, 3.1, eta, 0.03, seed) for seed in SEEDS]

    assert differ(ours, theirs) < BOUND


@pytest.mark.parametrize("eta", [0.2, 0.7])
def test_vectorial_noise_is_that_of_the_paper(eta):
    """The same for the noise that is added to the mean of the neighbors before its length is forgotten."""
    ours = [order("vicsek-2004", "flock.noise.weight", 0.5 * eta, 72, 6.0, seed) for seed in SEEDS]
    theirs = [plain_order(vectorial, 72, 6.0, eta, 0.5, seed) for seed in SEEDS]

    assert differ(ours, theirs) < BOUND


def test_the_comparison_tells_noises_apart():
    """A tenth more noise is found."""
    ours = [order("vicsek-1995", "flock.angular_noise", float(np.degrees(2.2)), 40, 3.1, seed) for seed in SEEDS]
    theirs = [plain_order(angular, 40, 3.1, 2.0, 0.03, seed) for seed in SEEDS]

    assert differ(ours, theirs) > BOUND


def differ(ours, theirs):
    """By how many standard errors two means differ."""
    error = np.sqrt((np.var(ours, ddof=1) + np.var(theirs, ddof=1)) / len(SEEDS))
    return abs(np.mean(ours) - np.mean(theirs)) / error


@pytest.mark.parametrize(("name", "step"), [("vicsek-1995", angular), ("vicsek-2004", vectorial)])
def test_without_noise_every_step_is_that_of_the_paper(name, step):
    """Without noise both loops go the same way, boid by boid."""
    quiet = {"flock.noise.weight": 0.0} if name == "vicsek-2004" else {"flock.angular_noise": 0.0}
    scenario = load_scenario(name, {"flock.count": 60, "time.frames": 6, "time.steps_per_frame": 1, **quiet})
    states = [state.flocks[0] for state in simulate(scenario)]
    speed, side = scenario.flock[0].max_speed, scenario.world.size[0]

    position, velocity = states[0].position, states[0].velocity
    angle = np.arctan2(velocity[:, 1], velocity[:, 0])
    for state in states[1:]:
        position, angle = step(position, angle, side, 0.0, speed, np.random.default_rng(0))
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
