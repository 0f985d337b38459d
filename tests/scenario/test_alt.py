"""The sentences for those who do not see the pictures."""

import pytest

from boidsgen import load_scenario

TOLD = {
    "couzin-informed": "fish (100 boids; zones, and seek in 10 of them)",
    "pygame-repel": "with 1 repelling point, for",
    "pygame-attract": "with 1 attractor, for",
    "concept-avoidance": "with 4 obstacles, for",
    "obstacles": "with 4 obstacles, for",
    "concept-arrive": "with open boundaries, for",
    "concept-seek": "with open boundaries, for",
    "concept-hierarchy": "captains (3 boids; separation and follow leader)",
    "p5-fish-school": "head (3 boids; separation, alignment, cohesion and follow path)",
    "quickstart": "with periodic boundaries, for",
}
FOOD_CHAIN = (
    "rabbits (70 boids; separation, alignment, cohesion and fleeing from foxes), "
    "foxes (6 boids; separation, alignment, cohesion and hunting rabbits) and "
    "birds (40 boids; separation, alignment and cohesion) move"
)


@pytest.mark.parametrize(("name", "told"), [*TOLD.items(), ("food-chain", FOOD_CHAIN)])
def test_the_sentence_tells_what_moves_whom(name, told):
    """Rules that move nobody and obstacles that nobody meets are not told; rules of a few are, with how many."""
    assert told in load_scenario(name).alt


def test_an_obstacle_is_told_if_it_is_ever_met():
    """What an event makes solid or push counts, and so does everything where an event lets boids avoid it."""
    ghost = {"kind": "circle", "center": [50.0, 50.0], "radius": 5.0, "weight": 0.0, "solid": False}
    document = {"flock": {"avoid": {"weight": 0.0}}, "obstacles": [ghost, ghost]}
    counts = {"obstacles.1.weight": ", with 1 obstacle,", "obstacles.0.solid": ", with 1 obstacle,"}
    counts |= {"flock.avoid.weight": ", with 2 obstacles,"}

    assert "obstacle" not in load_scenario(document).alt
    for key, told in counts.items():
        change = {"at": 3, "set": {key: True if key.endswith("solid") else 1.0}}
        assert told in load_scenario({**document, "events": [change]}).alt


def test_the_sentence_lasts_as_long_as_the_clip():
    """A cross-fade shortens the clip where its format loops, and the sentence is about the format of the scenario."""
    scenario = load_scenario("murmuration")

    assert scenario.output.format == "mp4"
    assert scenario.alt.endswith(", for 26.8 seconds.")
    assert load_scenario("murmuration", {"output.format": "gif"}).alt.endswith(", for 25.2 seconds.")


@pytest.mark.parametrize(("frames", "when"), [([3], "in frame 3."), ([0, 2, 1000], "in frames 0, 2 and 1,000.")])
def test_a_picture_does_not_last(frames, when):
    """The sentence about a picture names its frames."""
    assert load_scenario("quickstart").alt_at(frames).endswith(f"with periodic boundaries, {when}")
