"""The same scenario gives the same states and frames on every system and processor, to the last bit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults import digests
from tests.system import everywhere

ROOT = Path(__file__).parents[2]
PLAIN = {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Prescott"}
"""What keeps numpy from the instructions that only some processors have."""


def test_every_rule_start_and_coloring_is_the_same_here():
    """What was stored on one machine comes out on this one; tests/faults/test_digests.py says so of the presets."""
    assert everywhere.differences() == []


@pytest.mark.parametrize("module", ["tests.faults.digests", "tests.system.everywhere"])
def test_processors_without_wide_instructions_give_the_same(module):
    """With plain instructions only, nothing differs."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", module, "--compare"],
        cwd=ROOT,
        env=os.environ | PLAIN,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.stderr.strip() == ""
    assert ran.returncode == 0


def test_a_difference_is_named(monkeypatch, tmp_path):
    """A digest that is not the stored one is told with the preset's name."""
    stored = tmp_path / "digests.json"
    stored.write_text('{"drawn with": {}, "presets": {"quickstart": {"bits": "0", "states": "0", "frames": "0"}}}')
    monkeypatch.setattr(digests, "STORED", stored)

    assert digests.differences() == {"quickstart": ["bits", "states"]}
