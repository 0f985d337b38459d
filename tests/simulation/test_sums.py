"""Falloffs, averages, forms and what a rule does without a direction, against plain loops."""

import math

import numpy as np
import pytest

from boidsgen.simulation.motion import turning
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup
from tests.simulation import plain
from tests.simulation.stages import OFF, given, scattered

SIZE = (100.0, 100.0)
FALLOFFS = {**{kind: {} for kind in plain.FALLOFF}, "exponential": {"length": 7.0}, "quartic": {"length": 4.0}}
FALLOFFS["power"] = {"length": 3.0, "exponent": 0.8}
AVERAGES = ["sum", "neighbors", "view"]
PERCEPTION = {"radius": 30.0, "field_of_view": 250.0}


def change(
    name, keys, i, position, velocity, *, others=(), periods=(0.0, 0.0), perception=PERCEPTION, motion=(4.0, 0.2)
):
    """The change of velocity of one boid by one of the three rules of flocking, weight 1, from its formula."""
    own, (speed, force) = velocity[i], motion
    form, direct = keys["steering"], keys["steering"] in {"direct", "unit"}
    radius, reach = keys.get("radius", perception["radius"]), perception["field_of_view"]
    near, view = (
        [
            (places[j], flights[j], offset)
            for places, flights in ((position, velocity), *(others if name == "separation" else ()))
            for j, offset in plain.neighbors(
                position[i], own, places, within, reach, periods, perception.get("all_round", 0.0)
            )
        ]
        for within in (radius, perception["radius"])
    )
    kind = keys.get("falloff", {"separation": "inverse", "alignment": "constant", "cohesion": "linear"}[name])
    sizes = [plain.falloff(kind, plain.norm(o), keys.get("length", 1.0), keys.get("exponent", 0.5)) for *_, o in near]
    itself = keys.get("include_self", False)
    if name == "alignment":
        way = plain.unit if keys.get("of") == "heading" else list
        less = way(own) if direct and keys.get("relative", True) else [0.0] * len(own)
        added = [
            [s * (c - m) for c, m in zip(way(flight), less, strict=True)]
            for s, (_, flight, _) in zip(sizes, near, strict=True)
        ]
        if itself and (near or not keys.get("relative", True)):
            here = plain.falloff(kind, 0.0, keys.get("length", 1.0), keys.get("exponent", 0.5))
            added.append([here * (c - m) for c, m in zip(way(own), less, strict=True)])
    else:
        sign = -1 if name == "separation" else 1
        added = [[sign * s * c for c in plain.unit(o)] for s, (*_, o) in zip(sizes, near, strict=True)]
    usual = "sum" if name == "separation" else "neighbors"
    over = {"sum": 1, "neighbors": len(near) + itself, "view": len(view) + itself}[keys.get("average", usual)]
    x = [sum(parts) / max(over, 1) for parts in zip(*added, strict=True)] or [0.0] * len(own)
    empty = keys.get("empty", "rest")
    if empty == "origin" and not near:
        x = [-c for c in position[i]]
    if form == "unit":
        return plain.unit(x)
    if form == "turn":
        return plain.turn(own, x, keys["max_turn"])
    if form == "direct":
        return x
    if plain.norm(x) == 0 and (empty == "brake" or (empty == "brake_in_view" and view)):
        return plain.limit([-c for c in own], force)
    return plain.reynolds(x, own, speed, force)


def assert_as_the_formula(
    name, keys, *, size=SIZE, boundary="open", perception=PERCEPTION, others=(), count=30, **more
):
    """The contributions of the rule are those of the formula, for every boid."""
    position, velocity = scattered(count, size)
    velocity[0] = 0.0
    flock = {"perception": perception, name: {"weight": 1.3, **keys}, **more}
    tables = [(flock, position, velocity), *(({}, *group) for group in others)]

    found = given(tables, size=size, boundary=boundary)[name]

    periods = size if boundary == "torus" else (0.0,) * len(size)
    for i in range(count):
        expected = change(name, keys, i, position, velocity, others=others, periods=periods, perception=perception)
        np.testing.assert_allclose(found[i], 1.3 * np.array(expected), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("falloff", FALLOFFS)
@pytest.mark.parametrize("name", ["separation", "cohesion"])
@pytest.mark.parametrize(("boundary", "size"), [("open", SIZE), ("torus", (60.0, 50.0, 40.0))])
def test_pushes_and_pulls(name, falloff, average, boundary, size):
    """Each neighbor pushes or pulls by the falloff of its distance, and the sum is divided as `average` says."""
    keys = {"falloff": falloff, **FALLOFFS[falloff], "average": average, "radius": 18.0, "steering": "direct"}
    others = [scattered(20, size, seed=4)] if name == "separation" else []

    assert_as_the_formula(name, keys, boundary=boundary, size=size, others=others)


@pytest.mark.turns(3)  # of each falloff, with every steering and switch
@pytest.mark.parametrize("steering", ["direct", "unit", "reynolds", "turn"])
@pytest.mark.parametrize("itself", [True, False])
@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("of", ["velocity", "heading"])
@pytest.mark.parametrize("falloff", ["constant", "exponential", "power"])
def test_alignment(falloff, of, relative, itself, steering):
    """Velocities or headings are weighted by the distance, and matched by differences unless relative is false."""
    keys = {"falloff": falloff, **FALLOFFS[falloff], "of": of, "relative": relative, "include_self": itself}
    keys |= {"steering": steering, "radius": 14.0, **({"max_turn": 12.0} if steering == "turn" else {})}
    for average in AVERAGES:
        assert_as_the_formula("alignment", {**keys, "average": average})


@pytest.mark.parametrize("name", ["separation", "alignment", "cohesion"])
@pytest.mark.parametrize("steering", ["unit", "turn"])
def test_unit_and_turn(name, steering):
    """The form unit keeps the direction of the vector alone; turn keeps the speed, and turns so far at most."""
    assert_as_the_formula(
        name, {"steering": steering, "radius": 20.0, **({"max_turn": 12.0} if steering == "turn" else {})}
    )


@pytest.mark.parametrize("empty", ["rest", "brake", "brake_in_view", "origin"])
@pytest.mark.parametrize("name", ["separation", "alignment", "cohesion"])
def test_without_a_direction(name, empty):
    """A vector that is zero means rest, or braking, or for cohesion the way to the origin."""
    if empty == "origin" and name != "cohesion":
        return
    assert_as_the_formula(name, {"empty": empty, "radius": 9.0, "steering": "reynolds"}, max_force=0.2)


@pytest.mark.parametrize("name", ["separation", "alignment", "cohesion"])
def test_all_round(name):
    """Nearer than `all_round`, neighbors are seen behind, too, of its own kind and, by separation, of others."""
    perception = {"radius": 30.0, "field_of_view": 120.0, "all_round": 12.0}
    others = [scattered(20, SIZE, seed=4)]

    assert_as_the_formula(name, {"steering": "direct", "radius": 20.0}, perception=perception, others=others)


@pytest.mark.parametrize("size", [SIZE, (100.0, 100.0, 100.0)])
def test_turns_keep_speed(size):
    """Who turns keeps its speed, never turns too far, and turns in the plane of both directions."""
    generator = np.random.default_rng(2)
    velocity, wanted = generator.normal(size=(2, 500, len(size)))
    new = velocity + turning(wanted, velocity, math.radians(20.0))

    def angles(one, other):
        lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
        return np.degrees(np.arccos(np.clip((one * other).sum(axis=1) / lengths, -1, 1)))

    between = angles(velocity, wanted)
    np.testing.assert_allclose(np.linalg.norm(new, axis=1), np.linalg.norm(velocity, axis=1))
    np.testing.assert_allclose(angles(velocity, new), np.minimum(between, 20.0), atol=1e-5)
    np.testing.assert_allclose(angles(new, wanted), np.maximum(between - 20.0, 0.0), atol=1e-5)


@pytest.mark.parametrize(
    "ahead", [(0.6, 0.8), (1.0, 0.0), (-0.28, 0.96), (0.6, 0.8, 0.0), (0.0, 0.0, 1.0), (0.48, 0.6, 0.64)]
)
@pytest.mark.parametrize("off", [0.0, 1e-16, 1e-12])
def test_turns_right_round_are_to_the_right(ahead, off):
    """Toward the exact opposite, or so near that only rounding tells, a boid turns right and keeps its speed."""
    velocity = 3.0 * np.array([ahead])
    new = velocity + turning(-np.array([ahead]) * (1 + off) + off, velocity, math.radians(10.0))

    assert np.linalg.norm(new) == pytest.approx(3.0, rel=1e-9)
    assert (new @ velocity.T)[0, 0] == pytest.approx(9.0 * math.cos(math.radians(10.0)), rel=1e-9)
    if ahead[:2] != (0.0, 0.0) and not off:
        assert velocity[0, 0] * new[0, 1] - velocity[0, 1] * new[0, 0] < 0


def test_at_rest_nobody_turns():
    """Who has no heading, and who is given no direction, does not turn."""
    velocity, wanted = np.array([[0.0, 0.0], [1.0, 2.0]]), np.array([[1.0, 0.0], [0.0, 0.0]])

    np.testing.assert_array_equal(turning(wanted, velocity, 0.3), 0.0)


@pytest.mark.parametrize("dt", [1.0, 0.5])
def test_the_largest_turn_is_per_unit_of_time(dt):
    """In a step of half the time, a boid turns half as far."""
    towards = {"seek": {"point": (90.0, 90.0), "steering": "turn", "max_turn": 20.0}}
    start = {"layout": "points", "points": ((50.0, 90.0),), "speed": (1.0, 1.0), "heading": 90.0}
    flock = {"start": start, "min_speed": 0.0, **OFF, **towards}
    setup = Setup.model_validate({"flock": flock, "time": {"frames": 2, "dt": dt}, "world": {"boundary": "open"}})

    _, after = simulate(setup, "numpy")

    ((x, y),) = after.flocks[0].velocity
    assert math.degrees(math.atan2(y, x)) == pytest.approx(90.0 - 20.0 * dt)
    assert math.hypot(x, y) == pytest.approx(1.0)


def test_away_from_headings():
    """A boid turns away from the heading of its nearest neighbor, as far as it is off, whatever the place of it is."""
    rule = {"away_from": "headings", "radius": 12.0, "steering": "direct", "weight": 1.0}
    position, velocity = scattered(40, SIZE)

    found = given([({"separation": rule}, position, velocity), ({}, *scattered(40, SIZE, seed=5))])["separation"]

    for i in range(40):
        near = plain.neighbors(position[i], velocity[i], position, 12.0, 360, (0.0, 0.0))
        if not near:
            np.testing.assert_array_equal(found[i], 0.0)
            continue
        j, _ = min(near, key=lambda pair: plain.norm(pair[1]))
        own, its, away = (math.atan2(v[1], v[0]) for v in (velocity[i], velocity[j], found[i]))
        assert math.cos(away - (own + (own - its))) == pytest.approx(1.0, abs=1e-9)


def test_a_rule_that_preempts_is_alone():
    """Where separation gives a direction no other rule steers, and elsewhere all do as without it."""
    flock = {"separation": {"radius": 9.0, "weight": 1.0}, "alignment": {}, "cohesion": {}, "noise": {"weight": 0.5}}
    alone = {**flock, "separation": {**flock["separation"], "preempts": True}}
    group = scattered(40, SIZE)

    usual, found = (given([(table, *group)]) for table in (flock, alone))

    close = np.linalg.norm(usual["separation"], axis=1) > 0
    assert 5 < close.sum() < 35
    np.testing.assert_array_equal(found["separation"], usual["separation"])
    for name in ("alignment", "cohesion", "noise"):
        np.testing.assert_array_equal(found[name][close], 0.0)
        np.testing.assert_array_equal(found[name][~close], usual[name][~close])


def test_of_two_rules_that_preempt_the_first_steers():
    """Alignment is added up before separation, and leaves it nothing where it gives a direction."""
    flock = {name: {"preempts": True, "weight": 1.0, "radius": 20.0} for name in ("separation", "alignment")}
    found = given([({**flock, "cohesion": {}}, *scattered(40, SIZE))])
    led = np.linalg.norm(found["alignment"], axis=1) > 0

    assert led.any()
    np.testing.assert_array_equal(found["separation"][led], 0.0)
    np.testing.assert_array_equal(found["cohesion"][led], 0.0)


@pytest.mark.parametrize("update", ["synchronous", "sequential"])
def test_what_preempts_in_a_run(update):
    """In a run the others rest, too: with a cohesion that would tear all apart, only those that are alone move fast."""
    alone = {"radius": 9.0, "weight": 1.0, "steering": "direct", "falloff": "linear", "preempts": True}
    flock = {"count": 40, "min_speed": 0.0, "max_speed": 1e6, "update": update, "flee": {"weight": 0.0}}
    flock |= {"alignment": {"weight": 0.0}, "separation": alone, "start": {"layout": "uniform", "speed": (0.0, 0.0)}}
    flock["cohesion"] = {"weight": 1e3, "steering": "direct", "radius": 9.0}
    setup = Setup.model_validate({"world": {"size": (400.0, 400.0)}, "flock": flock, "time": {"frames": 2}})

    first, after = simulate(setup, "numpy")

    assert np.abs(after.flocks[0].velocity).max() < 9.0 * 40
    assert np.abs(after.flocks[0].velocity).max() > 0.0
    assert first.flocks[0].velocity.max() == 0.0


def test_weighted_differences_keep_the_mean_velocity():
    """With weights by the distance alone, differences of velocities cancel out (Cucker and Smale 2007)."""
    keys = {"falloff": "power", "exponent": 0.45, "average": "sum", "steering": "direct", "weight": 0.1}
    found = given([({"alignment": keys, "perception": {"radius": math.inf}}, *scattered(40, SIZE))])["alignment"]

    assert np.abs(found).max() > 0.01
    np.testing.assert_allclose(found.sum(axis=0), 0.0, atol=1e-14 * 40)
