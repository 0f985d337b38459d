"""Every preset gives the pictures it gave; `python -m tests.proof` is the full form, of all frames."""

import json

import pytest

from boidsgen.scenario.sources import presets
from tests import proof

GOLDEN = json.loads(proof.STORED.read_text())
DRAWN_ALIKE = GOLDEN["drawn with"] == proof.drawn_with()
PRESETS = [one.name for one in presets()]
FRAMES = proof.CHECKPOINTS[0]
LONG = {"trefoil-as-listed", "murmuration", "murmuration-30000", "vicsek-2004"}  # Those that take many seconds


def test_every_preset_has_its_digests():
    """Presets come and go together with their digests."""
    assert [*GOLDEN["presets"]] == PRESETS


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in PRESETS]
)
def test_a_preset_stays_as_it_is(name):
    """The first frames of a preset, and a still in each format, are those that are stored."""
    found = proof.digests(name, "numpy", FRAMES)

    assert proof.differences(GOLDEN["presets"][name], found, drawn_alike=DRAWN_ALIKE) == []
