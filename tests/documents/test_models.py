"""The page about published models, and what has been measured for it."""

import json

import pytest

from docs.programs.models import PAGE, STORED, TIMES, deviation, page
from tests.published.test_presets import HELD

MEASURED = json.loads(STORED.read_text("utf-8"))


def test_the_page_is_what_the_program_makes():
    """Rules, sources and numbers of the page come from presets, loops and what is stored."""
    assert PAGE.read_text("utf-8") == page(MEASURED)


@pytest.mark.parametrize("preset", [held.preset for held in HELD])
def test_presets_measure_as_their_sources(preset):
    """Over twenty seeds, five statistics at three times are within three standard errors of those of the loop."""
    assert len(MEASURED[preset]) == len(TIMES)
    assert all(deviation(pair) <= 3.0 for table in MEASURED[preset] for pair in table.values())
