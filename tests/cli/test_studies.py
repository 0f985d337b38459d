"""Commands of studies: compare, measure and simulate; those of sweeps are tested with the studies themselves."""

import json
from pathlib import Path

import pytest
from PIL import Image

from tests.systems import native


def test_compare(boidsgen):
    """Clip and picture of a grid have the fields of a rendering, in their order; a grid can only be replayed."""
    outputs = ("-o", "two.png", "-o", "two.gif", "--set", "output.loop_seam=1", "--json")
    ran = boidsgen("compare", "small.toml", "quickstart", "--frames", 3, "--size", "64x48", *outputs)
    picture, clip = map(json.loads, ran.paths)

    assert (ran.code, ran.err) == (0, "")
    assert (clip["path"], clip["frames"], clip["duration"]) == ("two.gif", 2, 0.08)
    assert (picture["path"], picture["frames"], picture["at"], picture["seed"]) == ("two.png", 1, [2], 3)
    with Image.open("two.gif") as image:
        assert image.n_frames == 2
        assert image.size > (128, 48)
    refused = boidsgen("render", "two.gif", "-o", "flock.gif")
    assert (refused.code, "boidsgen replay" in refused.err) == (3, True)
    assert boidsgen("replay", "two.gif", "-o", "again.gif").code == 0


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
    """Ablation, variants, labels, and variants of several scenarios: a clip and a picture in one go."""
    ran = boidsgen("compare", "small.toml", *more, "-o", "grid.gif", "-o", "grid.png", "--at", 1)

    assert (ran.code, ran.paths, ran.err) == (0, ["grid.gif", "grid.png"], "")


def test_measure(boidsgen):
    """One row a frame and seed; the table goes to the usual place, to files or to standard output."""
    assert boidsgen("measure", "small.toml", "--seeds", 2, "-o", "s.csv", "-o", "s.jsonl").paths == ["s.csv", "s.jsonl"]
    assert boidsgen("measure", "small.toml").paths == [native("outputs/small.csv")]
    assert boidsgen("measure", "small.toml", "-o", "-", "--format", "csv").out.startswith("seed,frame,time,")
    assert len(Path("s.csv").read_text().splitlines()) == 1 + 2 * 3


def test_measure_plots(boidsgen):
    """A figure comes with the table or alone, and embeds its scenario."""
    pytest.importorskip("matplotlib")

    assert boidsgen("measure", "small.toml", "-o", "a.csv", "--plot", "fig.svg").paths == ["a.csv", "fig.svg"]
    assert boidsgen("measure", "small.toml", "--plot", "fig.png").paths == ["fig.png"]
    assert boidsgen("new", "again.toml", "--from", "fig.png").code == 0


@pytest.mark.parametrize(("command", "ending"), [("render", "gif"), ("still", "png"), ("measure", "csv")])
def test_saved_runs(command, ending, boidsgen):
    """A saved run is drawn and measured to the same results as its scenario, by no engine."""
    theme = () if command == "measure" else ("--set", "style.theme=paper")
    assert boidsgen("simulate", "small.toml", "-o", "run.npz").paths == ["run.npz"]
    boidsgen(command, "small.toml", "-o", f"a.{ending}", *theme)
    ran = boidsgen(command, "run.npz", "-o", f"b.{ending}", *theme, "--json")

    assert Path(f"a.{ending}").read_bytes() == Path(f"b.{ending}").read_bytes()
    assert (ran.code, json.loads(ran.out)["engine"]) == (0, None)


@pytest.mark.parametrize(
    "arguments",
    [
        ["render", "--set", "flock.count=3"],
        ["render", "--frames", "2"],
        ["still", "--seed", "1"],
        ["measure", "--seeds", "3"],
    ],
    ids=" ".join,
)
def test_a_saved_run_cannot_be_changed(arguments, boidsgen):
    """Options that would change what has happened are refused."""
    boidsgen("simulate", "small.toml", "-o", "run.npz")
    ran = boidsgen(arguments[0], "run.npz", *arguments[1:])

    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert "finished run" in ran.err
