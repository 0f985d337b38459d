"""Every preset gives the pictures it gave."""

import json

import pytest

from boidsgen.scenario.sources import presets
from tests.faults.digests import STORED, digests, drawn_with

pytestmark = pytest.mark.faults


def stored():
    """The golden digests."""
    return json.loads(STORED.read_text()) if STORED.exists() else {"presets": {}}


def test_every_preset_has_a_digest():
    """T26: presets come and go together with their digests."""
    assert [*stored()["presets"]] == [one.name for one in presets()]


@pytest.mark.parametrize("name", [one.name for one in presets()])
def test_a_preset_stays_as_it_is(name):
    """T26: the first frames of a preset are those of the golden digest; a change needs a line in the changelog."""
    golden, found = stored(), digests(name)
    if golden["drawn with"] != drawn_with():
        found["frames"] = golden["presets"][name]["frames"]

    assert found == golden["presets"][name], (
        f"{name} changed: a line in CHANGELOG.md, then python -m tests.faults.digests"
    )
