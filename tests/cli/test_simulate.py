import json
from pathlib import Path

import pytest


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


def test_formats_that_hold_no_run(boidsgen):
    """A format of clips is refused in one line, with and without a name."""
    for output in ([], ["-o", "run"]):
        ran = boidsgen("simulate", "small.toml", "--format", "gif", *output)

        assert (ran.code, ran.err) == (2, "boidsgen: --format gif: must be csv, xyz or npz\n")


@pytest.mark.parametrize(("command", "ending"), [("render", "gif"), ("still", "png"), ("measure", "csv")])
def test_no_engine_did_a_saved_run(command, ending, boidsgen):
    """With --json a saved run names no engine."""
    boidsgen("simulate", "small.toml", "-o", "run.npz")

    ran = boidsgen(command, "run.npz", "-o", f"a.{ending}", "--json")

    assert (ran.code, json.loads(ran.out)["engine"]) == (0, None)
