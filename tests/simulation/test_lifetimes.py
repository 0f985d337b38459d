"""Flocks that come and go, grow and shrink."""

import numpy as np
import pytest

from boidsgen import ScenarioError, load_scenario
from boidsgen.simulation import simulate
from boidsgen.simulation.neighbors.engines import ENGINES
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.visits import animals

GROWING = {
    "time": {"frames": 8},
    "flock": {"count": 3, "wander": {"weight": 0.1}},
    "events": (
        {"at": 2, "set": {"flock.count": 9}, "over": 3},
        {"at": 6, "set": {"flock.count": 12, "flock.start": {"layout": "center"}}},
        {"at": 7, "set": {"flock.count": 2}},
    ),
}


def run(tables, engine="numpy"):
    return list(simulate(Setup.model_validate(tables), engine))


def sizes(states, flock=0):
    return [len(state.flocks[flock].position) for state in states]


def test_count_grows_and_shrinks_by_events():
    """At once, or little by little as whole boids."""
    assert sizes(run(GROWING)) == [3, 3, 3, 5, 7, 9, 12, 2]


def test_new_boids_begin_where_the_start_says():
    """The start in force when they come; those who are there stay who they are."""
    states = run(GROWING)

    np.testing.assert_array_equal(states[6].flocks[0].position[9:], 200.0)
    np.testing.assert_array_equal(states[7].flocks[0].velocity.shape, (2, 2))
    assert np.abs(states[3].flocks[0].position[:3] - states[2].flocks[0].position).max() <= 4


def test_growth_does_not_disturb_who_is_there():
    """Without rules between boids the first three fly as they would alone: wandering goes on as it was."""
    alone = {"wander": {"weight": 0.1}, **{rule: {"weight": 0.0} for rule in ("separation", "alignment", "cohesion")}}
    grown = run({**GROWING, "flock": {"count": 3, **alone}})
    same = run({"time": {"frames": 8}, "flock": {"count": 3, **alone}})

    for one, other in zip(grown[:7], same[:7], strict=True):
        np.testing.assert_array_equal(one.flocks[0].position[:3], other.flocks[0].position)


def test_flocks_come_and_go():
    """A flock is there from its first frame to the one before its last, and is seen by others only then."""
    flocks = ({"name": "a"}, {"name": "b", "count": 4, "from": 2, "until": 5})
    states = run({"time": {"frames": 7}, "flock": flocks})
    alone = run({"time": {"frames": 7}, "flock": flocks[:1]})

    assert sizes(states, 1) == [0, 0, 4, 4, 4, 0, 0]
    np.testing.assert_array_equal(states[2].flocks[0].position, alone[2].flocks[0].position)


@pytest.mark.skipif("numba" not in ENGINES, reason="needs numba")
def test_engines_agree_on_growing_flocks():
    """To the bit."""
    for one, other in zip(run(GROWING), run(GROWING, "numba"), strict=True):
        np.testing.assert_array_equal(one.flocks[0].position, other.flocks[0].position)


def test_cost_is_that_of_the_largest_flock(tmp_path):
    """Limits are about the most boids that there will be."""
    path = tmp_path / "growing.toml"
    path.write_text('[flock]\ncount = 5\n[[events]]\nat = 3\nset = { "flock.count" = 70 }\n', "utf-8")

    assert animals(load_scenario(str(path))) == 70


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ('{ layout = "disc", center = [1, 2, 3] }', "must have 2 entries, as many as world.size, not 3"),
        ('{ layout = "disc", centre = [1, 2] }', "unknown key"),
    ],
)
def test_mistakes_in_a_later_start_are_found_on_loading(tmp_path, start, said):
    """Nothing can go wrong in the middle of a run."""
    path = tmp_path / "late.toml"
    flocks = '[[flock]]\n[[flock]]\nname = "b"\n'
    event = f'[[events]]\nat = 1\nset = {{ "flock.1.count" = 60, "flock.1.start" = {start} }}\n'
    path.write_text(flocks + event, "utf-8")

    with pytest.raises(ScenarioError, match=said):
        load_scenario(str(path))
