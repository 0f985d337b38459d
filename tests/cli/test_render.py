"""Commands that make results: render, still, replay, compare, measure and simulate."""

import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from PIL import Image

from boidsgen.cli import author
from boidsgen.errors import Interrupted
from boidsgen.kernel import library
from boidsgen.output.pictures import Gif
from tests.shipped import shipped
from tests.systems import native


def test_render_prints_the_paths_only(boidsgen):
    """Standard output holds the path of each result and nothing else; options win over --set."""
    ran = boidsgen("render", "small.toml", "-o", "a.gif", "-o", "b.MP4", "-o", "deep/frames/")
    assert (ran.code, ran.paths, ran.err) == (0, ["a.gif", "b.MP4", native("deep/frames/small.gif")], "")
    assert Path("a.gif").read_bytes() == Path("deep/frames/small.gif").read_bytes()

    options = ("--frames", 2, "--fps", 12.5, "--size", "32x24", "--seed", 9, "--set", "time.frames=7", "--json")
    found = json.loads(boidsgen("render", "small.toml", *options).out)
    assert found["path"] == native("outputs/small.gif")
    assert (found["frames"], found["duration"], found["seed"]) == (2, 0.16, 9)
    assert "boids (separation, alignment and cohesion) move in a world of" in found["alt"]
    with Image.open("outputs/small.gif") as picture:
        assert (picture.size, picture.n_frames) == ((32, 24), 2)


def test_errors_of_all_scenarios_come_before_any_rendering(boidsgen, monkeypatch):
    """An error in the last scenario, which may be standard input, or a directory in the way ends it at once."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"\n[time]\nframes = 0")))
    ran = boidsgen("render", "small.toml", "-")
    assert (ran.code, ran.out, ran.err) == (3, "", "<stdin>:3: time.frames: must be at least 1, not 0\n")
    assert not Path("outputs").exists()

    Path("outputs").touch()
    said = "outputs: cannot make this directory: a file or a dangling link has this name"
    assert boidsgen("render", "small.toml").err == f"boidsgen: {said}\n"


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_batch_goes_on_where_that_is_wanted(boidsgen, jobs):
    """With --keep-going all scenarios that can be rendered are, the others are reported, and the exit code is 10."""
    small = Path("small.toml").read_text("utf-8")
    Path("a b.toml").write_text(small, "utf-8")
    Path("kept.toml").write_text(small, "utf-8")
    Path("wrong.toml").write_text("[flock]\ncount = -4\n", "utf-8")
    Path("large.toml").write_text("[output]\nsize = [30_000, 30_000]\n", "utf-8")
    Path("outputs").mkdir()
    for name in ("kept.gif", "small.gif"):
        Path("outputs", name).write_bytes(b"mine")
    names = ("wrong.toml", "a b.toml", "large.toml", "absent", "kept.toml", "small.toml")

    ran = boidsgen("render", *names, "--keep-going", "--jobs", jobs)
    Path("outputs/small.gif").unlink()
    kept = boidsgen("render", "a b.toml", "small.toml", "--keep-going", "--no-clobber", "--jobs", jobs)
    checked = boidsgen("check", *names, "-k", "--json")

    assert (ran.code, ran.paths) == (10, [native("outputs/a b.gif")])
    assert Path("outputs/kept.gif").read_bytes() == b"mine"
    assert (kept.code, kept.paths) == (10, [native("outputs/small.gif")])
    assert f"{native('outputs/a b.gif')}: already exists" in kept.err
    said = ran.err.splitlines()
    assert said[0] == "wrong.toml:2: flock.count: must be at least 0, not -4"
    assert said[-1] == "boidsgen: 5 of 6 scenarios failed; the others are done"
    for part in ("large.toml", "absent", *(native(f"outputs/{name}.gif") for name in ("kept", "small"))):
        assert sum(part in line for line in said) == 1
    assert [json.loads(line)["scenario"] for line in checked.out.splitlines()] == ["a b.toml", "small.toml"]
    assert [json.loads(line)["exit_code"] for line in checked.err.splitlines()] == [3, 8, 5, 4, 10]
    assert checked.code == 10


def test_a_batch_stops_unless_it_is_to_go_on(boidsgen):
    """Without --keep-going one wrong scenario of many is reported before anything is rendered."""
    Path("wrong.toml").write_text("[flock]\ncount = -4\n", "utf-8")
    ran = boidsgen("render", "small.toml", "wrong.toml")
    assert (ran.code, ran.out, Path("outputs").exists()) == (3, "", False)


def pixels(path):
    """The pixels of a picture."""
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))


def test_the_poster_is_the_still_of_a_clip(boidsgen):
    """It is the last frame of a shorter clip, the first that shows all of an exposure; clips are the same with it."""
    options = ("--seed", 9, "--size", "80x60", "--engine", "numpy", "--set", "style.trails=2")
    poster = ("--set", "style.poster=1")
    for name, more in {"plain": ("--at", 1), "poster": poster, "last": ("--at", "last", *poster)}.items():
        boidsgen("still", "small.toml", "-o", f"{name}.png", *options, *more)
    plain = boidsgen("render", "small.toml", "-o", "plain.gif", *options, "--json")
    clip = boidsgen("render", "small.toml", "-o", "clip.gif", *options, *poster, "--json")
    short = boidsgen("still", "small.toml", "--frames", 1, *options, *poster, "--json")
    exposed = boidsgen("still", "small.toml", "--exposure", 3, *options, *poster, "--json")

    assert (pixels("poster.png") == pixels("plain.png")).all()
    assert (pixels("poster.png") != pixels("last.png")).any()
    assert json.loads(clip.out)["digest"] == json.loads(plain.out)["digest"]
    assert [json.loads(one.out)["at"] for one in (short, exposed)] == [[0], [2]]


def test_a_poster_has_an_exposure_of_its_own(boidsgen):
    """It shows the paths of so many frames up to it; numbered frames, shorter runs and clips are the same with it."""
    options = ("--seed", 9, "--size", "80x60", "--engine", "numpy", "--set", "style.trails=2")
    posed, long = (("--set", "style.poster=1", "--set", f"style.poster_exposure={frames}") for frames in (2, 3))
    for name, more in {"at": ("--at", 1), "posed": posed, "numbered": ("--at", 1, *posed), "short": long}.items():
        boidsgen("still", "small.toml", "-o", f"{name}.png", *options, *more)
    boidsgen("still", "small.toml", "-o", "exposed.png", *options, "--at", 1, "--exposure", 2)
    plain = boidsgen("render", "small.toml", "-o", "plain.gif", *options, "--json")
    clip = boidsgen("render", "small.toml", "-o", "clip.gif", *options, *posed, "--json")

    assert (pixels("posed.png") == pixels("exposed.png")).all()
    assert (pixels("numbered.png") == pixels("at.png")).all()
    assert (pixels("short.png") == pixels("at.png")).all()
    assert (pixels("posed.png") != pixels("at.png")).any()
    assert json.loads(clip.out)["digest"] == json.loads(plain.out)["digest"]
    assert json.loads(clip.out).get("notices") == json.loads(plain.out).get("notices")


def test_a_poster_of_a_torus_has_a_center_of_its_own(boidsgen):
    """It is the picture rolled round; numbered frames, and worlds where not all can move, are the same with it."""
    Path("torus.toml").write_text(
        "seed = 3\n[world]\nsize = [80, 60]\nboundary = 'torus'\n[time]\nframes = 3\n[flock]\ncount = 12\n"
        "[output]\nsize = [80, 60]\n[style]\ntheme = 'night'\ntrails = 2\nposter = 1\n"
    )
    center = ("--set", "style.poster_center=[60, 20]")
    walled, axes = ("--set", "world.boundary=soft"), ("--set", "overlay.axes=true")
    stone = ("--set", 'obstacles=[{kind="circle", center=[9, 9], radius=4}]')
    home = ("--set", "flock.home={point=[9, 9]}")
    kinds = {"torus": (), "walled": walled, "axes": axes, "stone": stone, "home": home, "numbered": ("--at", 1)}
    for name, more in kinds.items():
        assert boidsgen("still", "torus.toml", "-o", f"{name}.png", *more).code == 0
        assert boidsgen("still", "torus.toml", "-o", f"{name}-centered.png", *more, *center).code == 0
    moved = {name for name in kinds if (pixels(f"{name}.png") != pixels(f"{name}-centered.png")).any()}

    assert moved == {"torus"}
    rolled, centered = np.roll(pixels("torus.png"), (-10, -20), (0, 1)), pixels("torus-centered.png")
    inked = (rolled != rolled[0, 0]).any(axis=2).sum()
    assert 100 < inked < 400
    # Rounding may take an animal to the next quarter of a pixel; all of them by one pixel would be a half and more.
    assert (rolled != centered).any(axis=2).sum() < 0.05 * inked


def test_still(boidsgen):
    """A still equals the frame of that number in the clip, by default the last; of several each is in the strip."""
    options = ("--seed", 9, "--size", "80x60", "--frames", 4, "--engine", "numpy", "--set", "style.trails=2")
    first = boidsgen("still", "small.toml", "--at", 1, "-o", "first.png", *options, "--json")
    last = boidsgen("still", "small.toml", *options)
    strip = boidsgen("still", "small.toml", "--at", "0,2", "-o", "new/", *options)
    boidsgen("render", "small.toml", "--format", "png", "-o", "frames/", *options)
    frames = [pixels(path) for path in sorted(Path("frames").iterdir())]

    assert (json.loads(first.out)["at"], last.paths) == ([1], [native("outputs/small.png")])
    assert (pixels("first.png") == frames[1]).all()
    assert (pixels("outputs/small.png") == frames[3]).all()
    assert strip.paths == [native("new/small.png")]
    for frame in (frames[0], frames[2]):
        windows = sliding_window_view(pixels("new/small.png"), frame.shape)[:, :, 0]
        assert any((window == frame).all() for row in windows for window in row)


def test_parallel_rendering(boidsgen):
    """With several processes results before a failure are reported in the same order, and the failure with its code."""
    Path("other.toml").write_text('extends = "small.toml"\n[flock]\ncount = 4')
    boidsgen("simulate", "other.toml", "-o", "saved.npz")
    boidsgen("render", "other.toml")
    before = Path("outputs/other.gif").read_bytes()
    order, options = ("small.toml", "saved.npz", "other.toml"), ("--json", "--set", "style.theme=paper")
    one = boidsgen("render", *order, "--no-clobber", *options)
    for name in ("small", "saved"):
        Path(f"outputs/{name}.gif").unlink()
    several = boidsgen("render", *order, "--no-clobber", *options, "--jobs", 3)
    here, there = [[{**json.loads(line), "seconds": 0} for line in ran.paths] for ran in (one, several)]

    assert (one.code, one.err) == (several.code, several.err)
    assert (several.code, len(there), there) == (4, 2, here)
    assert {path.name for path in Path("outputs").iterdir()} == {"small.gif", "saved.gif", "other.gif"}
    assert Path("outputs/other.gif").read_bytes() == before


class Waiting:
    """Stands in for the time between two looks: does one thing after another, then the user presses Ctrl-C."""

    def __init__(self, *actions):
        self._actions = iter(actions)

    def __call__(self, *_):
        """Let the next thing happen."""
        for action in self._actions:
            action()
            return
        raise Interrupted(2)


MOMENTS = iter(range(10**9, 10**11, 10**9))


def save(text, path="small.toml"):
    """Saves a file; the time of change is set, since two saves may come within one tick of the file system's clock."""

    def saving():
        Path(path).write_text(text)
        os.utime(path, ns=(next(MOMENTS),) * 2)

    return saving


def test_watch_renders_again_after_every_change(boidsgen, monkeypatch):
    """One draft for every change of a scenario or its base, and none without; errors are reported and waited out."""
    good, bad, extending = "time.frames = 2", "time.frames = 0", 'extends = "base.toml"'
    gone = [lambda: Path("base.toml").unlink(), *[int] * author.GONE_AFTER]
    actions = (int, save(bad), int, save(extending), int, save(good, "base.toml"), int, *gone)
    monkeypatch.setattr(author.time, "sleep", Waiting(*actions))
    ran = boidsgen("render", "small.toml", "--watch", "-o", "small.gif")
    save(good)()
    boidsgen("render", "small.toml", "-o", "once.gif", "--quality", "draft")

    missing = "small.toml:1: extends: base.toml: neither a file nor a shipped preset"
    assert (ran.code, ran.paths) == (130, ["small.gif", "small.gif"])
    assert pixels("small.gif").tolist() == pixels("once.gif").tolist()
    assert ran.err.splitlines() == [
        "small.toml:1: time.frames: must be at least 1, not 0",
        missing,
        missing,
        "boidsgen: stopped by SIGINT",
    ]


def test_watch_sees_files_that_a_scenario_names(tmp_path, monkeypatch):
    """They are asked for again after each change; one that is missing for a moment is waited for."""
    first, second = tmp_path / "first", tmp_path / "second"
    save("1", first)(), save("1", second)()
    watched = iter([[first], [first, second], [first, second]])
    waiting = Waiting(save("2", first), first.unlink, save("2", second), save("3", first))
    monkeypatch.setattr(author.time, "sleep", waiting)
    seen = author.changes(lambda: next(watched))

    next(seen)
    next(seen)
    assert first.read_text() == "2"
    next(seen)
    assert (first.exists(), second.read_text()) == (False, "2")


def test_compare(boidsgen):
    """Clip and picture of a grid have the fields of a rendering, in their order; a grid can only be replayed."""
    outputs = ("-o", "two.png", "-o", "two.gif", "--set", "output.loop_seam=1", "--json")
    ran = boidsgen("compare", "small.toml", "quickstart", "--frames", 3, "--size", "64x48", *outputs)
    picture, clip = map(json.loads, ran.paths)

    assert (ran.code, ran.err.count("\n")) == (0, 1)
    assert "2 frames in the clip: the cross-fade takes 1 of 3" in ran.err
    assert (clip["path"], clip["frames"], clip["duration"]) == ("two.gif", 2, 0.08)
    assert (picture["path"], picture["frames"], picture["at"], picture["seed"]) == ("two.png", 1, [2], 3)
    refused = boidsgen("render", "two.gif", "-o", "flock.gif")
    assert (refused.code, "boidsgen replay" in refused.err) == (3, True)
    assert boidsgen("replay", "two.gif", "-o", "again.gif").code == 0


def test_measure(boidsgen):
    """One row a frame and seed; the table goes to the usual place, to files or to standard output, with a figure."""
    pytest.importorskip("matplotlib")
    outputs = ("-o", "s.csv", "-o", "s.jsonl", "--plot", "fig.svg")

    assert boidsgen("measure", "small.toml", "--seeds", 2, *outputs).paths == ["s.csv", "s.jsonl", "fig.svg"]
    assert len(Path("s.csv").read_text().splitlines()) == 1 + 2 * 3
    assert boidsgen("new", "again.toml", "--from", "fig.svg").code == 0
    assert boidsgen("measure", "small.toml").paths == [native("outputs/small.csv")]
    assert boidsgen("measure", "small.toml", "-o", "-", "--format", "csv").out.startswith("seed,frame,time,")


def test_a_mean_that_includes_the_start_is_noticed(boidsgen):
    """Aligning boids that start at random are not settled at first and later are; `sweep` and `measure` tell both."""
    model = ("flock.angular_noise=60", "flock.count=100", "world.size=[5,5]")
    vary, fix = ([word for one in model for word in (option, one)] for option in ("--vary", "--set"))
    runs = ("sweep", "vicsek-1995", "--frames", 120, *vary, "--measures-only", "--seeds", 2, "-o", "s")
    one = ("measure", "vicsek-1995", "--frames", 120, *fix, "--json", "-o", "a.csv")
    notice = "not settled: polarization{}; means include the start, measure later (--from FRAME) or longer\n"

    assert notice.format(" in 2 of 2 runs") in boidsgen(*runs, "--from", 0).err
    assert "settled" not in boidsgen(*runs, "--from", 60).err
    assert notice.format("") in boidsgen(*one, "--from", 0).err
    later = boidsgen(*one, "--from", 60)
    assert "settled" not in later.err
    measured = json.loads(later.out)["runs"][0]
    table = np.genfromtxt("a.csv", delimiter=",", names=True)
    assert measured["mean"]["polarization"] == pytest.approx(table["polarization"].mean())
    assert measured["settled"] == {"polarization": True}
    assert 1 <= measured["n_eff"]["polarization"] <= len(table) == 60


@pytest.mark.parametrize(
    ("command", "ending", "change"),
    [("render", "gif", "--frames"), ("still", "png", "--seed"), ("measure", "csv", "--seeds")],
)
def test_saved_runs(command, ending, change, boidsgen):
    """A saved run is drawn and measured to the same results as its scenario, by no engine; it cannot be changed."""
    theme = () if command == "measure" else ("--set", "style.theme=paper")
    assert boidsgen("simulate", "small.toml", "-o", "run.npz").paths == ["run.npz"]
    boidsgen(command, "small.toml", "-o", f"a.{ending}", *theme)
    ran = boidsgen(command, "run.npz", "-o", f"b.{ending}", *theme, "--json")

    assert Path(f"a.{ending}").read_bytes() == Path(f"b.{ending}").read_bytes()
    assert (ran.code, json.loads(ran.out)["engine"]) == (0, None)
    for more in ((change, 2), ("--set", "flock.count=3"))[: 1 if command == "measure" else 2]:
        refused = boidsgen(command, "run.npz", *more)
        assert (refused.code, len(refused.err.splitlines()), "finished run" in refused.err) == (2, 1, True)


@pytest.mark.parametrize(("command", "ending"), [("render", "gif"), ("still", "png"), ("measure", "csv")])
def test_changed_runs(command, ending, boidsgen):
    """A saved run that was changed is used with one line that says so; `--strict` refuses it, and no other."""
    boidsgen("simulate", "small.toml", "-o", "run.npz")
    assert boidsgen(command, "run.npz", "--strict", "-o", f"a.{ending}").code == 0
    with np.load("run.npz") as run:
        arrays = {key: run[key] for key in run.files}
    arrays["flock.0.velocity"] *= -1
    np.savez("run.npz", **arrays)

    used = boidsgen(command, "run.npz", "-o", f"b.{ending}")
    assert (used.code, used.paths) == (0, [f"b.{ending}"])
    assert used.err.splitlines() == [
        "boidsgen: run.npz: its states are not those recorded from its scenario: changed or made elsewhere"
    ]
    refused = boidsgen(command, "run.npz", "--strict", "-o", f"c.{ending}")
    assert (refused.code, len(refused.err.splitlines()), Path(f"c.{ending}").exists()) == (3, 1, False)


@pytest.mark.usefixtures("no_kernel")
def test_without_the_kernel_one_line_says_so(boidsgen):
    """Numpy renders instead, and one line gives the reason, once per command; none where numpy was asked for."""
    alone = boidsgen("render", "small.toml", "-o", "a.gif", "-o", "b.mp4")
    chosen = boidsgen("render", "small.toml", "-o", "c.gif", "--engine", "numpy")
    several = boidsgen("render", "small.toml", "quickstart", "--frames", 2, "--jobs", 1, "-o", "clips/")

    assert (chosen.code, chosen.err, several.code, several.err) == (0, "", 0, alone.err)
    assert (alone.code, alone.paths, alone.err) == (0, ["a.gif", "b.mp4"], f"boidsgen: {library.kernel_notice()}\n")
    for command in ("measure", "compare"):
        assert boidsgen(command, "small.toml").err == alone.err


@pytest.mark.turns(28)
@pytest.mark.parametrize("preset", [name for name, one in shipped().items() if one.seam])
def test_frames_that_a_cross_fade_takes_are_told(boidsgen, preset):
    """A clip with fewer frames than the command line asks for is told, with the option that makes up for it."""
    seam = shipped()[preset].seam
    few = ("--set", "flock.count=9") if preset == "murmuration" else ()  # it has thousands
    wanted = ("--size", "64x64", "--set", "time.warmup=0", *few, "-o")

    ran = boidsgen("render", preset, "--frames", 2 * seam, *wanted, "a.gif")
    taken = f"the cross-fade takes {seam} of {2 * seam} (output.loop_seam)"
    said = f"boidsgen: {preset}: {seam} frames in the clip: {taken}; --frames {3 * seam} makes up for it"
    assert said in ran.err.splitlines()
    assert Gif.count(Path("a.gif")) == seam
    assert "cross-fade" not in boidsgen("render", preset, "--frames", 2 * seam - 1, *wanted, "a.gif").err
    assert Gif.count(Path("a.gif")) == 2 * seam - 1
    assert "cross-fade" not in boidsgen("render", preset, "--frames", 2 * seam, *wanted, "a.mp4").err


def test_a_comparison_tells_likewise(boidsgen):
    """Frames that the cross-fade of a comparison takes are told; none are told where no number was asked for."""
    taken = "the cross-fade takes 1 of 4 (output.loop_seam); --frames 5 makes up for it"
    said = f"boidsgen: comparison: 3 frames in the clip: {taken}\n"
    seam = ("--set", "output.loop_seam=1", "-o", "two.gif")

    assert boidsgen("compare", "small.toml", "--with", "", "--frames", 4, *seam).err == said
    assert boidsgen("compare", "small.toml", "--ablate", *seam).err == ""
