"""Overrides set one key, and what a document may abbreviate is written out."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.scenario.overrides import UnresolvedKeyError, from_text, names_of, resolve_key, set_key, value_from
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import dotted, written
from tests.scenario.loaded import loaded

VALUES = [
    ("3", 3),
    (" 3.5 ", 3.5),
    ("inf", float("inf")),
    ("true", True),
    ("paper", "paper"),
    ("A b", "A b"),
    ('"3"', "3"),
    ("[100,100]", [100, 100]),
    ("{ kind = 'soft' }", {"kind": "soft"}),
    ("[100,", "[100,"),
    ("", ""),
    ("a=b", "a=b"),
    ("1\nseed = 2", "1\nseed = 2"),
    ("1 # note", 1),
]


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_value_is_toml_or_text(text, value):
    """What is no TOML value is taken as the text it is."""
    override = from_text(f"title={text}")

    assert (override.key, override.value) == ("title", value)
    assert override.origin == f"--set title={text}"


RESOLVED = [
    ({}, "seed", ("seed",)),
    ({}, "flock.separation.weight", ("flock", "separation", "weight")),
    ({}, "flock.0.count", ("flock", "count")),
    ({"flock": {"count": 3}}, "flock.0.count", ("flock", "count")),
    ({"flock": [{}]}, "flock.count", ("flock", 0, "count")),
    ({"flock": [{}, {}]}, "flock.1.count", ("flock", 1, "count")),
    ({"flock": [{}, {}]}, "flock.1", ("flock", 1)),
    ({"world": {"boundary": "soft"}}, "world.boundary.margin", ("world", "boundary", "margin")),
    ({"world": {"size": [1, 2]}}, "world.size.1", ("world", "size", 1)),
    ({}, '"a.b".c', ("a.b", "c")),
]


@pytest.mark.parametrize(("document", "key", "keys"), RESOLVED)
def test_keys_are_resolved(document, key, keys):
    """Numbers may be left out where one table stands alone."""
    assert resolve_key(document, names_of(key), Scenario) == keys


def test_name_of_a_kind_becomes_its_table():
    """A key set inside a kind that was written short keeps the kind, whatever its tag is called."""
    document = {"world": {"boundary": "soft"}, "flock": [{"start": "ring"}]}
    document = set_key(document, ("world", "boundary", "margin"), 3, Scenario)
    document = set_key(document, ("flock", 0, "start", "width"), 0.3, Scenario)

    assert document["world"]["boundary"] == {"kind": "soft", "margin": 3}
    assert document["flock"] == [{"start": {"layout": "ring", "width": 0.3}}]


KEYS = st.text(min_size=1, max_size=4)


PLAIN = st.one_of(st.integers(), st.booleans(), st.text(max_size=5), st.floats(allow_nan=False))


DOCUMENTS = st.recursive(
    st.dictionaries(KEYS, PLAIN, max_size=3),
    lambda inner: st.dictionaries(KEYS, st.one_of(PLAIN, inner, st.lists(inner, max_size=2)), max_size=3),
    max_leaves=8,
)


@given(DOCUMENTS, st.lists(KEYS, min_size=1, max_size=4), PLAIN)
def test_override_changes_one_key_only(document, names, value):
    """The value stands where the key landed, and every other key is as it was."""
    try:
        keys = resolve_key(document, names_of(dotted(tuple(names))), None)
    except UnresolvedKeyError:
        return
    changed = set_key(document, keys, value, None)

    assert reduce(lambda node, key: node[key], keys, changed) == value
    assert set_key(changed, keys, None, None) == set_key(document, keys, None, None)
    assert {name: changed[name] for name in changed if name != keys[0]} == {
        name: document[name] for name in document if name != keys[0]
    }


@given(st.one_of(PLAIN, st.lists(PLAIN), DOCUMENTS))
def test_written_values_read_back(value):
    """What is written as TOML is read as the same value, and stands on one line that a terminal can show."""
    assert value_from(written(value)) == value
    assert written(value).isprintable()


TWO = '[[flock]]\nname = "swallows"\n[flock.cohesion]\nweight = 2.0\n[[flock]]\nname = "gulls"\n'


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


def test_flocks_by_name():
    """A name stands for the number of a flock, of several and of one; so it does among predators."""
    scenario = loaded(TWO, "flock.gulls.count=7", "flock.swallows.cohesion.weight=3")
    assert [flock.count for flock in scenario.flock] == [50, 7]
    assert scenario.flock[0].cohesion.weight == 3

    assert loaded('[flock]\nname = "gulls"', "flock.gulls.count=7").flock[0].count == 7
    assert loaded('[[predators]]\nname = "a"\n[[predators]]\nname = "b"', "predators.b.count=7").predators[1].count == 7


def test_events_by_name():
    """Events name flocks, too, and the scenario has their numbers."""
    scenario = loaded(TWO + '[[events]]\nat = 3\nset = {"flock.swallows.cohesion.weight" = 0.5}')
    assert scenario.events[0].set == {"flock.0.cohesion.weight": 0.5}


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
