"""Events of animals against plain loops over whole tracks, and what they must not depend on."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import boidsgen
from boidsgen.errors import UsageError
from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import Setup, State
from boidsgen.simulation.spans import SPAN_KINDS, span_kinds, spans
from tests.simulation import plain
from tests.simulation.retold import changed, renamed

WORLDS = [("torus", (40.0, 34.0)), ("open", (40.0, 34.0)), ("torus", (24.0, 20.0, 18.0)), ("open", (24.0, 20.0, 18.0))]
COUNTS, RADII, SPEEDS, STEP, FRAMES = (7, 5), (5.0, 6.0), (4.0, 5.0), 0.5, 60
KINDS = {"split": 1.3, "merge": None, "turn": 80.0, "stop": None, "crossing": 1.5}


def tables(scale=1.0):
    return tuple(
        {"name": name, "count": count, "perception": {"radius": scale * radius}, "max_speed": scale * speed}
        for name, count, radius, speed in zip(("roach", "rudd"), COUNTS, RADII, SPEEDS, strict=True)
    )


@pytest.fixture(params=WORLDS, ids=lambda world: f"{world[0]} {len(world[1])}D")
def film(request):
    """Frames of two flocks that wander, fly straight, and rest; in some frames animals are missing."""
    boundary, size = request.param
    random = np.random.default_rng(5)
    setup = Setup.model_validate({"world": {"size": size, "boundary": boundary}, "flock": tables()})
    place, flight = random.uniform(0, size, (12, len(size))), random.normal(size=(12, len(size)))
    states = []
    for frame in range(FRAMES):
        flight = np.where(random.random((12, 1)) < 0.8, 0.8 * flight + 0.7 * random.normal(size=flight.shape), flight)
        flight[4] = 0.05 * flight[4] if frame % 20 > 10 else flight[4]
        flight[9] = 0.0 if frame % 15 > 12 else flight[9]
        middle = np.array(size) / 2
        flight = flight + (0.02 * (middle - place) if boundary == "open" else 0.0)
        place = setup.world.wrapped(place + STEP * flight)
        seen, groups, first = random.random(12) < 0.97, [], 0
        for table in setup.flock:
            members = np.flatnonzero(seen[first : first + table.count])
            groups.append(Group(table.name, place[first + members], flight[first + members], members=members))
            first += table.count
        states.append(State(frame, frame * STEP, frame, tuple(groups), (), setup))
    return states


def found_in(states, kinds=KINDS, measured=None):
    """Events as kind, first frame, last frame, animals with groups and values."""
    setup = states[0].setup
    return [
        (one.kind, one.first.frame, one.last.frame, [tuple(member) for member in one.members])
        for one in spans(states, setup, measured or range(len(states)), kinds)
    ]


def tracks_of(states):
    """Position, velocity, perception radius and highest speed by frame and animal."""
    found = []
    for state in states:
        here, first = {}, 0
        for group, table in zip(state.flocks, state.setup.flock, strict=True):
            for number, position, velocity in zip(group.numbers, group.position, group.velocity, strict=True):
                here[first + int(number)] = (
                    position.tolist(),
                    velocity.tolist(),
                    table.perception.radius,
                    table.max_speed,
                )
            first += table.count
        found.append(here)
    return found


def stretches_of(frames):
    """First and last of successive numbers."""
    first = [frame for frame in frames if frame - 1 not in frames]
    last = [frame for frame in frames if frame + 1 not in frames]
    return zip(first, last, strict=True)


def stops(film, below=None):
    """Stops, animal by animal."""
    for animal in {number for here in film for number in here}:
        speeds = {frame: plain.norm(here[animal][1]) for frame, here in enumerate(film) if animal in here}
        most = {here[animal][3] for here in film if animal in here}.pop()
        slow = [frame for frame, speed in speeds.items() if speed < (0.1 * most if below is None else below)]
        for first, last in stretches_of(slow):
            mean = sum(speeds[frame] for frame in range(first, last + 1)) / (last + 1 - first)
            yield "stop", first, last, [(animal, None, mean)]


def crossings(film, periods, below=None):
    """Crossings, pair by pair."""
    for one, other in combinations(sorted({number for here in film for number in here}), 2):
        apart, near = {}, []
        for frame, here in enumerate(film):
            if one in here and other in here:
                way = [b - a for a, b in zip(here[one][0], here[other][0], strict=True)]
                apart[frame] = plain.norm(plain.shortest(way, periods))
                if apart[frame] < (0.1 * max(here[one][2], here[other][2]) if below is None else below):
                    near.append(frame)
        for first, last in stretches_of(near):
            least = min(apart[frame] for frame in range(first, last + 1))
            yield "crossing", first, last, [(one, None, least), (other, None, least)]


def turns(film, least):
    """Turns, animal by animal: the longest stretches in which each step turns, and the same way as the one before."""
    for animal in {number for here in film for number in here}:
        steps = {}
        for frame in range(1, len(film)):
            if animal in film[frame] and animal in film[frame - 1]:
                a, b = film[frame - 1][animal][1], film[frame][animal][1]
                axis = cross(a, b)
                if plain.norm(axis):
                    size = math.degrees(math.atan2(plain.norm(axis), sum(map(math.prod, zip(a, b, strict=True)))))
                    steps[frame] = axis, size if len(axis) == 3 else math.copysign(size, axis[0])
        for first in steps:
            if first - 1 in steps and same_way(steps[first - 1][0], steps[first][0]):
                continue
            last = first
            while last + 1 in steps and same_way(steps[last][0], steps[last + 1][0]):
                last += 1
            total = sum(steps[frame][1] for frame in range(first, last + 1))
            if abs(total) >= least:
                yield "turn", first - 1, last, [(animal, None, total)]


def same_way(a, b):
    return sum(map(math.prod, zip(a, b, strict=True))) > 0


def cross(a, b):
    if len(a) == 2:
        return [a[0] * b[1] - a[1] * b[0]]
    return [a[0] * b[1] - a[1] * b[0], a[0] * b[2] - a[2] * b[0], a[1] * b[2] - a[2] * b[1]]


def regroupings(film, periods, factor):
    """Splits and merges, from the groups of every two frames."""
    tied, before = set(), None
    for frame, here in enumerate(film):
        ties = set()
        for pair in combinations(sorted(here), 2):
            (a, _, near, _), (b, _, far, _) = (here[number] for number in pair)
            distance = plain.norm(plain.shortest([y - x for x, y in zip(a, b, strict=True)], periods))
            if distance < max(near, far) * (factor if pair in tied else 1.0):
                ties.add(pair)
        tied, groups = ties, groups_of(here, ties)
        if before is not None:
            for kind, whole, part in (("split", before, groups), ("merge", groups, before)):
                for group in {*whole.values()}:
                    seen = sorted(number for number in group if number in part and number in whole)
                    sizes = {part[number]: sum(other in part[number] for other in seen) for number in seen}
                    if len(sizes) > 1:
                        rows = [(number, min(part[number]), float(sizes[part[number]])) for number in seen]
                        yield kind, frame - 1, frame, rows
        before = groups


def groups_of(animals, ties):
    """The group of each animal."""
    groups = {}
    for number in animals:
        if number not in groups:
            chain = [number]
            for one in chain:
                chain += [b if a == one else a for a, b in ties if one in (a, b) and {a, b} - {*chain}]
            groups |= dict.fromkeys(chain, frozenset(chain))
    return groups


def loops(states, kinds=KINDS):
    film, periods = tracks_of(states), states[0].setup.world.periods.tolist()
    found = [
        *regroupings(film, periods, kinds["split"]),
        *turns(film, kinds["turn"]),
        *stops(film, kinds["stop"]),
        *crossings(film, periods, kinds["crossing"]),
    ]
    return sorted(found, key=lambda one: (one[2], [*SPAN_KINDS].index(one[0]), [row[0] for row in one[3]]))


def rounded(found):
    """Events in an order of their own, with values as exact as rounding leaves them."""
    return sorted((kind, first, last, [(a, g, round(v, 6)) for a, g, v in rows]) for kind, first, last, rows in found)


def test_events_are_those_of_the_definitions(film):
    """Each kind equals a loop over whole tracks, with gaps, at rest, in 2D and 3D, periodic or not."""
    found = found_in(film)

    assert rounded(found) == rounded(loops(film))
    assert [(last, kind) for kind, _, last, _ in found] == [(last, kind) for kind, _, last, _ in loops(film)]
    assert {kind for kind, *_ in found} == {*SPAN_KINDS}


def test_the_default_thresholds_are_those_of_the_definitions(film):
    """Without thresholds, ties end at 1.5 radii, turns have 90 degrees, and the others a tenth of what a flock has."""
    assert rounded(found_in(film, dict.fromkeys(SPAN_KINDS))) == rounded(
        loops(film, {"split": 1.5, "turn": 90.0, "stop": None, "crossing": None})
    )


@pytest.mark.parametrize("kind", SPAN_KINDS)
def test_a_kind_does_not_depend_on_the_others(film, kind):
    """Asked for alone, or with the factor of ties, a kind has the same events as among all."""
    alone = {"split": KINDS["split"], kind: KINDS[kind]}

    assert [one for one in found_in(film, alone) if one[0] == kind] == [one for one in found_in(film) if one[0] == kind]


def test_every_second_frame_is_a_film_of_its_own(film):
    """Frames that are not measured do not count, not even as gaps."""
    halved = [replace(state, frame=number) for number, state in enumerate(film[1::2])]
    expected = [(kind, 2 * first + 1, 2 * last + 1, rows) for kind, first, last, rows in found_in(halved)]

    assert found_in(film, measured=range(FRAMES - 1, 0, -2)) == expected


def test_a_shift_of_the_world_changes_nothing(film):
    """Shifted positions, in a periodic world brought back over its edges, give the same events."""
    shift = np.array([31.7, 18.2, 25.1])[: film[0].setup.world.dimension]

    moved = changed(film, lambda places, world: world.wrapped(places + shift))
    assert rounded(found_in(moved)) == rounded(found_in(film))


def test_a_mirror_turns_only_signs(film):
    """In a mirror, left and right change their places in 2D, and nothing else does."""
    flip = np.array([-1.0, 1.0, 1.0])[: film[0].setup.world.dimension]
    mirrored = changed(film, lambda places, world: world.wrapped(places * flip), lambda vectors: vectors * flip)
    signed = [
        (kind, first, last, [(a, g, -v if kind == "turn" and len(flip) == 2 else v) for a, g, v in rows])
        for kind, first, last, rows in found_in(film)
    ]

    assert rounded(found_in(mirrored)) == rounded(signed)


def test_a_unit_of_half_the_length_doubles_lengths(film):
    """In half the unit, distances and speeds are twice the numbers; frames, angles and groups are the same."""
    size = tuple(2 * side for side in film[0].setup.world.size)
    world = {"size": size, "boundary": film[0].setup.world.boundary.kind}
    setup = Setup.model_validate({"world": world, "flock": tables(2.0)})
    doubled = changed(film, lambda places, _: 2 * places, lambda vectors: 2 * vectors, setup)
    long = {name for name, kind in SPAN_KINDS.items() if kind.unit.startswith("world units")}
    expected = [
        (kind, first, last, [(a, g, 2 * v if kind in long else v) for a, g, v in rows])
        for kind, first, last, rows in found_in(film)
    ]

    assert long == {"stop", "crossing"}
    assert rounded(found_in(doubled, KINDS | {"crossing": 2 * KINDS["crossing"]})) == rounded(expected)


def test_animals_keep_their_events_under_other_names(film):
    """The events of animals do not depend on the order in which they are listed; only numbers of animals do."""
    order = np.array([4, 0, 6, 3, 1, 5, 2])  # new numbers in the first flock
    names = [*order.tolist(), *range(7, 12)]

    assert partitions(found_in(renamed(film, order)), range(12)) == partitions(found_in(film), names)


def partitions(found, names):
    """Events, with the animals of each group together instead of its number."""
    return sorted(
        (
            kind,
            first,
            last,
            sorted((sorted(names[a] for a, other, _ in rows if other == g), round(v, 6)) for _, g, v in rows),
        )
        for kind, first, last, rows in found
    )


@pytest.fixture
def fish(tmp_path):
    """Rows of a table of tracks, with gaps, in a periodic world, and the recording of these rows."""
    random, rows = np.random.default_rng(2), []
    place, flight = random.uniform(0, 60, (9, 2)), random.normal(0, 2, (9, 2))
    for frame in range(80):
        flight = 0.9 * flight + random.normal(0, 1, flight.shape)
        place = (place + flight) % 60
        rows += [f"{frame},{fish},{x!r},{y!r}" for fish, (x, y) in enumerate(place.tolist()) if random.random() < 0.97]

    def recorded(lines, name):
        (tmp_path / f"{name}.csv").write_text("\n".join(["frame,id,x,y", *lines]))
        keys = {"world.boundary": "torus", "world.size": [60.0, 60.0], "flock.perception.radius": 8.0}
        boidsgen.tracks(
            tmp_path / f"{name}.csv",
            tmp_path / f"{name}.npz",
            columns="frame,id,x,y",
            fps=25,
            origin=(0, 0),
            overrides=keys,
        )
        return [{**row, "flock": ""} for row in boidsgen.measure(tmp_path / f"{name}.npz", events="all")]

    return rows, recorded


def test_shuffled_rows_of_tracks_have_the_same_events(fish):
    """The order of rows is nobody's business."""
    rows, recorded = fish
    found = recorded(rows, "fish")

    assert recorded(np.random.default_rng(1).permutation(rows).tolist(), "shuffled") == found
    assert {row["kind"] for row in found} == {*SPAN_KINDS}
    assert all(row["last_time"] == pytest.approx(row["last_frame"] / 25) for row in found)
    assert {row["unit"] for row in found} == {kind.unit for kind in SPAN_KINDS.values()}


def test_thresholds_have_a_range():
    """What is no kind, or no threshold of one, is refused with what would be right."""
    assert span_kinds("all") == dict.fromkeys(SPAN_KINDS)
    assert span_kinds("split=2, turn") == {"split": 2.0, "turn": None}
    for text in ("", "leap", "merge=2", "turn=", "turn=0", "turn=-3", "stop=nan", "crossing=inf", "split=0.9"):
        with pytest.raises(UsageError):
            span_kinds(text)


def test_an_infinite_radius_has_no_crossing_of_its_own(film):
    """With an infinite perception radius all are one group, and a crossing needs its distance."""
    flocks = tuple(table | {"perception": {"radius": math.inf}} for table in tables())
    world = {"size": film[0].setup.world.size, "boundary": film[0].setup.world.boundary.kind}
    far = changed(film, setup=Setup.model_validate({"world": world, "flock": flocks}))

    assert {kind for kind, *_ in found_in(far)} == {"turn", "stop", "crossing"}
    with pytest.raises(UsageError, match="crossing=2"):
        found_in(far, {"crossing": None})


def test_long_recordings_need_little_memory(film):
    """No more than two frames are kept, however long the run."""
    alive, most = set(), 0

    class Watched(State):
        def __del__(self):
            alive.discard(self.frame)

    def watched():
        nonlocal most
        for number in range(900):
            state = film[number % FRAMES]
            alive.add(number)
            yield Watched(number, number * STEP, number, state.flocks, (), state.setup)
            most = max(most, len(alive))

    assert sum(1 for _ in spans(watched(), film[0].setup, range(900), {"split": 1.3, "merge": None})) > 300
    assert most <= 3
