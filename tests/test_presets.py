"""Every preset gives the pictures it gave; `python -m tests.proof` is the full form, of all frames."""

import json
import re
from itertools import pairwise

import pytest

from boidsgen.scenario.sources import presets
from tests import proof
from tests.shipped import shipped

GOLDEN = json.loads(proof.STORED.read_text())
DRAWN_ALIKE = GOLDEN["drawn with"] == proof.drawn_with()
PRESETS = [one.name for one in presets()]
FRAMES = proof.CHECKPOINTS[0]


def test_every_preset_has_its_digests():
    """Presets come and go together with their digests."""
    assert [*GOLDEN["presets"]] == PRESETS


def shortly():
    """In CI the presets with a word of the look, a boundary or an obstacle that none before has, every fourth by numpy.

    The states of all are those of `tests.states`, and that both engines give the same has tests of its own.
    """
    known, taken = set(), 0
    for name in PRESETS:
        scenario = shipped()[name]
        parts = (scenario.style, scenario.overlay, scenario.camera, *scenario.obstacles)
        said = {(key, value) for part in parts for key, value in part if re.fullmatch("[a-z_]+|True|False", str(value))}
        said.add((type(scenario.world.boundary), len(scenario.world.size)))
        brings = name not in proof.HEAVY and not said <= known
        for engine in ("numpy", "auto"):
            wanted = brings and (engine == "auto" or taken % 4 == 0)
            yield pytest.param(name, engine, marks=() if wanted else pytest.mark.slow)
        if brings:
            known, taken = known | said, taken + 1


@pytest.mark.parametrize(("name", "engine"), [*shortly()])
def test_a_preset_stays_as_it_is(name, engine):
    """The first frames of a preset, and a still in each format, are those that are stored."""
    found = proof.digests(name, engine, FRAMES)

    assert proof.differences(GOLDEN["presets"][name], found, drawn_alike=DRAWN_ALIKE) == []


@pytest.mark.parametrize("name", sorted(proof.HEAVY))
def test_a_heavy_preset_begins_as_it_did(name):
    """Its first frames without the steps before them; their digest is stored together with those of all frames."""
    found = {"opening": proof.opening_digest(name, "auto")}

    assert proof.differences({"opening": GOLDEN["presets"][name]["opening"]}, found, drawn_alike=DRAWN_ALIKE) == []


NUMBERS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
NUMBERS = {word: number for number, word in enumerate(NUMBERS, start=2)} | {
    "fifty": 50,
    "hundred": 100,
    "five hundred": 500,
}
NUMBERS |= {"a hundred": 100, "two thousand": 2000, "three thousand": 3000}
ANIMALS = "boids|birds|fish|starlings|hawks|predators"
COUNTED = re.compile(rf"(?i)\b({'|'.join(sorted(NUMBERS, key=len, reverse=True))}|[0-9][0-9,]*) (more )?({ANIMALS})\b")
SOME = {"couzin-informed": 10}  # Animals that texts count, of which the scenario has a share


@pytest.mark.parametrize("name", PRESETS)
def test_the_texts_of_a_preset_count_its_animals(name):
    """Numbers of animals in the title, captions, questions and lessons are those of the scenario."""
    scenario = shipped()[name]
    groups = (*scenario.flock, *scenario.predators)
    changes = [value for event in scenario.events for key, value in event.set.items() if key.endswith(".count")]
    counts = [scenario.flock[0].count, *changes] if len(scenario.flock) == 1 else changes
    known = {*changes, *(one.count for one in groups), SOME.get(name, 0)}
    known |= {sum(one.count for one in some) for some in (scenario.flock, scenario.predators)}
    known |= {later - earlier for earlier, later in pairwise(counts)}
    texts = [
        scenario.title,
        scenario.overlay.caption,
        scenario.page.question,
        *(one.caption for one in scenario.events),
    ]
    texts += [text for step in scenario.page.try_ for text in (step.do, step.then)]
    for number, _, _ in COUNTED.findall("\n".join(filter(None, texts))):
        told = NUMBERS[number.lower()] if number.lower() in NUMBERS else int(number.replace(",", ""))
        assert told in known, number


def test_posters_are_frames_of_their_clips():
    scenarios = shipped().values()

    assert [one.title for one in scenarios if (one.style.poster or 0) >= one.time.frames] == []
