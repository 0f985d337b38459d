"""Measures of each animal against plain loops, and what they must not depend on."""

import math
from dataclasses import replace

import numpy as np
import pytest

from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation import individuals
from boidsgen.simulation.individuals import ANIMAL_MEASURES, stretches
from boidsgen.simulation.measures import measure
from boidsgen.simulation.motion import Group
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup, State
from tests.simulation import plain
from tests.simulation.retold import changed, renamed

WORLDS = [("torus", (60.0, 50.0)), ("open", (60.0, 50.0)), ("torus", (60.0, 50.0, 40.0)), ("open", (60.0, 50.0, 40.0))]
COUNTS, RADII, STEP = (7, 5), (6.0, 9.0), 0.5
SIGNED = {"turning_rate", "neighbor_bearing"}


@pytest.fixture(params=WORLDS, ids=lambda world: f"{world[0]} {len(world[1])}D")
def film(request):
    """Frames of two flocks: some animals are missing in some frames, two are at rest, two in the same place."""
    boundary, size = request.param
    generator = np.random.default_rng(3)
    tables = tuple(
        {"name": name, "count": count, "perception": {"radius": radius}}
        for name, count, radius in zip(("roach", "rudd"), COUNTS, RADII, strict=True)
    )
    setup = Setup.model_validate({"world": {"size": size, "boundary": boundary}, "flock": tables})
    states = []
    for frame in range(6):
        groups = []
        for table in setup.flock:
            members = np.flatnonzero(generator.random(table.count) < 0.8)
            position = generator.uniform(0, size, (table.count, len(size)))
            velocity = generator.normal(size=(table.count, len(size)))
            velocity[1] = 0.0
            position[3] = position[2]
            groups.append(Group(table.name, position[members], velocity[members], members=members))
        states.append(State(frame, frame * STEP, frame, tuple(groups), (), setup))
    return states


def found_in(states, measured=None):
    """Values by frame and animal of each measure, of those who are present."""
    found = {}
    for stretch in stretches(states, states[0].setup, measured or range(len(states))):
        for name, kind in ANIMAL_MEASURES.items():
            values = kind().values(stretch)
            for frame, animal in np.argwhere(stretch.present).tolist():
                found[name, stretch.states[frame].frame, animal] = float(values[frame, animal])
    return found


def those_in(state):
    """Position, velocity and perception radius of the animals that are present, by their numbers through all flocks."""
    found, first = {}, 0
    for group, table in zip(state.flocks, state.setup.flock, strict=True):
        for number, position, velocity in zip(group.numbers, group.position, group.velocity, strict=True):
            found[first + int(number)] = position.tolist(), velocity.tolist(), table.perception.radius
        first += table.count
    return found


def angle(ahead, toward):
    """The angle between two directions in degrees, in 2D with a sign."""
    if not plain.norm(ahead) or not plain.norm(toward):
        return math.nan
    if len(ahead) == 2:
        turned = math.atan2(toward[1], toward[0]) - math.atan2(ahead[1], ahead[0])
        return math.degrees(math.remainder(turned, 2 * math.pi))
    cosine = sum(map(math.prod, zip(ahead, toward, strict=True))) / plain.norm(ahead) / plain.norm(toward)
    return math.degrees(math.acos(max(-1.0, min(1.0, cosine))))


def middle(places, periods):
    """The mean of coordinates, along an axis that repeats that on a circle."""
    center = []
    for axis, period in enumerate(periods):
        along = [place[axis] for place in places]
        if period:
            turn = [2 * math.pi * place / period for place in along]
            circle = math.atan2(sum(map(math.sin, turn)), sum(map(math.cos, turn)))
            center.append(circle * period / (2 * math.pi))
        else:
            center.append(sum(along) / len(along))
    return center


def loops(states):
    """The same values, worked out animal by animal from the definitions."""
    found = {}
    for before, state in zip([None, *states], states, strict=False):
        here, periods = those_in(state), state.setup.world.periods.tolist()
        earlier = {} if before is None else those_in(before)

        def way(start, end, periods=periods):
            return plain.shortest([b - a for a, b in zip(start, end, strict=True)], periods)

        center = middle([place for place, _, _ in here.values()], periods)
        arms = {number: way(center, place) for number, (place, _, _) in here.items()}
        mean = [sum(parts) for parts in zip(*(plain.unit(velocity) for _, velocity, _ in here.values()), strict=True)]
        size = sum(map(plain.norm, arms.values())) / len(arms)
        for number, (place, velocity, _) in here.items():
            ways = {other: way(place, there) for other, (there, _, _) in here.items() if other != number}
            nearest = min(ways, key=lambda other: (plain.norm(ways[other]), other))
            group, seen = {number}, [number]
            while seen:
                one = seen.pop()
                for other, (there, _, radius) in here.items():
                    if other not in group and plain.norm(way(here[one][0], there)) < max(here[one][2], radius):
                        group.add(other)
                        seen.append(other)
            values = {
                "speed": plain.norm(velocity),
                "turning_rate": angle(earlier[number][1], velocity) / STEP if number in earlier else math.nan,
                "neighbor": nearest,
                "neighbor_distance": plain.norm(ways[nearest]),
                "neighbor_bearing": angle(velocity, ways[nearest]),
                "front_back": sum(map(math.prod, zip(arms[number], plain.unit(mean), strict=True))),
                "inside_outside": plain.norm(arms[number]) / size,
                "group_number": min(group),
                "leads": leads(number, {one: here[one] for one in sorted(group)}, periods),
            }
            found |= {(name, state.frame, number): value for name, value in values.items()}
    return found


def leads(number, group, periods):
    """1 if no other of the group is farther ahead, else 0."""
    mean = [sum(parts) for parts in zip(*(plain.unit(velocity) for _, velocity, _ in group.values()), strict=True)]
    if len(group) < 2 or plain.norm(mean) < 1e-6:
        return math.nan
    center = middle([place for place, _, _ in group.values()], periods)
    ahead = {}
    for one, (place, _, _) in group.items():
        arm = plain.shortest([b - a for a, b in zip(center, place, strict=True)], periods)
        ahead[one] = sum(map(math.prod, zip(arm, mean, strict=True)))
    return float(all(ahead[number] >= other - 1e-9 for other in ahead.values()))


def same(found, expected):
    return found.keys() == expected.keys() and [*found.values()] == pytest.approx(
        [expected[key] for key in found], rel=1e-9, abs=1e-9, nan_ok=True
    )


def test_values_are_those_of_the_definitions(film):
    """Each measure equals a loop over animals, with gaps, at rest, in one place, in 2D and 3D, periodic or not."""
    found = found_in(film)

    assert same(found, loops(film))
    undefined = {name for (name, _, _), value in found.items() if math.isnan(value)}
    assert undefined == {"turning_rate", "neighbor_bearing", "leads"}
    assert {0.0, 1.0} <= {value for (name, _, _), value in found.items() if name == "leads"}


def test_the_grid_finds_the_same_neighbors(film, monkeypatch):
    """Many animals have their neighbors found in another way than few."""
    monkeypatch.setattr(individuals, "MOST_LOOKED_AT", 1)

    assert same(found_in(film), loops(film))


def test_values_do_not_depend_on_how_frames_are_taken_together(film, monkeypatch):
    """Frames measured one at a time, or every second one, give the same bits as all together."""
    together = found_in(film)
    halved = found_in(film, range(1, len(film), 2))
    monkeypatch.setattr(individuals, "TOGETHER", 1)

    assert bits(found_in(film)) == bits(together)
    assert bits(halved) == bits({key: value for key, value in together.items() if key[1] % 2})


def bits(found):
    return {key: value.hex() for key, value in found.items()}


def test_a_shift_of_the_world_changes_nothing(film):
    """Shifted positions, in a periodic world brought back over its edges, give the same values."""
    shift = np.array([31.7, 18.2, 25.1])[: film[0].setup.world.dimension]

    assert same(found_in(changed(film, lambda places, world: world.wrapped(places + shift))), found_in(film))


def test_a_mirror_turns_only_signs(film):
    """In a mirror, left and right change their places in 2D, and nothing else does."""
    flip = np.array([-1.0, 1.0, 1.0])[: film[0].setup.world.dimension]
    mirrored = changed(film, lambda places, world: world.wrapped(places * flip), lambda vectors: vectors * flip)
    sign = -1 if len(flip) == 2 else 1

    expected = {key: sign * value if key[0] in SIGNED else value for key, value in found_in(film).items()}
    assert same(found_in(mirrored), expected)


def test_a_unit_of_half_the_length_doubles_lengths(film):
    """In half the unit, lengths and speeds are twice the numbers; angles, shares and groups are the same."""
    document = film[0].setup.model_dump(include={"world": {"size", "boundary"}})
    document["world"]["size"] = tuple(2 * side for side in document["world"]["size"])
    flocks = tuple(
        {"name": flock.name, "count": flock.count, "perception": {"radius": 2 * flock.perception.radius}}
        for flock in film[0].setup.flock
    )
    setup = Setup.model_validate({**document, "flock": flocks})
    doubled = changed(film, lambda places, _: 2 * places, lambda vectors: 2 * vectors, setup)

    long = {name for name, kind in ANIMAL_MEASURES.items() if kind.unit.startswith("world units")}
    assert long == {"speed", "neighbor_distance", "front_back"}
    assert same(
        found_in(doubled), {key: 2 * value if key[0] in long else value for key, value in found_in(film).items()}
    )


def test_animals_keep_their_values_under_other_names(film):
    """The values of an animal do not depend on the order in which animals are listed; only numbers of animals do."""
    order = np.array([4, 0, 6, 3, 1, 5, 2])  # new numbers in the first flock
    names = [*order.tolist(), *range(7, 12)]
    found = found_in(renamed(film, order))
    original = {(kind, frame, names[number]): value for (kind, frame, number), value in found_in(film).items()}

    assert same(without_numbers(found), without_numbers(original))
    assert groups_in(found) == groups_in(original)


def without_numbers(found):
    return {key: value for key, value in found.items() if key[0] not in {"neighbor", "group_number"}}


def groups_in(found):
    """The animals of each group of each frame."""
    groups = {}
    for (kind, frame, number), value in found.items():
        if kind == "group_number":
            groups.setdefault((frame, value), set()).add(number)
    return {(frame, frozenset(group)) for (frame, _), group in groups.items()}


def test_means_over_animals_are_the_measures_of_all():
    """What is measured of each animal and of all of them agrees."""
    document = {"flock": {"count": 40}, "time": {"frames": 3}, "world": {"size": (200.0, 150.0), "boundary": "torus"}}
    for state in (states := list(simulate(Scenario.model_validate(document)))):
        (stretch,) = stretches([state], state.setup, range(len(states)))
        values = {name: kind().values(stretch)[0] for name, kind in ANIMAL_MEASURES.items()}
        known = measure(state)
        assert values["speed"].mean() == pytest.approx(known["mean_speed"], rel=1e-12)
        assert values["neighbor_distance"].mean() == pytest.approx(known["nearest_neighbor_distance"], rel=1e-12)
        assert np.linalg.norm(stretch.from_center[0], axis=1).mean() == pytest.approx(known["dispersion"], rel=1e-12)
        assert len({*values["group_number"].tolist()}) == known["groups"]


def test_who_is_alone_has_no_neighbor(film):
    """A single animal is in the middle of itself: it has neither neighbor nor bearing, and no inside."""
    flocks = tuple(
        replace(flock, position=flock.position[:keep], velocity=flock.velocity[:keep], members=flock.numbers[:keep])
        for flock, keep in zip(film[0].flocks, (1, 0), strict=True)
    )
    alone = replace(film[0], flocks=flocks)
    found = {name: value for (name, _, _), value in found_in([alone]).items()}

    undefined = {name for name, value in found.items() if math.isnan(value)}
    assert {"neighbor", "neighbor_distance", "neighbor_bearing", "turning_rate", "leads"} <= undefined
    assert [found["group_number"]] == [*those_in(alone)]


def test_a_stretch_needs_little_memory(film):
    """No more frames are kept than a stretch has, however long the run."""
    taken = []

    def watched():
        for number in range(100_000):
            taken.append(number)
            yield replace(film[0], frame=number)

    next(stretches(watched(), film[0].setup, range(100_000)))

    assert len(taken) <= individuals.TOGETHER // sum(COUNTS) + 1
