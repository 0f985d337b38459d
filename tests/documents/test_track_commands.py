"""Documented commands for tracks draw the animals where they are in a film of known positions."""

import json
import re
import shlex
from glob import glob
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pandas as pd
import pytest

from boidsgen.cli.main import run
from boidsgen.observations.track_tables import SOURCES
from boidsgen.output.formats import WRITERS
from boidsgen.output.recording import SavedRun
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import find

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "tracks.md").read_text("utf-8")
DOCUMENTED = dict.fromkeys(re.findall(r"^boidsgen (tracks (?!.*--dry-run).+)$", PAGE, re.MULTILINE))
WIDE, HIGH, FRAMES, RADIUS = 200, 160, 20, 10
PER_CM = 10.0  # Pixels, as the page has it
FAR = 2.0  # Pixels of the film between an animal and what is drawn over it
PLAIN = ["--set", "style.trails=0", "--set", "style.shape=dot", "--set", "style.size=6"]


def path() -> pd.DataFrame:
    """Pixels, from the upper left corner, of a fish that turns right, in a spiral at the lower left of the film."""
    frame = np.arange(FRAMES)
    angle, away = 0.25 * frame + 2.0, 12 + 0.8 * frame
    x, row = np.round(55 + away * np.cos(angle), 2), np.round(112 + away * np.sin(angle), 2)
    return pd.DataFrame({"frame": frame, "x": x, "row": row, "up": HIGH - row})


def film(name: str, fps: float) -> None:
    """Write a film with a green ring around each position."""
    down, across = np.indices((HIGH, WIDE)) + 0.5
    pictures = imageio_ffmpeg.write_frames(name, (WIDE, HIGH), fps=fps, macro_block_size=2, quality=9)
    pictures.send(None)
    for place in path().itertuples():
        ring = np.abs(np.hypot(across - place.x, down - place.row) - RADIUS) < 1.5
        pictures.send(np.ascontiguousarray(ring[..., None] * np.array([0, 255, 0], np.uint8)))
    pictures.close()


def tables() -> None:
    """Write the tables of the page, as their programs do."""
    fish = path()
    down = fish[["frame", "x"]].assign(y=fish["row"])
    down.assign(id="a")[["frame", "id", "x", "y"]].to_csv("fish.csv", index=False)
    down.assign(individual=1)[["frame", "individual", "x", "y"]].to_csv("tidy.csv", index=False)
    down.assign(mass=500.0, particle=0.0)[["y", "x", "mass", "frame", "particle"]].to_csv("linked.csv")
    down[["x", "y"]].rename(columns=lambda axis: f"{axis}1").to_csv("trajectories.csv", index=False)
    centimeters = {
        "frame": fish["frame"],
        "X#wcentroid (cm)": fish["x"] / PER_CM,
        "Y#wcentroid (cm)": fish["row"] / PER_CM,
    }
    pd.DataFrame(centimeters).to_csv("video_id0.csv", index=False)
    heads = ["scorer,net,net,net", "bodyparts,snout,snout,snout", "coords,x,y,likelihood"]
    poses = [f"{at.frame},{at.x},{at.row},0.99" for at in fish.itertuples()]
    Path("pose.csv").write_text("\n".join([*heads, *poses]), "utf-8")

    boxes = [f"{at.frame + 1},1,{at.x - 4:.2f},{at.row - 3:.2f},8,6,0.9,-1,-1,-1" for at in fish.itertuples()]
    Path("det.txt").write_text("\n".join(boxes), "utf-8")
    heads = ["LABEL,TRACK_ID,POSITION_X,POSITION_Y,FRAME", *["Label,Track ID,X,Y,Frame"] * 2, ",,(pixel),(pixel),"]
    spots = [f"ID{at.frame},0,{at.x},{at.row},{at.frame}" for at in fish.itertuples()]
    Path("spots.csv").write_text("\n".join([*heads, *spots]), "utf-8")
    fixes = {"visible": "true", "timestamp": pd.Timestamp(2020, 5, 1) + pd.to_timedelta(300 * fish["frame"], unit="s")}
    places = {"location-long": 16 + fish["x"] / 1e5, "location-lat": 48 + fish["up"] / 1e5}
    named = {"individual-local-identifier": "Jonas"}
    pd.DataFrame(fixes | places | named).to_csv("storks.csv", index=False)
    cells = [f"({x}, {y})" for x, y in zip(fish["x"], fish["up"], strict=True)]
    agents = {"Step": fish["frame"], "AgentID": 1, "x": fish["x"], "y": fish["up"], "pos": cells, "kind": "fish"}
    pd.DataFrame(agents).to_csv("agents.csv", index=False)
    julia = [cell.replace("(", "[").replace(")", "]") for cell in cells]
    pd.DataFrame({"step": fish["frame"], "id": 1, "pos": julia}).to_csv("adf.csv", index=False)
    head = [*(f'"{line}"' for line in ("BehaviorSpace results (NetLogo 6.4.0)", "a", "b", "c", "d", "e"))]
    head += ['"[run number]","[step]","[(list who xcor ycor)] of turtles"']
    turtles = [f'"1","{at.frame}","[[0 {at.x} {at.up}]]"' for at in fish.itertuples()]
    Path("flocking-table.csv").write_text("\n".join([*head, *turtles]), "utf-8")
    for at in fish.itertuples():
        agent = {"_id": 1, "x": at.x, "y": at.up}
        state = {"stats": {"step_count": at.frame}, "agents": {"fish": {"default": [agent]}}}
        Path(f"step{at.frame}.json").write_text(json.dumps(state), "utf-8")


def movement() -> None:
    xarray = pytest.importorskip("xarray")
    fish = path()
    coords = {"time": fish["frame"] / 30, "space": ["x", "y"], "individual": ["a"]}
    place = (("time", "space", "individual"), fish[["x", "row"]].to_numpy()[..., None])
    xarray.Dataset({"position": place}, coords).to_netcdf("fish.nc", engine="h5netcdf")


def sleap() -> None:
    with pytest.importorskip("h5py").File("fish.analysis.h5", "w") as file:
        file["tracks"] = path()[["x", "row"]].to_numpy().T[None, :, None]
        file["track_names"], file["node_names"] = [b"a"], [b"nose"]


OF_SOURCES = {
    "agents.jl": "tracks adf.csv --source agents.jl --fps 30",
    "flamegpu": "tracks step*.json --source flamegpu --fps 30",
    "idtracker.ai": "tracks trajectories.csv --source idtracker.ai --fps 30",
    "mot": "tracks det.txt --source mot --fps 30",
    "movement": "tracks fish.nc --source movement --fps 30",
    "sleap": "tracks fish.analysis.h5 --source sleap --fps 30",
    "trackmate": "tracks spots.csv --source trackmate --fps 30",
}
"""Programs of which the page has a row in its table, but no command."""
OTHER_UNITS = ("--source trex", "--source movebank")  # than pixels
COMMANDS = [*DOCUMENTED, *OF_SOURCES.values()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all tables, to work in."""
    monkeypatch.chdir(tmp_path)
    tables()
    return tmp_path


def words(command: str) -> list[str]:
    """The arguments of a command, without its output."""
    given = shlex.split(re.sub(r" -o \S+", "", command))
    if "movement" in given:
        movement()
    if "sleap" in given:
        sleap()
    return [name for word in given for name in (sorted(glob(word)) or [word])]  # noqa: PTH207  as a shell does


def option(given: list[str], name: str) -> str:
    return given[given.index(name) + 1] if name in given else ""


def middle(inside: np.ndarray) -> np.ndarray:
    down, across = np.nonzero(inside)
    assert len(down), "nothing is drawn"
    return np.array([across.mean(), down.mean()])


def test_every_program_has_a_command() -> None:
    """The page and this file have a command for each program."""
    assert {*SOURCES} == {found for command in COMMANDS for found in re.findall(r"--source (\S+)", command)}


@pytest.mark.parametrize("command", [one for one in COMMANDS if "--film" not in one])
@pytest.mark.usefixtures("folder")
def test_fish_turn_as_in_the_film(command: str) -> None:
    """The recording of a documented command has a fish that turns right, as seen with y upward."""
    assert run([*words(command), "-o", "fish.npz"]) == 0
    states = SavedRun(Path("fish.npz"), draft(find("fish.npz")).scenario())
    velocity = np.array([state.flocks[0].velocity[0] for state in states])
    turn = velocity[:-1, 0] * velocity[1:, 1] - velocity[:-1, 1] * velocity[1:, 0]
    assert (turn < 0).all()


@pytest.mark.turns(3)  # their tables are all read above; here one sees where a film lies
@pytest.mark.parametrize(
    "command", [one for one in COMMANDS if not any(unit in one for unit in OTHER_UNITS) or "--film" in one]
)
@pytest.mark.usefixtures("folder")
def test_overlays_lie_on_the_animals(command: str) -> None:
    """In every frame, what a documented command draws is within two pixels of the animal in the film."""
    given = words(command)
    name = option(given, "--film")
    fps = float(option(given, "--fps"))
    film("fish.mp4", fps)
    if "%" in name:
        Path(name).parent.mkdir()
        from PIL import Image

        for number, picture in enumerate(WRITERS["mp4"].pictures(Path("fish.mp4"))):
            Image.fromarray(picture).save(name % number)
    more = [] if name else ["--film", "fish.mp4"]
    assert run([*given, *more, *PLAIN, "-o", "overlay.mp4"]) == 0
    pictures = [picture.astype(float) for picture in WRITERS["mp4"].pictures(Path("overlay.mp4"))]
    assert len(pictures) == FRAMES
    shown = 100 if "world.size=[100,100]" in command else WIDE  # pixels of the film across the picture
    rings = []
    for picture in pictures:
        red, green, blue = np.moveaxis(picture, -1, 0)
        rings.append(middle(green > np.maximum(red, blue) + 60) * shown / picture.shape[1])
        drawn = middle(np.maximum(red, blue) > 130) * shown / picture.shape[1]
        assert np.hypot(*(rings[-1] - drawn)) < FAR
    moved = np.diff(rings, axis=0) - np.diff(path()[["x", "row"]], axis=0)
    assert np.abs(moved).max() < FAR, "the film is not that of the table"


@pytest.mark.turns(3)  # which does not divide the numbers of empty frames
@pytest.mark.parametrize("empty", [0, 1, 2, 5])
@pytest.mark.parametrize("kind", ["rows", "long", "nan", "trackpy", "from 1"])
@pytest.mark.usefixtures("folder")
def test_frames_of_tables_are_those_of_the_film(empty: int, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Frame 0 of a table is frame 0 of the film, whoever is seen; where that is open, the notice names the way out."""
    fish, more = path(), ["--fps", "30"]
    film("fish.mp4", 30)
    seen = fish["frame"] >= empty
    place = fish[["x", "row"]].where(seen).set_axis(["x", "y"], axis=1)
    if kind == "rows":
        place.set_axis(["x1", "y1"], axis=1).to_csv("t.csv", index=False, na_rep="nan")
        more += ["--source", "idtracker.ai"]
    else:
        table = place.assign(frame=fish["frame"] + (kind == "from 1"), particle=0)
        (table if kind == "nan" else table[seen]).to_csv("t.csv", index=False)
        more += ["--source", "trackpy"] if kind == "trackpy" else ["--columns", "frame,particle,x,y", "--y-down"]
    opened = (kind == "long" and empty > 0) or kind == "from 1"
    wanted = empty if (kind == "from 1" and empty) or (kind == "long" and empty == 1) else None
    for way in ([], ["--set", f"background.start={wanted}"]):
        if way and wanted is None:
            continue
        assert run(["tracks", "t.csv", *more, "--film", "fish.mp4", *PLAIN, *way, "-o", "overlay.mp4"]) == 0
        said = capsys.readouterr().err
        assert ("--set background.start=" in said) == (opened and not way)
        if wanted is not None and not way:
            assert f"--set background.start={wanted}" in said
            continue
        shown = 0
        for picture in WRITERS["mp4"].pictures(Path("overlay.mp4")):
            red, green, blue = np.moveaxis(picture.astype(float), -1, 0)
            drawn = np.maximum(red, blue) > 130
            if drawn.any():
                shown += 1
                assert np.hypot(*(middle(green > np.maximum(red, blue) + 60) - middle(drawn))) < FAR
        assert shown == FRAMES - empty


@pytest.mark.usefixtures("folder")
def test_a_film_of_another_rate_is_told_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """The notice has the frames and the rate of the file, and says that they are resampled."""
    film("fish.mp4", 60)
    pd.read_csv("fish.csv").head(10).to_csv("half.csv", index=False)
    columns = ["--columns", "frame,id,x,y", "--fps", "30", "--y-down", "--film", "fish.mp4"]
    for table, run_has in (
        ("half.csv", "the run 10"),
        ("fish.csv", "the run 20; the last picture stays for 10 frames"),
    ):
        assert run(["tracks", table, *columns, "-o", "overlay.mp4"]) == 0
        said = capsys.readouterr().err
        assert f"fish.mp4 has 20 frames at 60 per second, resampled to 10 at 30, {run_has}" in said
