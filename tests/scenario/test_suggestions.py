"""Suggestions lead to keys and words that exist, whatever somebody has written."""

import json

import pytest

from boidsgen.errors import ScenarioError
from boidsgen.scenario.schema import json_schema
from boidsgen.scenario.suggestions import SAME_KEY, SAME_WORD
from tests.scenario.loaded import loaded


def test_suggestions_lead_somewhere():
    """Every key and every word that a suggestion may name is one of ours."""
    schema = json.dumps(json_schema())

    for name in {*SAME_KEY.values(), *SAME_WORD.values()}:
        assert all(f'"{part}"' in schema for part in name.split(".")), name


@pytest.mark.parametrize("text", [f"{'k' * 900_000} = 1", f"theme = {'x' * 900_000}", f'title = "{"x" * 900_000}'])
def test_very_long_lines_make_short_messages(text):
    """A key or a line of a megabyte is compared, and shown, in part only."""
    with pytest.raises(ScenarioError) as raised:
        loaded(text)

    assert len(str(raised.value)) < 1000
