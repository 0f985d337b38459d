"""Saved runs: every bit comes back, other programs can read them, files from elsewhere are data."""

import csv
import io
from io import BytesIO
from zipfile import ZipFile

import h5py
import numpy as np
import pandas as pd
import pytest
import xarray
from pyarrow.parquet import read_schema

from boidsgen import load_scenario, render
from boidsgen.comparison import strip
from boidsgen.errors import LimitError, OutputExistsError, ScenarioError, UsageError
from boidsgen.output.formats import origin
from boidsgen.output.recording import TRAJECTORY_WRITERS, SavedRun
from boidsgen.pipeline import RunOptions, record, still
from boidsgen.replays import original
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.run import simulate
from tests.systems import WINDOWS


def small(**document):
    table = {
        "seed": 3,
        "world": {"size": (64.0, 48.0)},
        "time": {"frames": 6, "steps_per_frame": 2, "warmup": 1, "dt": 0.5},
        "flock": ({"count": 5, "name": "star lings"}, {"count": 2}),
        "predators": ({"count": 2, "name": "hawk", "from": 2, "until": 4},),
        "style": {"trails": 2, "color_by": "speed"},
        **document,
    }
    return Scenario.model_validate(table)


@pytest.fixture
def saved(tmp_path):
    record(small(), tmp_path / "run.npz")
    return tmp_path / "run.npz"


def same(one, other):
    assert (one.step, one.time, one.frame) == (other.step, other.time, other.frame)
    for a, b in zip((*one.flocks, *one.predators), (*other.flocks, *other.predators), strict=True):
        assert (a.name, a.position.flags.writeable) == (b.name, False)
        assert np.array_equal(a.position, b.position)
        assert np.array_equal(a.velocity, b.velocity)


@pytest.mark.parametrize("size", [(64.0, 48.0), (64.0, 48.0, 32.0)])
@pytest.mark.parametrize("compressed", [False, True])
def test_states_come_back_bit_by_bit(size, compressed, tmp_path):
    """Saved states are those simulated, predators that come and go included; numpy may have compressed them since."""
    scenario = small(world={"size": size})
    record(scenario, tmp_path / "run.npz")
    if compressed:
        with np.load(tmp_path / "run.npz") as run:
            np.savez_compressed(tmp_path / "run.npz", **{key: run[key] for key in run.files})

    saved = SavedRun(tmp_path / "run.npz", scenario)
    for before, after in zip(simulate(scenario), saved, strict=True):
        same(after, before)
    assert saved.doubt == ""


def test_numpy_reads_it(saved):
    """The arrays have the documented names and shapes, and need no pickle."""
    with np.load(saved, allow_pickle=False) as run:
        assert run["flock.0.position"].shape == (6, 5, 2)
        assert run["flock.1.velocity"].shape == (6, 2, 2)
        assert run["step"].tolist() == [1, 3, 5, 7, 9, 11]
        assert run["time"].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
        assert np.isnan(run["predators.0.position"]).all(axis=(1, 2)).tolist() == [True, True, False, False, True, True]
        assert "seed = 3" in str(run["scenario"])


def test_csv_has_a_line_for_each_animal(tmp_path):
    """Numbers keep all their digits; an animal that is absent has no line."""
    record(small(), tmp_path / "run.csv")

    rows = list(csv.DictReader(io.StringIO((tmp_path / "run.csv").read_text())))
    assert list(rows[0]) == ["frame", "time", "kind", "group", "number", "x", "y", "vx", "vy"]
    assert len(rows) == 6 * 7 + 2 * 2
    first = next(simulate(small())).flocks[0]
    assert [float(rows[4][name]) for name in ("x", "y", "vx", "vy")] == [*first.position[4], *first.velocity[4]]
    assert {row["frame"] for row in rows if row["kind"] == "predator"} == {"2", "3"}


def test_other_programs_read_what_was_simulated(tmp_path):
    """Pandas and xarray find the positions of the simulation."""
    for kind in ("parquet", "nc"):
        record(small(), tmp_path / f"run.{kind}")
    states = list(simulate(small()))
    table = pd.read_parquet(tmp_path / "run.parquet")
    told = {one.name: one.metadata[b"units"].decode() for one in read_schema(tmp_path / "run.parquet") if one.metadata}
    assert told == {
        "time": "units of time",
        **dict.fromkeys(("x", "y"), "world units"),
        **dict.fromkeys(("vx", "vy"), "world units per unit of time"),
    }
    dataset = xarray.open_dataset(tmp_path / "run.nc", engine="h5netcdf")
    assert dataset["flock.0.position"].sel(axis="y").equals(dataset["flock.0.position"][..., 1])
    assert dataset["axis"].to_numpy().tolist() == ["x", "y"]
    assert {name: dataset[name].attrs["units"] for name in ("axis", "time", "frame", "flock.0.velocity")} == {
        "axis": "world units",
        "time": "units of time",
        "frame": "1",
        "flock.0.velocity": "world units per unit of time",
    }
    assert set(dataset["flock.0.position"].coords) == {"axis", "frame", "time"}
    for number, state in enumerate(states):
        groups = (*state.flocks, *state.predators)
        places = np.concatenate([group.position for group in groups])
        rows = table[table["frame"] == number]
        assert np.array_equal(rows[["x", "y"]], places)
        assert np.array_equal(rows[["vx", "vy"]], np.concatenate([group.velocity for group in groups]))
        assert np.array_equal(dataset["flock.0.position"][number], state.flocks[0].position)
        assert np.isnan(dataset["predators.0.position"][number]).all() == (not len(state.predators[0].position))


def test_a_thinned_run_holds_the_frames_that_were_kept(tmp_path):
    """With a first frame, a step and float32, exactly those frames come back, rounded, and the recording says so."""
    record(small(), tmp_path / "run.npz", first=1, every=2, float32=True)
    saved = SavedRun(tmp_path / "run.npz", small())
    for found, state in zip(saved, list(simulate(small()))[1::2], strict=True):
        assert (found.frame, found.step, found.time) == (state.frame, state.step, state.time)
        assert np.array_equal(found.flocks[0].position, state.flocks[0].position.astype(np.float32))
    assert "rounded" in saved.doubt
    with pytest.raises(UsageError, match="has 3 frames, the scenario 6"):
        render(small(), tmp_path / "run.gif", states=saved)


def test_nothing_limits_pixels_that_are_not_drawn(tmp_path):
    """A world larger than any picture is simulated, but not rendered."""
    scenario = small(world={"size": (20000.0, 20000.0)})
    record(scenario, tmp_path / "run.npz")
    with pytest.raises(LimitError, match="pixels requested"):
        render(scenario, tmp_path / "run.gif")


@pytest.mark.parametrize("kind", TRAJECTORY_WRITERS)
def test_saved_whole_or_not_at_all(kind, tmp_path, monkeypatch):
    """If a run fails, or the file exists and must stay, nothing has changed; equal runs give equal files."""
    path = tmp_path / f"run.{kind}"
    record(small(), path)
    old = path.read_bytes()

    def failing(*_):
        yield from list(simulate(small()))[:2]
        raise MemoryError

    with pytest.raises(OutputExistsError):
        record(small(), path, options=RunOptions(no_clobber=True))
    monkeypatch.setattr("boidsgen.pipeline.simulate", failing)
    with pytest.raises(MemoryError):
        record(small(), path)
    monkeypatch.undo()
    assert path.read_bytes() == old
    monkeypatch.setattr("sys.platform", "linux" if WINDOWS else "win32")  # zipfile would store another system
    record(small(), path)
    assert path.read_bytes() == old
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_no_time_of_day_is_in_a_file(tmp_path):
    """Equal runs give equal files, a second later, too: HDF5 keeps of no object when it was made."""
    record(small(), tmp_path / "run.nc")
    with h5py.File(tmp_path / "run.nc") as file:
        names = [".", *file]
        made = {name: h5py.h5o.get_info(file.id, name.encode()).mtime for name in names}

    assert made == dict.fromkeys(names, 0)


WRONG = {
    "missing": (None, "There is no item"),
    "shape": (np.zeros((6, 4, 2)), "must be float64 of shape"),
    "kind": (np.zeros((6, 5, 2), np.int64), "must be float64 of shape"),
    "order": (np.asfortranarray(np.random.default_rng(0).random((6, 5, 2))), "must be float64 of shape"),
    "objects": (np.full((6, 5, 2), None), "must be float64 of shape"),
    "nan": (np.full((6, 5, 2), np.nan), "not finite in frame 0"),
    "infinite": (np.full((6, 5, 2), np.inf), "not finite in frame 0"),
}


@pytest.mark.parametrize(("array", "message"), WRONG.values(), ids=WRONG)
def test_arrays_from_elsewhere_are_checked(array, message, saved):
    """An array that does not fit its scenario is an error, and is never unpickled."""
    with np.load(saved) as run:
        arrays = {key: run[key] for key in run.files if key != "flock.0.position"}
    np.savez(saved, **arrays, **({} if array is None else {"flock.0.position": array}))

    with pytest.raises(ScenarioError, match=message):
        list(SavedRun(saved, small()))


def tampered(saved, change):
    """Save the arrays of a run again, as numpy does it, after a change."""
    with np.load(saved) as run:
        arrays = {key: run[key] for key in run.files}
    change(arrays)
    np.savez(saved, **arrays)


def last_bit(name):
    def change(arrays):
        arrays[name].view(np.int64)[-1, -1, -1] ^= 1

    return change


def other_seed(arrays):
    arrays["scenario"] = np.array(str(arrays["scenario"]).replace("seed = 3", "seed = 4"))


def other_order(arrays):
    one, other = "flock.0.position", "flock.0.velocity"
    arrays[one], arrays[other] = arrays[other], arrays[one]


CHANGES = {
    "untouched": (lambda _: None, ""),
    "further arrays": (lambda arrays: arrays.update(notes=np.zeros(3)), ""),
    "velocity": (last_bit("flock.1.velocity"), "not those recorded"),
    "position": (last_bit("flock.0.position"), "not those recorded"),
    "swapped": (other_order, "not those recorded"),
    "time": (lambda arrays: arrays.update(time=arrays["time"] * 2), "not those recorded"),
    "scenario": (other_seed, "not those recorded"),
    "old format": (lambda arrays: arrays.pop("digest"), "has no digest"),
}


@pytest.mark.parametrize(("change", "doubt"), CHANGES.values(), ids=CHANGES)
def test_outputs_claim_a_scenario_only_for_what_was_recorded_from_it(change, doubt, saved, tmp_path):
    """A recording is doubted if a bit or its scenario was changed; outputs made of it name the file as origin."""
    tampered(saved, change)
    scenario = load_scenario(saved)
    states = SavedRun(saved, scenario)

    assert bool(states.doubt) == bool(doubt)
    assert doubt in states.doubt
    render(scenario, tmp_path / "clip.gif", states=states)
    still(scenario, tmp_path / "picture.png", options=RunOptions(states=states))
    strip(scenario, tmp_path / "strip.png", at=(0, 5), options=RunOptions(states=states))
    for name in ("clip.gif", "picture.png", "strip.png"):
        text = origin(BytesIO((tmp_path / name).read_bytes()), name)
        assert ('\n# states from "run.npz", ' in text) == bool(doubt)
        assert load_scenario(tmp_path / name) == scenario
        if doubt:
            with pytest.raises(UsageError, match="come from a file"):
                original(tmp_path / name)


@pytest.mark.parametrize("change", [change for change, doubt in CHANGES.values() if not doubt])
def test_a_digest_needs_no_pass_over_the_arrays(change, saved, monkeypatch):
    """Judging a recording opens its texts only, whatever its size."""
    tampered(saved, change)
    opened = []
    plain = ZipFile.open
    monkeypatch.setattr(ZipFile, "open", lambda self, name, *more: opened.append(name) or plain(self, name, *more))

    assert SavedRun(saved, small()).doubt == ""
    assert opened == ["step.npy", "digest.npy"]
