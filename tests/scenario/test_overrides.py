"""Overrides set one key, and what a document may abbreviate is written out."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.scenario.layers import UnresolvedKeyError, from_text, resolve_key, set_key, split_key, value_from
from boidsgen.scenario.wording import dotted, to_toml
from boidsgen.tables import UNKNOWN
from tests.scenario.loaded import loaded

VALUES = {
    " 3.5 ": 3.5,
    "inf": float("inf"),
    "true": True,
    "A b": "A b",
    '"3"': "3",
    "[100,100]": [100, 100],
    "{ kind = 'soft' }": {"kind": "soft"},
    "[100,": "[100,",
    "": "",
    "a=b": "a=b",
    "1\nseed = 2": "1\nseed = 2",
    "1 # note": 1,
}


@pytest.mark.parametrize("text", VALUES)
def test_value_is_toml_or_text(text):
    """What is no TOML value is taken as the text it is."""
    override = from_text(f"title={text}")

    assert (override.key, override.value, override.origin) == ("title", VALUES[text], f"--set title={text}")


@pytest.mark.parametrize(
    ("document", "key", "keys"),
    [
        ({}, "flock.separation.weight", ("flock", "separation", "weight")),
        ({}, "flock.0.count", ("flock", "count")),
        ({"flock": {"count": 3}}, "flock.0.count", ("flock", "count")),
        ({"flock": [{}]}, "flock.count", ("flock", 0, "count")),
        ({"flock": [{}, {}]}, "flock.1", ("flock", 1)),
        ({"world": {"boundary": "soft"}}, "world.boundary.margin", ("world", "boundary", "margin")),
        ({"world": {"size": [1, 2]}}, "world.size.1", ("world", "size", 1)),
        ({}, '"a.b".c', ("a.b", "c")),
    ],
)
def test_keys_are_resolved(document, key, keys):
    """Numbers may be left out where one table stands alone."""
    assert resolve_key(document, split_key(key)) == keys


def test_name_of_a_kind_becomes_its_table():
    """A key set inside a kind that was written short keeps the kind, whatever its tag is called."""
    document = {"world": {"boundary": "soft"}, "flock": [{"start": "ring"}]}
    document = set_key(document, ("world", "boundary", "margin"), 3)
    document = set_key(document, ("flock", 0, "start", "width"), 0.3)

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
        keys = resolve_key(document, split_key(dotted(tuple(names))), UNKNOWN)
    except UnresolvedKeyError:
        return
    changed = set_key(document, keys, value, UNKNOWN)

    assert reduce(lambda node, key: node[key], keys, changed) == value
    assert set_key(changed, keys, None, UNKNOWN) == set_key(document, keys, None, UNKNOWN)
    assert {**changed, keys[0]: None} == {**document, keys[0]: None}


@given(st.one_of(PLAIN, st.lists(PLAIN), DOCUMENTS))
def test_written_values_read_back(value):
    """What is written as TOML is read as the same value, and stands on one line that a terminal can show."""
    assert value_from(to_toml(value)) == value
    assert to_toml(value).isprintable()


@pytest.mark.parametrize(
    ("text", "settings", "frames"),
    [
        ('[time]\nduration = "8s"', (), 200),
        ('[time]\nduration = "500ms"\n[output]\nfps = 20', (), 10),
        ('[time]\nduration = "2 min"', ("output.fps=10",), 1200),
        ('[time]\nduration = "1ms"', (), 1),
        ('[time]\nduration = "8s"', ("time.frames=3",), 3),
        ("[time]\nframes = 3", ("time.duration=2s",), 50),
    ],
)
def test_duration_stands_for_frames(text, settings, frames):
    """As many frames as play that long, at least one; of file and option the later word counts."""
    assert loaded(text, *settings).time.frames == frames


TWO = '[[flock]]\nname = "swallows"\n[flock.cohesion]\nweight = 2.0\n[[flock]]\nname = "gulls"\n'


@pytest.mark.parametrize(
    ("text", "settings", "read", "expected"),
    [
        (TWO, ["flock.gulls.count=7"], lambda one: [flock.count for flock in one.flock], [50, 7]),
        (TWO, ["flock.swallows.cohesion.weight=3"], lambda one: one.flock[0].cohesion.weight, 3),
        ('[flock]\nname = "gulls"', ["flock.gulls.count=7"], lambda one: one.flock[0].count, 7),
        ('[[predators]]\n[[predators]]\nname="b"', ["predators.b.count=7"], lambda one: one.predators[1].count, 7),
        (
            f'{TWO}[[events]]\nat = 3\nset = {{"flock.swallows.cohesion.weight" = 0.5}}',
            [],
            lambda one: one.events[0].set,
            {"flock.0.cohesion.weight": 0.5},
        ),
        ("", ["world.size=300,200"], lambda one: one.world.size, (300, 200)),
        ("", ["style.flocks=#ff0000,#00ff00"], lambda one: one.style.flocks, ("#ff0000", "#00ff00")),
        ("", ["title=1,2"], lambda one: one.title, "1,2"),
    ],
)
def test_short_forms(text, settings, read, expected):
    """A name stands for the number of a flock or predator, in events too; commas make a list where one belongs."""
    assert read(loaded(text, *settings)) == expected
