"""Rules about places, leaders, hunters, paths and obstacles ahead, against plain definitions."""

import numpy as np
import pytest

from boidsgen.simulation.geometry import GroupRandomness, Randomness
from boidsgen.simulation.motion import Differences
from boidsgen.simulation.obstacles import OBSTACLES
from boidsgen.simulation.run import ENGINES, simulate
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.world import World
from tests.obstacles import EXAMPLES
from tests.simulation import plain
from tests.simulation.stages import OFF, WORLDS, arrival, given, offset, scattered


@pytest.mark.parametrize("world", WORLDS)
def test_seek(world):
    """Seek steers at full speed toward its point, by the shortest way."""
    position, velocity = scattered(30, world[1])
    point = tuple(0.1 * side for side in world[1])

    seek = given([({"seek": {"weight": 1.5, "point": point}}, position, velocity)], size=world[1], boundary=world[0])

    for i in range(30):
        expected = plain.reynolds(offset(position[i], point, world), velocity[i], 4.0, 0.2)
        np.testing.assert_allclose(seek["seek"][i], 1.5 * np.array(expected), atol=1e-12)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("places", [1, 7])
def test_arrive(world, places):
    """Arrive wants full speed from afar and, within slowing, a speed proportional to the distance; each to its own."""
    position, velocity = scattered(30, world[1])
    points = tuple(tuple((0.1 + 0.1 * place) * side for side in world[1]) for place in range(places))
    target = {"point": points[0]} if places == 1 else {"layout": {"points": points}}
    flock = {"arrive": {"weight": 1.5, "slowing": 20.0, **target}}

    arrive = given([(flock, position, velocity)], size=world[1], boundary=world[0])["arrive"]

    for i in range(30):
        expected = arrival(offset(position[i], points[i % places], world), 0.0, velocity[i], 20.0)
        np.testing.assert_allclose(arrive[i], 1.5 * np.array(expected), atol=1e-12)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
@pytest.mark.parametrize("lead", [0.0, 3.0, 1000.0])
def test_evade(world, steering, lead):
    """Evade is the sum of unit vectors away from where predators in range will be after min(lead, r/(|v| + |w|))."""
    position, velocity = scattered(30, world[1])
    predators = scattered(3, world[1], seed=4)
    flock = {"evade": {"radius": 40.0, "lead": lead, "steering": steering}}

    evade = given([(flock, position, velocity)], predators=predators, size=world[1], boundary=world[0])["evade"]

    for i in range(30):
        raw = np.zeros(len(world[1]))
        for q, w in zip(*predators, strict=True):
            way = offset(position[i], q, world)
            if plain.norm(way) < 40:
                time = min(lead, plain.norm(way) / (plain.norm(velocity[i]) + plain.norm(w)))
                expected = offset(position[i], position[i] + way + w * time, world)
                raw -= expected / plain.norm(expected)
        expected = plain.reynolds(raw, velocity[i], 4.0, 0.2) if steering == "reynolds" else raw
        np.testing.assert_allclose(evade[i], expected, atol=1e-9)


@pytest.mark.parametrize("lead", [0.0, 5.0])
def test_pursuit_aims_ahead(lead):
    """A hunter with a lead sets off for where the nearest boid will be, across the edge as well."""
    boid = {"layout": "disc", "center": (390.0, 200.0), "radius": 0.001, "speed": (2.0, 2.0), "heading": 90.0}
    still = {"layout": "disc", "center": (10.0, 200.0), "radius": 0.001, "speed": (0.0, 0.0)}
    hunter = {"start": still, "min_speed": 0.0, "max_force": np.inf, "hunt": {"lead": lead}}
    document = {"flock": {"count": 1, **OFF, "start": boid}, "predators": hunter, "time": {"frames": 2}}

    _, after = simulate(Setup.model_validate(document))

    # 20 away at 2 a unit of time: it would take 10, so that the lead of 5 is the bound.
    expected = np.array([-20.0, 2.0 * lead])
    velocity = after.predators[0].velocity[0]
    np.testing.assert_allclose(velocity, 5 * expected / np.linalg.norm(expected), atol=1e-3)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
def test_species(world, steering):
    """A flock goes toward the nearest of those it hunts, minus the sum of unit vectors to those it flees."""
    rule = {"hunt": ("prey", "mice"), "flee": ("lions",), "ignore": ("flies",), "radius": 30.0, "steering": steering}
    flocks = [scattered(20, world[1], seed=seed) for seed in range(5)]
    tables = [{"species": rule}, *({"name": name} for name in ("prey", "lions", "mice", "flies"))]

    species = given(
        [(table, *flock) for table, flock in zip(tables, flocks, strict=True)], size=world[1], boundary=world[0]
    )["species"]

    periods = world[1] if world[0] == "torus" else (0.0,) * len(world[1])
    for i, (p, v) in enumerate(zip(*flocks[0], strict=True)):
        feared = plain.neighbors(p, v, flocks[2][0], 30.0, 360, periods)
        raw = -np.array(plain.total(feared, "constant", None, len(world[1])))
        hunted = [o for prey in (1, 3) for _, o in plain.neighbors(p, v, flocks[prey][0], 30.0, 360, periods)]
        if hunted:
            nearest = min(hunted, key=plain.norm)
            raw += np.array(nearest) / plain.norm(nearest)
        expected = plain.reynolds(raw, v, 4.0, 0.2) if steering == "reynolds" else raw
        np.testing.assert_allclose(species[i], expected, atol=1e-9)


def test_who_is_ignored_has_no_personal_space():
    """Separation keeps clear of every other flock but those that are ignored."""
    separation = {"separation": {"steering": "direct", "falloff": "constant"}}
    others = [({"name": "friends"}, [[55, 50]], [[0, 0]]), ({"name": "ghosts"}, [[50, 55]], [[0, 0]])]

    both = given([(separation, [[50, 50]], [[0, 0]]), *others])["separation"]
    one = given([({**separation, "species": {"ignore": ("ghosts",)}}, [[50, 50]], [[0, 0]]), *others])["separation"]

    np.testing.assert_allclose(both, [[-1.5, -1.5]])
    np.testing.assert_allclose(one, [[-1.5, 0.0]])


@pytest.mark.parametrize("world", WORLDS)
def test_follow_leader(world):
    """Followers arrive behind the leader at its pace; those close in front make way to the side."""
    position, velocity = scattered(60, world[1])
    position[1] = position[0] + velocity[0] * 4 + 0.5
    flock = {"follow_leader": {"behind": 15.0, "slowing": 20.0}}

    follow = given([(flock, position, velocity)], size=world[1], boundary=world[0])["follow_leader"]

    np.testing.assert_allclose(follow[0], 0, atol=1e-12)
    made_way = 0
    for i in range(1, 60):
        expected, aside = follower(position[i], velocity[i], position[0], velocity[0], world)
        made_way += aside
        np.testing.assert_allclose(follow[i], expected, atol=1e-9)
    assert made_way


def follower(position, velocity, leader, pace, world):
    """The steering of a follower, and whether it was in the leader's way."""
    way = offset(position, leader, world)
    heading = pace / plain.norm(pace)
    ahead = -sum(heading * way)
    across = -way - heading * ahead
    in_the_way = ahead > plain.norm(across) and plain.norm(way) < 15
    place = across / plain.norm(across) * 15 if in_the_way else offset(position, position + way - 15 * heading, world)
    return arrival(place, pace, velocity, 20.0), in_the_way


def test_follow_another_flock():
    """Each boid follows the nearest member of the leading flock, whichever other flocks there are."""
    rule = {"follow_leader": {"flock": "kings", "behind": 10.0, "steering": "direct"}, "max_force": np.inf}
    rule["follow_leader"]["slowing"] = 50.0
    me = (rule, [[50, 50], [10, 80]], [[0, 0], [0, 0]])
    kings = ({"name": "kings"}, [[70, 50], [10, 90]], [[1, 0], [0, 1]])
    others = ({"name": "others"}, [[51, 50]], [[3, 0]])

    follow = given([me, others, kings])["follow_leader"]

    np.testing.assert_allclose(follow, [[1 + 4 * 10 / 50, 0], [0, 1]], atol=1e-12)


def test_nobody_to_follow():
    """Without a leader a boid goes on as it is."""
    rule = {"follow_leader": {"flock": "kings"}}

    alone = given([(rule, [[50, 50]], [[1, 2]])])["follow_leader"]
    extinct = given([(rule, [[50, 50]], [[1, 2]]), ({"name": "kings"}, np.empty((0, 2)), np.empty((0, 2)))])
    nobody = given([({"follow_leader": {}}, np.empty((0, 2)), np.empty((0, 2)))])["follow_leader"]

    np.testing.assert_allclose(alone, 0, atol=1e-12)
    np.testing.assert_allclose(extinct["follow_leader"], 0, atol=1e-12)
    assert nobody.shape == (0, 2)


@pytest.mark.parametrize("shape", ["v", "line"])
@pytest.mark.parametrize("angle", [None, 0.0, 90.0, 180.0])
def test_formation_slots(shape, angle):
    """Boids that sit in their slots and fly as the leader does are not steered; the slots are where they should be."""
    heading = np.array([3.0, 4.0]) / 5
    left = np.array([-4.0, 3.0]) / 5
    usual = np.radians({"v": 70.0, "line": 0.0}[shape] if angle is None else angle)
    slots = [np.zeros(2)]
    for i in range(1, 6):
        if shape == "line":
            slots.append(10 * i * (-np.cos(usual) * heading + np.sin(usual) * left))
        else:
            side = 1 if i % 2 else -1
            slots.append(10 * ((i + 1) // 2) * (-np.cos(usual / 2) * heading + side * np.sin(usual / 2) * left))
    rule = {"shape": shape, "spacing": 10.0, **({} if angle is None else {"angle": angle})}
    position, velocity = 95.0 + np.array(slots), np.tile(2 * heading, (6, 1))

    formed = given([({"formation": rule}, position % 100, velocity)], boundary="torus")["formation"]

    np.testing.assert_allclose(formed, 0, atol=1e-9)


def test_formation_in_depth_lies_in_the_plane_of_heading_and_horizontal():
    """In 3D the arms of a V stretch back along the heading and out horizontally; straight up it is along y."""
    size = (100.0, 100.0, 100.0)
    rule = {"formation": {"spacing": 10.0, "angle": 90.0}}
    for pace, back, left in (
        ((1.0, 0.0, 1.0), np.array([-1, 0, -1]) / 2, np.array([0, 1, 0]) / np.sqrt(2)),
        ((0.0, 0.0, 2.0), np.array([0, 0, -1]) / np.sqrt(2), np.array([0, 1, 0]) / np.sqrt(2)),
    ):
        position = 50 + 10 * np.array([np.zeros(3), back + left, back - left])

        formed = given([(rule, position, [pace] * 3)], size=size)["formation"]

        np.testing.assert_allclose(formed, 0, atol=1e-9)


CORRIDOR = {"points": ((20.0, 50.0), (80.0, 50.0), (80.0, 90.0)), "radius": 5.0, "lead": 2.0, "steering": "direct"}


@pytest.mark.parametrize(
    ("position", "velocity", "expected"),
    [
        ((40, 48), (1, 0), (0, 0)),  # in the corridor, the right way
        ((40, 48), (0, 1), (5, 2)),  # straight across is not along: turn
        ((40, 48), (-1, 0), (3, 2)),  # the wrong way: turn to 43, the nearest point to 38 and 5 along
        ((40, 48), (0, 0), (5, 2)),  # at rest: set off
        ((40, 70), (1, 0), (7, -20)),  # outside: back to the corridor
        ((76, 51), (2, 0), (4, 5)),  # will be past the corner: turn into the next leg
        ((74, 44), (2, 0), (6, 9)),  # will be outside at 78: round the corner to (80, 53)
        ((80, 92), (0, 3), (0, -2)),  # beyond the end: back to it
        ((10, 50), (1, 0), (15, 0)),  # before the start: to 5 beyond it
    ],
)
def test_follow_path(position, velocity, expected):
    """Boids that will be in the corridor and fly along it go on; all others seek a point a little further along."""
    follow = given([({"follow_path": CORRIDOR}, [position], [velocity])])["follow_path"]

    np.testing.assert_allclose(follow, [expected], atol=1e-9)


def test_closed_paths_have_no_end():
    """A closed path leads from its last point back to its first, and round again."""
    square = {"points": ((20, 20), (80, 20), (80, 80), (20, 80)), "closed": True, "radius": 4.0, "steering": "direct"}
    square["points"] = tuple(tuple(float(c) for c in point) for point in square["points"])

    follow = given([({"follow_path": {**square, "lead": 0.0}}, [[10.0, 22.0]], [[1.0, 0.0]])])["follow_path"]

    np.testing.assert_allclose(follow, [[12.0, -2.0]])


def test_paths_are_near_across_the_edge():
    """On a torus a boid beyond the edge is as near to the path as one on this side."""
    path = {**CORRIDOR, "points": ((5.0, 20.0), (5.0, 80.0)), "lead": 0.0}

    follow = given([({"follow_path": path}, [[90.0, 50.0]], [[1.0, 0.0]])], boundary="torus")["follow_path"]

    np.testing.assert_allclose(follow, [[15.0, 5.0]])


OBSTACLE = EXAMPLES | {"segment": {"start": (50.0, 10.0), "end": (50.0, 55.0), "radius": 0.5}}


@pytest.mark.parametrize("kind", OBSTACLES)
@pytest.mark.parametrize("edges", ["open", "torus"])
def test_avoid_looks_ahead(kind, edges):
    """Avoid is zero on a free course, and on a collision course it is sideways, outward, and 1 - t/lead long."""
    size = (100.0, 60.0)
    obstacle = OBSTACLES[kind].model_validate(OBSTACLE[kind])
    world = World.model_validate({"size": size, "boundary": edges})
    position, velocity = scattered(60, size)
    outside = obstacle.surface(position, world)[0] > 3
    position, velocity = position[outside], velocity[outside]
    flock = {"avoid": {"lead": 30.0, "clearance": 3.0}}
    document = {"obstacles": {"kind": kind, **OBSTACLE[kind]}}

    avoid = given([(flock, position, velocity)], size=size, boundary=edges, **document)["avoid"]

    meetings = [
        first_meetings(obstacle, world, p, v, (3.0 + NEAR, 3.0)) for p, v in zip(position, velocity, strict=True)
    ]
    early, late = zip(*meetings, strict=True)
    assert sum(time < np.inf for time in late) > 5
    assert sum(time == np.inf for time in early) > 5
    for i in range(len(position)):
        urgency = plain.norm(avoid[i])
        assert abs(avoid[i] @ velocity[i]) < 1e-9
        if early[i] == np.inf:
            assert urgency == 0
        elif late[i] < np.inf:
            assert 1 - late[i] / 30 - 0.001 <= urgency <= 1 - early[i] / 30 + 0.001
            _, outward = obstacle.surface((position[i] + velocity[i] * early[i])[None], world)
            assert avoid[i] @ outward[0] > -1e-9


NEAR = 0.061


def first_meetings(obstacle, world, position, velocity, distances):
    """The times within 30 at which a boid first comes as near as these, found in small steps; inf if it does not."""
    times = np.linspace(0, 30, 10_001)
    gap, _ = obstacle.surface(position + velocity * times[:, None], world)
    return [times[(gap <= near).argmax()] if (gap <= near).any() else np.inf for near in distances]


def test_thin_walls_are_not_overlooked():
    """However fast a boid and thin a wall, it is seen ahead; so is one met head-on, where any side will do."""
    wall = {"kind": "segment", "start": (50.0, 10.0), "end": (50.0, 90.0), "radius": 0.0}
    flock = {"avoid": {"lead": 1000.0, "clearance": 0.0}}

    avoid = given([(flock, [[5.0, 50.0], [95.0, 50.0]], [[40.0, 0.0], [-40.0, 0.0]])], obstacles=wall)["avoid"]

    np.testing.assert_allclose(np.abs(avoid), [[0, 1], [0, 1]], atol=2e-3)


def test_avoid_takes_the_first_obstacle():
    """Of two obstacles ahead the nearer one counts; one that lies behind does not, nor does any for a boid at rest."""
    circles = [
        {"kind": "circle", "center": (x, y), "radius": 5.0} for x, y in ((60.0, 52.0), (80.0, 48.0), (20.0, 50.0))
    ]
    flock = {"avoid": {"lead": 40.0, "clearance": 2.0}}

    avoid = given([(flock, [[40.0, 50.0], [40.0, 50.0]], [[1.0, 0.0], [0.0, 0.0]])], obstacles=tuple(circles))["avoid"]

    way = 20 - np.sqrt(7**2 - 2**2)
    np.testing.assert_allclose(avoid, [[0, -(1 - way / 40)], [0, 0]], atol=0.005)


@pytest.mark.parametrize("kind", OBSTACLE)
@pytest.mark.parametrize("edges", ["open", "torus"])
def test_detour_takes_the_first_free_direction(kind, edges):
    """Detour is zero where a ball passes straight ahead, else the first direction of left and right that is free."""
    size, count = (100.0, 60.0), 36
    obstacle = OBSTACLES[kind].model_validate(OBSTACLE[kind])
    world = World.model_validate({"size": size, "boundary": edges})
    position, velocity = scattered(60, size)
    outside = obstacle.surface(position, world)[0] > 3.2
    position, velocity = position[outside], velocity[outside]
    flock = {"detour": {"reach": 25.0, "clearance": 3.0, "directions": count, "steering": "direct"}}
    document = {"obstacles": {"kind": kind, **OBSTACLE[kind]}}

    detour = given([(flock, position, velocity)], size=size, boundary=edges, **document)["detour"]

    turns = [0, *(sign * number * 2 * np.pi / count for number in range(1, count // 2 + 1) for sign in (1, -1))][:count]
    found = []
    for i in range(len(position)):
        angle = np.arctan2(velocity[i, 1], velocity[i, 0])
        ways = [np.array([np.cos(angle + turn), np.sin(angle + turn)]) for turn in turns]
        rooms = [narrowest(obstacle, world, position[i], way) for way in ways]
        first = next((number for number, room in enumerate(rooms) if room > 3.0), None)
        if any(abs(room - 3.0) < 0.02 for room in rooms[: first and first + 1]):
            continue  # so close that the steps of this test may be too long to tell
        found.append(first)
        expected = np.zeros(2) if first == 0 else ways[0 if first is None else first]
        np.testing.assert_allclose(detour[i], expected, atol=1e-9)
    assert len(set(found)) > 2


def narrowest(obstacle, world, position, way):
    """The smallest distance from an obstacle on the next 25 units of a straight way, found in small steps."""
    return obstacle.surface(position + way * np.linspace(0, 25, 1_251)[:, None], world)[0].min()


def test_detour_does_not_see_what_it_overlaps():
    """A ball that overlaps an obstacle at the start flies on, and one that is shut in by others does so as well."""
    ring = [
        {"kind": "circle", "center": (50 + 20 * np.cos(turn), 50 + 20 * np.sin(turn)), "radius": 6.0}
        for turn in np.arange(16) * np.pi / 8
    ]
    flock = {"detour": {"reach": 60.0, "clearance": 3.0, "steering": "direct"}}
    places, flights = [[82.0, 50.0], [78.0, 50.0]], [[-1.0, 0.0], [-1.0, 0.0]]

    shut_in = given([(flock, [[50.0, 50.0]], [[0.6, 0.8]])], obstacles=tuple(ring))["detour"]
    before = given([(flock, places, flights)], obstacles=ring[0])["detour"]

    np.testing.assert_allclose(shut_in, [[0.6, 0.8]], atol=1e-12)
    assert 0 < abs(before[0, 1]) <= 1
    np.testing.assert_array_equal(before[1], [0, 0])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("update", ["synchronous", "sequential"])
def test_each_animal_has_its_own_numbers(engine, update):
    """Weights and speeds are multiplied by each animal's own factors, those beyond the share by zero."""
    flock = {**OFF, "count": 5, "update": update, "max_force": 0.5, "seek": {"point": (90.0, 70.0), "weight": 1.5}}
    own = [
        {"key": "seek.weight", "factors": (1.0, 0.25), "share": 0.6},
        {"key": "max_speed", "factors": (0.5, 1.0, 2.0)},
    ]
    setup = Setup.model_validate({"flock": {**flock, "individual": tuple(own)}, "time": {"frames": 2}})

    before, after = (state.flocks[0] for state in simulate(setup, engine))

    for i, (weight, factor) in enumerate(zip([1.5, 0.375, 1.5, 0.0, 0.0], [0.5, 1.0, 2.0, 0.5, 1.0], strict=True)):
        way = offset(before.position[i], (90.0, 70.0), ("torus", (400.0, 400.0)))
        steering = plain.reynolds(way, before.velocity[i], 4.0 * factor, 0.5)
        wanted = before.velocity[i] + weight * np.array(steering)
        speed = plain.norm(wanted)
        expected = wanted / speed * min(max(speed, factor), 4.0 * factor)
        np.testing.assert_allclose(after.velocity[i], expected, atol=1e-12)


def test_drawn_differences_are_normal_lasting_and_a_stream_of_their_own():
    """Factors have mean 1 and their deviation, last as a group grows, and leave all other random numbers alone."""
    drawn = Differences(key="max_speed", sd=0.2)
    randomness = GroupRandomness(Randomness(1), "", 0)
    few, many = drawn.of(10, randomness), drawn.of(4000, randomness)
    flock = {"count": 20, "noise": {"weight": 0.3}}
    alike = {**flock, "individual": {"key": "noise.weight"}}
    runs = [list(simulate(Setup.model_validate({"flock": one, "time": {"frames": 4}}))) for one in (flock, alike)]

    assert (many[:10] == few).all()
    assert abs(many.mean() - 1.0) < 0.01
    assert abs(many.std() - 0.2) < 0.01
    assert (Differences(key="max_speed", sd=3.0).of(100, randomness) >= 0).all()
    assert all((one.flocks[0].velocity == other.flocks[0].velocity).all() for one, other in zip(*runs, strict=True))
