import json

import pytest
from PIL import Image


def test_compare_puts_scenarios_side_by_side(boidsgen):
    """One grid of all scenarios; its path is all that standard output gets."""
    ran = boidsgen("compare", "small.toml", "quickstart", "-o", "grid.gif", "--frames", 3, "--size", "64x48")

    assert (ran.code, ran.paths, ran.err) == (0, ["grid.gif"], "")
    with Image.open("grid.gif") as image:
        assert image.n_frames == 3
        assert image.size > (128, 48)


@pytest.mark.parametrize(
    "more",
    [
        ["--ablate"],
        ["--with", "", "--with", "flock.count=3 'world.size=[32, 32]'"],
        ["small.toml", "--labels", "a, b", "--columns", "1"],
        ["small.toml", "--with", "", "--with", "flock.count=3"],
    ],
    ids=" ".join,
)
def test_ways_to_compare(more, boidsgen):
    """Rules taken away, variants, labels, and variants of several scenarios: a clip and a picture in one go."""
    ran = boidsgen("compare", "small.toml", *more, "-o", "grid.gif", "-o", "grid.png", "--at", 1)

    assert (ran.code, ran.paths, ran.err) == (0, ["grid.gif", "grid.png"], "")


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--with", "flock.aligment.weight=0"], 3, "--with flock.aligment.weight=0: flock.aligment: unknown key"),
        (["--with", "flock.count"], 2, "--with flock.count: must look like KEY=VALUE"),
        (["--with", "'flock.count=3"], 2, "no closing quotation"),
        (["--ablate", "--with", "flock.count=3"], 2, "--ablate takes one scenario and no --with"),
        (["--labels", "a,b"], 2, "--labels names 2 of 1 scenarios"),
        (["--at", "1"], 2, "--at 1: is about pictures"),
        (["-o", "small.toml"], 2, "small.toml: is already what is read"),
        (["-o", "grid.gif"], 2, "grid.gif: is already an output"),
        (["--set", "limits.frames=1"], 8, "small.toml: 3 frames wanted, 1 allowed"),
        (["-o", "nowhere/grid.gif"], 5, "there is no directory"),
        (["--measure", "polarisation"], 2, "--measure polarisation: is no measure; use one of angular_momentum, "),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_compared(more, code, message, boidsgen, tmp_path):
    """A clear line, the right code, and nothing is written."""
    ran = boidsgen("compare", "small.toml", "-o", "grid.gif", *more)

    assert ran.code == code
    assert message in ran.err
    assert len(ran.err.splitlines()) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["small.toml"]


def test_a_grid_is_no_scenario(boidsgen):
    """A comparison can be replayed, and every other command says so."""
    boidsgen("compare", "small.toml", "small.toml", "--labels", "a,b", "-o", "grid.gif")

    ran = boidsgen("render", "grid.gif", "-o", "flock.gif")

    assert (ran.code, ran.err) == (
        3,
        "grid.gif: shows several scenarios; only `boidsgen replay` can make it again\n",
    )
    assert boidsgen("replay", "grid.gif", "-o", "again.gif").code == 0


def test_json_says_what_a_report_says(boidsgen):
    """Every output has what render and still tell of theirs, in the order in which they were named."""
    outputs = ("-o", "two.png", "-o", "two.gif", "--set", "output.loop_seam=1", "--json")
    picture, clip = map(json.loads, boidsgen("compare", "small.toml", "small.toml", *outputs).paths)
    rendered = json.loads(boidsgen("render", "small.toml", "-o", "one.gif", "--json").out)

    assert (clip["path"], clip["frames"], clip["duration"]) == ("two.gif", 2, 0.08)
    assert clip.keys() == rendered.keys()
    assert (picture["path"], picture["frames"], picture["at"], picture["seed"]) == ("two.png", 1, [2], 3)
    with Image.open("two.gif") as image:
        assert image.n_frames == clip["frames"]
