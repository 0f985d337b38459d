import json
from pathlib import Path

import pytest

from tests.systems import native

OTHER = "[time]\nframes = 2\n[world]\nsize = [32, 32]\n[flock]\ncount = 5"


@pytest.fixture
def scenarios(boidsgen):  # noqa: ARG001  which makes the directory
    """Three small scenarios, the first of which takes longest."""
    Path("other.toml").write_text(OTHER)
    Path("third.toml").write_text(OTHER.replace("2", "4", 1))
    return ["small.toml", "other.toml", "third.toml"]


def test_jobs_give_the_same_files_and_lines(boidsgen, scenarios):
    """Processes change neither a byte nor the order in which results are told."""
    one = boidsgen("render", *scenarios, "-o", "here/", "--json")
    several = boidsgen("render", *scenarios, "--jobs", 2, "--json")
    here, there = [[json.loads(line) for line in ran.paths] for ran in (one, several)]

    assert one.code == several.code == 0
    assert [line["path"] for line in there] == [native(f"outputs/{Path(name).stem}.gif") for name in scenarios]
    assert [line["digest"] for line in there] == [line["digest"] for line in here]
    assert [line.keys() for line in there] == [line.keys() for line in here]


def test_jobs_fail_as_one_does(boidsgen, scenarios):
    """What came before the failure is told, then the failure with its own code."""
    Path("outputs").mkdir()
    Path("outputs/other.gif").write_text("mine")
    one = boidsgen("render", *scenarios, "--no-clobber")
    Path("outputs/small.gif").unlink()
    several = boidsgen("render", *scenarios, "--jobs", 3, "--no-clobber")

    assert (one.code, one.out, one.err) == (several.code, several.out, several.err)
    assert (several.code, several.paths) == (4, [native("outputs/small.gif")])
    assert Path("outputs/other.gif").read_text() == "mine"
    assert not list(Path("outputs").glob(".*"))


def test_jobs_read_standard_input_and_saved_runs(boidsgen, scenarios):
    """A job is carried to its process whatever it was read from."""
    boidsgen("simulate", "small.toml", "-o", "saved.npz")
    ran = boidsgen("render", "saved.npz", *scenarios[1:], "--jobs", 2, "--set", "style.theme=paper", "-q")

    assert (ran.code, ran.err) == (0, "")
    assert ran.paths[0] == native("outputs/saved.gif")


def test_jobs_extend_other_scenarios(boidsgen, scenarios):
    """What a scenario extends travels with it."""
    Path("other.toml").write_text('extends = "small.toml"\n[flock]\ncount = 4')
    one = boidsgen("render", *scenarios[:2], "-o", "here/", "--json")
    several = boidsgen("render", *scenarios[:2], "--jobs", 2, "--json")

    assert (several.code, several.err) == (0, "")
    assert [json.loads(line)["digest"] for line in several.paths] == [json.loads(line)["digest"] for line in one.paths]
