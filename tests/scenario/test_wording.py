from hypothesis import given
from hypothesis import strategies as st

from boidsgen.scenario.overrides import value_from
from boidsgen.scenario.wording import written

KEYS = st.text(min_size=1, max_size=4)


PLAIN = st.one_of(st.integers(), st.booleans(), st.text(max_size=5), st.floats(allow_nan=False))


DOCUMENTS = st.recursive(
    st.dictionaries(KEYS, PLAIN, max_size=3),
    lambda inner: st.dictionaries(KEYS, st.one_of(PLAIN, inner, st.lists(inner, max_size=2)), max_size=3),
    max_leaves=8,
)


@given(st.one_of(PLAIN, st.lists(PLAIN), DOCUMENTS))
def test_written_values_read_back(value):
    """What is written as TOML is read as the same value."""
    assert value_from(written(value)) == value


@given(st.one_of(PLAIN, st.lists(PLAIN), DOCUMENTS))
def test_written_values_stand_on_one_line(value):
    """Letters that begin a line, or speak to the terminal, are written as their numbers."""
    assert written(value).isprintable()
