"""Events, and what comes and goes during a run: boids, obstacles, attractors on their ways, and predators."""

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.simulation.rules.pursuit import CURVES, Attractor
from boidsgen.simulation.run import animals, simulate
from boidsgen.simulation.setup import RULES, Setup
from boidsgen.tables import replaced, value_at
from tests.simulation.stages import SIZE, world


def run(**document):
    return list(simulate(Setup.model_validate(document)))


def weights(states):
    return [state.setup.flock[0].alignment.weight for state in states]


def test_events_change_keys_from_their_frame_on():
    """A key has its new value from the frame of the event on, and the old one before."""
    states = run(time={"frames": 5}, events=({"at": 2, "set": {"flock.alignment.weight": 0.0}},))

    assert weights(states) == [1, 1, 0, 0, 0]


def test_numbers_move_over_frames():
    """With `over` a number goes from its old to its new value in equal parts, a vector likewise."""
    events = ({"at": 1, "over": 4, "set": {"flock.alignment.weight": 3.0, "obstacles.0.center": (50.0, 10.0)}},)
    obstacle = {"kind": "circle", "center": (10.0, 10.0), "radius": 5.0}

    states = run(time={"frames": 7}, events=events, obstacles=(obstacle,))

    assert weights(states) == [1, 1, 1.5, 2, 2.5, 3, 3]
    assert [state.setup.obstacles[0].center[0] for state in states] == [10, 10, 20, 30, 40, 50, 50]


def test_later_events_start_from_earlier_ones():
    """Events apply in the order of their frames, whatever their order in the file."""
    events = (
        {"at": 3, "set": {"flock.alignment.weight": 7.0}},
        {"at": 1, "set": {"flock.alignment.weight": 5.0}},
    )

    assert weights(run(time={"frames": 5}, events=events)) == [1, 5, 5, 7, 7]


def test_captions_last_until_the_next():
    """A caption stands until another event brings one; an empty one takes it away."""
    events = ({"at": 1, "caption": "a"}, {"at": 2, "set": {}}, {"at": 3, "caption": ""})
    setup = Setup.model_validate({"events": events})

    assert [setup.caption(frame) for frame in range(5)] == ["", "a", "a", "", ""]


def test_predators_come_and_go():
    """Predators are there from their first frame until the frame they leave, then nobody is afraid of them."""
    table = {"count": 3, "from": 2, "until": 4}
    states = run(time={"frames": 6}, predators=table)

    assert [len(state.predators[0].position) for state in states] == [0, 0, 3, 3, 0, 0]


def test_obstacles_and_attractors_come_and_go():
    """A state's setup holds the obstacles and attractors that are there, and only they act."""
    states = run(
        time={"frames": 4},
        obstacles={"kind": "circle", "center": (10.0, 10.0), "radius": 5.0, "from": 1},
        attractors={"point": (1.0, 1.0), "until": 2},
    )

    assert [len(state.setup.obstacles) for state in states] == [0, 1, 1, 1]
    assert [len(state.setup.attractors) for state in states] == [1, 1, 0, 0]
    assert states[2].setup is states[3].setup


def test_replacing_a_key_checks_it():
    """A replaced key is validated like a written one, and the original stays as it was."""
    setup = Setup()

    changed = replaced(setup, ["flock", "max_speed"], 9.0)

    assert value_at(changed, ["flock", "max_speed"]) == 9.0
    assert value_at(setup, ["flock", "0", "max_speed"]) == 4.0
    with pytest.raises(ValueError, match="greater than 0"):
        replaced(setup, ["flock", "max_speed"], -1.0)


def test_predators_come_by_their_count_and_move_by_their_path():
    """Events bring predators at the middle of a path without extent, move and multiply them, and take them away."""
    events = (
        {"at": 2, "set": {"predators.count": 1, "predators.path.center": (20.0, 30.0)}},
        {"at": 4, "set": {"predators.path.center": (50.0, 30.0)}, "over": 2},
        {"at": 7, "set": {"predators.path.scale": 10.0, "predators.path.phase": 180.0, "predators.count": 2}},
        {"at": 9, "set": {"predators.count": 0}},
    )
    table = {"count": 0, "path": {"kind": "circle", "scale": 0.0, "center": (0.0, 0.0), "period": 1e9}}
    states = run(time={"frames": 10}, predators=table, events=events)
    wild = run(time={"frames": 3})

    places = [state.predators[0].position.round(3).tolist() for state in states]
    assert places[:8] == [[], [], *[[[20, 30]]] * 4, [[35, 30]], [[50, 30], [40, 30]]]
    assert places[8:] == [[[60, 30], [40, 30]], []]
    np.testing.assert_array_equal(states[7].predators[0].velocity.round(3), [[15, 0], [0, 0]])
    np.testing.assert_array_equal(states[2].flocks[0].position, wild[2].flocks[0].position)


GROWING = {
    "time": {"frames": 8},
    "flock": {"count": 3, "wander": {"weight": 0.1}},
    "events": (
        {"at": 2, "set": {"flock.count": 9}, "over": 3},
        {"at": 6, "set": {"flock.count": 12, "flock.start": {"layout": "center"}}},
        {"at": 7, "set": {"flock.count": 2}},
    ),
}


def sizes(states, flock=0):
    return [len(state.flocks[flock].position) for state in states]


def test_count_grows_and_shrinks_by_events():
    """At once, or little by little as whole boids."""
    assert sizes(run(**GROWING)) == [3, 3, 3, 5, 7, 9, 12, 2]


def test_new_boids_begin_where_the_start_says():
    """The start in force when they come; those who are there stay who they are."""
    states = run(**GROWING)

    np.testing.assert_array_equal(states[6].flocks[0].position[9:], 200.0)
    np.testing.assert_array_equal(states[7].flocks[0].velocity.shape, (2, 2))
    assert np.abs(states[3].flocks[0].position[:3] - states[2].flocks[0].position).max() <= 4


def test_flocks_come_and_go():
    """A flock is there from its first frame to the one before its last, and is seen by others only then."""
    flocks = ({"name": "a"}, {"name": "b", "count": 4, "from": 2, "until": 5})
    states = run(time={"frames": 7}, flock=flocks)
    alone = run(time={"frames": 7}, flock=flocks[:1])

    assert sizes(states, 1) == [0, 0, 4, 4, 4, 0, 0]
    np.testing.assert_array_equal(states[2].flocks[0].position, alone[2].flocks[0].position)


def test_cost_is_that_of_the_largest_flock(tmp_path):
    """Limits are about the most boids that there will be."""
    path = tmp_path / "growing.toml"
    path.write_text('[flock]\ncount = 5\n[[events]]\nat = 3\nset = { "flock.count" = 70 }\n', "utf-8")

    assert animals(load_scenario(str(path))) == 70


WAY = {"points": ((10.0, 20.0), (30.0, 20.0), (30.0, 50.0)), "times": (10.0, 20.0, 50.0)}


def attractor_place(time, **path):
    """Position of an attractor with this path."""
    return Attractor.model_validate({"path": path}).place(time, world("open"))


@pytest.mark.parametrize(
    ("time", "expected"),
    [(0, (10, 20)), (10, (10, 20)), (15, (20, 20)), (20, (30, 20)), (35, (30, 35)), (50, (30, 50)), (99, (30, 50))],
)
def test_waypoints_are_reached_in_time(time, expected):
    """At each point at its time, evenly between them, at the first before and at the last afterwards."""
    np.testing.assert_allclose(attractor_place(float(time), **WAY), expected, atol=1e-12)


def test_waypoints_begin_anew():
    """After the last time as at the beginning."""
    for time in (0.0, 12.0, 49.0):
        np.testing.assert_allclose(
            attractor_place(time + 100.0, **WAY, repeat=True), attractor_place(time, **WAY), atol=1e-12
        )


@pytest.mark.parametrize("kind", CURVES)
@pytest.mark.parametrize("size", [SIZE, (100.0, 60.0, 80.0)])
def test_paths_keep_to_their_scale(kind, size):
    """Seen from above no path leads further from its center than its scale, and it gets there."""
    path = CURVES[kind].model_validate({"scale": 20.0, "period": 100.0})
    along = np.concatenate([path.position(t, 1, world("open", size)) for t in np.linspace(0, 100, 500)])
    distance = np.linalg.norm((along - np.array(size) / 2)[:, :2], axis=1)

    assert distance.max() == pytest.approx(20.0)


FAR = {"layout": "disc", "center": (50.0, 50.0), "radius": 8.0}


def last_state(predators, frames=20, **document):
    """The last state of a run with these predators."""
    setup = Setup.model_validate(
        {"flock": {"count": 8}, "predators": predators, "time": {"frames": frames}, **document}
    )
    return list(simulate(setup))[-1]


def spread(group):
    """The smallest distance between two of a group."""
    away = np.linalg.norm(group.position[:, None] - group.position, axis=2)
    return away[~np.eye(len(away), dtype=bool)].min()


def test_predators_keep_clear_of_their_own_and_of_other_kinds():
    """Separation below predators goes by the same table and by the others, as it does among flocks."""
    table = {"count": 3, "start": FAR, "hunt": {"weight": 0.0}}
    apart = {**table, "separation": {"radius": 40.0, "weight": 3.0}}

    assert spread(last_state(apart).predators[0]) > spread(last_state(table).predators[0])
    other = {"count": 1, "start": {"layout": "disc", "center": (55.0, 50.0), "radius": 0.5}, "hunt": {"weight": 0.0}}
    lone = {**apart, "count": 1}
    assert (
        last_state((lone, other), frames=3).predators[0].velocity != last_state(lone, frames=3).predators[0].velocity
    ).any()


@pytest.mark.parametrize("rule", ["flee", "evade"])
def test_predators_flee_from_other_kinds_only(rule):
    """A rule of flight below predators is about other predator tables, never about the own one."""
    fox = {"count": 4, "start": FAR, "hunt": {"weight": 0.0}}
    wolf = {"count": 1, "start": {"layout": "disc", "center": (70.0, 50.0), "radius": 0.5}, "hunt": {"weight": 0.0}}
    afraid = {**fox, rule: {"radius": 200.0}}

    np.testing.assert_array_equal(last_state(afraid).predators[0].position, last_state(fox).predators[0].position)
    calm, fled = (last_state((one, wolf)).predators for one in (fox, afraid))
    assert (calm[0].position != fled[0].position).any()
    np.testing.assert_array_equal(calm[1].position, fled[1].position)


def test_predators_hunt_unless_they_have_a_path_or_a_hunt():
    """Other rules come on top of the usual hunt."""
    tables = ({}, {"noise": {}}, {"separation": {}}, {"hunt": {"weight": 0.0}}, {"path": {"kind": "circle"}})
    setup = Setup.model_validate({"predators": tables})

    assert ["hunt" in table.rules for table in setup.predators] == [True, True, True, False, False]


@pytest.mark.parametrize("name", RULES)
def test_nothing_steers_who_is_carried(name):
    """Every rule below predators that a path carries is an error."""
    table = {"path": {"kind": "circle"}, name: dict(RULES[name].example)}

    with pytest.raises(ValueError, match="has no effect on predators carried along a path"):
        Setup.model_validate({"predators": table})
