"""Jumps of tracks are reported, ordinary motion is not, and options leave out what cannot be."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import boidsgen
from boidsgen.cli.main import run
from boidsgen.errors import UsageError
from boidsgen.observations.steps import jump_notices, within_speed
from boidsgen.observations.tracks import record_tracks
from boidsgen.output.recording import SavedRun
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import find, presets
from boidsgen.simulation.world import BOUNDARIES, World
from boidsgen.studies.requests import TrackFormat

LONG = TrackFormat(25.0, ("frame", "id", "x", "y"), origin=(0.0, 0.0))
OPEN = World(size=(1000.0, 1000.0), boundary="open")
FEW = 300  # Boids of a preset that has thousands


def notices_of(place: np.ndarray, world: World = OPEN, at_zero: np.ndarray | None = None) -> list[str]:
    """The notices about positions, (frames, n, d), whose animals are named by their numbers."""
    zero = np.zeros(place.shape[:2], np.bool_) if at_zero is None else at_zero
    return [*jump_notices(place, zero, [f"a{at}" for at in range(place.shape[1])], range(len(place)), 25.0, world)]


def positions(scenario: boidsgen.Scenario, frames: int) -> np.ndarray:
    """Positions of all boids of a run, (frames, n, d), nan where one is absent."""
    states = list(boidsgen.simulate(scenario, frames=frames))
    parts = []
    for number in range(len(states[0].flocks)):
        groups = [state.flocks[number] for state in states]
        members = [np.arange(len(one.position)) if one.members is None else one.members for one in groups]
        place = np.full((frames, 1 + max(max(one, default=-1) for one in members), scenario.world.dimension), np.nan)
        for frame, (group, here) in enumerate(zip(groups, members, strict=True)):
            place[frame, here] = group.position
        parts.append(place)
    return np.concatenate(parts, axis=1)


@pytest.mark.turns(4)
@pytest.mark.parametrize("name", [preset.name for preset in presets()])
def test_runs_have_no_jumps(name: str) -> None:
    """No preset is taken for an error of tracking: at rest, turning, hunted, and around its periodic world."""
    few = {"flock.count": FEW} if name == "murmuration-30000" else {}
    scenario = boidsgen.load_scenario(name, few)
    place = positions(scenario, min(40, scenario.time.frames))
    assert not notices_of(place, scenario.world)
    assert not place.size or not notices_of(place[:5], scenario.world)


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_boundaries_are_those_of_the_world(boundary: str, tmp_path: Path) -> None:
    """A run read with its boundary has no jumps; without the one by which animals lead round, it is named."""
    given = {"world.boundary": boundary, "world.size": [200, 160], "flock.count": 20}
    boidsgen.simulate("quickstart", overrides=given, frames=80).to_pandas().to_csv(tmp_path / "run.csv", index=False)
    form, size = LONG._replace(columns=("frame", "number", "x", "y")), Override("world.size", [200, 160], "--set")
    to = str(tmp_path / "run.npz")
    _, notices = record_tracks([str(tmp_path / "run.csv")], to, form, [size, Override("world.boundary", boundary, "")])
    assert not notices
    _, notices = record_tracks([str(tmp_path / "run.csv")], to, form)
    if BOUNDARIES[boundary].leads_round:
        assert "world.boundary=torus" in notices[0]
    elif not BOUNDARIES[boundary].jumps:
        assert not notices


def walk(frames: int, animals: int, seed: int = 4) -> np.ndarray:
    """Fish that turn slowly, at 2 to 4 units a frame, in the middle of a large world."""
    random = np.random.default_rng(seed)
    angle = random.uniform(0, 6.28, animals) + 0.1 * random.normal(size=(frames, animals)).cumsum(axis=0)
    step = random.uniform(2, 4, (frames, animals, 1)) * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return 500 + step.cumsum(axis=0)


def ants(random: np.random.Generator) -> np.ndarray:
    """One ant rests, and then runs for five frames; the others run."""
    place = walk(200, 4)
    step = 0.01 * random.normal(size=(200, 2))
    step[120:125] = (6, 1)
    place[:, 0] = 400 + step.cumsum(axis=0)
    return place


def pixels(random: np.random.Generator) -> np.ndarray:
    """Whole pixels of animals that are mostly at rest."""
    return np.rint(300 + (random.random((300, 6, 2)) < 0.05).cumsum(axis=0))


def dust(random: np.random.Generator) -> np.ndarray:
    """Brownian particles, each of which is seen for five frames."""
    place = np.full((100, 300, 2), np.nan)
    for animal, first in enumerate(random.integers(0, 95, 300)):
        place[first : first + 5, animal] = random.uniform(0, 900, 2) + random.normal(size=(5, 2)).cumsum(axis=0)
    return place


def gaps(random: np.random.Generator) -> np.ndarray:
    """Fish of which half of the positions are missing."""
    place = walk(200, 5)
    place[random.random((200, 5)) < 0.5] = np.nan
    return place


def turtles(_: np.random.Generator) -> np.ndarray:
    """Agents that all start at zero."""
    return walk(40, 20) - walk(40, 20)[:1]


def still(_: np.random.Generator) -> np.ndarray:
    """Animals that never move."""
    return np.full((20, 3, 2), 7.0)


def bursts(random: np.random.Generator) -> np.ndarray:
    """Zebrafish: bursts of three frames, between which they glide and slow down."""
    speed = np.zeros((400, 8))
    for frame in range(400):
        start = random.random(8) < 0.04
        speed[frame] = np.where(start, random.uniform(10, 30, 8), 0.8 * speed[frame - 1])
    angle = random.uniform(0, 6.28, 8) + 0.2 * random.normal(size=(400, 8)).cumsum(axis=0)
    return 500 + (speed[..., None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)).cumsum(axis=0)


@pytest.mark.parametrize("made", [ants, bursts, dust, gaps, pixels, still, turtles])
@pytest.mark.parametrize("seed", range(5))
def test_ordinary_tracks_have_none(made, seed: int) -> None:
    """What animals do is no jump."""
    place = made(np.random.default_rng(seed))
    assert not notices_of(place, at_zero=(place == 0).all(axis=-1))


@pytest.mark.parametrize("frames", [5, 9, 200])
@pytest.mark.parametrize("animals", [1, 2, 12])
@pytest.mark.parametrize("lasting", [1, 2, 10])
@pytest.mark.parametrize("far", [100, 900])
def test_jumps_are_named(frames: int, animals: int, lasting: int, far: float) -> None:
    """An animal that is far away for some frames is named, with the frame, the step and what is usual."""
    first = frames // 2
    if first + lasting >= frames:
        pytest.skip("does not come back")
    place = walk(frames, animals)
    place[first : first + lasting, 0] += far
    (told,) = notices_of(place)
    step = np.linalg.norm(np.diff(place[:, 0], axis=0), axis=-1)
    worst = int(step.argmax())
    assert f"animal a0 moves {float(f'{step[worst]:.3g}'):g} from frame {worst} to {worst + 1}" in told
    assert f"its median step is {np.median(step):.3g};" in told
    assert "world.boundary" not in told or lasting == 10  # where an animal is on two sides, it may have gone round


def test_the_speed_that_is_proposed_leaves_out_the_jumps_alone(tmp_path: Path) -> None:
    """With the option as the notice has it, what was far away is missing, all else is there, and the world is small."""
    place = walk(100, 5)
    wrong = np.zeros(place.shape[:2], np.bool_)
    for frame, animal in ((0, 0), (40, 0), (41, 0), (42, 0), (60, 3), (99, 4), (98, 4)):
        wrong[frame, animal] = True
    place[wrong] += 5000
    table = [(frame, animal, *place[frame, animal]) for frame in range(100) for animal in range(5)]
    pd.DataFrame(table, columns=["frame", "id", "x", "y"]).to_csv(tmp_path / "fish.csv", index=False)
    form, to = LONG._replace(origin=()), str(tmp_path / "fish.npz")
    _, notices = record_tracks([str(tmp_path / "fish.csv")], to, form)
    speed = float(notices[0].partition("--max-speed ")[2].split()[0])
    scenario, notices = record_tracks([str(tmp_path / "fish.csv")], to, form._replace(max_speed=speed))
    assert notices[0].endswith(f"leaves out {wrong.sum()} of 500 positions")
    assert not any("animal" in notice for notice in notices)
    assert max(scenario.world.size) < 1000
    states = list(SavedRun(Path(to), draft(find(to)).scenario()))
    there = np.zeros_like(wrong)
    for state in states:
        there[state.frame, state.flocks[0].members] = True
    assert np.array_equal(there, ~wrong)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("boundary", ["open", "torus"])
def test_no_kept_step_is_faster(seed: int, boundary: str) -> None:
    """Whatever the tracks, no animal moves faster than the option allows, and the longest part of a track stays."""
    random = np.random.default_rng(seed)
    world = World(size=(100.0, 80.0), boundary=boundary)
    place = random.uniform(0, 1, (60, 5, 2)) * world.extent
    place[10:40] = place[10] + 2 * random.random((30, 5, 2)).cumsum(axis=0)
    place[random.random((60, 5)) < 0.2] = np.nan
    fastest = random.uniform(3, 20)
    kept = within_speed(place, fastest, world)
    for animal in range(5):
        seen = np.flatnonzero(np.isfinite(place[:, animal, 0]))
        assert {*np.flatnonzero(kept[:, animal])} <= {*seen}
        for before, after in pairwise(np.flatnonzero(kept[:, animal])):
            apart = world.shortest(place[after, animal] - place[before, animal])
            assert np.linalg.norm(apart) <= fastest * (after - before) * (1 + 1e-12)
        assert kept[[at for at in seen if 10 <= at < 40], animal].all()


def test_all_positions_of_slow_tracks_are_kept() -> None:
    """Tracks without a faster step stay as they are."""
    place = walk(50, 5)
    assert within_speed(place, 4.001, OPEN).all()


@pytest.mark.parametrize("share", [0.05, 0.5])
@pytest.mark.parametrize("spell", [1, 20])
def test_zeros_for_missing_animals_are_reported(share: float, spell: int, tmp_path: Path) -> None:
    """Where a program writes 0, 0 for a missing animal, a notice says so, and its option leaves out just these."""
    random, place = np.random.default_rng(5), walk(200, 4)
    gone = (random.random((200 // spell, 4)) < share).repeat(spell, axis=0)
    gone[0, 0], gone[1:3, 0] = True, False
    gone[10:12, 1] = True
    place[gone] = 0
    table = [(frame, animal, *place[frame, animal]) for frame in range(200) for animal in range(4)]
    pd.DataFrame(table, columns=["frame", "id", "x", "y"]).to_csv(tmp_path / "fish.csv", index=False)
    _, notices = record_tracks([str(tmp_path / "fish.csv")], str(tmp_path / "fish.npz"), LONG)
    assert notices[0].startswith(f"{gone.sum()} positions are exactly at zero")
    assert "--min x=1" in notices[0]
    assert not any("animal 0" in notice or "animal 1" in notice for notice in notices)
    form = LONG._replace(minimum=("x=1",))
    _, notices = record_tracks([str(tmp_path / "fish.csv")], str(tmp_path / "fish.npz"), form)
    assert notices[0].endswith(f"--min x=1 leaves out {gone.sum()} of 800 positions")
    assert not any("exactly at zero" in notice or "moves" in notice for notice in notices)


def dlc(likelihood: list[float | str], column: str = "likelihood") -> str:
    lines = ["scorer,net,net,net", "bodyparts,snout,snout,snout", f"coords,x,y,{column}"]
    return "\n".join([*lines, *(f"{at},{50 + 2 * at},{100 + at},{one}" for at, one in enumerate(likelihood))])


def sleap(likelihood: list[float | str]) -> str:
    lines = ["track,frame_idx,instance.score,nose.x,nose.y,nose.score,tail.x,tail.y,tail.score"]
    return "\n".join([*lines, *(f"a,{at},0.9,{50 + at},{at},{one},1,1,0.1" for at, one in enumerate(likelihood))])


def write_movement(path: Path, likelihood: list[float | str]) -> None:
    xarray = pytest.importorskip("xarray")
    values = np.array([[[50.0 + 2 * at], [100.0 + at]] for at in range(len(likelihood))])
    sure = np.array([[float(one or "nan")] for one in likelihood])
    coords = {"time": np.arange(len(likelihood)) / 30, "space": ["x", "y"], "individual": ["a"]}
    each = {"position": (("time", "space", "individual"), values), "confidence": (("time", "individual"), sure)}
    xarray.Dataset(each, coords).to_netcdf(path, engine="h5netcdf")


SCORED = {
    "deeplabcut": ("likelihood", TrackFormat(30.0, source="deeplabcut")),
    "sleap": ("nose.score", TrackFormat(30.0, ("frame=frame_idx", "id=track", "x=nose.x", "y=nose.y"), y_down=True)),
    "movement": ("confidence", TrackFormat(30.0, source="movement")),
    "parquet": ("p.score", TrackFormat(30.0, ("frame=frame", "id=id", "x=p.x", "y=p.y"))),
    "wide": ("", TrackFormat(30.0, ("x=x*", "y=y*"))),
}


def scored(kind: str, likelihood: list[float | str], folder: Path) -> str:
    path = folder / f"{kind}.{'nc' if kind == 'movement' else 'parquet' if kind == 'parquet' else 'csv'}"
    if kind == "movement":
        write_movement(path, likelihood)
    elif kind == "parquet":
        at = np.arange(len(likelihood))
        values = [None if one == "" else float(one) for one in likelihood]
        pd.DataFrame({"frame": at, "id": "a", "p.x": 2.0 * at, "p.y": 1.0 * at, "p.score": values}).to_parquet(path)
    elif kind == "wide":
        rows = [f"{2 * at},{at},{one},{3 * at},{at},0.9" for at, one in enumerate(likelihood)]
        path.write_text("\n".join(["x1,y1,p1,x2,y2,p2", *rows]))
    else:
        path.write_text((sleap if kind == "sleap" else dlc)(likelihood))
    return str(path)


@pytest.mark.parametrize("kind", SCORED)
def test_likelihoods_leave_out_positions(kind: str, tmp_path: Path) -> None:
    """Positions with a lower value are missing, and filled where that is asked; an empty one is not lower."""
    likelihood = [0.9, 0.99, "", 0.59, 0.6, 0.1, 0.05, 0.99, 0.99]
    path, (column, form) = scored(kind, likelihood, tmp_path), SCORED[kind]
    asked = form._replace(minimum=(f"{column or 'p*'}=0.6",), fill=1)
    record_tracks([path], str(tmp_path / "out.npz"), asked)
    states = list(SavedRun(tmp_path / "out.npz", draft(find(tmp_path / "out.npz")).scenario()))
    first = [
        0 in (state.flocks[0].members if kind == "wide" else range(len(state.flocks[0].position))) for state in states
    ]
    assert first == [True] * 5 + [False] * 2 + [True] * 2


@pytest.mark.parametrize("kind", [kind for kind in SCORED if kind != "wide"])
@pytest.mark.parametrize("low", [0, 2])
def test_low_likelihoods_that_nothing_uses_are_reported(kind: str, low: int, tmp_path: Path) -> None:
    """A notice names the column, the number of rows and the option, where a likelihood is low, and only there."""
    path, (column, form) = scored(kind, [0.9] * (9 - low) + [0.3] * low, tmp_path), SCORED[kind]
    _, notices = record_tracks([path], str(tmp_path / "out.npz"), form)
    told = [notice for notice in notices if "is below" in notice]
    assert len(told) == bool(low)
    assert not low or f"{column} is below 0.6 in 2 of 9 rows; --min {column}=0.6 leaves them out" in told[0]
    _, notices = record_tracks([path], str(tmp_path / "out.npz"), form._replace(minimum=(f"{column}=0.2",)))
    assert not any("is below" in notice for notice in notices)


@pytest.mark.parametrize(
    "options", [("--min", "likelihood=0.6", "--fill", "1"), ("--max-speed", "1000", "--fill", "1")]
)
def test_a_point_of_low_likelihood_changes_nothing(options: tuple[str, ...], tmp_path: Path, monkeypatch) -> None:
    """One wrong point is filled, by the command and by Python, and recordings say how they were read."""
    monkeypatch.chdir(tmp_path)
    Path("pose.csv").write_text(dlc([0.99] * 3 + [0.01] + [0.99] * 3).replace("\n3,56,103", "\n3,900,900"))
    assert run(["tracks", "pose.csv", "--source", "deeplabcut", "--fps", "30", "-o", "a.npz", *options]) == 0
    same = {"minimum": {"likelihood": 0.6}} if "--min" in options else {"max_speed": 1000.0}
    boidsgen.tracks("pose.csv", "b.npz", source="deeplabcut", fps=30.0, fill=1, **same)
    for name in ("a.npz", "b.npz"):
        scenario = draft(find(name)).scenario()
        places = [state.flocks[0].position[0] for state in SavedRun(Path(name), scenario)]
        assert np.allclose(np.diff(places, axis=0), (2, -1), rtol=0, atol=1e-9)
        assert boidsgen.measure(name)["mean_speed"] == pytest.approx(30 * 5**0.5)
        told = " ".join(options[:2]).replace("1000", "1000.0")
        assert scenario.tracks.options == ("--fps 30.0", "--source deeplabcut", told, "--fill 1")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"minimum": ("likelihood",)}, "--min likelihood: must look like COLUMN=NUMBER"),
        ({"minimum": ("=3",)}, "must look like COLUMN=NUMBER"),
        ({"minimum": ("likelihood=high",)}, "must look like COLUMN=NUMBER"),
        ({"minimum": ("likelihood=nan",)}, "must look like COLUMN=NUMBER"),
        ({"max_speed": 0.0}, "--max-speed 0: must be above 0"),
        ({"max_speed": float("nan")}, "--max-speed nan: must be above 0"),
    ],
)
def test_bounds_that_are_none_are_refused(form: dict[str, object], said: str, tmp_path: Path) -> None:
    """A bound that is no number is an error of the option."""
    with pytest.raises(UsageError, match=said):
        record_tracks(["none.csv"], str(tmp_path / "out.npz"), LONG._replace(**form))
