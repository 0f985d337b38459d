"""The engines against each other: equal to the last bit, whatever is asked; and which one `auto` takes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal, get_args, get_origin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import boidsgen
from boidsgen.simulation import backend
from boidsgen.simulation.engines import ENGINES, engine_name, engine_of, hint
from boidsgen.simulation.neighbors.sums import NeighborSearch, Request
from boidsgen.simulation.rules.flocking import Cohesion
from boidsgen.simulation.rules.rule import Neighborhood, recipe_of, rules_in
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Flock, Predators, Setup
from boidsgen.simulation.world import BOUNDARIES
from tests.simulation.test_neighbors import QUANTITIES

needs_both = pytest.mark.skipif(len(ENGINES) < 2, reason="only one engine is installed")


def assert_equal_sums(query, source, requests, periods):
    """Every engine gives the same counts and sums, to the last bit."""
    sums = [engine_of(engine).neighbor_sums for engine in ENGINES]
    answers = [NeighborSearch(one, np.array(periods)).sums(*query, *source, tuple(requests)) for one in sums]
    for other in answers[1:]:
        for request, expected in answers[0].items():
            np.testing.assert_array_equal(other[request].count, expected.count)
            np.testing.assert_array_equal(other[request].total, expected.total)


coordinates = st.one_of(
    st.floats(0, 20, exclude_max=True), st.sampled_from([0.0, 5.0, 10.0, 19.999999999999996, 5e-324, 1e-17])
)
anywhere = st.one_of(coordinates, st.floats(-1e9, 1e9), st.sampled_from([-1e150, 1e150, 1e308, -1e308]))
requests_of_any_kind = st.builds(
    Request,
    radius=st.one_of(st.floats(0.01, 50), st.just(np.inf)),
    field_of_view=st.one_of(st.just(360.0), st.floats(1, 359)),
    quantity=st.sampled_from(QUANTITIES),
    nearest=st.none() | st.integers(1, 12),
)


@needs_both
@settings(max_examples=100, deadline=None)
@given(data=st.data(), repeats=st.booleans(), dimension=st.sampled_from([2, 3]))
def test_hostile_places(data, repeats, dimension):
    """On borders of cells, in one place, at the edge or unspeakably far away: equal bits, or the same overflow."""
    places = st.lists(st.tuples(*[coordinates if repeats else anywhere] * dimension), min_size=1, max_size=12)
    position = np.array(data.draw(places))
    velocity = np.cos(np.arange(position.size)).reshape(position.shape)
    requests = data.draw(st.lists(requests_of_any_kind, min_size=1, max_size=4, unique=True))

    with np.errstate(over="ignore", invalid="ignore"):
        assert_equal_sums((position, velocity), (position, velocity), requests, (20.0 if repeats else 0.0,) * dimension)


SIZES = {"flat": (300.0, 200.0), "deep": (200.0, 150.0, 60.0)}
FRAMES = 5
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
    """True if the rule accepts the table."""
    try:
        rule.model_validate(table)
    except ValidationError:
        return False
    return True


def options_of(kind):
    """Values of a type that has few."""
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
        "limit_speed": bool(generator.integers(3)),
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
    turns = bool(generator.integers(2))
    count = int(generator.choice([1, 40, 60 if turns else 700]))
    flocks = (
        group(Flock, generator, len(size), name="first", count=count, update="sequential" if turns else "synchronous"),
        group(Flock, generator, len(size), name="others", count=25),
    )[: int(generator.integers(1, 3))]
    for flock in flocks:
        if len(flocks) == 1:
            flock.pop("species", None)
    flocks[0]["accumulate"] = bool(generator.integers(2))
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


@needs_both
@pytest.mark.parametrize("boundary", [*BOUNDARIES, {"kind": "teleport", "applied": "before"}], ids=str)
@pytest.mark.parametrize("size", SIZES)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_whole_runs_are_equal(boundary, size, seed):
    """Rules, forms, targets, perception, motion, update, other groups, obstacles and events by chance: equal bits."""
    setup = Setup.model_validate(scenario(seed, boundary, SIZES[size]))
    for expected, other in zip(simulate(setup, "numpy"), simulate(setup, "numba"), strict=True):
        pairs = zip((*expected.flocks, *expected.predators), (*other.flocks, *other.predators), strict=True)
        for one, same in pairs:
            np.testing.assert_array_equal(same.position, one.position)
            np.testing.assert_array_equal(same.velocity, one.velocity)


@needs_both
def test_threads_do_not_show(monkeypatch):
    """However the boids are divided among threads, states are the same."""
    from boidsgen.simulation import compiled, compiled_step

    scene = setup(900, 4, noise={"weight": 0.1})
    expected = [state.flocks[0] for state in simulate(scene, "numba")]
    for module in (compiled, compiled_step):
        monkeypatch.setattr(module, "threads_for", lambda _: 3)
    for one, state in zip(expected, simulate(scene, "numba"), strict=True):
        np.testing.assert_array_equal(state.flocks[0].position, one.position)
        np.testing.assert_array_equal(state.flocks[0].velocity, one.velocity)


def test_every_rule_about_its_own_kind_has_a_recipe():
    """A rule that is a sum over neighbors is data that every engine executes, unless its class says otherwise."""
    for name, rule in rules_in(Flock).items():
        one = rule.model_validate(rule.example)

        assert (recipe_of(one, Neighborhood()) is not None) >= bool(one.own_requests(Neighborhood())), name


def test_a_rule_that_overrides_its_recipe_is_asked_itself():
    """A class that redefines `desired` or `direct` has no recipe, whatever it inherits."""

    class Odd(Cohesion):
        def direct(self, view):
            return view.velocity

    assert recipe_of(Odd(), Neighborhood()) is None


NO_THREADS = """
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup
from boidsgen.simulation import backend
setups = [{"time": {"frames": 2}, "flock": {"count": 9, "update": update}} for update in ("synchronous", "sequential")]
for setup in setups:
    one, other = (list(simulate(Setup.model_validate(setup), engine))[-1].flocks[0] for engine in ("numpy", "numba"))
    assert one.position.tobytes() == other.position.tobytes()
assert backend.cache_state("", "") == backend.notices()[0]
print(*backend.notices(), sep="\\n")
"""


@needs_both
def test_fewer_threads_than_one():
    """If the environment allows numba no thread, which it does not bear, numpy does the run, and one line says why."""
    environment = {**os.environ, "NUMBA_NUM_THREADS": "0"}
    done = subprocess.run(
        [sys.executable, "-c", NO_THREADS], env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout == (
        "numba cannot be used (NUMBA_NUM_THREADS is 0, and must be 1 or more, or not be set); "
        "numpy does the same, more slowly\n"
    )


def setup(count, frames, **flock):
    return Setup.model_validate({"flock": {"count": count, **flock}, "time": {"frames": frames}})


@needs_both
def test_compiled_code_is_kept_and_checked(tmp_path):
    """Compiled code is kept for the next process; where it is damaged numpy does the same, and a line says why."""
    copy = shutil.copytree(Path(boidsgen.__file__).parent, tmp_path / "boidsgen")  # with code that is compiled already
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    program = """
from boidsgen.simulation import backend
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup
run = simulate(Setup.model_validate({"time": {"frames": 3}}), "numba")
print(run.engine, list(run)[-1].flocks[0].position.sum(), *backend.notices(), sep="\\n")
"""

    def done():
        command = [sys.executable, "-c", program]
        ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
        return ran.stdout.splitlines(), {path: path.stat().st_mtime_ns for path in copy.rglob("*.nb?")}

    (engine, total, *_), kept = done()
    assert kept
    assert done() == ([engine, total], kept)
    for path in kept:
        path.write_bytes(path.read_bytes()[:-40])
    (other, same, notice), _ = done()

    assert (engine, other, same) == ("numba", "numpy", total)
    assert "numba cannot be used (its cache cannot be read or written: " in notice


@pytest.mark.parametrize("installed", [True, False])
@pytest.mark.parametrize("cached", [True, False])
def test_auto_compiles_only_what_gains_twice_as_much(monkeypatch, installed, cached):
    """A short run is done by numpy; one that gains a little by numba if its code is there; a long one by numba."""
    monkeypatch.setattr(backend, "INSTALLED", installed)
    monkeypatch.setattr(backend, "is_cached", lambda *_: cached)

    assert engine_name("auto", setup(50, 200)) == "numpy"
    assert engine_name("auto", setup(1000, 300)) == ("numba" if installed and cached else "numpy")
    assert engine_name("auto", setup(10_000, 1000)) == ("numba" if installed else "numpy")
    assert engine_name("auto", setup(100, 300, update="sequential")) == ("numba" if installed and cached else "numpy")
    assert engine_name("auto", setup(1000, 300), runs=50) == ("numba" if installed else "numpy")
    assert engine_name("numpy", setup(10_000, 1000)) == "numpy"


@pytest.mark.parametrize(
    ("installed", "engine", "count", "hinted"),
    [(True, "auto", 100_000, False), (False, "auto", 100_000, True), (False, "numpy", 100_000, False),
     (False, "auto", 100, False)],
)  # fmt: skip
def test_a_hint_where_it_helps(monkeypatch, installed, engine, count, hinted):
    """Only a large run that could have been much faster says so."""
    monkeypatch.setattr(backend, "INSTALLED", installed)

    assert (hint(setup(count, 2000), engine) is not None) == hinted


@needs_both
def test_an_interrupt_ends_the_work_of_all_threads():
    """What is raised between two slices of compiled work, as by a signal, leaves the slices that are not begun."""
    from boidsgen.simulation.compiled import in_parallel

    done, starts = [], iter(range(1000))

    def some(starts):
        for first in starts:
            done.append(first)
            if first == 3:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_parallel(some, starts, 1)

    assert done == [0, 1, 2, 3]
    assert not [*starts]
