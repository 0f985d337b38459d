"""Animals are those that the file names: compared as written, in whatever layout, format and order."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boidsgen.errors import ScenarioError
from boidsgen.observations.track_tables import SOURCES
from boidsgen.observations.tracks import record_tracks
from boidsgen.output.recording import SavedRun
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import find
from boidsgen.studies.requests import TrackFormat

FRAMES = 8
LOOKALIKES = (
    "1.1",
    "1.10",
    "01",
    "1",
    "1e3",
    "1000",
    "0x10",
    "16",
    "1_0",
    "10",
    "9007199254740993",
    "9007199254740992",
)
RENAMED = dict(
    zip(LOOKALIKES, ("wren 10", "wren 9", "-1", "+1", "TRUE", "true", "é", "1 ", "1", "inf", "a", "A"), strict=True)
)
LONG = ("frame", "id", "x", "y")


def tracks(names: tuple[str, ...] = LOOKALIKES, seed: int = 1) -> pd.DataFrame:
    """A long table in which each animal is there from a frame of its own on, and misses one."""
    random = np.random.default_rng(seed)
    rows = [
        (frame, name, *np.round(random.uniform(10, 90, 2), 3))
        for number, name in enumerate(names)
        for frame in range(FRAMES)
        if frame >= number % 3 and frame != 5 + number % 2
    ]
    return pd.DataFrame(rows, columns=[*LONG])


def wide(table: pd.DataFrame) -> pd.DataFrame:
    """The table with two columns for each animal, and a row for each frame."""
    place = table.pivot_table(index="frame", columns="id", values=["x", "y"]).reindex(range(FRAMES))
    return pd.DataFrame({f"{axis}{name}": place[axis][name] for name in table["id"].unique() for axis in "xy"})


def delimited(path: Path, table: pd.DataFrame, **more: object) -> list[str]:
    table.to_csv(path, index=False, **more)
    return [str(path)]


def parquet(path: Path, table: pd.DataFrame) -> list[str]:
    table.to_parquet(path)
    return [str(path)]


def deeplabcut(folder: Path, table: pd.DataFrame) -> list[str]:
    both = wide(table)
    names = [*table["id"].unique()]
    heads = ["net", *names], ["scorer", "individuals", "bodyparts", "coords"]
    lines = [
        ",".join([heads[1][0], *["net"] * 2 * len(names)]),
        ",".join(["individuals", *(name for name in names for _ in "xy")]),
        ",".join(["bodyparts", *["snout"] * 2 * len(names)]),
        ",".join(["coords", *["x", "y"] * len(names)]),
        *(
            f"{frame},{','.join('' if np.isnan(one) else str(one) for one in row)}"
            for frame, row in enumerate(both.to_numpy())
        ),
    ]
    (folder / "dlc.csv").write_text("\n".join(lines), "utf-8")
    return [str(folder / "dlc.csv")]


def flamegpu(folder: Path, table: pd.DataFrame) -> list[str]:
    files = []
    for frame, part in table.groupby("frame"):
        agents = [{"_id": row.id, "x": row.x, "y": row.y} for row in part.itertuples()]
        state = {"stats": {"step_count": frame}, "agents": {"fish": {"default": agents}}}
        files.append(folder / f"{frame}.json")
        files[-1].write_text(json.dumps(state))
    return [*map(str, files)]


def movement(folder: Path, table: pd.DataFrame) -> list[str]:
    xarray = pytest.importorskip("xarray")
    both, names = wide(table), [*table["id"].unique()]
    values = both.to_numpy().reshape(FRAMES, len(names), 2).transpose(0, 2, 1)
    coords = {"time": np.arange(FRAMES) / 25, "space": ["x", "y"], "individual": names}
    xarray.Dataset({"position": (("time", "space", "individual"), values)}, coords).to_netcdf(
        folder / "m.nc", engine="h5netcdf"
    )
    return [str(folder / "m.nc")]


def netlogo(folder: Path, table: pd.DataFrame) -> list[str]:
    lines = ["BehaviorSpace results (NetLogo 6.4.0)", "a", "b", "c", "d", "e"]
    head = "".join(f'"{line}"\n' for line in lines) + '"[run number]","[step]","[(list who xcor ycor)] of turtles"\n'
    lines = [
        f'"1","{frame}","[{" ".join(f"[{row.id} {row.x} {row.y}]" for row in part.itertuples())}]"'
        for frame, part in table.groupby("frame", sort=False)
    ]
    (folder / "n.csv").write_text(head + "\n".join(lines))
    return [str(folder / "n.csv")]


def trex(folder: Path, table: pd.DataFrame) -> list[str]:
    named = table.rename(columns={"x": "X#wcentroid (cm)", "y": "Y#wcentroid (cm)"})
    return [one for name, part in named.groupby("id", sort=False) for one in delimited(folder / f"id{name}.csv", part)]


def mot(folder: Path, table: pd.DataFrame) -> list[str]:
    """Boxes of 4 by 6 pixels around the positions, as in the results of the MOT Challenge."""
    boxes = table[[*LONG]].assign(x=table["x"] - 2, y=table["y"] - 3, width=4, height=6, conf=1, a=-1, b=-1, c=-1)
    return delimited(folder / "det.txt", boxes, header=False)


def sleap(folder: Path, table: pd.DataFrame) -> list[str]:
    """An analysis of SLEAP with one node."""
    names = [*table["id"].unique()]
    place = wide(table).to_numpy().reshape(FRAMES, len(names), 1, 2)
    with pytest.importorskip("h5py").File(folder / "s.h5", "w") as file:
        file["tracks"] = place.transpose(1, 3, 2, 0)
        file["track_names"], file["node_names"] = [name.encode() for name in names], [b"nose"]
    return [str(folder / "s.h5")]


def trackmate(folder: Path, table: pd.DataFrame) -> list[str]:
    """The spots of TrackMate, with three lines below the header."""
    heads = ["LABEL,ID,TRACK_ID,QUALITY,POSITION_X,POSITION_Y,POSITION_Z,POSITION_T,FRAME"]
    heads += ["Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame"] * 2 + [",,,(quality),(pixel),(pixel),(pixel),(sec),"]
    spots = [f"ID{at},{at},{row.id},7.5,{row.x},{row.y},0,0,{row.frame}" for at, row in enumerate(table.itertuples())]
    (folder / "spots.csv").write_text("\n".join([*heads, *spots]), "utf-8")
    return [str(folder / "spots.csv")]


def movebank(folder: Path, table: pd.DataFrame) -> list[str]:
    """Fixes in meters east and north of the point where the equator meets the meridian of Greenwich."""
    axis, squared = 6378137.0, (2 - 1 / 298.257223563) / 298.257223563
    north = table["y"] / np.sqrt((axis * (1 - squared)) ** 2 + squared * table["y"] ** 2)  # sine of the latitude
    radius = axis / np.sqrt(1 - squared * north**2) * np.sqrt(1 - north**2)
    fixes = {
        "event-id": range(len(table)),
        "visible": "true",
        "timestamp": pd.Timestamp("2020-02-28 23:59:59.200") + pd.to_timedelta(table["frame"] / 25, unit="s"),
        "location-long": np.degrees(np.arcsin(table["x"] / radius)),
        "location-lat": np.degrees(np.arcsin(north)),
        "individual-local-identifier": table["id"],
    }
    return delimited(folder / "b.csv", pd.DataFrame(fixes))


def points(table: pd.DataFrame) -> pd.Series:
    return pd.Series([f"[{x}, {y}]" for x, y in zip(table["x"], table["y"], strict=True)], table.index)


STEPS = {"frame": "Step", "id": "AgentID"}
LAYOUTS: dict[str, tuple[dict[str, object], Callable[[Path, pd.DataFrame], list[str]]]] = {
    "csv": ({"columns": LONG}, lambda to, table: delimited(to / "t.csv", table)),
    "tsv": ({"columns": LONG}, lambda to, table: delimited(to / "t.tsv", table, sep="\t")),
    "parquet": ({"columns": LONG}, lambda to, table: parquet(to / "t.parquet", table)),
    "wide csv": ({"columns": ("x=x*", "y=y*")}, lambda to, table: delimited(to / "w.csv", wide(table))),
    "wide tsv": ({"columns": ("x=x*", "y=y*")}, lambda to, table: delimited(to / "w.tsv", wide(table), sep="\t")),
    "wide parquet": ({"columns": ("x=x*", "y=y*")}, lambda to, table: parquet(to / "w.parquet", wide(table))),
    "cells": (
        {"columns": ("frame=frame", "id=who[0]", "x=pos[0]", "y=pos[1]")},
        lambda to, table: delimited(to / "c.csv", table.assign(pos=points(table), who=table["id"])),
    ),
    "agents.jl": (
        {},
        lambda to, table: delimited(to / "j.csv", table.rename(columns={"frame": "step"}).assign(pos=points(table))),
    ),
    "deeplabcut": ({}, deeplabcut),
    "flamegpu": ({}, flamegpu),
    "idtracker.ai": ({}, lambda to, table: delimited(to / "i.csv", wide(table))),
    "mesa": ({}, lambda to, table: delimited(to / "a.csv", table.rename(columns=STEPS))),
    "mot": ({}, mot),
    "movebank": ({}, movebank),
    "movement": ({}, movement),
    "netlogo": ({}, netlogo),
    "sleap": ({}, sleap),
    "trackmate": ({}, trackmate),
    "trackpy": ({}, lambda to, table: delimited(to / "p.csv", table.rename(columns={"id": "particle"}))),
    "trex": ({}, trex),
}
"""Every layout that is read, with what tells it, and a program that writes it."""
NUMBERED = {"cells"}  # Layouts whose names are the numbers in a cell
UNSAFE = {"mot", "netlogo", "trex"}  # Layouts whose names are numbers, have no spaces, or are names of files


def recorded(files: list[str], to: Path, **form: object) -> tuple[np.ndarray, tuple[str, ...]]:
    """Positions by frame and animal, in the order of the recording, and the notices."""
    source = form.get("source", "")
    down = SOURCES[source].get("y_down", False) if source else False
    asked = TrackFormat(25.0, origin=(0.0, 100.0 * down), **form)
    _, notices = record_tracks(files, str(to / "out.npz"), asked)
    scenario = draft(find(to / "out.npz")).scenario()
    place = np.full((FRAMES, sum(flock.count for flock in scenario.flock), 2), np.nan)
    for state in SavedRun(to / "out.npz", scenario):
        place[state.frame, state.flocks[0].members] = state.flocks[0].position
    if down:
        place[..., 1] = 100 - place[..., 1]
    return place, notices


def expected(table: pd.DataFrame) -> dict[str, np.ndarray]:
    """The track of each animal, of those that have a velocity: beside another position."""
    tracks = {}
    for name, part in table.groupby("id"):
        track = np.full((FRAMES, 2), np.nan)
        track[part["frame"]] = part[["x", "y"]]
        seen = np.isfinite(track[:, 0])
        alone = seen & ~np.append(seen[1:], False) & ~np.append(False, seen[:-1])
        track[alone] = np.nan
        tracks[name] = track
    return tracks


def assert_same(place: np.ndarray, tracks: dict[str, np.ndarray]) -> None:
    """Every track is that of one animal."""
    left = [*place.transpose(1, 0, 2)]
    for track in tracks.values():
        same = [at for at, one in enumerate(left) if np.allclose(one, track, rtol=0, atol=1e-9, equal_nan=True)]
        assert len(same) == 1
        del left[same[0]]
    assert not left


def test_every_layout_is_covered() -> None:
    """The layouts of this file contain every program whose tables are read."""
    assert {*SOURCES} <= {*LAYOUTS}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("renamed", ["", "renamed"])
def test_names_are_compared_as_written(layout: str, renamed: str, tmp_path: Path) -> None:
    """Names that are equal as numbers, and whatever else they are renamed to, are different animals in any layout."""
    table = tracks()
    if renamed:
        if layout in {*NUMBERED, *UNSAFE}:
            pytest.skip("has no such names")
        table = table.assign(id=table["id"].map(RENAMED))
    elif layout in NUMBERED:
        table = table[~table["id"].isin(["0x10", "1_0"])]
    more, write = LAYOUTS[layout]
    form = {"source": layout} if layout in SOURCES else more
    place, _ = recorded(write(tmp_path, table), tmp_path, **form)
    assert_same(place, expected(table))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_order_makes_a_difference(layout: str, tmp_path: Path) -> None:
    """Rows shuffled, animals and columns in another order and files in another order are the same recording."""
    table, random = tracks(("fish 2", "fish 10", "fish 1")), np.random.default_rng(3)
    if layout in {*NUMBERED, *UNSAFE}:
        table["id"] = table["id"].str.removeprefix("fish ")
    more, write = LAYOUTS[layout]
    form = {"source": layout} if layout in SOURCES else more
    found = [recorded(write(tmp_path, table), tmp_path, **form)[0]]
    for _ in range(3):
        mixed = table.iloc[random.permutation(len(table))]
        if layout != "trackpy":  # whose first columns are what trackpy writes
            mixed = mixed[random.permutation(mixed.columns)]
        files = write(tmp_path, mixed)
        found.append(recorded([files[at] for at in random.permutation(len(files))], tmp_path, **form)[0])
    assert_same(found[0], expected(table))
    assert np.allclose(found[0][:, 1], expected(table)[table["id"].iloc[0]], rtol=0, atol=1e-9, equal_nan=True)
    assert all(np.array_equal(one, found[0], equal_nan=True) for one in found)


@pytest.mark.parametrize("column", ["float64", "int64", "Int64", "category", "string"])
def test_whole_numbers_of_parquet_are_read_in_full(column: str, tmp_path: Path) -> None:
    """Names of any type of a column are those that it shows, beside rows that have none in other columns."""
    table = tracks(("3", "1", "12"))
    typed = table.assign(id=table["id"].astype("float64" if column == "float64" else "int64").astype(column))
    place, notices = recorded(parquet(tmp_path / "t.parquet", typed), tmp_path, columns=LONG)
    assert_same(place, expected(table))
    assert np.allclose(place[:, 2], expected(table)["12"], rtol=0, atol=1e-9, equal_nan=True)
    assert not any("taken as one" in notice for notice in notices)


def test_decimals_that_a_program_writes_are_whole_numbers(tmp_path: Path) -> None:
    """3 and 3.0 are one animal, with a notice, where all names are whole numbers, and two where one is not."""
    table = tracks(("3", "7"))
    late = table["id"].where(table["frame"] < 4, table["id"] + ".0")
    place, notices = recorded(delimited(tmp_path / "t.csv", table.assign(id=late)), tmp_path, columns=LONG)
    assert_same(place, expected(table))
    assert "id 3 and 3.0 are taken as one" in notices[0]

    other = pd.concat([table.assign(id=late), tracks(("3.50",), 2)])
    place, notices = recorded(delimited(tmp_path / "t.csv", other), tmp_path, columns=LONG)
    assert_same(place, expected(other))
    assert not any("taken as one" in notice for notice in notices)

    parts = [
        delimited(tmp_path / f"{at}.csv", part.assign(id=late))[0] for at, part in table.groupby(table["frame"] < 4)
    ]
    assert_same(recorded(parts, tmp_path, columns=LONG)[0], expected(table))


@pytest.mark.parametrize("value", ["1", "01", "1.0", "1.10", "1e0", "NA", "None", "true", ""])
@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
def test_only_compares_as_written(value: str, kind: str, tmp_path: Path) -> None:
    """Rows are kept whose text is that of the option, and not one that means the same number."""
    values = ["1", "01", "1.0", "1.10", "1e0", "NA", "None", "true", ""]
    parts = {one: tracks(("a", "b"), seed) for seed, one in enumerate(values)}
    table = pd.concat([part.assign(run=one) for one, part in parts.items()])
    place, _ = recorded(LAYOUTS[kind][1](tmp_path, table), tmp_path, columns=LONG, only=(f"run={value}",))
    assert_same(place, expected(parts[value]))


def test_only_compares_numbers_of_a_table_with_gaps(tmp_path: Path) -> None:
    """A whole number is one where other rows have none, in text and Parquet tables."""
    table = tracks(("a", "b"))
    half = pd.array([1 if frame < 4 else None for frame in table["frame"]], "Int64")
    for kind in ("csv", "parquet"):
        files = LAYOUTS[kind][1](tmp_path, table.assign(run=half))
        place, _ = recorded(files, tmp_path, columns=LONG, only=("run=1",))
        assert_same(place, expected(table[table["frame"] < 4]))


@pytest.mark.parametrize("name", ["x1,y1,x1,y1", "x2,y2,x1,x1"])
@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_two_columns_of_one_name_are_refused(name: str, kind: str, tmp_path: Path) -> None:
    """An animal whose columns are there twice is an error; columns that are not read may be."""
    lines = [name, "1,2,3,4", "2,3,4,5", "3,4,5,6"]
    path = tmp_path / f"w.{kind}"
    path.write_text("\n".join(lines).replace(",", "\t" if kind == "tsv" else ","))
    with pytest.raises(ScenarioError, match=r"has two columns 'x1'|has no column 'y"):
        record_tracks([str(path)], str(tmp_path / "out.npz"), TrackFormat(25.0, ("x=x*", "y=y*")))

    path.write_text("frame,x,note,note,y\n0,1,,,2\n1,2,,,3\n".replace(",", "\t" if kind == "tsv" else ","))
    record_tracks([str(path)], str(tmp_path / "out.npz"), TrackFormat(25.0, ("frame", "-", "x", "y")))
