"""Joined edges are no places: what is measured, smoothed or drawn along time knows the paths of animals, not the edges.

One run of a torus is looked at in every world whose edges are joined; expected are its paths, unwrapped in plain loops.
"""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.drawing.animals import Trail
from boidsgen.observations.leaders import leadership
from boidsgen.observations.tracks import record_tracks
from boidsgen.output.recording import SavedRun
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import find
from boidsgen.simulation.measures import MEASURES, RUN_MEASURES, Measurement, Measuring
from boidsgen.simulation.motion import Group
from boidsgen.simulation.profiles import PROFILES, everybody
from boidsgen.simulation.run import ENGINES, between
from boidsgen.simulation.setup import Timeline
from boidsgen.simulation.world import BOUNDARIES
from boidsgen.studies.requests import TrackFormat
from tests.simulation import plain

JOINED = [name for name, kind in BOUNDARIES.items() if kind.leads_round]
PERIODIC = [name for name, kind in BOUNDARIES.items() if kind().periods(np.ones(2)).any()]
SIZES = [(50.0, 30.0), (40.0, 32.0, 24.0)]
PLACED = {"number_fluctuations"}
"""Profiles that depend on the place by definition: their boxes are counted from the corner of the world."""


class Change(NamedTuple):
    """Another view of the same run."""

    shift: float = 0.0  # in sizes, twice as far along the second axis and so on
    turned: bool = False  # by a quarter, the sides of the world with it
    mirrored: bool = False
    renumbered: bool = False


CHANGES = [Change(0.37), Change(0.81, turned=True), Change(0.5, mirrored=True), Change(0.13, renumbered=True)]


def scenario_of(size, boundary):
    """Two flocks and a predator that cross the edges many times in a minute of film."""
    flock = {"count": 14, "max_speed": 1.2, "perception": {"radius": 6.0}, "separation": {"radius": 3.0}}
    table = {
        "seed": 5,
        "world": {"size": size, "boundary": boundary},
        "time": {"frames": 80},
        "flock": [{**flock, "name": "one"}, {**flock, "name": "other", "count": 9}],
        "predators": {"count": 2, "max_speed": 1.5},
    }
    return load_scenario(table)


@cache
def run_of(size):
    """The states of a torus."""
    return [*simulate(scenario_of(size, "torus"))]


def seen(size, boundary, change):
    """The scenario and the states of a run, changed."""
    axes, sign = np.arange(len(size)), np.ones(len(size))
    if change.turned:
        axes, sign[0] = np.roll(axes, 1), -1.0
    if change.mirrored:
        sign[-1] = -1.0
    scenario = scenario_of(tuple(size[axis] for axis in axes), boundary)
    extent = scenario.world.extent

    def group(one):
        order = np.random.default_rng(1).permutation(len(one.position)) if change.renumbered else slice(None)
        place = (sign * one.position[order][:, axes] + change.shift * extent * (1 + np.arange(len(size)))) % extent
        return Group(one.name, place, sign * one.velocity[order][:, axes])

    states = []
    for state in run_of(size):
        groups = {kind: tuple(map(group, getattr(state, kind))) for kind in ("flocks", "predators")}
        states.append(replace(state, **groups, setup=scenario))
    return scenario, states


def path_of(states, flock, size):
    """The way of a flock without edges, (frames, n, d)."""
    path = [states[0].flocks[flock].position]
    for here, there in pairwise(state.flocks[flock].position for state in states):
        way = [plain.shortest(offset, size) for offset in (there - here).tolist()]
        path.append(path[-1] + np.array(way))
    return np.array(path)


def assert_same_places(found, path, size, within=1e-9):
    """Fail unless positions are those of a path to so many world units, but for whole sizes."""
    apart = found - path
    assert np.allclose(apart, size * np.rint(apart / size), rtol=0, atol=within)


def measures_of(scenario, states):
    """Every measure of each frame, and every profile of the last one but those that depend on the place."""
    names = (*MEASURES, *RUN_MEASURES)
    measurement = Measurement(Measuring.model_validate({"names": names, "every": 1}), scenario.time, own={})
    rows = [measurement.of(state) for state in states]
    values = {name: [row.get(name, np.nan) for row in rows] for name in names}
    profiles = {name: PROFILES[name]().values(everybody(states[-1])) for name in PROFILES.keys() - PLACED}
    return values | profiles


@pytest.mark.parametrize("change", CHANGES, ids=str)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("boundary", PERIODIC)
def test_no_measure_knows_where_it_is(boundary, size, change):
    """Every measure and profile of a run is the same when that is shifted, turned, mirrored or renumbered."""
    here, there = (measures_of(*seen(size, boundary, one)) for one in (Change(), change))
    for name, values in here.items():
        assert np.isfinite(values).any(), name
        assert np.allclose(there[name], values, rtol=1e-9, atol=1e-9, equal_nan=True), name


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("boundary", JOINED)
def test_displacement_is_that_of_the_paths(boundary, size):
    """The mean squared displacement is that of unwrapped paths, whether neighbors see across the edges or not."""
    scenario, states = seen(size, boundary, Change(0.37))
    wanted = Measuring.model_validate({"names": ("mean_squared_displacement",), "every": 1})
    measurement = Measurement(wanted, scenario.time, own={})
    paths = np.concatenate([path_of(states, flock, scenario.world.size) for flock in (0, 1)], axis=1)
    expected = ((paths - paths[0]) ** 2).sum(axis=2).mean(axis=1)

    assert max(np.ptp(paths, axis=0).max(axis=0) / size) > 1
    assert [measurement.of(state)["mean_squared_displacement"] for state in states] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("change", [one for one in CHANGES if not one.renumbered], ids=str)
@pytest.mark.parametrize("size", SIZES)
def test_leaders_are_the_same_from_every_side(size, change):
    """Delays, correlations, scores and chances of a run do not change when that is shifted, turned or mirrored."""
    here, there = (
        leadership(states, scenario)
        for scenario, states in (seen(size, "torus", Change()), seen(size, "torus", change))
    )
    for one, other in zip(here, there, strict=True):
        assert np.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True)


def tracked(path, place, scenario, boundary, form):
    """Positions and velocities by frame and animal, nan where there are none, of tracks in a world."""
    frame, animal = np.nonzero(np.isfinite(place[..., 0]))
    axes = "xyz"[: place.shape[2]]
    rows = {"frame": frame, "id": animal, **dict(zip(axes, place[frame, animal].T, strict=True))}
    pd.DataFrame(rows).sort_values("id", kind="stable").to_csv(path / "tracks.csv", index=False)
    form = form._replace(columns=("frame", "id", *axes), origin=(0.0,) * len(axes))
    given = [
        Override(f"world.{key}", value, "--set")
        for key, value in (("size", [*scenario.world.size]), ("boundary", boundary))
    ]
    record_tracks([str(path / "tracks.csv")], str(path / "tracks.npz"), form, given)
    found = np.full((2, *place.shape), np.nan)
    for state in SavedRun(path / "tracks.npz", draft(find(str(path / "tracks.npz"))).scenario()):
        group = state.flocks[0]
        found[:, state.frame, group.numbers] = group.position, group.velocity
    return found


@pytest.mark.turns(3)  # with every form, change, size and boundary
@pytest.mark.parametrize("form", [{}, {"fill": 4}, {"smooth": 5}, {"fill": 4, "smooth": 7}], ids=str)
@pytest.mark.parametrize("change", [Change(), Change(0.81, turned=True)], ids=str)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("boundary", JOINED)
def test_tracks_are_filled_and_smoothed_along_their_paths(boundary, size, change, form, tmp_path):
    """Tracks with gaps have places and velocities as in an open world, and stay within their own."""
    scenario, states = seen(size, boundary, change)
    path = path_of(states, 0, scenario.world.size)
    path[np.random.default_rng(3).random(path.shape[:2]) < 0.1] = np.nan
    wrapped, form = path % scenario.world.extent, TrackFormat(25.0)._replace(**form)
    position, velocity = tracked(tmp_path, wrapped, scenario, boundary, form)
    expected, paces = tracked(tmp_path, path, scenario, "open", form)

    assert np.isfinite(velocity).sum() > 0.8 * velocity.size
    assert np.array_equal(np.isnan(position), np.isnan(expected))
    there = np.isfinite(position[..., 0])
    assert_same_places(position[there], expected[there], scenario.world.extent)
    assert np.allclose(velocity[there], paces[there], rtol=1e-9, atol=1e-9)
    assert ((position[there] >= 0) & (position[there] < scenario.world.extent)).all()
    kept = there & np.isfinite(wrapped[..., 0]) & (form.smooth == 0)
    assert np.array_equal(position[kept], wrapped[kept])


@pytest.mark.parametrize("boundary", PERIODIC)
def test_tracks_beyond_the_edges_are_brought_into_the_world(boundary, tmp_path):
    """Paths that somebody has unwrapped before are seen in a periodic world as those that nobody has."""
    scenario, states = seen(SIZES[0], boundary, Change(0.37))
    path = path_of(states, 0, scenario.world.size)
    found, expected = (
        tracked(tmp_path, place, scenario, boundary, TrackFormat(25.0))
        for place in (path, path % scenario.world.extent)
    )

    assert np.allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("boundary", JOINED)
def test_trails_lead_along_the_paths(boundary, size):
    """Each piece of a trail is a step of its animal, and is drawn unless that step crosses an edge."""
    scenario, states = seen(size, boundary, Change(0.37))
    path, trail = path_of(states, 1, scenario.world.size), Trail(5)
    for frame, state in enumerate(states):
        trail.follow(state.flocks[1], scenario.world)
        for age, piece in enumerate(trail.pieces):
            start, end = path[frame - age - 1 : frame - age + 1]
            assert np.array_equal(
                piece.flown, (start // scenario.world.extent == end // scenario.world.extent).all(axis=1)
            )
            assert np.allclose((piece.end - piece.start)[piece.flown], (end - start)[piece.flown], rtol=0, atol=1e-9)
            assert_same_places(piece.end, end, scenario.world.extent)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("boundary", JOINED)
def test_slow_motion_goes_along_the_paths(boundary, size):
    """Between two states everybody is on the straight line of the path, also across an edge."""
    scenario, states = seen(size, boundary, Change(0.37))
    path = path_of(states, 0, scenario.world.size)
    for frame, (here, there) in enumerate(pairwise(states)):
        found = between(here, there, 0.25, Timeline(scenario)).flocks[0].position
        assert_same_places(found, 0.75 * path[frame] + 0.25 * path[frame + 1], scenario.world.extent)


def test_slow_motion_mixes_up_nobody():
    """Where one animal leaves as another one comes, each keeps its number, and those who stay are on their way."""
    scenario, (here, there, *_) = seen(SIZES[0], "torus", Change())
    flocks = [replace(one.flocks[0], members=np.array(those)) for one, those in ((here, [0, 2, 3]), (there, [0, 3, 5]))]
    before, after = (
        replace(one, flocks=(replace(flock, position=flock.position[:3], velocity=flock.velocity[:3]),))
        for one, flock in zip((here, there), flocks, strict=True)
    )
    found = between(before, after, 0.5, Timeline(scenario)).flocks[0]
    start, end = before.flocks[0].position, after.flocks[0].position

    assert found.numbers.tolist() == [0, 2, 3]
    for at, expected in enumerate((end[0] - start[0], 0 * start[1], end[1] - start[2])):
        way = [0.5 * part for part in plain.shortest(expected, scenario.world.size)]
        assert np.allclose(found.position[at], start[at] + way, rtol=0, atol=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("boundary", JOINED)
def test_a_carried_predator_flies_as_fast_as_its_curve(boundary, engine):
    """Where a curve crosses an edge, the velocity of who is carried leads across it."""
    path = {"kind": "circle", "mode": "position", "scale": 40.0, "period": 60.0, "center": [10.0, 50.0]}
    scenario = load_scenario(
        {
            "world": {"size": [100.0, 100.0], "boundary": boundary},
            "time": {"frames": 60},
            "flock": {"count": 1},
            "predators": {"count": 2, "path": path},
        }
    )
    speed = [np.linalg.norm(state.predators[0].velocity, axis=1) for state in simulate(scenario, engine)]

    chord = 2 * 40 * np.sin(np.pi / 60)  # of one step of sixty
    slack = chord if boundary == "teleport" else 1e-9  # which puts whoever leaves on the edge itself
    assert np.abs(np.array(speed) - chord).max() < slack
