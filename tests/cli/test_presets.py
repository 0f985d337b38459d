import json
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

from boidsgen.scenario import sources
from boidsgen.scenario.documentation import keys_of, sections
from boidsgen.scenario.explanation import explained_key
from boidsgen.scenario.schema import json_schema
from boidsgen.simulation.measuring import KNOWN


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


def test_presets_are_filtered(boidsgen):
    """Words leave the presets that have all of them, in capitals or not; no such preset is a mistake."""
    names = [line.split()[0] for line in boidsgen("presets", "System", "TORUS").paths]

    assert names == [one.name for one in sources.presets() if "System" in one.title and "torus" in one.title]
    assert names
    assert boidsgen("presets", "nosuchword").code == 2


def test_presets_as_json(boidsgen):
    """With --json a line is an object with name and title."""
    told = [json.loads(line) for line in boidsgen("presets", "--json").out.splitlines()]

    assert told == [{"name": one.name, "title": one.title} for one in sources.presets()]


def test_show(boidsgen):
    """A scenario is shown as it is: a preset, a file, and what a clip carries."""
    boidsgen("render", "small.toml", "-o", "small.gif")

    assert boidsgen("show", "hunt").out == next(one.text for one in sources.presets() if one.name == "hunt")
    assert boidsgen("show", "small.toml").out == Path("small.toml").read_text("utf-8").rstrip("\n") + "\n"
    assert "count = 5" in boidsgen("show", "small.gif").out


def test_explain(boidsgen):
    """A key is told with meaning, values, default and users, a table with its keys, an unknown one with ours."""
    key, table = boidsgen("explain", "flock.0.separation.weight").out, boidsgen("explain", "[world.boundary]").out

    assert key.splitlines()[0] == "flock.separation.weight"
    assert "  default  1.5\n" in key
    assert "set by   000-attract" in key
    assert '[world.boundary], kind "torus"' in table
    assert boidsgen("explain", "theme").err.endswith("(did you mean 'style.theme'?)\n")
    assert boidsgen("explain", "polarisation").err.endswith("(did you mean 'polarization'?)\n")
    assert "a list of 2 whole numbers" in boidsgen("explain", "output.size").out


def test_a_measure_is_explained(boidsgen):
    """Its name gives its definition, its source and its unit."""
    name, definition, unit = boidsgen("explain", "mean_speed").paths

    assert name == "mean_speed, a measure"
    assert definition == "  Sum of |v| / N. Not defined without boids."
    assert unit == "  in       world units per unit of time"


@pytest.mark.parametrize("name", KNOWN)
def test_whatever_is_measured_is_explained(name):
    """Every measure and every profile."""
    assert explained_key(name)[0] in {f"{name}, a measure", f"{name}, a profile"}
    assert len(explained_key(name)) > 1


def test_every_key_is_explained():
    """Each key of the reference has an explanation of several lines."""
    for section in sections():
        for key in keys_of(section.table):
            assert len(explained_key(f"{section.name}.{key}".strip("."))) > 1


@pytest.mark.parametrize("origin", [[], ["--from", "hunt"]])
def test_new_leads_editors_to_the_schema(boidsgen, origin):
    """The first line names the schema of this installation, once, and changes nothing in the scenario."""
    boidsgen("new", "mine.toml", *origin)
    boidsgen("new", "again.toml", "--from", "mine.toml")
    mark, address = Path("mine.toml").read_text().splitlines()[0].split(maxsplit=1)
    schema = json.loads(Path(url2pathname(urlparse(address).path)).read_text("utf-8"))

    assert mark == "#:schema"
    assert schema == json_schema()
    assert Path("again.toml").read_text() == Path("mine.toml").read_text()
