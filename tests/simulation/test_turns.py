"""Orders of rules and of boids, accelerations, limits, and edges of published loops, against plain loops."""

from itertools import pairwise

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.errors import ScenarioError
from boidsgen.simulation.geometry import Randomness
from boidsgen.simulation.run import ENGINES, simulate

OFF = {"separation.weight": 0.0, "alignment.weight": 0.0, "cohesion.weight": 0.0}


def states(engine="numpy", frames=2, **keys):
    """States of a flock of twelve that nothing steers unless keys say so."""
    start = {"layout": "uniform", "speed": (1.0, 3.0)}
    plain = {**OFF, "min_speed": 0.0, "max_speed": 1e9, "count": 12, "start": start, **keys}
    own = {key if key.startswith(("world", "time")) else f"flock.{key}": value for key, value in plain.items()}
    return list(simulate(load_scenario("quickstart", {"time.frames": frames, "seed": 5, **own}), engine))


def flocks(*given, **keys):
    """Positions and velocities of the flock in each state."""
    return [(state.flocks[0].position, state.flocks[0].velocity) for state in states(*given, **keys)]


def test_forces_per_time_are_multiplied_by_dt():
    """An acceleration changes the velocity by dt times as much, whatever the step."""
    pull = {"forces": "per_time", "home.weight": 1.0, "home.steering": "direct", "world.boundary": "open"}
    (place, before), (_, after) = flocks(**{"time.dt": 0.25, **pull})

    np.testing.assert_allclose(after - before, 0.25 * (np.array([200.0, 200.0]) - place), atol=1e-12)


def test_smoothing_approaches_a_constant_force():
    """After k steps a constant force is felt by 1 - (1 - smoothing)^k of it."""
    wind = {
        "seek.weight": 1.0,
        "seek.steering": "direct",
        "seek.point": (1e9, 0.0),
        "seek.max_force": 1.0,
        "world.boundary": "open",
    }
    velocities = [velocity for _, velocity in flocks(frames=5, smoothing=0.3, **{**wind, "world.boundary": "open"})]

    for step in range(1, 5):
        gained = (velocities[step] - velocities[step - 1])[:, 0]
        np.testing.assert_allclose(gained, 1 - 0.7**step, atol=1e-6)


def test_who_is_not_steered_keeps_an_unlimited_speed():
    """With limit_speed = "steered" a lone boid flies as it started, and others at the speed that they must have."""
    keys = {
        "min_speed": 3.0,
        "max_speed": 3.0,
        "cohesion.weight": 0.1,
        "cohesion.radius": 40.0,
        "limit_speed": "steered",
    }
    (place, before), (_, after) = flocks(**keys)
    way = place[:, None] - place[None]
    way -= 400.0 * np.rint(way / 400.0)
    alone = (np.hypot(*way.transpose(2, 0, 1)) < 40.0).sum(axis=1) == 1

    assert 0 < alone.sum() < 12
    np.testing.assert_array_equal(after[alone], before[alone])
    np.testing.assert_allclose(np.hypot(*after[~alone].T), 3.0)


def test_rules_of_an_order_act_on_the_velocity_that_the_earlier_ones_leave():
    """Cohesion, separation and alignment one after the other give what a loop gives that changes v at once."""
    rules = {f"{name}.weight": 0.2 for name in ("separation", "alignment", "cohesion")}
    order = ("cohesion", "separation", "alignment")
    keys = {**rules, "order": order, "steering": "direct", "separation.falloff": "linear", "separation.radius": 90.0}
    found = flocks(**{**keys, "perception.radius": 150.0, "alignment.include_self": True, "world.boundary": "open"})
    (place, before), (_, after) = found
    for boid in range(12):
        distance = np.hypot(*(place - place[boid]).T)
        seen, close = (distance < 150.0) & (distance > 0), (distance < 90.0) & (distance > 0)
        v = before[boid].copy()
        if seen.any():
            v += 0.2 * (place[seen].mean(axis=0) - place[boid])
        v += 0.2 * (place[boid] - place[close]).sum(axis=0)
        if seen.any():
            v += 0.2 * ((before[seen].sum(axis=0) + v) / (seen.sum() + 1) - v)

        np.testing.assert_allclose(after[boid], v, atol=1e-12)


@pytest.mark.parametrize("moves", ["in_turn", "together"])
def test_shuffled_boids_have_their_turns_in_another_order_each_step(moves):
    """Each boid has one turn, in the order of the ranks of the stream's numbers, and sees those before it."""
    keys = {
        "update": "shuffled",
        "moves": moves,
        "cohesion.weight": 0.1,
        "steering": "direct",
        "perception.radius": 1e9,
    }
    found = flocks(frames=4, **{**keys, "world.boundary": "open"})
    stream, orders = Randomness(5).stream("turns", 0), []
    for (place, velocity), (moved, after) in pairwise(found):
        orders.append(np.argsort(stream.random(12), kind="stable").tolist())
        seen, v, ahead = place.copy(), velocity.copy(), place.copy()
        for boid in orders[-1]:
            others = np.arange(12) != boid
            v[boid] += 0.1 * (seen[others].mean(axis=0) - seen[boid])
            ahead[boid] = seen[boid] + v[boid]
            seen = ahead if moves == "in_turn" else seen

        np.testing.assert_allclose(after, v, atol=1e-9)
        np.testing.assert_allclose(moved, ahead, atol=1e-9)
    assert len({*map(tuple, orders)}) == 3


def test_propulsion_settles_where_thrust_and_friction_are_equal():
    """A lone animal comes to the speed sqrt(thrust / friction), from below and from above."""
    keys = {
        "propulsion.thrust": 1.6,
        "propulsion.friction": 0.5,
        "forces": "per_time",
        "start": {"layout": "uniform", "speed": (0.1, 6.0)},
    }
    *_, (_, velocity) = flocks(frames=600, **{"time.dt": 0.02, **keys})

    np.testing.assert_allclose(np.hypot(*velocity.T), np.sqrt(1.6 / 0.5), rtol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_who_leaves_a_ball_enters_on_the_other_side(engine):
    """A boid beyond the radius is put back by one diameter, and nobody flies outside."""
    keys = {"world.boundary": "ball", "world.size": (100.0, 100.0, 120.0)}
    found = flocks(engine, 60, **{**keys, "start": {"layout": "center", "speed": (9.0, 9.0)}})
    crossed, middle = 0, np.array([50.0, 50.0, 60.0])
    for (place, _), (moved, velocity) in pairwise(found):
        ahead = place + velocity - middle
        away = np.sqrt((ahead**2).sum(axis=1))[:, None]
        expected = middle + np.where(away > 50.0, ahead - 100.0 * ahead / away, ahead)
        crossed += (away > 50.0).sum()
        np.testing.assert_allclose(moved, expected, atol=1e-9)
    assert crossed > 20


@pytest.mark.parametrize("engine", ENGINES)
def test_a_margin_turns_back_after_the_limit(engine):
    """In the margin each component changes by the strength, after the limit on speed and before the move."""
    boundary = {"kind": "turn_back", "margin": 80.0, "strength": 0.7}
    found = flocks(engine, 80, **{"world.boundary": boundary, "max_speed": 5.0})
    turned = 0
    for (place, before), (moved, after) in pairwise(found):
        speed = np.hypot(*before.T)[:, None]
        expected = before * np.minimum(1.0, 5.0 / speed) + 0.7 * (place < 80.0) - 0.7 * (place > 320.0)
        turned += ((place < 80.0) | (place > 320.0)).sum()
        np.testing.assert_allclose(after, expected, atol=1e-9)
        np.testing.assert_allclose(moved, place + after, atol=1e-9)
    assert turned > 20


@pytest.mark.parametrize("engine", ENGINES)
def test_teleport_beyond_a_margin(engine):
    """Who is beyond the margin comes back at the margin of the other side; within it boids fly on outside."""
    boundary = {"kind": "teleport", "margin": 3.0}
    found = flocks(engine, 120, **{"world.boundary": boundary})
    places = np.array([place for place, _ in found])
    for (place, _), (moved, velocity) in pairwise(found):
        ahead = place + velocity
        np.testing.assert_allclose(moved, np.where(ahead < -3.0, 403.0, np.where(ahead > 403.0, -3.0, ahead)))

    assert ((places < 0.0) & (places > -3.0)).any()
    assert (places == 403.0).any()
    assert (places == -3.0).any()


def test_a_disc_that_is_even_over_its_radius_is_dense_in_the_middle():
    """Half of the boids are within half of the radius, where an even area has a quarter."""
    for spread, share in {"radius": 0.5, "area": 0.25}.items():
        start = {"layout": "disc", "radius": 100.0, "spread": spread}
        (place, _), _ = flocks(start=start, count=4000)

        assert np.mean(np.hypot(*(place - 200.0).T) < 50.0) == pytest.approx(share, abs=0.03)


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        ({"flock.order": ("cohesion", "cohesion")}, "flock.order: must name each rule once"),
        ({"flock.moves": "together"}, "flock.moves: together is for update = sequential or shuffled"),
        ({"flock.update": "shuffled", "flock.angular_noise": 5.0}, "shuffled cannot be combined with angular_noise"),
        ({"flock.forces": "per_time", "flock.angular_noise": 5.0}, 'cannot be combined with forces = "per_time"'),
        ({"flock.smoothing": 0.5, "flock.accumulate": True}, "cannot be combined with smoothing"),
    ],
)
def test_what_contradicts_gets_one_line(keys, wrong):
    """A combination that has no meaning is refused in one line that says why."""
    with pytest.raises(ScenarioError) as refused:
        load_scenario("quickstart", keys)

    (line,) = refused.value.errors
    assert wrong in line
