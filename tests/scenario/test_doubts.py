"""What is valid and surely not meant is told, each with its key; and nothing that a preset does is."""

import pytest

from boidsgen import presets
from boidsgen.cli.program import run
from boidsgen.scenario.doubts import DOUBTS
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import Source, find

DOUBTFUL = [
    (
        "[time]\nframes = 50\n[[events]]\nat = 50\ncaption = 'x'",
        "4: events.at: never happens: the last frame is 49",
    ),
    (
        "[[obstacles]]\nkind = 'circle'\ncenter = [900, 100]\nradius = 30",
        "1: obstacles: lies outside the world, which is 400×400",
    ),
    (
        "[world]\nboundary = 'open'\n[[attractors]]\npoint = [900, 100]",
        "4: attractors.point: lies outside the world, which is 400×400",
    ),
    (
        "[flock.perception]\nfield_of_view = 4.7",
        "2: flock.perception.field_of_view: 4.7 degrees see next to nothing; is that in radians? All round is 360",
    ),
    ("[[events]]\nat = 30", "1: events: changes nothing: it has neither set nor caption"),
    ("[events]\n at = 30", "1: events: changes nothing: it has neither set nor caption"),
    ("[camera]\nazimuth = 30", "2: camera.azimuth: does nothing in a flat world; world.size has 2 entries"),
    (
        "[output]\nsize = [640, 360]",
        "2: output.size: has another shape than the world (400x400), which leaves bars; 640x640 leaves none",
    ),
    (
        "[flock]\nperception = { radius = 20 }\nseparation = { radius = 30 }",
        (
            "3: flock.separation.radius: is larger than perception.radius, 20: "
            "boids keep clear of some whom they do not follow"
        ),
    ),
    (
        "[flock.perception]\nradius = 300",
        "2: flock.perception.radius: 300 sees everyone in a world of 400×400; inf says so",
    ),
    (
        "[[predators]]\nmax_speed = 0.5\nhunt = { weight = 1 }\n[flock]\nmax_speed = 4\nmin_speed = 1",
        "2: predators.max_speed: 0.5 reaches nobody: the slowest boid flies at 1",
    ),
    (
        "[[predators]]\nmax_speed = 0.5\n[flock]\nmax_speed = 4\nmin_speed = 1",
        "2: predators.max_speed: 0.5 reaches nobody: the slowest boid flies at 1",
    ),
    (
        f"[output]\nsize = [80, 80]\n[[events]]\nat = 3\ncaption = '{'who flies where ' * 6}'",
        "5: events.caption: has 96 letters; a picture of 80x80 shows 80 at most",
    ),
]


def doubts(text):
    """What is doubted in a document, line by line."""
    document = draft(Source("my.toml", "my", text))
    return document.doubts(document.scenario())


@pytest.mark.parametrize(("text", "doubt"), DOUBTFUL, ids=[doubt for _, doubt in DOUBTFUL])
def test_doubts_are_told(text, doubt):
    """A scenario that is valid and surely not meant is told with file, line, key and reason."""
    assert doubts(text) == [f"my.toml:{doubt}"]


def test_every_doubt_is_tried():
    """There are as many examples as doubts, or more."""
    assert len(DOUBTFUL) >= len(DOUBTS)


@pytest.mark.parametrize("name", [preset.name for preset in presets()])
def test_presets_are_meant(name):
    """Nothing in a preset is doubted."""
    document = draft(find(name))

    assert document.doubts(document.scenario()) == []


def test_strict_takes_doubts_for_mistakes(tmp_path, monkeypatch, capsys):
    """A rendering tells doubts and goes on; with --strict it is refused with the same words, and so is a check."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.toml").write_text("time = { frames = 2 }\noutput = { size = [64, 32] }\n", encoding="utf-8")

    assert run(["render", "my.toml", "-o", "my.gif"]) == 0
    told = capsys.readouterr().err
    assert "probably not intended: my.toml:2: output.size: has another shape" in told
    assert run(["check", "my.toml"]) == 0
    assert "probably not intended: my.toml:2" in capsys.readouterr().out
    for command in ("check", "render"):
        assert run([command, "my.toml", "--strict"]) == 3
        assert capsys.readouterr().err.startswith("my.toml:2: output.size: has another shape")
