"""Lessons of the presets: each step is reached by what it asks for, and not without it."""

import re

import pytest

from boidsgen import load_scenario
from boidsgen.scenario.reference import lesson_template
from docs.programs.lessons import ENGINES, FEWEST, MOST, PAGE, digest, done, page, stored
from tests.shipped import lessons, shipped

LONG = {"murmuration", "trefoil"}  # Thousands of boids, of which a step takes half a minute
ALIKE = 0.8  # Share of seeds in which what an explanation says has to hold
CLAIMS = [
    (
        "quickstart",
        1,
        "until the nearest neighbor is beyond its radius of 25, and no farther",
        lambda away, _: 25 < away < 30,
    ),
    ("quickstart", 2, "polarization falls below 0.5", lambda alike: alike < 0.5),
    ("quickstart", 3, "the nearest neighbor is less than 5 away", lambda away: away < 5),
    ("hunt", 2, "more than ten groups", lambda groups: groups > 10),
    ("hunt", 3, "no hawk comes within 3", lambda _, away: away >= 3),
    ("concept-cohesion", 3, "more than a dozen groups", lambda groups: groups > 12),
    ("concept-flee", 2, "as wide as the range at which they see the hunter", lambda away: 135 < away < 165),
    ("concept-seek", 2, "A third of the speed", lambda away, _: away < 12),
    ("food-chain", 2, "into dozens of groups", lambda groups: groups >= 24),
]
"""What steps explain in numbers, by measures of their conditions."""
STEPS = [
    pytest.param(name, number, marks=[pytest.mark.slow] if name in LONG else [], id=f"{name}-{number + 1}")
    for name, scenario in lessons().items()
    for number, _ in enumerate(scenario.page.try_)
]


def test_steps_are_reached_and_the_page_has_them():
    """What is stored is of the steps as they are: pages check each off where the engine reaches it.

    Nearly all seeds reach each, and nearly no frame of its control does.
    """
    known, scenario_of = stored(), lessons()

    assert {name: [one["digest"] for one in steps] for name, steps in known.items()} == {
        name: [digest(name, step) for step in scenario.page.try_] for name, scenario in scenario_of.items()
    }
    for name, steps in known.items():
        for number, one in enumerate(steps, 1):
            found = one["sessions"]
            assert sum(each["reached"] is not None for each in found) >= FEWEST * len(found), (name, number)
            assert sum(each["control"] for each in found) <= MOST * len(found), (name, number)
            last = max((act.at for act in scenario_of[name].page.try_[number - 1].show), default=0)
            at_once = one["pages"] == dict.fromkeys(ENGINES, last)  # the engine counts from the next frame on
            assert at_once or one["pages"] == dict.fromkeys(ENGINES, last + found[0]["reached"]), (name, number)
    assert PAGE.read_text("utf-8") == page(known)


def test_every_step_with_predictions_names_the_one_that_comes_true():
    """Nobody is left without an outcome; a choice is a text of its own, so that an answer is one choice."""
    for scenario in (*lessons().values(), load_scenario(lesson_template())):
        for step in scenario.page.try_:
            assert (step.answer in step.predict) == bool(step.predict)
            assert len({*step.predict}) == len(step.predict)


@pytest.mark.parametrize(("name", "number", "words", "holds"), CLAIMS)
def test_an_explanation_holds_for_most_seeds(name, number, words, holds):
    """A while after the last change; a page has eight of them, and its reader may take another one."""
    step = lessons()[name].page.try_[number - 1]
    sessions = stored()[name][number - 1]["sessions"]

    assert words in step.then
    assert sum(holds(*one["later"][0]) for one in sessions) >= ALIKE * len(sessions)


@pytest.mark.parametrize(("name", "number", "words", "holds"), [one for one in CLAIMS if one[0] != "concept-flee"])
def test_an_explanation_holds_in_the_frame_that_shows_it(name, number, words, holds):
    """Where a step is only just done; the disc around a hunter may still grow to its width then."""
    until = lessons()[name].page.try_[number - 1].until
    limits = re.findall(r"(?:^|and )(?!frame)([a-z_]+) ([<>]) ([0-9.]+)", until)
    found = [float(limit) + (1e-9 if sign == ">" else -1e-9) for _, sign, limit in limits]

    assert holds(*found), (words, until)


@pytest.mark.turns(4)  # of the three steps of a lesson one at most, in turn
@pytest.mark.parametrize(("name", "number"), STEPS)
def test_a_step_is_done_as_it_shows(name, number):
    """With the seed of the preset: "Show me" reaches the condition in its time, and the control does not."""
    scenario = shipped()[name]
    found = done(scenario, scenario.page.try_[number], 0)

    assert found == stored()[name][number]["sessions"][0]
    assert found["reached"] is not None
    assert found["control"] <= MOST


def test_the_template_for_teachers_is_a_lesson_that_works():
    """Each of its steps is done as it shows, whatever the seed, and not without."""
    scenario = load_scenario(lesson_template())

    found = [done(scenario, step, seed) for step in scenario.page.try_ for seed in range(3)]
    assert len(found) > 3
    assert all(one["reached"] for one in found)
    assert all(one["control"] <= MOST for one in found)
