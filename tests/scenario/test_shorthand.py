"""What a scenario may say in other words."""

import pytest

from boidsgen import ScenarioError
from tests.scenario.loaded import loaded

TWO = '[[flock]]\nname = "swallows"\n[flock.cohesion]\nweight = 2.0\n[[flock]]\nname = "gulls"\n'


def mistakes_in(text, *settings):
    with pytest.raises(ScenarioError) as caught:
        loaded(text, *settings)
    return list(caught.value.mistakes)


@pytest.mark.parametrize(
    ("duration", "fps", "frames"), [("8s", 25, 200), ("500ms", 20, 10), ("2 min", 10, 1200), ("1ms", 25, 1)]
)
def test_duration_stands_for_frames(duration, fps, frames):
    """As many frames as play that long, at least one."""
    scenario = loaded(f'[time]\nduration = "{duration}"\n[output]\nfps = {fps}')

    assert scenario.time.frames == frames
    assert scenario.time.duration is None


def test_later_word_about_the_length_counts():
    """An option wins over the file, whichever of the two says it."""
    assert loaded('[time]\nduration = "8s"', "time.frames=3").time.frames == 3
    assert loaded("[time]\nframes = 3", "time.duration=2s").time.frames == 50
    assert loaded('[time]\nduration = "8s"', "output.fps=10").time.frames == 80


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '[time]\nframes = 3\nduration = "8s"',
            "test.toml:3: time.duration: says the same as time.frames; write only one of them",
        ),
        (
            '[time]\nduration = "8 h"',
            'test.toml:2: time.duration: must be a number above 0 with its unit (ms, s or min) as in "8s", not "8 h"',
        ),
    ],
)
def test_durations_that_are_none(text, expected):
    """Both at once, or no duration."""
    assert mistakes_in(text) == [expected]


def test_flocks_by_name():
    """A name stands for the number of a flock, of several and of one; so it does among predators."""
    scenario = loaded(TWO, "flock.gulls.count=7", "flock.swallows.cohesion.weight=3")
    assert [flock.count for flock in scenario.flock] == [50, 7]
    assert scenario.flock[0].cohesion.weight == 3

    assert loaded('[flock]\nname = "gulls"', "flock.gulls.count=7").flock[0].count == 7
    assert loaded('[[predators]]\nname = "a"\n[[predators]]\nname = "b"', "predators.b.count=7").predators[1].count == 7


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        (TWO, "flock.gull.count=1", "none of the 2 is called gull (did you mean 'gulls'?)"),
        (TWO, "flock.count=1", "there are 2 here: put a number from 0 to 1 or a name before count"),
        (
            TWO.replace("gulls", "swallows"),
            "flock.swallows.count=1",
            "2 are called swallows: put a number from 0 to 1 in its place",
        ),
    ],
)
def test_names_that_tell_no_flock(text, key, expected):
    """Unknown and ambiguous names."""
    assert mistakes_in(text, key) == [f"--set {key}: {expected}"]


def test_events_by_name():
    """Events name flocks, too, and the scenario has their numbers."""
    scenario = loaded(TWO + '[[events]]\nat = 3\nset = {"flock.swallows.cohesion.weight" = 0.5}')
    assert scenario.events[0].set == {"flock.0.cohesion.weight": 0.5}

    (said,) = mistakes_in(TWO + '[[events]]\nat = 3\nset = {"flock.sparrows.cohesion.weight" = 0.5}')
    assert said.startswith("test.toml:9: events.set.")
    assert said.endswith(
        "there are 2 flock tables, of which not exactly one is called sparrows; say which, as in flock.0"
    )


@pytest.mark.parametrize(
    ("setting", "read", "expected"),
    [
        ("world.size=300,200", lambda one: one.world.size, (300, 200)),
        ("style.flocks=#ff0000,#00ff00", lambda one: one.style.flocks, ("#ff0000", "#00ff00")),
        ("title=1,2", lambda one: one.title, "1,2"),
    ],
)
def test_commas_make_a_list_where_one_belongs(setting, read, expected):
    """And nowhere else."""
    assert read(loaded("", setting)) == expected
