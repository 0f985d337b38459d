"""The correlation of velocity fluctuations against its definition, against closed forms and against chance."""

import numpy as np
import pytest

from boidsgen.simulation import profiles
from boidsgen.simulation.measures import value_of
from boidsgen.simulation.motion import Group
from boidsgen.simulation.profiles import Population, velocity_correlation
from boidsgen.simulation.world import World
from tests.simulation.plain import norm, shortest


def torus(side, dimension):
    """A world that repeats along all axes."""
    return World.model_validate({"size": (side,) * dimension, "boundary": "torus"})


def waves(count, dimension, *, noise=0.0, side=1000.0):
    """Boids evenly spread whose velocity has one wave along the next axis in each component."""
    random = np.random.default_rng(3)
    position = random.random((count, dimension)) * side
    velocity = np.sin(2 * np.pi / side * np.roll(position, -1, axis=1)) + noise * random.normal(size=(count, dimension))
    return position, velocity, torus(side, dimension)


def population(position, velocity, world):
    """One flock in a world."""
    return Population((Group("boids", position, velocity),), (), (), world)


def headings(side, count, seed):
    """Boids evenly spread with independent directions."""
    random = np.random.default_rng(seed)
    angle = random.uniform(-np.pi, np.pi, count)
    return random.random((count, 2)) * side, np.stack((np.cos(angle), np.sin(angle)), axis=1), torus(side, 2)


@pytest.mark.parametrize("dimension", [2, 3])
def test_every_shell_holds_the_mean_over_its_pairs(dimension):
    """C(r) is that of a double loop over all pairs, shell by shell, round the torus."""
    position, velocity, world = waves(40, dimension, noise=1.0)
    found = velocity_correlation(position, velocity, world, 10, 400.0)
    fluctuation = velocity - velocity.mean(axis=0)
    sums, counts = np.zeros(10), np.zeros(10)
    for one in range(40):
        for other in range(one + 1, 40):
            distance = norm(shortest(position[other] - position[one], [1000.0] * dimension))
            if distance < 400:
                sums[int(distance / 40)] += fluctuation[one] @ fluctuation[other]
                counts[int(distance / 40)] += 1

    expected = np.divide(sums, counts, out=np.full(10, np.nan), where=counts > 0) / (fluctuation**2).sum(axis=1).mean()
    np.testing.assert_allclose(found.values, expected, atol=1e-12)


@pytest.mark.parametrize(("dimension", "zero", "area"), [(2, 2.404826, 1.470300), (3, np.pi, 1.851937)])
@pytest.mark.parametrize(("count", "noise"), [(2500, 0.0), (60_000, 0.5)])
def test_waves_have_the_lengths_of_their_closed_form(dimension, zero, area, count, noise):
    """C(r) of waves is J0(kr) in 2D and sin(kr)/kr in 3D; zero and integral follow, and independent noise scales C."""
    flock = population(*waves(count, dimension, noise=noise))
    unit = 1000.0 / (2 * np.pi)

    assert value_of("correlation_length", flock) == pytest.approx(zero * unit, rel=0.02)
    assert value_of("integral_length", flock) == pytest.approx(area * unit * 0.5 / (0.5 + noise**2), rel=0.02)


@pytest.mark.parametrize("side", [5.0, 10.0, 20.0])
def test_independent_headings_have_no_correlation_length(side):
    """Of a hundred states without any correlation, at most two have a length, in boxes of every size."""
    flocks = [population(*headings(side, int(side**2), seed)) for seed in range(100)]

    for name in ("correlation_length", "integral_length"):
        assert sum(value_of(name, flock) is not None for flock in flocks) <= 2


def test_significance_is_that_of_shuffled_velocities():
    """Over two thousand shuffles of the velocities the significance has mean 0 and standard deviation 1."""
    position, velocity, world = waves(60, 2, noise=1.0)
    random = np.random.default_rng(1)
    found = [velocity_correlation(position, random.permutation(velocity), world, 50).significance for _ in range(2000)]

    assert np.mean(found) == pytest.approx(0.0, abs=0.2)
    assert np.std(found) == pytest.approx(1.0, rel=0.1)


def test_a_sample_of_the_pairs_stands_for_all(monkeypatch):
    """The lengths from a tenth of the pairs are those from all within a few hundredths."""
    flock = waves(1500, 2, noise=0.5)
    names = ("correlation_length", "integral_length")
    everyone = [value_of(name, population(*flock)) for name in names]
    monkeypatch.setattr(profiles, "MOST_PAIRS", 110_000)

    np.testing.assert_allclose([value_of(name, population(*flock)) for name in names], everyone, rtol=0.04)
