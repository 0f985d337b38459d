"""Boids that move one after the other, against a plain loop that changes them in place; and drives never set back."""

from itertools import pairwise

import numpy as np
import pytest

from boidsgen.scenario.estimate import excess, seconds
from boidsgen.simulation import Setup, simulate
from boidsgen.simulation.engines import ENGINES
from tests.scenario.loaded import loaded
from tests.simulation import plain

needs_both = pytest.mark.skipif(len(ENGINES) < 2, reason="only one engine is installed")
SIZE = (120.0, 90.0)


def setup(flock, boundary="open", frames=12, **more):
    """A scenario of one flock that takes turns."""
    keys = {"count": 30, "min_speed": 0.5, "update": "sequential", **flock}
    return Setup.model_validate(
        {"seed": 3, "world": {"size": SIZE, "boundary": boundary}, "time": {"frames": frames}, "flock": keys, **more}
    )


def in_place(position, velocity, *, steering, sees, order):
    """One step of the three rules in plain loops: each boid, in this order, is moved before the next one looks."""
    position, velocity = [list(p) for p in position], [list(v) for v in velocity]
    count, radius, close = len(position), 50.0, 25.0
    for i in order(count):
        own, none = velocity[i], (0.0, 0.0)
        others = [j for j in range(count) if j != i]
        sources = [position[j] for j in others]
        near = plain.neighbors(position[i], own, sources, radius, sees, none)
        crowd = plain.neighbors(position[i], own, sources, close, sees, none)
        flights = [velocity[j] for j in others]
        mean = [[x / max(len(near), 1) for x in plain.total(near, quantity, flights, 2)] for quantity in QUANTITIES]
        if steering == "direct" and near:
            mean[0] = [m - v for m, v in zip(mean[0], own, strict=True)]
        wishes = (mean[0], mean[1], [-x for x in plain.total(crowd, "inverse", flights, 2)])
        if steering == "reynolds":
            wishes = [plain.reynolds(wish, own, 4.0, 0.2) for wish in wishes]
        drive = [sum(w * wish[axis] for w, wish in zip(WEIGHTS, wishes, strict=True)) for axis in (0, 1)]
        velocity[i] = plain.between([v + a for v, a in zip(own, drive, strict=True)], 0.5, 4.0)
        position[i] = [p + v for p, v in zip(position[i], velocity[i], strict=True)]
    return position, velocity


QUANTITIES = ("velocity", "offset")
WEIGHTS = (1.0, 1.0, 1.5)
"""Of alignment, cohesion, separation: the order in which they are added."""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("steering", ["reynolds", "direct"])
@pytest.mark.parametrize("sees", [360.0, 200.0])
def test_boids_move_one_after_the_other(engine, steering, sees):
    """Each frame follows from the one before by the plain loop, and not by it in another order."""
    states = simulate(setup({"steering": steering, "perception": {"field_of_view": sees}}), engine)
    for before, after in pairwise(state.flocks[0] for state in states):
        start = before.position.tolist(), before.velocity.tolist()
        position, velocity = in_place(*start, steering=steering, sees=sees, order=range)
        np.testing.assert_allclose(after.position, position, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(after.velocity, velocity, rtol=1e-9, atol=1e-9)

    backward, _ = in_place(*start, steering=steering, sees=sees, order=lambda count: reversed(range(count)))
    assert np.abs(after.position - backward).max() > 1e-4


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_boid_sees_everybody_as_they_were(engine):
    """The first turn is as if all moved at once; the last one is not."""
    *_, one = simulate(setup({}, frames=2), engine)
    *_, other = simulate(setup({"update": "synchronous"}, frames=2), engine)

    np.testing.assert_allclose(one.flocks[0].position[0], other.flocks[0].position[0], rtol=1e-12)
    assert np.abs(one.flocks[0].position - other.flocks[0].position).max() > 1e-4


def test_turns_cost_the_square_of_the_number():
    """The estimate knows it: a flock too large is refused before anything is allocated, others take their time."""
    sequential = 'flock.update="sequential"'
    small, large = (loaded("", f"flock.count={count}", sequential) for count in (100, 200_000))

    assert not excess(small)
    assert any("neighbor visits" in line for line in excess(large))
    assert not excess(loaded("", "flock.count=200000"))
    assert seconds(small) > 2 * seconds(loaded("", "flock.count=100"))


UPDATES = ("synchronous", "sequential")


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("engine", ENGINES)
def test_forces_pile_up_where_nobody_sets_them_back(update, engine):
    """A constant push of 0.1 for ten steps: the velocity grows by 0.1, 0.2, … instead of by 0.1 each time."""
    rules = {name: {"weight": 0} for name in ("separation", "alignment", "cohesion")}
    pull = {"home": {"point": (1e9, 45.0), "weight": 1.0, "max_force": 0.1}}
    flock = {"update": update, "max_speed": 1000, "min_speed": 0, **rules, **pull}
    still = {"start": {"layout": "uniform", "speed": (0.0, 0.0)}}
    for accumulate, expected in ((False, 1.0), (True, 5.5)):
        *_, last = simulate(setup({**flock, **still, "accumulate": accumulate}, frames=11), engine)
        np.testing.assert_allclose(last.flocks[0].velocity[:, 0], expected, rtol=1e-6)


def test_who_comes_later_has_nothing_piled_up():
    """An event doubles the flock: the new boids begin without any drive, the first keep theirs."""
    event = {"at": 5, "set": {"flock.count": 60}}
    states = list(simulate(setup({"accumulate": True}, frames=7, events=(event,))))
    drive = states[5].flocks[0].drive

    assert drive.shape == (60, 2)
    assert np.abs(drive[:30]).max() > 0.1
    assert not drive[30:].any()


def test_speed_without_a_limit():
    """limit_speed = false: a push goes on beyond max_speed, which steering still aims at."""
    rules = {name: {"weight": 0} for name in ("separation", "alignment", "cohesion")}
    pull = {"home": {"point": (1e9, 45.0), "weight": 1.0, "max_force": 1.0}}
    fastest = {}
    for limit in (True, False):
        *_, last = simulate(setup({**rules, **pull, "limit_speed": limit}))
        fastest[limit] = np.linalg.norm(last.flocks[0].velocity, axis=1).max()

    assert fastest[True] == pytest.approx(4.0)
    assert fastest[False] > 8
