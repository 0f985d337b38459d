"""The engines against each other: equal to the last bit, in whatever lanes and threads; and which one `auto` takes."""

import os
import select
import signal
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from boidsgen import load_scenario
from boidsgen.errors import NotFiniteError, UsageError
from boidsgen.kernel import library
from boidsgen.simulation import native, neighbors
from boidsgen.simulation.neighbors import NeighborSearch, Request
from boidsgen.simulation.rules.flocking import Cohesion
from boidsgen.simulation.rules.rule import is_told
from boidsgen.simulation.run import ENGINES, engine_name, engine_of, simulate
from boidsgen.simulation.setup import RULES, Flock, Setup
from boidsgen.system import usable_cores
from tests.generating import simulated
from tests.simulation.test_neighbors import QUANTITIES
from tests.simulation.test_neighbors import coordinates as inside
from tests.states.drawing import runs
from tests.systems import posix

ROOT = Path(__file__).parents[2]


def assert_equal_sums(query, source, requests, periods):
    """Every engine gives the same counts and sums, to the last bit."""
    sums = [engine_of(engine).neighbor_sums for engine in ENGINES]
    expected, other = [NeighborSearch(one, np.array(periods)).sums(*query, *source, tuple(requests)) for one in sums]
    for request in expected:
        np.testing.assert_array_equal(other[request].count, expected[request].count)
        np.testing.assert_array_equal(other[request].total, expected[request].total)


anywhere = st.one_of(inside, st.floats(-1e9, 1e9), st.sampled_from([-1e150, 1e150, 1e308, -1e308]))
requests_of_any_kind = st.builds(
    Request,
    radius=st.one_of(st.floats(0.01, 50), st.just(np.inf)),
    field_of_view=st.one_of(st.just(360.0), st.floats(1, 359)),
    quantity=st.sampled_from([*QUANTITIES, "heading", "exponential", "power", "quartic"]),
    nearest=st.none() | st.integers(1, 12),
    length=st.sampled_from([1.0, 0.03, 40.0]),
    exponent=st.sampled_from([0.5, 0.0, 1.7]),
    weighting=st.sampled_from(["constant", "exponential", "power"]),
    relative=st.booleans(),
    all_round=st.sampled_from([0.0, 3.0, 60.0]),
)


@settings(max_examples=100, deadline=None)
@given(data=st.data(), repeats=st.booleans(), dimension=st.sampled_from([2, 3]))
def test_hostile_places(data, repeats, dimension):
    """On borders of cells, in one place, at the edge or extremely far away: equal bits, or the same overflow."""
    places = st.lists(st.tuples(*[inside if repeats else anywhere] * dimension), min_size=1, max_size=12)
    position = np.array(data.draw(places))
    velocity = np.cos(np.arange(position.size)).reshape(position.shape)
    requests = data.draw(st.lists(requests_of_any_kind, min_size=1, max_size=4, unique=True))

    with np.errstate(over="ignore", invalid="ignore"):
        assert_equal_sums((position, velocity), (position, velocity), requests, (20.0 if repeats else 0.0,) * dimension)


def test_nearest_in_an_endless_space():
    """The few nearest are found where the volume around everybody is no finite number."""
    position = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, -1e308, 5.0]])
    requests = [Request(np.inf, 360.0, "offset", 1)]

    with np.errstate(over="ignore", invalid="ignore"):
        assert_equal_sums((position, position), (position, position), requests, (0.0, 0.0, 0.0))


@pytest.mark.parametrize("count", [120, 700])
@pytest.mark.parametrize("field_of_view", [360.0, 250.0])
def test_crowds(count, field_of_view):
    """However many a boid has around it: more than are looked at together, or than the nearest are chosen from at once.

    Most stand close together, others so far away that the nearest of them are beyond where they are expected.
    """
    chance = np.random.default_rng(count)
    position = chance.standard_normal((count, 3)) * (0.01 + 50 * chance.random((count, 1)) ** 12)
    velocity = chance.standard_normal((count, 3))
    plain = [Request(30.0, field_of_view, quantity) for quantity in ("inverse", "offset", "velocity")]
    nearest = [Request(radius, field_of_view, "offset", most) for radius in (30.0, np.inf) for most in (1, 7, 64, 70)]
    for places, period in ((position, 0.0), (position % 100.0, 100.0)):
        for requests in (plain, nearest, nearest[:2], [*plain, nearest[1]]):
            assert_equal_sums((places, velocity), (places, velocity), requests, (period,) * 3)


def bits(setup, engine):
    """Every number of every state of a run, in bytes, which tell -0.0 from 0.0."""
    return [
        [(one.position.tobytes(), one.velocity.tobytes()) for one in (*state.flocks, *state.predators)]
        for state in simulate(setup, engine)
    ]


def test_a_distance_whose_cube_is_too_small_for_a_number():
    """Who is that near pushes nowhere, as at the same place."""
    position = np.array([[0.0, 0.0], [0.0, 1e-120]])
    requests = [Request(np.inf, 360.0, "inverse_square", None, "count")]

    assert_equal_sums((position, position), (position, position), requests, (0.0, 0.0))


def test_who_is_avoided_and_fled_from_is_looked_for_twice():
    """One search for both adds up in another order."""
    setup = load_scenario({"predators": [{"count": 150}, {"flee": {"steering": "reynolds"}, "separation": {}}]})

    assert bits(setup, "native") == bits(setup, "numpy")


@settings(max_examples=12, deadline=None, suppress_health_check=[*HealthCheck])
@given(document=simulated())
def test_whole_runs_are_equal(document):
    """Rules, forms, perception, motion, update, groups, surroundings and events by chance: equal bits."""
    assume(runs(document))
    setup = load_scenario(document)

    assert bits(setup, "native") == bits(setup, "numpy")


IN_LANES = """
from boidsgen.kernel import library
from tests.states import digests
from tests.states.test_states import FIRST, STORED
wrong = [name for name, one in STORED["drawn"].items() if digests.difference(name, "native", one, FIRST)]
print(library._kernel().lanes, *wrong)
"""


@pytest.mark.parametrize(
    "lanes",
    # In CI the two of every machine and of pages
    [
        pytest.param(number, marks=pytest.mark.slow if number != 2 else [])
        for number in ([] if library.missing() else library._kernel().available[:-1])
    ],
)
def test_lanes_do_not_show(lanes):
    """Every number of lanes gives the first states of every drawn scenario; `test_states` takes the largest."""
    environment = {**os.environ, library.VARIABLE: str(lanes), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", IN_LANES], env=environment, capture_output=True, text=True, check=True)

    assert done.stdout.split() == [str(lanes)]


LARGE = 3 * native.BOIDS_PER_THREAD  # Boids that are worth three threads
MANY_BOIDS = {
    "torus": {"count": LARGE, "noise": {"weight": 0.1}},
    "nearest, carried over": {"count": LARGE, "accumulate": True, "perception": {"neighbors": 3, "radius": 30.0}},
    "two flocks": ({"name": "a", "count": LARGE}, {"name": "b", "count": 500, "wander": {"weight": 0.1}}),
}


@pytest.mark.parametrize("flock", MANY_BOIDS.values(), ids=MANY_BOIDS)
@pytest.mark.parametrize("boundary", ["torus", "reflect"])
def test_threads_do_not_show(flock, boundary, monkeypatch):
    """However the boids are divided among threads, states are the same."""
    world = {"size": (2000.0, 2000.0), "boundary": boundary}
    setup = Setup.model_validate({"world": world, "flock": flock, "predators": {"count": 2}, "time": {"frames": 3}})
    found = []
    for threads in (1, 3):
        monkeypatch.setenv(native.THREADS, str(threads))
        assert native.threads_for(LARGE) == threads
        found.append(bits(setup, "native"))

    assert found[0] == found[1]


@pytest.mark.parametrize("named", ["²", "٣", "9" * 5000, "-1", "0", "", " 2"])
def test_threads_that_are_no_number(named, monkeypatch):
    """Whatever is no plain whole number above zero in the variable counts as if it were not set."""
    monkeypatch.setenv(native.THREADS, named)

    assert native.allowed_threads() == usable_cores()


@posix
@pytest.mark.parametrize("more", [{}, {"flock.angular_noise": 20.0}], ids=["plain", "with chance"])
def test_a_fork_between_two_frames(more, monkeypatch):
    """A child that goes on with the states of its parent computes them again, and both have the same."""
    monkeypatch.setattr(native, "SECONDS", 0.0)  # a block for each frame
    monkeypatch.setenv(native.THREADS, "2")
    states = iter(simulate(load_scenario("quickstart", {"time.frames": 12, **more}), "native"))
    for _ in range(2):
        next(states)
    reading, writing = os.pipe()
    if not (child := os.fork()):
        try:
            os.write(writing, sha256(b"".join(state.flocks[0].position.tobytes() for state in states)).digest())
        finally:
            os._exit(0)
    mine = sha256(b"".join(state.flocks[0].position.tobytes() for state in states)).digest()
    os.close(writing)
    arrived = select.select([reading], [], [], 60)[0]
    if not arrived:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)

    assert arrived
    assert os.read(reading, 64) == mine
    os.close(reading)


class Odd(Cohesion):
    """A rule as a package may bring it, which the kernel does not know, whatever it inherits."""

    def direct(self, view):
        """The usual change and the velocity itself."""
        return view.velocity + super().direct(view)


def test_a_rule_that_says_otherwise_is_asked_itself():
    """The kernel knows every rule of ours, and no class that redefines `desired` or `direct`, whatever it inherits."""
    assert all(is_told(rule.model_validate(rule.example)) for rule in RULES.values())
    assert not is_told(Odd())


def test_numpy_computes_a_rule_of_a_package_with_the_sums_of_the_kernel(monkeypatch):
    """What the kernel does not know, numpy does under its engine too, but for the sums over neighbors."""
    calls = []
    monkeypatch.setattr(neighbors, "neighbor_sums", None)  # the engine numpy has taken its own before
    monkeypatch.setattr(
        native, "neighbor_sums", lambda *given, sums=native.neighbor_sums: calls.append(given) or sums(*given)
    )
    table = Flock(count=40, cohesion=Odd(weight=0.3))
    setup = Setup(flock=(table,)).model_copy(update={"time": Setup().time.model_copy(update={"frames": 6})})

    assert bits(setup, "native") == bits(setup, "numpy")
    assert calls


@pytest.mark.parametrize("group", ["flock", "predators"])
def test_runaway_simulations_stop_alike(group):
    """Both engines stop at the same step, for the same animal, in the same words."""
    away = {"limit_speed": False, "max_force": np.inf, "home": {"weight": -1e50}, "count": 9}
    setup = Setup.model_validate({"world": {"boundary": "open"}, group: away, "time": {"steps_per_frame": 3}})
    said = []
    for engine in ENGINES:
        with pytest.raises(NotFiniteError) as stopped, np.errstate(over="ignore", invalid="ignore"):
            list(simulate(setup, engine))
        said.append(str(stopped.value))

    assert said[0] == said[1]
    assert said[0].startswith("step 4: number 0 of ")


def test_more_requests_than_the_kernel_has_rows_for():
    """Any number of requests has the answers of numpy."""
    generator = np.random.default_rng(3)
    position, velocity = generator.random((30, 2)) * 100, generator.normal(size=(30, 2))
    requests = [Request(float(radius), 360.0, "offset") for radius in range(1, 100)]
    given = position, velocity, position, velocity, requests, np.array([100.0, 100.0])
    for ours, theirs in zip(native.neighbor_sums(*given), neighbors.neighbor_sums(*given), strict=True):
        assert (ours.count == theirs.count).all()
        assert (ours.total == theirs.total).all()


def test_names_of_engines():
    """`auto` takes the kernel; another name is refused, with those that there are."""
    assert [engine_name(name) for name in ("auto", *ENGINES)] == ["native", "numpy", "native"]
    assert simulate(Setup()).notices == simulate(Setup(), "numpy").notices == []
    with pytest.raises(UsageError, match="there is no engine 'fortran'; use one of auto, numpy, native"):
        engine_name("fortran")


@pytest.mark.usefixtures("no_kernel")
def test_without_the_kernel():
    """`auto` takes numpy, and its runs have one notice; who asks for the kernel is told why there is none."""
    run = simulate(Setup())

    assert (run.engine, engine_of("auto").name, run.notices) == ("numpy", "numpy", [library.kernel_notice()])
    with pytest.raises(UsageError, match=r"the engine native cannot be used: .* is missing; "):
        simulate(Setup(), "native")


def test_an_interrupt_ends_the_work_of_all_threads():
    """What is raised between two slices, as by a signal, leaves the slices that are not begun."""
    done, runner = [], native.CompiledModel.__new__(native.CompiledModel)

    def call(_, first, last, memory):
        del last, memory
        done.append(first)
        if first == 3 * native.BOIDS_PER_SLICE:
            raise KeyboardInterrupt
        return 1

    runner.cells, runner._calls, runner._scratch = np.empty(1), {"move": call}, [np.empty(1)]
    with pytest.raises(KeyboardInterrupt):
        runner.shared("move", 100 * native.BOIDS_PER_SLICE)

    assert done == [number * native.BOIDS_PER_SLICE for number in range(4)]
