"""The compiled step against the numpy definition: equal bits in every combination of what there is."""

from typing import Literal, get_args, get_origin

import numpy as np
import pytest
from pydantic import ValidationError

from boidsgen.simulation import Setup, geometry, simulate
from boidsgen.simulation.boundaries import BOUNDARIES
from boidsgen.simulation.flock import Flock
from boidsgen.simulation.neighbors.engines import ENGINES
from boidsgen.simulation.predators import Predators
from boidsgen.simulation.rules.rule import Perception, rules_in

pytestmark = pytest.mark.skipif(len(ENGINES) < 2, reason="only one engine is installed")

SIZES = {"flat": (300.0, 200.0), "deep": (200.0, 150.0, 60.0)}
FRAMES = 6
INFINITE = float("inf")
NUMBERS = {
    "weight": (0.0, 0.7, -0.4),
    "radius": (15.0, 60.0, INFINITE),
    "max_force": (0.1, INFINITE),
    "field_of_view": (120.0, 300.0, 360.0),
}
"""Values to choose from for keys that hold numbers; all others keep their defaults."""


def chosen(rule, generator, dimension):
    """A table of a rule in which every key with a choice, a switch or one of the numbers above is left to chance."""
    table = {key: deepened(value) if dimension == 3 else value for key, value in rule.example.items()}
    for name, field in rule.model_fields.items():
        options = [option for part in (field.annotation, *get_args(field.annotation)) for option in options_of(part)]
        options = NUMBERS.get(name, tuple(options))
        if options and generator.random() < 0.6:
            table[name] = options[generator.integers(len(options))]
    if table.get("acts_on") == "position":
        table.pop("steering", None)
        table["weight"] = 0.05
    if "radius" in table and not fits(rule, table):  # some have no rule about everyone
        del table["radius"]
    return table


def deepened(value):
    """An example's points, given in the plane, with a third coordinate."""
    if isinstance(value, tuple | list) and value and all(isinstance(part, int | float) for part in value):
        return (*value, 20.0)
    return tuple(deepened(part) for part in value) if isinstance(value, tuple | list) else value


def fits(rule, table):
    """Whether a table is one of this rule."""
    try:
        rule.model_validate(table)
    except ValidationError:
        return False
    return True


def options_of(kind):
    """What a type leaves to choose from."""
    if kind is bool:
        return (True, False)
    return get_args(kind) if get_origin(kind) is Literal else ()


def group(table, generator, dimension, **keys):
    """A group with some rules, and motion and perception left to chance."""
    rules = {name: rule for name, rule in rules_in(table).items() if generator.random() < 0.5}
    usual = {"separation", "alignment", "cohesion"} & set(rules_in(table))
    rules |= {name: rules_in(table)[name] for name in usual}
    pick = lambda *options: options[generator.integers(len(options))]  # noqa: E731
    return {
        **keys,
        **{name: chosen(rule, generator, dimension) for name, rule in rules.items() if name != "path"},
        "steering": pick("direct", "reynolds"),
        "integrator": pick("explicit", "semi_implicit"),
        "inertia": pick(1.0, 0.6, 0.0),
        "max_acceleration": pick(INFINITE, 0.5),
        "max_force": pick(0.2, INFINITE),
        "perception": {
            "radius": pick(30.0, 80.0, INFINITE),
            "field_of_view": pick(360.0, 220.0),
            **pick({}, {"neighbors": 4}),
        },
    }


def scenario(seed, boundary, size):
    """Two flocks, predators and what stands around, all by chance; something changes on the way."""
    generator = np.random.default_rng(seed)
    middle = tuple(side / 2 for side in size)
    flocks = (
        group(Flock, generator, len(size), name="first", count=int(generator.choice([1, 40, 700]))),
        group(Flock, generator, len(size), name="others", count=25),
    )[: int(generator.integers(1, 3))]
    for flock in flocks:
        if len(flocks) == 1:
            flock.pop("species", None)
    around = {
        "obstacles": {"kind": "circle", "center": middle, "radius": 15.0, "solid": bool(generator.integers(2))},
        "attractors": {"point": middle, "weight": -0.5, "radius": 70.0},
        "predators": group(
            Predators, generator, len(size), count=3, hunt={"target": str(generator.choice(["all", "nearest"]))}
        ),
        "events": ({"at": 3, "set": {"flock.0.max_speed": 3.0, "flock.0.count": 31}},),
    }
    if "predators" in around:
        around["predators"].pop("species", None)
    return {
        "seed": seed,
        "world": {"size": size, "boundary": boundary},
        "time": {"frames": FRAMES, "dt": float(generator.choice([1.0, 0.5]))},
        "flock": flocks,
        **{name: table for name, table in around.items() if generator.random() < 0.5},
    }


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("size", SIZES)
def test_every_combination(boundary, size):
    """Rules, forms, targets, perception, motion, other groups, obstacles and events by chance: the same bytes."""
    for seed in range(25):
        keys = scenario(seed, boundary, SIZES[size])
        setup = Setup.model_validate(keys)
        for expected, other in zip(simulate(setup, "numpy"), simulate(setup, "numba"), strict=True):
            pairs = zip((*expected.flocks, *expected.predators), (*other.flocks, *other.predators), strict=True)
            for one, same in pairs:
                assert same.position.tobytes() == one.position.tobytes(), keys
                assert same.velocity.tobytes() == one.velocity.tobytes(), keys


def test_every_rule_that_asks_about_its_own_kind_has_a_recipe():
    """A rule that is a sum over neighbors is done by the kernel; without a recipe it would be done twice."""
    for name, rule in rules_in(Flock).items():
        one = rule.model_validate(rule.example)

        assert (one.recipe(Perception()) is not None) >= bool(one.own_requests(Perception())), name


def test_the_kernel_divides_by_the_same_smallest_length():
    """One constant stands in two files, because machine code is kept by the time of one of them."""
    from boidsgen.simulation import step_kernel

    assert step_kernel.SHORTEST == geometry.SHORTEST


def test_many_boids_are_moved_by_several_threads(monkeypatch):
    """However a group is divided among threads, its states are the same."""
    from boidsgen.simulation.neighbors import compiled

    setup = Setup.model_validate({"flock": {"count": 900, "noise": {"weight": 0.1}}, "time": {"frames": 4}})
    expected = [state.flocks[0] for state in simulate(setup, "numba")]
    monkeypatch.setattr(compiled, "threads_for", lambda boids: 3 if boids > 3 else 1)
    monkeypatch.setattr("boidsgen.simulation.compiled_step.threads_for", compiled.threads_for)

    for one, state in zip(expected, simulate(setup, "numba"), strict=True):
        np.testing.assert_array_equal(state.flocks[0].position, one.position)
        np.testing.assert_array_equal(state.flocks[0].velocity, one.velocity)
