"""Promises 2, 3 and 6: one door in and one door out, which no command and no function can walk around."""

import ast
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import boidsgen as package
from boidsgen.errors import BoidsgenError
from tests.promises.setting import content, finish, limited, patience, start, until
from tests.running import ROOT, SCENARIO
from tests.systems import link as make_link
from tests.systems import posix

pytestmark = pytest.mark.faults

SECONDS = 60  # After which something that should be refused counts as hung
TABLE = "frame,id,x,y\n0,1,1,1\n1,1,2,2\n2,1,3,1\n"
COLUMNS = "--columns frame,id,x,y --fps 10"

# One place that opens

WRITING = {
    *("write_text", "write_bytes", "mkdir", "makedirs", "rename", "touch", "symlink_to", "hardlink_to", "copyfile"),
    *("copy2", "copytree", "unlink", "rmtree", "rmdir", "removedirs", "to_netcdf", "savefig", "to_csv"),
    *("to_parquet", "TemporaryFile", "NamedTemporaryFile", "TemporaryDirectory", "mkstemp", "mkdtemp"),
}
READING = {"read_text", "read_bytes", "read_parquet", "read_csv", "genfromtxt", "loadtxt", "memmap"}
DOORS = {"output/publish.py", "inputs.py", "system.py"}
PROGRAMS = {"kernel/build.py"}  # Which developers start
SHIPPED = {
    *("cli/course.py", "drawing/shapes.py", "drawing/text.py", "drawing/themes.py", "scenario/reference.py"),
    *("scenario/sources.py", "simulation/starts.py", "studies/reports.py", "webpage/writer.py", "kernel/library.py"),
    *("webpage/document.py", "plugins.py", "scenario/reference.py", "studies/reports.py"),
}
"""Modules that read what comes with boidsgen, or the code of packages; they have no name of a file from a user."""
ALLOWED = {
    ("studies/results.py", "savefig"): "into an open file of publish",
    ("output/video.py", "TemporaryFile"): "the nameless table of ffmpeg's packets",
    ("studies/manifest.py", "unlink"): "the manifest of a sweep that failed before its first row",
    ("cli/check.py", "rmtree"): "doctor --clean",
    ("cli/check.py", "unlink"): "doctor --clean",
    ("observations/track_files.py", "open"): "what is packed in bytes of inputs, and a dataset in memory",
    ("observations/tracks.py", "to_csv"): "the text of a table in memory, for its digest",
    ("observations/track_tables.py", "read_csv"): "bytes of inputs",
    ("observations/track_tables.py", "rename"): "columns",
    ("output/film.py", "TemporaryFile"): "what is nameless and goes when the film is read",
    ("observations/track_tables.py", "read_text"): "the columns of programs, which come with boidsgen",
    ("displays.py", "read_bytes"): "the picture that was just made",
    ("output/mov.py", "open"): "the file of publish, to which a box is added",
    ("parcels.py", "read_bytes"): "the code of a module that is loaded",
    ("scenario/model_table.py", "read_text"): "citations, which come with boidsgen",
    ("simulation/records.py", "read_text"): "the layout of the kernel's records, which comes with boidsgen",
    ("output/formats.py", "read_bytes"): "the clip that was just made",
    ("output/pictures.py", "open"): "the picture that was just made, read back, and the file of publish",
    ("output/outputs.py", "open"): "the file of publish",
    ("__main__.py", "open"): "the null device",
    ("cli/main.py", "open"): "the null device, and a browser",
    ("jobs.py", "open"): "the null device",
    ("scenario/sources.py", "open"): "an image in memory",
    ("output/recording.py", "open"): "a member of an archive",
    ("output/columns.py", "open"): "a member of an archive, and the file of publish",
    ("measuring.py", "open"): "the file of publish",
    ("studies/sweep.py", "open"): "an image of an open file",
}


def calls(path):
    """The names of the functions that a module calls, or passes on to be called, as to `partial`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        for one in (node.func, *node.args) if isinstance(node, ast.Call) else ():
            yield one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "")


def test_one_module_opens_files_to_read_and_one_to_write():
    """No other module makes, opens or removes a file: each call that looks so is in a list, with its reason."""
    found = set()
    for path in sorted((ROOT / "boidsgen").rglob("*.py")):
        name = path.relative_to(ROOT / "boidsgen").as_posix()
        if name in DOORS | PROGRAMS:
            continue
        wanted = WRITING | {"open"} | (set() if name in SHIPPED else READING)
        found |= {(name, call) for call in calls(path) if call in wanted}

    assert found == {*ALLOWED}


# What attackers tried, a line each: what is there before, the command, its exit code, and a word of its message.


def fifo(name):
    """A pipe that nobody writes to."""
    return lambda here: os.mkfifo(here / name)


def text(name, written):
    """A file with a text."""

    def put(here):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_bytes(written.encode() if isinstance(written, str) else written)

    return put


def parquet(name, **columns):
    """A table with columns, and perhaps an index or metadata that pandas would obey."""

    def put(here):
        arrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet as files

        about = columns.pop("about", None)
        made = arrow.table({key: arrow.array(values) for key, values in columns.items()})
        files.write_table(made.replace_schema_metadata(about) if about else made, here / name)

    return put


def repeated(here):
    """A few kilobytes of Parquet that stand for gigabytes of names."""
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as files

    rows = arrow.array([*map(float, range(5000))])
    names = arrow.DictionaryArray.from_arrays(arrow.array([0] * 5000, arrow.int32()), arrow.array(["a" * 1_000_000]))
    files.write_table(arrow.table({"frame": rows, "id": names, "x": rows, "y": rows}), here / "t.parquet")


def tracks(name, more="", columns=COLUMNS):
    """The command for a table."""
    return f"tracks {name} {columns} {more} -o o.npz"


def wide(animals):
    """A table with two columns for each of many animals."""
    return "".join(",".join(f"{axis}{one}" for one in range(animals) for axis in "xy") + "\n") + (
        ",".join(["1"] * 2 * animals) + "\n" + ",".join(["2"] * 2 * animals) + "\n"
    )


def manifest(runs, **changed):
    """The manifest of a Saltelli design of one key with two seeds, in the folder s, of which so many runs are there."""
    rows = [
        {"run": f"{number}", "status": "done", "seeds": 2, "mean": {"polarization": (number * 0.7) % 1}}
        | {"parameters": {"flock.max_speed": number // 6 + (number % 6 > 1)}, **changed}
        for number in range(runs)
    ]
    return text("s/manifest.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))


def names(letters):
    """The rows of animals with one letter as name each, in a table that is so wide that pandas reads it in parts."""
    return "".join(f"{at},{name},{at},1{',' * 999}\n" for at, name in enumerate(letters))


def compressed(here):
    """A dataset of tracks that is far larger in memory than as a file."""
    xarray = pytest.importorskip("xarray")
    still = xarray.DataArray(0.0).expand_dims({"time": 11_000, "space": 2, "individuals": 500})
    packed = {"position": {"compression": "gzip"}}
    xarray.Dataset({"position": still}).to_netcdf(here / "t.nc", engine="h5netcdf", encoding=packed)


def sparse(here):
    """The table beside a manifest, whose bytes take no room on a disk."""
    manifest(6)(here)
    with (here / "s/manifest.csv").open("wb") as file:
        file.truncate(200_000_001)


def film(name):
    """A film of some frames, or a picture."""

    def put(here):
        (here / name).parent.mkdir(exist_ok=True)
        package.still(SCENARIO, here / name) if name.endswith("png") else package.render(SCENARIO, here / name)

    return put


OVER_FILM = 'render small.toml --set background.video="film.mp4"'


def agents(*those):
    """A state as FLAME GPU exports it."""
    return json.dumps({"stats": {"step_count": 1}, "agents": {"a": {"default": those}}})


def row(changed):
    """A line of a manifest in which something is changed."""
    plain = {"run": "a", "status": "done", "mean": {"polarization": 0.5}, "parameters": {"flock.count": 3}}
    return json.dumps(plain | changed).replace("Infinity", "1e999")


FIT = "fit quickstart quickstart --vary flock.cohesion.weight=0:3 -q -o f"
MEASURED = "seed,frame,time,polarization\n" + "".join(f"1,{frame},{frame},1e300\n" for frame in range(20))
CUMULANT = "binder_cumulant.polarization"
LEADERS = "leaders quickstart --frames 40 -q -o o.csv"
ANIMAL = {"frame": [0, 1, 2], "id": ["a", "a", "a"], "x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 1.0]}
INDEX = {b"pandas": b'{"index_columns": 5}'}
NONE = {b"pandas": b"[]"}
UNKNOWN = {b"pandas": b'{"index_columns": ["nobody"], "columns": [], "column_indexes": []}'}
LONG_NAMES = "a" * 9000 + "c," + "a" * 9000 + "d\n1,1\n"
ATTACKS = {
    "a pipe as table": (fifo("t.csv"), tracks("t.csv"), 5, "pipe"),
    "a pipe as scenario": (fifo("t.toml"), "render t.toml -o o.gif", 5, "pipe"),
    "a pipe as clip": (fifo("t.gif"), "replay t.gif -o o.gif", 5, "pipe"),
    "a pipe as points": (fifo("p.csv"), 'render small.toml --set flock.start.csv="p.csv" -o o.gif', 3, "pipe"),
    "a pipe as manifest": (fifo("manifest.jsonl"), "plot . -o o.svg", 5, "pipe"),
    "a device as table": (text("n", ""), tracks("/dev/zero"), 5, "device"),
    "a device as scenario": (text("n", ""), "check /dev/zero", 5, "device"),
    "a URL": (text("n", ""), tracks("http://127.0.0.1:9/ok.csv"), 5, "No such file"),
    "a URL of a file": (text("n", ""), tracks("file:///etc/hosts"), 5, "No such file"),
    "36 bytes for 6 GB": (
        text("t.csv", "frame,id,x,y\n0,1,1,1\n99999999,1,2,2\n"),
        tracks("t.csv"),
        8,
        "limits.frames",
    ),
    "animals by frames": (
        text("t.csv", "frame,id,x,y\n" + "".join(f"{900 * one},{one},1,{one}\n" for one in range(1000))),
        tracks("t.csv"),
        8,
        "limits.positions",
    ),
    "columns by lines": (text("t.csv", ",".join("a" * 5000) + "\n" + "1\n" * 20000), tracks("t.csv"), 8, "cells"),
    "a window beyond the end": (text("t.csv", TABLE), tracks("t.csv", "--smooth 2000001"), 0, ""),
    "a slow pattern": (
        text("t.csv", LONG_NAMES),
        tracks("t.csv", "", "--columns -,*,*a*a*a*b,*a*a*a*c --fps 9"),
        2,
        "one star",
    ),
    "many animals": (text("t.csv", wide(3000)), tracks("t.csv", "", "--columns -,*,x*,y* --fps 9"), 0, ""),
    "one row": (text("t.csv", "frame,id,x,y\n0,1,1,1\n"), tracks("t.csv"), 3, "velocity"),
    "an animal at rest": (text("t.csv", "frame,id,x,y\n0,1,1,1\n1,1,1,1\n2,1,1,1\n"), tracks("t.csv"), 0, ""),
    "a short last row": (text("t.csv", "frame,id,x,y\n0,1,1,1\n1,1\n"), tracks("t.csv"), 3, "velocity"),
    "no origin": (text("t.csv", TABLE), tracks("t.csv", "--origin nan,0"), 2, "--origin"),
    "an origin beyond": (text("t.csv", TABLE), tracks("t.csv", "--origin 1e308,-1e308"), 2, "--origin"),
    "a huge scale": (text("t.csv", TABLE), tracks("t.csv", "--scale 1e308"), 2, "--scale"),
    "huge numbers": (text("t.csv", "frame,id,x,y\n0,1,1e308,1\n1,1,-1e308,2\n"), tracks("t.csv"), 3, "row 1: x"),
    "a date as index": (parquet("t.parquet", **ANIMAL, about=INDEX), tracks("t.parquet"), 0, ""),
    "no metadata": (parquet("t.parquet", **ANIMAL, about=NONE), tracks("t.parquet"), 0, ""),
    "an unknown index": (parquet("t.parquet", **ANIMAL, about=UNKNOWN), tracks("t.parquet"), 0, ""),
    "a text among numbers": (
        parquet("t.parquet", **ANIMAL | {"x": ["1", "oops", "2"]}),
        tracks("t.parquet"),
        3,
        "oops",
    ),
    "bytes as animals": (parquet("t.parquet", **ANIMAL | {"id": [b"\xff"] * 3}), tracks("t.parquet"), 3, "t.parquet"),
    "gigabytes of names": (repeated, tracks("t.parquet"), 8, "bytes"),
    "a name after many numbers": (
        text("t.csv", "frame,id,x,y" + "".join(f",{one}" for one in range(999)) + "\n" + names("0" * 2000 + "b")),
        tracks("t.csv"),
        0,
        "",
    ),
    "a dataset that grows": (compressed, tracks("t.nc", columns="--source movement --fps 10"), 8, "cells"),
    "a table of a sweep without end": (sparse, "plot s -o o.svg", 5, "more than 200,000 kB"),
    "lists as coordinates": (parquet("t.parquet", **ANIMAL | {"x": [[1.0]] * 3}), tracks("t.parquet"), 3, "no column"),
    "an animal without a name": (text("t.csv", TABLE.replace(",1,", ",NA,")), tracks("t.csv"), 3, "id must be"),
    "columns without end": (text("t.csv", "," * 100_000 + "\n"), tracks("t.csv"), 8, "columns"),
    "delays without end": (text("n", ""), f"{LEADERS} --delay inf", 2, "delays"),
    "delays that are none": (text("n", ""), f"{LEADERS} --delay nan", 2, "delays"),
    "leaders of nobody": (text("n", ""), f"{LEADERS} --set flock.count=0", 2, "no two animals"),
    "leaders of thousands": (text("n", ""), f"{LEADERS} --set flock.count=5000", 8, "limits.positions"),
    "a column for each agent": (
        text("t.json", agents(*({f"k{at}": 1} for at in range(9000)))),
        tracks("t.json", columns="--source flamegpu --fps 10"),
        8,
        "cells",
    ),
    "a coordinate that is no float": (
        text("t.json", agents({"_id": 1, "x": 10**400, "y": 1})),
        tracks("t.json", columns="--source flamegpu --fps 10"),
        3,
        "too large",
    ),
    "a film as output": (film("film.mp4"), f"{OVER_FILM} -o film.mp4", 2, "already an input"),
    "a picture of a film as output": (
        film("film/1.png"),
        OVER_FILM.replace("render", "still").replace("film.mp4", "film/%d.png") + " -o film/1.png",
        2,
        "already an input",
    ),
    "a film that is a list of films": (
        text("film.mp4", "ffconcat version 1.0\nfile other.mp4\n"),
        f"{OVER_FILM} -o o.mp4",
        3,
        "is not a readable film",
    ),
    "a film that is a text": (
        text("film.mp4", "a secret\n" * 999),
        f"{OVER_FILM} -o o.mp4",
        3,
        "is not a readable film",
    ),
    "a pipe as film": (fifo("film.mp4"), f"{OVER_FILM} -o o.mp4", 3, "pipe"),
    "a deep condition": (
        text("t.toml", f'[[page.try]]\ndo = "Wait."\nuntil = "{"not " * 900}groups > 1"\n'),
        "check t.toml",
        3,
        "at most 1,000 letters",
    ),
    "garbage as zip": (text("t.zip", os.urandom(1000)), tracks("t.zip"), 3, "t.zip"),
    "garbage as xz": (text("t.xz", os.urandom(1000)), tracks("t.xz"), 3, "t.xz"),
    "garbage as tar": (text("t.tar", os.urandom(1000)), tracks("t.tar"), 3, "t.tar"),
    "half a gz": (text("t.csv.gz", b"\x1f\x8b\x08\0\0\0\0\0"), tracks("t.csv.gz"), 3, "t.csv.gz"),
    "garbage as parquet": (text("t.parquet", os.urandom(1000)), tracks("t.parquet"), 3, "t.parquet"),
    "hours in a clip": (text("n", ""), "replay hours.svg -o o.gif", 8, "--trust"),
    "a foreign manifest": (
        text("s/manifest.json", "precious"),
        "course --unit seeds --format gif -o s",
        5,
        "not made by boidsgen",
    ),
    "a foreign worksheet": (
        text("s/seeds/worksheet.pdf", "precious"),
        "course --unit seeds --format gif -o s",
        5,
        "not made by boidsgen",
    ),
    "a foreign run": (text("s/flock.npz", "precious"), "course starter numpy -o s", 4, "already exists"),
    "no format": (text("n", ""), "course --unit seeds --format nonsense -o s", 2, "--format"),
    "a folder as format": (text("n", ""), "course --unit 1 --format png -o s", 2, "--format"),
    "a sweep's file elsewhere": (
        lambda here: make_link(here / "seed=1.gif", "elsewhere.gif"),
        "sweep small.toml --vary seed=1,2 --jobs 1 -o .",
        5,
        "not made by boidsgen",
    ),
    "a fit's foreign file": (text("f/methods.txt", "precious"), f"{FIT} --runs 100", 5, "not made by boidsgen"),
    "a fit's file elsewhere": (
        lambda here: ((here / "f").mkdir(), make_link(here / "f" / "beside.gif", "../elsewhere.gif")),
        f"{FIT} --runs 100",
        5,
        "not made by boidsgen",
    ),
    "a foreign series": (
        text("s/seed=1.series.csv", "precious"),
        "sweep small.toml --seeds 2 --measures-only --series csv --jobs 1 -o s",
        5,
        "not made by boidsgen",
    ),
    "a fit of a week": (text("n", ""), f"{FIT} --runs 100000000", 8, "limits.runs"),
    "a fit to hours": (text("n", ""), FIT.replace("fit quickstart", "fit hours.svg"), 8, "--trust"),
    "a fit to huge numbers": (text("t.csv", MEASURED), FIT.replace("fit quickstart", "fit t.csv"), 2, "row 1: pol"),
    "a design without end": (
        text("n", ""),
        f"sweep small.toml --design lhs --runs {2**40} --vary flock.max_speed=1:3 -o s",
        8,
        "limits.runs",
    ),
    "the indices of a killed sweep": (manifest(95), "sensitivity s -o o.csv", 2, "not a complete Saltelli design"),
    "indices without keys": (
        manifest(96, parameters={}),
        "sensitivity s -o o.csv",
        2,
        "not a complete Saltelli design",
    ),
    "indices without seeds": (manifest(96, seeds=0), "sensitivity s -o o.csv", 2, "not a complete Saltelli design"),
    "indices of runs without parameters": (
        text("s/manifest.jsonl", '{"run": "a", "status": "done", "mean": {"polarization": 1}}'),
        "sensitivity s -o o.csv",
        2,
        "not a complete Saltelli design",
    ),
    **{
        f"runs with {name}": (text("s/manifest.jsonl", row(changed)), f"plot s {more} -o o.svg", code, said)
        for name, changed, more, code, said in (
            ("huge numbers", {"mean": {"polarization": 1e308}}, "", 2, "no finished run"),
            ("a whole number that is no float", {"parameters": {"a": 10**400}}, "", 2, "no finished run"),
            ("an infinity", {"parameters": {"a": 1e999}}, "", 2, "no finished run"),
            ("half a letter", {"parameters": {"a": "\ud800"}}, "", 2, "no finished run"),
            ("deep lists", {"parameters": {"a": json.loads("[" * 500 + "]" * 500)}}, "", 2, "no finished run"),
            ("a key that is none", {"parameters": {"$\\frac$": 1}}, "", 0, ""),
            (
                "tiny moments",
                {"moments": {"polarization": [1e-200, 0]}},
                "--measure binder_cumulant.polarization",
                0,
                "",
            ),
        )
    },
    "mathematics that is none": (manifest(6), r"plot s --xlabel $\frac$ -o o.svg", 2, "--xlabel"),
    "a figure without width": (manifest(6), "plot s --width 1e-9mm -o o.png", 2, "--width"),
    "a figure on its fit's film": (text("n", ""), f"fit hours.svg {FIT[15:]} --plot hours.svg", 2, "already an"),
    "a scene without animals": (text("n", ""), "simulate small.toml --set flock.count=0 -o o.glb", 2, "at least one"),
    "a scene of 8 GB": (
        text("n", ""),
        "simulate small.toml --set flock.count=2000 --frames 200000 -o o.glb",
        8,
        "--every",
    ),
    "NUL in a name": (text("n", ""), 'simulate small.toml --set flock.name="\\u0000" -o o.nc', 0, ""),
    "a sweep's file elsewhere, by force": (
        lambda here: (
            (here / "s").mkdir(),
            (here / "t").write_text("precious"),
            make_link(here / "s/seed=1.gif", "../t"),
        ),
        "sweep small.toml --vary seed=1,2 --jobs 1 --force-directory --format gif -o s",
        5,
        "not made by boidsgen",
    ),
    "a font as output": (
        lambda here: shutil.copy(font(), here / "f.ttf"),
        'render small.toml --set style.font="f.ttf" --format gif -o f.ttf',
        2,
        "already an input",
    ),
}
KEPT = {"s/manifest.json", "s/seeds/worksheet.pdf", "s/flock.npz", "f.ttf"}


def font():
    """A font of matplotlib's."""
    return Path(pytest.importorskip("matplotlib").get_data_path(), "fonts/ttf/DejaVuSans.ttf")


@posix
@pytest.mark.parametrize("name", ATTACKS)
def test_what_attackers_tried(name, boidsgen, here):
    """Whatever is named as input or stands where an output goes: in time, one line, and nothing else has changed."""
    put, line, code, said = ATTACKS[name]
    if line.startswith("tracks"):
        pytest.importorskip("pandas")
    if line.startswith(("plot", "sensitivity")):
        pytest.importorskip("matplotlib")
    if "hours" in line:
        heavy = ["--set", "time.frames=200000", "--set", "flock.count=2000"]
        assert boidsgen("still", SCENARIO, *heavy, "--at", 0, "-o", "hours.svg").code == 0
    put(here)
    before = {path: data for path, data in content_of_files(here).items() if path != "n"}
    with patience(SECONDS):
        ran = boidsgen(*line.split())

    assert ran.code == code, ran
    assert said in ran.err
    assert code == 0 or len(ran.lines) <= 2
    assert "Traceback" not in ran.err
    after = content_of_files(here)
    assert {path: after.get(path) for path in before} == before
    assert code == 0 or {*after} - {*before} <= {"n"}


def content_of_files(directory):
    """The regular files below a directory, and their bytes."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def test_the_digest_of_tracks_is_that_of_the_file(boidsgen, here):
    """The recorded SHA-256 of one file is what sha256sum prints."""
    pytest.importorskip("pandas")
    (here / "t.csv").write_text(TABLE)
    assert boidsgen(*tracks("t.csv").split()).code == 0
    assert hashlib.sha256(TABLE.encode()).hexdigest() in boidsgen("show", "o.npz").out


# Functions for Python callers

OTHERS = {"frames": 2, "flock__count": 5}
READ_AS = {"columns": "frame,id,x,y", "fps": 10}
MISUSES = {
    "tracks onto itself": lambda: package.tracks("t.csv", "t.csv", **READ_AS),
    "tracks through a link": lambda: package.tracks("t.csv", "link.npz", **READ_AS),
    "a clip onto itself": lambda: package.render("a.gif", "a.gif", frames=2),
    "a comparison onto its clip": lambda: package.compare(["a.gif"], "a.gif", frames=2),
    "a scenario as picture": lambda: package.still("t.png", "t.png"),
    "a replay onto its original": lambda: package.replay("a.gif", "a.gif"),
    "a page of other states": lambda: package.page("quickstart", states=package.simulate("hunt", frames=2), **OTHERS),
    "a clip of a list of other states": lambda: package.render(
        "quickstart", "o.gif", states=[*package.simulate("hunt", frames=2)], **OTHERS
    ),
    "states that are none": lambda: package.page("quickstart", states=[1, 2], **OTHERS),
    "no states": lambda: package.page("quickstart", states=[], **OTHERS),
    "a number as states": lambda: package.render("quickstart", "o.gif", states=4, **OTHERS),
    "no tables": lambda: package.tracks([], "o.npz", **READ_AS),
    "None as table": lambda: package.tracks(None, "o.npz", **READ_AS),
    "None as path": lambda: package.render("quickstart", None, **OTHERS),
    "a number as path": lambda: package.render("quickstart", 3, **OTHERS),
    "bytes as path": lambda: package.render("quickstart", b"o.gif", **OTHERS),
    "a number as original": lambda: package.replay(5, "o.gif"),
    "a number as directory": lambda: package.sweep("quickstart", {"seed": [1]}, directory=4, **OTHERS),
    "no name as directory": lambda: package.sweep("quickstart", {"seed": [1]}, directory="", **OTHERS),
    "text as rate": lambda: package.tracks("t.csv", "o.npz", columns="frame,id,x,y", fps="10"),
    "None as columns": lambda: package.tracks("t.csv", "o.npz", columns=None, fps=10),
    "a window of half a frame": lambda: package.tracks("t.csv", "o.npz", smooth=3.5, **READ_AS),
    "no header": lambda: package.tracks("t.csv", "o.npz", header=0, **READ_AS),
    "None as scenarios": lambda: package.compare(None, "o.gif"),
    "no scenarios": lambda: package.compare([], "o.gif"),
    "numbers as variants": lambda: package.compare(["quickstart"], "o.gif", variants=[1], **OTHERS),
    "numbers as labels": lambda: package.compare(["quickstart"], "o.gif", labels=[1], **OTHERS),
    "a list as overrides": lambda: package.render("quickstart", "o.gif", overrides=[1], **OTHERS),
    "a number as overrides": lambda: package.load_scenario("quickstart", 5),
    "a number as progress": lambda: package.render("quickstart", "o.gif", progress=4, **OTHERS),
    "a list as what varies": lambda: package.sweep("quickstart", [1], **OTHERS),
    "None as values": lambda: package.sweep("quickstart", {"flock.count": None}, frames=2),
    "a number as measures": lambda: package.measure("quickstart", measures=5, **OTHERS),
    "None as frame": lambda: package.still("quickstart", "o.png", at=[None], **OTHERS),
    "a page into no folder": lambda: package.page("quickstart", **OTHERS).save("no/such/o.html"),
}


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    """A clip, a table, and a scenario that is called like a picture."""
    there = tmp_path_factory.mktemp("material")
    package.render("quickstart", there / "a.gif", **OTHERS)
    (there / "t.csv").write_text(TABLE)
    (there / "t.png").write_text("[time]\nframes = 2\n")
    return there


@pytest.mark.parametrize("name", MISUSES)
def test_python_callers_meet_the_same_doors(name, material, here):
    """A wrong argument is an error of ours, which stops before anything is made, and no input is replaced."""
    if "table" in name or "tracks" in name or "rate" in name:
        pytest.importorskip("pandas")
    shutil.copytree(material, here, dirs_exist_ok=True)
    make_link(here / "link.npz", "t.csv")
    before = content(here)
    with pytest.raises(BoidsgenError) as caught:
        MISUSES[name]()

    assert len(str(caught.value).splitlines()) == 1
    assert content(here) == before


# Surroundings

NAMELESS = ["unshare", "--user", "--map-user=54321", "--map-group=54321"]


@posix
@pytest.mark.turns(4)  # of the outputs, whose number has no common divisor with it, each with other options
@pytest.mark.parametrize("options", [(), ("--set", 'style.font="Nonsense"'), ("--set", 'title="群れ"')], ids=str)
@pytest.mark.parametrize("output", ["o.gif", "o.html", "o.png"])
def test_a_user_without_name_and_home(options, output, here):
    """In a container with a bare user id, without a home and a folder for temporary files, all works that can."""
    if not shutil.which("unshare") or subprocess.run([*NAMELESS, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system makes no users without names")
    without = {name: value for name, value in os.environ.items() if name not in {"HOME", "USER", "LOGNAME"}}
    command = "still" if output.endswith("png") else "render"
    process = subprocess.Popen(
        [*NAMELESS, sys.executable, "-m", "boidsgen", command, SCENARIO, *options, "-o", output],
        cwd=here,
        env={**without, "PYTHONPATH": str(ROOT), "TMPDIR": str(here / "nowhere"), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    code, _, err = finish(process)

    wrong = "Nonsense" in str(options)
    assert code == (3 if wrong else 0), err
    assert "Traceback" not in err
    assert {path.name for path in here.iterdir()} == {SCENARIO} | (set() if wrong else {output})


@posix
@pytest.mark.parametrize(
    "size", [pytest.param("0", marks=pytest.mark.slow), "40%", pytest.param("80%", marks=pytest.mark.slow)]
)
def test_netcdf_on_a_full_disk(size, boidsgen, here):
    """HDF5 meets the end of the disk as every writer does: code 5, the system's reason, and nothing is left."""
    pytest.importorskip("h5netcdf")
    assert boidsgen("simulate", SCENARIO, "-o", "o.nc").code == 0
    share = int(size.rstrip("%")) * (here / "o.nc").stat().st_size // 100
    before = content(here)
    unwritten = {"PYTHONDONTWRITEBYTECODE": "1"}
    for _ in range(2):
        process = start(
            "simulate", SCENARIO, "-o", "o.nc", cwd=here, preexec_fn=limited("RLIMIT_FSIZE", share), env=unwritten
        )
        code, out, err = finish(process)

        assert (code, out, err.count("\n")) == (5, "", 1), err
        assert "File too large" in err
        assert content(here) == before


TEMPORARY = {
    "a clip that must fit": ("render", SCENARIO, "--frames", 5000, "--set", "output.max_bytes=900000", "-o", "o.gif"),
    "collect": ("collect", "long.gif"),
}


@posix
@pytest.mark.parametrize("name", TEMPORARY)
def test_what_is_left_after_sigkill_is_found(name, boidsgen, here):
    """Whatever a killed command leaves in the folder for temporary files, doctor names and removes."""
    (here / "temporary").mkdir()
    if name == "collect":
        assert boidsgen("render", SCENARIO, "--frames", 1200, "-o", "long.gif").code == 0
    process = start(*TEMPORARY[name], cwd=here, env={"TMPDIR": str(here / "temporary")})
    left = []
    assert until(lambda: left.extend((here / "temporary").glob(".boidsgen-*")) or left, process)
    process.send_signal(signal.SIGKILL)
    finish(process)
    _, out, _ = finish(start("doctor", "--json", cwd=here, env={"TMPDIR": str(here / "temporary")}))

    assert all(path.name in json.loads(out)["leftovers"] for path in left)
    for place in (here, here / "temporary"):
        assert boidsgen("doctor", "--clean", place, "--yes").code == 0
    assert not [*(here / "temporary").glob(".boidsgen-*")]


def test_what_a_killed_course_leaves_is_removed(boidsgen, here):
    """Temporary folders in the folders of units are found from the folder of the course, and no link is followed."""
    course, elsewhere = here / "course", here / "elsewhere/.boidsgen-a.gif-0.part"
    left = [course / place / ".boidsgen-a.gif-0.part" for place in ("", "seeds", "seeds/light")]
    for path in (*left, elsewhere):
        path.mkdir(parents=True)
        (path / "output").write_text("half")
    make_link(course / "link", "../elsewhere")
    assert boidsgen("doctor", "--clean", course, "--yes").code == 0

    assert not any(map(Path.exists, left))
    assert (elsewhere / "output").exists()


def test_pages_are_collected(boidsgen):
    """A page that was handed in unchanged is verified, whatever its name."""
    assert boidsgen("render", SCENARIO, "-o", "handed-in.html").code == 0
    found = json.loads(boidsgen("collect", "handed-in.html", "--json").out)

    assert (found["verified"], found["reason"]) == (True, None)


@posix
def test_a_name_with_a_line_break_has_one_row(boidsgen, here):
    """A table has a line for each file, whatever its name."""
    (here / "a\nb.gif").write_bytes(b"no clip")

    assert len(boidsgen("collect", "a\nb.gif").out.splitlines()) == 2


DAMAGES = {
    "GSUB": (b"GSUB", b"\xaa" * 400),
    "GPOS": (b"GPOS", b"\xaa" * 400),
    "cmap": (b"cmap", b"\xaa" * 400),
    "name": (b"name", b"\xff" * 40),
    "post": (b"post", b"\xaa" * 40),
    "OS/2": (b"OS/2", b"\xff" * 60),
    "hmtx": (b"hmtx", b"\xff" * 4000),
    "head": (b"head", b"\0" * 54),
    "hhea": (b"hhea", b"\0\1\0\0\xff\xff\0\1"),  # letters without height
    "whole": (None, b"no font at all"),
}


@pytest.mark.turns(3)
@pytest.mark.parametrize("table", DAMAGES)
def test_damaged_fonts(table, boidsgen, here):
    """A damaged font is used as far as it goes, or refused in one line with the file and the key, in every format."""
    tag, damage = DAMAGES[table]
    name = f"{table.replace('/', '')}.ttf"  # what a font has is kept by its name
    data = bytearray(font().read_bytes())
    if tag is None:
        data = bytearray(damage)
    else:
        entry = data.index(tag)
        at = int.from_bytes(data[entry + 8 : entry + 12], "big")
        data[at : at + len(damage)] = damage
    (here / name).write_bytes(data)
    for output in ("o.gif", "o.html", "o.svg"):
        command = "still" if output.endswith("svg") else "render"
        with patience(SECONDS):
            ran = boidsgen(command, SCENARIO, "--set", f'style.font="{name}"', "--set", 'title="Fluß"', "-o", output)
        assert ran.code in {0, 3}, ran
        assert ran.code == 0 or (len(ran.lines) == 1 and "style.font" in ran.err and name in ran.err), ran
        assert "Traceback" not in ran.err


def test_a_map_shows_no_file_that_nobody_named(boidsgen, here):
    """A study that somebody has altered to name a file of this machine has no map, which would embed it."""
    varied = ["--vary", "flock.cohesion.weight=0,1", "--vary", "flock.alignment.weight=0,1"]
    assert boidsgen("sweep", SCENARIO, *varied, "--measures-only", "--jobs", 1, "-o", "s").code == 0
    assert boidsgen("plot", "s", "-o", "o.html").code == 0
    (here / "secret.csv").write_text("x,y\n12.345,6\n")
    (here / "s/study.toml").write_text(f"[flock]\nstart.csv = '{here / 'secret.csv'}'\n")
    ran = boidsgen("plot", "s", "-o", "p.html")

    assert (ran.code, len(ran.lines), (here / "p.html").exists()) == (3, 1, False)
    assert "flock.start.csv" in ran.err
    ran = boidsgen("plot", "s", "-o", "p.html", "--trust")

    assert (ran.code, len(ran.lines), (here / "p.html").exists()) == (2, 1, False)
    assert "secret.csv" in ran.err


STYLES = {
    "LaTeX": (b"text.usetex: True\n", 0),
    "no text": (b"\xff\xfe\x95", 3),
    "half a list": (b'axes.prop_cycle: cycler("color", ["a\n', 3),
    "what draws nothing": (b"path.effects: x\n", 3),
}


@pytest.mark.parametrize("name", STYLES)
def test_a_style_of_matplotlib_is_data(name, boidsgen, here):
    """A style starts no program, is an input like any other, and what it breaks is one line."""
    pytest.importorskip("matplotlib")
    assert boidsgen("sweep", SCENARIO, "--vary", "seed=1,2", "--measures-only", "-o", "s").code == 0
    written, code = STYLES[name]
    (here / "style.svg").write_bytes(written)
    ran = boidsgen("plot", "s", "--style", "style.svg", "-o", "o.svg")

    assert (ran.code, len(ran.lines)) == (code, code and 1), ran
    assert boidsgen("plot", "s", "--style", "style.svg", "-o", "style.svg").code == 2
    assert (here / "style.svg").read_bytes() == written


def test_documents_do_not_depend_on_the_surroundings(here):
    """Comparisons as pages, schema and help are the same under every hash seed, locale and level of optimization."""
    (here / "two.toml").write_text("time.frames = 2\nflock = [{ name = 'a', count = 3 }, { name = 'b', count = 3 }]\n")
    lines = [("compare", "two.toml", "--ablate", "-o", "o.html"), ("schema",), ("render", "--help"), ("--help",)]
    found = set()
    for around in (
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "2", "PYTHONOPTIMIZE": "2", "LC_ALL": "C", "PYTHONUTF8": "0"},
    ):
        made = [finish(start(*line, cwd=here, env=around))[:2] for line in lines]
        found.add((str(made), (here / "o.html").read_bytes()))

    assert len(found) == 1


def test_ascii_is_only_for_those_who_ask(boidsgen, here):
    """The locale C says nothing about letters: results are UTF-8 there as elsewhere."""
    assert boidsgen("sweep", SCENARIO, "--seeds", 2, "--measures-only", "-o", "s", "-q").code == 0
    texts = {finish(start("describe", "s", cwd=here, env=env))[1] for env in ({"LC_ALL": "C", "PYTHONUTF8": "0"}, {})}

    assert len(texts) == 1
