"""Neighbor sums against every pair looked at one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boidsgen.simulation.neighbors import NeighborSearch, Request
from boidsgen.simulation.run import ENGINES, engine_of
from tests.simulation import plain

QUANTITIES = ["offset", "velocity", "constant", "inverse", "inverse_square", "linear"]
WORLDS = {
    "torus": ((100.0, 80.0), True),
    "open": ((100.0, 80.0), False),
    "thin torus": ((200.0, 12.0), True),
    "small torus": ((12.0, 9.0), True),
    "deep torus": ((60.0, 50.0, 40.0), True),
    "deep open": ((60.0, 50.0, 40.0), False),
    "flat deep torus": ((60.0, 5.0, 40.0), True),
}


def scattered(count, size, seed=0):
    generator = np.random.default_rng(seed)
    position = generator.random((count, len(size))) * size
    velocity = generator.normal(size=(count, len(size)))
    position[: count // 5] = np.rint(position[: count // 5])  # equally near ones
    if count > 4:
        position[3] = position[0]  # two in one place
        velocity[2] = 0.0  # one at rest
    return position, velocity


def ask(engine, query, source, requests, periods):
    return NeighborSearch(engine_of(engine).neighbor_sums, np.array(periods)).sums(*query, *source, requests)


def assert_as_every_pair(sums, query, source, periods):
    reaches = {(request.radius, request.field_of_view) for request in sums}
    seen = {
        reach: [plain.neighbors(*one, source[0], *reach, periods) for one in zip(*query, strict=True)]
        for reach in reaches
    }
    for request, found in sums.items():
        for i, near in enumerate(seen[request.radius, request.field_of_view]):
            expected = plain.total(near, request.quantity, source[1], len(periods))

            assert found.count[i] == len(near)
            np.testing.assert_allclose(found.total[i], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.turns(5)  # which divides no number of values below
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("field_of_view", [360, 270, 90])
@pytest.mark.parametrize("radius", [3.0, 14.0, 500.0])
def test_matches_every_pair(engine, world, field_of_view, radius):
    """Any engine gives, for every quantity at once, the sums that checking every pair gives."""
    size, repeats = WORLDS[world]
    periods = size if repeats else (0.0,) * len(size)
    flock = scattered(40, size)
    requests = [Request(radius, field_of_view, quantity) for quantity in QUANTITIES]

    sums = ask(engine, flock, flock, requests, periods)

    assert_as_every_pair(sums, flock, flock, periods)


@pytest.mark.turns(3)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("nearest", [None, 9])
@pytest.mark.parametrize("own", [True, False])
def test_boids_in_the_same_place_may_count(engine, world, nearest, own):
    """Others at the very same place are neighbors where they count, and push nowhere; nobody is one of itself."""
    size, repeats = WORLDS[world]
    position, velocity = scattered(40, size)
    position[5:12] = position[20]
    flock = position, velocity
    source = flock if own else (position.copy(), velocity.copy())
    requests = [Request(9.0, 360.0, quantity, nearest, "count") for quantity in QUANTITIES]
    requests += [Request(5.0, 360.0, "velocity", None, "count"), Request(9.0, 360.0, "offset")]
    requests += [Request(np.inf, 360.0, "offset", 1, "count")]  # found by searches that go on for some

    sums = ask(engine, flock, source, requests, size if repeats else (0.0,) * len(size))

    for boid in range(len(position)):
        offsets = [plain.shortest(q - position[boid], size if repeats else (0.0,) * len(size)) for q in position]
        for request, found in sums.items():
            near = [
                (j, offset)
                for j, offset in enumerate(offsets)
                if plain.norm(offset) < request.radius and not (own and j == boid)
            ]
            if request.coincident == "ignore":
                near = [(j, offset) for j, offset in near if plain.norm(offset)]
            if request.nearest:
                near = sorted(near, key=lambda pair: plain.norm(pair[1]))
                near, others = near[: request.nearest], near[request.nearest :]
                if others and plain.norm(others[0][1]) - plain.norm(near[-1][1]) < 1e-9:
                    continue  # whom of equally near ones the order of the grid decides
            pushing = near if request.quantity == "velocity" else [(j, way) for j, way in near if plain.norm(way)]
            assert found.count[boid] == len(near)
            expected = plain.total(pushing, request.quantity, velocity, len(size))
            np.testing.assert_allclose(found.total[boid], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("world", WORLDS)
def test_one_group_sees_another(engine, world):
    """Boids and sources may be different groups, the boids even outside the region where the sources are."""
    size, repeats = WORLDS[world]
    periods = size if repeats else (0.0,) * len(size)
    query, source = scattered(40, size, seed=1), scattered(25, size, seed=2)
    if not repeats:
        query = (query[0] * 3 - np.array(size), query[1])
    requests = [Request(11.0, 360, "inverse"), Request(25.0, 200, "velocity")]

    assert_as_every_pair(ask(engine, query, source, requests, periods), query, source, periods)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("quantity", ["offset", "velocity", "linear"])
def test_everyone_is_counted_in_closed_form(engine, world, quantity):
    """The closed forms for radius inf give the sums over all pairs, by the shortest way round."""
    size, repeats = WORLDS[world]
    periods = size if repeats else (0.0,) * len(size)
    generator = np.random.default_rng(5)
    flock = generator.random((50, len(size))) * size, generator.normal(size=(50, len(size)))

    sums = ask(engine, flock, flock, [Request(np.inf, 360, quantity)], periods)

    assert_as_every_pair(sums, flock, flock, periods)


FAR = np.array([[0.0, 0.0], [1e6, 1e6], [1e6 + 1, 1e6], [-1e12, 5.0], [2.0, 1.0]])
CASES = {
    **{f"{count} boids": (scattered(count, (10.0, 10.0)), 10.0) for count in (0, 1, 2)},
    "many": (scattered(80, (50.0, 50.0)), 50.0),
    "a million units apart": ((FAR, np.ones_like(FAR)), 0.0),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES)
def test_each_request_keeps_its_own_reach(engine, case):
    """Requests of different reach, answered in one go, do not mix, for nobody, few, many and some far apart."""
    flock, side = CASES[case]
    requests = [
        *(Request(20.0, 360, quantity) for quantity in QUANTITIES),
        *(Request(5.0, 360, "inverse"), Request(12.0, 120, "offset"), Request(3.0, 360, "offset")),
        *([Request(np.inf, 300, "offset")] if side else []),
    ]

    assert_as_every_pair(ask(engine, flock, flock, requests, (side, side)), flock, flock, (side, side))


coordinates = st.one_of(
    st.floats(0, 20, exclude_max=True), st.sampled_from([0.0, 5.0, 10.0, 19.999999999999996, 5e-324, 1e-17])
)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=60, deadline=None)
@given(
    position=st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=12),
    radius=st.floats(0.5, 40),
    repeats=st.booleans(),
)
def test_counts_of_hostile_places(engine, position, radius, repeats):
    """On cell borders, in one place, at the very edge: counts are those of every pair, but for pairs at the radius."""
    flock = np.array(position), np.zeros((len(position), 2))
    periods = (20.0, 20.0) if repeats else (0.0, 0.0)

    count = ask(engine, flock, flock, [Request(radius, 360, "offset")], periods)[Request(radius, 360, "offset")].count

    for i, place in enumerate(flock[0]):
        distances = [plain.norm(plain.shortest(other - place, periods)) for other in flock[0]]
        surely = sum(1e-15 < d < radius * (1 - 1e-12) for d in distances)
        perhaps = sum(0 <= d <= radius * (1 + 1e-12) for d in distances)
        assert surely <= count[i] <= perhaps


def nearest_few(position, velocity, sources, request, periods):
    """The offsets of one boid's nearest neighbors, all looked at and sorted."""
    near = plain.neighbors(position, velocity, sources, request.radius, request.field_of_view, periods)
    return sorted(near, key=lambda pair: plain.norm(pair[1]))[: request.nearest]


@pytest.mark.turns(3)
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("field_of_view", [360.0, 200.0])
@pytest.mark.parametrize("radius", [15.0, np.inf])
@pytest.mark.parametrize("most", [1, 7])
def test_nearest_few_are_exact(world, field_of_view, radius, most):
    """Topological neighbors are the nearest so many in view, by the shortest way round, with and without a radius."""
    size, repeats = WORLDS[world]
    periods = size if repeats else (0.0,) * len(size)
    flock = scattered(90, size)
    flock[0][:60] *= 0.1  # a dense corner: the search must find its own radius
    requests = [Request(radius, field_of_view, quantity, most) for quantity in ("velocity", "inverse")]
    seen = [nearest_few(*one, flock[0], requests[0], periods) for one in zip(*flock, strict=True)]

    for engine in ENGINES:
        for request, found in ask(engine, flock, flock, requests, periods).items():
            for i, near in enumerate(seen):
                assert found.count[i] == len(near)
                expected = plain.total(near, request.quantity, flock[1], len(size))
                np.testing.assert_allclose(found.total[i], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
def test_equally_near_neighbors_are_not_too_many(engine):
    """On a lattice, where many are equally near, exactly the wanted number is taken."""
    position = np.stack(np.meshgrid(np.arange(10.0), np.arange(10.0)), axis=2).reshape(-1, 2)
    request = Request(3.0, 360, "offset", 3)

    count = ask(engine, (position, position), (position, position), [request], (10.0, 10.0))[request].count

    np.testing.assert_array_equal(count, 3)
