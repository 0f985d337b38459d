"""Tracks of real animals become recordings that are measured, drawn and compared as simulated ones are."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boidsgen import simulate
from boidsgen.cli.main import run
from boidsgen.comparison import comparison_of
from boidsgen.errors import BoidsgenError, ScenarioError, UsageError
from boidsgen.measuring import Measured
from boidsgen.observations.track_tables import SOURCES, track_rows, with_columns
from boidsgen.observations.tracks import record_tracks
from boidsgen.output.recording import SavedRun
from boidsgen.pipeline import RunOptions, still
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import find
from boidsgen.studies.requests import TrackFormat

LONG = TrackFormat(25.0, ("frame", "id", "x", "y"))
ANIMALS, FRAMES = 12, 40


@pytest.fixture(scope="module")
def fish() -> pd.DataFrame:
    """Simulated fish of which one position in ten was missed, one after the other in no order."""
    generator, rows = np.random.default_rng(7), []
    for state in simulate("quickstart", frames=FRAMES, flock__count=ANIMALS, world__boundary="reflect"):
        for animal, (x, y) in enumerate(state.flocks[0].position):
            rows.append((state.frame + 100, f"fish {animal}", x, y))
    kept = generator.permutation(len(rows))[len(rows) // 10 :]
    return pd.DataFrame([rows[number] for number in kept], columns=["frame", "id", "x", "y"])


def grid(table: pd.DataFrame) -> np.ndarray:
    """Positions by frame and animal, nan where one is missing, in an order of their own."""
    names = sorted(set(table["id"]))
    place = np.full((FRAMES, len(names), 2), np.nan)
    for frame, animal, x, y in table.itertuples(index=False):
        place[frame - 100, names.index(animal)] = x, y
    return place


def states_of(path: Path):
    scenario = draft(find(path)).scenario()
    return scenario, list(SavedRun(path, scenario))


def test_a_recording_of_tracks_has_the_positions_of_the_table_and_central_differences(
    fish: pd.DataFrame, tmp_path: Path
) -> None:
    """Positions and velocities are those of the definitions, computed one by one, and nobody is put into a gap."""
    fish.to_csv(tmp_path / "fish.csv", index=False)
    record_tracks([str(tmp_path / "fish.csv")], str(tmp_path / "fish.npz"), LONG._replace(origin=(0.0, 0.0)))
    place = grid(fish)
    _, states = states_of(tmp_path / "fish.npz")
    for t, state in enumerate(states):
        expected = []
        for animal in range(ANIMALS):
            here = place[t, animal]
            near = [s for s in (t - 1, t + 1) if 0 <= s < FRAMES and not np.isnan(place[s, animal, 0])]
            if np.isnan(here[0]) or not near:
                continue
            ends = [place[s, animal] for s in near] if len(near) == 2 else sorted_in_time(place, t, near[0], animal)
            expected.append((*here, *(25.0 * (ends[1] - ends[0]) / len(near))))
        group = state.flocks[0]
        found = np.column_stack([group.position, group.velocity])
        assert np.allclose(sorted(map(tuple, found)), sorted(expected), rtol=0, atol=1e-9)


def sorted_in_time(place: np.ndarray, t: int, other: int, animal: int) -> list[np.ndarray]:
    return [place[s, animal] for s in sorted((t, other))]


def test_measures_of_tracks_equal_their_definitions(fish: pd.DataFrame, tmp_path: Path) -> None:
    """Polarization, mean speed and distance of the nearest neighbor agree with plain numpy to 1e-12."""
    fish.to_csv(tmp_path / "fish.csv", index=False)
    record_tracks([str(tmp_path / "fish.csv")], str(tmp_path / "fish.npz"), LONG)
    scenario, states = states_of(tmp_path / "fish.npz")
    for row, state in zip(Measured(scenario, {0: states}).series(), states, strict=True):
        position, velocity = state.flocks[0].position, state.flocks[0].velocity
        speed = np.hypot(*velocity.T)
        between = np.hypot(*(position[:, None] - position[None]).T)
        np.fill_diagonal(between, np.inf)
        assert row["polarization"] == pytest.approx(np.hypot(*(velocity / speed[:, None]).mean(0)), abs=1e-12)
        assert row["mean_speed"] == pytest.approx(speed.mean(), rel=1e-12)
        assert row["nearest_neighbor_distance"] == pytest.approx(between.min(0).mean(), rel=1e-12)


def test_every_layout_gives_the_same_animals(fish: pd.DataFrame, tmp_path: Path) -> None:
    """Long tables, wide ones and a file for each animal are read alike, with columns by their places or their roles."""
    wide = fish.pivot_table(index="frame", columns="id", values=["x", "y"])
    wide = wide.reindex(range(100, 100 + FRAMES))
    numbered = pd.DataFrame({f"{axis}{name}": wide[axis][name] for name in sorted(set(fish["id"])) for axis in "xy"})
    numbered.to_csv(tmp_path / "wide.csv", index=False)
    fish.assign(pos=[f"({x}, {y})" for x, y in zip(fish["x"], fish["y"], strict=True)]).to_csv(
        tmp_path / "long.csv", index=False
    )
    fish.assign(seconds=fish["frame"] / 25).to_csv(tmp_path / "long.tsv", index=False, sep="\t")
    fish.to_parquet(tmp_path / "long.parquet")
    single = []
    for name, part in fish.groupby("id"):
        single.append(str(tmp_path / f"{name}.csv"))
        part.rename(columns={"x": "X (cm)", "y": "Y (cm)"}).to_csv(single[-1], index=False)
    layouts = {
        "frame,id,x,y": "long.csv",
        "x=pos[0],y=pos[1],id=id,frame=frame": "long.csv",
        "time=seconds,id=id,x=x,y=y": "long.tsv",
        "y=y,x=x,id=id,frame=frame": "long.parquet",
        "-,*,x*,y*": "wide.csv",
        "x=x*,y=y*": "wide.csv",
        "frame,-,X (cm),Y (cm)": single,
    }
    found = {}
    for columns, name in layouts.items():
        files = name if isinstance(name, list) else [str(tmp_path / name)]
        record_tracks(files, str(tmp_path / "out.npz"), LONG._replace(columns=tuple(columns.split(","))))
        found[columns] = states_of(tmp_path / "out.npz")[1]
    for columns, states in found.items():
        for state, expected in zip(states, found["frame,id,x,y"], strict=True):
            ours, theirs = (one.flocks[0].position[one.flocks[0].position[:, 0].argsort()] for one in (state, expected))
            assert np.allclose(ours, theirs, rtol=0, atol=1e-9), columns


TABLES = Path(__file__).parent / "tracks"
GIVEN = {"deeplabcut": ("bodyparts=snout",), "netlogo": ("[run number]=1",)}  # what else the file holds is left out
SPECIES = {"agents.jl", "flamegpu", "mesa", "netlogo"}


def files_of(source: str) -> list[str]:
    return sorted(str(path) for path in TABLES.glob(f"{source}[._]*"))


@pytest.mark.parametrize("source", SOURCES)
def test_the_tables_of_other_programs_are_read_without_naming_columns(source: str, tmp_path: Path) -> None:
    """Each program's own layout gives the same three animals, of which one is born late and one dies, in two flocks."""
    truth = pd.read_csv(TABLES / "truth.csv")
    down = SOURCES[source].get("y_down", False)
    form = TrackFormat(25.0, source=source, only=GIVEN.get(source, ()), origin=(0.0, 100.0 * down))
    scenario, notices = record_tracks(files_of(source), str(tmp_path / "out.npz"), form)
    _, states = states_of(tmp_path / "out.npz")
    for frame, state in enumerate(states):
        expected = truth[truth["frame"] == frame][["x", "y"]].to_numpy()
        expected[:, 1] = 100.0 - expected[:, 1] if down else expected[:, 1]
        found = np.concatenate([group.position for group in state.flocks])
        assert np.allclose(sorted(map(tuple, found)), sorted(map(tuple, expected)), rtol=0, atol=1e-9)
    assert [flock.count for flock in scenario.flock] == ([2, 1] if source in SPECIES else [3])
    assert len(notices) == (2 if source == "movebank" else 0)  # about dates and places
    assert f"`--source {source}`" in (Path(__file__).parents[2] / "docs/how-to/tracks.md").read_text("utf-8")


def test_headings_and_velocities_of_a_table_win_over_those_of_its_positions(tmp_path: Path) -> None:
    """Velocities are as given; headings turn velocities without changing their lengths, by compass or by angle."""
    generator, t = np.random.default_rng(2), np.arange(30)
    table = pd.DataFrame({"t": t, "who": "a", "x": 3.0 * t, "y": 0.0 * t, "north": 360 * generator.random(30)})
    table["angle"] = np.radians(90 - table["north"])
    table["vx"], table["vy"] = 60 * np.cos(table["angle"]), 60 * np.sin(table["angle"])
    table.to_csv(tmp_path / "one.csv", index=False)
    named = ("frame=t", "id=who", "x=x", "y=y")
    for more in (("heading=north",), ("angle=angle",), ("vx=vx", "vy=vy")):
        record_tracks([str(tmp_path / "one.csv")], str(tmp_path / "one.npz"), TrackFormat(25.0, (*named, *more)))
        velocity = np.concatenate([state.flocks[0].velocity for state in states_of(tmp_path / "one.npz")[1]])
        length = 60.0 if "vx=vx" in more else 75.0
        assert np.allclose(velocity, table[["vx", "vy"]].to_numpy() * length / 60, rtol=0, atol=1e-9)


def test_smoothing_is_a_parabola_through_the_window(fish: pd.DataFrame, tmp_path: Path) -> None:
    """Smoothed positions and velocities are those of numpy's least-squares parabola, gaps and ends included."""
    fish.to_csv(tmp_path / "fish.csv", index=False)
    form = LONG._replace(origin=(0.0, 0.0), smooth=7)
    record_tracks([str(tmp_path / "fish.csv")], str(tmp_path / "fish.npz"), form)
    place = grid(fish)
    for t, state in enumerate(states_of(tmp_path / "fish.npz")[1]):
        expected = []
        for animal in range(ANIMALS):
            window = np.arange(max(0, t - 3), min(FRAMES, t + 4))
            window = window[~np.isnan(place[window, animal, 0])]
            if not np.isnan(place[t, animal, 0]) and len(window) >= 3:
                fit = np.polynomial.polynomial.polyfit(window - t, place[window, animal], 2)
                expected.append((*fit[0], *(25.0 * fit[1])))
        found = np.column_stack([state.flocks[0].position, state.flocks[0].velocity])
        assert np.allclose(sorted(map(tuple, found)), sorted(expected), rtol=0, atol=1e-7)


def test_gaps_are_filled_along_straight_lines_and_only_as_far_as_allowed(tmp_path: Path) -> None:
    """A gap of two frames is filled where two are allowed; one of three stays, with identities on both sides of it."""
    seen = [0, 1, 4, 5, 9, 10]
    pd.DataFrame({"frame": seen, "id": 7, "x": [10.0 * t for t in seen], "y": 5.0}).to_csv(
        tmp_path / "one.csv", index=False
    )
    form = LONG._replace(origin=(0.0, 0.0), fill=2)
    _, notices = record_tracks([str(tmp_path / "one.csv")], str(tmp_path / "one.npz"), form)
    places = [state.flocks[0].position[:, 0].tolist() for state in states_of(tmp_path / "one.npz")[1]]
    assert places == [[10.0 * t] if t not in {6, 7, 8} else [] for t in range(11)]
    assert "5 of 11 positions are missing, 2 of them filled" in notices[0]


@pytest.mark.parametrize("text", ["", "frame,id,x,y\n0,a,1,2,3,4\n0,a,1,2,3\n"], ids=["nothing", "too much"])
def test_what_is_no_table_is_refused(text: str, tmp_path: Path) -> None:
    """What pandas cannot read is an error that names the file, and nothing is written; the others are golden."""
    (tmp_path / "fish.csv").write_text(text)
    with pytest.raises(BoidsgenError, match=r"fish\.csv: "):
        record_tracks([str(tmp_path / "fish.csv")], str(tmp_path / "fish.npz"), LONG)
    assert not (tmp_path / "fish.npz").exists()


def test_nothing_claims_a_scenario_that_did_not_make_it(fish: pd.DataFrame, tmp_path: Path) -> None:
    """Pictures of tracks name their files, and neither they nor the recording can be simulated or replayed."""
    fish.to_csv(tmp_path / "fish.csv", index=False)
    recording, picture = tmp_path / "fish.npz", tmp_path / "fish.png"
    given = [Override("style.trails", 5, "--set")]
    record_tracks([str(tmp_path / "fish.csv")], str(recording), LONG, given)
    scenario, states = states_of(recording)
    still(scenario, picture, options=RunOptions(states=states))
    assert draft(find(picture)).scenario().tracks.files == ("fish.csv",)
    with pytest.raises(ScenarioError, match="observed"):
        next(simulate(scenario))
    assert run(["replay", str(picture), "-o", str(tmp_path / "again.png")]) == ScenarioError.exit_code
    assert run(["measure", str(recording), "-o", str(tmp_path / "fish-series.csv")]) == 0


def test_recordings_stand_beside_simulations(fish: pd.DataFrame, tmp_path: Path) -> None:
    """A comparison shows the states of a recording and simulates the others."""
    fish.to_csv(tmp_path / "fish.csv", index=False)
    record_tracks([str(tmp_path / "fish.csv")], str(tmp_path / "fish.npz"), LONG)
    both = comparison_of([find(str(tmp_path / "fish.npz")), find("quickstart")], [Override("style.theme", "paper", "")])
    first, second = (next(iter(both.states(number, "numpy"))) for number in (0, 1))
    assert len(first.flocks[0].position) <= ANIMALS < len(second.flocks[0].position)
    with pytest.raises((ScenarioError, UsageError), match="finished run"):
        comparison_of([find(str(tmp_path / "fish.npz"))], [Override("flock.count", 3, "--set flock.count=3")])


def _external(file, _):
    file.create_dataset("position", (5, 2, 3), "u1", external=[("secret", 0, 30)])


def _virtual(file, h5py):
    layout = h5py.VirtualLayout((5, 2, 3), "f8")
    layout[:] = h5py.VirtualSource(".", "position", (5, 2, 3))
    file.create_virtual_dataset("position", layout)


def _linked(file, h5py):
    file["position"] = h5py.ExternalLink("other.h5", "/position")


def _soft(file, h5py):
    file["position"] = h5py.SoftLink("/position")


def _of_a_plugin(file, _):
    packed = {"compression": 32001, "compression_opts": (1,), "allow_unknown_filter": True}
    file.create_dataset("position", (5, 2, 3), "f8", chunks=(5, 2, 3), **packed)


def _time_from_elsewhere(file, _):
    del file["time"]
    file.create_dataset("time", (5,), "f8", external=[("secret", 0, 40)]).make_scale("time")


def _one_huge_chunk(file, _):
    file.create_dataset("position", (5, 2, 3), "f4", chunks=(20_000, 2, 20_000), maxshape=(None,) * 3, compression=1)


ELSEWHERE = {
    _external: "another place",
    _virtual: "another place",
    _linked: "another place",
    _soft: "another place",
    _of_a_plugin: "a plugin",
    _time_from_elsewhere: "another place",
    _one_huge_chunk: "bytes requested",
}


@pytest.mark.parametrize("made", ELSEWHERE, ids=lambda made: made.__name__)
def test_a_library_opens_nothing_by_itself(made, tmp_path, monkeypatch):
    """A dataset that HDF5 would fetch from another file or unpack by a plugin is refused, at the top or deep below."""
    h5py, xarray = pytest.importorskip("h5py"), pytest.importorskip("xarray")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_bytes(b"root:x:0:0:" * 9)
    places = {"time": np.arange(5.0), "space": ["x", "y"], "individual": ["a", "b", "c"]}
    position = xarray.DataArray(np.zeros((5, 2, 3)), places, tuple(places), "position")
    position.to_netcdf("plain.nc", engine="h5netcdf")
    for place in ("/", "deep/below"):
        shutil.copy("plain.nc", "t.nc")
        with h5py.File("t.nc", "r+") as file:
            if place == "/" and made is not _time_from_elsewhere:
                del file["position"]
            inner = file.require_group(place)
            if made is _time_from_elsewhere and place != "/":
                inner["time"] = file["time"]
            made(inner, h5py)
        with pytest.raises(BoidsgenError, match=rf"^t\.nc: .*{ELSEWHERE[made]}"):
            track_rows(Path("t.nc").read_bytes(), "t.nc", with_columns(TrackFormat(source="movement", fps=1.0)))
    assert len(
        track_rows(Path("plain.nc").read_bytes(), "plain.nc", with_columns(TrackFormat(source="movement", fps=1.0)))
    )


@pytest.mark.parametrize("kind", ["ref_dtype", "regionref_dtype"])
def test_references_are_no_positions(kind, tmp_path, monkeypatch):
    """A reference to another object of the file is followed nowhere; it is no number."""
    h5py = pytest.importorskip("h5py")
    monkeypatch.chdir(tmp_path)
    places = {"time": np.arange(5.0), "space": ["x", "y"], "individual": ["a", "b", "c"]}
    xarray = pytest.importorskip("xarray")
    xarray.DataArray(np.zeros((5, 2, 3)), places, tuple(places), "position").to_netcdf("t.nc", engine="h5netcdf")
    with h5py.File("t.nc", "r+") as file:
        del file["position"]
        position, time = file.create_dataset("position", (5, 2, 3), getattr(h5py, kind)), file["time"]
        position[...] = time.ref if kind == "ref_dtype" else time.regionref[:2]
        for number, name in enumerate(places):
            position.dims[number].attach_scale(file[name])
    with pytest.raises(ScenarioError, match=r"^t\.nc: row 1: x must be a number .*, not <HDF5 (object|region) refer"):
        track_rows(Path("t.nc").read_bytes(), "t.nc", with_columns(TrackFormat(source="movement", fps=1.0)))
