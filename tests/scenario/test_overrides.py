import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.errors import UsageError
from boidsgen.scenario.overrides import UnresolvedKeyError, from_text, names_of, resolve_key, set_key
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import dotted

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


@pytest.mark.parametrize("text", ["", "seed", "=3", " =3"])
def test_override_needs_key_and_equals_sign(text):
    """An override without a key or without a value is wrong usage."""
    with pytest.raises(UsageError, match="must look like KEY=VALUE"):
        from_text(text)


LANDINGS = [
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


@pytest.mark.parametrize(("document", "key", "keys"), LANDINGS)
def test_landing(document, key, keys):
    """Numbers may be left out where one table stands alone."""
    assert resolve_key(document, names_of(key), Scenario) == keys


MISPLACED = [
    ({"flock": [{}, {}]}, "flock.count", "there are 2 here: put a number from 0 to 1 before count"),
    ({"flock": [{}, {}]}, "flock.2.count", "there is no number 2 here, the last one is number 1"),
    ({"flock": {}}, "flock.1.count", "there is no number 1 here, only number 0"),
    ({"flock": []}, "flock.0.count", "0 cannot be set inside an empty list"),
    ({"seed": 3}, "seed.x", "x cannot be set inside 3, which is not a table"),
    ({"title": "x"}, "title.x", 'x cannot be set inside "x", which is not a table'),
    ({}, "a..b", "not a dotted key such as flock.count"),
    ({}, "a = 1\nb", "not a dotted key such as flock.count"),
    ({}, "[a]\nb", "not a dotted key such as flock.count"),
]


@pytest.mark.parametrize(("document", "key", "reason"), MISPLACED)
def test_misplaced(document, key, reason):
    """A key that leads nowhere says why."""
    with pytest.raises(UnresolvedKeyError) as caught:
        resolve_key(document, names_of(key), Scenario)

    assert str(caught.value) == reason


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

    assert _at(changed, keys) == value
    assert _without(changed, keys) == _without(set_key(document, keys, None, None), keys)
    assert {name: changed[name] for name in changed if name != keys[0]} == {
        name: document[name] for name in document if name != keys[0]
    }


def _at(node, keys):
    for key in keys:
        node = node[key]
    return node


def _without(node, keys):
    return set_key(node, keys, None, None)
