import json
from pathlib import Path

from boidsgen.studies.trial import Forecast
from tests.systems import native


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
        f"  output      {native('outputs/small.gif')}",
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
        "b.toml:1:6: not TOML: a ] is missing: x = []",
        "  1 | x = [",
        "    |      ^",
    ]


def test_check_takes_the_options_of_render(boidsgen):
    """The command line of a rendering can be checked as it is, and answered for a program."""
    options = ["--frames", 7, "--fps", 10, "--size", "32x24", "--seed", 9, "--format", "mp4"]
    ran = boidsgen("check", "small.toml", *options, "--json")
    found = json.loads(ran.out)

    assert (found["frames"], found["fps"], found["size"], found["seed"], found["format"]) == (7, 10, [32, 24], 9, "mp4")
    assert found["outputs"] == [native("outputs/small.mp4")]
    assert found["steps"] == 6
    assert boidsgen("check", "small.toml", "--frames", 0).err == "--frames 0: must be at least 1, not 0\n"


def test_check_tries_a_long_run(boidsgen, monkeypatch):
    """What a run of minutes will take is found by its first frames; where that fails, by a formula."""
    monkeypatch.setattr("boidsgen.studies.trial.forecast", lambda *_: Forecast(71.6, 3_149_000.0))
    tried = boidsgen("check", "small.toml", "--frames", 100000)
    told = json.loads(boidsgen("check", "small.toml", "--frames", 100000, "--json").out)
    monkeypatch.setattr("boidsgen.studies.trial.forecast", lambda *_: None)

    assert "  time        about 72 s" in tried.paths
    assert "  size        about 3.1 MB" in tried.paths
    assert (told["seconds"], told["bytes"]) == (71.6, 3_149_000)
    assert "  time        roughly " in boidsgen("check", "small.toml", "--frames", 100000).out
