import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from PIL import Image

from tests.systems import native

ROOT = Path(__file__).parents[2]


def test_render_prints_the_path_only(boidsgen):
    """Standard output holds the path of the result and nothing else."""
    ran = boidsgen("render", "small.toml")

    assert (ran.code, ran.out, ran.err) == (0, f"{native('outputs/small.gif')}\n", "")
    with Image.open("outputs/small.gif") as picture:
        assert (picture.size, picture.n_frames) == ((64, 48), 3)


def test_render_once_for_several_outputs(boidsgen):
    """Each -o is one more file of the same frames."""
    Path("frames").mkdir()
    ran = boidsgen("render", "small.toml", "-o", "a.gif", "-o", "b.MP4", "-o", "frames/")

    assert (ran.code, ran.paths) == (0, ["a.gif", "b.MP4", native("frames/small.gif")])
    assert Path("a.gif").read_bytes() == Path("frames/small.gif").read_bytes()


def test_several_scenarios_give_several_files(boidsgen):
    """One file per scenario, called like it."""
    Path("other.toml").write_text("[time]\nframes = 2\n[world]\nsize = [32, 32]")
    ran = boidsgen("render", "small.toml", "other.toml")

    assert (ran.code, ran.paths) == (0, [native("outputs/small.gif"), native("outputs/other.gif")])


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

    assert (ran.code, ran.paths) == (0, [native("outputs/small")])
    assert len(list(Path("outputs/small").iterdir())) == 3


def test_scenario_from_standard_input(boidsgen, monkeypatch):
    """`-` reads the scenario from standard input, and its mistakes say so."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"\n[time]\nframes = 0")))
    ran = boidsgen("check", "-")

    assert (ran.code, ran.err) == (3, "<stdin>:3: time.frames: must be at least 1, not 0\n")


def test_standard_output_takes_the_format_of_the_scenario(boidsgen):
    """`-o -` streams what the scenario says, unless --format says otherwise."""
    boidsgen("render", "small.toml", "-o", "a.gif")
    command = [sys.executable, "-m", "boidsgen", "render", "small.toml", "-o", "-"]
    streamed = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})

    assert streamed.stdout == Path("a.gif").read_bytes()
