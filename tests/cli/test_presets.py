import json
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

from boidsgen.scenario import sources
from boidsgen.scenario.reference import explained_key, keys_of, sections
from boidsgen.scenario.schema import json_schema
from boidsgen.simulation.measuring import KNOWN


def test_presets(boidsgen):
    """Each preset has a line, or an object; words filter them, in capitals or not."""
    shipped = sources.presets()
    found = [line.split()[0] for line in boidsgen("presets", "System", "TORUS").paths]
    objects = [json.loads(line) for line in boidsgen("presets", "--json").paths]

    assert [line.split()[0] for line in boidsgen("presets").paths] == [preset.name for preset in shipped]
    assert objects == [{"name": one.name, "title": one.title} for one in shipped]
    assert found == [one.name for one in shipped if "System" in one.title and "torus" in one.title] != []


def test_show(boidsgen):
    """A scenario is shown as it is: a preset, a file, and what a clip embeds."""
    boidsgen("render", "small.toml", "-o", "small.gif")

    assert boidsgen("show", "hunt").out == next(one.text for one in sources.presets() if one.name == "hunt")
    assert boidsgen("show", "small.toml").out == Path("small.toml").read_text("utf-8").rstrip("\n") + "\n"
    assert "count = 5" in boidsgen("show", "small.gif").out


def test_explain(boidsgen):
    """Keys come with values, default and presets, tables with their keys, measures with definition and unit."""
    key, table = boidsgen("explain", "flock.0.separation.weight").out, boidsgen("explain", "[world.boundary]").out

    assert key.splitlines()[0] == "flock.separation.weight"
    assert "  default  1.5\n" in key
    assert "set by   000-attract" in key
    assert '[world.boundary], kind "torus"' in table
    assert "a list of 2 whole numbers" in boidsgen("explain", "output.size").out
    assert boidsgen("explain", "mean_speed").paths == [
        "mean_speed, a measure",
        "  Sum of |v| / N. Not defined without boids.",
        "  in       world units per unit of time",
    ]


def test_everything_is_explained():
    """Each key of the reference, each measure and each profile."""
    keys = [f"{section.name}.{key}".strip(".") for section in sections() for key in keys_of(section.table)]

    assert all(len(explained_key(name)) > 1 for name in (*keys, *KNOWN))


@pytest.mark.parametrize("origin", [[], ["--from", "hunt"]])
def test_new(boidsgen, origin):
    """A new scenario is valid, and its first line names the schema of this installation, once."""
    made = boidsgen("new", "mine.toml", *origin)
    boidsgen("new", "again.toml", "--from", "mine.toml")
    mark, address = Path("mine.toml").read_text().splitlines()[0].split(maxsplit=1)

    assert (made.code, made.out, boidsgen("check", "mine.toml").code) == (0, "mine.toml\n", 0)
    assert mark == "#:schema"
    assert json.loads(Path(url2pathname(urlparse(address).path)).read_text("utf-8")) == json_schema()
    assert Path("again.toml").read_text() == Path("mine.toml").read_text()
    assert json.loads(boidsgen("schema").out) == json_schema()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            '# points\n[flock]\nstart = { csv = "pts.csv" } # here\n',
            '# points\n[flock]\nstart = { csv = "../pts.csv" } # here\n',
        ),
        ('flock.start = { csv = """pts.csv""" }\n', '"../pts.csv"'),
        ('extends = "base.toml"\n[time]\nframes = 2\n', '"../pts.csv"'),
    ],
    ids=["plain", "odd", "extends"],
)
def test_new_names_files_as_seen_from_its_folder(boidsgen, text, kept):
    """Files that a scenario names are found from the folder of the new one, too; its comments stay."""
    Path("sub").mkdir()
    Path("pts.csv").write_text("1,2\n3,4\n")
    Path("base.toml").write_text('flock.start = { csv = "pts.csv" }\n')
    Path("pt.toml").write_text(text)

    assert boidsgen("new", "sub/mine.toml", "--from", "pt.toml").code == 0
    assert kept in Path("sub/mine.toml").read_text()
    assert boidsgen("check", "sub/mine.toml").code == 0
