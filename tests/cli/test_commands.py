import io
import json
import os
import re
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

from boidsgen.scenario import sources


def test_render_prints_the_path_only(boidsgen):
    """Standard output holds the path of the result and nothing else."""
    ran = boidsgen("render", "small.toml")

    assert (ran.code, ran.out, ran.err) == (0, "outputs/small.gif\n", "")
    with Image.open("outputs/small.gif") as picture:
        assert (picture.size, picture.n_frames) == ((64, 48), 3)


def test_render_once_for_several_outputs(boidsgen):
    """Each -o is one more file of the same frames."""
    Path("frames").mkdir()
    ran = boidsgen("render", "small.toml", "-o", "a.gif", "-o", "b.MP4", "-o", "frames/")

    assert (ran.code, ran.paths) == (0, ["a.gif", "b.MP4", "frames/small.gif"])
    assert Path("a.gif").read_bytes() == Path("frames/small.gif").read_bytes()


def test_several_scenarios_give_several_files(boidsgen):
    """One file per scenario, called like it."""
    Path("other.toml").write_text("[time]\nframes = 2\n[world]\nsize = [32, 32]")
    ran = boidsgen("render", "small.toml", "other.toml")

    assert (ran.code, ran.paths) == (0, ["outputs/small.gif", "outputs/other.gif"])


def test_options_for_keys(boidsgen):
    """Options that are short for a key set it, and win over --set."""
    ran = boidsgen(
        *("render", "small.toml", "--frames", 2, "--fps", 12.5, "--size", "32x24", "--seed", 9, "--quality", "draft"),
        *("--set", "time.frames=7", "--set", "title=A b", "--format", "gif", "--engine", "numpy", "--json"),
    )
    record = json.loads(ran.out)

    assert (record["frames"], record["duration"], record["seed"], record["engine"]) == (2, 0.16, 9, "numpy")
    assert sorted(record) == ["digest", "duration", "engine", "frames", "path", "seconds", "seed"]
    with Image.open("outputs/small.gif") as picture:
        assert picture.size == (32, 24)


def test_same_scenario_gives_the_same_bytes(boidsgen):
    """Two renders of one scenario are equal to the last bit, and another seed is not."""
    boidsgen("render", "small.toml", "-o", "a.gif")
    boidsgen("render", "small.toml", "-o", "b.gif")
    boidsgen("render", "small.toml", "-o", "c.gif", "--seed", 4)

    assert Path("a.gif").read_bytes() == Path("b.gif").read_bytes() != Path("c.gif").read_bytes()


def test_frames_as_pictures(boidsgen):
    """The format png is a folder of pictures."""
    ran = boidsgen("render", "small.toml", "--format", "png")

    assert (ran.code, ran.paths) == (0, ["outputs/small"])
    assert len(list(Path("outputs/small").iterdir())) == 3


def test_scenario_from_standard_input(boidsgen, monkeypatch):
    """`-` reads the scenario from standard input, and its mistakes say so."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"\n[time]\nframes = 0")))
    ran = boidsgen("check", "-")

    assert (ran.code, ran.err) == (3, "<stdin>:3: time.frames: must be at least 1, not 0\n")


def test_still(boidsgen):
    """A still is the frame of that number, the last by default, and equals the frame in the clip."""
    first = boidsgen("still", "small.toml", "--at", 0, "-o", "first.png")
    last = boidsgen("still", "small.toml")
    boidsgen("render", "small.toml", "--format", "png", "-o", "frames/")

    assert (first.paths, last.paths) == (["first.png"], ["outputs/small.png"])
    frames = sorted(Path("frames").iterdir())
    assert _pixels("first.png") == _pixels(frames[0])
    assert _pixels("outputs/small.png") == _pixels(frames[-1]) != _pixels(frames[0])


def test_still_with_trails(boidsgen):
    """A still remembers the frames before, as the clip does."""
    trails = ("--set", "style.trails=2", "--set", "time.frames=6")
    boidsgen("still", "small.toml", *trails, "-o", "still.png")
    boidsgen("render", "small.toml", *trails, "--format", "png", "-o", "frames/")

    assert _pixels("still.png") == _pixels(max(Path("frames").iterdir()))


def test_check_tells_what_will_be_rendered(boidsgen):
    """A valid scenario is described, with its cost."""
    ran = boidsgen("check", "small.toml", "--set", "output.fps=10")

    assert (ran.code, ran.err) == (0, "")
    assert ran.paths == [
        "small.toml: a valid scenario",
        "  picture     64 x 48 pixels, gif",
        "  clip        3 frames, 0.3 s at 10 frames a second",
        "  simulation  5 animals, 2 steps, about 50 neighbor visits",
        "  time        roughly 0 s",
        "  output      outputs/small.gif",
    ]
    assert not Path("outputs").exists()


def test_check_tells_all_mistakes_of_all_scenarios(boidsgen):
    """Mistakes begin with file and line; a valid scenario among them does not matter."""
    Path("a.toml").write_text("seed = -1\n[flock]\naligment = 3")
    Path("b.toml").write_text("x = [")
    ran = boidsgen("check", "a.toml", "small.toml", "b.toml")

    assert (ran.code, ran.out) == (3, "")
    assert ran.err.splitlines() == [
        "a.toml:1: seed: must be at least 0, not -1",
        "a.toml:3: flock.aligment: unknown key (did you mean 'alignment'?)",
        "b.toml:1:6: not TOML: invalid value",
    ]


def test_presets(boidsgen):
    """Each preset has a line, and its name is a scenario."""
    ran = boidsgen("presets")

    assert [line.split()[0] for line in ran.paths] == [preset.name for preset in sources.presets()]
    assert boidsgen("check", ran.paths[0].split()[0]).code == 0


def test_file_is_preferred_to_a_preset(boidsgen):
    """What stands in the directory hides the preset of the same name; a directory does not."""
    Path("quickstart").mkdir()
    assert "quickstart.toml" in boidsgen("check", "quickstart").out

    Path("quickstart").rmdir()
    Path("quickstart").write_text("seed = -1")
    assert boidsgen("check", "quickstart").code == 3


@pytest.mark.parametrize("origin", [(), ("--from", "quickstart")])
def test_new(boidsgen, origin):
    """A new scenario is valid, and an existing file is never replaced."""
    made = boidsgen("new", "mine.toml", *origin)

    assert (made.code, made.out) == (0, "mine.toml\n")
    assert boidsgen("check", "mine.toml").code == 0
    assert boidsgen("new", "mine.toml", *origin).code == 4


def test_schema(boidsgen):
    """The schema is one JSON document."""
    ran = boidsgen("schema")

    assert (ran.code, json.loads(ran.out)["title"]) == (0, "Scenario")


def test_doctor(boidsgen):
    """Every finding has a line, and the place of outputs is told without being made."""
    ran = boidsgen("doctor")
    found = [re.split(r"\s+", line)[0] for line in ran.paths]

    assert (ran.code, ran.err) == (0, "")
    assert {"python", "boidsgen", "numpy", "engines", "ffmpeg", "outputs"} <= set(found)
    assert not Path("outputs").exists()


def test_doctor_without_ffmpeg(boidsgen, monkeypatch):
    """A missing encoder is a finding, not a failure."""
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", os.devnull)
    ran = boidsgen("doctor")

    assert ran.code == 0
    assert "missing, so no mp4" in ran.out


def test_version(boidsgen):
    """The version is that of the installed package."""
    assert boidsgen("--version").out == f"boidsgen {metadata.version('boidsgen')}\n"


@pytest.mark.parametrize("command", ["render", "still", "check", "presets", "new", "schema", "doctor"])
def test_every_command_has_help(boidsgen, command):
    """Each command says what it does."""
    ran = boidsgen(command, "--help")

    assert (ran.code, ran.err) == (0, "")
    assert ran.paths[0].startswith(f"Usage: boidsgen {command}")
    assert ran.paths[2].strip()[0].isupper()


def _pixels(path):
    with Image.open(path) as picture:
        return picture.convert("RGB").tobytes()
