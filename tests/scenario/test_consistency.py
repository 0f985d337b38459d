import pytest

from boidsgen.errors import ScenarioError
from tests.scenario.loaded import loaded


def test_event_mistakes_have_lines():
    """A key that an event cannot set is found on loading."""
    with pytest.raises(ScenarioError) as caught:
        loaded('[[events]]\nat = 3\nset = { "seed" = 3 }')

    assert caught.value.mistakes[0].startswith("test.toml:3: events.set.seed: ")
