"""The estimate of `check`."""

import json

import pytest

from boidsgen import load_scenario, presets
from boidsgen.scenario.estimate import seconds
from docs.programs.benchmarks.presets import STORED

MEASURED = json.loads(STORED.read_text("utf-8"))


@pytest.mark.parametrize("name", [preset.name for preset in presets()])
def test_seconds_are_within_a_factor_of_two(name):
    """The estimated time of every preset is at most twice and at least half of what was measured."""
    assert MEASURED[name] / 2 <= seconds(load_scenario(name)) <= 2 * MEASURED[name]
