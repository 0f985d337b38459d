"""Sweeps on the command line; stopped and killed ones, and foreign files, are among the promises."""

import csv
import hashlib
import json
from base64 import b64decode
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from boidsgen import load_scenario
from boidsgen.cli.main import run
from boidsgen.jobs import Here
from boidsgen.output.publish import LOCK, lock_directory
from boidsgen.scenario.layers import Override
from boidsgen.scenario.sources import Source
from boidsgen.studies import sweep as module
from boidsgen.studies.plan import SweepAxis, SweepOptions, plan_sweep
from boidsgen.studies.sweep import Study, late_poster
from tests.running import SMALL
from tests.systems import native

SWEEP = f"""\
{SMALL}
[sweep]
seeds = 2
[sweep.vary]
"flock.separation.weight" = [0.5, 1]
"""


@pytest.fixture
def sweep(boidsgen):
    """Runs `boidsgen sweep` in an empty directory with two small scenarios."""
    Path("sweep.toml").write_text(SWEEP)
    return partial(boidsgen, "sweep")


def _rows(directory):
    return [json.loads(line) for line in (Path(directory) / "manifest.jsonl").read_text().splitlines()]


def _gifs(directory):
    return {path.name: path.read_bytes() for path in Path(directory).glob("*seed=*.gif")}


def test_a_sweep(sweep):
    """Every run is rendered, measured and told; everything is in the directory."""
    ran = sweep("small.toml", "--vary", "flock.separation.weight=0.5,1", "--vary", "flock.count=3:5:3", "-o", "runs")

    names = [f"count={count}_separation.weight={weight}.gif" for weight in ("0.5", "1") for count in (3, 4, 5)]
    assert ran.code == 0
    assert ran.paths == [native(f"runs/{name}") for name in [*names, "manifest.csv", "index.html"]]
    assert ran.err == "boidsgen: 6 runs, 6 done now, 0 kept\n"
    table = list(csv.DictReader(Path("runs/manifest.csv").read_text().splitlines()))
    for name, row in zip(names, table, strict=True):
        with Image.open(f"runs/{name}") as picture:
            assert (picture.size, picture.n_frames) == (load_scenario(SMALL).picture_size, 3)
        assert (row["file"], row["status"], row["seed"], row["frames"]) == (name, "done", "3", "3")
        assert row["sha256"] == hashlib.sha256(Path(f"runs/{name}").read_bytes()).hexdigest()
        assert 0 <= float(row["mean.polarization"]) <= 1
    assert [path.name for path in Path("runs").glob(".*") if path.name != LOCK] == []


def test_a_run_is_an_ordinary_render(sweep):
    """Rendering with the key and the seed of a run makes the same file, whoever does the runs."""
    sweep("sweep.toml", "-o", "runs", "--jobs", 2)
    sweep("sweep.toml", "-o", "one", "--jobs", 1)
    Path("alone").mkdir()

    for row in _rows("runs"):
        keys = [word for key, value in row["parameters"].items() for word in ("--set", f"{key}={value}")]
        path = str(Path("alone", row["file"]))
        assert run(["render", "small.toml", *keys, "--seed", str(row["seed"]), "-o", path, "--quiet"]) == 0
    assert _gifs("alone") == _gifs("runs") == _gifs("one")
    assert len(_gifs("runs")) == 4


def test_options_win_over_the_table(sweep):
    """A key of the table takes the values of the option; what the option leaves out stays."""
    ran = sweep("sweep.toml", "--vary", "flock.separation.weight=7", "--seeds", "1", "--list", "--json")

    [line] = [json.loads(line) for line in ran.paths]
    assert line["parameters"] == {"flock.separation.weight": 7}
    assert line["path"] == native("outputs/sweep-sweep/separation.weight=7_seed=1.gif")
    assert not Path("outputs").exists()


@pytest.mark.parametrize("output_format", ["mp4", "png"])
def test_other_formats(sweep, output_format):
    """Clips and folders of pictures are outputs, too, and are kept when they hold."""
    arguments = ("small.toml", "--vary", "flock.count=3,4", "-o", "runs", "--format", output_format)

    assert sweep(*arguments).code == 0
    assert {row["status"] for row in _rows("runs")} == {"done"}
    assert sweep(*arguments).err == "boidsgen: 2 runs, 0 done now, 2 kept\n"
    next(
        path for path in Path("runs").rglob("*") if path.suffix in {".mp4", ".png"} and "count=3" in str(path)
    ).unlink()
    assert sweep(*arguments).err == "boidsgen: 2 runs, 1 done now, 1 kept\n"


def test_measures_only(sweep):
    """Nothing is drawn, everything is measured, the same as when it is drawn."""
    ran = sweep("small.toml", "--vary", "flock.count=3,4", "-o", "runs", "--measures-only")
    sweep("small.toml", "--vary", "flock.count=3,4", "-o", "drawn")

    assert ran.paths == [native("runs/manifest.csv"), native("runs/index.html")]
    files = ["index.html", "manifest.csv", "manifest.jsonl", "study.toml"]
    assert sorted(path.name for path in Path("runs").iterdir()) == files
    assert [row["mean"] for row in _rows("runs")] == [row["mean"] for row in _rows("drawn")]
    assert sweep("small.toml", "--vary", "flock.count=3,4", "-o", "runs", "--measures-only").err.endswith("2 kept\n")


def test_a_poster_is_the_last_picture_before_the_cross_fade(tmp_path):
    """Runs differ there, while at the end of a loop all are back where they began."""
    shades = [Image.new("L", (8, 8), 20 * number) for number in range(10)]
    shades[0].save(tmp_path / "loop.gif", save_all=True, append_images=shades[1:])
    for seam, last in (0, 9), (1, 8), (3, 6):
        scenario = load_scenario(SMALL, {"time.frames": 10 + seam, "output.loop_seam": seam})
        poster = late_poster(tmp_path / "loop.gif", scenario)
        with Image.open(BytesIO(b64decode(poster.partition(",")[2]))) as image:
            assert image.convert("L").getpixel((4, 4)) == pytest.approx(20 * last, abs=4)


def test_json(sweep):
    """With --json there is an object a run, failed ones too, and one for the failure."""
    ran = sweep("small.toml", "--vary", "output.max_bytes=100000,100", "-o", "runs", "--json")

    good, bad = map(json.loads, ran.paths)
    assert (good["status"], good["path"], bad["status"]) == ("done", native("runs/max_bytes=100000.gif"), "failed")
    assert json.loads(ran.err.splitlines()[-1])["exit_code"] == ran.code == 10


def test_json_names_figures(sweep):
    """A figure that was asked for is told after the runs, and what is to be said of it on standard error."""
    pytest.importorskip("matplotlib")
    ran = sweep(
        *("small.toml", "--vary", "flock.count=3,4", "-o", "runs", "--json", "--measures-only"),
        *("--set", "title=\U0001f426", "--plot", "fig.svg", "--plot", "fig.png"),
    )
    told = [json.loads(line) for line in ran.paths]

    assert [one.get("run") for one in told] == ["count=3", "count=4", None, None]
    assert [one["path"] for one in told[2:]] == ["fig.svg", "fig.png"]
    assert "fig.png: matplotlib's font has no \U0001f426" in ran.err


def test_one_failing_run_stops_nobody(sweep):
    """The others are done, the summary and the manifest name the one, and a second call tries only that one."""
    options = ("small.toml", "--vary", "output.max_bytes=100001,100002,100003,100,100004", "-o", "runs")
    ran = sweep(*options)

    assert ran.code == 10
    assert "boidsgen: 1 of 5 runs failed; the others are done" in ran.err
    assert "boidsgen: max_bytes=100: " in ran.err
    assert [row["status"] for row in _rows("runs")] == ["done", "done", "done", "failed", "done"]
    assert "is too small" in _rows("runs")[3]["reason"]
    assert len(list(Path("runs").glob("max_bytes*.gif"))) == 4
    assert "5 runs, 0 done now, 4 kept" in sweep(*options).err


def test_what_cannot_be_trusted_is_done_again(sweep):
    """An edited output, a damaged manifest, another version: exactly those runs are done again."""
    options = ("small.toml", "--vary", "flock.count=3,4,5", "-o", "runs")
    sweep(*options)
    before = {path.name: path.read_bytes() for path in Path("runs").glob("*.gif")}

    output, manifest = next(Path("runs").glob("count=3*.gif")), Path("runs/manifest.jsonl")
    damages = (
        (1, lambda: output.write_bytes(output.read_bytes()[:-2] + b"xy")),
        (1, output.unlink),
        (1, lambda: manifest.write_bytes(manifest.read_bytes()[:-10])),
        (1, lambda: manifest.write_text(manifest.read_text().replace('s": "boidsgen', 's": "boidsgone', 1))),
        (3, manifest.unlink),
    )
    for redone, damage in damages:
        damage()
        *told, last = sweep(*options).err.splitlines()
        assert last == f"boidsgen: 3 runs, {redone} done now, {3 - redone} kept"
        assert all("what stood there is done again" in line for line in told)
        assert {path.name: path.read_bytes() for path in Path("runs").glob("*.gif")} == before
    assert sweep(*options).err == "boidsgen: 3 runs, 0 done now, 3 kept\n"


def test_only_what_is_new_is_done(sweep, monkeypatch):
    """More values, more seeds and a comment keep what is there; other keys, other versions and --force do not."""
    options = ("-o", "runs", "--measures-only")
    larger = ("--vary", "flock.count=4,5,3", "--seeds", 3, *options)
    sweep("small.toml", "--vary", "flock.count=3,4", "--seeds", 2, *options)
    assert sweep("small.toml", *larger).err == "boidsgen: 9 runs, 5 done now, 4 kept\n"
    Path("small.toml").write_text(f"# a comment\n{SMALL}")
    assert sweep("small.toml", *larger).err == "boidsgen: 9 runs, 0 done now, 9 kept\n"
    Path("small.toml").write_text(f"{SMALL}[style]\ntheme = 'paper'\n")
    assert sweep("small.toml", *larger).err == "boidsgen: 9 runs, 9 done now, 0 kept\n"
    assert sweep("small.toml", *larger, "--force").err == "boidsgen: 9 runs, 9 done now, 0 kept\n"
    monkeypatch.setattr(module, "code_versions", lambda: "boidsgen 9")
    assert sweep("small.toml", *larger).err == "boidsgen: 9 runs, 9 done now, 0 kept\n"


def test_two_sweeps_in_one_directory(sweep):
    """The second is refused at once, and may begin as soon as the first is gone, which leaves no lock."""
    with lock_directory(Path("runs"), [], Path.exists, ""):
        ran = sweep("sweep.toml", "-o", "runs")

    assert (ran.code, ran.err) == (5, "boidsgen: runs: another sweep is running in this directory; wait for it\n")
    assert not Path("runs", LOCK).exists()
    assert sweep("sweep.toml", "-o", "runs").code == 0


def _swept(directory, seeds, until):
    """Runs with two and with forty boids, in this process; returns the shortfall."""
    fixed = [Override("world.size", [48, 32], ""), Override("measure.names", ["polarization"], "")]
    options = SweepOptions((SweepAxis("flock.count", (2, 40), ""),), seeds, drawn=False, until=until)
    with Study(plan_sweep(Source("small.toml", "small", SMALL), fixed, options), directory) as study:
        assert study.run(Here()) == []
        return study.shortfall


def test_more_seeds_where_they_are_needed(tmp_path):
    """Each combination has the first seeds of a whole sweep, until their mean is as accurate as wanted or none is left.

    A sweep that was stopped, or had fewer seeds, goes on to the same manifest.
    """
    goal = {"error.polarization": 0.016}
    _swept(tmp_path / "whole", 32, {})
    [short] = _swept(tmp_path / "until", 32, goal)
    whole, until = ({count: _cell(tmp_path / name, count) for count in (2, 40)} for name in ("whole", "until"))
    means = {count: [row["mean"]["polarization"] for row in rows] for count, rows in whole.items()}
    errors = {count: [np.std(values[:n], ddof=1) / n**0.5 for n in range(8, 33)] for count, values in means.items()}

    assert min(errors[2]) > 0.016 > errors[40][-1]
    assert short == "--until error.polarization=0.016: 1 of 2 combinations did not reach it with 32 seeds"
    assert len(until[2]) == 32
    assert 8 <= (enough := len(until[40])) < 32
    assert errors[40][enough - 8] <= 0.016
    for count, rows in until.items():
        assert [row["mean"] for row in rows] == [row["mean"] for row in whole[count]][: len(rows)]
        assert {row["seeds"] for row in rows} == {len(rows)}

    _swept(tmp_path / "again", 11, goal)
    manifest = tmp_path / "again" / "manifest.jsonl"
    manifest.write_text("".join(manifest.read_text().splitlines(keepends=True)[::2]))
    _swept(tmp_path / "again", 32, goal)
    one, other = ([row | {"seconds": 0} for row in _rows(tmp_path / name)] for name in ("until", "again"))
    assert one == other


def _cell(directory, count):
    return [row for row in _rows(directory) if row["parameters"]["flock.count"] == count]
