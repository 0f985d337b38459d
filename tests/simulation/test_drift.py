"""Rules that act on the position, and means that include the boid itself."""

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.simulation import simulate
from boidsgen.simulation.observe import contributions, influences

PLAIN = """
[world]
boundary = "open"
[time]
frames = 3
dt = 0.25
[flock]
count = 4
min_speed = 0
steering = "direct"
perception = { radius = inf }
separation = { weight = 0 }
alignment = { weight = 0 }
cohesion = { weight = 0.1, acts_on = "position" }
"""


@pytest.fixture
def plain(tmp_path):
    path = tmp_path / "plain.toml"
    path.write_text(PLAIN, "utf-8")
    return str(path)


def flock_of(name, **changes):
    """The flock in every frame."""
    overrides = {key.replace("__", "."): value for key, value in changes.items()}
    return [
        state.flocks[0] for state in simulate(load_scenario(name, overrides=overrides), changes.get("engine", "auto"))
    ]


def test_drift_moves_boids_and_leaves_velocities(plain):
    """A tenth of the way to the mean of the others in every step, whatever the time step; velocities stay."""
    first, second, _ = flock_of(plain)
    others = (first.position.sum(axis=0) - first.position) / 3

    np.testing.assert_array_equal(second.velocity, first.velocity)
    expected = first.position + 0.1 * (others - first.position) + 0.25 * first.velocity
    np.testing.assert_allclose(second.position, expected, rtol=1e-12)


def test_mean_may_include_the_boid_itself(plain):
    """Then the drift is toward the center of all, which itself goes only where velocities take it."""
    first, second, _ = flock_of(plain, flock__cohesion__include_self=True)
    center = first.position.mean(axis=0)

    expected = first.position + 0.1 * (center - first.position) + 0.25 * first.velocity
    np.testing.assert_allclose(second.position, expected, rtol=1e-12)


def test_mean_velocity_may_include_the_boid_itself(plain):
    """Alignment by the mean of all, in one step with weight 1, gives everybody the same velocity."""
    changes = {"flock__alignment__weight": 1.0, "flock__cohesion__weight": 0.0, "flock__max_speed": 9.0}
    first, second, _ = flock_of(plain, **changes, flock__alignment__include_self=True)

    expected = np.broadcast_to(first.velocity.mean(axis=0), (4, 2))
    np.testing.assert_allclose(second.velocity, expected, rtol=1e-12)


@pytest.mark.parametrize("rule", ["separation", "alignment", "cohesion", "flee"])
def test_every_rule_may_drift(plain, rule):
    """Any rule may act on the position; velocities never change by it."""
    frames = flock_of(plain, **{f"flock__{rule}__weight": 0.3, f"flock__{rule}__acts_on": "position"})

    np.testing.assert_array_equal(frames[-1].velocity, frames[0].velocity)


def test_drift_is_no_force(plain):
    """What steers a boid does not include what only moves it."""
    state = next(iter(simulate(load_scenario(plain))))

    assert "cohesion" not in influences(state.setup, 0)
    assert "cohesion" not in contributions(state, 0, 0)
