import pytest

from boidsgen.errors import ScenarioError
from tests.scenario.loaded import loaded


def test_event_mistakes_have_lines():
    """A key that an event cannot set is found on loading."""
    with pytest.raises(ScenarioError) as caught:
        loaded('[[events]]\nat = 3\nset = { "seed" = 3 }')

    assert caught.value.mistakes[0].startswith("test.toml:3: events.set.seed: ")


@pytest.mark.parametrize("key", ["flock.alignment weight", "flock..count", "flock.count.", "flock.ä", ""])
def test_events_with_what_is_no_key(key):
    """What is no dotted key is told by its line like any other mistake."""
    with pytest.raises(ScenarioError) as caught:
        loaded(f'[[events]]\nat = 3\nset = {{ "{key}" = 3 }}')

    assert caught.value.mistakes[0].startswith("test.toml:3: events.set")
