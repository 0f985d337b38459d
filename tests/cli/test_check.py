"""Commands that only report or begin: check, doctor, presets, show, explain, schema and new."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from boidsgen import load_scenario
from boidsgen.kernel import library
from boidsgen.scenario import sources
from boidsgen.scenario.reference import explained_key, ranges, sections
from boidsgen.simulation.measures import KNOWN
from boidsgen.tables import keys_of
from tests.systems import native


def test_check_reports_what_will_be_rendered(boidsgen):
    """A valid scenario is described with its cost, and nothing is made."""
    ran = boidsgen("check", "small.toml", "--set", "output.fps=10")

    assert (ran.code, ran.err) == (0, "")
    assert [re.sub(r"roughly \d+ s", "roughly 1 s", line) for line in ran.paths] == [
        "small.toml: a valid scenario",
        "  picture     64 x 48 pixels, gif",
        '  defaults    theme night: style.color_by = "heading", style.trails = 10',
        "  clip        3 frames, 0.3 s at 10 frames a second",
        "  simulation  5 animals, 2 steps, about 50 neighbor visits",
        "  time        roughly 1 s",
        "  size        roughly 1,800 bytes, within a factor of three",
        f"  output      {native('outputs/small.gif')}",
    ]
    assert not Path("outputs").exists()
    fitted = boidsgen("check", "small.toml", "--size", "640x480", "--set", "output.max_bytes=1000")
    assert (
        "  picture     640 x 480 pixels, gif at most; fitted to 1,000 bytes when rendered, down to 160 x 120"
        in fitted.out
    )


def test_strict_treats_warnings_as_errors(boidsgen):
    """A rendering prints warnings and goes on; with --strict it is refused in the same words, and so is a check."""
    Path("my.toml").write_text("time = { frames = 2 }\noutput = { size = [64, 32] }\n")
    warning = "my.toml:2: output.size: has a different aspect ratio"
    rendered, checked = boidsgen("render", "my.toml", "-o", "my.gif"), boidsgen("check", "my.toml")

    assert (rendered.code, warning in rendered.err) == (0, True)
    assert (checked.code, warning in checked.out) == (0, True)
    for command in ("check", "render"):
        refused = boidsgen(command, "my.toml", "--strict")
        assert (refused.code, refused.err.startswith(warning)) == (3, True)


FINDINGS = {
    *("python", "system", "cores", "boidsgen", "numpy", "pillow", "imageio", "imageio-ffmpeg", "fonttools"),
    *("pydantic", "typer", "matplotlib", "distributed", "pandas", "xarray", "packages", "engines"),
    *("kernel", "formats", "ffmpeg", "fonts", "terminal", "outputs", "cite", "leftovers", "verdict"),
}


def test_doctor(boidsgen, monkeypatch):
    """Every finding has a line, and the same object has them all; a missing encoder is one, and no failure."""
    ran = boidsgen("doctor")
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", os.devnull)
    found = json.loads(boidsgen("doctor", "--json").out)

    assert (ran.code, ran.err) == (0, "")
    assert {re.split(r"\s\s+", line)[0] for line in ran.paths} == set(found) == FINDINGS
    assert sys.executable in found["python"]
    assert "SourceSansPro" in found["fonts"]
    assert "missing, so no mp4" in found["ffmpeg"]
    assert not Path("outputs").exists()


@pytest.mark.usefixtures("no_kernel")
def test_missing_kernel_is_one_line(boidsgen):
    """Without the kernel, doctor and check say that numpy is used and what would help, in text and in JSON."""
    doctor, check = boidsgen("doctor", "--json"), boidsgen("check", "small.toml", "--json")
    line = library.kernel_notice()

    assert line == f"the kernel cannot be used ({library.missing()}); numpy gives the same results, more slowly"
    assert json.loads(doctor.out)["kernel"] == json.loads(check.out)["notice"] == line
    assert json.loads(doctor.out)["verdict"].startswith("limited; see kernel")
    assert f"  engine      {line}" in boidsgen("check", "small.toml").paths


def test_presets(boidsgen):
    """Each preset has a line in its group, or an object with what is in it; words filter them, in capitals or not."""
    shipped = sorted(one.name for one in sources.presets())
    objects = [json.loads(line) for line in boidsgen("presets", "--json").paths]
    lines = [line.split()[0] for line in boidsgen("presets").out.splitlines() if line.startswith("  ")]
    found = [json.loads(line)["name"] for line in boidsgen("presets", "PREDATOR", "3d", "--json").paths]

    assert sorted(one["name"] for one in objects) == sorted(lines) == shipped
    for one in objects:
        scenario = load_scenario(one["name"])
        held = {"predator": scenario.predators, "obstacle": scenario.obstacles, "attractor": scenario.attractors}
        held |= {"events": scenario.events, "several flocks": scenario.flock[1:]}
        assert {*one["tags"]} - {"000", "001", "002", "003", "004"} == {
            f"{scenario.world.dimension}D",
            *(tag for tag, tables in held.items() if tables),
        }
        assert (one["name"] in found) == ({"predator", "3D"} <= {*one["tags"]})
    assert "trefoil" in found


def test_show(boidsgen):
    """A scenario is shown as it is: a preset, a file, and what a clip embeds."""
    boidsgen("render", "small.toml", "-o", "small.gif")

    assert boidsgen("show", "hunt").out == sources.find("hunt").text
    assert boidsgen("show", "small.toml").out == Path("small.toml").read_text("utf-8")
    assert "count = 5" in boidsgen("show", "small.gif").out


def test_explain(boidsgen):
    """Keys come with values, default and presets, tables with their keys, measures with definition and unit."""
    key = boidsgen("explain", "flock.0.separation.weight")

    assert key.paths[0] == "flock.separation.weight"
    assert "  default  1.5\n" in key.out
    assert "set by   agents-jl, ben-eater" in key.out
    assert '[world.boundary], kind "torus"' in boidsgen("explain", "[world.boundary]").out
    assert "  in       world units per unit of time" in boidsgen("explain", "mean_speed").paths
    keys = [f"{section.name}.{key}".strip(".") for section in sections() for key in keys_of(section.table)]
    assert all(len(explained_key(name)) > 1 for name in (*keys, *KNOWN))


@pytest.mark.parametrize(
    "origin", [[], ["--full"], ["--from", "hunt"], ["--from", "quickstart.gif"], ["--from", "lesson"]]
)
def test_new(boidsgen, origin):
    """A new scenario is valid and names no path of this machine; a clip gives one that renders to the same clip."""
    boidsgen("render", "quickstart", "-o", "quickstart.gif", "--frames", "3", "--set", 'events=[{at=1,caption="x"}]')
    made = boidsgen("new", "mine.toml", *origin)
    text = Path("mine.toml").read_text("utf-8")

    assert (made.code, made.out, boidsgen("check", "mine.toml").code) == (0, "mine.toml\n", 0)
    assert str(Path.cwd()) not in text
    assert "file:" not in text
    assert ("[[events]]" in text) == (origin in [["--full"], ["--from", "quickstart.gif"]])
    if origin[1:] == ["hunt"]:
        assert text == sources.find("hunt").text
    if origin[1:] == ["quickstart.gif"]:
        boidsgen("render", "mine.toml", "-o", "again.gif")
        with Image.open("quickstart.gif") as one, Image.open("again.gif") as other:
            assert [frame.tobytes() for frame in ImageSequence.Iterator(one)] == [
                frame.tobytes() for frame in ImageSequence.Iterator(other)
            ]


def test_a_simple_scenario_has_the_keys_that_matter(boidsgen):
    """Without options `new` writes at most thirty lines, each key with a value, a range and its effect."""
    boidsgen("new", "mine.toml")
    lines = Path("mine.toml").read_text("utf-8").splitlines()

    assert len(lines) <= 30
    assert sum(" = " in line for line in lines) == len(ranges()) == 12
    for key, known in ranges().items():
        assert f"  range    {known['range']}; {known['effect']}" in boidsgen("explain", key).out
    assert "[flock.cohesion]" in boidsgen("explain", "cohesion").out
    assert "flock.separation.weight" in boidsgen("explain", "separation.weight").out


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('[flock]\nstart = { csv = "pts.csv" } # here\n', '[flock]\nstart = { csv = "../pts.csv" } # here\n'),
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
