"""Keys and words that others use lead to ours, and keys at the wrong place to the right one."""

import json

import pytest

from boidsgen.errors import ScenarioError
from boidsgen.scenario.loading import draft
from boidsgen.scenario.meant import MAX_CANDIDATES, SAME_KEY, SAME_WORD
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.schema import json_schema
from boidsgen.scenario.sources import Source

MEANT = [
    ("count = 40", "count: unknown key (did you mean 'flock.count' or 'predators.count'?)"),
    ('theme = "night"', "theme: unknown key (did you mean 'style.theme'?)"),
    ("fps = 30", "fps: unknown key (did you mean 'output.fps'?)"),
    ("frames = 30", "frames: unknown key (did you mean 'time.frames'?)"),
    ("[flock]\nspeed = 3", "flock.speed: unknown key (did you mean 'max_speed'?)"),
    ("[flock]\nboids = 3", "flock.boids: unknown key (did you mean 'count'?)"),
    ("[flock.perception]\nfov = 90", "flock.perception.fov: unknown key (did you mean 'field_of_view'?)"),
    ("[flock.cohesion]\nstrength = 2", "flock.cohesion.strength: unknown key (did you mean 'weight'?)"),
    ("[time]\nsteps = 100", "time.steps: unknown key (did you mean 'frames'?)"),
    ("[world]\nqqq = 1", "world.qqq: unknown key (known here: size, boundary)"),
    ("width = 640", "width: unknown key (did you mean 'world.size', 'obstacles.size' or 'style.size'?)"),
    ("[world]\nheight = 640", "world.height: unknown key (did you mean 'size'?)"),
    ("[flock]\nvision_radius = 30", "flock.vision_radius: unknown key (did you mean 'perception.radius'?)"),
    (
        "[flock]\nseparation_weight = 2",
        "unknown key (did you mean 'flock.separation.weight' or 'predators.separation.weight'?)",
    ),
    (
        '[events]\nat = 3\nset = { "flock.coun" = 3 }',
        "3: events.set.\"flock.coun\": unknown key (did you mean 'count'?)",
    ),
    (
        '[events]\nat = 3\nset = { "flock.count" = 9, "flock.start" = { image = "no.png" } }',
        'events.set."flock.start".image: no.png: there is no such file',
    ),
    ('[[events]]\nat = 5\nset = { "flock.cohesion.weigth" = 3 }', "unknown key (did you mean 'weight'?)"),
    ('[[events]]\nat = 5\nset = { "flock.cohesin.weight" = 3 }', "unknown key (did you mean 'cohesion'?)"),
    ("[flock.vision]\nradius = 3", "flock.vision: unknown key (did you mean 'perception'?)"),
    ("[world]\ndimensions = 3", "world.dimensions: unknown key (did you mean 'size'?)"),
    ("[time]\nseconds = 8", "time.seconds: unknown key (did you mean 'duration'?)"),
    ("[[events]]\nframe = 3", "events.frame: unknown key (did you mean 'at'?)"),
    ('[[obstacles]]\nkind = "circle"\ncenter = [1, 2]\nr = 3', "obstacles.r: unknown key (did you mean 'radius'?)"),
    ("[flock]\nseparation = 1.5", "flock.separation: must be a table, not 1.5 (write separation = { weight = 1.5 })"),
    ("[flock]\nwander = true", "flock.wander: must be a table, not true (write wander = { weight = 1 })"),
    ("[time]\nframes = 10.0", "time.frames: must be a whole number, not 10.0 (write 10)"),
    ("[time]\nduration = 8", 'time.duration: must be a duration as in "8s", not 8'),
    ('[world]\nsize = "640x480"', 'world.size: must be a list of 2 or 3 numbers, not "640x480" (write [640, 480])'),
    ('[overlay]\nlegend = "True"', 'overlay.legend: must be true, false or "scale", not "True" (write true)'),
    (
        "[[events]]\nat = 3\nset = { flock.count = 3 }",
        'events.set.flock: the dotted key of an event needs quotes: { "flock.count" = … }',
    ),
    (
        '[[events]]\nat = 3\nset = { "flok.count" = 3 }',
        "an event can change only keys of flock, predators, obstacles, attractors, camera, not 'flok.count'",
    ),
    ('[flock]\nmax_speed = "4"', 'flock.max_speed: must be a number, not "4" (write 4)'),
    ('[flock]\nmax_speed = "4,5 px"', 'flock.max_speed: must be a number, not "4,5 px" (write 4.5)'),
]


def complaint(text):
    """What is said of a document."""
    with pytest.raises(ScenarioError) as raised:
        draft(Source("my.toml", "my", text)).scenario()
    return str(raised.value)


@pytest.mark.parametrize(("text", "said"), MEANT, ids=[said for _, said in MEANT])
def test_keys_lead_to_the_right_one(text, said):
    """A key of another name or at another place is told with the key that was meant."""
    assert complaint(text).endswith((f": {said}", f":{said}"))


@pytest.mark.parametrize(("word", "meant"), [("periodic", "torus"), ("bounce", "reflect"), ("Infinite", "open")])
def test_words_of_others_are_understood(word, meant):
    """A word that others use for a choice is told with ours."""
    assert complaint(f'[world]\nboundary = "{word}"').endswith(f"not \"{word}\" (did you mean '{meant}'?)")


@pytest.mark.parametrize("name", sorted({*SAME_KEY.values(), *SAME_WORD.values()}))
def test_hints_lead_somewhere(name):
    """Every key and every word that a hint may name is one of ours."""
    assert all(f'"{part}"' in json.dumps(json_schema()) for part in name.split("."))


def test_few_keys_are_listed():
    """Where no key is like the one that was written, at most eight are listed, with how many there are besides."""
    said = complaint("__class__ = 3")

    listed = said.partition("known here: ")[2].partition(" and ")[0].split(", ")
    assert len(listed) == MAX_CANDIDATES
    assert said.endswith(f" and {len(Scenario.model_fields) - MAX_CANDIDATES} more)")


def test_a_key_of_a_megabyte_is_told():
    """A very long key is compared in part only."""
    assert "unknown key" in complaint(f"{'k' * 1_000_000} = 1")
