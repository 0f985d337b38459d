import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from PIL import Image

from boidsgen.cli import render
from boidsgen.errors import Interrupted
from tests.systems import native, refusal

ROOT = Path(__file__).parents[2]
OTHER = "[time]\nframes = 2\n[world]\nsize = [32, 32]\n[flock]\ncount = 5"


def test_render_prints_the_path_only(boidsgen):
    """Standard output holds the path of the result and nothing else; options win over --set."""
    ran = boidsgen("render", "small.toml")

    assert (ran.code, ran.out, ran.err) == (0, f"{native('outputs/small.gif')}\n", "")
    with Image.open("outputs/small.gif") as picture:
        assert (picture.size, picture.n_frames) == ((64, 48), 3)

    options = ("--frames", 2, "--fps", 12.5, "--size", "32x24", "--seed", 9, "--set", "time.frames=7", "--json")
    found = json.loads(boidsgen("render", "small.toml", *options).out)
    assert (found["frames"], found["duration"], found["seed"]) == (2, 0.16, 9)


def test_render_once_for_several_outputs(boidsgen):
    """Each -o is one more file of the same frames; a name that ends with a slash is a directory, and is made."""
    ran = boidsgen("render", "small.toml", "-o", "a.gif", "-o", "b.MP4", "-o", "deep/frames/")

    assert (ran.code, ran.paths) == (0, ["a.gif", "b.MP4", native("deep/frames/small.gif")])
    assert Path("a.gif").read_bytes() == Path("deep/frames/small.gif").read_bytes()


def test_errors_of_all_scenarios_come_before_any_rendering(boidsgen):
    """An error in the last scenario is reported before the first one is rendered, and so is a directory in the way."""
    Path("bad.toml").write_text("seed = -1")
    ran = boidsgen("render", "small.toml", "bad.toml")

    assert (ran.code, ran.out, ran.err) == (3, "", "bad.toml:1: seed: must be at least 0, not -1\n")
    assert not Path("outputs").exists()

    Path("outputs").touch()
    reason = refusal(Path("outputs").mkdir)
    assert boidsgen("render", "small.toml").err == f"boidsgen: outputs: {reason}\n"


def test_scenario_from_standard_input(boidsgen, monkeypatch):
    """`-` reads the scenario from standard input, and its errors say so."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"\n[time]\nframes = 0")))
    ran = boidsgen("check", "-")

    assert (ran.code, ran.err) == (3, "<stdin>:3: time.frames: must be at least 1, not 0\n")


def test_standard_output_takes_the_format_of_the_scenario(boidsgen):
    """`-o -` streams the format of the scenario; the same scenario gives the same bytes, another seed does not."""
    boidsgen("render", "small.toml", "-o", "a.gif")
    boidsgen("render", "small.toml", "-o", "b.gif", "--seed", 4)
    command = [sys.executable, "-m", "boidsgen", "render", "small.toml", "-o", "-"]
    streamed = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})

    assert streamed.stdout == Path("a.gif").read_bytes() != Path("b.gif").read_bytes()


def test_still(boidsgen):
    """A still equals the frame of that number in the clip, by default the last, with the trails of those before."""
    options = ("--seed", 9, "--size", "80x60", "--frames", 4, "--engine", "numpy", "--set", "style.trails=2")
    first = boidsgen("still", "small.toml", "--at", 1, "-o", "first.png", *options, "--json")
    last = boidsgen("still", "small.toml", *options)
    boidsgen("render", "small.toml", "--format", "png", "-o", "frames/", *options)
    frames = sorted(Path("frames").iterdir())

    assert (json.loads(first.out)["at"], last.paths) == ([1], [native("outputs/small.png")])
    assert (_pixels("first.png") == _pixels(frames[1])).all()
    assert (_pixels("outputs/small.png") == _pixels(frames[3])).all()
    assert boidsgen("still", "small.toml", "-o", "new/").paths == [native("new/small.png")]


def test_film_strip(boidsgen):
    """Several frames stand side by side as they are in the clip, and are replayed."""
    ran = boidsgen("still", "small.toml", "--at", "0,2", "-o", "strip.png", "--set", "style.trails=2")
    boidsgen("render", "small.toml", "--format", "png", "-o", "frames/", "--set", "style.trails=2")

    assert (ran.code, ran.paths, boidsgen("replay", "strip.png", "-o", "again.png").code) == (0, ["strip.png"], 0)
    sheet = _pixels("strip.png")
    for name in ("frame_0001.png", "frame_0003.png"):
        picture = _pixels(Path("frames", name))
        windows = sliding_window_view(sheet, picture.shape)[:, :, 0]
        assert any((window == picture).all() for row in windows for window in row)


def _pixels(path):
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))


@pytest.mark.parametrize("name", ["flock.gif", "flock.mp4", "flock.png"])
def test_replay(name, boidsgen):
    """A file is rendered again to the same bytes, and its scenario renders it as well."""
    command = "still" if name.endswith("png") else "render"
    boidsgen(command, "small.toml", "-o", name)
    ran = boidsgen("replay", name, "-o", f"again.{name}")
    boidsgen("new", "again.toml", "--from", name)

    assert (ran.code, ran.paths, ran.err) == (0, [f"again.{name}"], "")
    assert boidsgen(command, "again.toml", "-o", f"third.{name}").code == 0
    assert Path(name).read_bytes() == Path(f"again.{name}").read_bytes() == Path(f"third.{name}").read_bytes()
    assert "is already what is read" in boidsgen("replay", name, "-o", name).err


@pytest.fixture
def scenarios(boidsgen):
    """Three small scenarios, one of which extends another, and a saved run."""
    Path("other.toml").write_text('extends = "small.toml"\n[flock]\ncount = 4')
    Path("third.toml").write_text(OTHER)
    boidsgen("simulate", "third.toml", "-o", "saved.npz")
    return ["small.toml", "other.toml", "saved.npz"]


def test_parallel_rendering(boidsgen, scenarios):
    """Processes change neither a byte nor the order of results."""
    one = boidsgen("render", *scenarios, "-o", "here/", "--json", "--set", "style.theme=paper")
    several = boidsgen("render", *scenarios, "--jobs", 2, "--json", "--set", "style.theme=paper")
    here, there = [[json.loads(line) for line in ran.paths] for ran in (one, several)]

    assert one.code == several.code == 0
    assert [line["path"] for line in there] == [native(f"outputs/{Path(name).stem}.gif") for name in scenarios]
    assert [line["digest"] for line in there] == [line["digest"] for line in here]
    assert [line.keys() for line in there] == [line.keys() for line in here]


def test_parallel_rendering_fails_as_one_does(boidsgen, scenarios):
    """Results before the failure are reported, then the failure with its own code."""
    Path("outputs").mkdir()
    Path("outputs/other.gif").write_text("mine")
    one = boidsgen("render", *scenarios, "--no-clobber")
    Path("outputs/small.gif").unlink()
    several = boidsgen("render", *scenarios, "--jobs", 3, "--no-clobber")

    assert (one.code, one.out, one.err) == (several.code, several.out, several.err)
    assert (several.code, several.paths) == (4, [native("outputs/small.gif")])
    assert Path("outputs/other.gif").read_text() == "mine"
    assert not list(Path("outputs").glob(".*"))


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


GOOD, BAD = "time.frames = 2", "time.frames = 0"


def test_watch_renders_again_after_every_change(boidsgen, monkeypatch):
    """One draft for every change and none without; errors are reported and waited out; Ctrl-C ends it."""
    monkeypatch.setattr(render.time, "sleep", Waiting(int, save(BAD), int, save(GOOD), int))
    ran = boidsgen("render", "small.toml", "--watch", "-o", "small.gif")
    boidsgen("render", "small.toml", "-o", "once.gif", "--quality", "draft")

    assert (ran.code, ran.paths) == (130, ["small.gif", "small.gif"])
    assert Path("small.gif").read_bytes() == Path("once.gif").read_bytes()
    assert ran.err == "small.toml:1: time.frames: must be at least 1, not 0\nboidsgen: stopped by SIGINT\n"


def test_watch_sees_files_that_a_scenario_names(tmp_path, monkeypatch):
    """They are asked for again after each change; one that is missing for a moment is waited for."""
    first, second = tmp_path / "first", tmp_path / "second"
    save("1", first)(), save("1", second)()
    watched = iter([[first], [first, second], [first, second]])
    waiting = Waiting(save("2", first), first.unlink, save("2", second), save("3", first))
    monkeypatch.setattr(render.time, "sleep", waiting)
    seen = render.changes(lambda: next(watched))

    next(seen)
    next(seen)
    assert first.read_text() == "2"
    next(seen)
    assert (first.exists(), second.read_text()) == (False, "2")


def test_watch_sees_a_base_that_comes_later(boidsgen, monkeypatch):
    """A base is watched before it is there, and one that goes for good is reported."""
    save('extends = "base.toml"', "small.toml")()
    gone = [lambda: Path("base.toml").unlink(), *[int] * render.GONE_AFTER]
    monkeypatch.setattr(render.time, "sleep", Waiting(int, save(GOOD, "base.toml"), int, *gone))
    ran = boidsgen("render", "small.toml", "--watch", "-o", "small.gif")

    missing = "small.toml:1: extends: base.toml: neither a file nor a shipped preset"
    assert (ran.code, ran.paths) == (130, ["small.gif"])
    assert ran.err.splitlines() == [missing, missing, "boidsgen: stopped by SIGINT"]
