"""The engines against each other: equal to the last bit, whatever is asked."""

import hashlib
import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boidsgen.simulation import Setup, simulate
from boidsgen.simulation.neighbors import engines as choice
from boidsgen.simulation.neighbors.engines import ENGINES, Neighbors
from boidsgen.simulation.neighbors.request import Request
from boidsgen.simulation.run import engine_name, hint

needs_both = pytest.mark.skipif(len(ENGINES) < 2, reason="only one engine is installed")

QUANTITIES = ("offset", "velocity", "constant", "inverse", "inverse_square", "linear")
WORLDS = {
    "torus": ((100.0, 80.0), True),
    "open": ((100.0, 80.0), False),
    "thin torus": ((200.0, 12.0), True),
    "small torus": ((12.0, 9.0), True),
    "deep torus": ((60.0, 50.0, 40.0), True),
    "deep open": ((60.0, 50.0, 40.0), False),
    "flat deep torus": ((60.0, 5.0, 40.0), True),
}
VIEWS = tuple(product((3.0, 14.0, 30.0), (360.0, 270.0, 60.0), (None, 1, 7, 40)))
EVERY_REQUEST = tuple(Request(radius, view, q, most) for (radius, view, most) in VIEWS for q in QUANTITIES)


def flock(count, size, seed=0):
    """Boids here and there, some in one place, one at rest."""
    generator = np.random.default_rng(seed)
    position = generator.random((count, len(size))) * size
    velocity = generator.normal(size=(count, len(size)))
    position[: count // 5] = np.rint(position[: count // 5])  # equally near ones, and some in one place
    position[3:4] = position[:1]
    velocity[2:3] = 0.0
    return position, velocity


def assert_equal_sums(query, source, requests, periods):
    """Every engine gives the same counts and sums, to the last bit."""
    answers = [
        Neighbors(engine, np.array(periods)).sums(*query, *source, tuple(requests)) for engine in ENGINES.values()
    ]
    for other in answers[1:]:
        for request, expected in answers[0].items():
            np.testing.assert_array_equal(other[request].count, expected.count)
            np.testing.assert_array_equal(other[request].total, expected.total)


@needs_both
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("count", [0, 1, 2, 150])
def test_every_request_in_every_world(world, count):
    """All radii, fields of view, numbers of nearest and quantities at once give equal bits."""
    size, repeats = WORLDS[world]
    boids = flock(count, size)

    assert_equal_sums(boids, boids, EVERY_REQUEST, size if repeats else (0.0,) * len(size))


CROWDED = tuple(request for request in EVERY_REQUEST if request.nearest is None)


@needs_both
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("fewest", [1, 4, 8])
@pytest.mark.parametrize("requests", [CROWDED, CROWDED[::-1], CROWDED[5:6]], ids=["all", "reversed", "one"])
def test_those_of_a_cell_answered_together(monkeypatch, world, fewest, requests):
    """However few boids of a cell it takes to answer them together, each of them has the sums that it has alone."""
    from boidsgen.simulation.neighbors import compiled

    size, repeats = WORLDS[world]
    boids = flock(230, size)
    periods = size if repeats else (0.0,) * len(size)
    monkeypatch.setattr(compiled, "FEWEST", fewest)
    compiled.compiled_requests.cache_clear()
    assert compiled.compiled_requests(requests).fewest == fewest

    assert_equal_sums(boids, boids, requests, periods)
    compiled.compiled_requests.cache_clear()


@needs_both
@pytest.mark.parametrize("threads", [1, 3])
def test_crowded_cells_are_answered_together_and_others_are_not(monkeypatch, threads):
    """A boid among many has its lane, one by itself goes alone, and threads may share the boids of a cell."""
    from boidsgen.simulation.neighbors import compiled, kernel
    from boidsgen.simulation.neighbors.grid import make_grid

    position, velocity = flock(120, (100.0, 80.0))
    position[40:] = position[40:] / 10 + 40.0
    grid = make_grid(position, 14.0, np.zeros(2))
    crowded = np.bincount(grid.cells)
    alone, together = np.empty((120, 2), np.int64), np.empty((120, 3), np.int64)
    layout = compiled._layout_of(position, 14.0, np.zeros(2))
    boids = np.asfortranarray(position).T, np.asfortranarray(velocity).T
    crowd = compiled._arranged(boids, layout, 1)
    ranges = compiled.machine_code(compiled.spans)(crowd.starts, layout[1])
    parts = kernel.divided(crowd.starts, ranges, 0, 120, 4, layout[1], alone, together)
    monkeypatch.setattr(compiled, "threads_for", lambda _: threads)

    assert (alone[: parts[0], 1] - alone[: parts[0], 0]).sum() == (crowded % 8)[crowded % 8 < 4].sum() > 0
    assert (together[: parts[1], 1] - together[: parts[1], 0]).sum() + (crowded % 8)[crowded % 8 < 4].sum() == 120
    assert_equal_sums((position, velocity), (position, velocity), CROWDED, (0.0, 0.0))


@needs_both
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("radius", [14.0, np.inf])
def test_one_group_sees_another(world, radius):
    """Boids among sources that they do not belong to, some far outside, give equal bits."""
    size, repeats = WORLDS[world]
    query, source = flock(60, size, seed=1), flock(90, size, seed=2)
    if not repeats:
        query = query[0] * 3 - np.array(size), query[1]
    requests = [Request(radius, view, q, most) for view in (360.0, 200.0) for q in QUANTITIES for most in (None, 5)]

    assert_equal_sums(query, source, requests, size if repeats else (0.0,) * len(size))


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
@settings(max_examples=150, deadline=None)
@given(data=st.data(), repeats=st.booleans(), dimension=st.sampled_from([2, 3]))
def test_hostile_places(data, repeats, dimension):
    """On borders of cells, in one place, at the edge or unspeakably far away: equal bits, or the same overflow."""
    places = st.lists(st.tuples(*[coordinates if repeats else anywhere] * dimension), min_size=1, max_size=12)
    position = np.array(data.draw(places))
    velocity = np.cos(np.arange(position.size)).reshape(position.shape)
    requests = data.draw(st.lists(requests_of_any_kind, min_size=1, max_size=4, unique=True))

    with np.errstate(over="ignore", invalid="ignore"):
        assert_equal_sums((position, velocity), (position, velocity), requests, (20.0 if repeats else 0.0,) * dimension)


DOCUMENTS = {
    "three rules": {"flock": {"count": 120}},
    "narrow views": {
        "flock": {
            "count": 90,
            "perception": {"radius": 60.0, "field_of_view": 250.0},
            "cohesion": {"radius": 90.0},
            "separation": {"falloff": "inverse_square", "field_of_view": 300.0},
            "max_acceleration": 0.4,
            "noise": {"weight": 0.1},
            "wander": {"weight": 0.2},
            "home": {"weight": 0.001},
        }
    },
    "nearest seven": {"flock": {"count": 90, "perception": {"radius": float("inf"), "neighbors": 7}}},
    "nearest seven in range": {"flock": {"count": 90, "perception": {"neighbors": 7, "field_of_view": 200.0}}},
    "species and hunters": {
        "flock": (
            {"name": "a", "count": 60, "flee": {"weight": 2.0, "falloff": "inverse"}},
            {"name": "b", "count": 40, "steering": "direct", "cohesion": {"weight": 0.01}, "max_speed": 3.0},
        ),
        "predators": ({"count": 3, "hunt": {"target": "all"}}, {"count": 1}),
        "obstacles": {"kind": "circle", "center": (100.0, 100.0), "radius": 20.0},
    },
}


@needs_both
@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("boundary", ["torus", "reflect", "soft", "open"])
@pytest.mark.parametrize("size", [(300.0, 200.0), (200.0, 150.0, 40.0)], ids=["flat", "deep"])
def test_whole_runs_are_equal(document, boundary, size):
    """Whichever engine runs a scenario, every frame of it is the same to the last bit."""
    keys = {**DOCUMENTS[document], "world": {"size": size, "boundary": boundary}, "time": {"frames": 25}}
    if len(size) == 3 and "obstacles" in keys:
        keys["obstacles"] = {**keys["obstacles"], "center": (100.0, 100.0, 20.0)}
    setup = Setup.model_validate(keys)

    for expected, other in zip(*(simulate(setup, engine) for engine in ENGINES), strict=True):
        for one, same in zip((*expected.flocks, *expected.predators), (*other.flocks, *other.predators), strict=True):
            np.testing.assert_array_equal(same.position, one.position)
            np.testing.assert_array_equal(same.velocity, one.velocity)


DIGEST = """
import hashlib, sys
import numpy as np
from boidsgen.simulation.neighbors.engines import ENGINES, Neighbors, Request
generator = np.random.default_rng(0)
position, velocity = generator.random((20000, 2)) * 1000, generator.normal(size=(20000, 2))
requests = Request(14.0, 300.0, "velocity"), Request(9.0, 360.0, "inverse"), Request(14.0, 360.0, "offset", 7)
boids = position, velocity
sums = Neighbors(ENGINES[sys.argv[1]], np.array([1000.0, 1000.0])).sums(*boids, *boids, requests)
print(hashlib.sha256(b"".join(one.count.tobytes() + one.total.tobytes() for one in sums.values())).hexdigest())
"""


def digest(engine, threads):
    """Digest of the sums of a large flock, computed by another process with so many threads."""
    environment = {**os.environ, "NUMBA_NUM_THREADS": str(threads)}
    done = subprocess.run(
        [sys.executable, "-c", DIGEST, engine], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@needs_both
def test_threads_do_not_show():
    """One thread, two, or more than there are processors: the sums are those of the plain engine."""
    expected = digest("numpy", 1)

    assert len(expected.strip()) == hashlib.sha256().digest_size * 2
    assert all(digest("numba", threads) == expected for threads in (1, 2, 5))


@needs_both
def test_crowds_are_worth_more_threads():
    """Two thousand boids of which each looks at hundreds are shared by two threads, others are not."""
    from boidsgen.simulation.neighbors import compiled, threads

    crowd, few = flock(2000, (50.0, 40.0))[0], flock(2000, (900.0, 700.0))[0]
    weights = [threads.weight(2000, compiled._layout_of(one, 14.0, np.zeros(2))[1]) for one in (crowd, few)]

    assert weights[0] // threads.BOIDS_PER_THREAD >= 2
    assert weights[1] == 2000


NO_THREADS = """
from boidsgen.simulation import Setup, simulate
from boidsgen.simulation.compiling import where_kept
from boidsgen.simulation.neighbors import unusable
setups = [{"time": {"frames": 2}, "flock": {"count": 9, "update": update}} for update in ("synchronous", "sequential")]
for setup in setups:
    one, other = (list(simulate(Setup.model_validate(setup), engine))[-1].flocks[0] for engine in ("numpy", "numba"))
    assert one.position.tobytes() == other.position.tobytes()
assert where_kept() == unusable.notices()[0]
print(*unusable.notices(), sep="\\n")
"""


@needs_both
@pytest.mark.parametrize("threads", ["0", "-3"])
def test_fewer_threads_than_one(threads):
    """Where the environment asks numba for none, which it does not bear, numpy does the run, and one line says why."""
    environment = {**os.environ, "NUMBA_NUM_THREADS": threads}
    done = subprocess.run(
        [sys.executable, "-c", NO_THREADS], env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout == (
        f"numba cannot be used (NUMBA_NUM_THREADS is {threads}, and must be 1 or more, or not be set); "
        "numpy does the same, more slowly\n"
    )


@needs_both
def test_numba_is_imported_only_when_it_is_needed():
    """A run with the plain engine does not pay for importing the compiler."""
    program = """
import sys
from boidsgen.simulation import Setup, simulate
list(simulate(Setup.model_validate({"time": {"frames": 2}}), "auto"))
sys.exit("numba" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@needs_both
@pytest.mark.slow
def test_code_is_kept_where_it_can_be(tmp_path):
    """With a cache directory of its own, a first process leaves the compiled code there for the next."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    program = """
from boidsgen.simulation import Setup, simulate
list(simulate(Setup.model_validate({"time": {"frames": 2}}), "numba"))
"""
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb?")}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)

    assert kept
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb?")} == kept


@needs_both
def test_works_where_nothing_can_be_kept(monkeypatch):
    """Where neither the package nor a cache directory can be written to, the code is compiled for this process."""
    from numba import njit, types
    from numba.core import caching

    from boidsgen.simulation.neighbors import compiled

    following = njit(lambda number: number + 1)
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    monkeypatch.setitem(compiled.SIGNATURES, following, types.int64(types.int64))

    assert compiled.machine_code(following)(1) == 2


def setup(count, frames):
    return Setup.model_validate({"flock": {"count": count}, "time": {"frames": frames}})


@pytest.mark.parametrize("installed", [True, False])
def test_auto_takes_what_is_done_first(monkeypatch, installed):
    """The compiled engine is for large runs, and only where it is installed."""
    monkeypatch.setattr(choice, "INSTALLED", installed)

    assert engine_name("auto", setup(50, 200)) == "numpy"
    assert engine_name("auto", setup(10_000, 1000)) == ("numba" if installed else "numpy")
    assert engine_name("numpy", setup(10_000, 1000)) == "numpy"


@pytest.mark.parametrize(
    ("installed", "engine", "count", "hinted"),
    [(True, "auto", 100_000, False), (False, "auto", 100_000, True), (False, "numpy", 100_000, False),
     (False, "auto", 100, False)],
)  # fmt: skip
def test_a_hint_where_it_helps(monkeypatch, installed, engine, count, hinted):
    """Only a large run that could have been much faster says so."""
    monkeypatch.setattr(choice, "INSTALLED", installed)

    assert (hint(setup(count, 2000), engine) is not None) == hinted


def test_crowds_are_worth_more(monkeypatch):
    """Of two runs of as many boids and steps, the one in which all see many others is worth numba first."""
    monkeypatch.setattr(choice, "INSTALLED", True)
    alone, crowd = (
        Setup.model_validate({"time": {"frames": 120}, "flock": {"count": 1000, "perception": {"radius": radius}}})
        for radius in (2.0, 60.0)
    )

    assert (engine_name("auto", alone), engine_name("auto", crowd)) == ("numpy", "numba")
