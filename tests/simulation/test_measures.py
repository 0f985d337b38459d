"""Measures against values known by hand and against plain loops, and when they are taken."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from boidsgen.simulation.measures import (
    MEASURES,
    USUAL_MEASURES,
    MeanSquaredDisplacement,
    Measurement,
    Measuring,
    measure,
    members,
)
from boidsgen.simulation.motion import Group
from boidsgen.simulation.neighbors import nearest, pairs_within
from boidsgen.simulation.profiles import PROFILES, SHELLS, distances, everybody
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup, State
from boidsgen.simulation.world import Clock, World
from tests.simulation import plain

SIZE = (100.0, 80.0)
ROOT = math.sqrt(0.5)
EDGES = [("torus", (100.0, 80.0)), ("open", (100.0, 80.0)), ("torus", (60.0, 50.0, 40.0)), ("open", (60.0, 50.0, 40.0))]
OF_SEVERAL_THAT_MOVE = {"angular_momentum", "correlation_length", "integral_length"}
DEFINED_FOR_NOBODY = {"groups", "close_encounters", "collisions_avoided"}


def state(position, velocity=None, *, predators=None, size=SIZE, boundary="torus", **flock):
    """A state of one flock, its boids placed by hand."""
    velocity = np.zeros_like(position, float) if velocity is None else velocity
    return flocks([(position, velocity)], [flock], predators=predators, size=size, boundary=boundary)


def flocks(groups, tables, *, predators=None, size=SIZE, boundary="torus"):
    """A state of several flocks, their boids placed by hand."""
    world = {"size": size, "boundary": boundary}
    setup = Setup.model_validate({"world": world, "flock": tuple({"count": 0, **table} for table in tables)})
    boids = [Group("boids", *(np.array(part, float) for part in group)) for group in groups]
    hunters = [] if predators is None else [Group("hunters", np.array(predators, float), np.zeros_like(predators))]
    return State(0, 0.0, 0, tuple(boids), tuple(hunters), setup)


def ring(center, speed=1.0, turn=1.0):
    """Twelve boids that turn about a center, on a torus 100 by 80."""
    angle = np.arange(12) * np.pi / 6
    arm = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    position = (np.array(center) + 10 * arm) % SIZE
    return position, speed * turn * np.stack((-arm[:, 1], arm[:, 0]), axis=1)


def deep_ring(turns):
    """Rings that turn about the axes of a cube with these senses, zero for a ring that is not there."""
    position, velocity = [], []
    for axis, turn in enumerate(turns):
        if turn:
            flat = ring((50.0, 40.0), turn=turn)
            position.append(np.insert(flat[0] - (50, 40), axis, 0.0, axis=1) + 50)
            velocity.append(np.insert(flat[1], axis, 0.0, axis=1))
    return np.concatenate(position), np.concatenate(velocity)


CUBE = {"size": (100.0, 100.0, 100.0)}
AGAINST_EACH_OTHER = [[5, 1], [5, 1], [5, -1], [5, -1]]
# Fifty boids in a row, 50/49 apart, the halves against each other: of the pairs k apart, 50 - k, k fly unlike.
HALVES = state(
    np.stack((np.arange(50) * 50 / 49, np.full(50, 40.0)), axis=1),
    np.repeat([[5.0, 1.0], [5.0, -1.0]], 25, axis=0),
    boundary="open",
)
KNOWN = {
    "nematic_order": [(state([[1, 1]] * 4, AGAINST_EACH_OTHER), 12 / 13), (state(*ring((50, 40))), 0.0)],
    "angular_momentum": [
        (state(*ring((50, 40))), 1.0),
        (state(*ring((99, 2), turn=-1.0)), 1.0),
        (state([[40, 40], [60, 40]], [[0, 1], [0, 3]], boundary="open"), 0.5),  # (30 - 10) / (30 + 10)
        (state([[40, 40], [60, 40]], [[0, 1], [0, -3]], boundary="open"), 1.0),
        (state(*deep_ring((1, 0, 1)), **CUBE), ROOT),
    ],
    "correlation_length": [(HALVES, 16.5 + (2 / 34) / (2 / 34 + 1 / 33))],
    "integral_length": [(HALVES, sum((50 - 3 * apart) / (50 - apart) for apart in range(1, 17)))],
    "largest_group": [
        (state([[1, 1], [2, 2], [3, 3], [60, 60]], perception={"radius": 5.0}), 0.75),
        (state([[1, 1], [99, 79]], perception={"radius": 5.0}), 1.0),
        (state([[1, 1], [99, 79]], perception={"radius": 5.0}, boundary="open"), 0.5),
    ],
    "polarization": [
        (state([[1, 1], [50, 50]], [[1, 0], [5, 0]]), 1.0),
        (state([[1, 1], [50, 50]], [[1, 0], [-5, 0]]), 0.0),
        (state([[1, 1], [50, 50]], [[1, 0], [0, 7]]), ROOT),
        (state([[1, 1], [50, 50]], [[1, 0], [0, 0]]), 0.5),
        (state([[1, 1, 1]] * 4, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]], **CUBE), math.sqrt(3) / 4),
    ],
    "rotation": [
        (state(*ring((50, 40))), 1.0),
        (state(*ring((50, 40), turn=-1.0)), 1.0),
        (state(*ring((99, 2))), 1.0),  # round a corner of the torus
        (state(ring((50, 40))[0], np.tile([1.0, 0.0], (12, 1))), 0.0),
        (state(ring((50, 40))[0], ring((0, 0))[0] * 0), 0.0),
        (state(*deep_ring((0, 0, 1)), **CUBE), 1.0),
        (state(*deep_ring((1, 0, 1)), **CUBE), ROOT),  # at right angles: two vectors of 12 in 24 boids
    ],
    "mean_speed": [
        (state([[1, 1], [2, 2]], [[3, 4], [0, 0]]), 2.5),
        (state([[1, 1, 1]], [[2, 3, 6]], **CUBE), 7.0),
    ],
    "speed_spread": [
        (state([[1, 1], [2, 2]], [[3, 4], [0, -5]]), 0.0),
        (state([[1, 1], [2, 2]], [[3, 4], [0, 1]]), 2.0),
        (state([[1, 1, 1], [1, 1, 1]], [[2, 3, 6], [0, 0, 5]], **CUBE), 1.0),
    ],
    "dispersion": [
        (state([[40, 40], [60, 40]]), 10.0),
        (state([[95, 78], [5, 2]]), math.hypot(5, 2)),
        (state([[95, 78], [5, 2]], boundary="open"), math.hypot(45, 38)),
        (state([[95, 50, 50], [5, 50, 50]], **CUBE), 5.0),
        (state([[7, 7]]), 0.0),
    ],
    "nearest_neighbor_distance": [
        (state([[10, 10], [13, 14], [90, 70]]), (5 + 5 + math.hypot(20, 20)) / 3),  # the third across the corner
        (state([[10, 10]] * 5), 0.0),
        (state([[1, 1, 1], [99, 99, 99]], **CUBE), math.sqrt(12)),
    ],
    "groups": [
        (state([[10, 10], [19, 10]], perception={"radius": 9.0}), 2.0),  # the radius itself is too far
        (state([[99, 40], [1, 40], [50, 40]], boundary="wrap", perception={"radius": 3.0}), 3.0),
        (state([[10, 10], [90, 70]], perception={"radius": np.inf}), 1.0),
        (state([[7, 7]]), 1.0),
        (state(np.empty((0, 2))), 0.0),
    ],
    "close_encounters": [
        (state([[98, 10], [3, 10]], separation={"radius": 10.0}), 0.0),  # half the radius itself is far enough
        (state([[10, 10]] * 4, separation={"radius": 10.0, "weight": 0.0}), 6.0),
        (state(np.empty((0, 2))), 0.0),
    ],
    "collisions_avoided": [
        (state([[10, 10], [18, 10]], [[1, 0], [-1, 0]], separation={"radius": 10.0}), 1.0),  # head-on
        (state([[10, 10], [18, 10]], [[-1, 0], [1, 0]], separation={"radius": 10.0}), 0.0),  # flying apart
        (state([[10, 10], [16, 15]], [[1, 0], [-1, 0]], separation={"radius": 10.0}), 0.0),  # passing 5 apart
        (state(np.empty((0, 2))), 0.0),
    ],
    "predator_distance": [
        (state([[10, 10], [50, 50]], predators=[[10, 14], [90, 5]]), 4.0),
        (state([[2, 2]], predators=[[98, 79]]), 5.0),
        (state([[2, 2]], predators=[[98, 79]], boundary="open"), math.hypot(96, 77)),
        (state([[1, 1, 1]], predators=[[99, 99, 99]], **CUBE), math.sqrt(12)),
        (state([[2, 2]], predators=[[2, 2]]), 0.0),
    ],
}


def test_every_measure_is_known_by_hand():
    """A new measure is tested as soon as it has an example here."""
    assert set(KNOWN) == set(MEASURES)


@pytest.mark.parametrize(
    ("name", "case", "expected"), [(name, *example) for name, examples in KNOWN.items() for example in examples]
)
def test_known_by_hand(name, case, expected):
    """Each measure has the value that can be told without it, across edges and in 3D too."""
    assert measure(case, [name]) == {name: pytest.approx(expected, abs=1e-9)}


def test_what_is_not_defined_is_left_out():
    """Nobody has no speed, one alone has no neighbor, and without predators none is near: those measures are absent."""
    assert set(measure(state(np.empty((0, 2)), predators=[[1, 1]]), MEASURES)) == DEFINED_FOR_NOBODY
    alone = measure(state([[1, 1]]), MEASURES)
    assert set(MEASURES) - set(alone) == {
        "nearest_neighbor_distance",
        "nematic_order",
        "predator_distance",
        *OF_SEVERAL_THAT_MOVE,
    }
    boundless = measure(state([[1, 1], [2, 2]], separation={"radius": np.inf}))
    assert not {"close_encounters", "collisions_avoided"} & set(boundless)


def test_flocks_together_and_alone():
    """All boids count together unless one flock is asked for; each flock has its own radii."""
    east, west = ([[10, 10], [20, 10]], [[1, 0], [1, 0]]), ([[26, 10], [60, 60]], [[-3, 0], [-3, 0]])
    tables = [{"perception": {"radius": 15.0}}, {"perception": {"radius": 5.0}}]
    both = flocks([east, west], tables, predators=[[60, 70]])

    names = ["polarization", "mean_speed", "groups", "predator_distance"]
    assert measure(both, names) == {
        "polarization": 0.0,
        "mean_speed": 2.0,
        "groups": 2.0,  # the westerner at 26 is seen from 20, though it does not see that far itself
        "predator_distance": 10.0,
    }
    assert measure(both, names, flock=0)["groups"] == 1.0
    assert measure(both, names, flock=1)["groups"] == 2.0
    assert measure(both, names, flock=1)["polarization"] == 1.0
    assert measure(both, names, flock=0)["predator_distance"] == pytest.approx(math.hypot(40, 20))


def crowd(count, size, seed):
    generator = np.random.default_rng(seed)
    position = generator.random((count, len(size))) * size
    if count > 4:
        position[3] = position[0]  # two in one place
    return position, generator.normal(size=(count, len(size)))


@pytest.mark.parametrize(("boundary", "size"), EDGES)
@pytest.mark.parametrize("count", [2, 3, 70])
@pytest.mark.parametrize("radius", [4.0, 11.0, 70.0])
def test_pairs_against_every_pair(boundary, size, count, radius):
    """Measures of pairs are what looking at every pair gives, also where a radius is larger than the world."""
    position, velocity = crowd(count, size, seed=count)
    keys = {"perception": {"radius": radius}, "separation": {"radius": radius}}
    case = state(position, velocity, size=size, boundary=boundary, **keys)
    periods = case.setup.world.periods
    ways = {
        (i, j): plain.shortest(position[j] - position[i], periods) for i in range(count) for j in range(count) if i != j
    }
    apart = {pair: plain.norm(way) for pair, way in ways.items()}

    values = measure(case)

    nearest_one = [min(apart[i, j] for j in range(count) if j != i) for i in range(count)]
    assert values["nearest_neighbor_distance"] == pytest.approx(sum(nearest_one) / count)
    assert values["close_encounters"] == sum(apart[i, j] < radius / 2 for i, j in apart if i < j)
    assert values["groups"] == plain_groups(count, {pair for pair, distance in apart.items() if distance < radius})
    courses = [(i, j) for i, j in apart if i < j and radius / 2 <= apart[i, j] < radius]
    colliding = [nearest_approach(ways[i, j], velocity[j] - velocity[i]) < radius / 2 for i, j in courses]
    assert values["collisions_avoided"] == sum(colliding)


def plain_groups(count, links):
    """Number of groups, by walking from boid to boid."""
    unseen, groups = set(range(count)), 0
    while unseen:
        groups += 1
        walk = [unseen.pop()]
        while walk:
            here = walk.pop()
            found = {there for there in unseen if (here, there) in links}
            unseen -= found
            walk.extend(found)
    return groups


def nearest_approach(way, drift):
    """Closest approach of two that are `way` apart and drift relative to each other, from now on."""
    time = max(0.0, -sum(w * d for w, d in zip(way, drift, strict=True)) / sum(d * d for d in drift))
    return plain.norm([w + d * time for w, d in zip(way, drift, strict=True)])


def test_groups_go_by_their_first_boid():
    """Every boid knows the first of its group, however long and tangled the chain that joins them."""
    order = np.random.default_rng(0).permutation(600)
    chain = np.stack((np.arange(600.0) + 100 * (np.arange(600) >= 250), np.full(600, 20.0)), axis=1)

    group = members(everybody(state(chain[order], boundary="open", perception={"radius": 1.5})))

    first = np.array([np.flatnonzero(order < 250)[0], np.flatnonzero(order >= 250)[0]])
    np.testing.assert_array_equal(group, first[(order >= 250).astype(int)])


def test_outliers_are_found():
    """A few boids very far from a dense flock have their nearest neighbors found as well."""
    position = np.concatenate((crowd(300, (10.0, 10.0), seed=1)[0], [[1e6, 0.0], [1e6, 7e5], [-1e9, 3.0]]))
    away = np.linalg.norm(position[:, None] - position, axis=2) + np.diag(np.full(303, np.inf))

    values = measure(state(position, boundary="open"), ["nearest_neighbor_distance"])

    assert values["nearest_neighbor_distance"] == pytest.approx(away.min(axis=1).mean())


def test_many_boids_in_blocks():
    """Blocks do not show: 3000 boids have the pairs that all distances give, each once."""
    position, _ = crowd(3000, (300.0, 300.0), seed=2)
    world = World(size=(300.0, 300.0))
    offset = position[None] - position[:, None]
    offset -= 300 * np.rint(offset / 300)
    expected = np.argwhere(np.triu(np.linalg.norm(offset, axis=2) < 20, k=1))

    met = list(pairs_within(position, 20.0, world))

    assert len(met) > 1
    found = np.concatenate([np.stack((block.boid, block.source), axis=1) for block in met])
    np.testing.assert_array_equal(found[np.lexsort((found[:, 1], found[:, 0]))], expected)


def test_nearest_of_another_group():
    """The nearest source of each position is found across the edge, with the way there."""
    number, offset = nearest(
        np.array([[1.0, 40.0], [50.0, 41.0]]), np.array([[40.0, 40.0], [98.0, 40.0]]), World(size=SIZE)
    )

    np.testing.assert_array_equal(number, [1, 0])
    np.testing.assert_allclose(offset, [[-3.0, 0.0], [-10.0, -1.0]])


vectors = st.tuples(*[st.floats(-1e3, 1e3)] * 3)


@settings(max_examples=100, deadline=None)
@given(
    boids=st.lists(st.tuples(vectors, vectors), min_size=1, max_size=8),
    depth=st.booleans(),
    boundary=st.sampled_from(["torus", "open"]),
)
def test_order_parameters_lie_between_0_and_1(boids, depth, boundary):
    """Polarization and rotation lie in [0, 1], and no measure is ever infinite or not a number."""
    dimension = 2 + depth
    size = (90.0, 80.0, 70.0)[:dimension]
    position = np.array([place[:dimension] for place, _ in boids])
    velocity = np.array([pace[:dimension] for _, pace in boids])
    if boundary == "torus":
        position %= size
    case = state(position, velocity, size=size, boundary=boundary, predators=position[:1] + 1)

    values = measure(case, MEASURES)

    assert 0 <= values["polarization"] <= 1
    assert 0 <= values["rotation"] <= 1
    assert 0 <= values.get("angular_momentum", 0) <= 1
    assert all(math.isfinite(value) for value in values.values())


@pytest.mark.parametrize("size", [(100.0, 80.0), (60.0, 50.0, 40.0)])
def test_measures_do_not_depend_on_the_place(size):
    """Shifting everybody on a torus changes no measure."""
    position, velocity = crowd(50, size, seed=7)
    position = position * 0.3 + 5  # together, so that they have a center
    velocity = velocity + position - position.mean(axis=0)  # near boids fly alike, so that there is a length
    shift = np.array(size) * 0.83

    here = measure(state(position, velocity, size=size, predators=position[:2] + 1), MEASURES)
    moved = state((position + shift) % size, velocity, size=size, predators=(position[:2] + 1 + shift) % size)
    there = measure(moved, MEASURES)

    assert there == pytest.approx(here)
    assert set(here) == set(MEASURES)


@pytest.mark.parametrize(
    ("keys", "clock", "frames"),
    [
        ({}, {"frames": 3}, [2, 1, 0]),
        ({"from": 2}, {"frames": 5}, [4, 3, 2]),
        ({"from": 1, "every": 2}, {"frames": 6}, [5, 3, 1]),
        ({"from": 2, "every": 2}, {"frames": 6}, [5, 3]),
        ({"after": 7.0}, {"frames": 5, "steps_per_frame": 2, "dt": 1.0}, [4]),
        ({"after": 6.0}, {"frames": 5, "steps_per_frame": 2, "dt": 1.0}, [4, 3]),
        ({"after": 6.0}, {"frames": 5, "steps_per_frame": 2, "dt": 1.0, "warmup": 4}, [4, 3, 2, 1]),
        ({"after": 0.3}, {"frames": 5, "dt": 0.1}, [4, 3]),
        ({"after": 0.3, "from": 4}, {"frames": 5, "dt": 0.1}, [4]),
    ],
)
def test_frames_are_counted_back_from_the_last_one(keys, clock, frames):
    """The last frame is always measured, and none before the first that may be."""
    assert list(Measuring.model_validate(keys).frames(Clock.model_validate(clock))) == frames


def test_where_nobody_says_how_often_a_bound_does():
    """A hundred frames under a bound of ten are measured at every tenth."""
    assert list(Measuring().frames(Clock(frames=100), most=10)) == list(range(99, 0, -10))
    assert len(Measuring.model_validate({"every": 1}).frames(Clock(frames=100), most=10)) == 100


def test_displacement_is_that_of_straight_flight():
    """In straight flight of t a boid goes v t, however often round the torus: the mean square is v² t²."""
    clock = {"frames": 60}
    flock = {"count": 9, "max_speed": 3.0, "min_speed": 3.0, "start": {"layout": "uniform", "speed": (3.0, 3.0)}}
    still = {rule: {"weight": 0.0} for rule in ("separation", "alignment", "cohesion")}
    setup = Setup.model_validate({"world": {"size": (20.0, 30.0)}, "flock": {**flock, **still}, "time": clock})
    wanted = Measuring.model_validate({"names": ("mean_squared_displacement",), "from": 10, "every": 7})
    measurement = Measurement(wanted, setup.time, own={})

    found = {state.frame: values for state in simulate(setup) if (values := measurement.of(state))}

    first = min(found)
    assert first == 10
    expected = {frame: {"mean_squared_displacement": pytest.approx((3.0 * (frame - first)) ** 2)} for frame in found}
    assert found == expected


def test_displacement_ends_when_boids_come_or_go():
    """Boids cannot be matched any more, and the measure is undefined."""
    course = MeanSquaredDisplacement(1.0)

    values = [course.value(everybody(state([[1, 1]] * count))) for count in (2, 2, 3, 2)]

    assert values == [0.0, 0.0, None, None]
    assert MeanSquaredDisplacement(1.0).value(everybody(state(np.empty((0, 2))))) is None


def test_density_by_hand():
    """Four boids within 1 of their center, in a world whose shells are 1 wide: 4 / pi in the first, none beyond."""
    cross = np.array([[0.5, 0], [-0.5, 0], [0, 0.5], [0, -0.5]]) + 25
    flat = everybody(state(cross, size=(50.0, 50.0), boundary="open"))
    deep = everybody(state(np.insert(cross, 2, 25.0, axis=1), size=(50.0, 50.0, 50.0), boundary="open"))

    assert PROFILES["density_profile"]().values(flat) == pytest.approx([4 / math.pi] + [0] * (SHELLS - 1))
    assert PROFILES["density_profile"]().values(deep) == pytest.approx([3 / math.pi] + [0] * (SHELLS - 1))
    assert distances(flat.world)[:2].tolist() == [0.5, 1.5]


def test_a_measure_may_be_named_once():
    """Naming one twice, none, or an unknown one is an error; without names the usual ones are meant."""
    assert Measuring().names == USUAL_MEASURES
    for names in ((), ("groups", "groups"), ("order",)):
        with pytest.raises(ValidationError):
            Measuring.model_validate({"names": names})


@pytest.mark.parametrize(("boundary", "size"), EDGES)
def test_ways_along_one_line_are_nematic_order(boundary, size):
    """Half of the flock flying against the other half is full nematic order, and random ways are none."""
    generator = np.random.default_rng(1)
    place = generator.random((4000, len(size))) * size
    along = np.zeros_like(place)
    along[:, 0] = np.where(np.arange(4000) % 2, 3.0, -1.0)
    ways = generator.normal(size=place.shape)
    ways[:10] = 0.0
    ordered, random = (measure(state(place, v, size=size, boundary=boundary), ["nematic_order"]) for v in (along, ways))
    tensor = np.mean([np.outer(v, v) / (v @ v) for v in ways[10:]], axis=0)
    largest = max(np.linalg.eigvals(tensor).real)
    assert ordered["nematic_order"] == pytest.approx(1.0, abs=1e-12)
    assert random["nematic_order"] == pytest.approx((len(size) * largest - 1) / (len(size) - 1), abs=1e-12)
    assert random["nematic_order"] < 0.06


@pytest.mark.parametrize("size", [(100.0, 80.0), (60.0, 50.0, 40.0)])
def test_profiles_of_boids_at_random_are_one(size):
    """Pair distribution, structure factor and number fluctuations are 1 for independent places, in the mean of runs."""
    generator = np.random.default_rng(2)
    for name in ("pair_distribution", "structure_factor", "number_fluctuations"):
        flat = [
            PROFILES[name]().values(everybody(state(generator.random((800, len(size))) * size, size=size)))
            for _ in range(30)
        ]
        mean, error = np.mean(flat, axis=0), np.std(flat, axis=0, ddof=1) / np.sqrt(30)
        assert (np.abs(mean - 1) < 4.5 * error + 0.01).all(), name


def test_pairs_and_waves_are_those_of_plain_loops():
    """Pair distribution and structure factor agree with their definitions, summed one by one."""
    place = np.random.default_rng(3).random((40, 2)) * SIZE
    here = everybody(state(place))
    pairs, waves = (PROFILES[name]().values(here) for name in ("pair_distribution", "structure_factor"))
    width = 40.0 / SHELLS
    for k, middle in enumerate(distances(here.world)):
        found = 0
        for i in range(40):
            for j in range(i):
                dx, dy = (min(abs(place[i, a] - place[j, a]), SIZE[a] - abs(place[i, a] - place[j, a])) for a in (0, 1))
                found += k * width <= math.hypot(dx, dy) < (k + 1) * width
        even = 40 * 39 / 2 * math.pi * ((k + 1) ** 2 - k**2) * width**2 / (SIZE[0] * SIZE[1])
        assert pairs[k] == pytest.approx(found / even, rel=1e-9)
        power = 0.0
        for axis in (0, 1):
            number = max(1, round(SIZE[axis] / (2 * middle)))
            power += abs(sum(np.exp(2j * math.pi * number * x / SIZE[axis]) for x in place[:, axis])) ** 2 / 40 / 2
        assert waves[k] == pytest.approx(power, rel=1e-6)


def test_a_lattice_fluctuates_less_and_clusters_more_than_chance():
    """Boids in a lattice have number fluctuations near 0 in large boxes, boids in one place far above 1."""
    lattice = np.stack(np.meshgrid(np.arange(0.5, 100), np.arange(0.5, 80)), -1).reshape(-1, 2)
    clustered = np.random.default_rng(4).normal(20.0, 2.0, (800, 2))
    even, giant = (PROFILES["number_fluctuations"]().values(everybody(state(p))) for p in (lattice, clustered))
    assert even[-1] < 0.2
    assert giant[-1] > 100


def test_ways_are_forgotten_at_the_rate_of_the_definition():
    """The autocorrelation of velocities is the sum over boids, 1 at first, and ends when somebody comes."""
    generator = np.random.default_rng(5)
    first, later = generator.normal(size=(2, 30, 2))
    series = Measurement(Measuring(names=("velocity_autocorrelation",)), Clock(frames=3), own={})
    place = generator.random((31, 2)) * SIZE
    states = [state(place[: len(v)], v) for v in (first, later, np.vstack([later, later[:1]]))]
    numbered = [replace(one, frame=frame) for frame, one in enumerate(states)]
    values = [series.of(one).get("velocity_autocorrelation") for one in numbered]
    assert values[0] == 1.0
    assert values[1] == pytest.approx((first * later).sum() / (first**2).sum(), rel=1e-12)
    assert values[2] is None


@pytest.mark.parametrize(("boundary", "size"), EDGES)
def test_turning_is_that_of_a_plain_loop(boundary, size):
    """Of two flocks whose boids come, go and rest, in time between frames of several steps; gaps do not end it."""
    generator, clock = np.random.default_rng(6), Clock(frames=9, dt=0.5, steps_per_frame=3)
    velocity = generator.normal(size=(9, 2, 8, len(size)))
    velocity[:, 1, 0] = 0.0
    velocity[4, 0, 1] = -2 * velocity[3, 0, 1]
    there = generator.random((9, 2, 8)) > 0.3
    there[3:5, 0, 1] = True
    there[6] = False
    series = Measurement(Measuring(names=("mean_turning",)), clock, own={})
    found, expected = [], []
    for frame in range(9):
        groups = []
        for number, present in enumerate(there[frame]):
            here = np.flatnonzero(present)
            place = generator.random((len(here), len(size))) * size
            groups.append(Group(f"flock-{number}", place, velocity[frame, number, here], members=here))
        now = flocks([], [{}, {}], size=size, boundary=boundary)
        found.append(series.of(replace(now, frame=frame, flocks=tuple(groups))).get("mean_turning"))
        angles = []
        for number in range(2 if frame else 0):
            for boid in range(8):
                one, other = velocity[frame - 1 : frame + 1, number, boid].tolist()
                if there[frame - 1, number, boid] and there[frame, number, boid] and any(one) and any(other):
                    cosine = sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)
                    angles.append(math.degrees(math.acos(max(-1.0, min(1.0, cosine)))))
        expected.append(sum(angles) / len(angles) / 1.5 if angles else None)

    assert [value is None for value in expected] == [frame in {0, 6, 7} for frame in range(9)]
    assert [value for value in found if value] == pytest.approx([value for value in expected if value], rel=1e-6)
    assert [value is None for value in found] == [value is None for value in expected]
