"""The model of Couzin et al. 2002 against the plain loop of its equations, of which docs/validation.md is made."""

from itertools import pairwise

import numpy as np
import pytest

from boidsgen import simulate
from docs.programs.validation.loops import zone_step


def scenario(size, widths, balance, frames, *, count=30, error=0.0, seed=1, steps=1):
    """Individuals of the zone model, as a scenario."""
    zones = dict(zip(("repulsion", "orientation", "attraction"), widths, strict=True))
    off = {name: {"weight": 0.0} for name in ("separation", "alignment", "cohesion")}
    return {
        "seed": seed,
        "world": {"size": size, "boundary": "open"},
        "time": {"dt": 0.1, "frames": frames, "steps_per_frame": steps},
        "flock": {
            "count": count,
            "max_speed": 3.0,
            "min_speed": 3.0,
            "start": {"layout": "disc", "radius": 5.0},
            "zones": {**zones, "balance": balance, "error": error},
            **off,
        },
    }


@pytest.mark.parametrize("balance", ["individuals", "zones"])
@pytest.mark.parametrize("size", [[40.0, 40.0], [40.0, 40.0, 40.0]])
@pytest.mark.parametrize("widths", [(1.0, 0.0, 14.0), (1.0, 2.0, 14.0), (2.0, 5.0, 0.0)])
def test_without_error_every_step_is_that_of_the_paper(size, widths, balance):
    """Positions and headings agree with the plain loop to rounding, in the plane and in space."""
    flock = [state.flocks[0] for state in simulate(scenario(size, widths, balance, 40))]
    aside = np.random.default_rng(0).normal(size=flock[0].position.shape)

    for before, after in pairwise(flock):
        edges, own = np.cumsum(widths), before.velocity / 3.0
        heading = zone_step(before.position, own, edges, balance == "zones", aside, np.zeros(len(own)))
        np.testing.assert_allclose(after.position, before.position + 0.3 * heading, atol=1e-9)
        np.testing.assert_allclose(after.velocity, 3.0 * heading, atol=1e-9)


@pytest.mark.parametrize("size", [[9e3, 9e3], [9e3, 9e3, 9e3]])
def test_the_error_of_a_lone_individual_is_gaussian(size):
    """Turns of individuals out of each other's sight have the given standard deviation and a Gaussian's kurtosis."""
    alone = scenario(size, (1.0, 0.0, 0.0), "individuals", 2, count=4000, error=0.9)
    alone["flock"]["start"] = {"layout": "uniform"}
    before, after = (state.flocks[0].velocity / 3.0 for state in simulate(alone))
    angle = np.degrees(np.arcsin(np.sqrt(((after - before) ** 2).sum(axis=1)) / 2) * 2)

    assert np.sqrt((angle**2).mean()) == pytest.approx(0.9, rel=0.05)
    assert (angle**4).mean() / (angle**2).mean() ** 2 == pytest.approx(3.0, rel=0.15)


def test_no_turn_is_larger_than_the_turning_rate():
    """However large the error, nobody turns by more than turning_rate · dt in a step, and the speed is kept."""
    states = list(simulate(scenario([40.0, 40.0, 40.0], (1.0, 2.0, 14.0), "individuals", 30, error=90.0)))
    headings = np.array([state.flocks[0].velocity for state in states]) / 3.0
    cosine = (headings[1:] * headings[:-1]).sum(axis=2)

    assert np.degrees(np.arccos(np.clip(cosine, -1, 1))).max() == pytest.approx(4.0, abs=1e-6)
    np.testing.assert_allclose((headings**2).sum(axis=2), 1.0, atol=1e-12)


@pytest.mark.slow  # 80 runs
def test_larger_groups_need_a_smaller_share_of_informed_individuals():
    """With one in thirty informed 200 fish head for the goal, 30 less so, and without any neither does (2005)."""

    def toward_the_goal(count, share):
        keys = {"flock.count": count, "flock.individual.share": share, "time.frames": 151}
        begun = {**keys, "flock.start.radius": 0.5 * count**0.5}
        runs = [[*simulate("couzin-informed", overrides={**begun, "seed": seed})][-1] for seed in range(20)]
        return np.mean([run.flocks[0].velocity[:, 0].mean() for run in runs])

    large, small = toward_the_goal(200, 0.034), toward_the_goal(30, 0.034)

    assert large > 0.5
    assert small < large - 0.3
    assert max(toward_the_goal(200, 0.0), toward_the_goal(30, 0.0)) < large - 0.5
