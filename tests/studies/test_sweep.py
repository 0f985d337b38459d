"""Sweeps on the command line, and what happens to them when things go wrong."""

import csv
import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PIL import Image

from boidsgen import system
from boidsgen.cli.main import run
from boidsgen.scenario.sources import Source
from boidsgen.studies import sweep as module
from boidsgen.studies.manifest import LOCK, lock_directory
from boidsgen.studies.plan import SweepOptions, plan_sweep
from boidsgen.studies.sweep import Study
from boidsgen.studies.workers import Workers
from tests.systems import IS_ROOT, native, posix, refusal

SMALL = """\
title = "Small"
seed = 3
[world]
size = [48, 32]
[time]
frames = 2
[flock]
count = 5
"""


SWEEP = (
    SMALL
    + """\
[sweep]
seeds = 2
[sweep.vary]
"flock.separation.weight" = [0.5, 1]
"""
)


STOPS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGKILL") if hasattr(signal, name)]

LONG = SMALL.replace("frames = 2", "frames = 100000")


class Ran:
    """What came of a command line."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def paths(self):
        """The lines on standard output."""
        return self.out.splitlines()


@pytest.fixture
def sweep(tmp_path, monkeypatch, capfd):
    """Runs `boidsgen sweep` in an empty directory with some small scenarios."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"small.toml": SMALL, "sweep.toml": SWEEP, "long.toml": LONG}.items():
        Path(name).write_text(text)

    def ran(*arguments):
        capfd.readouterr()
        code = run(["sweep", *(str(argument) for argument in arguments)])
        return Ran(code, *capfd.readouterr())

    return ran


@pytest.fixture
def started(tmp_path):
    """Starts `boidsgen sweep` as a process of its own; what still runs at the end is killed."""
    running = []

    def start(*arguments):
        call = [sys.executable, "-m", "boidsgen", "sweep", *arguments]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        running.append(subprocess.Popen(call, cwd=tmp_path, env=environment, text=True, **pipes))
        return running[-1]

    yield start
    for process in running:
        process.kill()
        process.communicate()


def _rows(directory):
    return [json.loads(line) for line in (Path(directory) / "manifest.jsonl").read_text().splitlines()]


def _table(directory):
    with (Path(directory) / "manifest.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def _gifs(directory):
    return {path.name: path.read_bytes() for path in Path(directory).glob("*seed=*.gif")}


def _until(condition):
    """Wait until something is so; pytest's own time limit is the last resort."""
    for _ in range(6000):
        if condition():
            return
        threading.Event().wait(0.01)
    pytest.fail("it never was so")


def _stat(pid):
    """State and parent of a process; those of none when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return ["Z", "0"]


def _workers_of(pid):
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    children = [number for number in numbers if _stat(number)[1] == str(pid)]
    return [number for number in children if b"spawn_main" in Path(f"/proc/{number}/cmdline").read_bytes()]


def _alive(pid):
    return _stat(pid)[0] != "Z"


def _leftovers(directory):
    return [path.name for path in Path(directory).iterdir() if path.name.startswith(".") and path.name != LOCK]


def test_a_sweep(sweep):
    """Every run is rendered, measured and told; everything is in the directory."""
    ran = sweep("small.toml", "--vary", "flock.separation.weight=0.5,1", "--vary", "flock.count=3:5:3", "-o", "runs")

    names = [f"count={count}_separation.weight={weight}.gif" for weight in ("0.5", "1") for count in (3, 4, 5)]
    assert ran.code == 0
    assert ran.paths == [native(f"runs/{name}") for name in [*names, "manifest.csv", "index.html", "sheet.gif"]]
    assert ran.err == "boidsgen: 6 runs, 6 done now, 0 kept\n"
    for name, row in zip(names, _table("runs"), strict=True):
        with Image.open(f"runs/{name}") as picture:
            assert (picture.size, picture.n_frames) == ((48, 32), 2)
        assert (row["file"], row["status"], row["seed"], row["frames"]) == (name, "done", "3", "2")
        assert row["sha256"] == hashlib.sha256(Path(f"runs/{name}").read_bytes()).hexdigest()
        assert 0 <= float(row["mean.polarization"]) <= 1
    assert not _leftovers("runs")


def test_a_run_is_an_ordinary_render(sweep):
    """The command that --list --commands gives for a run makes the same file, byte by byte."""
    listed = sweep("sweep.toml", "--list", "--commands", "-o", "alone")
    sweep("sweep.toml", "-o", "runs")
    Path("alone").mkdir()

    for line in listed.paths:
        program, *arguments = shlex.split(line)
        assert program == "boidsgen"
        assert run([*arguments, "--quiet"]) == 0
    assert _gifs("alone") == _gifs("runs")
    assert len(_gifs("runs")) == 4


def test_outputs_do_not_depend_on_jobs(sweep):
    """The same sweep gives the same files whoever does the runs."""
    sweep("sweep.toml", "-o", "one", "--jobs", 1)
    sweep("sweep.toml", "-o", "two", "--jobs", 2)

    assert len(_gifs("one")) == 4
    assert _gifs("one") == _gifs("two")


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
    assert sorted(path.name for path in Path("runs").iterdir()) == ["index.html", "manifest.csv", "manifest.jsonl"]
    assert [row["mean"] for row in _rows("runs")] == [row["mean"] for row in _rows("drawn")]
    assert sweep("small.toml", "--vary", "flock.count=3,4", "-o", "runs", "--measures-only").err.endswith("2 kept\n")


def test_json(sweep):
    """With --json there is an object a run, failed ones too, and one for the failure."""
    ran = sweep("small.toml", "--vary", "flock.max_speed=4,1e200", "-o", "runs", "--json", "--no-sheet", "--frames", 40)

    good, bad = map(json.loads, ran.paths)
    assert (good["status"], good["path"], bad["status"]) == ("done", native("runs/max_speed=4.gif"), "failed")
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


@pytest.mark.parametrize(
    ("vary", "code"), [("flock.count=2,-2", 3), ("flock.count=1,1", 2), ("flock.count=1:100001:100001", 8)]
)
def test_errors_end_a_sweep_before_it_begins(sweep, vary, code):
    """Every run is validated first, and nothing is made."""
    ran = sweep("small.toml", "--vary", vary, "-o", "runs")

    assert (ran.code, ran.out) == (code, "")
    assert not Path("runs").exists()


def test_directories_that_will_not_do(sweep):
    """A missing parent and a file in the way are told with exit code 5, as is a name that turns out too long.

    Where the system says beforehand that it takes no such name, the command line does not make sense: code 2.
    """
    cases = {
        "no/such": f"{native('no/such')}: there is no directory no; create it first",
        "small.toml": "small.toml: is not a directory; the outputs of a sweep go into one",
        "x" * 300: system.name_refusal("x" * 300) or refusal(Path("x" * 300).mkdir),
    }
    for output, said in cases.items():
        ran = sweep("small.toml", "--seeds", 2, "-o", output)
        assert (ran.code, ran.out) == (2 if system.name_refusal(output) else 5, "")
        assert said in ran.err


@posix
@pytest.mark.skipif(IS_ROOT, reason="root may write everywhere")
def test_a_directory_without_permission(sweep):
    """A directory that cannot be written to is told before any work."""
    Path("runs").mkdir(mode=0o500)

    ran = sweep("small.toml", "--seeds", 2, "-o", "runs")

    assert (ran.code, "Permission denied" in ran.err) == (5, True)


def test_values_cannot_leave_the_directory(sweep):
    """However hostile the values, every file is in the directory."""
    before = set(Path().iterdir())
    ran = sweep("small.toml", "--vary", 'title="../../x","/etc/x","a\\u0000b","-rf"', "-o", "runs", "--no-sheet")

    assert ran.code == 0
    assert set(Path().iterdir()) - before == {Path("runs")}
    assert len(list(Path("runs").glob("*.gif"))) == 4


def test_one_failing_run_stops_nobody(sweep):
    """The others are done, the summary and the manifest name the one, and a second call tries only that one."""
    options = ("small.toml", "--vary", "flock.max_speed=1,2,3,1e200,4", "--frames", 40, "-o", "runs")
    ran = sweep(*options)

    assert ran.code == 10
    assert "boidsgen: 1 of 5 runs failed; the others are done" in ran.err
    assert "boidsgen: max_speed=1e+200: " in ran.err
    assert [row["status"] for row in _rows("runs")] == ["done", "done", "done", "failed", "done"]
    assert "finite" in _rows("runs")[3]["reason"]
    assert len(list(Path("runs").glob("max_speed*.gif"))) == 4
    assert "5 runs, 0 done now, 4 kept" in sweep(*options).err


@posix
@pytest.mark.slow
@pytest.mark.parametrize("number", STOPS)
def test_ending_the_parent_ends_everything(started, tmp_path, number):
    """Whichever way the parent ends, no worker lives on and nothing half-made stays."""
    (tmp_path / "long.toml").write_text(LONG)
    parent = started("long.toml", "--seeds", "4", "--jobs", "2", "-o", "runs")
    _until(lambda: (tmp_path / "runs").exists() and len(_leftovers(tmp_path / "runs")) == 2)
    workers = _workers_of(parent.pid)
    parent.send_signal(number)
    parent.wait(30)

    assert parent.returncode in {128 + number, -number}
    assert len(workers) == 2
    _until(lambda: not any(map(_alive, workers)))
    assert _leftovers(tmp_path / "runs") == []


@posix
@pytest.mark.slow
def test_an_interrupted_sweep_goes_on(started, tmp_path):
    """What was done before Ctrl-C is kept, told and not done again; in the end all is as if nothing had happened."""
    (tmp_path / "small.toml").write_text(SMALL.replace("frames = 2", "frames = 60"))
    options = ("small.toml", "--seeds", "30", "--jobs", "1", "--no-sheet", "-o")
    parent = started(*options, "runs")
    _until(lambda: (tmp_path / "runs").exists() and len(_gifs(tmp_path / "runs")) >= 4)  # so three of them are told
    parent.send_signal(signal.SIGINT)
    out, err = parent.communicate(timeout=30)

    assert (parent.returncode, out) == (130, "")
    assert err == "boidsgen: stopped by SIGINT\n"
    done = [row for row in _table(tmp_path / "runs") if row["status"] == "done"]
    waiting = [row for row in _table(tmp_path / "runs") if row["status"] == "waiting"]
    assert 3 <= len(done) < len(done) + len(waiting) == 30
    assert _leftovers(tmp_path / "runs") == []
    resumed = started(*options, "runs").communicate(timeout=120)[1]
    assert resumed == f"boidsgen: 30 runs, {30 - len(done)} done now, {len(done)} kept\n"
    started(*options, "undisturbed").communicate(timeout=120)
    assert _gifs(tmp_path / "runs") == _gifs(tmp_path / "undisturbed")


def _edit_output(directory):
    path = next(directory.glob("count=3*.gif"))
    path.write_bytes(path.read_bytes()[:-2] + b"xy")


def _cut_manifest(directory):
    path = directory / "manifest.jsonl"
    path.write_bytes(path.read_bytes()[:-10])


def _claim_other_version(directory):
    path = directory / "manifest.jsonl"
    path.write_text(path.read_text().replace('"versions": "boidsgen', '"versions": "boidsgone', 1))


def _remove_output(directory):
    next(directory.glob("count=3*.gif")).unlink()


def _remove_manifest(directory):
    (directory / "manifest.jsonl").unlink()


DAMAGES = [
    (_edit_output, 1),
    (_cut_manifest, 1),
    (_claim_other_version, 1),
    (_remove_output, 1),
    (_remove_manifest, 3),
]


@pytest.mark.parametrize(("damage", "redone"), DAMAGES)
def test_what_cannot_be_trusted_is_done_again(sweep, damage, redone):
    """An edited output, a damaged manifest, another version: exactly those runs are done again."""
    options = ("small.toml", "--vary", "flock.count=3,4,5", "-o", "runs", "--no-sheet")
    sweep(*options)
    before = {path.name: path.read_bytes() for path in Path("runs").glob("*.gif")}
    damage(Path("runs"))

    *told, last = sweep(*options).err.splitlines()
    assert last == f"boidsgen: 3 runs, {redone} done now, {3 - redone} kept"
    assert all("what stood there is done again" in line for line in told)
    assert {path.name: path.read_bytes() for path in Path("runs").glob("*.gif")} == before
    assert sweep(*options).err == "boidsgen: 3 runs, 0 done now, 3 kept\n"


def test_a_changed_scenario_is_done_again(sweep):
    """What changes the pictures makes all runs anew; what is only said differently does not."""
    options = ("small.toml", "--vary", "flock.count=3,4", "-o", "runs", "--no-sheet")
    sweep(*options)
    Path("small.toml").write_text(f"# a comment\n{SMALL}")
    assert sweep(*options).err.endswith("2 kept\n")
    Path("small.toml").write_text(f"{SMALL}[style]\ntheme = 'paper'\n")
    assert sweep(*options).err.endswith("0 kept\n")


def test_a_larger_sweep_does_only_what_is_new(sweep):
    """More values and more seeds keep what is there."""
    sweep("small.toml", "--vary", "flock.count=3,4", "--seeds", 2, "-o", "runs", "--no-sheet")
    ran = sweep("small.toml", "--vary", "flock.count=4,5,3", "--seeds", 3, "-o", "runs", "--no-sheet")

    assert ran.err == "boidsgen: 9 runs, 5 done now, 4 kept\n"


def test_force(sweep):
    """With --force everything is done again."""
    sweep("sweep.toml", "-o", "runs")

    assert sweep("sweep.toml", "-o", "runs", "--force").err == "boidsgen: 4 runs, 4 done now, 0 kept\n"


def test_other_versions_are_done_again(sweep, monkeypatch):
    """A new version of anything that decides about the pictures makes all runs anew."""
    sweep("sweep.toml", "-o", "runs")
    monkeypatch.setattr(module, "versions", lambda: "# boidsgen 9\n")

    assert sweep("sweep.toml", "-o", "runs").err.endswith("0 kept\n")


def test_a_sheet_never_shows_what_is_gone(sweep):
    """A sheet is made anew with the runs, or taken away."""
    sweep("sweep.toml", "-o", "runs")
    before = Path("runs/sheet.gif").read_bytes()
    sweep("sweep.toml", "-o", "runs", "--set", "style.theme=paper")
    assert Path("runs/sheet.gif").read_bytes() != before
    sweep("sweep.toml", "-o", "runs", "--no-sheet")
    assert not Path("runs/sheet.gif").exists()
    sweep("sweep.toml", "-o", "runs")
    assert Path("runs/sheet.gif").read_bytes() == before


def test_the_same_run_twice_at_once(sweep):
    """Two workers that do the same run at the same time do each other no harm."""
    sweep("sweep.toml", "-o", "runs", "--no-sheet")
    before = _gifs("runs")
    source = Source("sweep.toml", "sweep", SWEEP)
    plan = plan_sweep(source, [], SweepOptions())
    with Study(plan, Path("runs")) as study, Workers(2) as workers:
        rows = list(study.run([run for run in plan.runs for _ in range(5)], workers))

    assert [row["status"] for row in rows] == ["done"] * 20
    assert _gifs("runs") == before
    assert not _leftovers("runs")


def test_two_sweeps_in_one_directory(sweep):
    """The second is refused at once, and may begin as soon as the first is gone."""
    with lock_directory(Path("runs")):
        ran = sweep("sweep.toml", "-o", "runs")

    assert (ran.code, ran.err) == (5, "boidsgen: runs: another sweep is running in this directory; wait for it\n")
    assert sweep("sweep.toml", "-o", "runs").code == 0


@pytest.mark.slow
def test_a_killed_sweep_leaves_the_directory_free(started, tmp_path):
    """While a sweep runs no other can; when it has been killed one can at once."""
    (tmp_path / "long.toml").write_text(LONG)
    (tmp_path / "small.toml").write_text(SMALL)
    first = started("long.toml", "--seeds", "2", "-o", "runs")
    _until(lambda: (tmp_path / "runs").exists() and _leftovers(tmp_path / "runs"))
    second = started("small.toml", "--seeds", "2", "-o", "runs")
    second.communicate(timeout=30)
    first.kill()
    first.wait(30)
    third = started("small.toml", "--seeds", "2", "-o", "runs")
    third.communicate(timeout=60)

    assert (second.returncode, third.returncode) == (5, 0)
