"""Predators are steered by the rules that steer boids, each predator table a group of its own."""

import numpy as np
import pytest

from boidsgen.simulation import Setup, simulate
from boidsgen.simulation.rules.registry import RULES

FAR = {"layout": "disc", "center": (50.0, 50.0), "radius": 8.0}


def last(predators, frames=20, **document):
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

    assert spread(last(apart).predators[0]) > spread(last(table).predators[0])
    other = {"count": 1, "start": {"layout": "disc", "center": (55.0, 50.0), "radius": 0.5}, "hunt": {"weight": 0.0}}
    lone = {**apart, "count": 1}
    assert (last((lone, other), frames=3).predators[0].velocity != last(lone, frames=3).predators[0].velocity).any()


@pytest.mark.parametrize("rule", ["flee", "evade"])
def test_predators_flee_from_other_kinds_only(rule):
    """A rule of flight below predators is about other predator tables, never about the own one."""
    fox = {"count": 4, "start": FAR, "hunt": {"weight": 0.0}}
    wolf = {"count": 1, "start": {"layout": "disc", "center": (70.0, 50.0), "radius": 0.5}, "hunt": {"weight": 0.0}}
    afraid = {**fox, rule: {"radius": 200.0}}

    np.testing.assert_array_equal(last(afraid).predators[0].position, last(fox).predators[0].position)
    calm, fled = (last((one, wolf)).predators for one in (fox, afraid))
    assert (calm[0].position != fled[0].position).any()
    np.testing.assert_array_equal(calm[1].position, fled[1].position)


def test_predators_hunt_unless_they_have_a_path_or_a_hunt():
    """Other rules come on top of the usual hunt."""
    tables = ({}, {"noise": {}}, {"separation": {}}, {"hunt": {"weight": 0.0}}, {"path": {"kind": "circle"}})
    setup = Setup.model_validate({"predators": tables})

    assert ["hunt" in table.rules for table in setup.predators] == [True, True, True, False, False]


@pytest.mark.parametrize("name", RULES)
def test_nothing_steers_who_is_carried(name):
    """Every rule below predators that a path carries is a mistake."""
    table = {"path": {"kind": "circle"}, name: dict(RULES[name].example)}

    with pytest.raises(ValueError, match="has no effect on predators carried along a path"):
        Setup.model_validate({"predators": table})
