import json
from pathlib import Path

import pytest

from boidsgen.scenario import sources


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
