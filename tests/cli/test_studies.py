"""The commands compare, measure, simulate and replay, and what other commands make of their files."""

from pathlib import Path

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


def test_measure_writes_a_table(boidsgen):
    """One row a frame and seed; without -o the table has the usual place."""
    assert boidsgen("measure", "small.toml", "--seeds", 2, "-o", "s.csv", "-o", "s.jsonl").paths == ["s.csv", "s.jsonl"]
    assert boidsgen("measure", "small.toml").paths == ["outputs/small.csv"]

    assert len(Path("s.csv").read_text().splitlines()) == 1 + 2 * 3


def test_measure_streams_and_plots(boidsgen):
    """Standard output may get the table itself; a figure comes with it or alone."""
    pytest.importorskip("matplotlib")
    ran = boidsgen("measure", "small.toml", "-o", "-", "--format", "csv", "--plot", "fig.svg")
    alone = boidsgen("measure", "small.toml", "--plot", "fig.png")

    assert ran.out.startswith("seed,frame,time,")
    assert ran.paths[-1] == "fig.svg"
    assert alone.paths == ["fig.png"]
    assert boidsgen("new", "again.toml", "--from", "fig.png").code == 0


def test_a_saved_run_is_drawn_and_measured(boidsgen):
    """What was simulated once is rendered, drawn and measured to the same results as the scenario."""
    assert boidsgen("simulate", "small.toml", "-o", "run.npz").paths == ["run.npz"]
    for name in ("small.toml", "run.npz"):
        assert boidsgen("render", name, "-o", f"{name}.gif", "--set", "style.theme=paper").code == 0
        assert boidsgen("still", name, "-o", f"{name}.png", "--at", 1).code == 0
        assert boidsgen("measure", name, "-o", f"{name}.csv").code == 0

    for ending in ("gif", "png", "csv"):
        assert Path(f"small.toml.{ending}").read_bytes() == Path(f"run.npz.{ending}").read_bytes()


@pytest.mark.parametrize("option", [("--set", "flock.count=3"), ("--frames", "2"), ("--seed", "1"), ("--set", "x")])
def test_what_has_happened_stays(option, boidsgen):
    """A saved run can be drawn otherwise, not made otherwise."""
    boidsgen("simulate", "small.toml", "-o", "run.npz")

    ran = boidsgen("render", "run.npz", "-o", "flock.gif", *option)

    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert "finished run" in ran.err or "KEY=VALUE" in ran.err


def test_seeds_of_a_saved_run(boidsgen):
    """A finished run has one seed."""
    boidsgen("simulate", "small.toml", "-o", "run.npz")

    ran = boidsgen("measure", "run.npz", "--seeds", 3)

    assert (ran.code, ran.err) == (2, "boidsgen: --seeds 3: run.npz is a finished run and has one seed\n")


@pytest.mark.parametrize("ending", ["gif", "mp4", "png"])
def test_replay_makes_it_again(ending, boidsgen):
    """What was rendered, drawn or compared comes back byte by byte."""
    command = ["still"] if ending == "png" else ["render"]
    boidsgen(*command, "small.toml", "-o", f"flock.{ending}")
    ran = boidsgen("replay", f"flock.{ending}", "-o", f"again.{ending}")

    assert (ran.code, ran.paths, ran.err) == (0, [f"again.{ending}"], "")
    assert Path(f"flock.{ending}").read_bytes() == Path(f"again.{ending}").read_bytes()


def test_a_scenario_comes_back(boidsgen):
    """The TOML in a clip makes the same clip."""
    boidsgen("render", "small.toml", "-o", "flock.gif")

    assert boidsgen("new", "again.toml", "--from", "flock.gif").paths == ["again.toml"]
    assert boidsgen("render", "again.toml", "-o", "again.gif").code == 0
    assert Path("flock.gif").read_bytes() == Path("again.gif").read_bytes()


def test_a_replay_has_a_name_of_its_own(boidsgen):
    """The original is never replaced."""
    boidsgen("render", "small.toml", "-o", "flock.gif")

    ran = boidsgen("replay", "flock.gif", "-o", "flock.gif")

    assert (ran.code, ran.err) == (
        2,
        "boidsgen: flock.gif: is already what is read; give every output a name of its own\n",
    )


def test_a_grid_is_no_scenario(boidsgen):
    """A comparison can be replayed, and every other command says so."""
    boidsgen("compare", "small.toml", "small.toml", "--labels", "a,b", "-o", "grid.gif")

    ran = boidsgen("render", "grid.gif", "-o", "flock.gif")

    assert (ran.code, ran.err) == (
        3,
        "grid.gif: shows several scenarios; only `boidsgen replay` can make it again\n",
    )
    assert boidsgen("replay", "grid.gif", "-o", "again.gif").code == 0


def test_a_missing_original(boidsgen):
    """What is not there cannot be replayed."""
    ran = boidsgen("replay", "nothing.gif", "-o", "again.gif")

    assert (ran.code, ran.err) == (5, "boidsgen: nothing.gif: No such file or directory\n")
