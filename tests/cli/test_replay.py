from pathlib import Path

import pytest


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


def test_a_missing_original(boidsgen):
    """What is not there cannot be replayed."""
    ran = boidsgen("replay", "nothing.gif", "-o", "again.gif")

    assert (ran.code, ran.err) == (5, "boidsgen: nothing.gif: No such file or directory\n")
