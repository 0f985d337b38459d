"""Texts and archives in which other programs write tables are read as what they are."""

import gzip
import io
import pickle
import shlex
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from boidsgen.cli.main import run
from boidsgen.errors import BoidsgenError
from boidsgen.measuring import Measured
from boidsgen.observations import track_files
from boidsgen.observations.tracks import record_tracks
from boidsgen.output.recording import SavedRun
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import find
from boidsgen.studies.requests import TrackFormat

FPS, FRAMES, ANIMALS = 25.0, 12, 5
LONG = TrackFormat(FPS, ("frame", "id", "x", "y"))


def school() -> np.ndarray:
    """Positions of animals that turn together, (frames, n, 2)."""
    generator, turn = np.random.default_rng(4), 0.2 * np.arange(FRAMES)[:, None]
    velocity = np.stack([np.cos(turn), np.sin(turn)], axis=-1) + 0.3 * generator.normal(size=(FRAMES, ANIMALS, 2))
    return np.round(50 + 20 * generator.normal(size=(ANIMALS, 2)) + np.cumsum(velocity, axis=0), 4)


def table(place: np.ndarray) -> pd.DataFrame:
    frames, animals = len(place), len(place[0])
    rows = [(frame, animal, *place[frame, animal]) for frame in range(frames) for animal in range(animals)]
    return pd.DataFrame(rows, columns=["frame", "id", "x", "y"])


def assert_measured(path: Path, place: np.ndarray, fps: float) -> None:
    """Six measures of a recording are those of positions, (frames, n, 2) with y upward, by plain numpy."""
    velocity = np.gradient(place, axis=0) * fps
    scenario = draft(find(path)).scenario()
    rows = [*Measured(scenario, {0: [*SavedRun(path, scenario)]}).series()]
    assert len(rows) == len(place)
    for row, here, moves in zip(rows, place, velocity, strict=True):
        speed = np.hypot(*moves.T)
        unit = moves / speed[:, None]
        away = here - here.mean(axis=0)
        between = np.hypot(*(here[:, None] - here[None]).T)
        np.fill_diagonal(between, np.inf)
        around = cross(away / np.hypot(*away.T)[:, None], unit)
        wanted = {
            "speed_spread": speed.std(),
            "polarization": np.hypot(*unit.mean(axis=0)),
            "mean_speed": speed.mean(),
            "nearest_neighbor_distance": between.min(axis=0).mean(),
            "dispersion": np.hypot(*away.T).mean(),
            "rotation": abs(around.mean()),
        }
        assert {name: row[name] for name in wanted} == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def cross(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]


def written(table: pd.DataFrame, **more: object) -> bytes:
    return table.to_csv(index=False, **more).encode()


def zipped(content: bytes, *names: str) -> bytes:
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, content)
    return file.getvalue()


DRESSES = {
    "comments.tsv": lambda rows: b"# framerate: 16\n# by hand\n" + written(rows, sep="\t"),
    "semicolons.csv": lambda rows: written(rows, sep=";", decimal=","),
    "points.csv": lambda rows: written(rows, sep=";"),
    "tabs.csv": lambda rows: written(rows, sep="\t"),
    "spaces.csv": lambda rows: written(rows).replace(b",", b", "),
    "utf16.csv": lambda rows: written(rows, sep="\t").decode().encode("utf-16"),
    "mark.txt": lambda rows: b"\xef\xbb\xbf" + written(rows, sep="\t"),
    "none.csv": lambda rows: written(rows, header=False),
    "blanks.txt": lambda rows: (
        "  " + written(rows, sep=" ").decode().replace(" ", "   ").replace("\n", "\n  ")
    ).encode(),
    "none blanks.txt": lambda rows: b"# by hand\n#\n\n" + written(rows, sep=" ", header=False),
    "names above.txt": lambda rows: b"# rate: 25\r\n\r\n# frame id x y\n" + written(rows, sep="\t", header=False),
    "units.csv": lambda rows: written(rows).replace(b"\n", b'\n"","","m","m"\n', 1),
    "about.tsv": lambda rows: written(rows, sep="\t").replace(b"\n", b"\nFrame\tTrack 1\tX\tY\n\t\t(cm)\t(cm)\n", 1),
    "packed.csv.gz": lambda rows: gzip.compress(written(rows)),
    "packed.zip": lambda rows: zipped(written(rows, sep=";", decimal=","), "data/fish.csv"),
}


@pytest.mark.parametrize("name", DRESSES)
def test_a_table_is_read_in_every_dress(name: str, tmp_path: Path) -> None:
    """Comments, separators, decimal commas, encodings and archives change no measure."""
    place = school()
    (tmp_path / name).write_bytes(DRESSES[name](table(place)))
    _, notices = record_tracks([str(tmp_path / name)], str(tmp_path / "out.npz"), LONG)
    assert_measured(tmp_path / "out.npz", place, FPS)
    assert ["has no header" in told for told in notices] == [True] * name.startswith(("none", "names"))


@pytest.mark.parametrize("columns", [("1", "2", "4", "6"), ("id=2", "frame=1", "y=6", "x=4")])
def test_columns_without_names_have_numbers(columns: tuple[str, ...], tmp_path: Path) -> None:
    """A table without a header has more columns than are read, numbered from 1, whatever a comment calls them."""
    rows = table(school()).assign(v=1.5, w=2.5)[["frame", "id", "v", "x", "w", "y"]]
    for name, comment in (("a.txt", b""), ("b.txt", b"# f i v x/m w y/m\n")):
        (tmp_path / name).write_bytes(comment + written(rows, sep=" ", header=False, float_format="%.7e"))
        _, notices = record_tracks([str(tmp_path / name)], str(tmp_path / "out.npz"), TrackFormat(FPS, columns))
        assert_measured(tmp_path / "out.npz", school(), FPS)
        assert "has no header; its columns are taken as 1, 2, 3, 4, 5, 6" in notices[0]
    record_tracks([str(tmp_path / "b.txt")], str(tmp_path / "out.npz"), TrackFormat(FPS, ("f", "i", "x/m", "y/m")))
    assert_measured(tmp_path / "out.npz", school(), FPS)


def test_a_first_row_with_an_error_is_no_line_of_units(tmp_path: Path) -> None:
    """Below the header only lines of words are left out: a row with any number of its own is read, and refused."""
    for row in ("0,a,1,two", "zero,a,1,2", "inf,a,x,y"):
        (tmp_path / "t.csv").write_text(f"frame,id,x,y\n{row}\n1,a,1,2\n2,a,2,3\n")
        with pytest.raises(BoidsgenError, match="row 1: "):
            record_tracks([str(tmp_path / "t.csv")], str(tmp_path / "out.npz"), LONG)
    (tmp_path / "t.csv").write_text("x1,y1\nnan,nan\n1,2\n2,3\n")
    scenario, _ = record_tracks([str(tmp_path / "t.csv")], str(tmp_path / "o.npz"), TrackFormat(FPS, ("x=x*", "y=y*")))
    assert scenario.time.frames == 3


@pytest.mark.parametrize("every", [2, 3])
def test_every_nth_frame_is_kept_at_its_rate(every: int, tmp_path: Path) -> None:
    """Frames that are n apart are successive, and of a full table every n-th one is kept, at an n-th of the rate."""
    rows = table(school())
    form = LONG._replace(fps=every * FPS, every=every)
    for name, factor in (("full", 1), ("apart", every)):
        rows.assign(frame=1000 + factor * rows["frame"]).to_csv(tmp_path / f"{name}.csv", index=False)
        _, notices = record_tracks([str(tmp_path / f"{name}.csv")], str(tmp_path / "out.npz"), form)
        assert_measured(tmp_path / "out.npz", school()[:: every if factor == 1 else 1], FPS)
        kept = len(school()[:: every if factor == 1 else 1]) * ANIMALS
        assert notices == (f"--every {every} keeps {kept} of 60 positions",)
    with pytest.raises(BoidsgenError, match=f"frames are {every} apart: give --every {every}"):
        record_tracks([str(tmp_path / "apart.csv")], str(tmp_path / "out.npz"), LONG)


def test_detections_of_mot_are_no_tracks(tmp_path: Path) -> None:
    """Boxes with the number -1 are nobody's, left out and counted."""
    boxes = table(school()).assign(left=lambda rows: rows["x"] - 2, top=lambda rows: rows["y"] - 3, w=4, h=6, conf=1)
    boxes = boxes[["frame", "id", "left", "top", "w", "h", "conf"]]
    both = pd.concat([boxes.head(7).assign(id=-1, left=500), boxes])
    both.to_csv(tmp_path / "det.txt", header=False, index=False)
    _, notices = record_tracks([str(tmp_path / "det.txt")], str(tmp_path / "o.npz"), TrackFormat(FPS, source="mot"))
    assert_measured(tmp_path / "o.npz", school() * [1, -1], FPS)
    assert "7 of 67 spots are in no track, and left out" in notices[0]
    both.assign(id=-1).to_csv(tmp_path / "det.txt", header=False, index=False)
    with pytest.raises(BoidsgenError, match=r"det\.txt: none of 67 spots is in a track; link them first"):
        record_tracks([str(tmp_path / "det.txt")], str(tmp_path / "o.npz"), TrackFormat(FPS, source="mot"))


def test_spots_without_a_track_are_left_out_and_counted(tmp_path: Path) -> None:
    """Nobody else is lost, and the notice has their number, with the source as with named columns."""
    place = school()
    spots = table(place).set_axis(["FRAME", "TRACK_ID", "POSITION_X", "POSITION_Y"], axis=1)
    free = spots.head(3).assign(TRACK_ID="", POSITION_X=9.0)
    names = ["LABEL,FRAME,TRACK_ID,POSITION_X,POSITION_Y", *["Label,Frame,Track ID,X,Y"] * 2, ",,,(pixel),(pixel)"]
    lines = [",".join(map(str, ["ID1", *row])) for part in (free, spots) for row in part.itertuples(index=False)]
    (tmp_path / "spots.csv").write_text("\n".join([*names, *lines]))
    named = ("frame=FRAME", "id=TRACK_ID", "x=POSITION_X", "y=POSITION_Y")
    for form in (TrackFormat(FPS, source="trackmate"), TrackFormat(FPS, named, y_down=True)):
        _, notices = record_tracks([str(tmp_path / "spots.csv")], str(tmp_path / "out.npz"), form)
        assert_measured(tmp_path / "out.npz", place * [1, -1], FPS)
        assert len(notices) == 1
        assert "3 of 63 spots are in no track" in notices[0]


@pytest.mark.parametrize("column", ["time", "step"])
def test_frames_of_agents_are_times_or_steps(column: str, tmp_path: Path) -> None:
    """Agents.jl writes one or the other, by its version."""
    place = school()
    rows = table(place).assign(pos=lambda rows: [f"({x}, {y})" for x, y in zip(rows["x"], rows["y"], strict=True)])
    rows[["frame", "id", "pos"]].rename(columns={"frame": column}).to_csv(tmp_path / "adf.csv", index=False)
    record_tracks([str(tmp_path / "adf.csv")], str(tmp_path / "out.npz"), TrackFormat(FPS, source="agents.jl"))
    assert_measured(tmp_path / "out.npz", place, FPS)


def hdf5(path: Path, attributes: dict[str, object], **arrays: object) -> str:
    with pytest.importorskip("h5py").File(path, "w") as file:
        for name, array in arrays.items():
            file[name] = array
        file.attrs.update(attributes)
    return str(path)


def numpy_file(path: Path, **arrays: object) -> str:
    np.savez_compressed(path, **arrays)
    return str(path)


def sleap(path: Path, place: np.ndarray, axes: tuple[str, ...] = ()) -> str:
    """An analysis of SLEAP with two nodes; without axes its arrays have the usual ones."""
    h5py, names = pytest.importorskip("h5py"), [f"track_{one}".encode() for one in range(ANIMALS)]
    both = np.stack([place, place + 3], axis=2)  # frame, track, node, xy
    score = np.full((ANIMALS, 2, FRAMES), 0.9)
    score[1, 1, 3] = 0.1
    order = [("frame", "track", "node", "xy").index(axis) for axis in axes or ("track", "xy", "node", "frame")]
    with h5py.File(path, "w") as file:
        file.create_dataset("tracks", data=both.transpose(order), compression="gzip")
        file["track_names"], file["node_names"] = names, [b"nose", b"tail"]
        file["point_scores"] = score
        if axes:
            file["tracks"].attrs["dims"] = str([*axes]).replace("'", '"')
    return str(path)


def petrack(path: Path, place: np.ndarray) -> str:
    """A table of rows in HDF5."""
    rows = table(place).assign(z=1.7)
    kinds = [("id", "i8"), ("frame", "i8"), ("x", "f8"), ("y", "f8"), ("z", "f8")]
    with pytest.importorskip("h5py").File(path, "w") as file:
        file["trajectory"] = np.array([*rows[["id", "frame", "x", "y", "z"]].itertuples(index=False)], kinds)
        file["trajectory"].attrs["fps"] = "25.0"
    return str(path)


def pytable(path: Path, place: np.ndarray, protocol: int = 0, names: object = None) -> str:
    """A table of DeepLabCut as pandas writes it by PyTables, with pickled names of columns."""
    likely = np.full((FRAMES, 1), 0.9)
    points = [(f"fish{one}", part, axis) for one in range(ANIMALS) for part in ("snout", "tail") for axis in "xyl"]
    columns = [("net", one, part, {"l": "likelihood"}.get(axis, axis)) for one, part, axis in points]
    parts = [np.hstack([place[:, one] + more, likely]) for one in range(ANIMALS) for more in (0, 9)]
    rows = np.empty(FRAMES, [("index", "i8"), ("values_block_0", "f8", (len(columns),))])
    rows["index"], rows["values_block_0"] = np.arange(FRAMES), np.hstack(parts)
    with pytest.importorskip("h5py").File(path, "w") as file:
        file["df_with_missing/table"] = rows
        text = pickle.dumps(columns if names is None else names, protocol)
        file["df_with_missing/table"].attrs["values_block_0_kind"] = np.void(text) if protocol else np.bytes_(text)
    return str(path)


@pytest.mark.parametrize("protocol", [0, 1, 2])
def test_points_of_deeplabcut_are_read_without_running_their_pickle(
    protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names are the texts of the pickle; one that would make a file is disassembled only, and refused."""
    monkeypatch.chdir(tmp_path)
    form = TrackFormat(FPS, source="deeplabcut", only=("bodyparts=snout",))
    record_tracks([pytable(Path("dlc.h5"), school(), protocol)], "out.npz", form)
    assert_measured(Path("out.npz"), school() * [1, -1], FPS)
    for names in (Trap(), [Trap()], ["x"], []):
        with pytest.raises(BoidsgenError, match="let DeepLabCut write"):
            record_tracks([pytable(Path("trap.h5"), school(), protocol, names)], "out.npz", form)
    assert not Path("ran").exists()


ARRAYS = {
    "petrack": lambda to, place: [petrack(to / "p.h5", place)],
    "idtracker.ai h5": lambda to, place: [
        hdf5(to / "t.h5", {"frames_per_second": FPS, "body_length": 40.0}, trajectories=place)
    ],
    "idtracker.ai npz": lambda to, place: [
        numpy_file(to / "t.npz", trajectories=place, frames_per_second=FPS, body_length=40.0, version="6.0.0")
    ],
    "trex": lambda to, place: [
        numpy_file(
            to / f"film_fish{one}.npz",
            **{
                "X#wcentroid": place[:, one, 0],
                "Y#wcentroid": place[:, one, 1],
                "frame": np.arange(FRAMES, dtype="f4"),
            },
            missing=np.zeros(FRAMES),
            frame_rate=np.array([FPS]),
            SPEED=np.ones(3),
        )
        for one in range(ANIMALS)
    ],
    "sleap": lambda to, place: [sleap(to / "a.analysis.h5", place)],
    "sleap standard": lambda to, place: [sleap(to / "b.h5", place, ("frame", "track", "node", "xy"))],
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("fps", [FPS, 50.0])
def test_arrays_of_programs_are_read(name: str, fps: float, tmp_path: Path) -> None:
    """Measures are those of the arrays, and notices have the rate and the length of a body that a file has."""
    place = school()
    source, *_ = name.split()
    form = TrackFormat(fps, source=source, only=("node=nose",) * (source == "sleap"))
    if source == "petrack":
        form = LONG._replace(fps=fps, y_down=True)
    _, notices = record_tracks(ARRAYS[name](tmp_path, place), str(tmp_path / "out.npz"), form)
    assert_measured(tmp_path / "out.npz", place * [1, -1], fps)
    rated = (fps != FPS and source != "sleap") * (ANIMALS if source == "trex" else 1)
    assert sum("was filmed at 25 frames a second" in told for told in notices) == rated
    bodies = source == "idtracker.ai"
    assert len(notices) == rated + bodies
    assert any("the length of a body is 40; --scale 0.025" in told for told in notices) == bodies


def test_unlikely_points_of_sleap_are_left_out(tmp_path: Path) -> None:
    """Scores of points are likelihoods, each of its own frame, track and node."""
    file, only = sleap(tmp_path / "a.h5", school()), ("node=tail",)
    form = TrackFormat(FPS, source="sleap", only=only, minimum=("point_scores=0.6",))
    _, notices = record_tracks([file], str(tmp_path / "out.npz"), form)
    assert "--min point_scores=0.6 leaves out 1 of 60 positions" in notices[0]
    scenario = draft(find(tmp_path / "out.npz")).scenario()
    seen = [state.flocks[0].members.tolist() for state in SavedRun(tmp_path / "out.npz", scenario)]
    assert seen == [[0, *([] if frame == 3 else [1]), 2, 3, 4] for frame in range(FRAMES)]


def test_a_plain_array_of_numpy_is_read(tmp_path: Path) -> None:
    """An array of frames, animals and axes is a wide table."""
    np.save(tmp_path / "t.npy", school())
    record_tracks([str(tmp_path / "t.npy")], str(tmp_path / "o.npz"), TrackFormat(FPS, ("x=x*", "y=y*")))
    assert_measured(tmp_path / "o.npz", school(), FPS)


class Trap:
    """A pickle that makes a file when it is read."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (Path("ran"),)


def test_pickles_are_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a dictionary of idtracker.ai nor a member of an archive runs a program, and the line has a way out."""
    monkeypatch.chdir(tmp_path)
    trap = np.array({"trajectories": school(), "more": Trap()}, dtype=object)
    np.save("t.npy", trap, allow_pickle=True)
    np.savez("t.npz", trajectories=trap, allow_pickle=True)
    for name in ("t.npy", "t.npz"):
        with pytest.raises(BoidsgenError, match=rf"{name}: is pickled, .* save it as \.csv or \.h5"):
            record_tracks([name], "out.npz", TrackFormat(FPS, source="idtracker.ai"))
    assert not Path("ran").exists()


def test_arrays_that_cannot_be_meant_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DeepLabCut's pickled names, other arrays, other shapes and huge headers are one line each."""
    monkeypatch.chdir(tmp_path)
    hdf5(Path("dlc.h5"), {}, **{"df_with_missing/table": np.zeros(3)})
    hdf5(Path("flat.h5"), {}, trajectories=np.zeros((3, 2)))
    hdf5(Path("other.h5"), {}, images=np.zeros((3, 2)))
    numpy_file(Path("other.npz"), images=np.zeros((3, 2)))
    header = np.lib.format.header_data_from_array_1_0(np.zeros(1)) | {"shape": (10**9, 10, 2)}
    with Path("huge.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
    wrong = {
        "dlc.h5": "let DeepLabCut write .csv too",
        "flat.h5": "trajectories must be frames x animals x 2 or 3",
        "other.h5": "has neither trajectories",
        "other.npz": "has neither trajectories",
        "huge.npy": "160,000,000,000 bytes requested",
    }
    for name, told in wrong.items():
        with pytest.raises(BoidsgenError, match=told):
            record_tracks([name], "out.npz", TrackFormat(FPS, source="idtracker.ai"))


FOUND = {
    "--source mesa": "Step,AgentID,x,y",
    "--source trackmate": "LABEL,FRAME,TRACK_ID,POSITION_X,POSITION_Y",
    "--source idtracker.ai": "seconds,x1,y1,x2,y2",
    "--columns frame=FrameNumber,id=Fish,x=pos_x,y=pos_y": "FrameNumber,Fish,pos_x,pos_y",
}


@pytest.mark.parametrize("option", FOUND)
@pytest.mark.parametrize("given", ["", "--source trackpy"])
def test_a_message_names_the_option_that_reads_a_table(
    option: str, given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without columns, and with another program's, the line has what the table has and an option that reads it."""
    header, to = FOUND[option], str(tmp_path / "out.npz")
    same = {"AgentID", "LABEL", "TRACK_ID", "Fish"}
    rows = [",".join("1" if name in same else str(frame) for name in header.split(",")) for frame in range(4)]
    (tmp_path / "t.csv").write_text("\n".join([header, *rows]))
    command = ["tracks", str(tmp_path / "t.csv"), "--fps", "25", "-o", to]
    assert run([*command, *given.split()]) != 0
    told = capsys.readouterr().err
    assert f"it has {', '.join(header.split(','))}; {option} would read it" in told
    assert run([*command, *shlex.split(option)]) == 0


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("two.zip", zipped(b"x", "a.csv", "b.csv"), "must pack one file, not 2: a.csv, b.csv"),
        ("no.zip", zipped(b"x"), "must pack one file, not 0: none"),
        ("torn.csv.gz", gzip.compress(b"frame,id,x,y\n", mtime=0)[:-9], "is damaged"),
        ("large.csv.gz", gzip.compress(bytes(5000), mtime=0), "more than 4,000 bytes when unpacked"),
        ("large.zip", zipped(bytes(5000), "a.csv"), "more than 4,000 bytes when unpacked"),
    ],
)
def test_archives_that_cannot_be_meant_are_refused(
    name: str, content: bytes, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line names the file and the reason, and few bytes do not fill the memory."""
    monkeypatch.setattr(track_files, "MAX_CONTENT", 4000)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BoidsgenError, match=told) as caught:
        record_tracks([str(tmp_path / name)], str(tmp_path / "out.npz"), LONG)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("fps", "every"), [(25.0, 1), (50.0, 1), (51.0, 2), (120.0, 3)])
def test_a_clip_that_is_too_slow_for_a_recording_keeps_real_time(fps: float, every: int, tmp_path: Path) -> None:
    """A GIF shows every n-th frame, as long as the film; a notice says so, and a recording keeps all frames."""
    table(school()).to_csv(tmp_path / "t.csv", index=False)
    _, notices = record_tracks([str(tmp_path / "t.csv")], str(tmp_path / "out.gif"), LONG._replace(fps=fps))
    assert ["frames is shown" in told for told in notices] == [True] * (every > 1)
    with Image.open(tmp_path / "out.gif") as clip:
        frames = [clip.info["duration"] for number in range(clip.n_frames) if not clip.seek(number)]
    assert len(frames) == -(-FRAMES // every)
    assert sum(frames) == pytest.approx(1000 * len(frames) * every / fps, abs=10)
    assert not record_tracks([str(tmp_path / "t.csv")], str(tmp_path / "out.npz"), LONG._replace(fps=fps))[1]
    assert_measured(tmp_path / "out.npz", school(), fps)


def test_a_rate_that_is_asked_for_is_kept(tmp_path: Path) -> None:
    """With `output.fps`, no frame is left out, and a rate that a format cannot show is refused."""
    table(school()).to_csv(tmp_path / "t.csv", index=False)
    files, asked = [str(tmp_path / "t.csv")], LONG._replace(fps=120.0)
    scenario, _ = record_tracks(files, str(tmp_path / "a.gif"), asked, [Override("output.fps", 25, "--set")])
    assert scenario.time.frames == FRAMES
    with pytest.raises(BoidsgenError, match="gif shows at most 50"):
        record_tracks(files, str(tmp_path / "b.gif"), asked, [Override("output.fps", 60, "--set")])


def test_many_arrays_do_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays that are allowed one by one are refused together, before all are read."""
    monkeypatch.setattr(track_files, "MAX_CONTENT", 4000)
    file = numpy_file(tmp_path / "many.npz", **{f"X{number}#wcentroid": np.zeros(400) for number in range(9)})
    with pytest.raises(BoidsgenError, match=r"many\.npz: 6,400 bytes requested for its arrays, 4,000 allowed"):
        record_tracks([file], str(tmp_path / "out.npz"), TrackFormat(FPS, source="trex"))
