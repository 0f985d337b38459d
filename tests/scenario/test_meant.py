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
    assert complaint(text).endswith(f": {said}")


@pytest.mark.parametrize(("word", "meant"), [("periodic", "torus"), ("bounce", "reflect"), ("Infinite", "open")])
def test_words_of_others_are_understood(word, meant):
    """A word that others use for a choice is told with ours."""
    assert complaint(f'[world]\nboundary = "{word}"').endswith(f"not \"{word}\" (did you mean '{meant}'?)")


@pytest.mark.parametrize("name", sorted({*SAME_KEY.values(), *SAME_WORD.values()}))
def test_hints_lead_somewhere(name):
    """Every key and every word that a hint may name is one of ours."""
    assert f'"{name}"' in json.dumps(json_schema())


def test_few_keys_are_listed():
    """Where no key is like the one that was written, at most eight are listed, with how many there are besides."""
    said = complaint("__class__ = 3")

    listed = said.partition("known here: ")[2].partition(" and ")[0].split(", ")
    assert len(listed) == MAX_CANDIDATES
    assert said.endswith(f" and {len(Scenario.model_fields) - MAX_CANDIDATES} more)")


def test_a_key_of_a_megabyte_is_told():
    """A very long key is compared in part only."""
    assert "unknown key" in complaint(f"{'k' * 1_000_000} = 1")
